/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ChaCha in AVX-512: two groups of blocks side by side in all 32 vector
 * registers, 2 x 16 blocks in zmm or 2 x 8 in ymm. One group alone cannot hide
 * the latency of its own chain of additions and rotations; two leave no
 * register free, which no compiler seen manages without spilling. Hence
 * assembly.
 *
 * Word i of the first group is in register i, of the second in register 16 + i.
 * Macro parameter \n is the number of elements (and blocks) in a register.
 */
#include "chacha_x86.h"

/*
 * The frame: counters as they entered the rounds (low and high words of both
 * groups), and one register spilled during the transposition.
 */
#define LOW(group)	(2 * (group) * 64)(%rsp)
#define HIGH(group)	((2 * (group) + 1) * 64)(%rsp)
#define SPILL		(4 * 64)(%rsp)
#define FRAME		(5 * 64)

/*
 * Which block of a pass an element computes: the order in which transposing
 * within lanes, then across them, yields consecutive blocks.
 */
	.section .rodata
	.p2align 6
.Lblocks16_0:
	.long	0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15
.Lblocks16_1:
	.long	16, 20, 24, 28, 17, 21, 25, 29, 18, 22, 26, 30, 19, 23, 27, 31
.Lblocks8_0:
	.long	0, 2, 4, 6, 1, 3, 5, 7
.Lblocks8_1:
	.long	8, 10, 12, 14, 9, 11, 13, 15
.Lone:
	.long	1

	.text
	.altmacro

/* d = (d ^ (a += b)) <<< bits */
.macro MIX1 w, bits, a, b, d
	vpaddd	%\w\b, %\w\a, %\w\a
	vpxord	%\w\a, %\w\d, %\w\d
	vprold	$\bits, %\w\d, %\w\d
.endm

/* The same for words of the group whose registers start at g. */
.macro MIX w, g, bits, a, b, d
	MIX1	\w, \bits, %(\g + \a), %(\g + \b), %(\g + \d)
.endm

.macro ROUND w, g, b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3
	MIX	\w, \g, 16, 0, \b0, \d0
	MIX	\w, \g, 16, 1, \b1, \d1
	MIX	\w, \g, 16, 2, \b2, \d2
	MIX	\w, \g, 16, 3, \b3, \d3
	MIX	\w, \g, 12, \c0, \d0, \b0
	MIX	\w, \g, 12, \c1, \d1, \b1
	MIX	\w, \g, 12, \c2, \d2, \b2
	MIX	\w, \g, 12, \c3, \d3, \b3
	MIX	\w, \g, 8, 0, \b0, \d0
	MIX	\w, \g, 8, 1, \b1, \d1
	MIX	\w, \g, 8, 2, \b2, \d2
	MIX	\w, \g, 8, 3, \b3, \d3
	MIX	\w, \g, 7, \c0, \d0, \b0
	MIX	\w, \g, 7, \c1, \d1, \b1
	MIX	\w, \g, 7, \c2, \d2, \b2
	MIX	\w, \g, 7, \c3, \d3, \b3
.endm

.macro LOAD1 w, word, first, second
	vpbroadcastd	4 * \word(STATE), %\w\first
	vmovdqa32	%\w\first, %\w\second
.endm

.macro LOAD w, word
	LOAD1	\w, \word, \word, %(\word + 16)
.endm

/* A group's counters: where the low word wraps, the high word takes a carry. */
.macro COUNT w, n, group, low, high
	vpbroadcastd	48(STATE), %\w\low
	vpbroadcastd	52(STATE), %\w\high
	vpaddd		.Lblocks\n\()_\group(%rip), %\w\low, %\w\low
	vpcmpltud	.Lblocks\n\()_\group(%rip), %\w\low, %k1
	vpaddd		.Lone(%rip){1to\n}, %\w\high, %\w\high{%k1}
	vmovdqa32	%\w\low, LOW(\group)
	vmovdqa32	%\w\high, HIGH(\group)
.endm

.macro FEED1 w, n, word, first, second
	vpaddd	4 * \word(STATE){1to\n}, %\w\first, %\w\first
	vpaddd	4 * \word(STATE){1to\n}, %\w\second, %\w\second
.endm

.macro FEED w, n, word
	FEED1	\w, \n, \word, \word, %(\word + 16)
.endm

.macro FEED_COUNT w, group, low, high
	vpaddd	LOW(\group), %\w\low, %\w\low
	vpaddd	HIGH(\group), %\w\high, %\w\high
.endm

/* Lanes of a, b, c, d (16 bytes each) become consecutive blocks. */
.macro STORE_zmm block, a, b, c, d, t
	WANTED	\block
	vshufi32x4	$0x44, %zmm\b, %zmm\a, %zmm\t
	vshufi32x4	$0xee, %zmm\b, %zmm\a, %zmm\a
	vshufi32x4	$0x44, %zmm\d, %zmm\c, %zmm\b
	vshufi32x4	$0xee, %zmm\d, %zmm\c, %zmm\c
	vshufi32x4	$0x88, %zmm\b, %zmm\t, %zmm\d
	vshufi32x4	$0xdd, %zmm\b, %zmm\t, %zmm\t
	vshufi32x4	$0x88, %zmm\c, %zmm\a, %zmm\b
	vshufi32x4	$0xdd, %zmm\c, %zmm\a, %zmm\a
	vmovdqu32	%zmm\d, 64 * (\block)(OUT)
	WANTED	%(\block + 1)
	vmovdqu32	%zmm\t, 64 * (\block + 1)(OUT)
	WANTED	%(\block + 2)
	vmovdqu32	%zmm\b, 64 * (\block + 2)(OUT)
	WANTED	%(\block + 3)
	vmovdqu32	%zmm\a, 64 * (\block + 3)(OUT)
.endm

.macro STORE_ymm block, a, b, c, d, t
	WANTED	\block
	vshufi32x4	$0, %ymm\b, %ymm\a, %ymm\t
	vshufi32x4	$3, %ymm\b, %ymm\a, %ymm\b
	vshufi32x4	$0, %ymm\d, %ymm\c, %ymm\a
	vshufi32x4	$3, %ymm\d, %ymm\c, %ymm\d
	vmovdqu32	%ymm\t, 64 * (\block)(OUT)
	vmovdqu32	%ymm\a, 64 * (\block) + 32(OUT)
	WANTED	%(\block + 1)
	vmovdqu32	%ymm\b, 64 * (\block + 1)(OUT)
	vmovdqu32	%ymm\d, 64 * (\block + 1) + 32(OUT)
.endm

/* Transposes and stores the group in registers r0 to r15; t is free. */
.macro WRITE w, n, block, t, r0, r1, r2, r3, r4, r5, r6, r7, \
	     r8, r9, r10, r11, r12, r13, r14, r15
	TURN	\w, \r0, \r1, \r2, \r3, \t
	TURN	\w, \r4, \r5, \r6, \r7, \r2
	TURN	\w, \r8, \r9, \r10, \r11, \r6
	TURN	\w, \r12, \r13, \r14, \r15, \r10
	STORE_\w	\block, \r3, \r7, \r11, \r15, \r14
	STORE_\w	%(\block + \n / 4), \t, \r2, \r6, \r10, \r14
	STORE_\w	%(\block + \n / 2), \r1, \r5, \r9, \r13, \r14
	STORE_\w	%(\block + 3 * \n / 4), \r0, \r4, \r8, \r12, \r14
.endm

/* Up to 2 n blocks; leaves for 9 after the last one wanted. */
.macro PASS w, n
	.irp word, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 14, 15
	LOAD	\w, \word
	.endr
	COUNT	\w, \n, 0, 12, 13
	COUNT	\w, \n, 1, 28, 29
	ADVANCE	%(2 * \n)

	mov	ROUNDS, %eax
	.p2align 6
8:
	ROUND	\w, 0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	ROUND	\w, 16, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	ROUND	\w, 0, 5, 6, 7, 4, 10, 11, 8, 9, 15, 12, 13, 14
	ROUND	\w, 16, 5, 6, 7, 4, 10, 11, 8, 9, 15, 12, 13, 14
	sub	$2, %eax
	jnz	8b

	.irp word, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 14, 15
	FEED	\w, \n, \word
	.endr
	FEED_COUNT	\w, 0, 12, 13
	FEED_COUNT	\w, 1, 28, 29

	vmovdqa32	%\w\()31, SPILL
	WRITE	\w, \n, 0, 31, 0, 1, 2, 3, 4, 5, 6, 7, \
		8, 9, 10, 11, 12, 13, 14, 15
	vmovdqa32	SPILL, %\w\()31
	WRITE	\w, \n, \n, 0, 16, 17, 18, 19, 20, 21, 22, 23, \
		24, 25, 26, 27, 28, 29, 30, 31
	add	$2 * \n * 64, OUT
	sub	$2 * \n, BLOCKS
.endm

/* Forgets; vzeroall reaches registers 0 to 15 only. */
.macro EPILOGUE w
	vzeroall
	.irp i, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	vpxord	%xmm\i, %xmm\i, %xmm\i
	.endr
	.irp i, 0, 1, 2, 3, 4
	vmovdqa32	%\w\()16, 64 * \i(%rsp)
	.endr
	leave
.endm

	.noaltmacro

/* 2 x 8 blocks at a time. */
FUNC_START(srnd_chacha_avx512vl)
	cmp	$FEW, BLOCKS
	jbe	srnd_chacha_portable
	PROLOGUE FRAME
7:
	.altmacro
	PASS	ymm, 8
	.noaltmacro
	jnz	7b
9:
	EPILOGUE ymm
	RET
FUNC_END(srnd_chacha_avx512vl)

/* 2 x 16 blocks at a time, down to what one narrower pass can finish. */
FUNC_START(srnd_chacha_avx512)
	PROLOGUE FRAME
7:
	cmp	$16, BLOCKS
	jbe	6f
	.altmacro
	PASS	zmm, 16
	.noaltmacro
	ja	7b
9:
	EPILOGUE zmm
	RET
6:
	EPILOGUE zmm
	jmp	srnd_chacha_avx512vl
FUNC_END(srnd_chacha_avx512)
