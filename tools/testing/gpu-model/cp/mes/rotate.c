// SPDX-License-Identifier: GPL-2.0
/*
 * More queues than there are places: some wait. While all have places nothing rotates. Else MES
 * looks every mes_poll_ns at the write pointers of those that wait, whose doorbells it misses, and
 * for one with work another makes room:
 *
 * - one that has been without work for mes_idle_ns, at once;
 * - the process that has had places longest, with all its queues, when its quantum is over;
 * - where that is the one that waits, its queue that has been there longest, when its own quantum
 *   is over.
 *
 * AMD's specification of MES has the quanta, the poll, and idle queues unmapped. In which order
 * they go and come is a guess.
 *
 * By levels (mes_global_levels), however many places there are: while a queue has had work for
 * mes_level_ns, those of lower levels are off.
 */
#include <errno.h>

#include "cp/queue/engine.h"
#include "host/log.h"
#include "host/params.h"
#include "mes_priv.h"

#define for_each_mes_queue(g, q)	for (q = (g)->mes->queues; q; q = q->next)

/* Has it begun something, or are there packets that it has not taken? */
static bool has_work(struct gpu *g, const struct mes_queue *q)
{
	u64 wptr;

	return q->read == UINT64_MAX ||
	       (!vm_read(g, 0, q->add.wptr, &wptr, sizeof(wptr)) && (wptr - q->read) & q->mask);
}

/* How far a queue is. What it has begun, it has to end or have saved. */
static void look_at(struct gpu *g, struct mes_queue *q, const struct hqd *h)
{
	const struct user_queue *uq = h->uq;

	q->mask = h->aql ? UINT64_MAX : (2u << (h->reg[HQD(MQD_PQ_CONTROL)] & 0x1f)) - 1;
	q->read = h->aql ? uq->read : h->reg[HQD(MQD_PQ_RPTR)];
	if (uq->begun || uq->pending || uq->releases ||
	    (!h->aql && h->reg[HQD(MQD_IB_CONTROL)] & IB_PROCESSING))
		q->read = UINT64_MAX;
	if (has_work(g, q))
		q->busy_at = g->mes->now;
}

/* Does it wait for a place, with work or without? */
static bool is_off(const struct mes_queue *q)
{
	return !q->vmid && !q->suspended && !q->hung;
}

/* May it have a place, as far as levels are concerned? */
static bool is_let(const struct gpu *g, const struct mes_queue *q)
{
	return q->add.level >= g->mes->level;
}

static bool waits(struct gpu *g, const struct mes_queue *q)
{
	return is_off(q) && !q->passed && is_let(g, q) && has_work(g, q);
}

static u64 level(const struct mes_queue *q)
{
	const u64 top = param.mes_gang_levels - 1;

	return q->add.priority < top ? q->add.priority : top;
}

/* Who gets a place first: who has waited longest, of its process the one of most priority. */
static struct mes_queue *next_waiting(struct gpu *g)
{
	struct mes_queue *q, *best = NULL;

	for_each_mes_queue(g, q)
		if (waits(g, q) && (!best || q->at < best->at))
			best = q;
	for_each_mes_queue(g, q)
		if (best && waits(g, q) && q->add.context == best->add.context &&
		    level(q) > level(best))
			best = q;
	return best;
}

static bool is_there(const struct mes_queue *q)
{
	return q->vmid && !q->leaving && q->add.type == MES_QUEUE_COMPUTE;
}

static void leave(struct gpu *g, struct mes_queue *q)
{
	q->leaving = true;
	mes_take_off(g, q);
}

/*
 * struct candidate - a process that may have to leave
 * @there:	it has places
 * @idle:	none of its compute queues has work
 * @quantum:	ns
 */
struct candidate {
	bool there, idle;
	u64 quantum;
};

static bool is_idle(const struct gpu *g, const struct mes_queue *q)
{
	return g->mes->now >= q->busy_at + param.mes_idle_ns;
}

/* The process in a VMID; one that is leaving, or comes back to its VMID, is none. */
static struct candidate candidate(struct gpu *g, unsigned int vmid)
{
	struct candidate c = { .idle = true };
	const struct mes_queue *q;

	for_each_mes_queue(g, q) {
		if (q->add.context != g->mes->context[vmid])
			continue;
		if (q->suspended || q->leaving)
			return (struct candidate){};
		c.there |= q->vmid;
		c.idle &= !is_there(q) || is_idle(g, q);
		c.quantum = q->add.process_quantum;
	}
	return c;
}

/*
 * The VMID whose process has had places longest, of others whose quantum is over; where a VMID is
 * wanted, of those without work before. 0: none.
 */
static unsigned int oldest_process(struct gpu *g, const struct mes_queue *want, bool wants_vmid)
{
	const u64 *since = g->mes->since;
	unsigned int v, idle = 0, over = 0;

	for (v = 1; v < VM_COUNT; v++) {
		struct candidate c = candidate(g, v);

		c.there &= g->mes->context[v] != want->add.context;
		if (c.there && c.idle && wants_vmid && (!idle || since[v] < since[idle]))
			idle = v;
		if (c.there && g->mes->now >= since[v] + c.quantum && (!over || since[v] < since[over]))
			over = v;
	}
	return idle ? idle : over;
}

/* Its queue that leaves first, or NULL: any without work; of the same process, by its quantum. */
static struct mes_queue *oldest_queue(struct gpu *g, const struct mes_queue *want)
{
	struct mes_queue *q, *idle = NULL, *own = NULL;

	for_each_mes_queue(g, q) {
		if (!is_there(q))
			continue;
		if (is_idle(g, q) && (!idle || q->busy_at < idle->busy_at))
			idle = q;
		if (q->add.context == want->add.context && g->mes->now >= q->at + q->add.gang_quantum &&
		    (!own || q->at < own->at))
			own = q;
	}
	return idle ? idle : own;
}

/* Have others make room for a queue: returns how many places that gives. */
static unsigned int make_room(struct gpu *g, const struct mes_queue *want)
{
	const bool wants_vmid = !mes_may_have_vmid(g, want);
	struct mes_queue *q = wants_vmid ? NULL : oldest_queue(g, want);
	unsigned int vmid, n = 0;

	if (q && (is_idle(g, q) || !oldest_process(g, want, false))) {
		leave(g, q);
		return 1;
	}
	vmid = oldest_process(g, want, wants_vmid);
	for_each_mes_queue(g, q)
		if (vmid && q->vmid == vmid) {
			n += is_there(q);
			leave(g, q);
		}
	return n;
}

/* The highest level that keeps others off; those of lower ones leave. How many they are. */
static unsigned int keep_levels(struct gpu *g)
{
	struct mes *m = g->mes;
	struct mes_queue *q;
	unsigned int n = 0;

	m->level = 0;
	for_each_mes_queue(g, q) {
		if (q->suspended || q->hung || !has_work(g, q))
			q->work_at = UINT64_MAX;
		else if (q->work_at > m->now)
			q->work_at = m->now;
		if (is_let(g, q) && m->now >= param.mes_level_ns &&
		    q->work_at <= m->now - param.mes_level_ns)
			m->level = q->add.level;
	}
	for_each_mes_queue(g, q) {
		if (!is_there(q) || is_let(g, q))
			continue;
		leave(g, q);
		n++;
	}
	return n;
}

/* Is there a queue that has to wait, or may have to? */
static bool has_to_look(const struct gpu *g)
{
	const struct mes *m = g->mes;
	const struct mes_queue *q;

	for_each_mes_queue(g, q)
		if (is_off(q) || q->leaving || q->add.level != m->queues->add.level)
			return true;
	return false;
}

void mes_rotate(struct gpu *g)
{
	struct mes *m = g->mes;
	struct mes_queue *q;
	unsigned int room = 0;

	if (m->taken || !has_to_look(g))	/* one thing after the other */
		return;
	m->now = gpu_now();
	for_each_mes_queue(g, q) {
		const struct hqd *h = mes_slot(g, q);

		if (h && h->uq)
			look_at(g, q, h);
		if (q->leaving)
			mes_take_off(g, q);
		room += q->leaving;
		q->passed = false;
	}
	if (m->now < m->look_at) {
		mec_kick_at(g, m->look_at);
		return;
	}
	m->look_at = m->now + param.mes_poll_ns;
	mec_kick_at(g, m->look_at);
	room += keep_levels(g);
	while ((q = next_waiting(g))) {
		int err = mes_place(g, q);

		q->passed = true;
		if (!err) {
			mec_kick(g);
		} else if (err != -ENOSPC) {
			q->suspended = true;	/* named by whoever refused it */
		} else {
			if (!room)
				room = make_room(g, q);
			room -= room > 0;
		}
	}
	for_each_mes_queue(g, q)	/* nobody with work wants what is left */
		if (is_off(q) && !q->passed && is_let(g, q) && mes_place(g, q))
			break;
}
