// SPDX-License-Identifier: GPL-2.0
/*
 * The scheduler takes queues off. From the request on they begin nothing new;
 * waves in flight get the grace period to end by themselves, then what is left
 * is saved, which costs model time by waves and bytes. Slots and MQDs change when that
 * is over.
 *
 * A queue that cannot be taken off within the unmap latency is given up without
 * a word: it stays where it is, and the HIQ's MQD names it, which the driver
 * looks at after its fence (check_preemption_failed()).
 */
#include <inttypes.h>

#include "compute/spi.h"
#include "cp/queue/complete.h"
#include "cp/queue/cwsr.h"
#include "cp/queue/engine.h"
#include "cp/queue/slot.h"
#include "host/fault.h"
#include "host/log.h"
#include "hws_priv.h"
#include "vm/vm.h"

#define STUCK_MAX	16	/* queue_doorbell_id0 to 15 (v9_structs.h) */

/* Could not be taken off within the unmap latency: tell the driver which queue. */
static void report_stuck(struct hws *s, const struct user_queue *q, unsigned int n)
{
	const struct hqd *hiq = mec_hqd(s->g, s->part->xcc, HIQ_ME, 0, 0);
	u32 doorbell = q->h->doorbell;

	log_event("preempt-fail", "queue=%#x pasid=%u", q->h->doorbell, q->pasid);
	if (n >= STUCK_MAX || !hiq->mqd ||
	    vm_write(s->g, 0, hiq->mqd + 4 * (MQD_DOORBELL_ID0 + n), &doorbell, 4))
		log_warn("no HIQ MQD to report queue %#x in", doorbell);
}

/* Write what the leaving queues hold. Drops mec_lock for the copying. */
static void save_all(struct hws *s)
{
	struct cwsr_size size[SLOTS];
	struct user_queue *q, *list[SLOTS];
	unsigned int i, n = 0;
	int err[SLOTS];

	s->slow = 0;
	for_each_queue(s, q) {
		if (!q->leaving || !q->frozen || q->stuck)
			continue;
		err[n] = cwsr_check(q, &size[n]);
		list[n++] = q;
	}
	copy_begin(s->g);
	for (i = 0; i < n; i++)
		if (!err[i] && size[i].stack)
			err[i] = cwsr_write(list[i]);
	copy_end(s->g);
	for (i = 0; i < n; i++) {
		if (err[i]) {
			slot_stick(list[i], err[i]);
			continue;
		}
		s->bytes += size[i].stack + size[i].state;
		if (size[i].stack)
			s->slow += fault_save_ns(list[i]->ring);
	}
}

void preempt_begin(struct hws *s)
{
	struct user_queue *q;

	s->busy = true;
	s->stopped = false;
	s->saved = false;
	s->begin = gpu_now();
	s->grace = s->begin + cwsr_grace(s->part);
	s->deadline = s->begin + s->unmap_latency;
	s->bytes = 0;
	s->count = 0;
	for_each_queue(s, q) {
		if (!q->leaving)
			continue;
		s->count++;
		if (!q->cwsr)
			q->drain = true;
		else if (!q->stuck)
			q->frozen = true;
	}
	log_event("preempt-begin", "xcc=%u queues=%u", s->part->xcc, s->count);
	preempt_turn(s);
}

/* Has a queue waves in flight that the grace period is for? */
static bool in_flight(struct hws *s)
{
	struct user_queue *q;

	for_each_queue(s, q)
		if (q->leaving && q->frozen && !q->stuck && spi_in_flight(q))
			return true;
	return false;
}

/* A grace period without end: who still has waves stays. */
static void give_up(struct hws *s)
{
	struct user_queue *q;

	for_each_queue(s, q) {
		if (!q->leaving || !q->frozen || q->stuck || !spi_in_flight(q))
			continue;
		q->frozen = false;
		q->drain = true;
	}
}

/* The waves that did not end stop now. */
static void stop(struct hws *s)
{
	struct user_queue *q;

	s->stopped = true;
	s->stop = gpu_now();
	for_each_queue(s, q)
		if (q->leaving && q->frozen && !q->stuck)
			cwsr_remove(q);
	log_event("preempt-stop", "xcc=%u us=%" PRIu64, s->part->xcc, (s->stop - s->begin) / NS_PER_US);
	aql_reap(s->part);
}

/*
 * Their state goes to memory. False if that cannot be yet: a dispatch that ended is
 * told of first, nothing is left to do so later.
 */
static bool save(struct hws *s)
{
	struct cwsr_load load = {};
	struct user_queue *q;
	bool wait = false;

	for_each_queue(s, q)
		wait |= q->leaving && q->frozen && aql_complete(q);
	if (wait)
		return false;
	s->saved = true;
	for_each_queue(s, q)
		if (q->leaving && q->frozen)
			cwsr_count(q, &load);
	save_all(s);
	/* What the host needs to copy is not what the device needs. */
	s->end = s->stop + param.unmap_fixed_ns + s->count * param.unmap_queue_ns +
		 cwsr_save_time(s->bytes, &load) + s->slow;
	for_each_queue(s, q)
		if (q->leaving && q->stuck)
			s->end = s->deadline;
	s->end = fault_preempt_end(s->end);
	return true;
}

/* Queues without CWSR leave when their dispatches have ended. True while one has to wait. */
static bool draining(struct hws *s)
{
	struct user_queue *q;
	bool any = false;

	for_each_queue(s, q) {
		if (!q->leaving || !q->drain)
			continue;
		any |= q->begun;
		if (!q->begun) {
			q->drain = false;
			q->frozen = true;
		}
	}
	return any;
}

static void end(struct hws *s)
{
	struct user_queue *q, *next;
	unsigned int stuck = 0;

	for (q = s->part->queues; q; q = next) {
		next = q->next;
		if (!q->leaving)
			continue;
		q->leaving = false;
		if (q->stuck || q->drain) {
			report_stuck(s, q, stuck++);
			q->drain = false;
		} else {
			slot_leave(q);
		}
	}
	runlist_free_vmids(s);
	s->busy = false;
	log_event("preempt-end", "xcc=%u queues=%u bytes=%" PRIu64 " us=%" PRIu64 " stuck=%u",
		  s->part->xcc, s->count, s->bytes, (gpu_now() - s->begin) / NS_PER_US, stuck);
	if (s->remap) {
		s->remap = false;
		runlist_map(s);
	}
	mec_kick(s->g);
}

bool preempt_turn(struct hws *s)
{
	u64 now = gpu_now(), wait = s->grace < s->deadline ? s->grace : s->deadline;

	if (!s->stopped && (!in_flight(s) || now >= wait)) {
		if (now < s->grace)
			give_up(s);
		stop(s);
	}
	if (s->stopped && !s->saved && !save(s))
		return false;
	if (s->stopped)
		wait = draining(s) ? s->deadline : s->end;
	if (now < wait) {
		mec_kick_at(s->g, wait);
		return false;
	}
	end(s);
	return true;
}
