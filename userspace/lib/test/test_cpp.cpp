/* SPDX-License-Identifier: MIT */
/* The C++ engines with all of <random>, and RandomShake's examples. */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <iomanip>
#include <iterator>
#include <numeric>
#include <random>
#include <sstream>
#include <unistd.h>
#include <vector>

#include "shakerandom.hpp"

namespace {

using shakerandom::engine;
using shakerandom::parameters;
using shakerandom::secure_engine;
using shakerandom::stream;

int passed, failed, skipped;

struct failure {
	int line;
};

#define CHECK(condition)			\
	do {					\
		if (!(condition))		\
			throw failure{__LINE__}; \
	} while (0)

bool have_device()
{
	return !access("/dev/shakerandom", F_OK);
}

void run(const char *name, bool needs_device, const std::function<void()> &test)
{
	if (needs_device && !have_device()) {
		skipped++;
		std::printf("skipped %s: needs /dev/shakerandom\n", name);
		return;
	}
	try {
		test();
		passed++;
	} catch (const failure &f) {
		failed++;
		std::printf("FAILED  %s, line %d\n", name, f.line);
	} catch (const std::exception &e) {
		failed++;
		std::printf("FAILED  %s: %s\n", name, e.what());
	}
}

/* ---- every distribution ---- */

constexpr int draws = 20000;

/* The mean of @draws values lies within 6 deviations of what it should be. */
template <class Engine, class Distribution>
void check_mean(Engine &e, Distribution d, double mean, double variance)
{
	double sum = 0;

	for (int i = 0; i < draws; i++)
		sum += static_cast<double>(d(e));
	CHECK(std::fabs(sum / draws - mean) < 6 * std::sqrt(variance / draws));
}

template <class Engine> void check_integers(Engine &e)
{
	check_mean(e, std::uniform_int_distribution<int>(-3, 9), 3, 14);
	check_mean(e, std::uniform_int_distribution<long long>(-5000000000LL,
							       5000000000LL),
		   0, 1e20 / 12);
	check_mean(e, std::bernoulli_distribution(0.3), 0.3, 0.21);
	check_mean(e, std::binomial_distribution<int>(20, 0.3), 6, 4.2);
	check_mean(e, std::binomial_distribution<int>(1000, 0.5), 500, 250);
	check_mean(e, std::negative_binomial_distribution<int>(3, 0.5), 3, 6);
	check_mean(e, std::geometric_distribution<int>(0.25), 3, 12);
	check_mean(e, std::poisson_distribution<int>(4), 4, 4);
	check_mean(e, std::poisson_distribution<int>(100), 100, 100);
	check_mean(e, std::discrete_distribution<int>({1, 2, 1}), 1, 0.5);
}

template <class Engine> void check_reals(Engine &e)
{
	const double pi = std::acos(-1.0), gamma = 0.57721566490153286;
	const std::vector<double> at{0, 1, 3}, weight{1, 1}, height{0, 1, 0};

	check_mean(e, std::uniform_real_distribution<double>(2, 4), 3, 1 / 3.);
	check_mean(e, std::uniform_real_distribution<float>(0, 1), .5, 1 / 12.);
	check_mean(e, std::exponential_distribution<double>(2), .5, .25);
	check_mean(e, std::gamma_distribution<double>(2, 3), 6, 18);
	check_mean(e, std::weibull_distribution<double>(1, 2), 2, 4);
	check_mean(e, std::extreme_value_distribution<double>(0, 1), gamma,
		   pi * pi / 6);
	check_mean(e, std::normal_distribution<double>(5, 2), 5, 4);
	check_mean(e, std::lognormal_distribution<double>(0, 0.5),
		   std::exp(0.125), 0.3646958540);
	check_mean(e, std::chi_squared_distribution<double>(4), 4, 8);
	check_mean(e, std::fisher_f_distribution<double>(10, 20), 20 / 18.,
		   0.432098765);
	check_mean(e, std::student_t_distribution<double>(5), 0, 5 / 3.);
	check_mean(e, std::piecewise_constant_distribution<double>(
			      at.begin(), at.end(), weight.begin()),
		   1.25, 0.7708333);
	check_mean(e, std::piecewise_linear_distribution<double>(
			      at.begin(), at.end(), height.begin()),
		   4 / 3., 0.3888889);
	/* It has no mean: half lie above the middle. */
	std::cauchy_distribution<double> cauchy(1, 2);
	int above = 0;
	for (int i = 0; i < draws; i++)
		above += cauchy(e) > 1;
	CHECK(std::abs(above - draws / 2) < 3 * std::sqrt(draws));
	double canonical = std::generate_canonical<double, 53>(e);
	CHECK(canonical >= 0 && canonical < 1);
}

template <class Engine> void check_algorithms(Engine &e)
{
	std::vector<int> v(1000), sorted, some;

	std::iota(v.begin(), v.end(), 0);
	sorted = v;
	std::shuffle(v.begin(), v.end(), e);
	CHECK(v != sorted);
	CHECK(std::is_permutation(v.begin(), v.end(), sorted.begin()));
	std::sample(v.begin(), v.end(), std::back_inserter(some), 10, e);
	CHECK(some.size() == 10);
}

template <class Engine> void check_all(Engine &&e)
{
	using E = std::remove_reference_t<Engine>;

	static_assert(std::is_unsigned_v<typename E::result_type>);
	static_assert((E::min)() == 0);
	static_assert((E::max)() == typename E::result_type(-1));
#if __cplusplus >= 202002L
	static_assert(std::uniform_random_bit_generator<E>);
#endif
	check_integers(e);
	check_reals(e);
	check_algorithms(e);
}

template <class UInt> void test_secure()
{
	secure_engine<UInt> e, copy = e;
	std::vector<std::uint32_t> a(100), b(100);

	check_all(e);
	e.generate(a);
	copy.generate(b);
	CHECK(a != b);
}

/* ---- RandomNumberEngine ---- */

template <class E> void test_engine()
{
	E x, y(x), z(typename E::result_type(5));

	check_all(x);
	CHECK(x != y && y == E() && y != z && !(y == z));
	y.seed(5);
	CHECK(y == z);
	y.discard(1000);
	for (int i = 0; i < 1000; i++)
		z();
	CHECK(y == z && y() == z());
	y.seed();
	CHECK(y == E());

	std::seed_seq q1{1, 2, 3}, q2{1, 2, 3}, q3{3};
	E a(q1), b(q3);
	CHECK(a != b);
	b.seed(q2);
	CHECK(a == b);
	a = z;
	CHECK(a == z && a() == z() && a == z);
	E moved(std::move(a));
	CHECK(moved == z);

	std::ostringstream out;
	out << std::setw(200) << std::hex << z << ' ' << 10;
	std::istringstream in(out.str());
	int ten = 0;
	in >> b >> std::hex >> ten;
	CHECK(in && b == z && ten == 10);
	for (int i = 0; i < 100; i++)
		CHECK(b() == z());

	std::istringstream bad("shakerandom-1 nothing 0 0 0 00 00 1");
	bad >> b;
	CHECK(bad.fail() && b == z);
	std::istringstream cut("shakerandom-1 chacha20");
	cut >> b;
	CHECK(cut.fail() && b == z);
}

void test_another_format_is_refused()
{
	engine<std::uint64_t, SHAKERANDOM_CHACHA8> a(7);
	engine<> b(7);
	std::stringstream text;

	text << a;
	text >> b;
	CHECK(text.fail() && b == engine<>(7));
	try {
		engine<> c(parameters::text(SHAKERANDOM_CHACHA8, "text"));
		CHECK(false);
	} catch (const shakerandom::error &e) {
		CHECK(e.code() == SHAKERANDOM_ERR_ARGUMENT);
	}
}

void test_numbers_are_little_endian()
{
	engine<std::uint8_t> bytes(9);
	engine<std::uint64_t> words(9);
	std::uint64_t v = 0;

	for (int i = 0; i < 8; i++)
		v |= std::uint64_t(bytes()) << 8 * i;
	CHECK(words() == v);
	stream<std::uint16_t> text(
		parameters::text(SHAKERANDOM_AES128_CTR, "text").substream(3));
	CHECK(text() == (text.seek(0), shakerandom_stream_u16(text.get())));
	try {
		text.discard(~0ULL);
		CHECK(false);
	} catch (const shakerandom::error &e) {
		CHECK(e.code() == SHAKERANDOM_ERR_END);
	}
}

void test_errors_are_thrown()
{
	shakerandom_params none{};

	try {
		stream<> s(none);
		CHECK(false);
	} catch (const shakerandom::error &e) {
		CHECK(e.code() == SHAKERANDOM_ERR_ARGUMENT);
		CHECK(std::strlen(e.what()) > 5);
	}
}

/* ---- the examples of RandomShake ---- */

/* randomshake_t<UInt, XOF> csprng(seed) is stream<UInt>, of a ratchet. */
template <class UInt> stream<UInt> seeded_csprng(shakerandom_format xof)
{
	std::vector<std::uint8_t> seed(136, 0xde);

	return stream<UInt>(parameters(xof, seed.data(), seed.size()));
}

constexpr auto turbo = SHAKERANDOM_TURBOSHAKE256_RATCHET;

void test_randomshake_seeded()
{
	/* What the original gives for this seed. */
	const std::uint8_t shake[] = {0x8d, 0x0b, 0x62, 0x4d, 0x4d, 0x3f};
	auto csprng = seeded_csprng<std::uint8_t>(SHAKERANDOM_SHAKE256_RATCHET);

	for (std::uint8_t want : shake)
		CHECK(csprng() == want);
	check_all(seeded_csprng<std::uint8_t>(SHAKERANDOM_SHAKE256_RATCHET));
	check_all(seeded_csprng<std::uint64_t>(SHAKERANDOM_TURBOSHAKE256_RATCHET));
}

/* "Fill the vector, one byte at a time" and "many bytes at a time". */
void test_randomshake_bytes()
{
	auto one = seeded_csprng<std::uint8_t>(turbo);
	auto many = seeded_csprng<std::uint8_t>(turbo);
	std::vector<std::uint8_t> a(16), b(16);

	std::generate(a.begin(), a.end(), [&] { return one(); });
	many.generate(b);
	CHECK(a == b && a != std::vector<std::uint8_t>(16));
}

/* Its examples with distributions; unseeded, it is the secure engine. */
void test_randomshake_distributions()
{
	secure_engine<std::uint8_t> csprng;
	std::uniform_int_distribution<int> die(1, 6);
	std::bernoulli_distribution coin(0.7);
	std::binomial_distribution<int> heads(1000, 0.5);
	std::uniform_real_distribution<float> unit(0, 1);

	for (int i = 0; i < 1000; i++) {
		int face = die(csprng);
		float u = unit(csprng);

		CHECK(face >= 1 && face <= 6 && u >= 0 && u <= 1);
	}
	check_mean(csprng, coin, 0.7, 0.21);
	check_mean(csprng, heads, 500, 250);
}

} // namespace

int main()
{
	shakerandom_setup(nullptr, SHAKERANDOM_OR_GETRANDOM);
	run("secure_engine<u8>", false, test_secure<std::uint8_t>);
	run("secure_engine<u16>", false, test_secure<std::uint16_t>);
	run("secure_engine<u32>", false, test_secure<std::uint32_t>);
	run("secure_engine<u64>", false, test_secure<std::uint64_t>);
	run("engine<u64, chacha20>", true, test_engine<engine<>>);
	run("engine<u8, aes256-ctr>", true,
	    test_engine<engine<std::uint8_t, SHAKERANDOM_AES256_CTR>>);
	run("engine<u32, aes128-le>", true,
	    test_engine<engine<std::uint32_t, SHAKERANDOM_AES128_LE>>);
	run("engine<u16, shake256-ctr>", true,
	    test_engine<engine<std::uint16_t, SHAKERANDOM_SHAKE256_CTR>>);
	run("engine<u64, shake128>", true,
	    test_engine<engine<std::uint64_t, SHAKERANDOM_SHAKE128>>);
	run("another format is refused", true, test_another_format_is_refused);
	run("numbers are little-endian", true, test_numbers_are_little_endian);
	run("errors are thrown", false, test_errors_are_thrown);
	run("RandomShake, seeded", true, test_randomshake_seeded);
	run("RandomShake, bytes", true, test_randomshake_bytes);
	run("RandomShake, distributions", false,
	    test_randomshake_distributions);
	std::printf("test_cpp: %d passed, %d failed, %d skipped\n", passed,
		    failed, skipped);
	return failed ? 1 : 0;
}
