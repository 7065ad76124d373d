/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ChaCha in Advanced SIMD on a little-endian system, 8 blocks at a time as two
 * groups, M and N, of 4. Vector Mi or Ni holds word i, a block an element. One
 * group's chain of additions and rotations leaves half of a wide processor
 * idle, so the groups run half a step apart, one filling the other's gaps;
 * which also suits processors that execute in order. Words 10 and 11 of both
 * live on the stack to make room for scratch registers. Assembly, because
 * compilers spill more, and to slots that nobody can wipe.
 */
#include "assembly.h"

#define STATE	x0
#define OUT	x1
#define BLOCKS	x2
#define ROUNDS	w3

/* Up to here a scalar block at a time is quicker than a pass. */
#define FEW	2

/*
 * The frame: words 10 and 11 of M and of N, counters as they entered the
 * rounds, and the caller's registers.
 */
	.set	.Lwords_M, 0
	.set	.Lwords_N, 32
	.set	.Lcount_M, 64
	.set	.Lcount_N, 96
#define SAVED		128
#define FRAME		192

.macro NAMES i, j
M\i	.req	v\i
N\i	.req	v\j
.endm
	NAMES	0, 16
	NAMES	1, 17
	NAMES	2, 18
	NAMES	3, 19
	NAMES	4, 20
	NAMES	5, 21
	NAMES	6, 22
	NAMES	7, 23
	NAMES	8, 24
	NAMES	9, 25
	NAMES	12, 28
	NAMES	13, 29
	NAMES	14, 30
	NAMES	15, 31

	.section .rodata
	.p2align 4
.Lblocks:
	.long	0, 1, 2, 3
	.long	4, 5, 6, 7
/* A table that rotates words by 8 bits. */
.Lrotate8:
	.quad	0x0605040702010003, 0x0e0d0c0f0a09080b

	.text

/* There is no rotate: halfwords swap, bytes go through a table in v27. */
.macro ROTATE16 r
	rev32	\r\().8h, \r\().8h
.endm

.macro ROTATE8 r
	tbl	\r\().16b, {\r\().16b}, v27.16b
.endm

/*
 * What becomes of the four quarters: as seen from words 0 to 3, their words 4
 * to 7 and 12 to 15; for diagonals also as seen from words 8 to 11.
 */
#define COLUMNS		4, 5, 6, 7, 12, 13, 14, 15
#define DIAGONALS	5, 6, 7, 4, 15, 12, 13, 14
#define DIAGONALS_8	7, 4, 5, 6, 13, 14, 15, 12

/* d = (d ^ (a += b)) <<< 16 or 8 in group g, where a is words 0 to 3. */
.macro BYTES g, rotate, b0, b1, b2, b3, d0, d1, d2, d3
	add	\g\()0.4s, \g\()0.4s, \g\b0\().4s
	add	\g\()1.4s, \g\()1.4s, \g\b1\().4s
	add	\g\()2.4s, \g\()2.4s, \g\b2\().4s
	add	\g\()3.4s, \g\()3.4s, \g\b3\().4s
	eor	\g\d0\().16b, \g\d0\().16b, \g\()0.16b
	eor	\g\d1\().16b, \g\d1\().16b, \g\()1.16b
	eor	\g\d2\().16b, \g\d2\().16b, \g\()2.16b
	eor	\g\d3\().16b, \g\d3\().16b, \g\()3.16b
	\rotate	\g\d0
	\rotate	\g\d1
	\rotate	\g\d2
	\rotate	\g\d3
.endm

/* An instruction of BYTES in group h, if there is one. */
.macro ALSO h, instruction:vararg
	.ifnb \h
	\instruction
	.endif
.endm

/*
 * b = (b ^ (c += d)) <<< 12 or 7 in group g, where c is words 8 to 11, between
 * the instructions of BYTES in the other group, h; or alone, if there is no h.
 */
.macro BITS g, bits, b8, b9, b10, b11, d8, d9, d10, d11, \
	    h, rotate, b0, b1, b2, b3, d0, d1, d2, d3
	ldp	q10, q11, [sp, #.Lwords_\g]
	add	\g\()8.4s, \g\()8.4s, \g\d8\().4s
	ALSO	\h, add \h\()0.4s, \h\()0.4s, \h\b0\().4s
	add	v10.4s, v10.4s, \g\d10\().4s
	add	v11.4s, v11.4s, \g\d11\().4s
	eor	v26.16b, \g\b8\().16b, \g\()8.16b
	ALSO	\h, eor \h\d0\().16b, \h\d0\().16b, \h\()0.16b
	stp	q10, q11, [sp, #.Lwords_\g]
	eor	v10.16b, \g\b10\().16b, v10.16b
	eor	v11.16b, \g\b11\().16b, v11.16b
	shl	\g\b8\().4s, v26.4s, #\bits
	ALSO	\h, \rotate \h\d0
	shl	\g\b10\().4s, v10.4s, #\bits
	shl	\g\b11\().4s, v11.4s, #\bits
	sri	\g\b8\().4s, v26.4s, #32 - \bits
	sri	\g\b10\().4s, v10.4s, #32 - \bits
	sri	\g\b11\().4s, v11.4s, #32 - \bits

	add	\g\()9.4s, \g\()9.4s, \g\d9\().4s
	ALSO	\h, add \h\()1.4s, \h\()1.4s, \h\b1\().4s
	ALSO	\h, add \h\()2.4s, \h\()2.4s, \h\b2\().4s
	ALSO	\h, add \h\()3.4s, \h\()3.4s, \h\b3\().4s
	eor	v26.16b, \g\b9\().16b, \g\()9.16b
	ALSO	\h, eor \h\d1\().16b, \h\d1\().16b, \h\()1.16b
	ALSO	\h, eor \h\d2\().16b, \h\d2\().16b, \h\()2.16b
	ALSO	\h, eor \h\d3\().16b, \h\d3\().16b, \h\()3.16b
	shl	\g\b9\().4s, v26.4s, #\bits
	ALSO	\h, \rotate \h\d1
	ALSO	\h, \rotate \h\d2
	ALSO	\h, \rotate \h\d3
	sri	\g\b9\().4s, v26.4s, #32 - \bits
.endm

.macro DOUBLE_ROUND
	BYTES	M, ROTATE16, COLUMNS
	BITS	M, 12, COLUMNS, N, ROTATE16, COLUMNS
	BITS	N, 12, COLUMNS, M, ROTATE8, COLUMNS
	BITS	M, 7, COLUMNS, N, ROTATE8, COLUMNS
	BITS	N, 7, COLUMNS, M, ROTATE16, DIAGONALS
	BITS	M, 12, DIAGONALS_8, N, ROTATE16, DIAGONALS
	BITS	N, 12, DIAGONALS_8, M, ROTATE8, DIAGONALS
	BITS	M, 7, DIAGONALS_8, N, ROTATE8, DIAGONALS
	BITS	N, 7, DIAGONALS_8
.endm

/* Adds the state's next two words, which are i and j of both groups. */
.macro FEED i, j
	ld2r	{v26.4s, v27.4s}, [x5], #8
	add	M\i\().4s, M\i\().4s, v26.4s
	add	N\i\().4s, N\i\().4s, v26.4s
	add	M\j\().4s, M\j\().4s, v27.4s
	add	N\j\().4s, N\j\().4s, v27.4s
.endm

.macro FEED_COUNT g
	ldp	q26, q27, [sp, #.Lcount_\g]
	add	\g\()12.4s, \g\()12.4s, v26.4s
	add	\g\()13.4s, \g\()13.4s, v27.4s
.endm

/* Words 10 and 11, once the state's are in v26 and v27. */
.macro FEED_WORDS g
	ldp	q10, q11, [sp, #.Lwords_\g]
	add	v10.4s, v10.4s, v26.4s
	add	v11.4s, v11.4s, v27.4s
	stp	q10, q11, [sp, #.Lwords_\g]
.endm

/* 4 x 4 words: rows a, b, c, d become d, t, b, a, and c is free. */
.macro TURN a, b, c, d, t
	zip1	v\t\().4s, v\a\().4s, v\b\().4s
	zip2	v\a\().4s, v\a\().4s, v\b\().4s
	zip1	v\b\().4s, v\c\().4s, v\d\().4s
	zip2	v\c\().4s, v\c\().4s, v\d\().4s
	zip1	v\d\().2d, v\t\().2d, v\b\().2d
	zip2	v\t\().2d, v\t\().2d, v\b\().2d
	zip1	v\b\().2d, v\a\().2d, v\c\().2d
	zip2	v\a\().2d, v\a\().2d, v\c\().2d
.endm

.macro STORE block, a, b, c, d
	cmp	BLOCKS, #\block
	b.ls	9f
	stp	q\a, q\b, [OUT, #64 * (\block)]
	stp	q\c, q\d, [OUT, #64 * (\block) + 32]
.endm

/* Transposes and stores the group in registers r0 to r15; t is free. */
.macro WRITE block, t, r0, r1, r2, r3, r4, r5, r6, r7, \
	     r8, r9, r10, r11, r12, r13, r14, r15
	TURN	\r0, \r1, \r2, \r3, \t
	TURN	\r4, \r5, \r6, \r7, \r2
	TURN	\r8, \r9, \r10, \r11, \r6
	TURN	\r12, \r13, \r14, \r15, \r10
	STORE	\block, \r3, \r7, \r11, \r15
	STORE	\block+1, \t, \r2, \r6, \r10
	STORE	\block+2, \r1, \r5, \r9, \r13
	STORE	\block+3, \r0, \r4, \r8, \r12
.endm

FUNC_START(srnd_chacha_neon)
	cmp	BLOCKS, #FEW
	b.hi	1f
	b	srnd_chacha_portable
1:
	sub	sp, sp, #FRAME
	stp	d8, d9, [sp, #SAVED]
	stp	d10, d11, [sp, #SAVED + 16]
	stp	d12, d13, [sp, #SAVED + 32]
	stp	d14, d15, [sp, #SAVED + 48]
	adrp	x4, .Lblocks
	add	x4, x4, :lo12:.Lblocks
7:
	mov	x5, STATE
	ld4r	{v0.4s, v1.4s, v2.4s, v3.4s}, [x5], #16
	ld4r	{v4.4s, v5.4s, v6.4s, v7.4s}, [x5], #16
	ld4r	{v8.4s, v9.4s, v10.4s, v11.4s}, [x5], #16
	ld4r	{v12.4s, v13.4s, v14.4s, v15.4s}, [x5]
	stp	q10, q11, [sp, #.Lwords_M]
	stp	q10, q11, [sp, #.Lwords_N]
	.irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 14, 15
	mov	N\i\().16b, M\i\().16b
	.endr

	/* The counters; where a low word wraps the high word takes a carry. */
	ldp	q10, q11, [x4]
	ldr	q27, [x4, #.Lrotate8 - .Lblocks]
	add	M12.4s, M12.4s, v10.4s
	add	N12.4s, N12.4s, v11.4s
	cmhi	v10.4s, v10.4s, M12.4s
	cmhi	v11.4s, v11.4s, N12.4s
	sub	M13.4s, M13.4s, v10.4s
	sub	N13.4s, N13.4s, v11.4s
	stp	q12, q13, [sp, #.Lcount_M]
	stp	q28, q29, [sp, #.Lcount_N]
	mov	x5, #8
	ldr	x6, [STATE, #48]
	cmp	BLOCKS, x5
	csel	x5, BLOCKS, x5, lo
	add	x6, x6, x5
	str	x6, [STATE, #48]

	mov	w5, ROUNDS
8:
	DOUBLE_ROUND
	subs	w5, w5, #2
	b.ne	8b

	mov	x5, STATE
	FEED	0, 1
	FEED	2, 3
	FEED	4, 5
	FEED	6, 7
	FEED	8, 9
	ld2r	{v26.4s, v27.4s}, [x5]
	FEED_WORDS M
	FEED_WORDS N
	FEED_COUNT M
	FEED_COUNT N
	add	x5, STATE, #56
	FEED	14, 15

	ldp	q10, q11, [sp, #.Lwords_M]
	WRITE	0, 26, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	ldp	q26, q27, [sp, #.Lwords_N]
	WRITE	4, 0, 16, 17, 18, 19, 20, 21, 22, 23, \
		24, 25, 26, 27, 28, 29, 30, 31
	add	OUT, OUT, #8 * 64
	subs	BLOCKS, BLOCKS, #8
	b.ne	7b

9:	/* Forgets. */
	.irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, \
		16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	movi	v\i\().2d, #0
	.endr
	.irp at, .Lwords_M, .Lwords_N, .Lcount_M, .Lcount_N
	stp	q0, q0, [sp, #\at]
	.endr
	ldp	d8, d9, [sp, #SAVED]
	ldp	d10, d11, [sp, #SAVED + 16]
	ldp	d12, d13, [sp, #SAVED + 32]
	ldp	d14, d15, [sp, #SAVED + 48]
	add	sp, sp, #FRAME
	ret
FUNC_END(srnd_chacha_neon)
