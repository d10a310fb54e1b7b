/* SPDX-License-Identifier: GPL-2.0 */
/* Waves: their architectural state, and execution of code. */
#ifndef GPU_MODEL_WAVE_H
#define GPU_MODEL_WAVE_H

#include "gpu.h"

#define LANES		64	/* that a register has room for */
#define MAX_SGPRS	128	/* operand space 0..127: s0-s101, flat_scratch, xnack_mask, vcc, ttmp, m0, exec */
#define SGPR_SINK	MAX_SGPRS	/* two more: written in the place of NULL, never read */
#define INSN_DWORDS	3	/* of the longest instruction */
#define MAX_VGPRS	512	/* architectural first, then accumulation (unified file on gfx90a) */
#define SGPR_FLAT_SCRATCH 102
#define SGPR_XNACK_MASK	104
#define SGPR_VCC	106
#define SGPR_TTMP	108
#define SGPR_M0		124
#define SGPR_EXEC	126

/*
 * Scalar registers that a save area holds, whatever the descriptor asks for: the
 * model keeps FLAT_SCRATCH, XNACK_MASK and VCC apart from the SGPRs that they
 * share storage with when there are fewer.
 */
#define SAVED_SGPRS	112

struct insn;
struct isa_build;
struct isa_row;

/**
 * struct isa - an instruction set
 * @name:	as compilers have it
 * @rows: @nrows: the instructions of its family
 * @without:	flags of rows that it does not have
 * @flat_scratch: waves begin with their FLAT_SCRATCH
 * @rdna:	waves of 32 or 64 lanes, whose hardware registers, FLAT_SCRATCH among them, and
 *		begin are those of RDNA; their descriptors, too
 * @sgprs:	scalar registers that have no other name
 * @mask_dwords:	scalar registers that masks of lanes take, in text
 * @lookup:	the decoder's own
 * @decode:	see isa_decode()
 * @print:	see isa_print()
 * @half:	of an instruction that is two, the first or the second (@y), as one of its own
 */
struct isa {
	const char *name;
	const struct isa_row *rows;
	unsigned int nrows;
	u32 without;
	bool flat_scratch, rdna;
	u8 sgprs, mask_dwords;
	const struct isa_row *(*lookup)[1024];
	int (*decode)(struct insn *i, const u32 raw[INSN_DWORDS], const struct isa *isa);
	void (*print)(const struct insn *i, char *buf, size_t size);
	void (*half)(const struct insn *i, bool y, u32 raw[INSN_DWORDS]);
};

extern const struct isa isa_gfx90a, isa_gfx942;
extern const struct isa isa_gfx1100, isa_gfx1100_wave64;	/* the latter: in its text alone */

#define WATCHES		4	/* TCP_WATCH0 to 3 */

/* TCP_WATCHn_CNTL.MODE, as KFD_DBG_TRAP_ADDRESS_WATCH_MODE_*: the accesses meant. */
enum watch_mode { WATCH_READ, WATCH_NONREAD, WATCH_ATOMIC, WATCH_ALL };

/**
 * struct wave_watch - vector memory that a debugger watches
 * @va: @mask:	address, and which of its bits count
 * @mode:	which accesses
 * @bit:	of TRAPSTS that a hit sets
 */
struct wave_watch {
	u64 va, mask;
	enum watch_mode mode;
	u32 bit;
};

/**
 * struct wave_mem - the GPU and the memory a wave sees; one per address space
 * @isa:	instruction set
 * @build:	how instructions are executed; NULL: as fast as the host can
 * @ptr:	as vm_ptr(): host pointer and contiguous span, or NULL for a fault
 * @retry:	of an access for which @ptr gave NULL: is it to be made again, later? Raises
 *		the fault; NULL: @ptr did, never
 * @ring:	a store of 4 or 8 bytes, for which @ptr gave NULL, to a doorbell: false if there is
 *		none at that address. With no value it only says so. NULL: there are none
 * @generation:	changes when pointers cached by the wave code must be dropped;
 *		asked once for each wave_run()
 * @ctx:	the callee's
 * @gws: @gws_range: the global wave sync unit, see isa/gws.c, and which of its resources are
 *		there, as GWS_RANGE(); NULL: none, and all
 * @shared_base: @private_base: 4 GiB apertures (bits 63:32 compare), SH_MEM_BASES
 * @tba: @tma:	trap handler, or 0, and what it reads
 * @watch: @watches: debugger's watch points, and how many they are
 */
struct wave_mem {
	const struct isa *isa;
	const struct isa_build *build;
	void *(*ptr)(void *ctx, u64 va, size_t *span, bool write);
	bool (*retry)(void *ctx, u64 va, bool write);
	bool (*ring)(void *ctx, u64 va, const u64 *value, size_t bytes);
	u32 (*generation)(void *ctx);
	void *ctx;
	u32 *gws;
	u32 (*gws_range)(void *ctx);
	u64 shared_base;
	u64 private_base;
	u64 tba, tma;
	struct wave_watch watch[WATCHES];
	unsigned int watches;
};

struct workgroup;

/* Why wave_run() returned. */
enum wave_stop {
	WAVE_BUDGET,	/* used up its instructions */
	WAVE_SLEEP,	/* s_sleep: wave.wake_at says until when */
	WAVE_BARRIER,	/* waits at s_barrier */
	WAVE_END,	/* s_endpgm */
	WAVE_FAULT,	/* page fault: wave.fault_va, pc at the faulting instruction */
	WAVE_RETRY,	/* likewise, but the access is to be made again, later: XNACK */
	WAVE_ILLEGAL,	/* not a supported instruction: pc at it, named in the log */
	WAVE_TRAP,	/* s_trap N: wave.trap_id; pc is past it */
	WAVE_MSG,	/* s_sendmsg: wave.msg (interrupt to the host); pc is past it */
	WAVE_RFE,	/* s_rfe_b64: back from the trap handler; pc is where it leads */
	WAVE_WATCH,	/* a watch point was hit, and MODE enables that; pc is past it */
};

/**
 * struct wave - one wave; everything here but @gws, @wg, @mem and the tlb is saved by CWSR
 * @pc:		address of the next instruction
 * @last_pc:	address of the instruction executed last, for the event log
 * @sgpr:	operand space; exec, vcc and m0 live in it
 * @vgpr:	[@vgprs][LANES]; accumulation registers start at @acc_offset
 * @lanes: @all:	64 or 32, and the mask of them
 * @vgprs:	allocated vector registers, both kinds
 * @acc_offset:	first accumulation register
 * @scc:	scalar condition code
 * @again:	the access at @fault_va is to be made again
 * @mode: @status: @trapsts: hardware registers as s_getreg_b32 reads them
 * @hw_id:	HW_ID (slot, SIMD, CU, engine, queue, pipe), set at launch and restore
 * @xcc_id:	XCC_ID, or RDNA's HW_ID2, likewise
 * @flat_scratch: RDNA's, which is no pair of SGPRs
 * @insns:	instructions executed since launch
 * @wake_at:	model time a sleeping wave goes on
 * @gws: @gws_flag: where it waits at a barrier, and how that was when it came
 * @index:	number within the workgroup
 * @msg_dst:	where the answer to @msg goes
 *
 * One thread at a time runs the waves of a workgroup: LDS is not locked.
 */
struct wave {
	u64 pc;
	u64 last_pc;
	u32 sgpr[MAX_SGPRS + 2];
	u32 (*vgpr)[LANES];
	u64 all;
	u8 lanes;
	u16 vgprs;
	u16 acc_offset;
	bool scc;
	bool at_barrier;
	bool ended;
	bool again;
	u32 mode;
	u32 status;
	u32 trapsts;
	u32 hw_id;
	u32 xcc_id;
	u64 flat_scratch;
	u64 insns;
	u64 wake_at;
	u64 fault_va;
	u32 trap_id;
	u32 msg;
	u32 *gws, gws_flag;
	u8 index, msg_dst;
	struct workgroup *wg;
	const struct wave_mem *mem;
	struct {
		u64 page;	/* va >> 12, ~0 when empty */
		u8 *host;
		bool write;
	} tlb[64];
	u32 tlb_generation;
};

/**
 * struct workgroup - waves that share LDS and barriers
 * @waves:	array of @nwaves
 * @lds: @lds_bytes: local data share
 * @owner:	the launcher's (spi.c)
 */
struct workgroup {
	struct wave *waves;
	unsigned int nwaves;
	u8 *lds;
	u32 lds_bytes;
	void *owner;
};

/* Allocate with all registers zero and exec full; NULL if out of memory. */
struct workgroup *wg_alloc(unsigned int nwaves, unsigned int lanes, unsigned int vgprs,
			   unsigned int acc_offset, u32 lds_bytes);
void wg_free(struct workgroup *wg);

/**
 * wave_run() - execute instructions
 * @w:		wave; not ended, not at a barrier
 * @budget:	at most this many instructions; reduced by those executed
 *
 * Stops between two instructions only. s_barrier sets at_barrier and advances
 * pc; wg_barrier_done() releases. Never loops on values from memory.
 */
enum wave_stop wave_run(struct wave *w, u32 *budget);

/*
 * A wave that waits at a barrier of the GWS is taken off the machine: it goes on behind
 * that if the others have gone, else it comes to it anew.
 */
void wave_leave_gws(struct wave *w);

/* The STATUS register, of which the wave keeps some bits elsewhere. */
u32 wave_status(const struct wave *w);
void wave_set_status(struct wave *w, u32 v);

#define STATUS_PRIV	(1u << 5)	/* executes its trap handler */
#define STATUS_TRAP_EN	(1u << 6)	/* RDNA: what traps has it enter that */
#define STATUS_HALT	(1u << 13)	/* does not issue, but in the trap handler */

/* Is it in its trap handler? Where traps are off it may keep the privilege when it leaves. */
static inline bool wave_in_handler(const struct wave *w)
{
	return w->status & STATUS_PRIV && (!w->mem->isa->rdna || w->status & STATUS_TRAP_EN);
}

/* TRAPSTS and MODE, by their use in cwsr_trap_handler_gfx9.asm. */
#define TRAPSTS_WATCH0		(1u << 7)
#define TRAPSTS_MEM_VIOL	(1u << 8)
#define TRAPSTS_SAVECTX		(1u << 10)
#define TRAPSTS_ILLEGAL_INST	(1u << 11)
#define TRAPSTS_WATCH1		(1u << 12)	/* 2 and 3 follow */
#define TRAPSTS_XNACK_ERROR	(1u << 28)
#define MODE_DEBUG_EN		(1u << 11)	/* a trap after each instruction */
#define MODE_EXCP_EN_SHIFT	12
#define MODE_EXCP_EN		(0x1ffu << MODE_EXCP_EN_SHIFT)
#define MODE_EXCP_EN_WATCH	(1u << 19)
#define MODE_GPR_IDX_EN		(1u << 27)
#define MODE_VSKIP		(1u << 28)	/* vector instructions are not executed */
#define MODE_RDNA		0x00afffffu	/* bits of MODE that RDNA waves have here */

/* Forget cached translations, as after a restore into new memory. */
void wave_drop_tlb(struct wave *w);

/* True, and clears at_barrier, when every wave not ended is at the barrier. */
bool wg_barrier_done(struct workgroup *wg);

/**
 * struct kernel_code - what a 64-byte kernel descriptor says
 * Filled by kernel_code_parse(); all sizes in bytes or registers.
 */
struct kernel_code {
	u64 entry;		/* address of the first instruction */
	u32 lds_bytes, scratch_bytes, kernarg_bytes;
	u16 vgprs, acc_offset, sgprs;
	u8 lanes;		/* of a wave */
	bool rdna;		/* as its instruction set is */
	u8 user_sgprs;		/* rsrc2 bits 5:1 */
	bool wg_id_x, wg_id_y, wg_id_z, wg_info, scratch_en;
	u8 workitem_dims;	/* 0: x, 1: x and y, 2: x, y and z */
	u32 mode;		/* initial MODE register */
	u16 properties;		/* kernel_code_properties of the descriptor */
};

/* @kd: 64 descriptor bytes read at @va. 0, or -EINVAL with a logged reason. */
int kernel_code_parse(struct kernel_code *k, const struct isa *isa, const u8 *kd, u64 va);

/**
 * struct dispatch_regs - values for the initial registers of a workgroup's waves
 */
struct dispatch_regs {
	u64 dispatch_ptr, queue_ptr, kernarg, dispatch_id;
	u32 private_rsrc[4];	/* private segment buffer descriptor */
	u64 flat_scratch_init;	/* 64-bit address of the queue's scratch (gfx9) */
	u32 private_bytes;	/* per lane */
	u32 grid[3];		/* work-items */
	u16 wgsize[3];
	bool flat_scratch;	/* waves begin with their FLAT_SCRATCH (gfx942) */
	u64 scratch_base;	/* GPU address of the queue's scratch */
	u32 scratch_wave_bytes;	/* scratch of one wave */
	const u32 *user_data;	/* user SGPRs as they are (PM4), or NULL: by properties */
};

/* Waves that workgroup @id[] needs: fewer than a full one at the grid's edge. */
unsigned int wg_nwaves(const struct kernel_code *k, const struct dispatch_regs *d, const u32 id[3]);

/*
 * The part of @k that comes from COMPUTE_PGM_RSRC1 to 3; the rest is cleared. False: the wave
 * would share vector registers, which none does here.
 */
bool kernel_code_regs(struct kernel_code *k, const struct isa *isa, unsigned int lanes,
		      const u32 rsrc[3]);

/*
 * Set SGPRs, VGPRs, exec, mode and pc of every wave of @wg for workgroup @id[].
 * Wave n gets scratch slot @scratch_slot + n. Waves without work-items (an
 * edge workgroup allocated full size) are marked ended.
 */
void wg_init_regs(struct workgroup *wg, const struct kernel_code *k,
		  const struct dispatch_regs *d, const u32 id[3], u32 scratch_slot);

#endif
