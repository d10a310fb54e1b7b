// SPDX-License-Identifier: GPL-2.0
/*
 * Rings of any content: the scheduler's (HIQ), the kernel's (KIQ), PM4 and AQL
 * queues of a process, with registers and memory changing between the packets.
 * The command processor's turns are made here. Waves are launched, saved, restored
 * and killed, but do not run: waves.c has them. Of two XCCs each may be a partition,
 * with a HIQ and a process' queue for the second one.
 */
#define _GNU_SOURCE
#include "../device.h"
#include "compute/cu.h"
#include "fuzz.h"
#include "actors.h"

#include "cp/queue/engine.c"	/* whose thread this one is */
#include "cp/cp.h"
#include "cp/machine.h"
#include "cp/queue/attach.h"
#include "cp/queue/pm4_opcodes.h"

/* Of the device: xccs.c has two, and all of this. */
#ifndef XCCS
#define XCCS		1
#endif

/* Places in VRAM, which the process sees at the same addresses. */
#define MQD(n)		(((n) < HIQ_B ? 0x100000ull : 0x130000ull) + (n) * 0x8000)
#define STACK(n)	(MQD(n) + 4096)
#define XCC_STRIDE	0x4000u		/* from one XCC's MQD to the next one's */
#define RUNLIST		0x120000ull
#define RUNLIST_B	0x121000ull
#define RING(n)		(0x130000ull + (n) * 0x2000)
#define RING_DW		1024u
#define AMD_QUEUE	0x140000ull
#define SIGNALS		0x141000ull
#define DESCRIPTOR	0x142000ull
#define CODE		0x143000ull
#define WORDS		0x144000ull
#define BUFFER		0x145000ull
#define AREA(n)		(0x200000ull + (n) % 4 * 0x80000)
#define STACK_BYTES	4096u
#define AREA_BYTES	0x80000u
#define DOORBELL(n)	(0x100u + 2 * (n))

#define KERNEL(off)	(MEM_FB_BASE + (off))
#define ADDR(a)		(u32)(a), (u32)((u64)(a) >> 32)
#define HEADER(op, n)	(3u << 30 | ((n) - 1u) << 16 | (u32)(op) << 8)

enum {
	HIQ, KIQ, PM4, AQL, HIQ_B, AQL_B, QUEUES = XCCS > 1 ? AQL_B + 1 : AQL + 1,
	MMIO = QUEUES, POKE, KILL, WAIT, PARTITION, KINDS = XCCS > 1 ? PARTITION + 1 : PARTITION,
};

#define VMID_B		(FUZZ_VMID + 1)

static u64 write_index[QUEUES];

/* In the place of cu.c's: no thread. */
struct worker *cu_start(struct gpu *g, struct cu *cus, unsigned int ncus, unsigned int n)
{
	struct worker *nobody = calloc(1, 4096);
	unsigned int i;

	(void)n;
	for (i = 0; i < ncus; i++) {
		cus[i].g = g;
		cus[i].worker = nobody;
		pthread_mutex_init(&cus[i].lock, NULL);
	}
	return nobody;
}

static void fuzz_start(void)
{
	fuzz_guard(DEVICE_VRAM_MB);
	device_start_xccs(&gpu, XCCS);
	engine_stop(&gpu);
	is_cp = true;
}

/* An MQD as amdkfd makes it: that of one XCC. */
static void make_mqd(unsigned int n, unsigned int xcc, bool process)
{
	u32 *m = fuzz_vram(MQD(n) + xcc * XCC_STRIDE);
	unsigned int i;

	for (i = 23; i <= 27; i++)
		m[i] = ~0u;			/* COMPUTE_STATIC_THREAD_MGMT_SE0 to 3 */
	m[39] = XCCS > 1 ? xcc : ~0u;		/* COMPUTE_CURRENT_LOGIC_XCC_ID, or SE4's */
	m[41] = XCCS > 1 ? 1 : ~0u;		/* COMPUTE_TG_CHUNK_SIZE */
	m[132] = 1u << 14;			/* CWSR */
	m[133] = 1;
	m[134] = 7;
	m[136] = (process ? RING(n) : KERNEL(RING(n))) >> 8;
	m[137] = (process ? RING(n) : KERNEL(RING(n))) >> 40;
	m[139] = process ? AMD_QUEUE + 0x80 + 0x100 * (n - PM4) : 0;
	m[141] = process ? AMD_QUEUE + 0x38 + 0x100 * (n - PM4) : 0;
	m[143] = DOORBELL(n) << 2 | 1u << 30;
	m[145] = 9;				/* log2 of RING_DW, less 1 */
	m[171] = AREA(n) + xcc * (AREA_BYTES / XCCS);
	m[174] = m[175] = m[176] = STACK_BYTES;
	m[177] = AREA_BYTES / XCCS;
	m[181] = n == AQL || n == AQL_B;
	m[226] = XCC_STRIDE;
}

static void make_aql(unsigned int n)
{
	u32 i;

	for (i = 0; i < RING_DW; i += 16)
		*fuzz_vram(RING(n) + 4 * i) = 1;	/* INVALID */
	*fuzz_vram(AMD_QUEUE + 0x100 * (n - PM4) + 0x88) = 0x80;
}

/* A kernel of 8 VGPRs and 512 bytes of LDS, with an address of arguments. */
static void make_kernel(void)
{
	u32 *kd = fuzz_vram(DESCRIPTOR), i;

	kd[0] = 512;
	kd[4] = CODE - DESCRIPTOR;
	kd[13] = 2 << 1 | 1 << 7;
	kd[14] = 1 << 3;
	for (i = 0; i < 16; i++)
		*fuzz_vram(SIGNALS + 64 * i + 8) = 1;
}

/* A runlist of one process with the queues from @first to @last. */
static void make_runlist(u64 at, u32 pasid, unsigned int first, unsigned int last)
{
	const u32 process[] = {
		HEADER(PM4_MAP_PROCESS, 16), pasid | 10u << 25, ADDR(FUZZ_PDB2 | 1),
		0x00010002,
	};
	u32 *p = fuzz_vram(at);
	unsigned int n;

	memcpy(p, process, sizeof(process));
	p += 17;
	for (n = first; n <= last; n++, p += 7) {
		const u32 queue[] = {
			HEADER(PM4_MAP_QUEUES, 6), 1 << 4, DOORBELL(n) << 2, ADDR(KERNEL(MQD(n))),
			ADDR(AMD_QUEUE + 0x38 + 0x100 * (n - PM4)),
		};

		memcpy(p, queue, sizeof(queue));
	}
}

static void turns(void)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		pthread_mutex_lock(&gpu.mec_lock);
		cp_turn(&gpu);
		pthread_mutex_unlock(&gpu.mec_lock);
		actors_turn();
	}
}

/* Append to a queue's ring, AQL by whole packets, and ring. */
static void submit(unsigned int n, const u32 *word, u32 count)
{
	u32 align = n == AQL || n == AQL_B ? 16 : 1, i;

	count = (count + align - 1) / align * align;
	for (i = 0; i < count; i++)
		fuzz_vram(RING(n))[(write_index[n] * align + i) % RING_DW] = word[i];
	write_index[n] += count / align;
	if (n == PM4 || align > 1)
		*(u64 *)fuzz_vram(AMD_QUEUE + 0x38 + 0x100 * (n - PM4)) = write_index[n];
	mec_doorbell(&gpu, DOORBELL(n), write_index[n]);
}

#define SUBMIT(n, ...) do {						\
	const u32 words[] = { __VA_ARGS__ };				\
	submit(n, words, sizeof(words) / 4);				\
} while (0)

/* What the second XCC has for itself, should it become a partition. */
static void begin_second(void)
{
	unsigned int i;

	fuzz_tables(VMID_B);
	make_mqd(HIQ_B, 0, false);
	for (i = 0; i < XCCS; i++)
		make_mqd(AQL_B, i, true);
	make_aql(AQL_B);
	make_runlist(RUNLIST_B, FUZZ_PASID + 1, AQL_B, AQL_B);
	if (mec_map(&gpu, mec_hqd(&gpu, 1, 2, 0, 0), KERNEL(MQD(HIQ_B)), 0))
		abort();
	mec_set_hiq(&gpu, mec_hqd(&gpu, 1, 2, 0, 0));
}

static void begin(void)
{
	unsigned int i;

	pci_reset(&gpu, true);
	fuzz_clear_vram();
	fuzz_tables(FUZZ_VMID);
	memset(write_index, 0, sizeof(write_index));
	make_mqd(HIQ, 0, false);
	make_mqd(KIQ, 0, false);
	for (i = 0; i < XCCS; i++) {
		make_mqd(PM4, i, true);
		make_mqd(AQL, i, true);
	}
	make_aql(AQL);
	make_kernel();
	make_runlist(RUNLIST, FUZZ_PASID, PM4, AQL);
	if (mec_map(&gpu, mec_hqd(&gpu, 0, 2, 0, 0), KERNEL(MQD(HIQ)), 0) ||
	    mec_map(&gpu, mec_hqd(&gpu, 0, 2, 1, 0), KERNEL(MQD(KIQ)), 0))
		abort();
	mec_set_hiq(&gpu, mec_hqd(&gpu, 0, 2, 0, 0));
	if (XCCS > 1)
		begin_second();
	SUBMIT(HIQ, HEADER(PM4_SET_RESOURCES, 7), 1 << FUZZ_VMID | 1 << 16, ~0u, 0, 0, 0, 0, 0,
	       HEADER(PM4_RUN_LIST, 3), ADDR(KERNEL(RUNLIST)), 31 | 1 << 23);
	turns();
	atomic_fetch_add(&fuzz_clock, NS_PER_MS);
	turns();
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct record r;
	u32 i;

	begin();
	while (record_next(&data, &size, &r)) {
		switch (r.kind % KINDS) {
		case MMIO:
			for (i = 0; i < r.n; i += 2)
				regs_write(&gpu, r.word[i] % regs_size(&gpu) & ~3u, r.word[i + 1]);
			for (i = 0; i < r.n; i += 2)
				regs_read(&gpu, r.word[i] % regs_size(&gpu) & ~3u);
			break;
		case POKE:
			fuzz_poke(&r);
			break;
		case KILL:
			machine_kill_waves(&gpu, r.word[1] % XCCS, ~0u, r.word[0] & 15);
			break;
		case PARTITION:
			for (i = 0; i < XCCS; i++)
				regs_write(&gpu, regs_of_xcc(i, REG_AT(REG_CP_HYP_XCP_CTL)),
					   XCP_CTL(r.word[0] & 1 ? i : 0, r.word[0] & 1 ? XCCS : 1));
			break;
		case WAIT:
			atomic_fetch_add(&fuzz_clock, r.word[0] % (500 * NS_PER_MS));
			break;
		default:
			submit(r.kind % KINDS, r.word, r.n);
			break;
		}
		turns();
	}
	return 0;
}

#define WRITE(va, val)		HEADER(PM4_WRITE_DATA, 4), 5 << 8, ADDR(va), val
#define UNMAP_ALL		HEADER(PM4_UNMAP_QUEUES, 5), 2 << 4, 0, 0, 0, 0
#define RUN			HEADER(PM4_RUN_LIST, 3), ADDR(KERNEL(RUNLIST)), 31 | 1 << 23
#define RUN_B			HEADER(PM4_RUN_LIST, 3), ADDR(KERNEL(RUNLIST_B)), 24 | 1 << 23
#define RESOURCES(vmid)		HEADER(PM4_SET_RESOURCES, 7), 1 << (vmid) | 1 << 16, ~0u, 0, 0, 0, 0, 0
#define REG(off, val)		(off), (val)
#define HQD_OFF(dw)		(REG_AT(REG_CP_HQD) + 4 * HQD(dw))
#define DISPATCH(wgs, items, sig) \
	2 | 1 << 16, (items) | 1 << 16, 1, (wgs) * (items), 1, 1, 0, 512, ADDR(DESCRIPTOR), \
	ADDR(WORDS), 0, 0, ADDR(SIGNALS + 64 * (sig))
#define BARRIER(type, sig)	(type), 0, ADDR(SIGNALS + 64 * (sig)), 0, 0, 0, 0, 0, 0, 0, 0, \
	0, 0, 0, 0
#define SH(reg, n, ...)		HEADER(PM4_SET_SH_REG, (n) + 1), reg, __VA_ARGS__
#define PM4_DISPATCH(wgs) \
	SH(0x207, 3, 64, 1, 1), SH(0x20c, 2, (u32)(CODE >> 8), 0), \
	SH(0x212, 2, 0, 2 << 1 | 1 << 7 | 1 << 15), SH(0x240, 2, ADDR(WORDS)), \
	HEADER(PM4_DISPATCH_DIRECT, 4), (wgs) * 64, 1, 1, 0x21

static bool seed(unsigned int n)
{
	switch (n) {
	case 0:		/* every packet of a process */
		SEED(PM4, WRITE(WORDS, 7), HEADER(PM4_COPY_DATA, 5), 2 | 5 << 8 | 1 << 16,
		     ADDR(WORDS), ADDR(WORDS + 8), HEADER(PM4_RELEASE_MEM, 7), 0x514,
		     2u << 29 | 2 << 24, ADDR(WORDS + 16), 1, 2, 3,
		     HEADER(PM4_WAIT_REG_MEM, 6), 3 | 1 << 4, ADDR(WORDS), 7, ~0u, 4,
		     HEADER(PM4_NOP, 2), 0, 0, HEADER(PM4_ACQUIRE_MEM, 6), 0, ~0u, 0, 0, 0, 4,
		     HEADER(PM4_EVENT_WRITE, 1), 7 | 4 << 8);
		SEED(POKE, BUFFER, WRITE(WORDS + 32, 9), HEADER(PM4_INDIRECT_BUFFER, 3),
		     ADDR(BUFFER), 5 | 1 << 20);
		SEED(PM4, HEADER(PM4_INDIRECT_BUFFER, 3), ADDR(BUFFER), 9);
		return true;
	case 1:		/* dispatches of a PM4 queue, saved and restored */
		SEED(PM4, PM4_DISPATCH(6), HEADER(PM4_EVENT_WRITE, 1), 7 | 4 << 8, WRITE(WORDS, 1));
		SEED(HIQ, UNMAP_ALL, HEADER(PM4_QUERY_STATUS, 6), 0, 0, ADDR(KERNEL(WORDS)), 1, 0);
		SEED(WAIT, 3000000);
		SEED(HIQ, RUN);
		SEED(WAIT, 3000000);
		SEED(KILL, 0);
		return true;
	case 2:		/* AQL: dispatches, barriers, what vendors add */
		SEED(AQL, DISPATCH(3, 64, 0), DISPATCH(2, 200, 1), BARRIER(3, 0),
		     BARRIER(1 << 16, 0));
		SEED(KILL, FUZZ_VMID);
		SEED(POKE, BUFFER, WRITE(WORDS, 5));
		SEED(AQL, 1 << 16, HEADER(PM4_INDIRECT_BUFFER, 3), ADDR(BUFFER), 5, 10, 0, 0, 0, 0,
		     0, 0, 0, 0, 0, 0, BARRIER(5, 2), BARRIER(2 << 16, 3));
		SEED(WAIT, 100000);
		return true;
	case 3:		/* AQL, saved in the middle, restored twice */
		SEED(AQL, DISPATCH(9, 128, 0), DISPATCH(1, 64, 1));
		SEED(HIQ, UNMAP_ALL, RUN);
		SEED(WAIT, 3000000);
		SEED(WAIT, 3000000);
		SEED(HIQ, HEADER(PM4_UNMAP_QUEUES, 5), 1 << 29, DOORBELL(AQL) << 2, 0, 0, 0, RUN);
		SEED(WAIT, 3000000);
		SEED(KILL, 0);
		SEED(WAIT, 3000000);
		return true;
	case 4:		/* a damaged save area */
		SEED(AQL, DISPATCH(2, 64, 0));
		SEED(HIQ, UNMAP_ALL);
		SEED(WAIT, 3000000);
		SEED(POKE, MQD(AQL) + 174 * 4, 3800);
		SEED(POKE, STACK(AQL) + 3900, 0x40000001, 0x80000000, 0x30000);
		SEED(POKE, AREA(AQL) + STACK_BYTES + 2048, 1, 2, 3, 4);
		SEED(HIQ, RUN);
		SEED(WAIT, 3000000);
		return true;
	case 5:		/* the kernel's queue: registers, memory, queues */
		SEED(KIQ, WRITE(KERNEL(WORDS), 1), HEADER(PM4_WRITE_DATA, 4), 0,
		     REG_AT(REG_SCRATCH_REG0) / 4, 0, 7, HEADER(PM4_COPY_DATA, 5), 5 << 8,
		     REG_AT(REG_SCRATCH_REG0) / 4, 0, ADDR(KERNEL(WORDS)),
		     HEADER(PM4_SET_UCONFIG_REG, 2), REG_AT(REG_SCRATCH_REG0) / 4 - 0xc000, 8,
		     HEADER(PM4_WAIT_REG_MEM, 6), 3 | 1 << 6, REG_AT(REG_VM_INV_REQ) / 4,
		     REG_AT(REG_VM_INV_ACK) / 4, 1 << 4, 1 << 4, 32,
		     HEADER(PM4_INVALIDATE_TLBS, 1), FUZZ_PASID << 5);
		SEED(KIQ, HEADER(PM4_UNMAP_QUEUES, 5), 0, DOORBELL(PM4) << 2, 0, 0, 0,
		     HEADER(PM4_MAP_QUEUES, 6), FUZZ_VMID << 8 | 3 << 13, DOORBELL(PM4) << 2,
		     ADDR(KERNEL(MQD(PM4))), 0, 0);
		SEED(KIQ, HEADER(PM4_COPY_DATA, 5), 5 << 8, HQD_OFF(138) / 4, 0,
		     ADDR(KERNEL(WORDS)));
		return true;
	case 6:		/* queues by registers, taken off by a request */
		SEED(HIQ, UNMAP_ALL);
		SEED(WAIT, 3000000);
		SEED(MMIO, REG(REG_AT(REG_GRBM_GFX_CNTL), 1 << 2 | 2 << 8),
		     REG(HQD_OFF(128), (u32)KERNEL(MQD(PM4))), REG(HQD_OFF(129), KERNEL(0) >> 32),
		     REG(HQD_OFF(131), FUZZ_VMID), REG(HQD_OFF(132), 1 << 14),
		     REG(HQD_OFF(136), (u32)(RING(PM4) >> 8)), REG(HQD_OFF(145), 9),
		     REG(HQD_OFF(143), DOORBELL(PM4) << 2 | 1u << 30),
		     REG(HQD_OFF(171), (u32)AREA(PM4)), REG(HQD_OFF(174), STACK_BYTES),
		     REG(HQD_OFF(175), STACK_BYTES), REG(HQD_OFF(176), STACK_BYTES),
		     REG(HQD_OFF(177), AREA_BYTES), REG(HQD_OFF(130), 1));
		SEED(PM4, PM4_DISPATCH(2));
		SEED(MMIO, REG(HQD_OFF(152), 3));
		SEED(WAIT, 3000000);
		SEED(MMIO, REG(HQD_OFF(130), 1), REG(REG_AT(REG_SPI_COMPUTE_QUEUE_RESET), 1));
		return true;
	case 7:		/* a runlist that rotates, with an interrupt ring */
		SEED(MMIO, REG(REG_AT(REG_IH_RB_BASE), (u32)(KERNEL(0x180000) >> 8)),
		     REG(REG_AT(REG_IH_RB_BASE_HI), KERNEL(0) >> 40),
		     REG(REG_AT(REG_IH_RB_WPTR_ADDR_LO), (u32)KERNEL(0x190000)),
		     REG(REG_AT(REG_IH_RB_WPTR_ADDR_HI), KERNEL(0) >> 32),
		     REG(REG_AT(REG_IH_RB_CNTL), 1 | 9 << 1 | 1 << 8 | 1 << 17 | 4 << 28));
		SEED(POKE, RUNLIST + 31 * 4, RUN);
		SEED(POKE, RUNLIST + 34 * 4, 4 | 1 << 20 | 1 << 23);
		SEED(HIQ, HEADER(PM4_SET_RESOURCES, 7), 1 << FUZZ_VMID, 1, 0, 0, 0, 0, 0,
		     HEADER(PM4_RUN_LIST, 3), ADDR(KERNEL(RUNLIST)), 35 | 1 << 23);
		SEED(AQL, DISPATCH(2, 64, 0));
		SEED(WAIT, 20000000);
		SEED(WAIT, 20000000);
		SEED(KILL, 0);
		return true;
	case 8:		/* each XCC a partition, then one of both again; WAIT: doorbell, then save */
		if (XCCS == 1)
			return false;
		SEED(HIQ, UNMAP_ALL);
		SEED(WAIT, 3000000);
		SEED(WAIT, 3000000);
		SEED(PARTITION, 0);
		SEED(HIQ, RESOURCES(FUZZ_VMID), RUN);
		SEED(HIQ_B, RESOURCES(VMID_B), RUN_B);
		SEED(AQL, DISPATCH(9, 128, 0));
		SEED(AQL_B, DISPATCH(9, 128, 1), DISPATCH(1, 64, 2));
		SEED(WAIT, 3000000);
		SEED(HIQ_B, UNMAP_ALL, RUN_B);
		SEED(WAIT, 3000000);
		SEED(WAIT, 3000000);
		SEED(PARTITION, 1);
		SEED(KILL, 0, 1);
		SEED(HIQ, UNMAP_ALL);
		SEED(HIQ_B, UNMAP_ALL);
		SEED(WAIT, 3000000);
		SEED(WAIT, 3000000);
		SEED(PARTITION, 1);
		SEED(HIQ, RESOURCES(FUZZ_VMID), RUN);
		SEED(WAIT, 3000000);
		SEED(KILL, 0);
		return true;
	default:
		return false;
	}
}
