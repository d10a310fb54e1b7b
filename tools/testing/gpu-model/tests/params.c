// SPDX-License-Identifier: GPL-2.0
/*
 * Each cost of params.def is charged, to the ns: a whole device in virtual time, whose
 * clock the tests move.
 */
#define _GNU_SOURCE
#include <string.h>

#include "virtual_time.h"
#include "device.h"
#include "cp/hws/hws_priv.h"
#include "cp/queue/pm4_opcodes.h"
#include "vm/packet.h"
#include "host/params.h"
#include "sdma/ring.h"
#include "compute/spi.h"
#include "tap.h"

#define LO(a)		((u32)(a))
#define HI(a)		((u32)((u64)(a) >> 32))
#define HEADER(op, n)	(3u << 30 | ((n) - 1u) << 16 | (u32)(op) << 8)

/* VRAM offsets; the process sees the first 4 MiB at the same addresses. */
#define HIQ_RING	0x100000ull
#define HIQ_MQD		0x108000ull
#define SDMA_RING	0x110000ull
#define IH_RING		0x118000ull
#define MQD		0x120000ull
#define KD		0x130000ull
#define CODE		0x131000ull
#define RING		0x140000ull
#define AMDQ		0x150000ull
#define SIGNAL		0x151000ull
#define IB		0x160000ull
#define FENCE		0x161000ull
#define DATA		0x170000ull
#define AREA		0x300000ull
#define AREA_BYTES	0x80000u
#define STACK_BYTES	4096u
#define PDB2		0x500000ull
#define PDB1		0x501000ull
#define PDB0		0x502000ull
#define NO_PAGE		0x800000ull	/* of the process: block 4, which may come */
#define VALID		1ull
#define RW		0x60ull

#define VMID		8u
#define PASID		0x8001u
#define HIQ_DOORBELL	0x10u
#define USER_DOORBELL	0x1000u
#define SDMA_DOORBELL	0x1f0u
#define HIQ_RING_DW	1024u
#define COPIED		1000000u	/* bytes */
#define WAVE_BYTES	(8 * 256 + 448 + 128 + 64)	/* saved: 8 registers, and what each has */

#define S_ENDPGM	0xbf810000u
#define S_BRANCH_SELF	0xbf82ffffu
#define S_NOP		0xbf800000u

static struct gpu gpu;
static u32 hiq_wptr;

static void *vram(u64 off)
{
	return mem_ptr(&gpu, off, 8, false);
}

static u64 fb(u64 off)
{
	return MEM_FB_BASE + off;
}

/* Time until @cond, looked at each ns; 10 ms at most. */
#define when(cond) ({							\
	u64 _begin = gpu_now(), _end = _begin + 10 * NS_PER_MS;		\
	while (!(cond) && gpu_now() < _end)				\
		clock_run_until(gpu_now() + 1);				\
	gpu_now() - _begin;						\
})

static void pass(u64 ns)
{
	clock_run_until(gpu_now() + ns);
}

/* To a whole ms, with some time in between: SIMDs' beats are the same in all tests. */
static void settle(void)
{
	clock_run_until((gpu_now() / NS_PER_MS + 2) * NS_PER_MS);
}

/* ---- the scheduler's queue ---- */

static void hiq(u32 op, const u32 *p, u32 n)
{
	u32 *ring = vram(HIQ_RING), i;

	ring[hiq_wptr++ % HIQ_RING_DW] = HEADER(op, n);
	for (i = 0; i < n; i++)
		ring[hiq_wptr++ % HIQ_RING_DW] = p[i];
}

/* What was put, and a fence behind it. */
static void hiq_go(void)
{
	const u32 query[] = { 0, 0, LO(fb(FENCE)), HI(fb(FENCE)), 1, 0 };

	*(u64 *)vram(FENCE) = 0;
	hiq(PM4_QUERY_STATUS, query, 6);
	mec_doorbell(&gpu, HIQ_DOORBELL, hiq_wptr);
}

static bool fenced(void)
{
	return *(u64 *)vram(FENCE) == 1;
}

static void put_runlist(void)
{
	u32 *ib = vram(IB);
	const u32 list[] = { LO(fb(IB)), HI(fb(IB)), 21 + 7, 0 };
	u32 run[3] = { list[0], list[1], list[2] | 1u << 23 | 8u << 24 };

	memset(ib, 0, 28 * 4);
	ib[0] = HEADER(PM4_MAP_PROCESS, 20);
	ib[1] = PASID | 10u << 25;
	ib[2] = LO(PDB2 | VALID);
	ib[4] = SH_MEM_BASES_DEFAULT;
	ib[21] = HEADER(PM4_MAP_QUEUES, 6);
	ib[22] = 1 << 4 | 1u << 29;
	ib[23] = USER_DOORBELL << 2;
	ib[24] = LO(fb(MQD));
	ib[25] = HI(fb(MQD));
	ib[26] = AMDQ + 0x38;
	hiq(PM4_RUN_LIST, run, 3);
}

static void put_unmap(void)
{
	hiq(PM4_UNMAP_QUEUES, (const u32[]){ 2 << 4 }, 1);
}

/* ---- a device, a process and its queue ---- */

static void tables(void)
{
	u64 *pdb0 = vram(PDB0);
	unsigned int i;

	*(u64 *)vram(PDB2) = PDB1 | VALID;
	*(u64 *)vram(PDB1) = PDB0 | VALID | 9ull << 59;
	for (i = 0; i < 2; i++)
		pdb0[i] = i * 0x200000ull | VALID | RW;
	vm_set_field(&gpu, VMID, VM_CNTL, 1 | 2 << 1 | 9 << 3 | 1 << 7);
	vm_set_field(&gpu, VMID, VM_END_LO, ~0u);
	vm_set_base(&gpu, VMID, PDB2 | VALID);
}

static void mqds(void)
{
	u32 *m = vram(HIQ_MQD);

	m[MQD_PQ_BASE_LO] = fb(HIQ_RING) >> 8;
	m[MQD_PQ_BASE_HI] = fb(HIQ_RING) >> 40;
	m[MQD_DOORBELL_CONTROL] = HIQ_DOORBELL << 2;
	m[MQD_PQ_CONTROL] = __builtin_ctz(HIQ_RING_DW) - 1;
	m = vram(MQD);
	memset(m + MQD_SE0_MASK, 0xff, 2 * 4);
	m[MQD_PERSISTENT_STATE] = PERSISTENT_QSWITCH_MODE;
	m[MQD_PQ_BASE_LO] = RING >> 8;
	m[MQD_RPTR_REPORT_LO] = AMDQ + 0x80;
	m[MQD_WPTR_POLL_LO] = AMDQ + 0x38;
	m[MQD_DOORBELL_CONTROL] = USER_DOORBELL << 2;
	m[MQD_PQ_CONTROL] = __builtin_ctz(16 * 16) - 1;
	m[MQD_CTX_SAVE_BASE_LO] = AREA;
	m[MQD_CNTL_STACK_OFFSET] = STACK_BYTES;
	m[MQD_CNTL_STACK_SIZE] = STACK_BYTES;
	m[MQD_WG_STATE_OFFSET] = STACK_BYTES;
	m[MQD_CTX_SAVE_SIZE] = AREA_BYTES;
	m[MQD_AQL_CONTROL] = 1;
}

static void start(void)
{
	const u32 resources[7] = { 1u << VMID | 2 << 16, 0xfcfcfcfc };
	struct hqd *h;

	device_start(&gpu);
	tables();
	mqds();
	hiq_wptr = 0;
	*(u32 *)vram(KD + 16) = CODE - KD;
	*(u32 *)vram(AMDQ + 0x88) = 0x80;
	regs_set(&gpu, REG_AT(REG_CP_IQ_WAIT_TIME2), 64 << 8);
	h = mec_hqd(&gpu, 0, 2, 0, 0);
	if (mec_map(&gpu, h, fb(HIQ_MQD), 0))
		abort();
	mec_set_hiq(&gpu, h);
	hiq(PM4_SET_RESOURCES, resources, 7);
	hiq_go();
	settle();
}

static void start_mapped(void)
{
	start();
	put_runlist();
	hiq_go();
	settle();
}

/* One dispatch of @wgs waves that execute @code, its doorbell not yet rung. */
static void dispatch(unsigned int wgs, const u32 *code, unsigned int n)
{
	u8 *p = vram(RING);

	memcpy(vram(CODE), code, n * 4);
	*(u16 *)(p + 2) = 1;
	*(u16 *)(p + 4) = 64;
	*(u16 *)(p + 6) = 1;
	*(u16 *)(p + 8) = 1;
	*(u32 *)(p + 12) = wgs * 64;
	*(u32 *)(p + 16) = 1;
	*(u32 *)(p + 20) = 1;
	*(u64 *)(p + 32) = KD;
	*(u64 *)(p + 56) = SIGNAL;
	*(u64 *)vram(SIGNAL + 8) = 1;
	*(u64 *)vram(AMDQ + 0x38) = 1;
	*(u16 *)p = 2;
}

#define DISPATCH(wgs, ...) do {						\
	const u32 code[] = { __VA_ARGS__ };				\
	dispatch(wgs, code, sizeof(code) / 4);				\
} while (0)

static void ring(void)
{
	mec_doorbell(&gpu, USER_DOORBELL, 0);
}

static bool done(void)
{
	return !*(u64 *)vram(SIGNAL + 8);
}

/* ---- what takes how long ---- */

/* From the doorbell to the signal, of a kernel of @nops instructions and its end. */
static u64 of_kernel(unsigned int nops)
{
	const u32 code[] = { S_NOP, S_NOP, S_NOP, S_ENDPGM };
	u64 ns;

	start_mapped();
	dispatch(1, code + 3 - nops, nops + 1);
	ring();
	ns = when(done());
	device_stop(&gpu);
	return ns;
}

static u64 of_dispatch(void)
{
	return of_kernel(0);
}

static u64 of_instructions(void)
{
	return of_kernel(3);
}

/* From the doorbell to the fence behind UNMAP_QUEUES, of a queue without work. */
static u64 of_unmap(void)
{
	u64 ns;

	start_mapped();
	put_unmap();
	hiq_go();
	ns = when(fenced());
	device_stop(&gpu);
	return ns;
}

/* 4 on each unit, 8 on each engine */
#define EVEN	16

static u64 saved_ns;

/* @n waves run and are taken off. */
static void run_and_save(unsigned int n)
{
	start_mapped();
	DISPATCH(n, S_BRANCH_SELF);
	ring();
	pass(NS_PER_MS);
	put_unmap();
	hiq_go();
	saved_ns = when(fenced());
}

static u64 of_saved(unsigned int n)
{
	run_and_save(n);
	device_stop(&gpu);
	return saved_ns;
}

static u64 of_save(void)
{
	return of_saved(EVEN);
}

/* From the doorbell to the signal, when the waves end with what they execute first. */
static u64 of_restored(unsigned int n)
{
	u64 ns;

	run_and_save(n);
	*(u32 *)vram(CODE) = S_ENDPGM;
	put_runlist();
	hiq_go();
	ns = when(done());
	device_stop(&gpu);
	return ns;
}

static u64 of_restore(void)
{
	return of_restored(EVEN);
}

/* From the doorbell to the fence behind RUN_LIST. */
static u64 of_runlist(void)
{
	u64 ns;

	start();
	put_runlist();
	hiq_go();
	ns = when(fenced());
	device_stop(&gpu);
	return ns;
}

/* The same to the signal of a dispatch that the queue brought. */
static u64 of_start(void)
{
	u64 ns;

	start();
	DISPATCH(1, S_ENDPGM);
	put_runlist();
	hiq_go();
	ns = when(done());
	device_stop(&gpu);
	return ns;
}

static void ih_start(void)
{
	regs_write(&gpu, REG_AT(REG_IH_RB_BASE), (u32)(fb(IH_RING) >> 8));
	regs_write(&gpu, REG_AT(REG_IH_RB_BASE_HI), fb(IH_RING) >> 40);
	regs_set(&gpu, REG_AT(REG_IH_RB_RPTR), 4096 - 32);
	regs_write(&gpu, REG_AT(REG_IH_RB_CNTL), 1 | 10 << 1 | 4u << 28);
}

static u64 of_fault(void)
{
	size_t span;
	u64 ns;

	start();
	ih_start();
	mem_enter(&gpu);
	vm_ptr(&gpu, VMID, NO_PAGE, &span, false);
	mem_exit(&gpu);
	ns = when(regs_get(&gpu, REG_AT(REG_IH_RB_WPTR)));
	device_stop(&gpu);
	return ns;
}

/* A wave reads a page that comes just after it found none. */
static u64 of_retry(void)
{
	u64 ns;

	start_mapped();
	DISPATCH(1, 0xbe8200ff, LO(NO_PAGE),	/* s_mov_b32 s2 */
		 0xbe830080,			/* s_mov_b32 s3, 0 */
		 0xc0020101, 0,			/* s_load_dword s4, s[2:3], 0 */
		 S_ENDPGM);
	ih_start();
	ring();
	ns = when(regs_get(&gpu, REG_AT(REG_IH_RB_WPTR)));
	((u64 *)vram(PDB0))[NO_PAGE >> 21] = VALID | RW;
	vm_invalidate(&gpu, 1 << VMID);
	ns += when(done());
	device_stop(&gpu);
	return ns;
}

#define SDMA_REG(off)	(REG_AT(REG_SDMA0) + sdma_4_4_0.gfx + (off))

/* From the doorbell of an idle ring to the word behind a copy; then the same once more. */
static u64 of_copy(void)
{
	const u32 packets[] = {
		1, COPIED - 1, 0, LO(fb(DATA)), HI(fb(DATA)), LO(fb(0x1000000)), HI(fb(0x1000000)),
		5, LO(fb(FENCE)), HI(fb(FENCE)), 7,
	};
	u64 ns, i;

	start();
	memcpy(vram(SDMA_RING), packets, sizeof(packets));
	regs_write(&gpu, SDMA_REG(RB_BASE), LO(fb(SDMA_RING) >> 8));
	regs_write(&gpu, SDMA_REG(RB_BASE_HI), HI(fb(SDMA_RING) >> 8));
	regs_write(&gpu, SDMA_REG(DOORBELL), 1 << 28);
	regs_write(&gpu, SDMA_REG(DOORBELL_OFFSET), SDMA_DOORBELL << 2);
	regs_write(&gpu, SDMA_REG(RB_CNTL), 10 << 1 | 1);
	regs_write(&gpu, REG_AT(REG_SDMA0) + sdma_4_4_0.f32_cntl, 0);
	pass(NS_PER_MS);
	for (i = 0; i < COPIED; i += 8)
		*(u64 *)vram(DATA + i) = i;
	sdma_block.doorbell(&gpu, SDMA_DOORBELL, sizeof(packets));
	ns = when(*(u32 *)vram(FENCE) == 7);
	device_stop(&gpu);
	return ns;
}

static void check_sums(void)
{
	const u64 bell = param.doorbell_ns, runlist = param.runlist_fixed_ns + param.runlist_queue_ns,
		  unmap = param.unmap_fixed_ns + param.unmap_queue_ns,
		  rate = param.cwsr_cu_bytes_per_us,
		  grace = 64 * 1024 * NS_PER_US / SHADER_CLK_MHZ,
		  save = bell + grace + unmap + param.save_fixed_ns,
		  restore = bell + runlist + param.restore_fixed_ns + param.signal_ns,
		  read = WAVE_BYTES * NS_PER_US / rate;

	ok(of_dispatch() == bell + param.launch_ns + param.signal_ns,
	   "a dispatch: doorbell, launch, signal");
	ok(of_unmap() == bell + unmap, "UNMAP_QUEUES of an idle queue");
	ok(of_save() == save + 4 * WAVE_BYTES * NS_PER_US / rate + 8 * param.save_wave_ns,
	   "of one with waves: grace period, a unit's bytes, and the waves of an engine");
	ok(of_saved(EVEN + 1) == save + 5 * WAVE_BYTES * NS_PER_US / rate + 9 * param.save_wave_ns,
	   "the unit with most bytes, and the engine with most waves");
	ok(of_saved(1) == save + read + param.save_wave_ns,
	   "a wave alone, which three units do not help");
	/* A unit reads more slowly than its engine launches; its first is the engine's second. */
	ok(of_restore() == restore + 2 * param.restore_wave_ns + 4 * read,
	   "and back: launched, then a unit's bytes");
	ok(of_restored(5) == restore + param.restore_wave_ns + 2 * read,
	   "of five waves, the unit with two");
	ok(of_runlist() == bell + runlist, "RUN_LIST: the fence");
	ok(of_start() == bell + runlist + param.launch_ns + param.signal_ns,
	   "and the queue, which begins no earlier");
	ok(of_fault() == param.fault_ns, "a page fault");
	ok(of_copy() == param.sdma_start_ns + COPIED * 1000ull / param.sdma_bytes_per_us,
	   "an SDMA copy");
}

/* Doubled, it is charged so many times more. */
static void check_each(void)
{
	static const struct {
		const char *name;
		u64 *at;
		u64 (*measure)(void);
		unsigned int times;
	} costs[] = {
		{ "doorbell_ns", &param.doorbell_ns, of_dispatch, 1 },
		{ "launch_ns", &param.launch_ns, of_dispatch, 1 },
		{ "signal_ns", &param.signal_ns, of_dispatch, 1 },
		{ "issue_ns", &param.issue_ns, of_instructions, 3 },
		{ "unmap_fixed_ns", &param.unmap_fixed_ns, of_unmap, 1 },
		{ "unmap_queue_ns", &param.unmap_queue_ns, of_unmap, 1 },
		{ "runlist_fixed_ns", &param.runlist_fixed_ns, of_start, 1 },
		{ "runlist_queue_ns", &param.runlist_queue_ns, of_start, 1 },
		{ "save_fixed_ns", &param.save_fixed_ns, of_save, 1 },
		{ "save_wave_ns", &param.save_wave_ns, of_save, 8 },
		{ "restore_fixed_ns", &param.restore_fixed_ns, of_restore, 1 },
		{ "restore_wave_ns", &param.restore_wave_ns, of_restore, 2 },
		{ "fault_ns", &param.fault_ns, of_fault, 1 },
		{ "xnack_retry_ns", &param.xnack_retry_ns, of_retry, 1 },
		{ "sdma_start_ns", &param.sdma_start_ns, of_copy, 1 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(costs) / sizeof(costs[0]); i++) {
		u64 value = *costs[i].at, before = costs[i].measure(), after;

		*costs[i].at = 2 * value;
		after = costs[i].measure();
		*costs[i].at = value;
		ok(after == before + costs[i].times * value, costs[i].name);
		if (after != before + costs[i].times * value)
			printf("# %llu ns, doubled %llu ns\n", (unsigned long long)before,
			       (unsigned long long)after);
	}
}

/* Bandwidths: halved, the bytes take twice as long. */
static void check_bandwidths(void)
{
	u64 value = param.cwsr_cu_bytes_per_us, fast = of_save(), slow,
	    copied = 4 * WAVE_BYTES * NS_PER_US / value;

	param.cwsr_cu_bytes_per_us = value / 2;
	slow = of_save();
	ok(slow - fast >= copied && slow - fast <= copied + 1, "cwsr_cu_bytes_per_us, of a save");
	slow = of_restore();
	param.cwsr_cu_bytes_per_us = value;
	fast = of_restore();
	ok(slow - fast >= copied && slow - fast <= copied + 4, "of a restore");
	fast = of_copy();
	param.sdma_bytes_per_us /= 2;
	ok(of_copy() - fast == COPIED * 1000ull / (2 * param.sdma_bytes_per_us), "sdma_bytes_per_us");
	param.sdma_bytes_per_us *= 2;
}

/* What the plugin is told. */
static void check_shared(const struct clock_shm *page)
{
	ok(page->read_ns == 1111 && page->write_ns == 55 && page->pause_ns == 33,
	   "mmio_read_ns, mmio_write_ns, pause_ns");
	ok(page->wake_ns == 4444 && page->sleep_ns == CPU_SLEEP_NS, "cpu_wake_ns");
	clock_interrupt();
	ok(page->interrupt - page->now == param.interrupt_ns, "interrupt_ns");
}

static unsigned int looks(void)
{
	return mec_find_doorbell(&gpu, 0, USER_DOORBELL)->db_value;
}

static void check_doorbells(void)
{
	u64 half = param.doorbell_ns / 2;

	start_mapped();
	ring();
	mec_doorbell(&gpu, USER_DOORBELL, 1);
	pass(half);
	mec_doorbell(&gpu, USER_DOORBELL, 2);
	mec_kick(&gpu);
	pass(1);
	ok(!looks(), "another one's turn shows no doorbell earlier");
	pass(half - 1);
	ok(looks() == 2, "the value of the last one of many counts");
	mec_doorbell(&gpu, USER_DOORBELL, 3);
	pass(half);
	mec_doorbell(&gpu, USER_DOORBELL, 4);
	pass(half);
	ok(looks() == 3, "of two, each has its time");
	pass(half);
	ok(looks() == 4, "the second as well");
	device_stop(&gpu);
}

/* The list is read at once, but a queue has its slot when its turn came. */
static void check_since(void)
{
	run_and_save(EVEN);
	put_runlist();
	hiq_go();
	pass(param.doorbell_ns + param.runlist_fixed_ns);
	ok(gpu.spi->partition[0].queues && !spi_in_flight(gpu.spi->partition[0].queues), "before its time no wave has a place");
	pass(param.runlist_queue_ns);
	ok(spi_in_flight(gpu.spi->partition[0].queues), "then they have");
	device_stop(&gpu);
}

int main(void)
{
	const struct clock_shm *page;

	param.mmio_read_ns = 1111;
	param.mmio_write_ns = 55;
	param.pause_ns = 33;
	param.cpu_wake_ns = 4444;
	page = virtual_time();
	check_shared(page);
	check_sums();
	check_each();
	check_bandwidths();
	check_doorbells();
	check_since();
	return tap_done();
}
