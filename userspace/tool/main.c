// SPDX-License-Identifier: GPL-2.0
/* The shakerandom command: finds the subcommand and runs it. */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

static const struct command *const commands[] = {
	&cmd_read, &cmd_fill, &cmd_verify, &cmd_xof, &cmd_uuid,
	&cmd_int, &cmd_info, &cmd_bench, &cmd_doctor,
};

#define COMMANDS (sizeof(commands) / sizeof(*commands))

static void print_help(FILE *to)
{
	size_t i;

	fputs("Usage: shakerandom COMMAND [OPTION...]\n"
	      "Random bytes and reproducible streams from " DEVICE ".\n\n",
	      to);
	for (i = 0; i < COMMANDS; i++)
		fprintf(to, "  %-8s %s\n", commands[i]->name,
			commands[i]->summary);
	fputs("\nExamples:\n"
	      "  shakerandom read 16 --hex               a random key\n"
	      "  shakerandom read 1G --seed tuesday      the same bytes "
	      "everywhere\n"
	      "  shakerandom fill /dev/sdX --seed s1     overwrite a disk ...\n"
	      "  shakerandom verify /dev/sdX --seed s1   ... and check it\n"
	      "  shakerandom doctor                      "
	      "why does it not work?\n\n"
	      "'shakerandom COMMAND --help' tells more, man shakerandom all.\n"
	      "Exit status: 0 success, 1 the answer is no (a difference was "
	      "found), 2 trouble.\n", to);
}

static const struct command *find(const char *name)
{
	size_t i;

	for (i = 0; i < COMMANDS; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

/*
 * A standard descriptor that is closed would be given to the next file opened:
 * a message would end up on a disk. Opened the wrong way round, it only fails.
 */
static void guard_standard_files(void)
{
	int fd;

	for (fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd ? O_RDONLY : O_WRONLY) < 0)
			_exit(STATUS_TROUBLE);
}

static int run(const struct command *command, int argc, char **argv)
{
	static char name[64];
	int status;

	snprintf(name, sizeof(name), "shakerandom %s", command->name);
	program = name;
	argv[0] = name;
	status = command->run(argc, argv);
	close_stdout();
	return status;
}

/* "help read" is "read --help". */
static int help(int argc, char **argv)
{
	char option[] = "--help";
	char *words[] = { NULL, option, NULL };
	const struct command *command = argc > 2 ? find(argv[2]) : NULL;

	if (argc > 2 && !command)
		fail("there is no command '%s': try 'shakerandom --help'",
		     argv[2]);
	if (command)
		return run(command, 2, words);
	print_help(stdout);
	close_stdout();
	return STATUS_OK;
}

static bool is(const char *word, const char *a, const char *b)
{
	return !strcmp(word, a) || !strcmp(word, b);
}

int main(int argc, char **argv)
{
	const struct command *command;

	guard_standard_files();
	argp_err_exit_status = STATUS_TROUBLE;
	/* A file may grow too large by a limit, too: an error, not a death. */
	signal(SIGXFSZ, SIG_IGN);
	if (argc < 2) {
		print_help(stderr);
		return STATUS_TROUBLE;
	}
	if (is(argv[1], "help", "--help") || is(argv[1], "-h", "-?"))
		return help(argc, argv);
	if (is(argv[1], "--version", "-V")) {
		puts("shakerandom " SHAKERANDOM_VERSION);
		close_stdout();
		return STATUS_OK;
	}
	command = find(argv[1]);
	if (!command)
		fail("there is no command '%s': try 'shakerandom --help'",
		     argv[1]);
	return run(command, argc - 1, argv + 1);
}
