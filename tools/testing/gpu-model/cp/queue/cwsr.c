// SPDX-License-Identifier: GPL-2.0
/*
 * Compute wave save and restore.
 *
 * Where: the control stack grows down from cp_hqd_cntl_stack_size to ..._offset of the place
 * that the GPU has for it. Wave state is in the process' save area between
 * cp_hqd_cntl_stack_size and cp_hqd_wg_state_offset.
 *
 * What: as the GPU has it (struct cwsr_ops). The control stack is a SET_SH_REG
 * packet of values for COMPUTE_RELAUNCH, lowest address first. One with
 * IS_STATE names the resources of the waves that follow, one with neither bit
 * is a wave. The first wave's record is at the top of the wave state, the
 * others below it. With each is struct wave_extra, 64 bytes which trap handler
 * and readers leave alone.
 *
 * On a GPU of several XCCs each has an MQD and a save area of its own, for the
 * workgroups that belong to it.
 *
 * How much of the queue itself firmware saves, and how, is not documented: the
 * dispatches begun and not completed, those without a wave included, go into
 * values with IS_EVENT, which readers skip; only on the first XCC.
 *
 * Nothing else survives an unmap: the host's copies are freed, so a restore
 * really reads memory. What it reads the process may have written: every
 * number is checked.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bus/memory.h"
#include "bus/regs.h"
#include "compute/spi.h"
#include "compute/trap.h"
#include "cp/queue/complete.h"
#include "cp/queue/cwsr.h"
#include "cp/queue/cwsr_ops.h"
#include "cp/queue/hqd.h"
#include "cp/queue/pm4_opcodes.h"
#include "host/fault.h"
#include "host/log.h"
#include "vm/vm.h"

#define CNTL_STACK_MAX	(1u << 16)	/* amdkfd gives the largest of these GPUs 33 KiB */
#define USER_HEADER	40	/* struct kfd_context_save_area_header: the control stack's end */

/* The packet around the control stack. */
#define STACK_HEADER	2

/**
 * struct saved_queue - begins the bytes of the events
 * @fetch:	queue's fetch index
 * @dispatches:	struct saved_dispatch that follow
 * @releases:	of @release, in use
 * @release:	as in struct user_queue
 */
struct saved_queue {
	u64 fetch;
	u32 dispatches, releases;
	struct release release[RELEASES_MAX];
};

/**
 * struct saved_dispatch - a dispatch begun
 * @packet: @next: @begin: as in struct dispatch
 * @place:	which of the queue's dispatches it is
 * @source:	as in struct dispatch
 */
struct saved_dispatch {
	u64 packet, next, begin;
	u64 place;
	u8 source[DISPATCH_SOURCE_BYTES];
};

#define EVENT_BYTES	3	/* of those in the payload of a value with IS_EVENT */
#define SAVED_MAX	(sizeof(struct saved_queue) + \
			 DISPATCHES_MAX * sizeof(struct saved_dispatch))
#define EVENTS(bytes)	(((bytes) + EVENT_BYTES - 1) / EVENT_BYTES)

/* The smallest control stack holds all dispatches and the waves of 4 units, three words each. */
_Static_assert(USER_HEADER + 4 * (STACK_HEADER + EVENTS(SAVED_MAX) +
				  3 * 4 * CU_WAVES_MAX) <= 4096, "control stack");

/**
 * struct wave_extra - what the model knows of a wave besides
 * @number:	of its workgroup
 * @scratch:	first scratch slot of the workgroup, or -1
 * @dispatch:	place of its dispatch
 */
struct wave_extra {
	u64 last_pc, insns, wake_at, number;
	s32 scratch;
	u8 dispatch, index, at_barrier;
	u8 reserved[25];
};

_Static_assert(sizeof(struct wave_extra) == EXTRA_BYTES, "layout");

int cwsr_put(struct user_queue *q, u64 *va, const void *buf, size_t len)
{
	int err = vm_write(q->g, q->vmid, *va, buf, len);

	*va += len;
	return err;
}

int cwsr_get(struct user_queue *q, u64 *va, void *buf, size_t len)
{
	int err = vm_read(q->g, q->vmid, *va, buf, len);

	*va += len;
	return err;
}

static const struct cwsr_ops *layout(const struct gpu *g)
{
	return asic_of(g)->cwsr;
}

static u64 area_base(const struct hqd *h)
{
	return (u64)h->reg[HQD(MQD_CTX_SAVE_BASE_HI)] << 32 |
	       h->reg[HQD(MQD_CTX_SAVE_BASE_LO)];
}

/* Bytes of a wave's record, and of what the model adds. */
static u32 wave_bytes(const struct dispatch *d, bool first)
{
	const struct cwsr_ops *ops = layout(d->q->g);

	return ops->record(d, first) + (ops->extra ? 0 : EXTRA_BYTES);
}

/* Where that is, of a record below @top. */
static u64 extra_at(const struct gpu *g, u64 top, u32 state, bool first)
{
	return layout(g)->extra ? layout(g)->extra(top, state, first) : top - EXTRA_BYTES;
}

/* Index of a group's first or last wave that has not ended. */
static unsigned int first_wave(const struct group *grp)
{
	unsigned int i = 0;

	while (i < grp->wg->nwaves - 1 && grp->wg->waves[i].ended)
		i++;
	return i;
}

static unsigned int last_wave(const struct group *grp)
{
	unsigned int i = grp->wg->nwaves - 1;

	while (i && grp->wg->waves[i].ended)
		i--;
	return i;
}

/**
 * cwsr_count() - count what a queue had on the machine, which it left
 * @q:		queue after cwsr_remove()
 * @load:	added to
 */
void cwsr_count(const struct user_queue *q, struct cwsr_load *load)
{
	const struct group *grp;
	unsigned int i;

	for (grp = q->removed; grp; grp = grp->next) {
		for (i = 0; i < grp->wg->nwaves; i++) {
			if (grp->wg->waves[i].ended)
				continue;
			load->waves[cu_engine(q->g, grp->cu)]++;
			load->bytes[grp->cu - q->g->spi->cus] +=
				wave_bytes(grp->d, i == first_wave(grp));
		}
	}
}

/**
 * cwsr_save_time() - modelled time to save
 * @bytes:	how much in all, the queue's own included; 0: nothing was to be saved
 * @load:	where waves were
 *
 * Return: ns.
 */
u64 cwsr_save_time(u64 bytes, const struct cwsr_load *load)
{
	unsigned int i, waves = 0;
	u64 most = 0;

	for (i = 0; i < ALL_ENGINES_MAX; i++)
		if (load->waves[i] > waves)
			waves = load->waves[i];
	for (i = 0; i < ALL_CUS_MAX; i++)
		if (load->bytes[i] > most)
			most = load->bytes[i];
	return bytes ? param.save_fixed_ns + most * NS_PER_US / param.cwsr_cu_bytes_per_us +
		       waves * param.save_wave_ns : 0;
}

/**
 * cwsr_grace() - the grace period
 * @part:	partition; that of its leading XCC
 *
 * CP_IQ_WAIT_TIME2.SCH_WAVE, in units of 1024 clocks (struct
 * kfd_ioctl_dbg_trap_suspend_queues_args); 0 is without end
 * (kgd_gfx_v9_build_grace_period_packet_info()).
 *
 * Return: ns.
 */
u64 cwsr_grace(const struct partition *part)
{
	struct gpu *g = part->g;
	u64 units = regs_get(g, reg_at(g, part->xcc, REG_CP_IQ_WAIT_TIME2)) >> 8 & 0xff;

	return units ? units * 1024 * NS_PER_US / SHADER_CLK_MHZ : INT64_MAX / 2;
}

/**
 * cwsr_remove() - take a queue's groups off the machine
 * @q:	frozen queue
 */
void cwsr_remove(struct user_queue *q)
{
	struct spi *spi = q->g->spi;
	struct group *grp, **tail;
	unsigned int i, n;

	for (i = 0; i < spi->ncus; i++) {
		grp = cu_remove(&spi->cus[i], q);
		for (tail = &grp; *tail; tail = &(*tail)->next)
			for (n = 0; n < (*tail)->wg->nwaves; n++)
				wave_leave_gws(&(*tail)->wg->waves[n]);
		*tail = q->removed;
		q->removed = grp;
	}
}

/* Is every page of [va, va + len) there to be written? */
static bool writable(struct gpu *g, unsigned int vmid, u64 va, u64 len)
{
	size_t span;
	bool ok;

	while (len) {
		mem_enter(g);
		ok = vm_ptr(g, vmid, va, &span, true);
		mem_exit(g);
		if (!ok)
			return false;
		if (span >= len)
			break;
		va += span;
		len -= span;
	}
	return true;
}

/* What a group adds to control stack and wave state. */
static void add_group(const struct group *grp, struct cwsr_size *size)
{
	unsigned int i;

	size->stack += 4 * layout(grp->q->g)->states;
	for (i = 0; i < grp->wg->nwaves; i++) {
		if (grp->wg->waves[i].ended)
			continue;
		size->stack += 4;
		size->state += wave_bytes(grp->d, i == first_wave(grp));
	}
}

/* What is to be saved of one XCC, counted from the leader; all 0 if nothing is. */
static struct cwsr_size xcc_size(const struct user_queue *q, unsigned int xcc)
{
	const struct group *lists[] = { q->removed, q->pending }, *grp;
	struct cwsr_size size = {};
	unsigned int i;

	for (i = 0; i < 2; i++)
		for (grp = lists[i]; grp; grp = grp->next)
			if (group_xcc(q, grp->number) == xcc)
				add_group(grp, &size);
	if (!xcc)
		size.stack += 4 * EVENTS(sizeof(struct saved_queue) +
					 q->begun * sizeof(struct saved_dispatch));
	if (size.stack)
		size.stack += 4 * STACK_HEADER;
	return size;
}

/**
 * cwsr_check() - will the save areas hold the queue's state?
 * @q:		queue after cwsr_remove()
 * @size:	out: bytes needed in all of them; 0 when there is nothing to save
 *
 * Return: 0, -ENOSPC, -EFAULT, or -EBUSY when a wave does not stop for it.
 */
int cwsr_check(struct user_queue *q, struct cwsr_size *size)
{
	unsigned int xcc, vmid;
	u64 stack;

	*size = (struct cwsr_size){};
	if (!q->begun)
		return 0;
	if (atomic_load(&q->stalled) || !trap_leave(q))
		return -EBUSY;
	for (xcc = 0; xcc < gpu_partition(q->g); xcc++) {
		const struct hqd *h = mec_on_xcc(q->g, q->h, q->h->xcc + xcc);
		const struct cwsr_size s = xcc_size(q, xcc);
		u32 stack_size = h->reg[HQD(MQD_CNTL_STACK_SIZE)];

		if (!s.stack)
			continue;
		if ((u64)s.stack + USER_HEADER > stack_size ||
		    (u64)stack_size + s.state > h->reg[HQD(MQD_CTX_SAVE_SIZE)])
			return -ENOSPC;
		stack = layout(q->g)->stack(h, &vmid) + stack_size - s.stack;
		if (!h->mqd || area_base(h) + stack_size < stack_size ||
		    !writable(q->g, vmid, stack, s.stack) ||
		    !writable(q->g, q->vmid, area_base(h) + stack_size, s.state))
			return -EFAULT;
		size->stack += s.stack;
		size->state += s.state;
	}
	return 0;
}

static void log_save(const struct user_queue *q, const struct group *grp, const struct wave *w)
{
	log_event("wave-save", "queue=%#x pasid=%u disp=%" PRIu64 " wg=%" PRIu64
		  " wave=%u pc=%#" PRIx64 " last=%#" PRIx64 " insns=%" PRIu64, q->h->doorbell,
		  q->pasid, grp->d->packet, grp->number, w->index, w->pc, w->last_pc, w->insns);
}

static struct wave_extra extra_of(const struct user_queue *q, const struct group *grp,
				  unsigned int i)
{
	const struct wave *w = &grp->wg->waves[i];

	return (struct wave_extra){
		.last_pc = w->last_pc,
		.insns = w->insns,
		.wake_at = w->wake_at,
		.number = grp->number,
		.scratch = grp->scratch,
		.dispatch = grp->d - q->d,
		.index = i,
		.at_barrier = w->at_barrier,
	};
}

/* Add a group to control stack and wave state; @top: the lowest record so far. */
static int write_group(struct user_queue *q, struct group *grp, u32 **stack, u64 *top)
{
	const struct cwsr_ops *ops = layout(q->g);
	unsigned int i, first = first_wave(grp);
	struct wave_extra extra[WG_WAVES_MAX];
	u64 va[WG_WAVES_MAX] = {}, extra_va[WG_WAVES_MAX];
	u32 state = ops->state_word(grp->d);
	int err = 0;

	/* here, since what comes may be the firmware's or the trap handler's to save */
	if (grp->wg->lds_bytes && fault_hit(FAULT_CORRUPT_SAVE, NULL))
		grp->wg->lds[0] ^= 1;
	*(*stack)++ = state;
	for (i = 1; i < ops->states; i++)
		*(*stack)++ = 0;
	for (i = 0; i < grp->wg->nwaves && !err; i++) {
		const struct wave *w = &grp->wg->waves[i];

		if (w->ended)
			continue;
		*(*stack)++ = ops->wave_word(grp, i) | (i == first ? ops->first : 0) |
			      (i == last_wave(grp) ? ops->last : 0);
		extra[i] = extra_of(q, grp, i);
		extra_va[i] = extra_at(q->g, *top, state, i == first);
		*top -= wave_bytes(grp->d, i == first);
		va[i] = *top;
		if (!trap_usable(q, true))
			err = ops->write(q, w, i == first, va[i]);
		log_save(q, grp, w);
	}
	if (!err && trap_usable(q, true))
		err = trap_save(q, grp, va);
	for (i = 0; i < grp->wg->nwaves && !err; i++)
		if (va[i])
			err = vm_write(q->g, q->vmid, extra_va[i], &extra[i], sizeof(extra[i]));
	return err;
}

/* Dispatches keep their places in q->d: wave records name them by place. */
static void write_events(const struct user_queue *q, u32 **stack)
{
	struct {
		struct saved_queue queue;
		struct saved_dispatch dispatch[DISPATCHES_MAX];
	} saved = { .queue = {
		.fetch = q->fetch, .dispatches = q->begun, .releases = q->releases,
	} };
	struct saved_dispatch *rec = saved.dispatch;
	const u8 *bytes = (const u8 *)&saved;
	unsigned int i, n;

	memcpy(saved.queue.release, q->release, sizeof(saved.queue.release));
	for (i = 0; i < DISPATCHES_MAX; i++) {
		if (!q->d[i].used)
			continue;
		*rec = (struct saved_dispatch){
			.packet = q->d[i].packet,
			.next = q->d[i].next,
			.begin = q->d[i].begin,
			.place = i,
		};
		memcpy(rec->source, q->d[i].source, sizeof(rec->source));
		rec++;
	}
	n = (const u8 *)rec - bytes;
	for (i = 0; i < n; i += EVENT_BYTES) {
		u32 word = 0;

		memcpy(&word, bytes + i, n - i < EVENT_BYTES ? n - i : EVENT_BYTES);
		*(*stack)++ = RELAUNCH_EVENT | word;
	}
}

static int write_xcc(struct user_queue *q, unsigned int xcc)
{
	struct hqd *h = mec_on_xcc(q->g, q->h, q->h->xcc + xcc);
	const struct cwsr_size size = xcc_size(q, xcc);
	u32 *r = h->reg, stack_size = r[HQD(MQD_CNTL_STACK_SIZE)];
	u64 top = area_base(h) + stack_size + size.state;
	struct group *lists[] = { q->removed, q->pending }, *grp;
	u32 *stack, *word;
	unsigned int i, vmid;
	int err = 0;
	u64 va;

	if (!size.stack)
		return 0;
	stack = malloc(size.stack);
	if (!stack)
		return -ENOMEM;
	word = stack;
	*word++ = 3u << 30 | (size.stack / 4 - STACK_HEADER) << 16 | PM4_SET_SH_REG << 8;
	*word++ = layout(q->g)->relaunch;
	if (!xcc)
		write_events(q, &word);
	for (i = 0; i < 2; i++)
		for (grp = lists[i]; grp && !err; grp = grp->next)
			if (group_xcc(q, grp->number) == xcc)
				err = write_group(q, grp, &word, &top);
	va = layout(q->g)->stack(h, &vmid) + stack_size - size.stack;
	if (!err)
		err = vm_write(q->g, vmid, va, stack, size.stack);
	free(stack);
	if (err)
		return err;
	r[HQD(MQD_CNTL_STACK_OFFSET)] = stack_size - size.stack;
	r[HQD(MQD_WG_STATE_OFFSET)] = stack_size + size.state;
	return 0;
}

/**
 * cwsr_write() - copy a queue's state to memory
 * @q:		queue for which cwsr_check() returned 0, and something to save
 *
 * Needs no lock: nobody else has the queue's groups now. Sets the offsets in
 * the slots' registers, as the MQDs get them back.
 *
 * Return: 0, -ENOMEM or -EFAULT.
 */
int cwsr_write(struct user_queue *q)
{
	unsigned int xcc;
	int err = 0;

	for (xcc = 0; !err && xcc < gpu_partition(q->g); xcc++)
		err = write_xcc(q, xcc);
	return err;
}

/**
 * cwsr_drop() - forget dispatches and waves, give back their resources
 * @q:	queue whose groups are off the machine
 */
void cwsr_drop(struct user_queue *q)
{
	struct group **lists[] = { &q->removed, &q->pending }, *grp;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		while ((grp = *lists[i])) {
			*lists[i] = grp->next;
			if (grp->cu)
				spi_release(q->g, grp);
			group_free(grp);
		}
	}
	memset(q->d, 0, sizeof(q->d));
	memset(q->scratch_used, 0, sizeof(q->scratch_used));
	q->begun = 0;
	q->launching = NULL;
	q->releases = 0;
}

/**
 * cwsr_undo() - the queue cannot be saved: its waves stay, stopped
 * @q:	queue after cwsr_remove()
 *
 * As on hardware, where such waves hang in the trap handler until a reset.
 */
void cwsr_undo(struct user_queue *q)
{
	struct group *grp;

	while ((grp = q->removed)) {
		q->removed = grp->next;
		cu_add_halted(grp->cu, grp);
	}
}

/**
 * cwsr_saved() - is there something to restore?
 * @h:	slot that mec_map() filled
 *
 * Return: true if the control stack is not empty.
 */
bool cwsr_saved(const struct hqd *h)
{
	return h->reg[HQD(MQD_CNTL_STACK_OFFSET)] < h->reg[HQD(MQD_CNTL_STACK_SIZE)];
}

/* Dispatches from the events that begin the control stack; *@n: words in, words used out. */
static int read_events(struct user_queue *q, const u32 *stack, u32 *n)
{
	struct {
		struct saved_queue queue;
		struct saved_dispatch dispatch[DISPATCHES_MAX + 1];	/* the last word's rest */
	} saved = {};
	u8 *bytes = (u8 *)&saved;
	u32 i, used = 0;

	for (i = 0; i < *n && stack[i] & RELAUNCH_EVENT; i++) {
		if (used + EVENT_BYTES > sizeof(saved))
			return -EINVAL;
		memcpy(bytes + used, &stack[i], EVENT_BYTES);
		used += EVENT_BYTES;
	}
	*n = i;
	if (saved.queue.dispatches > DISPATCHES_MAX || saved.queue.releases > RELEASES_MAX ||
	    i != EVENTS(sizeof(saved.queue) +
			saved.queue.dispatches * sizeof(struct saved_dispatch)))
		return -EINVAL;
	for (i = 0; i < saved.queue.dispatches; i++) {
		const struct saved_dispatch *rec = &saved.dispatch[i];
		struct dispatch *d;

		if (rec->place >= DISPATCHES_MAX || q->d[rec->place].used)
			return -EINVAL;
		d = &q->d[rec->place];
		*d = (struct dispatch){ .packet = rec->packet };
		memcpy(d->source, rec->source, sizeof(d->source));
		if (dispatch_parse(q, d) || rec->next > d->total)
			return -EINVAL;
		d->next = rec->next;
		d->begin = rec->begin;
		d->used = true;
		q->begun++;
		if (d->next < d->total) {
			if (q->launching)
				return -EINVAL;
			q->launching = d;
		}
	}
	q->fetch = saved.queue.fetch;
	q->releases = saved.queue.releases;
	memcpy(q->release, saved.queue.release, sizeof(q->release));
	return 0;
}

/* Do a group's scratch slots lie in its XCC's share? */
static bool scratch_fits(const struct user_queue *q, unsigned int xcc, s64 first, unsigned int n)
{
	s64 share = xcc * (s64)q->scratch_slots;

	return first >= share && first + n <= share + q->scratch_slots;
}

/* Registers and LDS of an XCC's units, in bytes: what a queue can have had there. */
static u64 xcc_bytes(const struct gpu *g)
{
	const struct cu_size *size = asic_of(g)->cu;

	return (u64)gpu_die_cus(&g->cfg) *
	       (size->simds * size->vgprs * size->lanes * 4 + size->lds);
}

/*
 * A group for the first of its waves' records; NULL if that makes no sense. @room: of
 * xcc_bytes(), those that the groups before it left.
 */
static struct group *read_group(struct user_queue *q, unsigned int xcc,
				const struct wave_extra *extra, u32 state, u64 *room)
{
	struct dispatch *d = &q->d[extra->dispatch % DISPATCHES_MAX];
	unsigned int i, nwaves;
	struct group *grp;
	u32 id[3];
	u64 bytes;

	if (extra->dispatch >= DISPATCHES_MAX || !d->used || extra->number >= d->next ||
	    group_xcc(q, extra->number) != xcc || state != layout(q->g)->state_word(d))
		return NULL;
	nwaves = dispatch_waves(d, extra->number, id);
	if (d->regs.scratch_wave_bytes ? !scratch_fits(q, xcc, extra->scratch, nwaves) :
	    extra->scratch != -1)
		return NULL;
	bytes = (u64)nwaves * d->code.vgprs * d->code.lanes * 4 + cwsr_lds_bytes(d);
	if (bytes > *room)
		return NULL;
	*room -= bytes;
	grp = group_alloc(d, extra->number, nwaves, extra->scratch);
	if (!grp)
		return NULL;
	for (i = 0; i < nwaves; i++)
		grp->wg->waves[i].ended = true;		/* unless it has a record */
	grp->restored = true;
	grp->next = q->pending;
	q->pending = grp;
	d->live++;
	spi_scratch_take(q, grp);
	return grp;
}

/**
 * struct reader - a group whose records are being read
 * @grp:	group, NULL between two
 * @extra: @va:	of each wave that has a record
 */
struct reader {
	struct group *grp;
	struct wave_extra extra[WG_WAVES_MAX];
	u64 va[WG_WAVES_MAX];
};

/* All records of a group were found: its waves live again. */
static int finish_group(struct user_queue *q, struct reader *r)
{
	unsigned int i;
	int err = 0;

	if (trap_usable(q, false))
		err = trap_restore(q, r->grp, r->va);
	for (i = 0; i < r->grp->wg->nwaves && !err; i++) {
		struct wave *w = &r->grp->wg->waves[i];

		if (!r->va[i])
			continue;
		w->last_pc = r->extra[i].last_pc;
		w->insns = r->extra[i].insns;
		w->wake_at = r->extra[i].wake_at;
		w->at_barrier = r->extra[i].at_barrier;
		w->ended = false;
	}
	*r = (struct reader){};
	return err;
}

/*
 * Groups and waves from the states and waves of the control stack. @top: end of
 * the wave state, @bottom: its begin.
 */
static int read_waves(struct user_queue *q, unsigned int xcc, const u32 *stack, u32 n, u64 top,
		      u64 bottom)
{
	const struct cwsr_ops *ops = layout(q->g);
	u64 room = xcc_bytes(q->g);
	struct reader r = {};
	u32 i, state = 0, bytes;
	int err;

	for (i = 0; i < n; i++) {
		bool first = stack[i] & ops->first;
		struct wave_extra extra;
		u64 at;

		if (stack[i] & RELAUNCH_STATE) {
			state = stack[i];
			i += ops->states - 1;
			continue;
		}
		at = extra_at(q->g, top, state, first);
		if (stack[i] & RELAUNCH_EVENT || at < bottom || at > top || first != !r.grp)
			return -EINVAL;
		err = vm_read(q->g, q->vmid, at, &extra, sizeof(extra));
		if (err)
			return err;
		if (first)
			r.grp = read_group(q, xcc, &extra, state, &room);
		if (!r.grp || r.grp->d != &q->d[extra.dispatch] ||
		    r.grp->number != extra.number || extra.index >= r.grp->wg->nwaves ||
		    r.va[extra.index])
			return -EINVAL;
		bytes = wave_bytes(r.grp->d, first);
		if (top - bottom < bytes)
			return -EINVAL;
		top -= bytes;
		r.grp->bytes += bytes;
		r.va[extra.index] = top;
		r.extra[extra.index] = extra;
		if (!trap_usable(q, false))
			err = layout(q->g)->read(q, &r.grp->wg->waves[extra.index], first, top);
		if (!err && stack[i] & ops->last)
			err = finish_group(q, &r);
		if (err)
			return err;
	}
	return r.grp || top != bottom ? -EINVAL : 0;
}

static int read_xcc(struct user_queue *q, unsigned int xcc, u64 *bytes)
{
	struct hqd *h = mec_on_xcc(q->g, q->h, q->h->xcc + xcc);
	u32 *r = h->reg, stack_size = r[HQD(MQD_CNTL_STACK_SIZE)];
	u32 offset = r[HQD(MQD_CNTL_STACK_OFFSET)], n = (stack_size - offset) / 4, events;
	u64 bottom = area_base(h) + stack_size;
	u64 top = area_base(h) + r[HQD(MQD_WG_STATE_OFFSET)];
	unsigned int vmid;
	u32 *stack;
	u64 va;
	int err;

	if (xcc && !cwsr_saved(h))
		return 0;
	if (top < bottom || bottom < stack_size || n < STACK_HEADER || offset % 4 ||
	    n > CNTL_STACK_MAX / 4)
		return -EINVAL;
	stack = malloc(n * 4);
	if (!stack)
		return -ENOMEM;
	va = layout(q->g)->stack(h, &vmid) + offset;
	err = vm_read(q->g, vmid, va, stack, n * 4);
	if (!err && stack[1] != layout(q->g)->relaunch)
		err = -EINVAL;
	events = xcc ? 0 : n - STACK_HEADER;
	if (!err && !xcc)
		err = read_events(q, stack + STACK_HEADER, &events);
	if (!err)
		err = read_waves(q, xcc, stack + STACK_HEADER + events,
				 n - STACK_HEADER - events, top, bottom);
	free(stack);
	if (err)
		return err;
	*bytes += stack_size - offset + (top - bottom);
	r[HQD(MQD_CNTL_STACK_OFFSET)] = stack_size;
	if (!q->g->cfg.offset_stays)
		r[HQD(MQD_WG_STATE_OFFSET)] = stack_size;
	return 0;
}

/**
 * cwsr_restore() - read a queue's state back from memory
 * @q:		queue just bound to a slot for which cwsr_saved() is true
 * @bytes:	out: how much was read
 *
 * Needs no lock: it touches nothing but @q and its slots' registers. The groups
 * wait in q->pending for room; what it takes to read them their units need when
 * they get it. On an error the queue is left without state.
 *
 * Return: 0, -EFAULT, -EINVAL for a damaged area, or -ENOMEM.
 */
int cwsr_restore(struct user_queue *q, u64 *bytes)
{
	u64 begin = gpu_now();
	struct group *grp, *list;
	unsigned int xcc;
	int err = 0;

	*bytes = 0;
	for (xcc = 0; !err && xcc < gpu_partition(q->g); xcc++)
		err = read_xcc(q, xcc, bytes);
	if (err) {
		cwsr_drop(q);	/* none of its groups has a unit yet */
		return err;
	}
	if (begin < q->since)
		begin = q->since;
	/* Reading put them in reverse order; the oldest go first. */
	for (list = q->pending, q->pending = NULL; (grp = list);) {
		list = grp->next;
		grp->next = q->pending;
		q->pending = grp;
		grp->ready = begin + param.restore_fixed_ns;
	}
	return 0;
}
