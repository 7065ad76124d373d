// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

const char *program = "shakerandom";

static void __attribute__((format(printf, 2, 0)))
vsay(int error, const char *format, va_list args)
{
	/* What was printed so far belongs before the message. */
	fflush(stdout);
	fprintf(stderr, "%s: ", program);
	vfprintf(stderr, format, args);
	if (error)
		fprintf(stderr, ": %s", strerror(error));
	fputc('\n', stderr);
}

void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsay(0, format, args);
	va_end(args);
}

void say_error(int error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsay(error, format, args);
	va_end(args);
}

void fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsay(0, format, args);
	va_end(args);
	exit(STATUS_TROUBLE);
}

void fail_error(int error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsay(error, format, args);
	va_end(args);
	exit(STATUS_TROUBLE);
}

static const char *remedy(int error)
{
	switch (error) {
	case SHAKERANDOM_ERR_MISSING:
	case SHAKERANDOM_ERR_PERMISSION:
	case SHAKERANDOM_ERR_NOT_DEVICE:
	case SHAKERANDOM_ERR_TOO_OLD:
	case SHAKERANDOM_ERR_SEEDING:
		return "\n'shakerandom doctor' finds the cause and names the "
		       "remedy.";
	case SHAKERANDOM_ERR_DESCRIPTORS:
		return "\nClose some, or raise 'ulimit -n'.";
	case SHAKERANDOM_ERR_END:
		return "\nA stream has 2^63 - 1 bytes: ask for fewer.";
	default:
		return "";
	}
}

void say_library(int error)
{
	if (error == SHAKERANDOM_ERR_SYSTEM)
		say_error(errno, "cannot read the device");
	else
		say("%s%s", shakerandom_strerror(error), remedy(error));
}

void fail_library(int error)
{
	say_library(error);
	exit(STATUS_TROUBLE);
}
