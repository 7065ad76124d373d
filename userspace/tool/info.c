// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

#define SYSFS "/sys/class/misc/shakerandom/"
#define PARAMETERS "/sys/module/shakerandom/parameters/"
#define FORMATS 64

static const char doc[] =
"Shows what the loaded module is, what it can and what it has done."
"\v"
"Examples:\n"
"  shakerandom info\n"
"  shakerandom info --formats    needs no module";

enum { KEY_FORMATS = 0x800 };

static const struct argp_option options[] = {
	OPTION("formats", KEY_FORMATS, NULL, "list the formats of streams"),
	END_OF_OPTIONS
};

static const struct argp_child children[] = {
	DEVICE_CHILD,
	END_OF_CHILDREN
};

struct job {
	struct source source;
	bool formats;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct job *j = state->input;

	switch (key) {
	case KEY_FORMATS:
		j->formats = true;
		break;
	case ARGP_KEY_ARG:
		extra_argument(state, arg);
		break;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &j->source;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.doc = doc,
	.children = children,
};

static void print_format(const struct shakerandom_description *d)
{
	char key[24] = "any length";

	if (d->format == SHAKERANDOM_SHAKE256_RATCHET)
		strcpy(key, "16, 24, 32 or 136");
	else if (d->seed_len)
		snprintf(key, sizeof(key), "%" PRIu32, d->seed_len);
	printf("%-21s %-18s %-5s %-6s %s\n", d->name, key,
	       d->forgets ? "no" : "yes", d->nonce ? "yes" : "no",
	       d->seekable ? "any offset" : "forward only");
}

static void print_formats(void)
{
	const struct shakerandom_description *d;
	uint32_t f;

	printf("%-21s %-18s %-5s %-6s %s\n", "FORMAT", "KEY BYTES", "TEXT",
	       "NONCE", "READING");
	for (f = 1; f < FORMATS; f++) {
		d = shakerandom_describe(f);
		if (d)
			print_format(d);
	}
}

static const char *name_of(uint32_t format)
{
	const struct shakerandom_description *d = shakerandom_describe(format);

	return d ? d->name : "unknown";
}

static void print_line(const char *label, const char *path)
{
	char text[256];

	if (read_line(path, text, sizeof(text)))
		printf("%-13s %s\n", label, text);
}

static void print_served(uint64_t formats)
{
	uint32_t f;

	printf("%-13s", "formats");
	for (f = 1; f < FORMATS; f++)
		if (formats >> f & 1)
			printf(" %s", name_of(f));
	putchar('\n');
}

static int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void print_backends(void)
{
	struct dirent **entries;
	char path[512], label[280];
	int i, n = scandir(SYSFS "backends", &entries, visible, alphasort);

	for (i = 0; i < n; i++) {
		snprintf(path, sizeof(path), SYSFS "backends/%s",
			 entries[i]->d_name);
		snprintf(label, sizeof(label), "  %s", entries[i]->d_name);
		if (!i)
			puts("variants      (in brackets: in use)");
		print_line(label, path);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

static void print_seeding(void)
{
	char text[8];

	if (read_line(PARAMETERS "allow_seeding", text, sizeof(text)))
		printf("%-13s %s\n", "streams", *text == 'N' ?
		       "forbidden (allow_seeding is off)" : "allowed");
}

static void print_all(const struct shakerandom_info *info)
{
	printf("%-13s %.16s (interface %" PRIu32 ")\n", "version",
	       info->version, info->abi_version);
	printf("%-13s %s, by %.16s\n", "random bytes",
	       name_of(info->default_format), info->backend);
	printf("%-13s %" PRIu64 "\n", "generation",
	       (uint64_t)info->generation);
	print_seeding();
	print_served(info->formats);
	print_backends();
	print_line("self tests", SYSFS "selftests");
	print_line("bytes read", SYSFS "statistics/bytes");
	print_line("reseeds", SYSFS "statistics/reseeds");
	print_line("fallbacks", SYSFS "statistics/fallbacks");
}

static int run(int argc, char **argv)
{
	struct job j = { .formats = false };
	struct shakerandom_info info;
	int fd, err;

	argp_parse(&argp, argc, argv, 0, NULL, &j);
	if (j.formats) {
		print_formats();
		return STATUS_OK;
	}
	/* The library tells what is wrong better than open does. */
	err = shakerandom_setup(j.source.device, 0);
	if (err)
		fail_library(err);
	fd = device_open(j.source.device);
	if (fd < 0 || !device_info(fd, &info))
		fail_error(errno, "cannot ask the device");
	print_all(&info);
	close(fd);
	return STATUS_OK;
}

const struct command cmd_info = {
	.name = "info",
	.summary = "what the module is, can and has done",
	.run = run,
};
