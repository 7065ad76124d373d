// SPDX-License-Identifier: GPL-2.0
#include <signal.h>
#include <stddef.h>

#include "tool.h"

static volatile sig_atomic_t asked;

/* The second time is meant: the default action of SA_RESETHAND. */
static void remember(int number)
{
	asked = number;
}

void stop_catch(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = {
		.sa_handler = remember,
		.sa_flags = SA_RESETHAND,
	};
	struct sigaction old;
	size_t i;

	for (i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		/* nohup and its like have it ignored: so it stays. */
		if (!sigaction(signals[i], NULL, &old) &&
		    old.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
}

bool stop_asked(void)
{
	return asked;
}

void stop_now(void)
{
	signal(asked, SIG_DFL);
	raise(asked);
}
