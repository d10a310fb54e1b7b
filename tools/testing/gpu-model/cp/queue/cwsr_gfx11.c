// SPDX-License-Identifier: GPL-2.0
/*
 * The save area of gfx1100; see cwsr_ops.h. The control stack is in the process' save area,
 * behind its header (kfd_mqd_manager_v11.c). A state has two words, of which the second is not
 * known. A record is what the trap handler leaves (cwsr_trap_handler_gfx10.asm) and debuggers
 * read (ROCdbgapi, gfx11), upwards:
 *
 *   VGPRs			4 bytes a lane: 128 or 256 each
 *   SGPRs			512 bytes, of which s0 to s105 and VCC are the first 432; struct
 *				wave_extra ends them
 *   struct wave_regs		128 bytes
 *   LDS			only with the first wave of a workgroup
 */
#include <string.h>

#include "cp/queue/cwsr_ops.h"

/* COMPUTE_RELAUNCH; fields of states and waves as ROCdbgapi takes them apart. */
#define STATE_VGPRS(n, lanes)	((n) / ((lanes) > 32 ? 4 : 8) - 1)
#define STATE_LDS(n)		((n) / 512 << 10)
#define STATE_LDS_BYTES(v)	(((v) >> 10 & 0xff) * 512)
#define STATE_WAVE32		(1u << 24)
#define WAVE_SLOT(n)		((n) & 0x3ff)		/* scratch, of its engine's share */
#define WAVE_SCRATCH		(1u << 11)
#define WAVE_ENGINE(n)		((n) << 24)

#define SGPRS			108
#define SGPR_BYTES		512

/**
 * struct wave_regs - hardware registers and trap temporaries
 */
struct wave_regs {
	u32 m0, pc_lo, pc_hi, exec_lo, exec_hi, status, trapsts, reserved, mode;
	u32 flat_scratch_lo, flat_scratch_hi;
	u32 reserved2[5];
	u32 ttmp[16];
};

_Static_assert(sizeof(struct wave_regs) == 128, "layout");

static u64 stack(const struct hqd *h, unsigned int *vmid)
{
	*vmid = h->vmid;
	return (u64)h->reg[HQD(MQD_CTX_SAVE_BASE_HI)] << 32 | h->reg[HQD(MQD_CTX_SAVE_BASE_LO)];
}

static u32 state_word(const struct dispatch *d)
{
	return RELAUNCH_STATE | STATE_VGPRS(d->code.vgprs, d->code.lanes) |
	       STATE_LDS(cwsr_lds_bytes(d)) | (d->code.lanes > 32 ? 0 : STATE_WAVE32);
}

/* As with gfx9: the engine is that whose share of the scratch the slot is in. */
static u32 wave_word(const struct group *grp, unsigned int i)
{
	const struct user_queue *q = grp->q;
	u32 share = q->scratch_slots / q->g->cfg.engines, slot = grp->scratch + i;

	if (grp->scratch < 0)
		return grp->cu ? WAVE_ENGINE(grp->cu->engine & 7) : 0;
	if (!share || slot / share >= ENGINES_MAX)
		return WAVE_SCRATCH;
	return WAVE_SCRATCH | WAVE_ENGINE(slot / share) | WAVE_SLOT(slot % share);
}

static u32 record(const struct dispatch *d, bool first)
{
	return d->code.vgprs * d->code.lanes * 4 + SGPR_BYTES + sizeof(struct wave_regs) +
	       (first ? cwsr_lds_bytes(d) : 0);
}

static u64 extra(u64 top, u32 state, bool first)
{
	return top - (first ? STATE_LDS_BYTES(state) : 0) - sizeof(struct wave_regs) - EXTRA_BYTES;
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
		.mode = w->mode,
		.flat_scratch_lo = w->flat_scratch,
		.flat_scratch_hi = w->flat_scratch >> 32,
	};
	u32 sgpr[SGPR_BYTES / 4] = {};
	unsigned int n;
	int err = 0;

	memcpy(regs.ttmp, w->sgpr + SGPR_TTMP, sizeof(regs.ttmp));
	memcpy(sgpr, w->sgpr, SGPRS * 4);
	for (n = 0; n < w->vgprs && !err; n++)
		err = cwsr_put(q, &va, w->vgpr[n], w->lanes * 4);
	if (!err)
		err = cwsr_put(q, &va, sgpr, sizeof(sgpr));
	if (!err)
		err = cwsr_put(q, &va, &regs, sizeof(regs));
	if (!err && first && w->wg->lds_bytes)
		err = cwsr_put(q, &va, w->wg->lds, w->wg->lds_bytes);
	return err;
}

static int read(struct user_queue *q, struct wave *w, bool first, u64 va)
{
	u32 sgpr[SGPR_BYTES / 4];
	struct wave_regs regs;
	unsigned int n;
	int err = 0;

	for (n = 0; n < w->vgprs && !err; n++)
		err = cwsr_get(q, &va, w->vgpr[n], w->lanes * 4);
	if (!err)
		err = cwsr_get(q, &va, sgpr, sizeof(sgpr));
	if (!err)
		err = cwsr_get(q, &va, &regs, sizeof(regs));
	if (!err && first && w->wg->lds_bytes)
		err = cwsr_get(q, &va, w->wg->lds, w->wg->lds_bytes);
	if (err)
		return err;
	memcpy(w->sgpr, sgpr, SGPRS * 4);
	memcpy(w->sgpr + SGPR_TTMP, regs.ttmp, sizeof(regs.ttmp));
	w->sgpr[SGPR_M0] = regs.m0;
	w->sgpr[SGPR_EXEC] = regs.exec_lo;
	w->sgpr[SGPR_EXEC + 1] = regs.exec_hi;
	w->pc = (regs.pc_lo | (u64)regs.pc_hi << 32) & 0xffffffffffff;
	w->mode = regs.mode & MODE_RDNA;
	w->trapsts = regs.trapsts;
	w->flat_scratch = regs.flat_scratch_lo | (u64)regs.flat_scratch_hi << 32;
	/* With its traps off a wave keeps the privilege by which it can be saved. */
	regs.status &= ~(STATUS_TRAP_EN | STATUS_PRIV);
	wave_set_status(w, regs.status | (q->traps_off ? STATUS_PRIV : STATUS_TRAP_EN));
	return 0;
}

const struct cwsr_ops cwsr_gfx11 = {
	.relaunch = 0x230, .states = 2,
	.first = 1u << 12, .last = 1u << 29,
	.stack = stack,
	.state_word = state_word,
	.wave_word = wave_word,
	.record = record,
	.extra = extra,
	.write = write,
	.read = read,
};
