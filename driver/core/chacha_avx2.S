/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ChaCha in AVX2, 8 blocks at a time. 16 words and a scratch register are one
 * too many for 16 registers: word 11 lives on the stack, where its store and
 * load are off the critical path, and register 11 is the scratch. Assembly,
 * because compilers spill more, and to slots that nobody can wipe.
 */
#include "chacha_x86.h"

/* The frame: counters as they entered the rounds, and what has no register. */
#define LOW	(%rsp)
#define HIGH	32(%rsp)
#define SPILL	64(%rsp)
#define FRAME	96

	.section .rodata
	.p2align 5
/* Which block an element computes, so that transposing yields them in order. */
.Lblocks:
	.long	0, 2, 4, 6, 1, 3, 5, 7
/* Shuffles that rotate words by 16 and 8 bits. */
.Lrotate16:
	.quad	0x0504070601000302, 0x0d0c0f0e09080b0a
	.quad	0x0504070601000302, 0x0d0c0f0e09080b0a
.Lrotate8:
	.quad	0x0605040702010003, 0x0e0d0c0f0a09080b
	.quad	0x0605040702010003, 0x0e0d0c0f0a09080b

	.text

/* d = (d ^ (a += b)) <<< 16 or 8 */
.macro MIX_BYTES bits, a, b, d
	vpaddd	%ymm\b, %ymm\a, %ymm\a
	vpxor	%ymm\a, %ymm\d, %ymm\d
	vpshufb	.Lrotate\bits(%rip), %ymm\d, %ymm\d
.endm

/* b = (b ^ (c += d)) <<< 12 or 7 */
.macro MIX_BITS bits, c, d, b
	.if \c == 11
	vpaddd	SPILL, %ymm\d, %ymm11
	vmovdqa	%ymm11, SPILL
	.else
	vpaddd	%ymm\d, %ymm\c, %ymm\c
	.endif
	vpxor	%ymm\c, %ymm\b, %ymm\b
	vpslld	$\bits, %ymm\b, %ymm11
	vpsrld	$32 - \bits, %ymm\b, %ymm\b
	vpor	%ymm11, %ymm\b, %ymm\b
.endm

/* Two at a time: four compete for the few units that shift and shuffle. */
.macro QUARTERS a0, b0, c0, d0, a1, b1, c1, d1
	MIX_BYTES	16, \a0, \b0, \d0
	MIX_BYTES	16, \a1, \b1, \d1
	MIX_BITS	12, \c0, \d0, \b0
	MIX_BITS	12, \c1, \d1, \b1
	MIX_BYTES	8, \a0, \b0, \d0
	MIX_BYTES	8, \a1, \b1, \d1
	MIX_BITS	7, \c0, \d0, \b0
	MIX_BITS	7, \c1, \d1, \b1
.endm

/*
 * The counters. Where the low word did not wrap it is the larger of itself and
 * what was added; elsewhere the high word takes a carry.
 */
.macro COUNT
	vpbroadcastd	48(STATE), %ymm12
	vpaddd		.Lblocks(%rip), %ymm12, %ymm12
	vpmaxud		.Lblocks(%rip), %ymm12, %ymm13
	vpcmpeqd	%ymm12, %ymm13, %ymm13
	vpcmpeqd	%ymm11, %ymm11, %ymm11
	vpsubd		%ymm11, %ymm13, %ymm13
	vpbroadcastd	52(STATE), %ymm11
	vpaddd		%ymm11, %ymm13, %ymm13
	vmovdqa		%ymm12, LOW
	vmovdqa		%ymm13, HIGH
.endm

.macro FEED word
	vpbroadcastd	4 * \word(STATE), %ymm11
	vpaddd		%ymm11, %ymm\word, %ymm\word
.endm

/* Lanes of a, b, c, d (16 bytes each) become two blocks. */
.macro STORE block, a, b, c, d, t
	WANTED		\block
	vperm2i128	$0x20, %ymm\b, %ymm\a, %ymm\t
	vperm2i128	$0x31, %ymm\b, %ymm\a, %ymm\b
	vperm2i128	$0x20, %ymm\d, %ymm\c, %ymm\a
	vperm2i128	$0x31, %ymm\d, %ymm\c, %ymm\d
	vmovdqu		%ymm\t, 64 * \block(OUT)
	vmovdqu		%ymm\a, 64 * \block + 32(OUT)
	WANTED		(\block + 1)
	vmovdqu		%ymm\b, 64 * \block + 64(OUT)
	vmovdqu		%ymm\d, 64 * \block + 96(OUT)
.endm

FUNC_START(srnd_chacha_avx2)
	cmp	$FEW, BLOCKS
	jbe	srnd_chacha_portable
	PROLOGUE FRAME
7:
	.irp word, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 14, 15
	vpbroadcastd	4 * \word(STATE), %ymm\word
	.endr
	COUNT
	vpbroadcastd	4 * 11(STATE), %ymm11
	vmovdqa		%ymm11, SPILL
	ADVANCE	8

	mov	ROUNDS, %eax
	.p2align 6
8:
	QUARTERS 0, 4, 8, 12, 1, 5, 9, 13
	QUARTERS 2, 6, 10, 14, 3, 7, 11, 15
	QUARTERS 0, 5, 10, 15, 1, 6, 11, 12
	QUARTERS 2, 7, 8, 13, 3, 4, 9, 14
	sub	$2, %eax
	jnz	8b

	.irp word, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 14, 15
	FEED	\word
	.endr
	vpaddd		LOW, %ymm12, %ymm12
	vpaddd		HIGH, %ymm13, %ymm13
	vpbroadcastd	4 * 11(STATE), %ymm11
	vpaddd		SPILL, %ymm11, %ymm11

	/* Word 15, then a row needed last, wait in memory for a register. */
	vmovdqa	%ymm15, SPILL
	TURN	ymm, 0, 1, 2, 3, 15
	TURN	ymm, 4, 5, 6, 7, 2
	TURN	ymm, 8, 9, 10, 11, 6
	vmovdqa	SPILL, %ymm10
	vmovdqa	%ymm0, SPILL
	TURN	ymm, 12, 13, 14, 10, 0
	STORE	0, 3, 7, 11, 10, 14
	STORE	2, 15, 2, 6, 0, 14
	STORE	4, 1, 5, 9, 13, 14
	vmovdqa	SPILL, %ymm0
	STORE	6, 0, 4, 8, 12, 14
	add	$8 * 64, OUT
	sub	$8, BLOCKS
	jnz	7b
9:
	vzeroall
	vmovdqa	%ymm0, LOW
	vmovdqa	%ymm0, HIGH
	vmovdqa	%ymm0, SPILL
	leave
	RET
FUNC_END(srnd_chacha_avx2)
