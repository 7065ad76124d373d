// SPDX-License-Identifier: GPL-2.0
/* Finds out why the device does not work, and the command that mends it. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <grp.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "tool.h"

static const char doc[] =
"Finds out why " DEVICE " does not work, and names the command that mends it. "
"Changes nothing."
"\v"
"Exit status: 0 all is well, 1 a problem was found, 2 trouble.\n\n"
"Examples:\n"
"  shakerandom doctor\n"
"  shakerandom doctor || echo 'see above'";

enum { KEY_ROOT = 0x900, KEY_KERNEL };

static const struct argp_option options[] = {
	OPTION("root", KEY_ROOT, "DIR", "examine the system mounted at DIR"),
	OPTION("kernel", KEY_KERNEL, "RELEASE",
	       "as if that kernel were running"),
	END_OF_OPTIONS
};

struct host {
	const char *root;
	char release[80];
	const char *sudo;	/* "sudo " or "" */
	char *module;		/* the module's file, without root, or NULL */
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct host *h = state->input;

	switch (key) {
	case KEY_ROOT:
		h->root = arg;
		break;
	case KEY_KERNEL:
		snprintf(h->release, sizeof(h->release), "%s", arg);
		break;
	case ARGP_KEY_ARG:
		extra_argument(state, arg);
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
};

/* ---- what it says ---- */

static void problem(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
static void remedy(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

static void problem(const char *format, ...)
{
	va_list args;

	printf("problem: ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

static void remedy(const char *format, ...)
{
	va_list args;

	printf("remedy:  ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

/* ---- looking around ---- */

static char *under(const struct host *h, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The path, below the root; the caller frees it. */
static char *under(const struct host *h, const char *format, ...)
{
	char *inner, *path;
	va_list args;

	va_start(args, format);
	if (vasprintf(&inner, format, args) < 0)
		fail("out of memory");
	va_end(args);
	if (asprintf(&path, "%s%s", h->root, inner) < 0)
		fail("out of memory");
	free(inner);
	return path;
}

static bool exists(const struct host *h, const char *path)
{
	char *name = under(h, "%s", path);
	bool yes = !access(name, F_OK);

	free(name);
	return yes;
}

static bool line_of(const struct host *h, const char *path, char *text,
		    size_t size)
{
	char *name = under(h, "%s", path);
	bool got = read_line(name, text, size);

	free(name);
	return got;
}

/* The first match of a pattern, without the root; the caller frees it. */
static char *first_match(const struct host *h, const char *inner)
{
	char *pattern = under(h, "%s", inner), *found = NULL;
	glob_t matches;

	if (!glob(pattern, 0, NULL, &matches)) {
		found = strdup(matches.gl_pathv[0] + strlen(h->root));
		globfree(&matches);
	}
	free(pattern);
	return found;
}

struct bytes {
	const uint8_t *data;
	size_t len;
};

/* A whole file; data NULL if it cannot be read. Freed at exit. */
static struct bytes contents(const struct host *h, const char *path)
{
	char *name = under(h, "%s", path);
	FILE *file = fopen(name, "re");
	uint8_t *data = NULL;
	size_t len = 0, size = 0, n = 1;

	free(name);
	while (file && n) {
		if (len == size) {
			size = size ? 2 * size : 65536;
			data = realloc(data, size);
			if (!data)
				fail("out of memory");
		}
		n = fread(data + len, 1, size - len, file);
		len += n;
	}
	if (file)
		fclose(file);
	return (struct bytes){ data, len };
}

static bool contains(struct bytes where, const void *what, size_t len)
{
	return where.data && len && memmem(where.data, where.len, what, len);
}

/* ---- the module's file ---- */

static char *walked;

static int is_module(const char *path, const struct stat *st, int type,
		     struct FTW *where)
{
	const char *name = path + where->base;

	(void)st;
	if (type != FTW_F || strncmp(name, "shakerandom.ko", 14))
		return 0;
	walked = strdup(path);
	return 1;
}

static char *find_module(const struct host *h, const char *release)
{
	char *top = under(h, "/lib/modules/%s", release), *found;

	walked = NULL;
	nftw(top, is_module, 16, FTW_PHYS);
	free(top);
	if (!walked)
		return NULL;
	found = strdup(walked + strlen(h->root));
	free(walked);
	return found;
}

/* A kernel that has the module, though not the running one. */
static char *other_kernel(const struct host *h)
{
	char *pattern = under(h, "/lib/modules/*"), *found = NULL, *module;
	glob_t kernels;
	size_t i;

	if (glob(pattern, 0, NULL, &kernels)) {
		free(pattern);
		return NULL;
	}
	for (i = 0; i < kernels.gl_pathc && !found; i++) {
		const char *release = strrchr(kernels.gl_pathv[i], '/') + 1;

		module = find_module(h, release);
		if (module)
			found = strdup(release);
		free(module);
	}
	globfree(&kernels);
	free(pattern);
	return found;
}

/* ---- building it ---- */

/* What installs the headers of the running kernel. */
static void headers_command(const struct host *h, char *text, size_t size)
{
	struct bytes os = contents(h, "/etc/os-release");

	if (contains(os, "fedora", 6) || contains(os, "rhel", 4))
		snprintf(text, size, "%sdnf install kernel-devel-%s", h->sudo,
			 h->release);
	else if (contains(os, "ID=arch", 7))
		snprintf(text, size, "%spacman -S linux-headers", h->sudo);
	else if (contains(os, "suse", 4))
		snprintf(text, size, "%szypper install kernel-default-devel",
			 h->sudo);
	else
		snprintf(text, size, "%sapt-get install linux-headers-%s",
			 h->sudo, h->release);
}

/* "1.0.0" of /usr/src/shakerandom-1.0.0; NULL if DKMS has not got it. */
static char *dkms_version(const struct host *h)
{
	char *found = first_match(h, "/usr/src/shakerandom-*/dkms.conf");
	char *version;

	if (!found)
		return NULL;
	*strrchr(found, '/') = 0;
	version = strdup(found + strlen("/usr/src/shakerandom-"));
	free(found);
	return version;
}

/* A build for the running kernel; @force: although there is one. */
static void build_remedy(const struct host *h, bool force)
{
	char *version = dkms_version(h), path[128], headers[200] = "";

	snprintf(path, sizeof(path), "/lib/modules/%s/build/Makefile",
		 h->release);
	if (!exists(h, path)) {
		headers_command(h, headers, sizeof(headers) - 4);
		strcat(headers, " && ");
	}
	if (version)
		remedy("%s%sdkms install %sshakerandom/%s -k %s", headers,
		       h->sudo, force ? "--force " : "", version, h->release);
	else
		remedy("%smake module && %smake install   (in the directory "
		       "of shakerandom's source)", headers, h->sudo);
	free(version);
}

static int not_built(const struct host *h)
{
	char *other = other_kernel(h);

	if (other)
		problem("the module was built for kernel %s, not for the "
			"running %s", other, h->release);
	else
		problem("the module is not installed for the running kernel "
			"%s", h->release);
	build_remedy(h, false);
	free(other);
	return STATUS_NO;
}

/* ---- signatures ---- */

#define EFI "/sys/firmware/efi/efivars/"
#define SECURE_BOOT EFI "SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
#define MOK_LIST EFI "MokListRT-605dab50-e046-4300-abb6-3dd810dd8b23"

struct key {
	const char *secret, *certificate;
};

/* Where DKMS and Ubuntu keep the machine owner's key. */
static const struct key keys[] = {
	{ "/var/lib/dkms/mok.key", "/var/lib/dkms/mok.pub" },
	{ "/var/lib/shim-signed/mok/MOK.priv",
	  "/var/lib/shim-signed/mok/MOK.der" },
};

static const struct key *owner_key(const struct host *h)
{
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (exists(h, keys[i].certificate))
			return &keys[i];
	return NULL;
}

static bool secure_boot(const struct host *h)
{
	struct bytes variable = contents(h, SECURE_BOOT);

	/* Four bytes of attributes, then the value. */
	return variable.len == 5 && variable.data[4] == 1;
}

static bool signatures_needed(const struct host *h)
{
	char text[80];

	if (line_of(h, "/sys/module/module/parameters/sig_enforce", text,
		    sizeof(text)) && *text == 'Y')
		return true;
	return line_of(h, "/sys/kernel/security/lockdown", text,
		       sizeof(text)) && !strstr(text, "[none]");
}

static bool compressed(const char *path)
{
	return !strstr(path, ".ko") || strcmp(strstr(path, ".ko"), ".ko");
}

static bool is_signed(const struct host *h)
{
	static const char mark[] = "~Module signature appended~\n";
	size_t len = sizeof(mark) - 1;
	struct bytes module = contents(h, h->module);

	/* One that is packed hides its signature: not a thing to accuse. */
	return compressed(h->module) || !module.data ||
	       (module.len > len &&
		!memcmp(module.data + module.len - len, mark, len));
}

static int not_signed(const struct host *h, const char *why)
{
	const struct key *key = owner_key(h);
	char *dkms = dkms_version(h);

	problem("%s, and the module is not signed", why);
	if (key && !dkms)
		remedy("%s/lib/modules/%s/build/scripts/sign-file sha256 %s "
		       "%s %s", h->sudo, h->release, key->secret,
		       key->certificate, h->module);
	else if (dkms)
		build_remedy(h, true);
	else
		remedy("%scp -r . /usr/src/shakerandom-" SHAKERANDOM_VERSION
		       " && %sdkms install shakerandom/" SHAKERANDOM_VERSION
		       "   (in the directory of shakerandom's source; DKMS "
		       "makes a key and signs with it)", h->sudo, h->sudo);
	free(dkms);
	return STATUS_NO;
}

static bool enrolled(const struct host *h, const struct key *key)
{
	struct bytes list = contents(h, MOK_LIST);
	struct bytes certificate = contents(h, key->certificate);

	return contains(list, certificate.data, certificate.len);
}

static int check_signature(const struct host *h)
{
	const struct key *key = owner_key(h);
	const char *why = secure_boot(h) ? "Secure Boot is on" :
			  "this kernel takes signed modules only";

	if (!signatures_needed(h))
		return STATUS_OK;
	if (!is_signed(h))
		return not_signed(h, why);
	if (!secure_boot(h) || !key || !exists(h, MOK_LIST) ||
	    enrolled(h, key))
		return STATUS_OK;
	problem("%s, and the key that signed the module is not enrolled", why);
	remedy("%smokutil --import %s   (then reboot, and choose 'Enroll MOK')",
	       h->sudo, key->certificate);
	return STATUS_NO;
}

/* ---- not loaded ---- */

static bool too_old(const struct host *h)
{
	int major = 0, minor = 0;

	return sscanf(h->release, "%d.%d", &major, &minor) == 2 &&
	       (major < 6 || (major == 6 && minor < 1));
}

/* Built from a tree whose release was another, and put here by hand. */
static bool built_for_another(const struct host *h)
{
	struct bytes module = contents(h, h->module);
	char wanted[128];
	int len = snprintf(wanted, sizeof(wanted), "vermagic=%s ", h->release);

	return !compressed(h->module) && contains(module, "vermagic=", 9) &&
	       !contains(module, wanted, (size_t)len);
}

static bool indexed(const struct host *h)
{
	char *path = under(h, "/lib/modules/%s/modules.dep", h->release);
	struct bytes index = contents(h, path + strlen(h->root));

	free(path);
	return contains(index, "shakerandom.ko", 14);
}

static int check_file(const struct host *h)
{
	if (built_for_another(h)) {
		problem("'%s' was built for another kernel than the running "
			"%s", h->module, h->release);
		build_remedy(h, true);
		return STATUS_NO;
	}
	if (!indexed(h)) {
		problem("the module is installed, but not in the index of "
			"modules");
		remedy("%sdepmod -a %s", h->sudo, h->release);
		return STATUS_NO;
	}
	return check_signature(h);
}

static int not_loaded(struct host *h)
{
	char text[8];

	if (too_old(h)) {
		problem("kernel %s is older than 6.1, the first that the "
			"module supports", h->release);
		remedy("install a newer kernel with the system's updates, "
		       "and reboot");
		return STATUS_NO;
	}
	h->module = find_module(h, h->release);
	if (!h->module)
		return not_built(h);
	if (check_file(h))
		return STATUS_NO;
	problem("the module is not loaded");
	if (line_of(h, "/proc/sys/kernel/modules_disabled", text,
		    sizeof(text)) && *text == '1')
		remedy("echo shakerandom | %stee /etc/modules-load.d/"
		       "shakerandom.conf   (then reboot: until then this "
		       "system takes no more modules)", h->sudo);
	else
		remedy("%smodprobe shakerandom", h->sudo);
	return STATUS_NO;
}

/* ---- loaded ---- */

static bool in_container(const struct host *h)
{
	return exists(h, "/.dockerenv") || exists(h, "/run/.containerenv");
}

/* The device's numbers as sysfs knows them. */
static bool numbers(const struct host *h, unsigned int *major_number,
		    unsigned int *minor_number)
{
	char text[32];

	return line_of(h, "/sys/class/misc/shakerandom/dev", text,
		       sizeof(text)) &&
	       sscanf(text, "%u:%u", major_number, minor_number) == 2;
}

static int check_node(const struct host *h)
{
	unsigned int a, b;
	struct stat st;
	char *path = under(h, DEVICE);
	bool missing = stat(path, &st);

	free(path);
	if (!numbers(h, &a, &b)) {
		problem("the module is loaded, but has made no device");
		remedy("%sdmesg | grep shakerandom   (the kernel's log says "
		       "why)", h->sudo);
		return STATUS_NO;
	}
	if (!missing && S_ISCHR(st.st_mode) && st.st_rdev == makedev(a, b))
		return STATUS_OK;
	problem("the module is loaded, but " DEVICE " %s", missing ?
		"is missing" : "is something else");
	if (in_container(h))
		remedy("start this container again with --device " DEVICE);
	else
		remedy("%srm -f " DEVICE "; %smknod -m 666 " DEVICE
		       " c %u %u", h->sudo, h->sudo, a, b);
	return STATUS_NO;
}

/* The group that may, if the caller is not in it; the node's own mode else. */
static void permission_remedy(const struct host *h)
{
	struct stat st;
	struct group *group = NULL;
	struct passwd *user = getpwuid(geteuid());

	if (!stat(DEVICE, &st) && (st.st_mode & 0060) == 0060 && st.st_gid)
		group = getgrgid(st.st_gid);
	if (group && user)
		remedy("%susermod -aG %s %s   (then log in again)", h->sudo,
		       group->gr_name, user->pw_name);
	else
		remedy("%schmod 666 " DEVICE "   (its usual mode: random bytes "
		       "are for everybody)", h->sudo);
}

static int cannot_open(const struct host *h, int err)
{
	if (err == EPERM && in_container(h)) {
		problem("this container may not use " DEVICE);
		remedy("start it again with --device " DEVICE);
	} else if (err == EACCES || err == EPERM) {
		problem("you have no permission to open " DEVICE);
		permission_remedy(h);
	} else {
		problem(DEVICE " cannot be opened: %s", strerror(err));
		remedy("%sdmesg | grep shakerandom", h->sudo);
	}
	return STATUS_NO;
}

static int check_module(const struct host *h, int fd,
			struct shakerandom_info *info)
{
	char text[16];

	if (!device_info(fd, info) ||
	    info->abi_version < SHAKERANDOM_ABI_VERSION) {
		problem("the loaded module is older than this command");
		remedy("%smodprobe -r shakerandom && %smodprobe shakerandom",
		       h->sudo, h->sudo);
		return STATUS_NO;
	}
	if (line_of(h, "/sys/class/misc/shakerandom/selftests", text,
		    sizeof(text)) && strcmp(text, "passed")) {
		problem("self tests of the module failed: do not use its "
			"bytes");
		remedy("%smodprobe -r shakerandom   (and please report what "
		       "dmesg says)", h->sudo);
		return STATUS_NO;
	}
	return STATUS_OK;
}

static int check_reading(int fd)
{
	uint8_t buf[16];
	ssize_t n;

	fcntl(fd, F_SETFL, O_NONBLOCK);
	n = read(fd, buf, sizeof(buf));
	if (n == (ssize_t)sizeof(buf))
		return STATUS_OK;
	if (n < 0 && errno == EAGAIN) {
		problem("the kernel's own random number generator is not "
			"ready yet");
		remedy("head -c 1 /dev/random >/dev/null   (ends as soon as "
		       "it is)");
	} else {
		problem("reading " DEVICE " fails: %s", n < 0 ?
			strerror(errno) : "too few bytes");
		remedy("dmesg | grep shakerandom");
	}
	return STATUS_NO;
}

static int check_seeding(const struct host *h, int fd)
{
	if (device_seed(fd, SHAKERANDOM_SHAKE256, "", 0))
		return STATUS_OK;
	if (errno != EPERM) {
		problem("a stream cannot be opened: %s", strerror(errno));
		remedy("dmesg | grep shakerandom");
		return STATUS_NO;
	}
	problem("random bytes work, but the administrator has turned seeded "
		"streams off");
	remedy("echo 1 | %stee /sys/module/shakerandom/parameters/"
	       "allow_seeding   (if that was not meant)", h->sudo);
	return STATUS_NO;
}

static int loaded(const struct host *h)
{
	struct shakerandom_info info;
	int fd, status = check_node(h);

	if (status)
		return status;
	fd = device_open(NULL);
	if (fd < 0)
		return cannot_open(h, errno);
	status = check_module(h, fd, &info);
	if (!status)
		status = check_reading(fd);
	if (!status)
		status = check_seeding(h, fd);
	if (!status)
		printf("all is well: version %.16s, random bytes by %.16s, "
		       "seeded streams allowed\n", info.version, info.backend);
	close(fd);
	return status;
}

static int run(int argc, char **argv)
{
	struct host h = {
		.root = "",
		.sudo = geteuid() ? "sudo " : "",
	};
	struct utsname name;

	argp_parse(&argp, argc, argv, 0, NULL, &h);
	if (!*h.release && !uname(&name))
		snprintf(h.release, sizeof(h.release), "%.79s", name.release);
	return exists(&h, "/sys/module/shakerandom") ? loaded(&h) :
	       not_loaded(&h);
}

const struct command cmd_doctor = {
	.name = "doctor",
	.summary = "why it does not work, and what mends it",
	.run = run,
};
