// SPDX-License-Identifier: GPL-2.0
/*
 * The trap handler for context save and restore; see trap.h.
 *
 * What hardware does around it, by the handler's source
 * (cwsr_trap_handler_gfx9.asm): a wave that has to go enters at TBA with its PC
 * in TTMP0 and 1 and with TRAPSTS.SAVECTX. It asks with MSG_SAVEWAVE for the
 * address of its record, which comes in EXEC with a bit for the workgroup's
 * first wave, and ends with S_ENDPGM_SAVED. A wave that comes back begins at
 * TBA + 4 with that address in EXEC and returns to its program by S_RFE.
 */
#include <errno.h>
#include <inttypes.h>

#include "log.h"
#include "memory.h"
#include "spi.h"
#include "trap.h"

#define TRAPSTS_SAVECTX		(1u << 10)
#define MODE_GPR_IDX_EN		(1u << 27)
#define MSG_SAVEWAVE		4
#define FIRST_WAVE		(1u << 26)	/* in the high half of EXEC */
#define ENTRY_RESTORE		4

/* The longest way through it takes some 20000 instructions (512 registers, all LDS). */
#define SLICE			10000
#define SLICES_MAX		1000

bool trap_usable(const struct user_queue *q, bool save)
{
	/* Mixed: half of the queues one way, half the other, so that each reads the other. */
	bool odd = (q->h->doorbell + q->pasid) / 2 & 1;

	if (!q->tba || q->g->cfg.cwsr == CWSR_NATIVE)
		return false;
	return q->g->cfg.cwsr == CWSR_HANDLER || odd == save;
}

static void give_address(struct wave *w, u64 va, bool first)
{
	w->sgpr[SGPR_EXEC] = va;
	w->sgpr[SGPR_EXEC + 1] = (va >> 32 & 0xffff) | (first ? FIRST_WAVE : 0);
}

/* Execute a wave until it is at a barrier, has to wait for others, or is through. */
static int run_wave(struct user_queue *q, struct wave *w, u64 va, bool first, bool *through)
{
	unsigned int slices;

	for (slices = 0; slices < SLICES_MAX; slices++) {
		enum wave_stop stop;
		u32 budget = SLICE;

		vm_enter(q->g);
		stop = wave_run(w, &budget);
		vm_exit(q->g);
		switch (stop) {
		case WAVE_BUDGET:
		case WAVE_SLEEP:
			break;
		case WAVE_MSG:
			if (w->msg == MSG_SAVEWAVE)
				give_address(w, va, first);
			break;
		case WAVE_BARRIER:
			return 0;
		case WAVE_END:
		case WAVE_RFE:
			*through = true;
			return 0;
		case WAVE_FAULT:
			return -EFAULT;
		case WAVE_ILLEGAL:
		case WAVE_TRAP:
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

/* All waves of a group with a record, which meet at barriers. @what: for the log */
static int run_group(struct user_queue *q, struct group *grp, const u64 *va, const char *what)
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
			err = run_wave(q, &wg->waves[i], va[i], i == first, &through[i]);
			left -= through[i];
		}
		if (left && !err && !wg_barrier_done(wg))
			err = -EIO;
	}
	if (err)
		log_warn("queue %#x: the trap handler at %#llx went astray (%d)", q->h->doorbell,
			 (unsigned long long)q->tba, err);
	log_event("trap-handler", "queue=%#x pasid=%u disp=%" PRIu64 " wg=%" PRIu64
		  " waves=%u %s=%d insns=%" PRIu64, q->h->doorbell, q->pasid, grp->d->packet,
		  grp->number, waves, what, !err, insns(grp) - before);
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
		w->sgpr[SGPR_TTMP] = w->pc;
		w->sgpr[SGPR_TTMP + 1] = w->pc >> 32 & 0xffff;
		w->status |= STATUS_PRIV;
		w->at_barrier = false;
		w->pc = q->tba;
	}
	err = run_group(q, grp, va, "saved");
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
		w->status = STATUS_PRIV;
		w->pc = q->tba + ENTRY_RESTORE;
		give_address(w, va[i], i == first);
	}
	return run_group(q, grp, va, "restored");
}
