// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "tool.h"

#define SECOND UINT64_C(1000000000)

uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

void progress_start(struct progress *p, enum progress_wish wish,
		    uint64_t total, uint64_t before)
{
	p->on_terminal = isatty(STDERR_FILENO);
	p->shown = wish == PROGRESS_ALWAYS ||
		   (wish == PROGRESS_AUTO && p->on_terminal);
	p->drawn = false;
	p->total = total;
	p->before = before;
	p->start = p->last = now_ns();
}

/* "12:34", "1:02:03" or "3 d 4 h". */
static void print_duration(double seconds)
{
	unsigned long s = (unsigned long)seconds;

	if (seconds >= 86400.0 * 9999)
		fputs("ages", stderr);
	else if (s >= 86400)
		fprintf(stderr, "%lu d %lu h", s / 86400, s / 3600 % 24);
	else if (s >= 3600)
		fprintf(stderr, "%lu:%02lu:%02lu", s / 3600, s / 60 % 60,
			s % 60);
	else
		fprintf(stderr, "%lu:%02lu", s / 60, s % 60);
}

static void draw(struct progress *p, uint64_t done, uint64_t now)
{
	double elapsed = (double)(now - p->start) / (double)SECOND;
	double rate = elapsed > 0 ? (double)(done - p->before) / elapsed : 0;
	char a[16], b[16];

	if (p->on_terminal)
		fputc('\r', stderr);
	fputs(size_text(done, a), stderr);
	if (p->total)
		fprintf(stderr, " of %s, %.0f %%", size_text(p->total, b),
			100.0 * (double)done / (double)p->total);
	fprintf(stderr, ", %s/s", size_text((uint64_t)rate, a));
	if (p->total && rate > 0 && done < p->total) {
		fputs(", ", stderr);
		print_duration((double)(p->total - done) / rate);
		fputs(" left", stderr);
	}
	/* To the end of the line, where the last text may have been longer. */
	fputs(p->on_terminal ? "\033[K" : "\n", stderr);
	fflush(stderr);
	p->drawn = true;
}

void progress_show(struct progress *p, uint64_t done)
{
	/* A terminal is drawn anew, a log grows. */
	uint64_t pause = p->on_terminal ? SECOND / 4 : SECOND;
	uint64_t now;

	if (!p->shown)
		return;
	now = now_ns();
	if (now - p->last < pause)
		return;
	p->last = now;
	draw(p, done, now);
}

void progress_end(struct progress *p, uint64_t done)
{
	if (!p->shown || !p->drawn)
		return;
	draw(p, done, now_ns());
	if (p->on_terminal)
		fputc('\n', stderr);
}
