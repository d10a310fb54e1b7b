// SPDX-License-Identifier: GPL-2.0
/*
 * What RDNA has and gfx9 has not, or has in another way: messages with an answer, masks of one
 * scalar register, registers named by M0.
 */
#include "isa.h"
#include "host/params.h"

/* S_SENDMSG_RTN's messages. */
enum { RTN_GET_DOORBELL = 128, RTN_GET_DDID, RTN_GET_TMA, RTN_GET_REALTIME, RTN_SAVE_WAVE,
       RTN_GET_TBA };

/* Both are fields of MODE: 32 bits, then 64 and 16. */
X(x_s_round_mode)
{
	c->w->mode = (c->w->mode & ~0xfu) | (i->simm & 0xf);
	return WAVE_BUDGET;
}

X(x_s_denorm_mode)
{
	c->w->mode = (c->w->mode & ~0xf0u) | (u32)(i->simm & 0xf) << 4;
	return WAVE_BUDGET;
}

/* Back to the program without S_RFE: how the driver's handler leaves where traps are off. */
X(x_s_setpc_rdna)
{
	const struct wave *w = c->w;

	c->next_pc = ssrc64(c, i, 0);
	return w->status & STATUS_PRIV && !(w->status & STATUS_TRAP_EN) ? WAVE_RFE : WAVE_BUDGET;
}

/* An answer comes at once; but those that others give (trap_message()). */
X(x_s_sendmsg_rtn)
{
	struct wave *w = c->w;
	u64 v;

	switch (i->simm) {
	case RTN_GET_TMA:	/* addresses in units of 256 bytes */
		v = w->mem->tma >> 8;
		break;
	case RTN_GET_TBA:
		v = w->mem->tba >> 8;
		break;
	case RTN_GET_REALTIME:
		v = gpu_now() / (1000 / REFCLK_MHZ);
		break;
	case RTN_GET_DOORBELL:
	case RTN_SAVE_WAVE:
		w->msg = i->simm;
		w->msg_dst = i->dst;
		return WAVE_MSG;
	default:
		return x_unsupported(c, i);
	}
	w->sgpr[i->dst] = v;
	if (i->row->dst == B64)
		w->sgpr[i->dst + 1] = v >> 32;
	return WAVE_BUDGET;
}

/* dst = EXEC; EXEC = expr of a (source) and e (EXEC): of the lower 32 lanes. */
#define SAVEEXEC(op, expr) \
X(x_s_##op##_saveexec_b32) \
{ \
	u32 a = ssrc32(c, i, 0), e = c->w->sgpr[SGPR_EXEC], r = (expr); \
 \
	sdst32(c, i, e); \
	c->w->sgpr[SGPR_EXEC] = r; \
	c->w->scc = r != 0; \
	return WAVE_BUDGET; \
}
SAVEEXEC(and, a & e)
SAVEEXEC(or, a | e)
SAVEEXEC(xor, a ^ e)
SAVEEXEC(andn2, a & ~e)
SAVEEXEC(orn2, a | ~e)
SAVEEXEC(nand, ~(a & e))
SAVEEXEC(nor, ~(a | e))
SAVEEXEC(xnor, ~(a ^ e))
SAVEEXEC(andn1, ~a & e)
SAVEEXEC(orn1, ~a | e)

#define WREXEC(op, expr) \
X(x_s_##op##_wrexec_b32) \
{ \
	u32 a = ssrc32(c, i, 0), e = c->w->sgpr[SGPR_EXEC], r = (expr); \
 \
	c->w->sgpr[SGPR_EXEC] = r; \
	sdst32(c, i, r); \
	c->w->scc = r != 0; \
	return WAVE_BUDGET; \
}
WREXEC(andn1, ~a & e)
WREXEC(andn2, a & ~e)

X(x_s_pack_hl_b32_b16)
{
	sdst32(c, i, ssrc32(c, i, 0) >> 16 | ssrc32(c, i, 1) << 16);
	return WAVE_BUDGET;
}

/* Register @op moved by M0; NULL when the wave has none of that number. */
static u32 *moved(struct ctx *c, unsigned int op)
{
	u64 n = (u64)(op - OP_VGPR) + c->w->sgpr[SGPR_M0];

	return n < c->w->vgprs ? c->file[0][n] : NULL;
}

static enum wave_stop move(struct ctx *c, u32 *dst, const u32 *src)
{
	const u32 *m = lane_masks(c);

	VLANE
		dst[l] = (src[l] & m[l]) | (dst[l] & ~m[l]);
	return WAVE_BUDGET;
}

/* As with gfx9's indexed registers, a source that is not there is register 0 ... */
X(x_v_movrels_b32)
{
	const u32 *src;

	if (i->src[0] < OP_VGPR)
		return x_unsupported(c, i);
	src = moved(c, i->src[0]);
	return move(c, vreg(c, i->dst), src ? src : c->file[0][0]);
}

/* ... and nothing is written to a destination that is not. */
X(x_v_movreld_b32)
{
	u32 *dst = moved(c, i->dst);

	return dst ? move(c, dst, vsrc(c, i, 0)) : WAVE_BUDGET;
}

/*
 * Within a row of 16 lanes, or from the other row of two (@other is 16): source 1 and 2 have
 * four bits for each lane. op_sel: lanes that are off are read, too; else they give a zero.
 * Without either the result's lane is kept.
 */
static enum wave_stop permlane(struct ctx *c, const struct insn *i, unsigned int other)
{
	u64 exec = wave_exec(c->w), select = join(ssrc32(c, i, 1), ssrc32(c, i, 2));
	u32 in[LANES], *d;

	if (i->src[0] < OP_VGPR || i->src[1] >= OP_VGPR || i->src[2] >= OP_VGPR)
		return x_unsupported(c, i);
	memcpy(in, vreg(c, i->src[0]), sizeof(in));
	d = vreg(c, i->dst);
	LANE {
		unsigned int s = ((l & ~15u) ^ other) | (select >> 4 * (l & 15) & 15);
		bool valid = i->op_sel & 1 || exec >> s & 1;

		if (exec >> l & 1 && (valid || i->op_sel & 2))
			d[l] = valid ? in[s] : 0;
	}
	return WAVE_BUDGET;
}

X(x_v_permlane16_b32)
{
	return permlane(c, i, 0);
}

X(x_v_permlanex16_b32)
{
	return permlane(c, i, 16);
}

/* The halves of a wave of 64, whichever lanes are off in the other one; of 32 it does nothing. */
X(x_v_permlane64_b32)
{
	u32 in[LANES];

	if (i->src[0] < OP_VGPR)
		return x_unsupported(c, i);
	if (c->w->lanes == 32)
		return WAVE_BUDGET;
	memcpy(in, vreg(c, i->src[0]), sizeof(in));
	LANE
		c->out[0][l] = in[l ^ 32];
	vput(c, i, 1);
	return WAVE_BUDGET;
}

extern const isa_fn isa_fns[ISA_FNS] NAMED(isa_fns);

/* Both read before one of them writes. */
X(x_v_dual)
{
	u32 raw[INSN_DWORDS], before[LANES], result[LANES], *x;
	struct insn h[2];

	for (unsigned int y = 0; y < 2; y++) {
		i->isa->half(i, y, raw);
		i->isa->decode(&h[y], raw, i->isa);
	}
	x = vreg(c, h[0].dst);
	memcpy(before, x, sizeof(before));
	isa_fns[h[0].what](c, &h[0]);
	memcpy(result, x, sizeof(result));
	memcpy(x, before, sizeof(before));
	isa_fns[h[1].what](c, &h[1]);
	memcpy(x, result, sizeof(result));
	return WAVE_BUDGET;
}

#define V3(name, expr) \
X(name) \
{ \
	const u32 *s0 = vsrc(c, i, 0), *s1 = vsrc(c, i, 1), *s2 = vsrc(c, i, 2); \
	u32 *d = vdst(c, i); \
 \
	VLANE { \
		u32 a = s0[l], b = s1[l], x = s2[l]; \
 \
		d[l] = (expr); \
	} \
	vdone(c, i, d); \
	return WAVE_BUDGET; \
}

#define MIN(T, a, b)	((T)(a) < (T)(b) ? (T)(a) : (T)(b))
#define MAX(T, a, b)	((T)(a) > (T)(b) ? (T)(a) : (T)(b))

V3(x_v_xor3_b32, a ^ b ^ x)
V3(x_v_maxmin_u32, MIN(u32, MAX(u32, a, b), x))
V3(x_v_minmax_u32, MAX(u32, MIN(u32, a, b), x))
V3(x_v_maxmin_i32, MIN(s32, MAX(s32, a, b), x))
V3(x_v_minmax_i32, MAX(s32, MIN(s32, a, b), x))
