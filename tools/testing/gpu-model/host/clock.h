/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The model's time. What acts by itself - the workers of the compute units, the
 * command processor, SDMA - is an actor: it says when it next has something to
 * do, and is run then, or earlier when it is kicked.
 *
 * In virtual time there is one clock for the guest and the model (clock_shm.h).
 * All actors run in one thread at a time, in the order of their times, and
 * between two of them no time passes: what follows depends on nothing but what
 * the guest did. In real time (no clock is shared) model time is the host's
 * CLOCK_MONOTONIC and each actor has a thread of its own: for what is about
 * threads, and for programs that have no QEMU.
 */
#ifndef GPU_MODEL_CLOCK_H
#define GPU_MODEL_CLOCK_H

#include "gpu.h"

#define NEVER	UINT64_MAX

/**
 * struct actor - something of the model that acts by itself
 * @name:	for the log and the watchdog
 * @run:	does what is due; returns the model time at which it next has something
 *		to do if nobody kicks it, or NEVER
 * @arg:	of @run
 * @due:	what @run returned last
 * @asked:	earliest kick that was not yet served, or NEVER
 * @next:	link in the list of actors (virtual time)
 * @ran: @runs:	when it ran last, and how often at that instant (virtual time)
 * @defect:	it ran too often at one instant, and must let time pass (virtual time)
 * @thread: @lock: @wake: @stop: its thread (real time); @lock protects @asked
 */
struct actor {
	const char *name;
	u64 (*run)(void *arg);
	void *arg;
	u64 due, asked;
	struct actor *next;
	u64 ran;
	unsigned int runs;
	bool defect;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool stop;
};

/**
 * actor_start() - begin to run an actor, at once for the first time
 * @a:		actor; stays where it is until actor_stop()
 * @name: @run: @arg: see struct actor
 *
 * Return: 0 or a negative errno.
 */
int actor_start(struct actor *a, const char *name, u64 (*run)(void *arg), void *arg);

/* Run it no more; waits for a run under way. Not from an actor. */
void actor_stop(struct actor *a);

/* Have it run at model time @t, or now. Any thread; its own run() as well. */
void actor_kick_at(struct actor *a, u64 t);
void actor_kick(struct actor *a);

/**
 * clock_share() - take part in virtual time
 * @fd:		memory of one page, struct clock_shm; a memfd sealed against shrinking
 *
 * To be called before any actor starts.
 *
 * Return: 0 or a negative errno.
 */
int clock_share(int fd);

/* Is time virtual? */
bool clock_shared(void);

/* Begin and end to answer the plugin; nothing in real time. */
int clock_start(void);
void clock_stop(void);

/*
 * Around whatever another thread than an actor's does to the device. In virtual
 * time it excludes the actors; with @access the model first runs to the time at
 * which the guest made the trapped access that is to be served.
 */
void clock_enter(bool access);
void clock_leave(void);

/* Say when something is due next: before the guest learns that its access is over. */
void clock_publish(void);

/* Virtual time without QEMU, for programs that move it themselves: all that is due until @t. */
void clock_run_until(u64 t);

/* An interrupt shall reach the guest: false in real time, when it may do so at once. */
bool clock_interrupt(void);

#endif
