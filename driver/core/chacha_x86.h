/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the ChaCha assembly files for x86-64 share. Word i of a group of blocks
 * is a vector register, one block an element; \w names the registers (ymm or
 * zmm). The functions keep their arguments where the caller put them.
 */
#ifndef SRND_CHACHA_X86_H
#define SRND_CHACHA_X86_H

#include "assembly.h"

#ifndef RET
#define RET ret
#endif

#define STATE	%rdi
#define OUT	%rsi
#define BLOCKS	%rdx
#define ROUNDS	%ecx

/* Up to here a scalar block at a time is quicker than a pass. */
#define FEW	2

/*
 * 4 x 4 words within each lane of 16 bytes, by way of the free register t:
 * rows a, b, c, d become d, t, b, a, and c is free.
 */
.macro TURN w, a, b, c, d, t
	vpunpckldq	%\w\b, %\w\a, %\w\t
	vpunpckhdq	%\w\b, %\w\a, %\w\a
	vpunpckldq	%\w\d, %\w\c, %\w\b
	vpunpckhdq	%\w\d, %\w\c, %\w\c
	vpunpcklqdq	%\w\b, %\w\t, %\w\d
	vpunpckhqdq	%\w\b, %\w\t, %\w\t
	vpunpcklqdq	%\w\c, %\w\a, %\w\b
	vpunpckhqdq	%\w\c, %\w\a, %\w\a
.endm

/* Leaves for 9 before a block the caller did not ask for. */
.macro WANTED block
	cmp	$\block, BLOCKS
	jbe	9f
.endm

/*
 * Moves the counter on by what this pass of at most @most blocks will write;
 * for when the registers have what they need of it.
 */
.macro ADVANCE most
	mov	$\most, %r8d
	cmp	%r8, BLOCKS
	cmovb	BLOCKS, %r8
	add	%r8, 48(STATE)
.endm

/* A frame of @size bytes at the stack pointer, aligned for vectors. */
.macro PROLOGUE size
	push	%rbp
	mov	%rsp, %rbp
	sub	$\size, %rsp
	and	$-64, %rsp
.endm

#endif
