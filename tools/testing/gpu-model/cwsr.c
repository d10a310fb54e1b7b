// SPDX-License-Identifier: GPL-2.0
/*
 * Compute wave save and restore.
 *
 * Where: as amdkfd lays the areas out (kfd_mqd_manager_v9.c). The control stack
 * is in the MQD's buffer, one page behind the MQD, and grows down from
 * cp_hqd_cntl_stack_size to ..._offset. Wave state is in the process' save area
 * and grows up from cp_hqd_cntl_stack_size to cp_hqd_wg_state_offset.
 *
 * What: the control stack holds the dispatches begun and not completed, those
 * without a wave included; wave state holds one record for each wave, with the
 * workgroup's LDS behind its first wave. The bytes of a record are the model's
 * own, not the trap handler's, but fit into what KFD reserves: SGPRs 512 and
 * hardware registers 128 bytes a wave, for 32 waves a compute unit.
 *
 * Nothing else survives an unmap: the host's copies are freed, so a restore
 * really reads memory. What it reads the process may have written: every
 * number is checked.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cwsr.h"
#include "log.h"
#include "memory.h"
#include "spi.h"

#define STACK_MAGIC	0x47505355	/* "GPSU" */
#define MQD_PAGE	4096

/**
 * struct stack_header - lowest bytes of the control stack
 * @dispatches: @waves: records that follow, in stack and area
 * @fetch:	queue's fetch index
 */
struct stack_header {
	u32 magic;
	u32 dispatches;
	u32 waves;
	u32 reserved;
	u64 fetch;
};

/**
 * struct stack_dispatch - a dispatch begun
 * @packet: @next: @begin: as in struct dispatch
 * @source:	likewise
 * @place:	which of the queue's dispatches it is
 */
struct stack_dispatch {
	u64 packet, next, begin;
	u8 source[DISPATCH_SOURCE_BYTES];
	u64 place;
};

enum { FLAG_SCC = 1, FLAG_AT_BARRIER = 2, FLAG_ENDED = 4 };

/**
 * struct wave_record - hardware registers of a wave and its place
 * SGPRs and VGPRs follow unless it ended, then LDS behind the first wave.
 */
struct wave_record {
	u64 pc, last_pc, insns, wake_at;
	u64 number;
	u32 mode, status, trapsts;
	u32 lds_bytes;
	s32 scratch;
	u16 vgprs, acc_offset;
	u8 dispatch, nwaves, index, flags;
	u8 reserved[56];
};

_Static_assert(sizeof(struct stack_header) + DISPATCHES_MAX * sizeof(struct stack_dispatch) <=
	       4096, "the smallest control stack must hold all dispatches");
_Static_assert(sizeof(struct wave_record) == 128, "KFD reserves 128 bytes");

#define SGPR_BYTES	(MAX_SGPRS * 4)
#define VGPR_BYTES	(LANES * 4)

static u64 area_base(const struct hqd *h)
{
	return (u64)h->reg[HQD(MQD_CTX_SAVE_BASE_HI)] << 32 |
	       h->reg[HQD(MQD_CTX_SAVE_BASE_LO)];
}

static u32 wave_bytes(const struct wave *w)
{
	u32 bytes = sizeof(struct wave_record);

	if (!w->ended)
		bytes += SGPR_BYTES + w->vgprs * VGPR_BYTES;
	return bytes;
}

static u32 group_bytes(const struct group *grp)
{
	u32 bytes = grp->wg->lds_bytes;
	unsigned int i;

	for (i = 0; i < grp->wg->nwaves; i++)
		bytes += wave_bytes(&grp->wg->waves[i]);
	return bytes;
}

/**
 * cwsr_time() - modelled time to move context
 * @g:		device
 * @bytes:	how much
 *
 * Return: ns.
 */
u64 cwsr_time(struct gpu *g, u64 bytes)
{
	return bytes / (CWSR_CU_BYTES_PER_NS * g->cfg.engines * g->cfg.cus_per_engine);
}

/**
 * cwsr_remove() - take a queue's groups off the machine
 * @q:	frozen queue
 */
void cwsr_remove(struct user_queue *q)
{
	struct spi *spi = q->g->spi;
	struct group *grp, **tail;
	unsigned int i;

	for (i = 0; i < spi->ncus; i++) {
		grp = cu_remove(&spi->cus[i], q);
		for (tail = &grp; *tail; tail = &(*tail)->next)
			;
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
		vm_enter(g);
		ok = vm_ptr(g, vmid, va, &span, true);
		vm_exit(g);
		if (!ok)
			return false;
		if (span >= len)
			break;
		va += span;
		len -= span;
	}
	return true;
}

/**
 * cwsr_check() - will the save area hold the queue's state?
 * @q:		queue after cwsr_remove()
 * @size:	out: bytes needed; all 0 when there is nothing to save
 *
 * Return: 0, -ENOSPC, -EFAULT, or -EBUSY when a wave does not stop for it.
 */
int cwsr_check(struct user_queue *q, struct cwsr_size *size)
{
	const u32 *r = q->h->reg;
	u32 stack_size = r[HQD(MQD_CNTL_STACK_SIZE)];
	struct group *grp;

	*size = (struct cwsr_size){};
	if (!q->begun)
		return 0;
	if (atomic_load(&q->stalled))
		return -EBUSY;
	size->stack = sizeof(struct stack_header) + q->begun * sizeof(struct stack_dispatch);
	for (grp = q->removed; grp; grp = grp->next)
		size->state += group_bytes(grp);
	for (grp = q->pending; grp; grp = grp->next)
		size->state += group_bytes(grp);
	if (size->stack > stack_size ||
	    (u64)stack_size + size->state > r[HQD(MQD_CTX_SAVE_SIZE)])
		return -ENOSPC;
	if (!q->h->mqd ||
	    !writable(q->g, 0, q->h->mqd + MQD_PAGE + stack_size - size->stack, size->stack) ||
	    !writable(q->g, q->vmid, area_base(q->h) + stack_size, size->state))
		return -EFAULT;
	return 0;
}

static int write_bytes(struct user_queue *q, u64 *va, const void *buf, size_t len)
{
	int err = vm_write(q->g, q->vmid, *va, buf, len);

	*va += len;
	return err;
}

static int write_group(struct user_queue *q, const struct group *grp, u64 *va)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < grp->wg->nwaves && !err; i++) {
		const struct wave *w = &grp->wg->waves[i];
		const struct wave_record rec = {
			.pc = w->pc,
			.last_pc = w->last_pc,
			.insns = w->insns,
			.wake_at = w->wake_at,
			.number = grp->number,
			.mode = w->mode,
			.status = w->status,
			.trapsts = w->trapsts,
			.lds_bytes = grp->wg->lds_bytes,
			.scratch = grp->scratch,
			.vgprs = w->vgprs,
			.acc_offset = w->acc_offset,
			.dispatch = grp->d - q->d,
			.nwaves = grp->wg->nwaves,
			.index = i,
			.flags = (w->scc ? FLAG_SCC : 0) | (w->ended ? FLAG_ENDED : 0) |
				 (w->at_barrier ? FLAG_AT_BARRIER : 0),
		};

		err = write_bytes(q, va, &rec, sizeof(rec));
		if (!w->ended && !err)
			err = write_bytes(q, va, w->sgpr, SGPR_BYTES);
		if (!w->ended && !err)
			err = write_bytes(q, va, w->vgpr, w->vgprs * VGPR_BYTES);
		if (!i && !err && grp->wg->lds_bytes)
			err = write_bytes(q, va, grp->wg->lds, grp->wg->lds_bytes);
		if (!w->ended && !err)
			log_event("wave-save", "queue=%#x pasid=%u disp=%" PRIu64 " wg=%" PRIu64
				  " wave=%u pc=%#" PRIx64 " last=%#" PRIx64 " insns=%" PRIu64,
				  q->h->doorbell, q->pasid, grp->d->packet, grp->number, i,
				  w->pc, w->last_pc, w->insns);
	}
	return err;
}

/* Dispatches keep their places in q->d: wave records name them by place. */
static int write_stack(struct user_queue *q, u64 va, u32 waves)
{
	const struct stack_header header = {
		.magic = STACK_MAGIC,
		.dispatches = q->begun,
		.waves = waves,
		.fetch = q->fetch,
	};
	unsigned int i;
	int err;

	err = vm_write(q->g, 0, va, &header, sizeof(header));
	va += sizeof(header);
	for (i = 0; i < DISPATCHES_MAX && !err; i++) {
		struct stack_dispatch rec = {
			.packet = q->d[i].packet,
			.next = q->d[i].next,
			.begin = q->d[i].begin,
			.place = i,
		};

		if (!q->d[i].used)
			continue;
		memcpy(rec.source, q->d[i].source, sizeof(rec.source));
		err = vm_write(q->g, 0, va, &rec, sizeof(rec));
		va += sizeof(rec);
	}
	return err;
}

/**
 * cwsr_write() - copy a queue's state to memory
 * @q:		queue for which cwsr_check() returned 0
 * @size:	what it said
 *
 * Needs no lock: nobody else has the queue's groups now. Sets the offsets in
 * the slot's registers, as the MQD gets them back.
 *
 * Return: 0 or -EFAULT.
 */
int cwsr_write(struct user_queue *q, const struct cwsr_size *size)
{
	u32 *r = q->h->reg, stack_size = r[HQD(MQD_CNTL_STACK_SIZE)], waves = 0;
	u64 va = area_base(q->h) + stack_size;
	struct group *lists[] = { q->removed, q->pending }, *grp;
	unsigned int i;
	int err;

	for (i = 0; i < 2; i++) {
		for (grp = lists[i]; grp; grp = grp->next) {
			err = write_group(q, grp, &va);
			if (err)
				return err;
			waves += grp->wg->nwaves;
		}
	}
	err = write_stack(q, q->h->mqd + MQD_PAGE + stack_size - size->stack, waves);
	if (err)
		return err;
	r[HQD(MQD_CNTL_STACK_OFFSET)] = stack_size - size->stack;
	r[HQD(MQD_WG_STATE_OFFSET)] = stack_size + size->state;
	return 0;
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

static int read_bytes(struct user_queue *q, u64 *va, u64 end, void *buf, size_t len)
{
	int err;

	if (len > end - *va)
		return -EINVAL;
	err = vm_read(q->g, q->vmid, *va, buf, len);
	*va += len;
	return err;
}

static int read_stack(struct user_queue *q, struct stack_header *header)
{
	const u32 *r = q->h->reg;
	u32 offset = r[HQD(MQD_CNTL_STACK_OFFSET)];
	u64 va = q->h->mqd + MQD_PAGE + offset;
	unsigned int i;
	int err;

	err = vm_read(q->g, 0, va, header, sizeof(*header));
	if (err)
		return err;
	if (header->magic != STACK_MAGIC || header->dispatches > DISPATCHES_MAX ||
	    sizeof(*header) + header->dispatches * sizeof(struct stack_dispatch) !=
	    r[HQD(MQD_CNTL_STACK_SIZE)] - offset)
		return -EINVAL;
	va += sizeof(*header);
	for (i = 0; i < header->dispatches; i++, va += sizeof(struct stack_dispatch)) {
		struct stack_dispatch rec;
		struct dispatch *d;

		err = vm_read(q->g, 0, va, &rec, sizeof(rec));
		if (err)
			return err;
		if (rec.place >= DISPATCHES_MAX || q->d[rec.place].used)
			return -EINVAL;
		d = &q->d[rec.place];
		*d = (struct dispatch){ .packet = rec.packet };
		memcpy(d->source, rec.source, sizeof(d->source));
		if (dispatch_parse(q, d) || rec.next > d->total)
			return -EINVAL;
		d->next = rec.next;
		d->begin = rec.begin;
		d->used = true;
		q->begun++;
		if (d->next < d->total) {
			if (q->launching)
				return -EINVAL;
			q->launching = d;
		}
	}
	q->fetch = header->fetch;
	return 0;
}

/* Does @rec, wave @i of a group that begins with @first, make sense? */
static bool record_valid(struct user_queue *q, const struct wave_record *rec,
			 const struct wave_record *first, unsigned int i)
{
	const struct dispatch *d = &q->d[rec->dispatch % DISPATCHES_MAX];
	u32 id[3];

	return rec->dispatch < DISPATCHES_MAX && d->used && rec->number < d->next &&
	       rec->number == first->number && rec->dispatch == first->dispatch &&
	       rec->index == i && rec->vgprs == d->code.vgprs &&
	       rec->acc_offset == d->code.acc_offset && rec->lds_bytes == d->lds_bytes &&
	       rec->nwaves == dispatch_waves(d, rec->number, id) &&
	       (d->regs.scratch_wave_bytes ?
		rec->scratch >= 0 && rec->scratch + rec->nwaves <= (s64)q->scratch_slots :
		rec->scratch == -1);
}

static int read_wave(struct user_queue *q, struct wave *w, const struct wave_record *rec,
		     u64 *va, u64 end)
{
	int err;

	w->pc = rec->pc;
	w->last_pc = rec->last_pc;
	w->insns = rec->insns;
	w->wake_at = rec->wake_at;
	w->mode = rec->mode;
	w->status = rec->status;
	w->trapsts = rec->trapsts;
	w->scc = rec->flags & FLAG_SCC;
	w->at_barrier = rec->flags & FLAG_AT_BARRIER;
	w->ended = rec->flags & FLAG_ENDED;
	w->index = rec->index;
	if (w->ended)
		return 0;
	err = read_bytes(q, va, end, w->sgpr, SGPR_BYTES);
	if (!err)
		err = read_bytes(q, va, end, w->vgpr, w->vgprs * VGPR_BYTES);
	return err;
}

/* One group with all its waves. */
static int read_group(struct user_queue *q, u64 *va, u64 end, u32 *waves)
{
	struct wave_record rec, first;
	struct group *grp;
	unsigned int i;
	int err;

	err = read_bytes(q, va, end, &rec, sizeof(rec));
	if (err)
		return err;
	first = rec;
	if (!record_valid(q, &rec, &first, 0) || rec.nwaves > *waves)
		return -EINVAL;
	grp = group_alloc(&q->d[rec.dispatch], rec.number, rec.nwaves, rec.scratch);
	if (!grp)
		return -ENOMEM;
	grp->next = q->pending;
	q->pending = grp;
	grp->restored = true;
	grp->d->live++;
	spi_scratch_take(q, grp);
	for (i = 0; i < first.nwaves; i++) {
		if (i)
			err = read_bytes(q, va, end, &rec, sizeof(rec));
		if (!err && !record_valid(q, &rec, &first, i))
			err = -EINVAL;
		if (!err)
			err = read_wave(q, &grp->wg->waves[i], &rec, va, end);
		if (!i && !err && grp->wg->lds_bytes)
			err = read_bytes(q, va, end, grp->wg->lds, grp->wg->lds_bytes);
		if (err)
			return err;
	}
	*waves -= first.nwaves;
	return 0;
}

/**
 * cwsr_restore() - read a queue's state back from memory
 * @q:		queue just bound to a slot for which cwsr_saved() is true
 * @bytes:	out: how much was read
 *
 * Needs no lock: it touches nothing but @q and its slot's registers. The groups
 * wait in q->pending for room. On an error the queue is left without state.
 *
 * Return: 0, -EFAULT, -EINVAL for a damaged area, or -ENOMEM.
 */
int cwsr_restore(struct user_queue *q, u64 *bytes)
{
	u32 *r = q->h->reg, stack_size = r[HQD(MQD_CNTL_STACK_SIZE)];
	u64 va = area_base(q->h) + stack_size;
	u64 end = area_base(q->h) + r[HQD(MQD_WG_STATE_OFFSET)];
	struct stack_header header;
	struct group *grp, *list;
	int err;

	err = end < va ? -EINVAL : read_stack(q, &header);
	while (!err && header.waves)
		err = read_group(q, &va, end, &header.waves);
	if (err) {
		cwsr_drop(q);	/* none of its groups has a unit yet */
		return err;
	}
	*bytes = stack_size - r[HQD(MQD_CNTL_STACK_OFFSET)] +
		 r[HQD(MQD_WG_STATE_OFFSET)] - stack_size;
	/* Reading put them in reverse order; the oldest go first. */
	for (list = q->pending, q->pending = NULL; (grp = list);) {
		list = grp->next;
		grp->next = q->pending;
		q->pending = grp;
		grp->ready = gpu_now() + cwsr_time(q->g, *bytes);
	}
	r[HQD(MQD_CNTL_STACK_OFFSET)] = stack_size;
	r[HQD(MQD_WG_STATE_OFFSET)] = stack_size;
	return 0;
}
