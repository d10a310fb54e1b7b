// SPDX-License-Identifier: GPL-2.0
/*
 * What hardware does around trap handlers; see trap.h. By the handler's source
 * (cwsr_trap_handler_gfx9.asm):
 *
 * A wave that traps enters at TBA with its PC in TTMP0 and 1, above it the number
 * of its S_TRAP, and executes the handler as any code, but for what STATUS.PRIV
 * gives it, until S_RFE. Exceptions trap when they are raised: what the handler
 * leaves in TRAPSTS does not trap again. Before a wave can be saved it has to
 * leave its handler.
 *
 * A wave that has to go enters at TBA with TRAPSTS.SAVECTX. It asks with
 * MSG_SAVEWAVE for the address of its record, which comes in EXEC with a bit for
 * the workgroup's first wave, and ends with S_ENDPGM_SAVED. With an exception in
 * TRAPSTS it is sent to the second level first, and enters again when that
 * returns. A wave that comes back begins at TBA + 4 with that address in EXEC and
 * returns to its program by S_RFE.
 */
#include <errno.h>
#include <inttypes.h>

#include "compute/interrupt.h"
#include "compute/queue.h"
#include "compute/trap.h"
#include "asic.h"
#include "host/log.h"
#include "bus/memory.h"
#include "bus/pci.h"
#include "vm/vm.h"
#include "bus/regs.h"
#include "compute_regs.h"

/* SPI_GDBG_PER_VMID_CNTL */
#define GDBG_LAUNCH_MODE(v)	((v) >> 1 & 3)
#define   LAUNCH_HALTED		1
#define   LAUNCH_STEPPING	3
#define GDBG_EXCP_EN(v)		((v) >> 4 & 0x1ff)
#define GDBG_EXCP_REPLACE	(1u << 13)

/* TCP_WATCHn_CNTL; the address registers hold bits 47 to 6. */
#define WATCH_MASK(v)		((v) & 0xffffffu)
#define WATCH_MODE(v)		((v) >> 29 & 3)
#define WATCH_VALID		(1u << 31)

#define TRAP_ID_SHIFT		16		/* in TTMP1 */
#define DOORBELL_ID(h)		((h)->doorbell / 2 & 0x3ff)	/* in its process' page */

#define FIRST_WAVE		(1u << 26)	/* in the high half of EXEC */
#define ENTRY_RESTORE		4

/* The longest way through it takes some 20000 instructions (512 registers, all LDS). */
#define SLICE			10000
#define SLICES_MAX		1000

/* A handler with more instructions than that does not end, the second level included. */
#define LEAVE_SLICES		100

/* S_SENDMSG's numbers (SIDefines.h). */
enum { MSG_INTERRUPT = 1, MSG_SAVEWAVE = 4, MSG_GET_DOORBELL = 10,
       MSG_RTN_GET_DOORBELL = 128, MSG_RTN_SAVE_WAVE = 132 };

/* The watch point's register pair, and which bits of an address it compares. */
static struct wave_watch watch_point(struct gpu *g, unsigned int n, u32 cntl)
{
	u32 at = reg_at(g, 0, REG_TCP_WATCH0_ADDR_H) + n * TCP_WATCH_STRIDE;

	return (struct wave_watch){
		.va = (u64)(regs_get(g, at) & 0xffff) << 32 | regs_get(g, at + 4),
		.mask = (~0xffffffull | WATCH_MASK(cntl)) << asic_of(g)->watch_line,
		.mode = WATCH_MODE(cntl),
		.bit = n ? TRAPSTS_WATCH1 << (n - 1) : TRAPSTS_WATCH0,
	};
}

void trap_attach(struct user_queue *q, const struct trap_setup *setup)
{
	unsigned int n;

	q->mem.tba = setup->tba;
	q->mem.tma = setup->tma;
	q->debug = setup->debug;
	q->traps_off = setup->off;
	for (n = 0; n < WATCHES; n++)
		if (setup->watch[n] & WATCH_VALID)
			q->mem.watch[q->mem.watches++] = watch_point(q->g, n, setup->watch[n]);
}

/* What STATUS of a wave begins with. */
static u32 launch_status(const struct user_queue *q)
{
	return q->mem.isa->rdna && !q->traps_off ? STATUS_TRAP_EN : 0;
}

void trap_launch(struct group *grp)
{
	u32 debug = grp->q->debug;
	unsigned int i;

	for (i = 0; i < grp->wg->nwaves; i++) {
		struct wave *w = &grp->wg->waves[i];

		w->status |= launch_status(grp->q);
		if (debug & GDBG_EXCP_REPLACE)
			w->mode &= ~MODE_EXCP_EN;
		w->mode |= GDBG_EXCP_EN(debug) << MODE_EXCP_EN_SHIFT;
		if (GDBG_LAUNCH_MODE(debug) == LAUNCH_HALTED)
			w->status |= STATUS_HALT;
		if (GDBG_LAUNCH_MODE(debug) == LAUNCH_STEPPING)
			w->mode |= MODE_DEBUG_EN;
	}
}

bool trap_possible(const struct wave *w)
{
	return w->mem->tba && !wave_in_handler(w) &&
	       (!w->mem->isa->rdna || w->status & STATUS_TRAP_EN);
}

void trap_enter(struct wave *w, u32 id)
{
	w->sgpr[SGPR_TTMP] = w->pc;
	w->sgpr[SGPR_TTMP + 1] = (w->pc >> 32 & 0xffff) | id << TRAP_ID_SHIFT;
	w->status |= STATUS_PRIV;
	w->pc = w->mem->tba;
}

/* MSG_DEALLOC_VGPRS, by which a wave gives its VGPRs back before it ends, does nothing here. */
static void rdna_message(struct group *grp, struct wave *w)
{
	if (w->msg == MSG_INTERRUPT)
		sq_interrupt(grp, w, SQ_ENCODING_INST, w->sgpr[SGPR_M0] & 0xffffff);
	else if (w->msg == MSG_RTN_GET_DOORBELL)
		w->sgpr[w->msg_dst] = DOORBELL_ID(grp->q->h);
}

void trap_message(struct group *grp, struct wave *w)
{
	if (w->mem->isa->rdna) {
		rdna_message(grp, w);
		return;
	}
	switch (w->msg & 0xf) {
	case MSG_INTERRUPT:
		sq_interrupt(grp, w, SQ_ENCODING_INST, w->sgpr[SGPR_M0] & 0xffffff);
		break;
	case MSG_GET_DOORBELL:
		w->sgpr[SGPR_EXEC] = DOORBELL_ID(grp->q->h);
		break;
	}
}

/* Execute a wave in its trap handler until it has left that; false if it does not. */
static bool finish(struct group *grp, struct wave *w)
{
	struct gpu *g = grp->q->g;
	unsigned int slices;

	for (slices = 0; slices < LEAVE_SLICES; slices++) {
		enum wave_stop stop;
		u32 budget = SLICE;

		mem_enter(g);
		stop = wave_run(w, &budget);
		mem_exit(g);
		pci_flush(g);
		switch (stop) {
		case WAVE_MSG:
			trap_message(grp, w);
			break;
		case WAVE_RFE:
			return true;
		case WAVE_FAULT:
		case WAVE_RETRY:	/* the driver waits for us */
		case WAVE_ILLEGAL:
		case WAVE_BARRIER:
		case WAVE_END:
			return false;
		default:
			break;
		}
	}
	return false;
}

bool trap_leave(struct user_queue *q)
{
	struct group *grp;
	unsigned int i;

	for (grp = q->removed; grp; grp = grp->next) {
		for (i = 0; i < grp->wg->nwaves; i++) {
			struct wave *w = &grp->wg->waves[i];

			if (!w->ended && wave_in_handler(w) && !finish(grp, w))
				return false;
		}
	}
	return true;
}

bool trap_usable(const struct user_queue *q, bool save)
{
	/* Mixed: half of the queues one way, half the other, so that each reads the other. */
	bool odd = (q->h->doorbell + q->pasid) / 2 & 1;

	if (!q->mem.tba || q->g->cfg.cwsr == CWSR_NATIVE)
		return false;
	return q->g->cfg.cwsr == CWSR_HANDLER || odd == save;
}

static void give_address(struct wave *w, unsigned int sgpr, u64 va, bool first)
{
	w->sgpr[sgpr] = va;
	w->sgpr[sgpr + 1] = (va >> 32 & 0xffff) | (first ? FIRST_WAVE : 0);
}

/* Does it ask where it is to go? In which register the answer is wanted. */
static bool asks_for_address(const struct wave *w, unsigned int *sgpr)
{
	*sgpr = w->mem->isa->rdna ? w->msg_dst : SGPR_EXEC;
	return w->msg == (w->mem->isa->rdna ? MSG_RTN_SAVE_WAVE : MSG_SAVEWAVE);
}

/*
 * Execute a wave until it is at a barrier, has to wait for others, or is through:
 * it has ended, or, as one that is not saved but restored, left the handler.
 */
static int run_wave(struct group *grp, struct wave *w, u64 va, bool first, bool save,
		    bool *through)
{
	struct user_queue *q = grp->q;
	unsigned int slices, sgpr;

	for (slices = 0; slices < SLICES_MAX; slices++) {
		enum wave_stop stop;
		u32 budget = SLICE;

		mem_enter(q->g);
		stop = wave_run(w, &budget);
		mem_exit(q->g);
		pci_flush(q->g);
		switch (stop) {
		case WAVE_BUDGET:
		case WAVE_SLEEP:
			break;
		case WAVE_MSG:
			if (asks_for_address(w, &sgpr))
				give_address(w, sgpr, va, first);
			else
				trap_message(grp, w);
			break;
		case WAVE_RFE:
			if (save && w->status & STATUS_PRIV)	/* to the second level */
				break;
			if (save) {	/* SAVECTX is still there */
				trap_enter(w, 0);
				break;
			}
			*through = true;
			return 0;
		case WAVE_BARRIER:
			return 0;
		case WAVE_END:
			*through = true;
			return 0;
		case WAVE_FAULT:
		case WAVE_RETRY:
			return -EFAULT;
		case WAVE_ILLEGAL:
		case WAVE_TRAP:
		case WAVE_WATCH:
			return -EIO;
		}
	}
	return -EIO;
}

/* Instructions that a group's waves have executed. */
static u64 insns(const struct group *grp)
{
	unsigned int i;
	u64 n = 0;

	for (i = 0; i < grp->wg->nwaves; i++)
		n += grp->wg->waves[i].insns;
	return n;
}

/* All waves of a group with a record, which meet at barriers. */
static int run_group(struct user_queue *q, struct group *grp, const u64 *va, bool save)
{
	struct workgroup *wg = grp->wg;
	unsigned int i, first = 0, waves = 0, left;
	bool through[WG_WAVES_MAX] = {};
	u64 before = insns(grp);
	int err = 0;

	while (!va[first])
		first++;
	for (i = 0; i < wg->nwaves; i++)
		waves += va[i] != 0;
	left = waves;
	while (left && !err) {
		for (i = 0; i < wg->nwaves && !err; i++) {
			if (!va[i] || through[i])
				continue;
			err = run_wave(grp, &wg->waves[i], va[i], i == first, save, &through[i]);
			left -= through[i];
		}
		if (left && !err && !wg_barrier_done(wg))
			err = -EIO;
	}
	if (err)
		log_warn("queue %#x: the trap handler at %#llx went astray (%d)", q->h->doorbell,
			 (unsigned long long)q->mem.tba, err);
	log_event("trap-handler", "queue=%#x pasid=%u disp=%" PRIu64 " wg=%" PRIu64
		  " waves=%u %s=%d insns=%" PRIu64, q->h->doorbell, q->pasid, grp->d->packet,
		  grp->number, waves, save ? "saved" : "restored", !err, insns(grp) - before);
	return err;
}

/*
 * A wave with GPR indexing on would have it in the handler, which does not turn
 * it off: what the hardware does about it is not documented. Off meanwhile.
 */
static int save_mode(struct user_queue *q, const struct group *grp, unsigned int i, u64 va,
		     u32 mode)
{
	const u64 at = va + grp->wg->waves[i].vgprs * LANES * 4 + SAVED_SGPRS * 4 + 9 * 4;

	return mode & MODE_GPR_IDX_EN ? vm_write(q->g, q->vmid, at, &mode, 4) : 0;
}

int trap_save(struct user_queue *q, struct group *grp, const u64 *va)
{
	struct workgroup *wg = grp->wg;
	u32 mode[WG_WAVES_MAX];
	unsigned int i;
	int err;

	for (i = 0; i < wg->nwaves; i++) {
		struct wave *w = &wg->waves[i];

		if (!va[i])
			continue;
		w->mem = &q->mem;
		mode[i] = w->mode;
		w->mode &= ~MODE_GPR_IDX_EN;
		w->trapsts |= TRAPSTS_SAVECTX;
		w->at_barrier = false;
		trap_enter(w, 0);
	}
	err = run_group(q, grp, va, true);
	for (i = 0; i < wg->nwaves; i++) {
		if (!va[i])
			continue;
		wg->waves[i].ended = false;
		if (!err)
			err = save_mode(q, grp, i, va[i], mode[i]);
	}
	return err;
}

int trap_restore(struct user_queue *q, struct group *grp, const u64 *va)
{
	struct workgroup *wg = grp->wg;
	unsigned int i, first = 0;

	while (!va[first])
		first++;
	for (i = 0; i < wg->nwaves; i++) {
		struct wave *w = &wg->waves[i];

		if (!va[i])
			continue;
		w->mem = &q->mem;
		w->wg = wg;
		w->ended = false;
		w->status = STATUS_PRIV | launch_status(q);
		w->pc = q->mem.tba + ENTRY_RESTORE;
		give_address(w, SGPR_EXEC, va[i], i == first);
	}
	return run_group(q, grp, va, false);
}
