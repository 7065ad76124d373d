// SPDX-License-Identifier: GPL-2.0
/*
 * Checks that the kernel leaves the vector registers of user programs alone:
 * fills all of them, lets the kernel work in them, and looks again.
 *
 *	registers SECONDS	exit status 0, or 1 with what changed
 *
 * Every other round reads the device between filling and looking, in one
 * instruction sequence; the others just wait, for readers on the same processor
 * to interrupt them.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define READ_BYTES 16384
#define SPINS 200000

#if defined(__x86_64__)
#include <sys/syscall.h>

#define AVX512_REGISTERS 32
#define REGISTER_BYTES 64

static int has_avx, has_avx512;

static size_t state_bytes(void)
{
	__builtin_cpu_init();
	has_avx = __builtin_cpu_supports("avx");
	has_avx512 = __builtin_cpu_supports("avx512f");
	if (has_avx512)
		return AVX512_REGISTERS * REGISTER_BYTES;
	return has_avx ? 16 * 32 : 16 * 16;
}

#define EACH16(f) f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7) \
	f(8) f(9) f(10) f(11) f(12) f(13) f(14) f(15)
#define EACH16_HIGH(f) f(16) f(17) f(18) f(19) f(20) f(21) f(22) f(23) \
	f(24) f(25) f(26) f(27) f(28) f(29) f(30) f(31)
#define LOAD_X(n) "movdqu 16*" #n "(%[in]), %%xmm" #n "\n\t"
#define STORE_X(n) "movdqu %%xmm" #n ", 16*" #n "(%[out])\n\t"
#define LOAD_Y(n) "vmovdqu 32*" #n "(%[in]), %%ymm" #n "\n\t"
#define STORE_Y(n) "vmovdqu %%ymm" #n ", 32*" #n "(%[out])\n\t"
#define LOAD_Z(n) "vmovdqu64 64*" #n "(%[in]), %%zmm" #n "\n\t"
#define STORE_Z(n) "vmovdqu64 %%zmm" #n ", 64*" #n "(%[out])\n\t"
/* Either read(fd, buffer, size), or a wait. */
#define WORK						\
	"test %[spins], %[spins]\n\t"			\
	"jnz 1f\n\t"					\
	"syscall\n\t"					\
	"jmp 2f\n"					\
	"1:\tdec %[spins]\n\t"				\
	"jnz 1b\n"					\
	"2:\n\t"
#define ROUND(loads, stores)						\
	__asm__ __volatile__(loads WORK stores				\
		: "+a"(result), [spins] "+r"(spins)			\
		: [in] "r"(in), [out] "r"(out), "D"((long)fd),		\
		  "S"(buffer), "d"((long)READ_BYTES)			\
		: "rcx", "r11", "memory", "cc")

static void visit(const uint8_t *in, uint8_t *out, int fd, void *buffer,
		  long spins)
{
	long result = SYS_read;

	if (has_avx512)
		ROUND(EACH16(LOAD_Z) EACH16_HIGH(LOAD_Z),
		      EACH16(STORE_Z) EACH16_HIGH(STORE_Z));
	else if (has_avx)
		ROUND(EACH16(LOAD_Y), EACH16(STORE_Y));
	else
		ROUND(EACH16(LOAD_X), EACH16(STORE_X));
}

#elif defined(__aarch64__)
#include <sys/syscall.h>

static size_t state_bytes(void)
{
	return 32 * 16;
}

#define EACH(f) f(0, 1) f(2, 3) f(4, 5) f(6, 7) f(8, 9) f(10, 11) \
	f(12, 13) f(14, 15) f(16, 17) f(18, 19) f(20, 21) f(22, 23) \
	f(24, 25) f(26, 27) f(28, 29) f(30, 31)
#define LOAD(a, b) "ldp q" #a ", q" #b ", [%[in], 16*" #a "]\n\t"
#define STORE(a, b) "stp q" #a ", q" #b ", [%[out], 16*" #a "]\n\t"

static void visit(const uint8_t *in, uint8_t *out, int fd, void *buffer,
		  long spins)
{
	register long x0 __asm__("x0") = fd;
	register void *x1 __asm__("x1") = buffer;
	register long x2 __asm__("x2") = READ_BYTES;
	register long x8 __asm__("x8") = SYS_read;

	__asm__ __volatile__(EACH(LOAD)
		"cbnz %[spins], 1f\n\t"
		"svc 0\n\t"
		"b 2f\n"
		"1:\tsub %[spins], %[spins], 1\n\t"
		"cbnz %[spins], 1b\n"
		"2:\n\t"
		EACH(STORE)
		: "+r"(x0), [spins] "+r"(spins)
		: "r"(x1), "r"(x2), "r"(x8), [in] "r"(in), [out] "r"(out)
		: "memory", "cc");
}

#else
#error "which vector registers does this processor have?"
#endif

static int changed(const uint8_t *in, const uint8_t *out, size_t len,
		   unsigned long round)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (in[i] != out[i])
			break;
	if (i == len)
		return 0;
	printf("round %lu: byte %zu of %zu is %02x, was %02x\n", round, i, len,
	       out[i], in[i]);
	return 1;
}

int main(int argc, char **argv)
{
	static uint8_t in[2048], out[2048], buffer[READ_BYTES];
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 5);
	size_t len = state_bytes();
	unsigned long round;
	int fd = open("/dev/shakerandom", O_RDONLY);

	if (fd < 0) {
		perror("/dev/shakerandom");
		return 1;
	}
	for (round = 0; time(NULL) < end; round++) {
		for (size_t i = 0; i < len; i++)
			in[i] = (uint8_t)(i * 31 + round);
		visit(in, out, fd, buffer, round % 2 ? SPINS : 0);
		if (changed(in, out, len, round))
			return 1;
	}
	printf("%lu rounds, %zu bytes of registers: nothing changed\n", round,
	       len);
	return round < 2;
}
