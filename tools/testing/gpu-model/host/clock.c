// SPDX-License-Identifier: GPL-2.0
/* Model time and actors; see clock.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "host/clock.h"
#include "host/clock_shm.h"
#include "host/log.h"
#include "host/params.h"

/* The guest's clock begins at 0, which means "none" in too many places. */
#define BEGIN_NS	1000000000ull

/* An actor that runs so often at one instant would never end: a defect. */
#define RUNS_MAX	100000
/* So that the machine lives all the same, it runs no more often than this from then on. */
#define DEFECT_NS	1000

/**
 * struct clock - virtual time; @shm is NULL in real time
 * @lock:	excludes the actors and the threads of the sockets
 * @actors:	in the order in which they started: at equal times the first one runs
 * @now:	model time
 */
static struct {
	struct clock_shm *shm;
	pthread_mutex_t lock;
	struct actor *actors;
	u64 now;
	pthread_t thread;
	bool serving, stop;
} clk = { .lock = PTHREAD_MUTEX_INITIALIZER, .now = BEGIN_NS };

u64 gpu_now(void)
{
	struct timespec ts;

	if (clk.shm)
		return __atomic_load_n(&clk.now, __ATOMIC_RELAXED);
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

bool clock_shared(void)
{
	return clk.shm;
}

/* ---- virtual time ---- */

static void set_now(u64 t)
{
	__atomic_store_n(&clk.now, t, __ATOMIC_RELAXED);
	atomic_store_explicit(&clk.shm->now, t - BEGIN_NS, memory_order_relaxed);
	atomic_store_explicit(&clk.shm->runs, 0, memory_order_relaxed);
}

static u64 when(const struct actor *a)
{
	u64 t = a->asked < a->due ? a->asked : a->due;

	return a->defect && t < a->ran + DEFECT_NS ? a->ran + DEFECT_NS : t;
}

static struct actor *first_actor(void)
{
	struct actor *a, *first = clk.actors;

	for (a = first; a; a = a->next)
		if (when(a) < when(first))
			first = a;
	return first;
}

static void count_run(struct actor *a)
{
	if (a->ran != clk.now)
		a->runs = 0;
	a->ran = clk.now;
	if (++a->runs < RUNS_MAX || a->defect)
		return;
	log_warn("%s ran %u times while no time passed: it has to wait from now on", a->name, a->runs);
	a->defect = true;
}

static void run_actor(struct actor *a)
{
	struct clock_shm *s = clk.shm;

	snprintf(s->doing, sizeof(s->doing), "%s", a->name);
	atomic_fetch_add_explicit(&s->runs, 1, memory_order_relaxed);
	if (a->asked <= clk.now)
		a->asked = NEVER;
	count_run(a);
	a->due = a->run(a->arg);
	s->doing[0] = '\0';
}

/* Do all that is due until @target, or until an interrupt is to be delivered. */
static void run_until(u64 target, bool to_interrupt)
{
	struct clock_shm *s = clk.shm;
	struct actor *a;
	u64 t, irq;

	for (;;) {
		irq = to_interrupt ? atomic_load(&s->interrupt) : CLOCK_NEVER;
		if (irq < target - BEGIN_NS)
			target = irq + BEGIN_NS;
		a = first_actor();
		t = a ? when(a) : NEVER;
		if (t > target)
			break;
		if (t > clk.now)
			set_now(t);
		run_actor(a);
	}
	if (target > clk.now)
		set_now(target);
}

void clock_publish(void)
{
	struct actor *a = first_actor();
	u64 t = a ? when(a) : NEVER;

	if (!clk.shm)
		return;
	if (t != NEVER)
		t = t > BEGIN_NS ? t - BEGIN_NS : 0;
	atomic_store(&clk.shm->next, t);
}

void clock_enter(bool access)
{
	u64 t;

	if (!clk.shm)
		return;
	pthread_mutex_lock(&clk.lock);
	t = access ? atomic_load(&clk.shm->access) + BEGIN_NS : 0;
	if (t > clk.now)
		run_until(t, false);
}

void clock_leave(void)
{
	if (!clk.shm)
		return;
	clock_publish();
	pthread_mutex_unlock(&clk.lock);
}

bool clock_interrupt(void)
{
	u64 t = clk.now - BEGIN_NS + param.interrupt_ns, none = CLOCK_NEVER;

	if (!clk.shm)
		return false;
	/* One that is under way announces this one as well: the handler empties the ring. */
	atomic_compare_exchange_strong(&clk.shm->interrupt, &none, t);
	return true;
}

static void serve(u64 target, bool to_interrupt)
{
	pthread_mutex_lock(&clk.lock);
	run_until(target, to_interrupt);
	clock_publish();
	pthread_mutex_unlock(&clk.lock);
}

void clock_run_until(u64 t)
{
	serve(t, false);
}

static void *clock_thread(void *arg)
{
	struct clock_shm *s = clk.shm;
	u32 seen = atomic_load(&s->answered);

	(void)arg;
	while (!__atomic_load_n(&clk.stop, __ATOMIC_RELAXED)) {
		if (clock_wait(&s->asked, seen, 100))
			continue;
		seen = atomic_load(&s->asked);
		serve(s->target + BEGIN_NS, s->order == CLOCK_RUN_IDLE);
		atomic_store(&s->answered, seen);
		clock_wake(&s->answered);
	}
	return NULL;
}

int clock_share(int fd)
{
	struct clock_shm *s = clock_map(fd);

	if (!s)
		return -errno;
	s->pid = getpid();
	s->read_ns = param.mmio_read_ns;
	s->write_ns = param.mmio_write_ns;
	s->pause_ns = param.pause_ns;
	s->wake_ns = param.cpu_wake_ns;
	s->sleep_ns = CPU_SLEEP_NS;
	atomic_store(&s->next, CLOCK_NEVER);
	atomic_store(&s->interrupt, CLOCK_NEVER);
	clk.shm = s;
	return 0;
}

int clock_start(void)
{
	int err;

	if (!clk.shm)
		return 0;
	err = pthread_create(&clk.thread, NULL, clock_thread, NULL);
	if (err)
		return -err;
	pthread_setname_np(clk.thread, "gpu-clock");
	clk.serving = true;
	pthread_mutex_lock(&clk.lock);
	clock_publish();
	pthread_mutex_unlock(&clk.lock);
	atomic_store(&clk.shm->version, CLOCK_SHM_VERSION);
	return 0;
}

/* For whoever asks why the guest ended: QEMU may not have had the time to say it. */
static void say_end(struct clock_shm *s)
{
	u64 next = atomic_load(&s->next);

	fprintf(stderr, "gpu-model: its time ended at %.6f s, the guest at %.6f s, doing: %.31s; ",
		atomic_load(&s->now) / 1e9, atomic_load(&s->guest) / 1e9,
		s->doing[0] ? s->doing : "nothing");
	if (next == CLOCK_NEVER)
		fprintf(stderr, "no event to come\n");
	else
		fprintf(stderr, "next event at %.6f s\n", next / 1e9);
}

void clock_stop(void)
{
	if (!clk.serving)
		return;
	say_end(clk.shm);
	__atomic_store_n(&clk.stop, true, __ATOMIC_RELAXED);
	pthread_join(clk.thread, NULL);
	clk.serving = false;
}

/* ---- real time ---- */

/* Sleep until the actor is due; false to end its thread. */
static bool wait_due(struct actor *a)
{
	struct timespec ts;
	u64 until;
	bool stop;

	pthread_mutex_lock(&a->lock);
	while (!a->stop && (until = when(a)) > gpu_now()) {
		if (until == NEVER) {
			/* Idle: whatever was logged becomes readable now. */
			pthread_mutex_unlock(&a->lock);
			log_flush();
			pthread_mutex_lock(&a->lock);
			if (!a->stop && when(a) == NEVER)
				pthread_cond_wait(&a->wake, &a->lock);
			continue;
		}
		ts = (struct timespec){ until / 1000000000, until % 1000000000 };
		pthread_cond_timedwait(&a->wake, &a->lock, &ts);
	}
	/* One that lies ahead stays: who asked for it does not ask again. */
	if (a->asked <= gpu_now())
		a->asked = NEVER;
	stop = a->stop;
	pthread_mutex_unlock(&a->lock);
	return !stop;
}

static void *actor_main(void *arg)
{
	struct actor *a = arg;
	u64 due;

	while (wait_due(a)) {
		due = a->run(a->arg);
		pthread_mutex_lock(&a->lock);
		a->due = due;
		pthread_mutex_unlock(&a->lock);
	}
	return NULL;
}

static int start_thread(struct actor *a)
{
	pthread_condattr_t attr;
	int err;

	pthread_mutex_init(&a->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&a->wake, &attr);
	pthread_condattr_destroy(&attr);
	err = pthread_create(&a->thread, NULL, actor_main, a);
	if (err)
		return -err;
	pthread_setname_np(a->thread, a->name);
	return 0;
}

int actor_start(struct actor *a, const char *name, u64 (*run)(void *arg), void *arg)
{
	struct actor **p;

	*a = (struct actor){ .name = name, .run = run, .arg = arg, .asked = NEVER };
	if (!clk.shm)
		return start_thread(a);
	for (p = &clk.actors; *p; p = &(*p)->next)
		;
	*p = a;
	return 0;
}

void actor_stop(struct actor *a)
{
	struct actor **p;

	if (clk.shm) {
		pthread_mutex_lock(&clk.lock);
		for (p = &clk.actors; *p != a; p = &(*p)->next)
			;
		*p = a->next;
		pthread_mutex_unlock(&clk.lock);
		return;
	}
	pthread_mutex_lock(&a->lock);
	a->stop = true;
	pthread_cond_signal(&a->wake);
	pthread_mutex_unlock(&a->lock);
	pthread_join(a->thread, NULL);	/* its lock stays: it may still be kicked */
}

void actor_kick_at(struct actor *a, u64 t)
{
	if (clk.shm) {		/* under clk.lock, or in an actor */
		if (t < a->asked)
			a->asked = t;
		return;
	}
	pthread_mutex_lock(&a->lock);
	if (t < a->asked) {
		a->asked = t;
		pthread_cond_signal(&a->wake);
	}
	pthread_mutex_unlock(&a->lock);
}

void actor_kick(struct actor *a)
{
	actor_kick_at(a, 0);
}
