/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "internal.h"

SRND_EXPORT const char *shakerandom_strerror(int error)
{
	switch (error) {
	case SHAKERANDOM_OK:
		return "no error";
	case SHAKERANDOM_ERR_MISSING:
		return "no such device: is the shakerandom module loaded?";
	case SHAKERANDOM_ERR_PERMISSION:
		return "no permission to open the shakerandom device";
	case SHAKERANDOM_ERR_NOT_DEVICE:
		return "this file is not a shakerandom device";
	case SHAKERANDOM_ERR_TOO_OLD:
		return "the loaded shakerandom module is too old for this";
	case SHAKERANDOM_ERR_SEEDING:
		return "the administrator forbids seeded streams "
		       "(allow_seeding of the shakerandom module)";
	case SHAKERANDOM_ERR_ARGUMENT:
		return "invalid argument";
	case SHAKERANDOM_ERR_MEMORY:
		return "out of memory";
	case SHAKERANDOM_ERR_DESCRIPTORS:
		return "too many open files";
	case SHAKERANDOM_ERR_END:
		return "past the end of the stream";
	case SHAKERANDOM_ERR_FORWARD:
		return "this format only goes forward";
	case SHAKERANDOM_ERR_FORGOTTEN:
		return "this stream has forgotten its seed";
	case SHAKERANDOM_ERR_STATE:
		return "not a saved state";
	case SHAKERANDOM_ERR_SYSTEM:
		return "system error, see errno";
	default:
		return "unknown error";
	}
}

int srnd_error_of_open(void)
{
	switch (errno) {
	case ENOENT:
	case ENOTDIR:
	case ENXIO:
	case ENODEV:
		return SHAKERANDOM_ERR_MISSING;
	case EACCES:
	case EPERM:
		return SHAKERANDOM_ERR_PERMISSION;
	case EMFILE:
	case ENFILE:
		return SHAKERANDOM_ERR_DESCRIPTORS;
	case ENOMEM:
		return SHAKERANDOM_ERR_MEMORY;
	default:
		return SHAKERANDOM_ERR_SYSTEM;
	}
}

static void print(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		return;	/* nobody is left to tell */
}

void srnd_die(int error)
{
	print("libshakerandom: ");
	print(shakerandom_strerror(error));
	print("\n");
	abort();
}
