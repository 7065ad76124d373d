// SPDX-License-Identifier: GPL-2.0
/*
 * The engine wherever the kernel may call it: the same bytes, and each section
 * that the vector unit refused is counted.
 */
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>

#include "../driver/engine.h"
#include "../driver/simd.h"
#include "suites.h"

#define BYTES 20000	/* of each stream: more than a section of any row */
#define MESSAGE 3000

/* All that the engine does for one format, started somewhere. */
struct job {
	const struct srnd_format *f;
	union srnd_instance s;
	u8 *key, *message, *out;
	u64 sections;		/* that wanted the vector unit */
	bool hard, soft, done;	/* where it ran, and that it did */
	struct irq_work irq;
	struct tasklet_struct tasklet;
};

static void wanted(struct job *j, size_t bytes)
{
	size_t section = srnd_format_section(j->f, &srnd_engine);

	if (section)
		j->sections += DIV_ROUND_UP(bytes, section);
}

static void peek_all(struct job *j)
{
	size_t n, done;

	for (done = 0; done < BYTES; done += n) {
		n = srnd_engine_peek(&j->s, j->f, j->out + done, BYTES - done);
		srnd_format_take(&j->s, n);
		wanted(j, 1);
	}
}

static void work(struct job *j)
{
	j->hard = in_hardirq();
	j->soft = in_serving_softirq();
	if (j->f->key) {
		srnd_engine_key(&j->s, j->f, j->key);
		wanted(j, 1);
	}
	if (j->f->flags & SRND_ABSORBS) {
		srnd_engine_absorb(&j->s, j->f, j->message, MESSAGE);
		wanted(j, MESSAGE);
	}
	if (j->f->window) {
		peek_all(j);
	} else if (srnd_format_seekable(j->f)) {
		srnd_engine_read(&j->s, j->f, 0, j->out, BYTES);
		wanted(j, BYTES);
	} else {
		srnd_engine_squeeze(&j->s, j->f, j->out, BYTES);
		wanted(j, BYTES);
	}
	/* With the bytes; in_busy_hardirq acquires. */
	smp_store_release(&j->done, true);
}

/* Keyed formats take their key in work(), the others are seeded here. */
static void start_over(struct kunit *test, struct job *j)
{
	static const u8 nonce[SRND_NONCE];
	u8 *window = j->f->window ? srnd_cases_alloc(test, j->f->window) : NULL;

	memset(&j->s, 0, sizeof(j->s));
	j->sections = 0;
	j->done = false;
	if (j->f->key)
		return;
	if (window)
		j->s.forward.window = window;
	srnd_format_seed(&j->s, j->f, &srnd_portable_engine, j->key,
			 j->f->seed_sizes[0] ? j->f->seed_sizes[0] : 40, nonce);
}

static struct job *new_job(struct kunit *test, const struct srnd_format *f)
{
	struct job *j = srnd_cases_alloc(test, sizeof(*j));

	j->f = f;
	j->key = srnd_cases_alloc(test, 256);
	j->message = srnd_cases_alloc(test, MESSAGE);
	j->out = srnd_cases_alloc(test, BYTES);
	srnd_cases_fill(j->key, 256, 1);
	srnd_cases_fill(j->message, MESSAGE, 2);
	start_over(test, j);
	return j;
}

/* The same by the portable core, which knows no contexts. */
static u8 *right_bytes(struct kunit *test, const struct srnd_format *f)
{
	const struct srnd_engine *e = &srnd_portable_engine;
	static const u8 nonce[SRND_NONCE];
	struct job *j = new_job(test, f);

	if (f->key)
		f->key(&j->s, f, e->row[f->primitive], j->key, nonce);
	if (f->flags & SRND_ABSORBS)
		srnd_format_absorb(&j->s, f, e, j->message, MESSAGE);
	if (srnd_format_seekable(f))
		srnd_format_read(&j->s, f, e, 0, j->out, BYTES);
	else
		srnd_format_squeeze(&j->s, f, e, j->out, BYTES);
	return j->out;
}

/* ---- places ---- */

static void in_task_context(struct job *j)
{
	work(j);
}

static void tasklet(struct tasklet_struct *t)
{
	work(container_of(t, struct job, tasklet));
}

static void in_softirq_context(struct job *j)
{
	tasklet_setup(&j->tasklet, tasklet);
	tasklet_schedule(&j->tasklet);
	tasklet_kill(&j->tasklet);	/* after it has run */
}

static void interrupt(struct irq_work *irq)
{
	work(container_of(irq, struct job, irq));
}

static void in_hardirq_context(struct job *j)
{
	j->irq = IRQ_WORK_INIT_HARD(interrupt);
	irq_work_queue(&j->irq);
	irq_work_sync(&j->irq);
}

/*
 * While a task of this CPU has the vector unit. Arm64 lets tasks nest, in
 * kernels that can preempt them there, but takes the unit away with interrupts.
 */
static void in_busy_task(struct job *j)
{
	struct srnd_simd simd;
	unsigned long flags;

	if (IS_ENABLED(CONFIG_ARM64)) {
		local_irq_save(flags);
		work(j);
		local_irq_restore(flags);
	} else if (srnd_simd_begin(&simd)) {
		work(j);
		srnd_simd_end(&simd);
	}
}

static void in_busy_hardirq(struct job *j)
{
	unsigned long end = jiffies + 10 * HZ;
	struct srnd_simd simd;

	j->irq = IRQ_WORK_INIT_HARD(interrupt);
	if (!srnd_simd_begin(&simd))
		return;
	irq_work_queue(&j->irq);
	/* Released by work. */
	while (!smp_load_acquire(&j->done) && time_before(jiffies, end))
		cpu_relax();
	srnd_simd_end(&simd);
	irq_work_sync(&j->irq);
}

/* ---- tests ---- */

/* Runs a format somewhere; how many sections had to fall back. */
static u64 run(struct kunit *test, struct job *j, void (*place)(struct job *j))
{
	u64 before = srnd_counted(SRND_FALLBACKS);

	place(j);
	KUNIT_ASSERT_TRUE_MSG(test, j->done, "%s did not run", j->f->name);
	SRND_ASSERT_SAME(test, j->out, right_bytes(test, j->f), BYTES, "%s",
			 j->f->name);
	return srnd_counted(SRND_FALLBACKS) - before;
}

static void task(struct kunit *test)
{
	struct job *j = new_job(test, test->param_value);

	KUNIT_ASSERT_EQ(test, run(test, j, in_task_context), 0ULL);
	KUNIT_ASSERT_FALSE(test, j->hard || j->soft);
}

static void softirq(struct kunit *test)
{
	struct job *j = new_job(test, test->param_value);

	KUNIT_ASSERT_EQ(test, run(test, j, in_softirq_context), 0ULL);
	KUNIT_ASSERT_TRUE(test, j->soft && !j->hard);
}

/* What it interrupts may have the vector unit, and arm64 never gives it. */
static void hardirq(struct kunit *test)
{
	struct job *j = new_job(test, test->param_value);
	u64 fallbacks = run(test, j, in_hardirq_context);

	KUNIT_ASSERT_TRUE(test, j->hard);
	if (fallbacks || IS_ENABLED(CONFIG_ARM64))
		KUNIT_ASSERT_EQ(test, fallbacks, j->sections);
}

static void need_refusals(struct kunit *test)
{
	const struct srnd_format *f;
	size_t sections = 0;
	u32 n;

	if (IS_ENABLED(CONFIG_UML))
		SRND_SKIP(test, "user-mode Linux never refuses vector code");
	for (n = 1; (f = srnd_format(n)); n++)
		sections |= srnd_format_section(f, &srnd_engine);
	if (!sections)
		SRND_SKIP(test, "no variant here needs the vector unit");
}

static void refused(struct kunit *test, void (*place)(struct job *j))
{
	const struct srnd_format *f;
	struct job *j;
	u32 n;

	need_refusals(test);
	for (n = 1; (f = srnd_format(n)); n++) {
		j = new_job(test, f);
		KUNIT_ASSERT_EQ_MSG(test, run(test, j, place), j->sections,
				    "%s", f->name);
	}
}

static void busy_task(struct kunit *test)
{
	refused(test, in_busy_task);
}

static void busy_hardirq(struct kunit *test)
{
	refused(test, in_busy_hardirq);
}

/* Having been refused leaves nothing behind. */
static void usable_again(struct kunit *test)
{
	const struct srnd_format *f;
	struct job *j;
	u32 n;

	need_refusals(test);
	for (n = 1; (f = srnd_format(n)); n++) {
		j = new_job(test, f);
		run(test, j, in_busy_task);
		start_over(test, j);
		KUNIT_ASSERT_EQ_MSG(test, run(test, j, in_task_context), 0ULL,
				    "%s", f->name);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(task, srnd_suites_formats),
	KUNIT_CASE_PARAM(softirq, srnd_suites_formats),
	KUNIT_CASE_PARAM(hardirq, srnd_suites_formats),
	KUNIT_CASE(busy_task),
	KUNIT_CASE(busy_hardirq),
	KUNIT_CASE(usable_again),
	{}
};

struct kunit_suite srnd_context_suite = {
	.name = "shakerandom_context",
	.suite_init = srnd_suites_prepare,
	.test_cases = cases,
};
