// SPDX-License-Identifier: GPL-2.0
/* Unit tests of virtual time: actors run in the order of their times, each when it is due. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host/clock.h"
#include "host/log.h"
#include "tap.h"

#define US	1000ull
#define MS	1000000ull

static unsigned int warnings;
static char warning[256];

/* In place of the log's. */
void log_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(warning, sizeof(warning), fmt, ap);
	va_end(ap);
	warnings++;
}

static int page(size_t bytes, int seals)
{
	int fd = memfd_create("clock", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0 || ftruncate(fd, bytes) || fcntl(fd, F_ADD_SEALS, seals))
		return -1;
	return fd;
}

static void test_pages(void)
{
	ok(clock_share(99) == -EBADF, "a descriptor that is none is refused");
	ok(clock_share(page(4096, 0)) == -EINVAL, "so is memory that can be taken away");
	ok(clock_share(page(4095, F_SEAL_SHRINK)) == -EINVAL, "and too little memory");
	ok(!clock_shared() && !clock_share(page(4096, F_SEAL_SHRINK)) && clock_shared(),
	   "a sealed page is taken");
}

/* What ran, a letter each. */
static char order[16];
static unsigned int ran;

static u64 once(void *arg)
{
	if (ran < sizeof(order) - 1)
		order[ran++] = *(const char *)arg;
	return NEVER;
}

static void test_order(void)
{
	struct actor a, b;
	u64 begin = gpu_now();

	actor_start(&a, "a", once, "a");
	actor_start(&b, "b", once, "b");
	clock_run_until(begin);
	ok(!strcmp(order, "ab"), "each actor runs at its start, in their order");
	actor_kick_at(&a, begin + 20 * US);
	actor_kick_at(&b, begin + 10 * US);
	clock_run_until(begin + 9 * US);
	ok(ran == 2 && gpu_now() == begin + 9 * US, "none runs before it is due");
	clock_run_until(begin + 30 * US);
	ok(!strcmp(order, "abba") && gpu_now() == begin + 30 * US, "the earlier one runs first");
	actor_stop(&a);
	actor_kick(&b);
	clock_run_until(begin + 30 * US);
	ok(!strcmp(order, "abbab"), "one that is stopped runs no more, the other one does");
	actor_stop(&b);
}

static unsigned int spins;

/* Has always more to do, at once. */
static u64 spin(void *arg)
{
	(void)arg;
	spins++;
	return 1;
}

static u64 tick(void *arg)
{
	++*(unsigned int *)arg;
	return gpu_now() + 100 * US;
}

static void test_bound(void)
{
	unsigned int ticks = 0;
	struct actor other, a;

	actor_start(&a, "gpu-spin", spin, NULL);
	actor_start(&other, "gpu-other", tick, &ticks);
	alarm(10);
	clock_run_until(gpu_now() + 1 * MS);
	ok(true, "time goes on beside an actor that always wants to run at once");
	ok(warnings == 1 && strstr(warning, "gpu-spin"), "a warning names it, once");
	ok(ticks == 11, "the others run when they are due");
	ok(spins > 900 && spins < 200000, "it runs on, a microsecond apart");
	actor_stop(&other);
	actor_stop(&a);
}

int main(void)
{
	test_pages();
	test_order();
	test_bound();
	return tap_done();
}
