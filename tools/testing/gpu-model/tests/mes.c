// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of MES: the KIQ maps its ring, which maps the kernel's queues and those of
 * processes; frames that are none are named and not executed.
 */
#include <string.h>
#include <unistd.h>

#include "packets.h"
#include "cp/cp.h"
#include "cp/mes/mes_priv.h"
#include "cp/queue/pm4_opcodes.h"
#include "host/fault.h"

#define KIQ_RING	0x100000ull		/* VRAM offsets */
#define MES_RING	0x110000ull
#define USER_RING	0x120000ull
#define KIQ_MQD		0x130000ull
#define MES_MQD		0x131000ull
#define USER_MQD	0x132000ull
#define FENCE		0x140000ull
#define TARGET		0x150000ull
#define USER_WPTR	0x151000ull
#define RING_LOG2	10
#define MES_DOORBELL	0x16u
#define HEADER(op, n)	(3u << 30 | ((n) - 1u) << 16 | (u32)(op) << 8)
#define FRAME(op)	(1u | (op) << 4 | 64u << 12)

enum { SET_HW_RSRC = 0, ADD = 2, REMOVE = 3, SUSPEND = 6, RESUME, RESET, QUERY = 11, MISC = 14 };

static u32 kiq_wptr, mes_wptr, seq;

static u64 fb(u64 off)
{
	return MEM_FB_BASE + off;
}

/* Turns until nothing is left to do at once. */
static void run(void)
{
	unsigned int i;

	pthread_mutex_lock(&gpu.mec_lock);
	for (i = 0; i < 50; i++)
		cp_turn(&gpu);
	pthread_mutex_unlock(&gpu.mec_lock);
}

/* A queue's registers, as an MQD has them. */
static void put_mqd(u64 at, u64 ring, u32 doorbell)
{
	u32 *m = vram(at) + HQD_MQD_DW;

	memset(m, 0, 4 * HQD_REGS);
	m[HQD(MQD_BASE_LO)] = LO(fb(at));
	m[HQD(MQD_BASE_HI)] = HI(fb(at));
	m[HQD(MQD_PQ_BASE_LO)] = LO(ring >> 8);
	m[HQD(MQD_PQ_BASE_HI)] = HI(ring >> 8);
	m[HQD(MQD_PQ_CONTROL)] = RING_LOG2 - 1;
	m[HQD(MQD_DOORBELL_CONTROL)] = 1u << 30 | doorbell << 2;
}

/* The driver's way to it: registers of ME 3, pipe 1, then a packet. */
static void start_ring(void)
{
	const u32 map[] = {
		HEADER(PM4_MAP_QUEUES, 6), 2u << 18 | 5u << 26 | 1u << 29, MES_DOORBELL << 2,
		LO(fb(MES_MQD)), HI(fb(MES_MQD)), 0, 0,
	};
	unsigned int i;

	put_mqd(KIQ_MQD, fb(KIQ_RING), 0x18);
	put_mqd(MES_MQD, fb(MES_RING), MES_DOORBELL);
	regs_write(&gpu, REG_AT(REG_GRBM_GFX_CNTL), ME_MES << 2 | 1);
	ok(regs_read(&gpu, REG_AT(REG_CP_MES_GP3_LO)) % 0x1000 == 0x6f, "the KIQ's version");
	for (i = 0; i < HQD_REGS; i++)
		if (i != HQD(MQD_ACTIVE))
			regs_write(&gpu, REG_AT(REG_CP_HQD) + 4 * i, vram(KIQ_MQD)[HQD_MQD_DW + i]);
	regs_write(&gpu, REG_AT(REG_CP_HQD) + 4 * HQD(MQD_ACTIVE), 1);
	regs_write(&gpu, REG_AT(REG_GRBM_GFX_CNTL), ME_MES << 2);
	ok(regs_read(&gpu, REG_AT(REG_CP_MES_GP3_LO)) % 0x1000 == 0x80, "the scheduler's");
	memcpy(vram(KIQ_RING), map, sizeof(map));
	kiq_wptr = sizeof(map) / 4;
	mec_hqd(&gpu, 0, ME_MES, 1, 0)->reg[HQD(MQD_PQ_WPTR_LO)] = kiq_wptr;
	run();
	ok(mec_hqd(&gpu, 0, ME_MES, 0, 0)->active, "the KIQ maps the scheduler's ring");
	regs_write(&gpu, REG_AT(REG_GRBM_GFX_CNTL), 0);
	ok(!regs_read(&gpu, REG_AT(REG_CP_HQD) + 4 * HQD(MQD_ACTIVE)) &&
	   !regs_read(&gpu, REG_AT(REG_CP_MES_GP3_LO)), "ME 0 has no such registers");
}

/* A HIQ is not for this scheduler. */
static void no_hiq(void)
{
	const u32 map[] = {
		HEADER(PM4_MAP_QUEUES, 6), 1u << 18 | 1u << 26 | 1u << 29, 0x20 << 2,
		LO(fb(USER_MQD)), HI(fb(USER_MQD)), 0, 0,
	};

	put_mqd(USER_MQD, fb(USER_RING), 0x20);
	memcpy(vram(KIQ_RING) + kiq_wptr, map, sizeof(map));
	kiq_wptr += sizeof(map) / 4;
	mec_hqd(&gpu, 0, ME_MES, 1, 0)->reg[HQD(MQD_PQ_WPTR_LO)] = kiq_wptr;
	run();
	ok(!mec_hqd(&gpu, 0, 2, 0, 0)->active, "the KIQ maps no HIQ, whose packets nobody takes");
}

/* Send a frame with its fence at @status; true if that was written. */
static bool send(u32 *f, unsigned int status)
{
	struct hqd *h = mec_hqd(&gpu, 0, ME_MES, 0, 0);

	*(u64 *)vram(FENCE) = 0;
	f[status] = LO(fb(FENCE));
	f[status + 1] = HI(fb(FENCE));
	f[status + 2] = ++seq;
	memcpy(vram(MES_RING) + mes_wptr % (1 << RING_LOG2), f, 4 * FRAME_DWORDS);
	mes_wptr += FRAME_DWORDS;
	h->reg[HQD(MQD_PQ_WPTR_LO)] = mes_wptr;
	run();
	return *(u64 *)vram(FENCE) == seq && h->reg[HQD(MQD_PQ_RPTR)] == mes_wptr;
}

static bool drained(void)
{
	return mec_hqd(&gpu, 0, ME_MES, 0, 0)->reg[HQD(MQD_PQ_RPTR)] == mes_wptr;
}

static void kernel_queues(void)
{
	u32 rsrc[FRAME_DWORDS] = { FRAME(SET_HW_RSRC), 0xffffff00, 0xffffff00 };
	u32 add[FRAME_DWORDS] = { FRAME(ADD) }, remove[FRAME_DWORDS] = { FRAME(REMOVE) };
	u32 query[FRAME_DWORDS] = { FRAME(QUERY) };
	unsigned int i;

	for (i = 0; i < 4; i++)
		rsrc[5 + i] = 0xc;
	rsrc[13] = 0xfffffffe;
	rsrc[15] = rsrc[16] = 0xfc;
	ok(send(rsrc, 50) && gpu.mes->vmids == 0xff00, "SET_HW_RSRC, and its fence");
	ok(send(query, 2), "QUERY_SCHEDULER_STATUS");
	put_mqd(USER_MQD, fb(USER_RING), 0x6);
	add[19] = LO(fb(USER_MQD));
	add[20] = HI(fb(USER_MQD));
	add[27] = MES_QUEUE_COMPUTE;
	add[36] = 1 << 13;
	add[48] = 2;
	add[49] = 1;
	ok(send(add, 37) && mec_hqd(&gpu, 0, 1, 2, 1)->active && !mec_hqd(&gpu, 0, 1, 2, 1)->vmid,
	   "ADD_QUEUE of the kernel's: where it says, in VMID 0");
	ok(send(add, 37), "mapped over what was left");
	add[49] = 4;
	ok(!send(add, 37) && drained(), "a pipe has four slots: no fence");
	remove[4] = 1 << 3;
	remove[9] = 2;
	remove[10] = 1;
	remove[14] = MES_QUEUE_COMPUTE;
	ok(send(remove, 5) && !mec_hqd(&gpu, 0, 1, 2, 1)->active, "REMOVE_QUEUE of it");

	/* A graphics queue keeps its write pointer elsewhere. */
	vram(USER_MQD)[MQD_GFX_WPTR_LO] = 4;
	vram(USER_MQD)[MQD_PQ_WPTR_LO] = 77;
	add[27] = MES_QUEUE_GFX;
	add[48] = add[49] = 0;
	memcpy(vram(USER_RING), (u32 []){ HEADER(PM4_CLEAR_STATE, 1), 0,
					  HEADER(PM4_PFP_SYNC_ME, 1), 0 }, 16);
	ok(send(add, 37) && mec_hqd(&gpu, 0, ME_GFX, 0, 0)->reg[HQD(MQD_PQ_RPTR)] == 4,
	   "a graphics queue takes its packets");
	remove[9] = remove[10] = 0;
	remove[14] = MES_QUEUE_GFX;
	ok(send(remove, 5) && !mec_hqd(&gpu, 0, ME_GFX, 0, 0)->active, "and is removed");
}

static void registers(void)
{
	u32 misc[FRAME_DWORDS] = { FRAME(MISC), 0 };
	const u32 scratch = REG_AT(REG_SCRATCH_REG0) / 4;

	misc[6] = scratch;
	misc[7] = 0x1234;
	ok(send(misc, 2) && regs_read(&gpu, 4 * scratch) == 0x1234, "MISC writes a register");
	misc[1] = 3;
	misc[7] = LO(fb(TARGET));
	misc[8] = HI(fb(TARGET));
	ok(send(misc, 2) && vram(TARGET)[0] == 0x1234, "reads one");
	memcpy(misc + 6, (u32 []){ 1, 0xf80000 | 1 << 9, 1 << 9, REG_AT(REG_VM_INV_REQ) / 4,
				   REG_AT(REG_VM_INV_ACK) / 4 }, 20);
	misc[1] = 4;
	ok(send(misc, 2) && regs_read(&gpu, REG_AT(REG_VM_INV_ACK)) == 1 << 9,
	   "writes one and waits for another");
	memcpy(misc + 6, (u32 []){ 0, 5, 0xf, scratch, 0 }, 20);
	ok(!send(misc, 2) && !drained(), "a wait holds up what follows");
	regs_write(&gpu, 4 * scratch, 0x75);
	run();
	ok(drained() && vram(FENCE)[0] == seq, "until it is over");
}

/* A process' compute queue, by its doorbell: a place, packets in its VMID, and out again. */
static void processes(void)
{
	u32 add[FRAME_DWORDS] = { FRAME(ADD), 0x8001 };
	u32 remove[FRAME_DWORDS] = { FRAME(REMOVE), 0x900 };
	u32 suspend[FRAME_DWORDS] = { FRAME(SUSPEND), 1 };
	u32 resume[FRAME_DWORDS] = { FRAME(RESUME) };
	struct hqd *h = mec_hqd(&gpu, 0, 1, 0, 2);
	char answer[FAULT_ANSWER];
	unsigned int i;

	add[2] = LO(PDB2);
	add[10] = 0x5000;
	add[14] = 0x6000;
	add[18] = 0x900;
	add[19] = LO(fb(USER_MQD));
	add[20] = HI(fb(USER_MQD));
	add[27] = MES_QUEUE_COMPUTE;
	memcpy(vram(USER_RING),
	       (u32 []){ HEADER(PM4_WRITE_DATA, 4), 5 << 8, LO(TARGET), 0, 0xbeef }, 20);
	*(u64 *)vram(USER_WPTR) = 5;
	put_mqd(USER_MQD, USER_RING, 0x900);
	vram(USER_MQD)[MQD_WPTR_POLL_LO] = LO(USER_WPTR);
	ok(send(suspend, 7), "SUSPEND of all gangs, of which there are none");
	for (i = 0; i < MES_QUEUE_TYPES; i++) {
		add[18] = 0x902;
		add[27] = i;
		ok(!send(add, 37) && drained() && !gpu.mes->queues && !mec_find_doorbell(&gpu, 0, 0x900) &&
		   !ih_vmid_pasid(&gpu, VMID), "ADD_QUEUE with another doorbell than its MQD's");
	}
	add[18] = 0x900;
	add[27] = MES_QUEUE_COMPUTE;
	ok(send(add, 37) && h->active && h->vmid == VMID && h->uq &&
	   ih_vmid_pasid(&gpu, VMID) == 0x8001,
	   "ADD_QUEUE of a process: a VMID and a slot that are processes'");
	run();
	ok(vram(TARGET)[0] == 0xbeef, "its packets have its memory");
	suspend[4] = LO(fb(TARGET + 64));
	suspend[5] = HI(fb(TARGET + 64));
	suspend[6] = 0x5e5;
	ok(send(suspend, 7) && !h->active && vram(TARGET + 64)[0] == 0x5e5,
	   "SUSPEND takes it off, and has a fence of its own");
	ok(ih_vmid_pasid(&gpu, VMID) == 0x8001, "its process keeps the VMID");
	memcpy(vram(USER_RING) + 5,
	       (u32 []){ HEADER(PM4_WRITE_DATA, 4), 5 << 8, LO(TARGET), 0, 0xdead }, 20);
	*(u64 *)vram(USER_WPTR) = 10;
	resume[2] = 0x7777;
	ok(send(resume, 4) && !h->active, "RESUME of another gang");
	resume[2] = 0x6000;
	ok(send(resume, 4) && h->active, "of its own");
	run();
	ok(vram(TARGET)[0] == 0xdead, "it goes on where it was");
	suspend[1] = 0;
	ok(!send(suspend, 7) && drained(), "SUSPEND of no gang");
	suspend[2] = 0x6000;
	ok(send(suspend, 7) && !h->active, "of one");
	ok(send(remove, 5) && !ih_vmid_pasid(&gpu, VMID), "which is removed meanwhile");
	ok(send(resume, 4) && !h->active, "and does not come back");
	*(u64 *)vram(USER_WPTR) = 0;
	put_mqd(USER_MQD, USER_RING, 0x900);
	ok(send(add, 37) && h->active, "it is added again");
	ok(!send(add, 37) && drained(), "but not twice");
	ok(send(remove, 5) && !h->active && !ih_vmid_pasid(&gpu, VMID),
	   "REMOVE_QUEUE: when it is off, and with the last one its VMID is free");
	ok(!send(remove, 5) && drained(), "of none there is no fence");
	put_mqd(USER_MQD, USER_RING, 0x900);
	ok(send(add, 37) && fault_command("lose-fence", answer) && !send(remove, 5) && drained() &&
	   !h->active, "a fence that is lost: it is off nevertheless");
	put_mqd(USER_MQD, USER_RING, 0x900);
	ok(send(add, 37) && fault_command("delay-preemption=20000", answer) && !send(remove, 5) &&
	   !drained() && h->active, "a preemption that is late");
	usleep(20000);
	run();
	ok(drained() && !h->active && *(u64 *)vram(FENCE) == seq, "and then ends");

}

#define CROWD		9		/* one more than there are slots */
#define CROWD_MQDS	0x160000ull
#define CROWD_RINGS	0x170000ull
#define CROWD_WPTRS	0x180000ull

static u32 level_of[CROWD + 2];

/* Queue @i of a crowd: of a process, with quanta in us. If @busy it waits without end. */
static bool add_one(unsigned int i, u64 context, unsigned int process_us, unsigned int gang_us,
		    bool busy)
{
	const u64 mqd = CROWD_MQDS + 0x1000 * i, ring = CROWD_RINGS + 0x1000 * i;
	u32 add[FRAME_DWORDS] = { FRAME(ADD), 0x8001 + (context >> 12) };

	put_mqd(mqd, ring, 0x910 + 2 * i);
	vram(mqd)[MQD_WPTR_POLL_LO] = LO(CROWD_WPTRS + 8 * i);
	*(u64 *)vram(CROWD_WPTRS + 8 * i) = busy ? 7 : 0;
	/* until a word of memory that is 0 is 1 */
	memcpy(vram(ring), (u32 []){ HEADER(PM4_WAIT_REG_MEM, 6), 3 | 1 << 4, LO(TARGET + 128), 0,
				     1, ~0u, 4 }, 28);
	add[2] = LO(PDB2);
	add[8] = process_us * 10;
	add[10] = context;
	add[12] = gang_us * 10;
	add[14] = 0x100000 + 0x1000 * i;
	add[16] = i;
	add[17] = level_of[i];
	add[18] = 0x910 + 2 * i;
	add[19] = LO(fb(mqd));
	add[20] = HI(fb(mqd));
	add[21] = LO(fb(CROWD_WPTRS + 8 * i));
	add[22] = HI(fb(CROWD_WPTRS + 8 * i));
	add[27] = MES_QUEUE_COMPUTE;
	return send(add, 37);
}

static bool is_on(unsigned int i)
{
	return mec_find_doorbell(&gpu, 0, 0x910 + 2 * i);
}

static unsigned int count_on(unsigned int n)
{
	unsigned int i, on = 0;

	for (i = 0; i < n; i++)
		on += is_on(i);
	return on;
}

/* Turns for so long; true as soon as a queue is on its place. */
static bool comes(unsigned int i, unsigned int us)
{
	const u64 end = gpu_now() + us * NS_PER_US;

	do {
		run();
		if (is_on(i))
			return true;
		usleep(20);
	} while (gpu_now() < end);
	return false;
}

/* Likewise, of a queue that leaves. */
static bool goes(unsigned int i, unsigned int us)
{
	const u64 end = gpu_now() + us * NS_PER_US;

	do {
		run();
		if (!is_on(i))
			return true;
		usleep(20);
	} while (gpu_now() < end);
	return false;
}

static bool remove_all(unsigned int n)
{
	u32 remove[FRAME_DWORDS] = { FRAME(REMOVE) };
	unsigned int i, removed = 0;

	for (i = 0; i < n; i++) {
		remove[1] = 0x910 + 2 * i;
		removed += send(remove, 5);
	}
	return removed == n && !gpu.mes->queues && !count_on(n);
}

#define LONG_US		1000000
#define SHORT_US	20000

/* All idle: who is new has a look, and then nothing moves until somebody gets work. */
static void crowd_idle(void)
{
	u32 suspend[FRAME_DWORDS] = { FRAME(SUSPEND), 1 }, resume[FRAME_DWORDS] = { FRAME(RESUME), 1 };
	unsigned int i, n, off;

	for (i = n = 0; i < CROWD; i++)
		n += add_one(i, 0x5000, LONG_US, LONG_US, false);
	ok(n == CROWD, "more queues than slots are taken");
	ok(comes(CROWD - 1, LONG_US) && count_on(CROWD) == CROWD - 1,
	   "the last one gets a place that another had no use for");
	for (off = 0; off < CROWD && is_on(off); off++)
		;
	ok(!comes(off, SHORT_US), "which waits, and has no work");
	*(u64 *)vram(CROWD_WPTRS + 8 * off) = 7;
	ok(comes(off, LONG_US) && count_on(CROWD) == CROWD - 1,
	   "its write pointer is looked at: no doorbell reaches it");
	ok(send(suspend, 7) && !count_on(CROWD) && !comes(off, SHORT_US),
	   "SUSPEND: neither those on places nor those that wait come");
	ok(send(resume, 4) && count_on(CROWD) == CROWD - 1, "RESUME: as many as there are places for");
	ok(remove_all(CROWD), "and all are removed, those that wait, too");
}

/* All busy, of two processes: the quantum of the one that was there first. */
static void crowd_of_processes(void)
{
	unsigned int i, n;

	for (i = VMID; i < VM_COUNT; i++) {
		vm_set_field(&gpu, i, VM_CNTL, 1 | 2 << 1 | 9 << 3);
		vm_set_field(&gpu, i, VM_END_LO, ~0u);
	}
	for (i = n = 0; i < CROWD - 1; i++)
		n += add_one(i, 0x5000, 100000, 1, true);
	n += add_one(i, 0x6000, LONG_US, 1, true);
	ok(n == CROWD && !comes(i, SHORT_US), "a process's queues stay for its quantum");
	ok(comes(i, LONG_US), "and make room for another's when it is over");
	ok(comes(0, SHORT_US) && count_on(CROWD) == CROWD - 1,
	   "of them as many come back as have room");
	ok(remove_all(CROWD), "removed");

	for (i = n = 0; i < CROWD; i++)
		n += add_one(i, 0x5000 + 0x1000 * i, 1000, LONG_US, true);
	ok(n == CROWD && comes(i - 1, LONG_US) && count_on(CROWD) == CROWD - 1 &&
	   !ih_vmid_pasid(&gpu, 7), "nine processes have eight VMIDs in turn");
	for (i = n = 0; i < CROWD; i++)
		n += comes(i, LONG_US);
	ok(n == CROWD, "and each comes back");
	ok(remove_all(CROWD), "removed");
}

/* All of one process: the queue's own quantum, and priorities if firmware should look at them. */
static void crowd_of_gangs(void)
{
	unsigned int i, n, levels;

	for (i = n = 0; i < CROWD; i++)
		n += add_one(i, 0x5000, 1, 100000, true);
	ok(n == CROWD && !comes(i - 1, SHORT_US), "a queue stays for its own quantum");
	ok(comes(i - 1, LONG_US), "and then makes room");
	ok(remove_all(CROWD), "removed");

	for (levels = 1; levels <= 16; levels += 15) {
		param.mes_gang_levels = levels;
		for (i = n = 0; i < CROWD + 2; i++)
			n += add_one(i, 0x5000, LONG_US, LONG_US, i < 8);
		/* idle ones that nobody has seen: who of the three is first? */
		for (; i-- > 8;)
			*(u64 *)vram(CROWD_WPTRS + 8 * i) = 7;
		*(u64 *)vram(CROWD_WPTRS) = 0;
		mec_find_doorbell(&gpu, 0, 0x910)->reg[HQD(MQD_PQ_WPTR_LO)] = 0;
		ok(n == CROWD + 2 && comes(levels == 1 ? 8 : CROWD + 1, LONG_US) &&
		   count_on(CROWD + 2) == 8,
		   levels == 1 ? "who has waited longest is first" : "or who has the highest level");
		ok(remove_all(CROWD + 2), "removed");
	}
	param.mes_gang_levels = 1;
}

/* Two queues that have work: the lower one is off while firmware looks at levels. */
static void levels(void)
{
	u32 remove[FRAME_DWORDS] = { FRAME(REMOVE), 0x912 };

	level_of[1] = 4;
	ok(add_one(0, 0x5000, 1, 1, true) && add_one(1, 0x6000, 1, 1, true) && !goes(0, SHORT_US),
	   "levels count for nothing");
	ok(remove_all(2), "removed");
	param.mes_global_levels = 5;
	param.mes_level_ns = SHORT_US * NS_PER_US;
	ok(add_one(0, 0x5000, 1, 1, true) && add_one(1, 0x6000, 1, 1, true) &&
	   !goes(0, SHORT_US / 2), "a queue has work, and not long enough");
	ok(goes(0, LONG_US) && is_on(1), "one of a lower level leaves for it");
	ok(!comes(0, SHORT_US) && send(remove, 5) && comes(0, LONG_US), "and is back when it is gone");
	level_of[1] = 0;
	ok(add_one(1, 0x6000, 1, 1, true) && !goes(0, 3 * SHORT_US), "not for one of its own level");
	ok(remove_all(2), "removed");
	level_of[1] = 4;
	ok(add_one(1, 0x6000, 1, 1, false) && add_one(0, 0x5000, 1, 1, true) &&
	   !goes(0, 3 * SHORT_US), "nor for one without work");
	*(u64 *)vram(CROWD_WPTRS + 8) = 7;
	mec_find_doorbell(&gpu, 0, 0x912)->reg[HQD(MQD_PQ_WPTR_LO)] = 7;
	ok(goes(0, LONG_US), "which gets some");
	ok(remove_all(2), "removed");
	level_of[1] = 0;
	param.mes_global_levels = 1;
}

/* What does not leave: from a version on it is given up and named. */
static void hung(void)
{
	const u64 found = TARGET + 0x200, places = found + 4 * gpu.mes->places;
	u32 remove[FRAME_DWORDS] = { FRAME(REMOVE), 0x910 };
	u32 reset[FRAME_DWORDS] = { FRAME(RESET), 1 << 2 };
	u32 suspend[FRAME_DWORDS] = { FRAME(SUSPEND), 1 }, resume[FRAME_DWORDS] = { FRAME(RESUME), 1 };
	struct hqd *h;

	reset[5] = LO(fb(found));
	reset[6] = HI(fb(found));
	reset[7] = MES_QUEUE_COMPUTE;
	ok(!send(reset, 24) && drained(), "RESET is not there in old firmware");
	param.mes_version = 0x8c;
	param.mes_hang_us = 50000;
	ok(add_one(0, 0x5000, 1, 1, true) && add_one(1, 0x6000, 1, 1, true), "two queues");
	vram(found)[0] = vram(found)[1] = ~0u;
	ok(send(reset, 24) && vram(found)[0] == ~0u, "none hangs");
	h = mec_find_doorbell(&gpu, 0, 0x910);
	h->uq->begun = 1;		/* something without end; its MQD has no save area */
	ok(!send(remove, 5) && !drained(), "a queue that does not leave");
	usleep(60000);
	run();
	ok(drained() && !*(u64 *)vram(FENCE) && is_on(0), "is given up: no fence");
	ok(send(reset, 24) && vram(found)[0] == 0x910 && vram(found)[1] == ~0u &&
	   vram(places)[0] == (MES_QUEUE_COMPUTE | (u32)h->pipe << 3 | (u32)h->queue << 7),
	   "and named");
	ok(!send(suspend, 7) && !is_on(1), "the other one is suspended");
	usleep(60000);
	run();
	ok(drained(), "SUSPEND of all is given up, too");
	h->reg[HQD(MQD_DEQUEUE_REQUEST)] = 2;
	run();
	ok(!is_on(0) && send(resume, 4) && is_on(1) && !comes(0, SHORT_US),
	   "reset by registers, it does not come back");
	ok(send(remove, 5), "and is removed");
	remove[1] = 0x912;
	ok(send(remove, 5) && !gpu.mes->queues, "as the other one");
	reset[1] = 1 << 1;
	ok(!send(reset, 24) && drained(), "a reset that amdgpu does not ask for");
	param.mes_version = 0x80;
}

/* A frame that waits without end, and the driver goes and comes back. */
static void again(void)
{
	u32 misc[FRAME_DWORDS] = { FRAME(MISC), 4 }, query[FRAME_DWORDS] = { FRAME(QUERY) };
	unsigned int pipe;

	memcpy(misc + 6, (u32 []){ 0, 5, 0xf, REG_AT(REG_SCRATCH_REG0) / 4, 0 }, 20);
	regs_write(&gpu, REG_AT(REG_SCRATCH_REG0), 0);
	ok(!send(misc, 2) && !drained(), "a wait without end");
	for (pipe = 0; pipe < 2; pipe++) {
		regs_write(&gpu, REG_AT(REG_GRBM_GFX_CNTL), ME_MES << 2 | pipe);
		regs_write(&gpu, REG_AT(REG_CP_HQD) + 4 * HQD(MQD_DEQUEUE_REQUEST), 1);
	}
	ok(!mec_hqd(&gpu, 0, ME_MES, 0, 0)->active, "the ring is unmapped meanwhile");
	mes_wptr = 0;
	start_ring();
	ok(send(query, 2), "and mapped again: its first frame is the first");
}

static void malformed(void)
{
	u32 f[FRAME_DWORDS] = { 0 }, seed = 1, i, j;
	bool stuck = false;

	ok(!send(f, 2) && drained(), "a frame of no type");
	f[0] = FRAME(200);
	ok(!send(f, 2) && drained(), "of no opcode");
	f[0] = 1 | QUERY << 4 | 32 << 12;
	ok(!send(f, 2) && drained(), "of another size");
	for (i = 0; i < 3000 && !stuck; i++) {
		for (j = 0; j < FRAME_DWORDS; j++) {
			seed = seed * 1664525 + 1013904223;
			f[j] = seed >> (seed >> 27 & 31);
		}
		f[0] = FRAME(seed >> 24 & 15);
		if ((f[0] >> 4 & 0xff) == MISC)
			f[1] = 1;		/* no register that a test needs */
		send(f, 60);
		stuck = !drained();
	}
	ok(!stuck, "3000 random frames");
}

int main(void)
{
	device_start_cfg(&gpu, (struct gpu_config){
		.asic = ASIC_GFX1100, .xccs = 1, .engines = 2, .cus_per_engine = 2,
	});
	engine_stop(&gpu);		/* the turns are made here */
	param.mes_packet_ns = 0;
	process_start();
	start_ring();
	no_hiq();
	kernel_queues();
	registers();
	processes();
	crowd_idle();
	crowd_of_processes();
	crowd_of_gangs();
	levels();
	hung();
	again();
	malformed();
	device_stop(&gpu);
	return tap_done();
}
