/* SPDX-License-Identifier: MIT */
/*
 * Secure draws. Without a device, files of numbers that are all different stand
 * in for it, so that one given twice is seen at once; tests of what only a
 * device does are skipped then.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "shakerandom.h"

#define DEVICE "/dev/shakerandom"
#define WORKERS 8
#define EACH 20000L		/* numbers a worker draws */

static bool have_device(void)
{
	return !access(DEVICE, F_OK);
}

/* Of these lines run-guest makes its list of skipped tests. */
#define skip_because(reason)						\
	do {								\
		print_message("skipped %s: %s\n", __func__, reason);	\
		skip();							\
	} while (0)

#define need_device()							\
	do {								\
		if (!have_device())					\
			skip_because("needs " DEVICE);			\
	} while (0)

/* ---- stand-ins ---- */

static char path[64];

/* A file in memory of @count numbers, from @first up. */
static int numbers(uint64_t first, size_t count)
{
	int fd = memfd_create("numbers", MFD_CLOEXEC);
	size_t size = count * sizeof(uint64_t);
	uint64_t *p;

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(p, MAP_FAILED);
	for (size_t i = 0; i < count; i++)
		p[i] = first + i;
	munmap(p, size);
	return fd;
}

static void stand_in(int fd)
{
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(shakerandom_setup(path, SHAKERANDOM_STAND_IN), 0);
}

/* The device, or 32 MiB of different numbers. Returns what to close. */
static int any_source(void)
{
	int fd;

	if (have_device()) {
		assert_int_equal(shakerandom_setup(NULL, 0), 0);
		return -1;
	}
	fd = numbers(1, 4 << 20);
	stand_in(fd);
	return fd;
}

static void done_with(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* ---- values are given once ---- */

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void assert_all_different(uint64_t *v, size_t count)
{
	qsort(v, count, sizeof(*v), compare);
	for (size_t i = 0; i < count; i++) {
		if (!v[i] || (i && v[i] == v[i - 1]))
			fail_msg("%" PRIx64 " was drawn twice, or is 0", v[i]);
	}
}

static uint64_t *shared(size_t count)
{
	uint64_t *v = mmap(NULL, count * sizeof(*v), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(v, MAP_FAILED);
	return v;
}

static void draw_many(uint64_t *v)
{
	for (long i = 0; i < EACH; i++)
		v[i] = shakerandom_u64();
}

static void *draw_in_thread(void *v)
{
	draw_many(v);
	return NULL;
}

static void wait_for(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		assert_int_equal(errno, EINTR);
	assert_int_equal(status, 0);
}

/* Children of a process whose buffer is half used, threads in each of them. */
static void child(uint64_t *v)
{
	pthread_t thread[WORKERS];

	for (int i = 0; i < WORKERS; i++)
		if (pthread_create(&thread[i], NULL, draw_in_thread,
				   v + (i + 1) * EACH))
			_exit(1);
	draw_many(v);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(thread[i], NULL);
	_exit(0);
}

static void test_children_and_threads(void **state)
{
	size_t count = (WORKERS + 1) * (WORKERS + 1) * EACH;
	uint64_t *v = shared(count);
	pthread_t thread[WORKERS];
	pid_t pid[WORKERS];
	int fd = any_source();

	(void)state;
	for (int i = 0; i < 100; i++)
		v[i] = shakerandom_u64();
	for (int i = 0; i < WORKERS; i++) {
		pid[i] = fork();
		if (!pid[i])
			child(v + (i + 1) * (WORKERS + 1) * EACH);
	}
	/* Go on forking while these threads are amid their draws. */
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&thread[i], NULL, draw_in_thread,
			       v + (i + 1) * EACH);
	for (long i = 100; i < EACH; i++)
		v[i] = shakerandom_u64();
	for (int i = 0; i < WORKERS; i++) {
		pthread_join(thread[i], NULL);
		wait_for(pid[i]);
	}
	assert_all_different(v, count);
	munmap(v, count * sizeof(*v));
	done_with(fd);
}

static void test_fork_while_threads_draw(void **state)
{
	size_t count = 32, total = (count + WORKERS) * EACH;
	uint64_t *v = shared(total);
	pthread_t thread[WORKERS];
	int fd = any_source();

	(void)state;
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&thread[i], NULL, draw_in_thread, v + i * EACH);
	for (size_t i = 0; i < count; i++) {
		pid_t pid = fork();

		if (!pid) {
			for (long k = 0; k < 50; k++)
				v[((size_t)WORKERS + i) * EACH + (size_t)k] =
					shakerandom_u64();
			_exit(0);
		}
		v[((size_t)WORKERS + i) * EACH + 50] = shakerandom_u64();
		wait_for(pid);
	}
	for (int i = 0; i < WORKERS; i++)
		pthread_join(thread[i], NULL);
	for (size_t i = 0; i < count; i++)
		memmove(v + WORKERS * EACH + i * 51,
			v + ((size_t)WORKERS + i) * EACH, 51 * sizeof(*v));
	assert_all_different(v, WORKERS * EACH + count * 51);
	munmap(v, total * sizeof(*v));
	done_with(fd);
}

/* ---- signals ---- */

#define STORM_NUMBERS 200000

static uint64_t caught[STORM_NUMBERS];
static volatile sig_atomic_t caught_count;

static void draw_in_handler(int sig)
{
	(void)sig;
	if (caught_count < STORM_NUMBERS)
		caught[caught_count++] = shakerandom_u64();
}

/* No SA_RESTART: calls are interrupted. */
static void storm(void (*handler)(int), long microseconds)
{
	struct sigaction action = { .sa_handler = handler };
	struct itimerval often = {
		.it_interval.tv_usec = microseconds,
		.it_value.tv_usec = microseconds,
	};

	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
}

static void calm(void)
{
	struct itimerval never = { .it_value.tv_usec = 0 };

	setitimer(ITIMER_REAL, &never, NULL);
}

/* Writes numbers in pieces of odd sizes, so that reads come back short. */
static void feed(int to, uint64_t count)
{
	static uint64_t v[100000];
	size_t size = sizeof(v), done = 0, piece = 1;

	for (uint64_t i = 0; i < count; i++)
		v[i] = i + 1;
	while (done < size) {
		ssize_t n = write(to, (char *)v + done,
				  size - done < piece ? size - done : piece);

		if (n < 0)
			_exit(1);
		done += (size_t)n;
		piece = piece * 7 % 4099 + 1;
	}
	_exit(0);
}

static void no_handler(int sig)
{
	(void)sig;
}

/* Every byte of a pipe in order, by fills of many sizes, none lost or twice. */
static void test_short_reads_in_a_storm(void **state)
{
	static uint8_t got[600000], want[600000];
	size_t done = 0, next = 1025;
	int ends[2];
	pid_t pid;

	(void)state;
	for (uint64_t i = 0; i < sizeof(want) / 8; i++)
		memcpy(want + 8 * i, &(uint64_t){ i + 1 }, 8);
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		feed(ends[1], 100000);
	close(ends[1]);
	stand_in(ends[0]);
	storm(no_handler, 50);
	/* More than DIRECT empties the buffer first: keep to one kind. */
	while (done + next <= sizeof(got)) {
		assert_int_equal(shakerandom_fill(got + done, next), 0);
		done += next;
		next = next * 5 % 5003 + 1025;
	}
	calm();
	assert_memory_equal(got, want, done);
	close(ends[0]);
	shakerandom_setup("/dev/zero", SHAKERANDOM_STAND_IN);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void test_draws_in_handlers(void **state)
{
	size_t count = 1 << 20;
	uint64_t *v = shared(count + STORM_NUMBERS);
	int fd = any_source();

	(void)state;
	caught_count = 0;
	shakerandom_u64();
	storm(draw_in_handler, 50);
	for (size_t i = 0; i < count; i++)
		v[i] = shakerandom_u64();
	calm();
	assert_true(caught_count > 10);
	memcpy(v + count, caught, (size_t)caught_count * sizeof(*v));
	assert_all_different(v, count + (size_t)caught_count);
	munmap(v, (count + STORM_NUMBERS) * sizeof(*v));
	done_with(fd);
}

static volatile uint64_t latest, latest_but_one;

/* Two, and of different sizes, so that places differ. */
static void draw_two_in_handler(int sig)
{
	(void)sig;
	latest_but_one = shakerandom_u64();
	shakerandom_u32();
	latest = shakerandom_u64();
	caught_count++;
}

static void draw_amid_signals(size_t count)
{
	uint64_t last = 0;

	latest = latest_but_one = shakerandom_u64();
	while (count--) {
		uint64_t before = latest, drawn = shakerandom_u64();

		if (!drawn || !before || !latest_but_one || drawn == before ||
		    drawn == latest || drawn == latest_but_one || drawn == last)
			fail_msg("%" PRIx64 " twice", drawn);
		last = drawn;
	}
}

/*
 * Many more signals than numbers could be kept for: what goes wrong between a
 * draw and its handler is a number of both, or zeros where one has wiped what
 * the other takes.
 */
static void test_many_draws_in_handlers(void **state)
{
	int fd = any_source(), rounds = have_device() ? 5 : 50;

	(void)state;
	caught_count = 0;
	/* A kernel may have as few as a hundred ticks a second. */
	for (int i = 0; i < rounds || (caught_count <= 100 && i < 5000); i++) {
		if (fd >= 0)
			stand_in(fd);
		storm(draw_two_in_handler, 50);
		draw_amid_signals(1 << 20);
		calm();
	}
	assert_true(caught_count > 100);
	done_with(fd);
}

#define FORKS 60

static volatile sig_atomic_t forks, is_child;

/* The child returns into the draw that the signal came in. */
static void fork_in_handler(int sig)
{
	(void)sig;
	if (is_child || forks == FORKS)
		return;
	if (!fork())
		is_child = 1;
	else
		forks++;
}

/*
 * A draw amid which the fork came must not give a child zeros (the buffer was
 * wiped under it), and what it draws next none of its parent's numbers. The
 * first may be the parent's, if the signal came after the draw.
 */
static void test_fork_in_handlers(void **state)
{
	size_t count = 3000000, i = 0;
	uint64_t *v = shared(count + FORKS), *of_child = v + count;
	int fd = any_source();

	(void)state;
	forks = 0;
	shakerandom_u64();
	storm(fork_in_handler, 200);
	while (forks < FORKS && i < count) {
		uint64_t drawn = shakerandom_u64();

		if (is_child) {
			of_child[forks] = shakerandom_u64();
			_exit(drawn ? 0 : 1);
		}
		v[i++] = drawn;
	}
	calm();
	for (int status, n = 0; n < forks; n++) {
		while (waitpid(-1, &status, 0) < 0)
			assert_int_equal(errno, EINTR);
		assert_int_equal(status, 0);
	}
	assert_true(forks > 5);
	memmove(v + i, of_child, (size_t)forks * sizeof(*v));
	assert_all_different(v, i + (size_t)forks);
	munmap(v, (count + FORKS) * sizeof(*v));
	done_with(fd);
}

static sigjmp_buf back;

static void jump_out(int sig)
{
	(void)sig;
	siglongjmp(back, 1);
}

/* In a child: this thread loses its buffer by it. */
static void draw_and_jump(uint64_t *v, size_t count)
{
	volatile size_t i = 0;
	volatile int jumps = 0;

	shakerandom_u64();
	if (sigsetjmp(back, 1))
		jumps++;
	else
		storm(jump_out, 100);
	while (i < count) {
		v[i] = shakerandom_u64();
		i++;
	}
	calm();
	_exit(jumps > 1 ? 0 : 1);
}

static void test_jumps_out_of_draws(void **state)
{
	size_t count = 300000;
	uint64_t *v = shared(count);
	int fd = any_source();
	pid_t pid = fork();

	(void)state;
	if (!pid)
		draw_and_jump(v, count);
	wait_for(pid);
	assert_all_different(v, count);
	munmap(v, count * sizeof(*v));
	done_with(fd);
}

/* ---- threads that end ---- */

static void *draw_until_cancelled(void *unused)
{
	(void)unused;
	for (;;) {
		shakerandom_u64();
		usleep(1);
	}
	return NULL;
}

/* How many mappings of this process are wiped on fork: the threads' buffers. */
static int buffers(void)
{
	FILE *f = fopen("/proc/self/smaps", "r");
	char line[512];
	int count = 0;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, "VmFlags:", 8) && strstr(line, " wf"))
			count += strstr(line, " dd") ? 1 : 1000;
	fclose(f);
	return count;
}

static void test_cancelled_threads(void **state)
{
	int fd = any_source(), before;

	(void)state;
	shakerandom_u64();
	before = buffers();
	assert_true(before >= 1 && before < 1000);
	for (int i = 0; i < 50; i++) {
		pthread_t thread[WORKERS];

		for (int k = 0; k < WORKERS; k++)
			pthread_create(&thread[k], NULL, draw_until_cancelled,
				       NULL);
		usleep(500);
		for (int k = 0; k < WORKERS; k++) {
			void *result;

			pthread_cancel(thread[k]);
			pthread_join(thread[k], &result);
			assert_ptr_equal(result, PTHREAD_CANCELED);
		}
	}
	assert_int_equal(buffers(), before);
	assert_int_not_equal(shakerandom_u64(), shakerandom_u64());
	done_with(fd);
}

/* ---- what the buffer keeps ---- */

/* The words of the library's buffer that are numbers of the stand-in. */
static int numbers_left(uint64_t first, uint64_t last)
{
	FILE *f = fopen("/proc/self/smaps", "r");
	uintptr_t from = 0, to = 0, a, b;
	char line[512];
	int count = 0;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &a, &b) == 2) {
			from = a;
			to = b;
		}
		if (strncmp(line, "VmFlags:", 8) || !strstr(line, " wf"))
			continue;
		for (uint64_t *p = (uint64_t *)from; p < (uint64_t *)to; p++)
			count += *p >= first && *p <= last;
	}
	fclose(f);
	return count;
}

static void test_delivered_bytes_are_wiped(void **state)
{
	uint64_t first = UINT64_C(0x0123456700000000), last = first + 100000;
	int fd = numbers(first, 100000), full;
	uint8_t big[300];

	(void)state;
	stand_in(fd);
	shakerandom_u64();
	full = numbers_left(first, last);
	assert_in_range(full, 400, 1024);
	for (int i = 0; i < 100; i++)
		shakerandom_u64();
	assert_int_equal(numbers_left(first, last), full - 100);
	assert_int_equal(shakerandom_fill(big, 296), 0);
	assert_int_equal(numbers_left(first, last), full - 137);
	close(fd);
}

static void test_generation_empties_the_buffer(void **state)
{
	int fd = numbers(1, 10000);
	uint64_t moved = 77, before, after;

	(void)state;
	stand_in(fd);
	before = shakerandom_u64();
	assert_int_equal(shakerandom_u64(), before + 1);
	assert_int_equal(pwrite(fd, &moved, sizeof(moved), 0), sizeof(moved));
	after = shakerandom_u64();
	assert_true(after > before + 400);
	assert_int_equal(shakerandom_u64(), after + 1);
	close(fd);
}

static void test_setup_empties_the_buffer(void **state)
{
	int a = numbers(1000, 10000), b = numbers(500000, 10000);

	(void)state;
	stand_in(a);
	assert_int_equal(shakerandom_u64(), 1000);
	stand_in(b);
	assert_int_equal(shakerandom_u64(), 500000);
	close(a);
	close(b);
}

static void test_little_endian_numbers(void **state)
{
	int fd = numbers(UINT64_C(0x1122334455667788), 10000);
	uint64_t v[2];

	(void)state;
	stand_in(fd);
	assert_int_equal(shakerandom_u8(), 0x88);
	assert_int_equal(shakerandom_u16(), 0x6677);
	assert_int_equal(shakerandom_u32(), 0x22334455);
	assert_int_equal(shakerandom_u8(), 0x11);
	assert_int_equal(shakerandom_u64(), UINT64_C(0x1122334455667789));
	shakerandom_u128(v);
	assert_int_equal(v[0], UINT64_C(0x112233445566778a));
	assert_int_equal(v[1], UINT64_C(0x112233445566778b));
	close(fd);
}

/* ---- big fills ---- */

/* Every page of a program is a mapping of its host's, which allows 65530. */
static bool user_mode_linux(void)
{
	char vendor[200] = { 0 };
	int fd = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0 && read(fd, vendor, sizeof(vendor) - 1) > 0);
	close(fd);
	return strstr(vendor, "User Mode Linux");
}

/* 4 GiB + 8 of address space on 2 MiB of memory; the tail has its own. */
static void test_fill_past_4_gib(void **state)
{
	size_t piece = 2 << 20, size = ((size_t)1 << 32) + 8;
	int fd = memfd_create("window", 0), from = memfd_create("source", 0);
	uint64_t tail = UINT64_C(0xfedcba9876543210);
	uint8_t *buf;

	(void)state;
	if (sizeof(size_t) < 8)
		skip_because("an address space of 32 bits");
	if (user_mode_linux())
		skip_because("user-mode Linux cannot map a million pages");
	assert_int_equal(ftruncate(fd, (off_t)piece), 0);
	buf = mmap(NULL, size, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_ptr_not_equal(buf, MAP_FAILED);
	for (size_t at = 0; at + piece <= size; at += piece)
		assert_ptr_equal(mmap(buf + at, piece, PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_FIXED, fd, 0), buf + at);
	assert_int_equal(ftruncate(from, (off_t)size), 0);
	assert_int_equal(pwrite(from, &tail, 8, (off_t)size - 8), 8);
	stand_in(from);
	assert_int_equal(shakerandom_fill(buf, size), 0);
	assert_memory_equal(buf + size - 8, &tail, 8);
	assert_int_equal(shakerandom_fill(buf, 2000), SHAKERANDOM_ERR_END);
	munmap(buf, size);
	close(fd);
	close(from);
}

static void test_fills_of_all_sizes(void **state)
{
	static uint8_t buf[20000], zero[20000];
	int fd = any_source();

	(void)state;
	for (size_t len = 0; len < 300; len++) {
		memset(buf, 0, sizeof(buf));
		assert_int_equal(shakerandom_fill(buf + 1, len), 0);
		assert_memory_equal(buf + 1 + len, zero, 100);
		assert_int_equal(buf[0], 0);
		if (len >= 16)
			assert_memory_not_equal(buf + 1, zero, len);
	}
	for (size_t len = 1; len < sizeof(buf); len = len * 3 / 2 + 1)
		assert_int_equal(shakerandom_fill(buf, len), 0);
	done_with(fd);
}

/* ---- errors ---- */

static void test_errors(void **state)
{
	char *none = strdup("/tmp/shakerandom-none"), *dir = "/tmp";
	uint64_t v;

	(void)state;
	unlink(none);
	any_source();
	v = shakerandom_u64();
	assert_int_equal(shakerandom_setup(none, 0), SHAKERANDOM_ERR_MISSING);
	assert_int_equal(shakerandom_setup("/dev/null/x", 0),
			 SHAKERANDOM_ERR_MISSING);
	assert_int_equal(shakerandom_setup("/dev/null", 0),
			 SHAKERANDOM_ERR_NOT_DEVICE);
	assert_int_equal(shakerandom_setup(dir, 0), SHAKERANDOM_ERR_NOT_DEVICE);
	assert_int_equal(shakerandom_setup(NULL, 8), SHAKERANDOM_ERR_ARGUMENT);
	/* All of them left things as they were. */
	assert_true(shakerandom_source() >= 0);
	assert_int_not_equal(shakerandom_u64(), v);
	for (int err = 5; err > -30; err--)
		assert_true(strlen(shakerandom_strerror(err)) > 5);
	for (int err = 0; err > -13; err--)
		assert_string_not_equal(shakerandom_strerror(err),
					shakerandom_strerror(err - 1));
	free(none);
}

static bool pretends_to_be_old;

/* The library's calls come here as well. */
int ioctl(int fd, unsigned long request, ...)
{
	va_list arguments;
	void *argument;

	va_start(arguments, request);
	argument = va_arg(arguments, void *);
	va_end(arguments);
	if (pretends_to_be_old && request == SHAKERANDOM_IOC_INFO) {
		memset(argument, 0, sizeof(struct shakerandom_info));
		return 0;
	}
	return (int)syscall(SYS_ioctl, fd, request, argument);
}

static void test_too_old(void **state)
{
	int err;

	(void)state;
	pretends_to_be_old = true;
	err = shakerandom_setup("/dev/null", 0);
	pretends_to_be_old = false;
	assert_int_equal(err, SHAKERANDOM_ERR_TOO_OLD);
}

static void test_permission(void **state)
{
	char name[] = "/tmp/shakerandom-XXXXXX";
	int fd = mkstemp(name), err;

	(void)state;
	fchmod(fd, 0);
	if (!geteuid())
		assert_int_equal(seteuid(65534), 0);
	err = shakerandom_setup(name, 0);
	if (!getuid())
		assert_int_equal(seteuid(0), 0);
	unlink(name);
	close(fd);
	assert_int_equal(err, SHAKERANDOM_ERR_PERMISSION);
}

static void test_no_descriptors_left(void **state)
{
	struct rlimit old, none;
	int err;

	(void)state;
	getrlimit(RLIMIT_NOFILE, &old);
	none = old;
	none.rlim_cur = 3;
	setrlimit(RLIMIT_NOFILE, &none);
	err = shakerandom_setup("/dev/null", 0);
	setrlimit(RLIMIT_NOFILE, &old);
	assert_int_equal(err, SHAKERANDOM_ERR_DESCRIPTORS);
}

static void test_getrandom_only_when_asked(void **state)
{
	struct shakerandom_params p = {
		.format = SHAKERANDOM_CHACHA20,
		.seed = "0123456789abcdef0123456789abcdef",
		.seed_len = 32,
	};
	shakerandom_stream *s = (void *)1;
	uint8_t big[5000] = { 0 };

	(void)state;
	assert_int_equal(shakerandom_setup("/tmp/none",
					   SHAKERANDOM_OR_GETRANDOM), 0);
	assert_int_equal(shakerandom_source(), SHAKERANDOM_SOURCE_GETRANDOM);
	assert_int_not_equal(shakerandom_u64(), shakerandom_u64());
	assert_int_equal(shakerandom_fill(big, sizeof(big)), 0);
	assert_memory_not_equal(big, big + 2500, 2500);
	assert_int_equal(shakerandom_stream_open(&s, &p),
			 SHAKERANDOM_ERR_MISSING);
	assert_null(s);
}

/* A value that cannot be had ends the program. */
static void test_no_value_no_program(void **state)
{
	int fd = numbers(1, 1), status;
	pid_t pid;

	(void)state;
	stand_in(fd);
	pid = fork();
	if (!pid) {
		struct rlimit none = { 0, 0 };

		setrlimit(RLIMIT_CORE, &none);
		close(2);
		signal(SIGABRT, SIG_DFL);
		shakerandom_u64();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	assert_int_equal(shakerandom_fill(&status, 4), SHAKERANDOM_ERR_END);
	close(fd);
}

/* ---- filters of system calls ---- */

static bool draw_a_lot(void)
{
	static uint8_t big[100000];
	uint64_t all = 0;

	for (int i = 0; i < 20000; i++)
		all |= shakerandom_u64();
	return all == UINT64_MAX && !shakerandom_fill(big, sizeof(big));
}

#define NO_FILTERS 77		/* a child's status */

static void only_read(unsigned int otherwise)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_read, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, otherwise),
	};
	struct sock_fprog program = {
		.len = sizeof(code) / sizeof(code[0]),
		.filter = code,
	};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(errno == EINVAL ? NO_FILTERS : 2);
}

/* False: there are no filters. */
static bool draw_under(unsigned int flags, unsigned int otherwise)
{
	int fd = have_device() ? -1 : numbers(UINT64_C(0x123456789), 1 << 16);
	pid_t pid = fork();
	int status;

	if (!pid) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		if (shakerandom_setup(fd < 0 ? NULL : path, fd < 0 ? flags :
				      flags | SHAKERANDOM_STAND_IN))
			_exit(3);
		shakerandom_u64();
		only_read(otherwise);
		_exit(draw_a_lot() || fd >= 0 ? 0 : 4);
	}
	waitpid(pid, &status, 0);
	done_with(fd);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_FILTERS)
		return false;
	assert_int_equal(status, 0);
	return true;
}

static void test_only_read_or_death(void **state)
{
	(void)state;
	if (!draw_under(SHAKERANDOM_READ_ONLY, SECCOMP_RET_KILL_PROCESS))
		skip_because("this kernel has no seccomp filters");
}

static void test_only_read_or_eperm(void **state)
{
	(void)state;
	if (!draw_under(0, SECCOMP_RET_ERRNO | EPERM))
		skip_because("this kernel has no seccomp filters");
}

/* ---- descriptors ---- */

/* What a program does that becomes a daemon; its files take the numbers. */
static void close_all_and_reuse(const char *with)
{
	for (int fd = 3; fd < 100; fd++)
		close(fd);
	for (int fd = 3; fd < 100; fd++)
		if (open(with, O_RDWR) < 0)
			_exit(5);
}

static void test_descriptor_taken_over(void **state)
{
	pid_t pid;

	(void)state;
	need_device();
	assert_int_equal(shakerandom_setup(NULL, 0), 0);
	pid = fork();
	if (!pid) {
		shakerandom_u64();
		close_all_and_reuse("/dev/zero");
		_exit(draw_a_lot() ? 0 : 4);
	}
	wait_for(pid);
}

static const struct shakerandom_params some_stream = {
	.format = SHAKERANDOM_AES256_CTR,
	.flags = SHAKERANDOM_TEXT,
	.seed = "seed",
	.seed_len = 4,
};

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

/* A seeded stream on its number must not pass for the secure source. */
static void test_descriptor_taken_by_a_stream(void **state)
{
	pid_t pid;

	(void)state;
	need_device();
	assert_int_equal(shakerandom_setup(NULL, 0), 0);
	pid = fork();
	if (!pid) {
		static uint8_t random[50000], stream[50000];
		shakerandom_stream *s[100];

		shakerandom_u64();
		for (int fd = 3; fd < 100; fd++)
			close(fd);
		for (int i = 0; !is_open(60); i++)
			if (shakerandom_stream_open(&s[i], &some_stream))
				_exit(3);
		if (shakerandom_fill(random, sizeof(random)) ||
		    shakerandom_stream_fill(s[0], stream, sizeof(stream)))
			_exit(4);
		_exit(memcmp(random, stream, 16) ? 0 : 5);
	}
	wait_for(pid);
}

static void open_two(shakerandom_stream *s[2], uint8_t first[2][100])
{
	struct shakerandom_params p = some_stream;

	for (int i = 0; i < 2; i++) {
		p.number = (uint64_t)i;
		assert_int_equal(shakerandom_stream_open(&s[i], &p), 0);
		assert_int_equal(shakerandom_stream_fill(s[i], first[i], 100),
				 0);
	}
}

/* The second takes the first's number when it is opened anew. */
static void test_streams_trade_descriptors(void **state)
{
	static uint8_t want[2][20000], got[2][20000], first[2][100];
	shakerandom_stream *s[2];
	pid_t pid;

	(void)state;
	need_device();
	assert_int_equal(shakerandom_setup(NULL, 0), 0);
	open_two(s, first);
	for (int i = 0; i < 2; i++)
		assert_int_equal(shakerandom_stream_pread(s[i], want[i], 20000,
							  100), 0);
	pid = fork();
	if (!pid) {
		for (int fd = 3; fd < 100; fd++)
			close(fd);
		for (int i = 1; i >= 0; i--)
			if (shakerandom_stream_fill(s[i], got[i], 20000))
				_exit(3);
		_exit(memcmp(got, want, sizeof(got)) ? 4 : 0);
	}
	wait_for(pid);
	for (int i = 0; i < 2; i++)
		shakerandom_stream_close(s[i]);
}

/* ---- streams in several processes ---- */

static void draw_after_fork(uint32_t format, uint32_t seed_len, int again)
{
	static const uint8_t seed[136];
	struct shakerandom_params p = {
		.format = format, .seed = seed, .seed_len = seed_len,
	};
	uint8_t *got = (uint8_t *)shared(10000), *want = got + 30000;
	shakerandom_stream *s;
	pid_t pid;

	assert_int_equal(shakerandom_stream_open(&s, &p), 0);
	assert_int_equal(shakerandom_stream_fill(s, want, 30000), 0);
	shakerandom_stream_close(s);
	assert_int_equal(shakerandom_stream_open(&s, &p), 0);
	assert_int_equal(shakerandom_stream_fill(s, got, 100), 0);
	pid = fork();
	if (!pid)
		_exit(shakerandom_stream_fill(s, got + 100, 20000) ||
		      memcmp(got, want, 20100));
	wait_for(pid);
	memset(got + 100, 0, 20000);
	assert_int_equal(shakerandom_stream_fill(s, got + 100, 20000), again);
	if (!again)
		assert_memory_equal(got, want, 20100);
	shakerandom_stream_close(s);
	munmap(got, 80000);
}

static void test_streams_after_fork(void **state)
{
	(void)state;
	need_device();
	assert_int_equal(shakerandom_setup(NULL, 0), 0);
	draw_after_fork(SHAKERANDOM_CHACHA8, 32, 0);
	draw_after_fork(SHAKERANDOM_SHAKE256_CTR, 9, 0);
	draw_after_fork(SHAKERANDOM_SHAKE128, 9, 0);
	draw_after_fork(SHAKERANDOM_AES256_ERASE, 32,
			SHAKERANDOM_ERR_FORGOTTEN);
}

static void test_stream_in_a_storm(void **state)
{
	size_t size = 8 << 20;
	uint8_t *got = malloc(size), *want = malloc(size);
	shakerandom_stream *s;

	(void)state;
	need_device();
	assert_int_equal(shakerandom_setup(NULL, 0), 0);
	assert_int_equal(shakerandom_stream_open(&s, &some_stream), 0);
	assert_int_equal(shakerandom_stream_pread(s, want, size, 0), 0);
	storm(no_handler, 300);
	for (size_t done = 0, n = 1; done < size; done += n) {
		n = n * 3 % 1000003;
		if (n > size - done)
			n = size - done;
		assert_int_equal(shakerandom_stream_fill(s, got + done, n), 0);
	}
	calm();
	assert_true(!memcmp(got, want, size));
	shakerandom_stream_close(s);
	free(got);
	free(want);
}

static void test_copies(void **state)
{
	shakerandom_stream *s, *copy;
	uint64_t v;

	(void)state;
	need_device();
	assert_int_equal(shakerandom_setup(NULL, 0), 0);
	assert_int_equal(shakerandom_stream_open(&s, &some_stream), 0);
	shakerandom_stream_u8(s);
	assert_int_equal(shakerandom_stream_copy(&copy, s), 0);
	assert_true(shakerandom_stream_equal(copy, s));
	v = shakerandom_stream_u64(s);
	assert_false(shakerandom_stream_equal(copy, s));
	assert_int_equal(shakerandom_stream_u64(copy), v);
	shakerandom_stream_close(copy);
	assert_int_equal(shakerandom_stream_fd(s) >= 0, 1);
	shakerandom_stream_close(s);
}

static void test_bad_states(void **state)
{
	static const char *const bad[] = {
		"", " ", "shakerandom-1", "shakerandom-2 chacha8 0 0 0",
#define KEY "0000000000000000000000000000000000000000000000000000000000000000"
#define NONCE "00000000000000000000000000000000"
		"shakerandom-1 none 0 0 0 " KEY " " NONCE " 1",
		"shakerandom-1 chacha8 4 0 0 " KEY " " NONCE " 1",
		"shakerandom-1 chacha8 0 4 0 " KEY " " NONCE " 1",
		"shakerandom-1 chacha8 0 2 0 " KEY " " NONCE " 1",
		"shakerandom-1 chacha8 0 0 -1 " KEY " " NONCE " 1",
		"shakerandom-1 chacha8 0 0 9223372036854775808 " KEY " " NONCE
			" 1",
		"shakerandom-1 chacha8 0 0 99999999999999999999 " KEY " " NONCE
			" 1",
		"shakerandom-1 chacha8 0 0 0 00 " NONCE " 1",
		"shakerandom-1 chacha8 0 0 0 - " NONCE " 1",
		"shakerandom-1 chacha8 0 0 0 0" KEY " " NONCE " 1",
		"shakerandom-1 chacha8 0 0 0 " KEY " 00 1",
		"shakerandom-1 chacha8 0 0 0 " KEY " " NONCE " 0",
		"shakerandom-1 chacha8 0 0 0 " KEY " " NONCE " 2",
		"shakerandom-1 chacha8 1 0 0 " KEY " " NONCE " G",
		"shakerandom-1 chacha8 0 0 0 " KEY " " NONCE " 1 ",
		"shakerandom-1 chacha8 0 0 0  " KEY " " NONCE " 1",
		"shakerandom-1 shake256 0 0 0 00 0" NONCE " 1",
		"shakerandom-1 shake256 0 0 0 00 1" NONCE " 1",
		"shakerandom-1 aes256-erase 0 0 0 " KEY " " NONCE " 1",
	};
	shakerandom_stream *s;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		s = (void *)1;
		if (shakerandom_stream_restore(&s, bad[i]) !=
		    SHAKERANDOM_ERR_STATE || s)
			fail_msg("taken for a state: %s", bad[i]);
	}
	need_device();
	assert_int_equal(shakerandom_setup(NULL, 0), 0);
	assert_int_equal(shakerandom_stream_restore(&s,
		"shakerandom-1 chacha8 1 0 77 " KEY " " NONCE " 2"), 0);
	assert_int_equal(shakerandom_stream_position(s), 77);
	assert_false(shakerandom_stream_bool(s));
	assert_int_equal(shakerandom_stream_position(s), 77);
	shakerandom_stream_close(s);
}

/* ---- UUIDs ---- */

static void *make_uuids(void *to)
{
	for (int i = 0; i < 5000; i++)
		shakerandom_uuid7((uint8_t *)to + 16 * i);
	return NULL;
}

static int compare_uuids(const void *a, const void *b)
{
	return memcmp(a, b, 16);
}

static void test_uuid7(void **state)
{
	static uint8_t uuid[WORKERS][5000][16];
	uint8_t (*all)[16] = uuid[0];
	pthread_t thread[WORKERS];
	struct timespec now;
	uint64_t ms = 0;
	int fd = any_source();

	(void)state;
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&thread[i], NULL, make_uuids, uuid[i]);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < WORKERS; i++)
		for (int k = 1; k < 5000; k++)
			assert_true(memcmp(uuid[i][k - 1], uuid[i][k], 16) < 0);
	qsort(all, WORKERS * 5000, 16, compare_uuids);
	for (int i = 0; i < WORKERS * 5000; i++) {
		assert_int_equal(all[i][6] >> 4, 7);
		assert_int_equal(all[i][8] >> 6, 2);
		/* By the first 8 bytes alone, no two are the same. */
		assert_true(!i || memcmp(all[i - 1], all[i], 8) < 0);
	}
	clock_gettime(CLOCK_REALTIME, &now);
	for (int i = 0; i < 6; i++)
		ms = ms << 8 | all[0][i];
	assert_in_range(ms, (uint64_t)(now.tv_sec - 100) * 1000,
			(uint64_t)(now.tv_sec + 1) * 1000);
	done_with(fd);
}

static void test_uuid4(void **state)
{
	uint8_t uuid[16], all_set[16] = { 0 };
	char text[37];
	int fd = any_source();

	(void)state;
	for (int i = 0; i < 1000; i++) {
		shakerandom_uuid4(uuid);
		assert_int_equal(uuid[6] >> 4, 4);
		assert_int_equal(uuid[8] >> 6, 2);
		for (int k = 0; k < 16; k++)
			all_set[k] |= uuid[k];
	}
	if (have_device())
		for (int k = 0; k < 16; k++)
			assert_int_equal(all_set[k], k == 6 ? 0x4f :
					 k == 8 ? 0xbf : 0xff);
	for (int k = 0; k < 16; k++)
		uuid[k] = (uint8_t)(k * 17);
	shakerandom_uuid_text(uuid, text);
	assert_string_equal(text, "00112233-4455-6677-8899-aabbccddeeff");
	done_with(fd);
}

/* ---- the rest ---- */

static void test_formats(void **state)
{
	(void)state;
	for (uint32_t f = 1; f <= SHAKERANDOM_AES256_ERASE; f++) {
		const struct shakerandom_description *d =
			shakerandom_describe(f);

		assert_non_null(d);
		assert_int_equal(d->format, f);
		assert_ptr_equal(shakerandom_describe_name(d->name), d);
		assert_int_equal(d->seekable, f <= SHAKERANDOM_SHAKE256_CTR);
		assert_int_equal(d->forgets, f >= SHAKERANDOM_SHAKE256_RATCHET);
	}
	assert_null(shakerandom_describe(0));
	assert_null(shakerandom_describe(64));
	assert_null(shakerandom_describe_name("chacha"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_children_and_threads),
		cmocka_unit_test(test_fork_while_threads_draw),
		cmocka_unit_test(test_short_reads_in_a_storm),
		cmocka_unit_test(test_draws_in_handlers),
		cmocka_unit_test(test_many_draws_in_handlers),
		cmocka_unit_test(test_fork_in_handlers),
		cmocka_unit_test(test_jumps_out_of_draws),
		cmocka_unit_test(test_cancelled_threads),
		cmocka_unit_test(test_delivered_bytes_are_wiped),
		cmocka_unit_test(test_generation_empties_the_buffer),
		cmocka_unit_test(test_setup_empties_the_buffer),
		cmocka_unit_test(test_little_endian_numbers),
		cmocka_unit_test(test_fill_past_4_gib),
		cmocka_unit_test(test_fills_of_all_sizes),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_too_old),
		cmocka_unit_test(test_permission),
		cmocka_unit_test(test_no_descriptors_left),
		cmocka_unit_test(test_getrandom_only_when_asked),
		cmocka_unit_test(test_no_value_no_program),
		cmocka_unit_test(test_only_read_or_death),
		cmocka_unit_test(test_only_read_or_eperm),
		cmocka_unit_test(test_descriptor_taken_over),
		cmocka_unit_test(test_descriptor_taken_by_a_stream),
		cmocka_unit_test(test_streams_trade_descriptors),
		cmocka_unit_test(test_streams_after_fork),
		cmocka_unit_test(test_stream_in_a_storm),
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_bad_states),
		cmocka_unit_test(test_uuid7),
		cmocka_unit_test(test_uuid4),
		cmocka_unit_test(test_formats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
