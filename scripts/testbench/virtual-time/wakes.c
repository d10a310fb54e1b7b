// SPDX-License-Identifier: GPL-2.0
/*
 * How late a thread goes on that sleeps on a CPU of its own: after short and after long sleeps
 * of the machine, and after a long one while the other CPU works, which tells how long that one
 * stood still meanwhile. Medians, in ns.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define TIMES	21
#define MS	1000000ll

static volatile unsigned int word;
static volatile long long woken;

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 * MS + t.tv_nsec;
}

static void on_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		exit(1);
}

static int order(const void *a, const void *b)
{
	long long x = *(const long long *)a, y = *(const long long *)b;

	return (x > y) - (x < y);
}

static long long median(long long *of)
{
	qsort(of, TIMES, sizeof(*of), order);
	return of[TIMES / 2];
}

static long long late_after(long long ns)
{
	long long late[TIMES], at;
	struct timespec t;
	int i;

	for (i = 0; i < TIMES; i++) {
		at = now() + ns;
		t = (struct timespec){ at / (1000 * MS), at % (1000 * MS) };
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
		late[i] = now() - at;
	}
	return median(late);
}

static void *sleeper(void *arg)
{
	unsigned int seen;

	(void)arg;
	on_cpu(1);
	for (seen = 0; seen < TIMES; seen++) {
		syscall(SYS_futex, &word, FUTEX_WAIT, seen, NULL, NULL, 0);
		woken = now();
	}
	return NULL;
}

static void beside_work(void)
{
	long long late[TIMES], still[TIMES], at, last, t;
	pthread_t thread;
	int i;

	pthread_create(&thread, NULL, sleeper, NULL);
	for (i = 0; i < TIMES; i++) {
		for (t = now() + 5 * MS; now() < t;)
			;
		woken = still[i] = 0;
		word++;
		at = last = now();
		syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
		while (!woken) {
			t = now();
			if (t - last > still[i])
				still[i] = t - last;
			last = t;
		}
		late[i] = woken - at;
	}
	pthread_join(thread, NULL);
	printf("beside %lld\nstill %lld\n", median(late), median(still));
}

int main(void)
{
	prctl(PR_SET_TIMERSLACK, 1);
	on_cpu(0);
	printf("short %lld\n", late_after(300000));
	printf("long %lld\n", late_after(5 * MS));
	beside_work();
	return 0;
}
