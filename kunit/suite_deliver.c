// SPDX-License-Identifier: GPL-2.0
/*
 * Moving bytes to readers and comparing writers' bytes: what counts when a call
 * ends early, for whatever reason.
 */
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/mman.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "../driver/deliver.h"
#include "../driver/engine.h"
#include "../driver/pool_inside.h"
#include "../uapi/shakerandom.h"
#include "suites.h"

#define LONG 20000

static const size_t lengths[] = { 1,   7,    8,	   9,	 255, 256,
				  257, 4095, 4096, 4097, LONG };

static struct srnd_fake *open(struct kunit *test)
{
	return srnd_fake_open(test, test->param_value, 0);
}

static u8 *bytes(struct kunit *test, u64 offset, size_t len)
{
	return srnd_fake_stream(test, test->param_value, offset, len);
}

/* ---- calls with kernel memory ---- */

static ssize_t read(struct srnd_fake *file, void *to, size_t len)
{
	struct kvec vec = { to, len };
	struct iov_iter iter;

	iov_iter_kvec(&iter, ITER_DEST, &vec, 1, len);
	return srnd_deliver(&file->iocb, &iter);
}

static ssize_t write(struct srnd_fake *file, const void *from, size_t len)
{
	struct kvec vec = { (void *)from, len };
	struct iov_iter iter;

	iov_iter_kvec(&iter, ITER_SOURCE, &vec, 1, len);
	return srnd_accept(&file->iocb, &iter);
}

/* ---- calls with a user's memory ---- */

/*
 * The address space of the process that loads the module and waits for the
 * tests, which run in threads that have none.
 */
static struct mm_struct *lent;

static int borrow_memory(struct kunit_suite *suite)
{
	lent = current->mm;
	return srnd_suites_prepare(suite);
}

/* One page of memory, and nothing behind it. */
struct cliff {
	unsigned long start, edge;
};

static void cliff_open(struct kunit *test, struct cliff *c)
{
	if (!lent)
		SRND_SKIP(test, "no process waits that could lend memory");
	kthread_use_mm(lent);
	c->start = vm_mmap(NULL, 0, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, 0);
	if (!IS_ERR_VALUE(c->start)) {
		c->edge = c->start + PAGE_SIZE;
		vm_munmap(c->edge, PAGE_SIZE);
	}
	kthread_unuse_mm(lent);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(c->start));
}

static void cliff_close(struct cliff *c)
{
	kthread_use_mm(lent);
	vm_munmap(c->start, PAGE_SIZE);
	kthread_unuse_mm(lent);
}

static bool copied_from(struct cliff *c, void *to, size_t len)
{
	bool done;

	kthread_use_mm(lent);
	done = !copy_from_user(to, (void __user *)(c->edge - len), len);
	kthread_unuse_mm(lent);
	return done;
}

static bool copied_to(struct cliff *c, const void *from, size_t len)
{
	bool done;

	kthread_use_mm(lent);
	done = !copy_to_user((void __user *)(c->edge - len), from, len);
	kthread_unuse_mm(lent);
	return done;
}

/* A call of @len bytes of which @before lie before the edge. */
static ssize_t at_cliff(struct srnd_fake *file, struct cliff *c, bool writes,
			size_t before, size_t len)
{
	void __user *p = (void __user *)(c->edge - before);
	struct iov_iter iter;
	ssize_t ret;

	kthread_use_mm(lent);
	iov_iter_ubuf(&iter, writes ? ITER_SOURCE : ITER_DEST, p, len);
	ret = writes ? srnd_accept(&file->iocb, &iter) :
		       srnd_deliver(&file->iocb, &iter);
	kthread_unuse_mm(lent);
	return ret;
}

/* ---- reading ---- */

static void reads_are_the_stream(struct kunit *test)
{
	u8 *got = srnd_cases_alloc(test, LONG);
	struct srnd_fake *file = open(test);
	u64 counted, offset = 0;
	size_t i, len;

	for (i = 0; i < ARRAY_SIZE(lengths); i++, offset += len) {
		len = lengths[i];
		counted = srnd_counted(SRND_BYTES);
		KUNIT_ASSERT_EQ(test, read(file, got, len), (ssize_t)len);
		SRND_ASSERT_SAME(test, got, bytes(test, offset, len), len,
				 "%zu at %llu", len, offset);
		KUNIT_ASSERT_EQ(test, file->iocb.ki_pos,
				(loff_t)(offset + len));
		KUNIT_ASSERT_EQ(test, srnd_counted(SRND_BYTES) - counted,
				(u64)len);
	}
}

static void reads_scatter(struct kunit *test)
{
	u8 *got = srnd_cases_alloc(test, LONG);
	struct srnd_fake *file = open(test);
	struct kvec parts[] = {
		{ got, 1 },
		{ got + 1, 5000 },
		{ got + 5001, 0 },
		{ got + 5001, 255 },
		{ got + 5256, LONG - 5256 },
	};
	struct iov_iter iter;

	iov_iter_kvec(&iter, ITER_DEST, parts, ARRAY_SIZE(parts), LONG);
	KUNIT_ASSERT_EQ(test, srnd_deliver(&file->iocb, &iter), (ssize_t)LONG);
	KUNIT_ASSERT_EQ(test, iov_iter_count(&iter), (size_t)0);
	SRND_ASSERT_SAME(test, got, bytes(test, 0, LONG), LONG, "scattered");
}

static void nothing_is_nothing(struct kunit *test)
{
	struct srnd_fake *file = open(test);
	u8 byte = 0x5a;

	KUNIT_ASSERT_EQ(test, read(file, &byte, 0), (ssize_t)0);
	KUNIT_ASSERT_EQ(test, write(file, &byte, 0), (ssize_t)0);
	KUNIT_ASSERT_EQ(test, byte, 0x5a);
	KUNIT_ASSERT_EQ(test, file->iocb.ki_pos, 0LL);
}

static void reads_end_with_offsets(struct kunit *test)
{
	const struct srnd_format *f = test->param_value;
	struct srnd_fake *file = open(test);
	u8 got[100];

	file->iocb.ki_pos = OFFSET_MAX - 10;
	if (!srnd_format_seekable(f)) {
		KUNIT_ASSERT_EQ(test, read(file, got, 100), (ssize_t)-ESPIPE);
		return;
	}
	KUNIT_ASSERT_EQ(test, read(file, got, 100), (ssize_t)10);
	KUNIT_ASSERT_EQ(test, read(file, got, 100), (ssize_t)0);
	KUNIT_ASSERT_EQ(test, file->iocb.ki_pos, OFFSET_MAX);
}

/* What lies before a fault is delivered, and the next read goes on there. */
static void faults_cut_reads(struct kunit *test)
{
	static const size_t before[] = { 1, 100, 256, 300, 1000, 4095 };
	u8 *got = srnd_cases_alloc(test, PAGE_SIZE);
	struct srnd_fake *file = open(test);
	struct cliff c;
	loff_t pos = 0;
	size_t i, n;

	cliff_open(test, &c);
	for (i = 0; i < ARRAY_SIZE(before); i++, pos += n) {
		n = before[i];
		KUNIT_EXPECT_EQ(test, at_cliff(file, &c, false, n, n + 200),
				(ssize_t)n);
		KUNIT_EXPECT_TRUE(test, copied_from(&c, got, n));
		KUNIT_EXPECT_EQ(test,
				srnd_cases_same(got, bytes(test, pos, n), n),
				n);
		KUNIT_EXPECT_EQ(test, file->iocb.ki_pos, pos + (loff_t)n);
		KUNIT_EXPECT_EQ(test, at_cliff(file, &c, false, 0, 200),
				(ssize_t)-EFAULT);
		KUNIT_EXPECT_EQ(test, file->iocb.ki_pos, pos + (loff_t)n);
	}
	cliff_close(&c);
	KUNIT_ASSERT_EQ(test, read(file, got, 100), (ssize_t)100);
	SRND_ASSERT_SAME(test, got, bytes(test, pos, 100), 100, "afterwards");
}

/*
 * Long calls hear a signal after a piece. Short ones are never cut, wherever
 * pieces end: they go over every boundary there is.
 */
static void signals_cut_long_calls(struct kunit *test)
{
	u8 *want = bytes(test, 0, LONG), *got = srnd_cases_alloc(test, LONG);
	struct srnd_fake *reader = open(test), *writer = open(test);
	ssize_t n, matched, small = SRND_SMALL - 1;
	loff_t pos;

	set_thread_flag(TIF_SIGPENDING);
	n = read(reader, got, LONG);
	matched = write(writer, want, LONG);
	for (pos = n; n > 0 && pos + small <= LONG; pos += small)
		if (read(reader, got + pos, small) != small ||
		    write(writer, want + pos, small) != small)
			break;
	clear_thread_flag(TIF_SIGPENDING);

	KUNIT_ASSERT_GT(test, n, (ssize_t)SRND_SMALL);
	KUNIT_ASSERT_LE(test, n, (ssize_t)SRND_PEEK_MAX);
	KUNIT_ASSERT_EQ(test, matched, n);
	KUNIT_ASSERT_GT(test, pos + small, (loff_t)LONG);
	SRND_ASSERT_SAME(test, got, want, pos, "with a signal pending");
	KUNIT_ASSERT_EQ(test, reader->iocb.ki_pos, pos);
	KUNIT_ASSERT_EQ(test, writer->iocb.ki_pos, pos);
}

/* Who must not wait gets the same bytes. */
static void impatient_reads(struct kunit *test)
{
	struct srnd_fake *file =
		srnd_fake_open(test, test->param_value, IOCB_NOWAIT);
	u8 *got = srnd_cases_alloc(test, LONG);

	KUNIT_ASSERT_EQ(test, read(file, got, LONG), (ssize_t)LONG);
	SRND_ASSERT_SAME(test, got, bytes(test, 0, LONG), LONG, "no wait");
}

/* ---- verifying ---- */

static void what_matches_counts(struct kunit *test)
{
	struct srnd_fake *file = open(test);
	u64 counted = srnd_counted(SRND_BYTES), offset = 0;
	size_t i, len;

	for (i = 0; i < ARRAY_SIZE(lengths); i++, offset += len) {
		len = lengths[i];
		KUNIT_ASSERT_EQ(test,
				write(file, bytes(test, offset, len), len),
				(ssize_t)len);
		KUNIT_ASSERT_EQ(test, file->iocb.ki_pos,
				(loff_t)(offset + len));
	}
	KUNIT_ASSERT_EQ(test, srnd_counted(SRND_BYTES), counted);
}

/* The count ends at the first mismatch, and the stream stands there. */
static void the_first_mismatch_is_found(struct kunit *test)
{
	static const size_t at[] = { 1,	  7,	8,    9,    255,     256,
				     257, 4095, 4096, 4097, LONG - 1 };
	u8 *data = bytes(test, 0, LONG);
	struct srnd_fake *file;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(at); i++) {
		file = open(test);
		data[at[i]] ^= 0x80;
		KUNIT_ASSERT_EQ(test, write(file, data, LONG), (ssize_t)at[i]);
		KUNIT_ASSERT_EQ(test, file->iocb.ki_pos, (loff_t)at[i]);
		KUNIT_ASSERT_EQ(test, write(file, data + at[i], LONG - at[i]),
				(ssize_t)-EILSEQ);
		KUNIT_ASSERT_EQ(test, file->iocb.ki_pos, (loff_t)at[i]);
		data[at[i]] ^= 0x80;
		KUNIT_ASSERT_EQ(test, write(file, data + at[i], LONG - at[i]),
				(ssize_t)(LONG - at[i]));
	}
}

static void faults_cut_writes(struct kunit *test)
{
	static const size_t before[] = { 1, 100, 256, 300, 1000, 4095 };
	u8 *data = bytes(test, 0, LONG);
	struct srnd_fake *file = open(test);
	struct cliff c;
	loff_t pos = 0;
	size_t i, n;

	cliff_open(test, &c);
	for (i = 0; i < ARRAY_SIZE(before); i++, pos += n) {
		n = before[i];
		KUNIT_EXPECT_TRUE(test, copied_to(&c, data + pos, n));
		KUNIT_EXPECT_EQ(test, at_cliff(file, &c, true, n, n + 200),
				(ssize_t)n);
		KUNIT_EXPECT_EQ(test, file->iocb.ki_pos, pos + (loff_t)n);
		KUNIT_EXPECT_EQ(test, at_cliff(file, &c, true, 0, 200),
				(ssize_t)-EFAULT);
	}
	cliff_close(&c);
	KUNIT_ASSERT_EQ(test, write(file, data + pos, 100), (ssize_t)100);
}

/* ---- absorbing ---- */

static void writes_become_the_message(struct kunit *test)
{
	const struct srnd_format *f = test->param_value;
	u8 *message = srnd_cases_alloc(test, LONG);
	struct srnd_fake *file;
	u8 got[300];

	if (!(f->flags & SRND_ABSORBS)) {
		file = open(test);
		KUNIT_ASSERT_EQ(test, write(file, message, 100),
				(ssize_t)-EILSEQ);
		return;
	}
	file = srnd_fake_absorbing(test, f);
	srnd_cases_fill(message, LONG, SRND_FAKE_MESSAGE);
	KUNIT_ASSERT_EQ(test, write(file, message, 100), (ssize_t)100);
	KUNIT_ASSERT_EQ(test, write(file, message + 100, LONG - 100),
			(ssize_t)(LONG - 100));
	KUNIT_ASSERT_EQ(test, file->iocb.ki_pos, 0LL);
	KUNIT_ASSERT_EQ(test, read(file, got, 300), (ssize_t)300);
	SRND_ASSERT_SAME(test, got, srnd_fake_absorbed(test, f, LONG, 300), 300,
			 "of the message");
	KUNIT_ASSERT_EQ(test, write(file, message, 100), (ssize_t)-EILSEQ);
}

/* ---- secure mode ---- */

static void unseeded_reads_differ(struct kunit *test)
{
	struct srnd_fake *file = srnd_fake_open(test, NULL, 0);
	u8 *a = srnd_cases_alloc(test, LONG), *b = srnd_cases_alloc(test, LONG);
	u64 counted = srnd_counted(SRND_BYTES);
	size_t i, len, n;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		len = lengths[i];
		KUNIT_ASSERT_EQ(test, read(file, a, len), (ssize_t)len);
		KUNIT_ASSERT_EQ(test, read(file, b, len), (ssize_t)len);
		counted += 2 * len;
		/* No 16 bytes come twice, neither at the end of a long read. */
		for (n = 0; n + 16 <= len; n += 16)
			KUNIT_ASSERT_NE(test, memcmp(a + n, b + n, 16), 0);
	}
	KUNIT_ASSERT_EQ(test, file->iocb.ki_pos, 0LL);
	KUNIT_ASSERT_EQ(test, srnd_counted(SRND_BYTES), counted);
}

static void unseeded_writes_are_mixed_in(struct kunit *test)
{
	struct srnd_fake *file = srnd_fake_open(test, NULL, 0);
	u8 *data = srnd_cases_alloc(test, LONG);
	u8 was[SRND_MIX];

	memcpy(was, srnd_pool_mixed, sizeof(was));
	KUNIT_ASSERT_EQ(test, write(file, data, LONG), (ssize_t)LONG);
	KUNIT_ASSERT_NE(test, memcmp(was, srnd_pool_mixed, 16), 0);
	KUNIT_ASSERT_EQ(test, file->iocb.ki_pos, 0LL);
}

/* What could not be read is not mixed. */
static void unreadable_writes_are_not(struct kunit *test)
{
	struct srnd_fake *file = srnd_fake_open(test, NULL, 0);
	u8 was[SRND_MIX];
	struct cliff c;

	cliff_open(test, &c);
	memcpy(was, srnd_pool_mixed, sizeof(was));
	KUNIT_EXPECT_EQ(test, at_cliff(file, &c, true, 0, 100),
			(ssize_t)-EFAULT);
	KUNIT_EXPECT_EQ(test, memcmp(was, srnd_pool_mixed, sizeof(was)), 0);
	KUNIT_EXPECT_EQ(test, at_cliff(file, &c, true, 50, 100), (ssize_t)50);
	KUNIT_EXPECT_NE(test, memcmp(was, srnd_pool_mixed, sizeof(was)), 0);
	cliff_close(&c);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(reads_are_the_stream, srnd_suites_formats),
	KUNIT_CASE_PARAM(reads_scatter, srnd_suites_formats),
	KUNIT_CASE_PARAM(nothing_is_nothing, srnd_suites_formats),
	KUNIT_CASE_PARAM(reads_end_with_offsets, srnd_suites_formats),
	KUNIT_CASE_PARAM(faults_cut_reads, srnd_suites_formats),
	KUNIT_CASE_PARAM(signals_cut_long_calls, srnd_suites_formats),
	KUNIT_CASE_PARAM(impatient_reads, srnd_suites_formats),
	KUNIT_CASE_PARAM(what_matches_counts, srnd_suites_formats),
	KUNIT_CASE_PARAM(the_first_mismatch_is_found, srnd_suites_formats),
	KUNIT_CASE_PARAM(faults_cut_writes, srnd_suites_formats),
	KUNIT_CASE_PARAM(writes_become_the_message, srnd_suites_formats),
	KUNIT_CASE(unseeded_reads_differ),
	KUNIT_CASE(unseeded_writes_are_mixed_in),
	KUNIT_CASE(unreadable_writes_are_not),
	{}
};

struct kunit_suite srnd_deliver_suite = {
	.name = "shakerandom_deliver",
	.suite_init = borrow_memory,
	.exit = srnd_fake_close_all,
	.test_cases = cases,
};
