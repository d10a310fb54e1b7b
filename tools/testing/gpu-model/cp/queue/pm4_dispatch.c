// SPDX-License-Identifier: GPL-2.0
/*
 * Dispatches by registers. The queue's compute registers live in the slot and
 * in the MQD, whose dwords 1 to 80 are registers 0x2e00 to 0x2e4f
 * (v9_structs.h). A dispatch takes a copy of those that make it: the packets
 * behind it may set them anew while its workgroups are being launched.
 * Fields: gc_9_0_sh_mask.h and gc_9_4_2_sh_mask.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "asic.h"
#include "compute/spi.h"
#include "cp/queue/dispatch.h"
#include "cp/queue/pm4_dispatch.h"
#include "host/log.h"

/* Index into user_queue.sh[] of an MQD dword. */
#define SH(mqd_dword)	((mqd_dword) - MQD_COMPUTE)

enum {
	SH_START_X = SH(5), SH_NUM_THREAD_X = SH(8), SH_PGM_LO = SH(13),
	SH_SCRATCH_BASE = SH(17),	/* what gfx9 made of TMA */
	SH_PGM_RSRC1 = SH(19), SH_TMPRING = SH(25),
	SH_USER_DATA = SH(65),
};

#define INIT_SHADER_EN		(1u << 0)
#define INIT_START_AT_000	(1u << 2)	/* whatever COMPUTE_START says */
#define INIT_THREAD_DIMENSIONS	(1u << 5)	/* else in workgroups */
#define INIT_WAVE32		(1u << 15)
#define RSRC2_LDS(v)		(((v) >> 15 & 0x1ff) * 512)
#define USER_SGPRS_MAX		16

/**
 * struct source - registers of a dispatch, as its queue's save area has them
 */
struct source {
	u32 initiator, dim[3], start[3], threads[3];
	u32 pgm[2], rsrc[3];
	u32 scratch_base[2], tmpring;
	u32 user_data[USER_SGPRS_MAX];
};

_Static_assert(sizeof(struct source) == DISPATCH_SOURCE_BYTES, "saved as it is");

int compute_set_regs(struct user_queue *q, u32 reg, const u32 *val, u32 n)
{
	u32 first = reg - COMPUTE_REG_BASE;

	if (first >= COMPUTE_REGS || n > COMPUTE_REGS - first)
		return -EINVAL;
	memcpy(q->sh + first, val, 4 * n);
	compute_masks(q, q->xcc[0], q->sh);
	return 0;
}

void compute_masks(struct user_queue *q, unsigned int xcc, const u32 *sh)
{
	static const u8 first[4] = { MQD_SE0_MASK, MQD_SE1_MASK, MQD_SE2_MASK, MQD_SE3_MASK };
	unsigned int i, engines = q->g->cfg.engines;

	for (i = 0; i < engines; i++)
		q->cus[(q->h->xcc + xcc) * engines + i] =
			sh[SH(i < 4 ? first[i] : asic_of(q->g)->mqd_se4_mask + i - 4)];
}

enum aql_error pm4_dispatch(struct user_queue *q, const u32 *p, bool *wait)
{
	struct dispatch *d;
	struct source s;
	enum aql_error error;

	/* What launches nothing is no error. */
	if (!(p[3] & INIT_SHADER_EN) || !p[0] || !p[1] || !p[2])
		return AQL_OK;
	d = dispatch_alloc(q);
	*wait = !d;
	if (!d)
		return AQL_OK;
	memcpy(s.dim, p, sizeof(s.dim));
	s.initiator = p[3];
	memcpy(s.start, q->sh + SH_START_X, sizeof(s.start));
	memcpy(s.threads, q->sh + SH_NUM_THREAD_X, sizeof(s.threads));
	memcpy(s.pgm, q->sh + SH_PGM_LO, sizeof(s.pgm));
	memcpy(s.rsrc, q->sh + SH_PGM_RSRC1, 2 * sizeof(s.rsrc[0]));
	s.rsrc[2] = q->sh[SH(asic_of(q->g)->mqd_rsrc3)];
	memcpy(s.scratch_base, q->sh + SH_SCRATCH_BASE, sizeof(s.scratch_base));
	s.tmpring = q->sh[SH_TMPRING];
	memcpy(s.user_data, q->sh + SH_USER_DATA, sizeof(s.user_data));
	memcpy(d->source, &s, sizeof(s));
	if (q->aql)
		d->packet = q->sh[SH(MQD_DISPATCH_ID)] | DISPATCH_IN_BUFFER;
	error = pm4_dispatch_parse(q, d);
	if (!error) {
		dispatch_begin(d);
		q->sh[SH(MQD_DISPATCH_ID)]++;
		q->fetch += !q->aql;
	}
	return error;
}

/* Scratch of the waves; they find their offset in an SGPR. */
static enum aql_error parse_scratch(struct user_queue *q, struct dispatch *d,
				    const struct source *s)
{
	d->regs.scratch_base = (u64)s->scratch_base[1] << 40 | (u64)s->scratch_base[0] << 8;
	d->regs.flat_scratch = asic_of(q->g)->isa->flat_scratch;
	if (!d->code.scratch_en)
		return AQL_OK;
	q->scratch_wave_bytes = tmpring_wave_bytes(asic_of(q->g)->isa, s->tmpring);
	q->scratch_slots = TMPRING_WAVES(s->tmpring);
	d->regs.scratch_wave_bytes = q->scratch_wave_bytes;
	if (!q->scratch_wave_bytes || q->scratch_slots < dispatch_waves(d, 0, (u32[3]){}))
		return AQL_BAD_REGISTERS;
	return AQL_OK;
}

enum aql_error pm4_dispatch_parse(struct user_queue *q, struct dispatch *d)
{
	const struct isa *isa = asic_of(q->g)->isa;
	u32 grid[3], size[3];
	enum aql_error error;
	struct source s;
	unsigned int i;

	memcpy(&s, d->source, sizeof(s));
	d->q = q;
	for (i = 0; i < 3; i++) {
		size[i] = s.threads[i] & 0xffff;
		grid[i] = s.dim[i];
		if (s.initiator & INIT_START_AT_000)
			s.start[i] = 0;
		if (!(s.initiator & INIT_THREAD_DIMENSIONS) &&
		    __builtin_mul_overflow(grid[i], size[i], &grid[i]))
			return AQL_BAD_DIM;
	}
	/* The dimensions say where the grid ends, not how many there are (Mesa's radv). */
	error = dispatch_dims(d, grid, size, s.start);
	if (error)
		return error;
	if (!kernel_code_regs(&d->code, isa, s.initiator & INIT_WAVE32 && isa->rdna ? 32 : 64,
			      s.rsrc))
		return AQL_BAD_REGISTERS;
	d->code.entry = ((u64)(s.pgm[1] & 0xff) << 32 | s.pgm[0]) << 8;
	if (d->code.user_sgprs > USER_SGPRS_MAX || d->code.workitem_dims > 2)
		return AQL_BAD_REGISTERS;
	d->regs.user_data = (const u32 *)(d->source + offsetof(struct source, user_data));
	d->lds_bytes = RSRC2_LDS(s.rsrc[1]);
	if (d->lds_bytes > asic_of(q->g)->cu->lds)
		return AQL_BAD_GROUP_SEGMENT;
	if (!spi_fits(q->g, dispatch_waves(d, 0, (u32[3]){}), &d->code, d->lds_bytes))
		return AQL_BAD_REGISTERS;
	return parse_scratch(q, d, &s);
}
