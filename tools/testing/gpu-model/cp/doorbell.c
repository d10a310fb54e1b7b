// SPDX-License-Identifier: GPL-2.0
/* Doorbells; see doorbell.h. */
#include <errno.h>
#include <stdlib.h>

#include "bus/pci.h"
#include "cp/doorbell.h"
#include "cp/queue/engine.h"
#include "cp/queue/hqd.h"
#include "host/clock.h"
#include "host/log.h"
#include "host/params.h"

#define DOORBELLS		(DOORBELL_SIZE / 8)	/* one a qword */
#define BELLS			(2 * DOORBELLS)

/**
 * struct bell - a doorbell that rang
 * @place: @value:	which, and what was written
 * @due:		model time from which it is looked at
 */
struct bell {
	u32 place;
	u64 value, due;
};

/**
 * struct doorbells - those rung and not yet looked at
 * @ring_lock:	all of it
 * @ring:	them, from @tail to @head
 * @pending:	how often a place is in @ring: twice at most, so that @ring cannot
 *		overflow however often the guest rings; one more changes the value of the
 *		later one, as the last one wins in hardware
 * @later:	which that is
 */
struct doorbells {
	pthread_mutex_t ring_lock;
	struct bell *ring;
	u8 *pending;
	u32 *later;
	u32 head, tail;
};

bool mec_doorbell(struct gpu *g, u32 dw, u64 value)
{
	const struct bell b = { dw / 2, value, gpu_now() + param.doorbell_ns };
	struct doorbells *m = g->doorbells;

	if (b.place >= DOORBELLS)
		return false;
	pthread_mutex_lock(&m->ring_lock);
	if (m->pending[b.place] == 2) {
		m->ring[m->later[b.place]].value = value;
	} else {
		m->pending[b.place]++;
		m->later[b.place] = m->head % BELLS;
		m->ring[m->head++ % BELLS] = b;
	}
	pthread_mutex_unlock(&m->ring_lock);
	mec_kick_at(g, b.due);
	return true;
}

/* Take a doorbell whose time has come; false: none. @b->due: out: the next one's, or NEVER. */
static bool next_doorbell(struct doorbells *m, struct bell *b)
{
	bool due = false;

	b->due = NEVER;
	pthread_mutex_lock(&m->ring_lock);
	if (m->tail != m->head) {
		*b = m->ring[m->tail % BELLS];
		due = b->due <= gpu_now();
	}
	if (due) {
		m->tail++;
		m->pending[b->place]--;
	}
	pthread_mutex_unlock(&m->ring_lock);
	return due;
}

static void ring(struct hqd *h, u64 value)
{
	h->rung = true;
	h->db_value = value;
	if (!h->aql) {
		h->reg[HQD(MQD_PQ_WPTR_LO)] = (u32)value;
		h->reg[HQD(MQD_PQ_WPTR_HI)] = (u32)(value >> 32);
	}
}

/* A queue that is not mapped misses its doorbell, as in hardware. */
void doorbells_look(struct gpu *g)
{
	struct doorbells *m = g->doorbells;
	struct slots *s = g->slots;
	unsigned int i;
	struct bell b;

	while (next_doorbell(m, &b)) {
		u32 dw = b.place * 2;
		struct hqd *h = mec_find_doorbell(g, 0, dw);

		log_event("doorbell", "dw=0x%x value=0x%llx slot=%d", dw,
			  (unsigned long long)b.value, h ? (int)(h - s->hqd) : -1);
		for (i = 0; i < s->count; i++)
			if (mec_has_doorbell(&s->hqd[i], dw))
				ring(&s->hqd[i], b.value);
	}
	/* Asked for again: with the request for an earlier one it may have been dropped. */
	if (b.due != NEVER)
		mec_kick_at(g, b.due);
}

int doorbells_start(struct gpu *g)
{
	struct doorbells *m = calloc(1, sizeof(*m));

	if (!m)
		return -ENOMEM;
	pthread_mutex_init(&m->ring_lock, NULL);
	g->doorbells = m;
	m->ring = calloc(BELLS, sizeof(*m->ring));
	m->pending = calloc(DOORBELLS, sizeof(*m->pending));
	m->later = calloc(DOORBELLS, sizeof(*m->later));
	if (m->ring && m->pending && m->later)
		return 0;
	doorbells_destroy(g);
	return -ENOMEM;
}

void doorbells_destroy(struct gpu *g)
{
	struct doorbells *m = g->doorbells;

	if (!m)
		return;
	pthread_mutex_destroy(&m->ring_lock);
	free(m->ring);
	free(m->pending);
	free(m->later);
	free(m);
	g->doorbells = NULL;
}

void doorbells_reset(struct gpu *g)
{
	struct doorbells *m = g->doorbells;

	pthread_mutex_lock(&m->ring_lock);
	while (m->tail != m->head)
		m->pending[m->ring[m->tail++ % BELLS].place] = 0;
	pthread_mutex_unlock(&m->ring_lock);
}
