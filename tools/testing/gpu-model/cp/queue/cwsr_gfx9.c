// SPDX-License-Identifier: GPL-2.0
/*
 * The save area of gfx90a and gfx942; see cwsr_ops.h. As amdkfd lays it out
 * (kfd_mqd_manager_v9.c), the control stack is in the MQD's buffer, one page behind the
 * MQD. A record is what the trap handler leaves (cwsr_trap_handler_gfx9.asm) and debuggers
 * read (ROCdbgapi, gfx90a), upwards:
 *
 *   VGPRs, accumulation VGPRs	256 bytes each
 *   SGPRs			448 bytes: FLAT_SCRATCH, XNACK_MASK, VCC end them
 *   struct wave_regs		128 bytes
 *   LDS			only with the first wave of a workgroup
 */
#include <string.h>

#include "cp/queue/cwsr_ops.h"

#define MQD_PAGE	4096

/* COMPUTE_RELAUNCH; fields of states and waves as ROCdbgapi takes them apart. */
#define STATE_VGPRS(n)	((n) / 8 - 1)			/* both kinds */
#define STATE_SGPRS	(SAVED_SGPRS / 16 << 6)
#define STATE_LDS(n)	((n) / 512 << 9)
#define STATE_ACC(n)	(((n) / 4 - 1) << 24)		/* first accumulation register */
#define WAVE_SLOT(n)	(n)				/* scratch, of its engine's share */
#define WAVE_ENGINE(n)	((n) << 9)
#define WAVE_SCRATCH	(1u << 15)

#define SGPR_BYTES	(SAVED_SGPRS * 4)
#define VGPR_BYTES	(LANES * 4)

/**
 * struct wave_regs - hardware registers and trap temporaries
 */
struct wave_regs {
	u32 m0, pc_lo, pc_hi, exec_lo, exec_hi, status, trapsts, xnack_lo, xnack_hi, mode;
	u32 reserved[6];
	u32 ttmp[16];
};

_Static_assert(sizeof(struct wave_regs) == 128, "layout");

static u64 stack(const struct hqd *h, unsigned int *vmid)
{
	*vmid = 0;
	return h->mqd + MQD_PAGE;
}

static u32 state_word(const struct dispatch *d)
{
	return RELAUNCH_STATE | STATE_VGPRS(d->code.vgprs) | STATE_SGPRS |
	       STATE_LDS(cwsr_lds_bytes(d)) | STATE_ACC(d->code.acc_offset);
}

/*
 * A debugger finds scratch by engine and slot within the engine's share, so the
 * engine here is that of the share; without scratch, the wave's own.
 */
static u32 wave_word(const struct group *grp, unsigned int i)
{
	const struct user_queue *q = grp->q;
	u32 share = q->scratch_slots / q->g->cfg.engines;
	u32 slot = grp->scratch + i - group_xcc(q, grp->number) * q->scratch_slots;

	if (grp->scratch < 0)
		return grp->cu ? WAVE_ENGINE(grp->cu->engine) : 0;
	if (!share || slot / share >= ENGINES_MAX)
		return WAVE_SCRATCH;
	return WAVE_SCRATCH | WAVE_ENGINE(slot / share) | WAVE_SLOT(slot % share & 0x1ff);
}

static u32 record(const struct dispatch *d, bool first)
{
	return d->code.vgprs * VGPR_BYTES + SGPR_BYTES + sizeof(struct wave_regs) +
	       (first ? cwsr_lds_bytes(d) : 0);
}

static int write(struct user_queue *q, const struct wave *w, bool first, u64 va)
{
	struct wave_regs regs = {
		.m0 = w->sgpr[SGPR_M0],
		.pc_lo = w->pc,
		.pc_hi = w->pc >> 32,
		.exec_lo = w->sgpr[SGPR_EXEC],
		.exec_hi = w->sgpr[SGPR_EXEC + 1],
		.status = wave_status(w) | STATUS_PRIV,	/* as read in the trap handler */
		.trapsts = w->trapsts,
		.xnack_lo = w->sgpr[SGPR_XNACK_MASK],
		.xnack_hi = w->sgpr[SGPR_XNACK_MASK + 1],
		.mode = w->mode,
	};
	int err;

	memcpy(regs.ttmp, w->sgpr + SGPR_TTMP, sizeof(regs.ttmp));
	err = cwsr_put(q, &va, w->vgpr, w->vgprs * VGPR_BYTES);
	/* Behind s101 the operand space goes on as the save area does. */
	if (!err)
		err = cwsr_put(q, &va, w->sgpr, SGPR_BYTES);
	if (!err)
		err = cwsr_put(q, &va, &regs, sizeof(regs));
	if (!err && first && w->wg->lds_bytes)
		err = cwsr_put(q, &va, w->wg->lds, w->wg->lds_bytes);
	return err;
}

static int read(struct user_queue *q, struct wave *w, bool first, u64 va)
{
	struct wave_regs regs;
	int err;

	err = cwsr_get(q, &va, w->vgpr, w->vgprs * VGPR_BYTES);
	if (!err)
		err = cwsr_get(q, &va, w->sgpr, SGPR_BYTES);
	if (!err)
		err = cwsr_get(q, &va, &regs, sizeof(regs));
	if (!err && first && w->wg->lds_bytes)
		err = cwsr_get(q, &va, w->wg->lds, w->wg->lds_bytes);
	if (err)
		return err;
	memcpy(w->sgpr + SGPR_TTMP, regs.ttmp, sizeof(regs.ttmp));
	w->sgpr[SGPR_M0] = regs.m0;
	w->sgpr[SGPR_EXEC] = regs.exec_lo;
	w->sgpr[SGPR_EXEC + 1] = regs.exec_hi;
	w->sgpr[SGPR_XNACK_MASK] = regs.xnack_lo;
	w->sgpr[SGPR_XNACK_MASK + 1] = regs.xnack_hi;
	w->pc = regs.pc_lo | (u64)regs.pc_hi << 32;
	w->mode = regs.mode;
	w->trapsts = regs.trapsts;
	wave_set_status(w, regs.status & ~STATUS_PRIV);
	return 0;
}

const struct cwsr_ops cwsr_gfx9 = {
	.relaunch = 0x222, .states = 1,
	.first = 1u << 17, .last = 1u << 16,
	.stack = stack,
	.state_word = state_word,
	.wave_word = wave_word,
	.record = record,
	.write = write,
	.read = read,
};
