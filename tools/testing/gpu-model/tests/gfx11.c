// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of a gfx1100's waves: a kernel that counts (gfx11.s), on a queue that MES maps, is
 * taken off and comes back, by REMOVE_QUEUE and by SUSPEND. What it left in the save area is what
 * a debugger reads (ROCdbgapi, gfx10_architecture_t and gfx11_architecture_t).
 *
 * CWSR_HANDLER=FILE, of machine code: a trap handler saves and restores, as the driver's
 * cwsr_trap_gfx11_hex. Here the model does it.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "assemble.h"
#include "packets.h"
#include "compute/spi.h"
#include "cp/cp.h"
#include "cp/mes/mes_priv.h"
#include "cp/queue/attach.h"
#include "cp/queue/pm4_opcodes.h"

#define RING		0x120000ull		/* VRAM offsets, and of the process' addresses */
#define MQD		0x132000ull
#define WPTR		0x151000ull
#define CODE		0x160000ull
#define OUT		0x170000ull
#define HANDLER		0x180000ull
#define AREA		0x210000ull
#define AREA_BYTES	0x100000u
#define STACK_BYTES	4096u
#define RING_LOG2	10
#define DOORBELL	0x900u
#define GANG		0x6000
#define GROUPS		6u
#define ITEMS		64u
#define VGPRS		48u
#define LDS		512u
#define WORDS		5		/* of results, each work-item */
#define HEADER(op, n)	(3u << 30 | ((n) - 1u) << 16 | (u32)(op) << 8)
#define INITIATOR(w32)	(1u | 1u << 2 | (w32) << 15)

static unsigned int lanes;	/* of a wave */
static u8 code[2][1024];		/* by that */

static void turns(void)
{
	unsigned int i;

	for (i = 0; i < 20; i++) {
		pthread_mutex_lock(&gpu.mec_lock);
		cp_turn(&gpu);
		pthread_mutex_unlock(&gpu.mec_lock);
	}
}

/* Turns until @cond, or for so many ms. */
#define until(cond, ms) ({						\
	unsigned int _n = (ms) * 5;					\
	bool _met;							\
	while (!(_met = (cond)) && _n--) {				\
		turns();						\
		usleep(200);						\
	}								\
	_met;								\
})

/* Under the lock of the command processor: what a frame of MES' ring has it do. */
#define mes(call) ({							\
	unsigned int _left = 30000;					\
	int _err;							\
	do {								\
		pthread_mutex_lock(&gpu.mec_lock);			\
		_err = (call);						\
		pthread_mutex_unlock(&gpu.mec_lock);			\
		turns();						\
		usleep(100);						\
	} while (_err == -EAGAIN && _left--);				\
	_err;								\
})

static int add(bool traps_off)
{
	const struct mes_add add = {
		.context = 0x5000, .pasid = 0x8001, .root = PDB2, .gang = GANG,
		.type = MES_QUEUE_COMPUTE, .doorbell = DOORBELL, .mqd = MEM_FB_BASE + MQD,
		.traps_off = traps_off, .tba = HANDLER, .tma = HANDLER + 0x2000,
	};

	return mes(mes_add_queue(&gpu, &add));
}

static u32 in_flight(void)
{
	u32 e, p, n = 0;

	for (e = 0; e < 2; e++)
		for (p = 0; p < MEC_PIPES; p++)
			n += spi_wave_count(&gpu, e, p, 2);
	return n;
}

/* Its waves as a driver counts them, by registers: in the slot that has its doorbell. */
static u32 counted(void)
{
	unsigned int e, slot;
	u32 n = 0, slotted;

	for (e = 0; e < 2; e++) {
		regs_write(&gpu, REG_AT(REG_GRBM_GFX_INDEX), e << 16);
		slotted = regs_read(&gpu, REG_AT(REG_SPI_CSQ_WF_ACTIVE_STATUS));
		for (slot = 0; slot < 32; slot++) {
			if (!(slotted >> slot & 1))
				continue;
			regs_write(&gpu, REG_AT(REG_GRBM_GFX_CNTL),
				   1 << 2 | slot / 4 | slot % 4 << 8);
			if (regs_read(&gpu, REG_AT(REG_CP_HQD) + 4 * HQD(MQD_DOORBELL_CONTROL)) <<
			    2 >> 4 != DOORBELL)
				continue;
			n += regs_read(&gpu, REG_AT(REG_SPI_CSQ_WF_ACTIVE_COUNT_0) + 4 * (slot % 4));
		}
	}
	return n;
}

/* The queue, and registers of its dispatches, as its MQD has them. */
static void prepare(unsigned int wave_lanes, u32 count)
{
	u32 *m = vram(MQD);

	lanes = wave_lanes;
	memset(m, 0, 4096);
	m[8] = ITEMS;
	m[9] = m[10] = 1;
	m[13] = CODE >> 8;
	m[19] = VGPRS / (lanes > 32 ? 4 : 8) - 1;
	m[20] = 3 << 1 | 1 << 7 | LDS / 512 << 15;
	m[MQD_SE0_MASK] = m[MQD_SE1_MASK] = ~0u;
	m[65] = OUT;
	m[67] = count;
	m[MQD_PERSISTENT_STATE] = PERSISTENT_QSWITCH_MODE;
	m[MQD_BASE_LO] = LO(MEM_FB_BASE + MQD);
	m[MQD_BASE_HI] = HI(MEM_FB_BASE + MQD);
	m[MQD_PQ_BASE_LO] = RING >> 8;
	m[MQD_PQ_CONTROL] = RING_LOG2 - 1;
	m[MQD_DOORBELL_CONTROL] = 1u << 30 | DOORBELL << 2;
	m[MQD_WPTR_POLL_LO] = WPTR;
	m[MQD_CTX_SAVE_BASE_LO] = AREA;
	m[MQD_CTX_SAVE_SIZE] = AREA_BYTES;
	m[MQD_CNTL_STACK_OFFSET] = m[MQD_CNTL_STACK_SIZE] = m[MQD_WG_STATE_OFFSET] = STACK_BYTES;
	memset(vram(OUT), 0, GROUPS * ITEMS * WORDS * 4);
	memcpy(vram(CODE), code[lanes > 32], sizeof(code[0]));
}

/* What it finds in its ring. */
static void dispatch(void)
{
	const u32 p[] = { HEADER(PM4_DISPATCH_DIRECT, 4), GROUPS, 1, 1, INITIATOR(lanes == 32) };

	memcpy(vram(RING), p, sizeof(p));
	*(u64 *)vram(WPTR) = sizeof(p) / 4;
}

/* Work-items whose words are not what they are to be. */
static unsigned int wrong(u32 count)
{
	const u32 *out = vram(OUT);
	unsigned int i, n = 0;

	for (i = 0; i < GROUPS * ITEMS; i++, out += WORDS)
		n += out[0] != count || out[1] != (i & 1 ? 0 : count) || out[2] != count ||
		     out[3] != count || out[4] != count + 7;
	return n;
}

static bool ended(void)
{
	u32 *last = vram(OUT) + (GROUPS * ITEMS - 1) * WORDS + 4;

	return __atomic_load_n(last, __ATOMIC_RELAXED) && !in_flight();
}

/*
 * A record as a debugger finds it, from its end down. Its counters agree but for the one
 * instruction at which it stopped.
 */
static bool record_good(const u8 *begin, const u8 *hwregs)
{
	const u32 *v1 = (const u32 *)(begin + 1 * lanes * 4), *v40 = v1 + 39 * lanes;
	const u32 *sgpr = (const u32 *)(hwregs - 512), *hw = (const u32 *)hwregs;
	u32 s4 = sgpr[4], l;

	for (l = 0; l < lanes; l++)
		if (v1[l] - s4 > 1 || v40[l] - s4 > 1)
			return false;
	return (hw[0] == 7 || !s4) && hw[1] >= CODE && hw[1] < CODE + 4096 && !hw[2] && sgpr[2] &&
	       hw[16 + 8] < GROUPS && !hw[16 + 9] && (hw[16 + 11] & 0x3f) < ITEMS / lanes;
}

/* Waves that are as they must be; 0 if the area makes no sense. */
static unsigned int read_state(void)
{
	const u32 *m = vram(MQD);
	const u8 *area = (const u8 *)vram(AREA), *top = area + m[MQD_WG_STATE_OFFSET];
	const u32 *stack = (const u32 *)(area + m[MQD_CNTL_STACK_OFFSET]);
	u32 words = (m[MQD_CNTL_STACK_SIZE] - m[MQD_CNTL_STACK_OFFSET]) / 4, i, waves = 0;
	u32 vgprs = 0, lds = 0, open = 0;

	if (words < 2 || stack[0] >> 30 != 3 || (stack[0] >> 16 & 0x3fff) + 2 != words)
		return 0;
	for (i = 2; i < words; i++) {
		const u8 *hwregs = top - 128, *begin;

		if (stack[i] >> 30 & 1)
			continue;
		if (stack[i] >> 31) {
			if ((stack[i] >> 24 & 1) != (lanes == 32) || stack[i] >> 26 & 0xf)
				return 0;
			vgprs = ((stack[i] & 0x3f) + 1) * (lanes == 32 ? 8 : 4);
			lds = (stack[i] >> 10 & 0xff) * 512;
			i++;
			continue;
		}
		if (stack[i] >> 12 & 1) {
			if (open++)
				return 0;
			hwregs -= lds;
		}
		begin = hwregs - 512 - vgprs * lanes * 4;
		if (vgprs != VGPRS || lds != LDS || !open || begin < area + STACK_BYTES)
			return 0;
		waves += record_good(begin, hwregs);
		if (stack[i] >> 29 & 1)
			open = 0;
		top = begin;
	}
	return top == area + STACK_BYTES && !open ? waves : 0;
}

/* Once to its end, then with @n stays, by REMOVE_QUEUE or by SUSPEND. */
static void count(unsigned int wave_lanes, bool suspend, bool traps_off)
{
	const u32 all = GROUPS * ITEMS / wave_lanes, until_here = 1500;
	unsigned int n, read = 0, running = 0, seen = 0;
	char what[96];

	prepare(wave_lanes, 3);
	dispatch();
	if (add(traps_off))
		exit(1);
	snprintf(what, sizeof(what), "waves of %u: a kernel counts", lanes);
	ok(until(ended(), 5000) && !wrong(3), what);
	ok(!mes(mes_remove_queue(&gpu, DOORBELL)), "and its queue is removed");

	prepare(wave_lanes, until_here);
	dispatch();
	add(traps_off);
	for (n = 0; n < 5; n++) {
		running += until(in_flight() == all, 5000);
		seen += counted() == all;
		usleep(3000);
		if (suspend ? mes(mes_suspend(&gpu, GANG)) : mes(mes_remove_queue(&gpu, DOORBELL)))
			break;
		read += read_state() == all;
		if (in_flight() || counted())
			break;
		if (suspend ? mes(mes_resume(&gpu, GANG)) : add(traps_off))
			break;
	}
	ok(n == 5 && running == 5, suspend ?
	   "five times suspended with all of its waves, and resumed" :
	   "five times removed with all of its waves, and added");
	ok(seen == 5, "registers tell of each of them, and of none while they are saved");
	ok(read == 5, "a debugger finds each wave with what it has");
	ok(until(ended(), 20000) && !wrong(until_here), "no count is lost and none is double");
	mes(mes_remove_queue(&gpu, DOORBELL));
}

/* What a process writes where its control stack is. */
static void forged(void)
{
	u32 *m = vram(MQD), i, offset;

	prepare(32, 1000);
	dispatch();
	add(true);
	until(in_flight(), 5000);
	mes(mes_remove_queue(&gpu, DOORBELL));
	offset = m[MQD_CNTL_STACK_OFFSET];
	ok(offset < STACK_BYTES, "saved");
	for (i = offset / 4 + 2; i < STACK_BYTES / 4; i++)
		vram(AREA)[i] ^= 1u << 29 | 1u << 12;
	add(true);
	turns();
	ok(!in_flight(), "a control stack that makes no sense starts no wave");
	mes(mes_remove_queue(&gpu, DOORBELL));
}

/* True: one is there. */
static bool load_handler(void)
{
	const char *path = getenv("CWSR_HANDLER");
	FILE *f = path ? fopen(path, "rb") : NULL;

	if (!f)
		return false;
	memset(vram(HANDLER), 0, 0x3000);
	if (!fread(vram(HANDLER), 1, 0x2000, f))
		exit(1);
	fclose(f);
	return true;
}

int main(void)
{
	unsigned int i;

	if (!assemble_for("gfx1100", "gfx11.s", NULL, code[0], sizeof(code[0])) ||
	    !assemble_for("gfx1100 -mattr=+wavefrontsize64,-wavefrontsize32 -defsym WAVE64=1",
			  "gfx11.s", NULL, code[1], sizeof(code[1]))) {
		ok(false, "llvm-mc assembles gfx11.s");
		return tap_done();
	}
	device_start_cfg(&gpu, (struct gpu_config){
		.asic = ASIC_GFX1100, .xccs = 1, .engines = 2, .cus_per_engine = 2,
	});
	engine_stop(&gpu);		/* the turns are made here */
	param.issue_ns = 2000;
	process_start();
	gpu.cfg.cwsr = load_handler() ? CWSR_HANDLER : CWSR_NATIVE;
	gpu.mes->vmids = 1u << VMID;
	/* not the first pipe, where the number of a slot says nothing of how many a pipe has */
	for (i = 1; i < MEC_PIPES; i++)
		gpu.mes->compute[i] = 0xc;
	count(32, false, true);
	count(32, true, false);
	count(64, false, false);
	count(64, true, true);
	forged();
	device_stop(&gpu);
	return tap_done();
}
