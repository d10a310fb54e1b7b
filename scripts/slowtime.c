// SPDX-License-Identifier: GPL-2.0
/*
 * Slow time: a library to preload. CLOCK_MONOTONIC passes $SLOW times more
 * slowly, and waits last that much longer, for QEMU and for the GPU model
 * alike. To the guest its machine is as much faster: so a kernel that checks
 * itself, or a busy host, needs no other time limits in the tests.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S	1000000000LL

static long long slow;

static struct {
	__typeof__(clock_gettime) *clock_gettime;
	__typeof__(clock_nanosleep) *clock_nanosleep;
	__typeof__(ppoll) *ppoll;
	__typeof__(pthread_cond_timedwait) *pthread_cond_timedwait;
} real;

#define LOOK_UP(f)	(real.f = dlsym(RTLD_NEXT, #f))

/* Others' constructors may ask for the time before ours has run. */
static __attribute__((constructor)) void look_up(void)
{
	const char *s = getenv("SLOW");
	long n = s ? atol(s) : 1;

	if (slow)
		return;
	LOOK_UP(clock_gettime);
	LOOK_UP(clock_nanosleep);
	LOOK_UP(ppoll);
	LOOK_UP(pthread_cond_timedwait);
	slow = n > 0 ? n : 1;
}

static struct timespec scaled(const struct timespec *ts, long long num, long long den)
{
	long long s = ts->tv_sec * num, ns = ts->tv_nsec * num + s % den * NS_PER_S;
	struct timespec r;

	ns /= den;
	r.tv_sec = s / den + ns / NS_PER_S;
	r.tv_nsec = ns % NS_PER_S;
	return r;
}

int clock_gettime(clockid_t clock, struct timespec *ts)
{
	int ret;

	look_up();
	ret = real.clock_gettime(clock, ts);
	if (!ret && clock == CLOCK_MONOTONIC)
		*ts = scaled(ts, 1, slow);
	return ret;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *ts, struct timespec *left)
{
	struct timespec t = *ts;
	int ret;

	look_up();
	if (clock == CLOCK_MONOTONIC || !(flags & TIMER_ABSTIME))
		t = scaled(ts, slow, 1);
	ret = real.clock_nanosleep(clock, flags, &t, left);
	if (ret == EINTR && left && !(flags & TIMER_ABSTIME))
		*left = scaled(left, 1, slow);
	return ret;
}

int nanosleep(const struct timespec *ts, struct timespec *left)
{
	int ret = clock_nanosleep(CLOCK_REALTIME, 0, ts, left);

	if (ret)
		errno = ret;
	return ret ? -1 : 0;
}

int usleep(useconds_t us)
{
	struct timespec ts = { us / 1000000, us % 1000000 * 1000L };

	return nanosleep(&ts, NULL);
}

int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *ts, const sigset_t *mask)
{
	struct timespec t;

	look_up();
	if (ts)
		t = scaled(ts, slow, 1);
	return real.ppoll(fds, n, ts ? &t : NULL, mask);
}

int poll(struct pollfd *fds, nfds_t n, int ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000L };

	return ppoll(fds, n, ms < 0 ? NULL : &ts, NULL);
}

/* QEMU and the model give all their conditions CLOCK_MONOTONIC. */
int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *ts)
{
	struct timespec t;

	look_up();
	t = scaled(ts, slow, 1);
	return real.pthread_cond_timedwait(cond, mutex, &t);
}
