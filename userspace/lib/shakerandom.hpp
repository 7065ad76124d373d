/* SPDX-License-Identifier: MIT */
/*
 * libshakerandom for C++17: engines for <random>, std::shuffle and the like.
 *
 *   secure_engine   unpredictable numbers of the whole process
 *   stream          any seeded stream; moves, but cannot be copied
 *   engine          a RandomNumberEngine: also copies, compares, saves
 *
 * Each comes with the type of its numbers; all read them little-endian. Errors
 * are thrown, where the C library returns them, as shakerandom::error. The
 * standard's distributions differ between its libraries: for values that are
 * the same everywhere use the draws of shakerandom.h, with stream.get().
 */
#ifndef SHAKERANDOM_HPP
#define SHAKERANDOM_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <limits>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "shakerandom.h"

namespace shakerandom {

class error : public std::runtime_error {
public:
	explicit error(int code)
		: std::runtime_error(shakerandom_strerror(code)), code_(code)
	{
	}

	/* An enum shakerandom_error. */
	int code() const noexcept
	{
		return code_;
	}

private:
	int code_;
};

namespace detail {

inline void check(int code)
{
	if (code)
		throw error(code);
}

struct closer {
	void operator()(shakerandom_stream *s) const noexcept
	{
		shakerandom_stream_close(s);
	}
};

using handle = std::unique_ptr<shakerandom_stream, closer>;

template <class UInt>
UInt from_le(const std::array<std::uint8_t, sizeof(UInt)> &b)
{
	UInt v = 0;

	for (std::size_t i = 0; i < sizeof(UInt); i++)
		v = static_cast<UInt>(v | static_cast<UInt>(b[i]) << 8 * i);
	return v;
}

/* What makes a UniformRandomBitGenerator of @Source's fill(). */
template <class Source, class UInt> class generator {
	static_assert(std::is_unsigned_v<UInt> && !std::is_same_v<UInt, bool>,
		      "numbers are unsigned");

public:
	using result_type = UInt;

	static constexpr result_type (min)()
	{
		return 0;
	}

	static constexpr result_type (max)()
	{
		return (std::numeric_limits<result_type>::max)();
	}

	result_type operator()()
	{
		std::array<std::uint8_t, sizeof(UInt)> bytes;

		static_cast<Source *>(this)->fill(bytes.data(), bytes.size());
		return from_le<UInt>(bytes);
	}

	/* Fills anything with data() and size(), of plain bytes or numbers. */
	template <class Container> void generate(Container &&c)
	{
		using value = std::remove_reference_t<decltype(*c.data())>;

		static_assert(std::is_trivially_copyable_v<value>);
		static_cast<Source *>(this)->fill(c.data(),
						  c.size() * sizeof(value));
	}
};

template <class T, class = void> struct is_seed_seq : std::false_type {
};

template <class T>
struct is_seed_seq<T, std::void_t<typename T::result_type,
				  decltype(std::declval<T &>().generate(
					  std::declval<std::uint32_t *>(),
					  std::declval<std::uint32_t *>()))>>
	: std::true_type {
};

} // namespace detail

template <class UInt = std::uint64_t>
class secure_engine : public detail::generator<secure_engine<UInt>, UInt> {
public:
	/* Fails early, rather than at the first number. */
	secure_engine()
	{
		int source = shakerandom_source();

		if (source < 0)
			throw error(source);
	}

	void fill(void *to, std::size_t len)
	{
		detail::check(shakerandom_fill(to, len));
	}
};

/* Everything shakerandom_stream_open() takes. */
class parameters : public shakerandom_params {
public:
	parameters(shakerandom_format which, const void *bytes, std::size_t len)
		: shakerandom_params()
	{
		format = which;
		seed = bytes;
		seed_len = len;
	}

	/* @words must live until the stream is open. */
	static parameters text(shakerandom_format which, std::string_view words)
	{
		parameters p(which, words.data(), words.size());

		p.flags = SHAKERANDOM_TEXT;
		return p;
	}

	parameters &substream(std::uint64_t n)
	{
		number = n;
		return *this;
	}
};

template <class UInt = std::uint64_t>
class stream : public detail::generator<stream<UInt>, UInt> {
public:
	explicit stream(const shakerandom_params &params)
	{
		shakerandom_stream *s;

		detail::check(shakerandom_stream_open(&s, &params));
		handle_.reset(s);
	}

	/* Of a stream that shakerandom_stream_open or such has made. */
	explicit stream(shakerandom_stream *owned) : handle_(owned)
	{
	}

	void fill(void *to, std::size_t len)
	{
		detail::check(shakerandom_stream_fill(get(), to, len));
	}

	std::uint64_t position() const
	{
		return shakerandom_stream_position(get());
	}

	void seek(std::uint64_t position)
	{
		detail::check(shakerandom_stream_seek(get(), position));
	}

	void discard(unsigned long long count)
	{
		std::uint64_t room = INT64_MAX - position();

		if (count > room / sizeof(UInt))
			throw error(SHAKERANDOM_ERR_END);
		seek(position() + count * sizeof(UInt));
	}

	/* For the draws of shakerandom.h; still owned by this object. */
	shakerandom_stream *get() const noexcept
	{
		return handle_.get();
	}

private:
	detail::handle handle_;
};

/*
 * The default seed is the key of zeros. seed(s) is the key that starts with s,
 * little-endian, and goes on with zeros; seed(q) has q generate the key as
 * 32-bit little-endian numbers; formats that take any key get one of 32 bytes.
 */
template <class UInt = std::uint64_t,
	  shakerandom_format Format = SHAKERANDOM_CHACHA20>
class engine : public detail::generator<engine<UInt, Format>, UInt> {
	static_assert(Format < SHAKERANDOM_SHAKE256_RATCHET,
		      "formats that forget cannot be copied: use stream");

	template <class T>
	using if_seed_seq = std::enable_if_t<
		detail::is_seed_seq<T>::value && !std::is_same_v<T, engine>>;

public:
	engine() : engine(UInt(0))
	{
	}

	explicit engine(UInt value) : stream_(from_value(value))
	{
	}

	template <class SeedSeq, class = if_seed_seq<SeedSeq>>
	explicit engine(SeedSeq &sequence) : stream_(from_sequence(sequence))
	{
	}

	/* Any seed: bytes, text, a sub-stream; but of this format. */
	explicit engine(const shakerandom_params &params)
		: stream_(checked(params))
	{
	}

	engine(const engine &other) : stream_(copy_of(other))
	{
	}

	engine(engine &&) = default;

	engine &operator=(const engine &other)
	{
		stream_ = stream<UInt>(copy_of(other));
		return *this;
	}

	engine &operator=(engine &&) = default;
	~engine() = default;

	void seed()
	{
		*this = engine();
	}

	void seed(UInt value)
	{
		*this = engine(value);
	}

	template <class SeedSeq, class = if_seed_seq<SeedSeq>>
	void seed(SeedSeq &sequence)
	{
		*this = engine(sequence);
	}

	void fill(void *to, std::size_t len)
	{
		stream_.fill(to, len);
	}

	void discard(unsigned long long count)
	{
		stream_.discard(count);
	}

	std::uint64_t position() const
	{
		return stream_.position();
	}

	void seek(std::uint64_t position)
	{
		stream_.seek(position);
	}

	shakerandom_stream *get() const noexcept
	{
		return stream_.get();
	}

	friend bool operator==(const engine &a, const engine &b)
	{
		return shakerandom_stream_equal(a.get(), b.get());
	}

	friend bool operator!=(const engine &a, const engine &b)
	{
		return !(a == b);
	}

	/* The state as text; it holds the seed. */
	template <class Traits>
	friend std::basic_ostream<char, Traits> &
	operator<<(std::basic_ostream<char, Traits> &out, const engine &e)
	{
		std::vector<char> text(SHAKERANDOM_STATE_MAX);

		detail::check(shakerandom_stream_save(e.get(), text.data(),
						      text.size()));
		out.width(0);
		return out << text.data();
	}

	/* On failure sets failbit and leaves @e as it was. */
	template <class Traits>
	friend std::basic_istream<char, Traits> &
	operator>>(std::basic_istream<char, Traits> &in, engine &e)
	{
		std::basic_string<char, Traits> text, word;

		for (int i = 0; i < 8 && in >> word; i++)
			text += (i ? " " : "") + word;
		if (in && !e.restore(text.c_str()))
			in.setstate(std::ios_base::failbit);
		return in;
	}

private:
	using key = std::array<std::uint8_t, 32>;

	static std::size_t key_len()
	{
		std::size_t len = shakerandom_describe(Format)->seed_len;

		return len ? len : std::tuple_size_v<key>;
	}

	static parameters from_key(const key &k)
	{
		return parameters(Format, k.data(), key_len());
	}

	static stream<UInt> from_value(UInt value)
	{
		key k{};

		for (std::size_t i = 0; i < sizeof(UInt); i++)
			k[i] = static_cast<std::uint8_t>(value >> 8 * i);
		return stream<UInt>(from_key(k));
	}

	template <class SeedSeq>
	static stream<UInt> from_sequence(SeedSeq &sequence)
	{
		std::array<std::uint32_t, 8> words;
		key k{};

		sequence.generate(words.begin(), words.end());
		for (std::size_t i = 0; i < k.size(); i++)
			k[i] = static_cast<std::uint8_t>(words[i / 4] >>
							 8 * (i % 4));
		return stream<UInt>(from_key(k));
	}

	static const shakerandom_params &
	checked(const shakerandom_params &params)
	{
		if (params.format != Format)
			throw error(SHAKERANDOM_ERR_ARGUMENT);
		return params;
	}

	static shakerandom_stream *copy_of(const engine &other)
	{
		shakerandom_stream *s;

		detail::check(shakerandom_stream_copy(&s, other.get()));
		return s;
	}

	bool restore(const char *text)
	{
		shakerandom_stream *s;
		int code = shakerandom_stream_restore(&s, text);

		if (code == SHAKERANDOM_ERR_STATE)
			return false;
		detail::check(code);
		stream<UInt> restored(s);
		if (shakerandom_stream_describe(s)->format != Format)
			return false;
		stream_ = std::move(restored);
		return true;
	}

	stream<UInt> stream_;
};

} // namespace shakerandom

#endif
