// SPDX-License-Identifier: GPL-2.0
/*
 * A device with processes and queues on the stand-ins of shell.c, for unit
 * tests of the compute side; included by each of them.
 */
#include "shell.c"

#include <unistd.h>

#include "cp/hws/hws.h"
#include "cp/hws/hws_priv.h"
#include "cp/machine.h"
#include "cp/queue/aql.h"
#include "cp/queue/aql_ring.h"
#include "cp/queue/complete.h"
#include "cp/queue/cwsr.h"
#include "cp/queue/engine.h"
#include "cp/queue/signal.h"
#include "cp/queue/slot.h"
#include "compute/spi.h"
#include "host/clock.h"
#include "../tap.h"

/* ---- a device with processes and queues ---- */

#define IT_HEADER(op, n)	(3u << 30 | ((n) - 1) << 16 | (op) << 8)

/* Virtual addresses in a process' arena; each queue has its own stretch. */
#define KD_VA		0x10000
#define CODE_VA		0x11000
#define DEP_VA		0x12000		/* signals barriers wait for */
#define QUEUE_VA(n)	(0x100000 + (n) * 0x400000ull)
#define RING(q)		(QUEUE_VA((q)->n))
#define AMDQ(q)		(QUEUE_VA((q)->n) + 0x10000)
#define SIGNAL(q, i)	(QUEUE_VA((q)->n) + 0x11000 + (i) * 64)
#define OUT(q)		(QUEUE_VA((q)->n) + 0x20000)
#define AREA(q)		(QUEUE_VA((q)->n) + 0x100000)
#define STACK_BYTES	4096
#define AREA_BYTES	0x255000	/* of a machine with 4 units, as KFD computes it */

/* Kernel addresses (arena 0). */
#define MQD_VA(i)	(0x100000 + (i) * 0x4000)
#define HIQ_MQD_VA	0x90000
#define IB_VA		0xa0000
#define FENCE_VA	0xb0000

struct queue {
	unsigned int process, n, packets, mqd_slot;
	u16 pasid;
	u32 doorbell;
	u64 write;
	u32 *mqd;
};

static struct gpu gpu;
static unsigned int nqueues;
static unsigned int xccs = 1;	/* of the next device */
static unsigned int hiq_xcc;	/* leads the partition of what follows: its HIQ, its slots */
static u32 vmids = 0xfff8;	/* of the next SET_RESOURCES */
static struct trap_setup traps;	/* of the next runlist's processes */
static bool xnack;		/* likewise */
static unsigned int connect_as;	/* of the next device */
static bool pack_slots, rotate_all;

static inline void *at(const struct queue *q, u64 va)
{
	return arena_ptr(q->process, va);
}

static inline void device_start(unsigned int engines, unsigned int cus, bool rptr_at_fetch)
{
	struct hqd *hiq;

	arenas_reset();
	log_reset();
	fake_mec_reset(&gpu);
	gpu = (struct gpu){
		.cfg = { .xccs = xccs, .engines = engines, .cus_per_engine = cus, .workers = 2,
			 .rptr_at_fetch = rptr_at_fetch, .connect = connect_as,
			 .pack_slots = pack_slots, .rotate_all = rotate_all },
		.kick = mec_kick,
	};
	pthread_mutex_init(&gpu.mec_lock, NULL);
	pthread_cond_init(&gpu.copied, NULL);
	if (spi_start(&gpu) || hws_sched.start(&gpu))
		abort();
	hiq = mec_hqd(&gpu, 0, 2, 0, 0);
	hiq->active = true;
	hiq->mqd = HIQ_MQD_VA;
	nqueues = 0;
}

static inline void device_stop(void)
{
	machine_stop(&gpu);
	hws_sched.stop(&gpu);
	spi_stop(&gpu);
	pthread_mutex_destroy(&gpu.mec_lock);
}

static inline struct queue queue_make(unsigned int process, unsigned int packets,
			       unsigned int pipe_priority)
{
	struct queue q = {
		.process = process, .n = nqueues, .packets = packets,
		.pasid = 0x8000 + process, .doorbell = 0x1000 + 2 * nqueues,
		.mqd_slot = nqueues * xccs,
	};
	u64 area = AREA(&q), ring = RING(&q), write_addr = AMDQ(&q) + 0x38,
	    read_addr = AMDQ(&q) + 0x80;
	unsigned int i;
	u32 *m;

	nqueues++;
	m = arena_ptr(0, MQD_VA(q.mqd_slot));
	q.mqd = m;
	memset(m, 0, 4096);
	m[MQD_SE0_MASK] = m[MQD_SE1_MASK] = m[MQD_SE2_MASK] = m[MQD_SE3_MASK] = ~0u;
	memset(m + asic_mi210.mqd_se4_mask, 0xff, 16);
	m[MQD_PERSISTENT_STATE] = PERSISTENT_QSWITCH_MODE;
	m[MQD_PIPE_PRIORITY] = pipe_priority;
	m[MQD_QUEUE_PRIORITY] = pipe_priority * 7;
	m[MQD_PQ_BASE_LO] = ring >> 8;
	m[MQD_PQ_BASE_HI] = ring >> 40;
	m[MQD_RPTR_REPORT_LO] = read_addr;
	m[MQD_WPTR_POLL_LO] = write_addr;
	m[MQD_DOORBELL_CONTROL] = q.doorbell << 2;
	m[MQD_PQ_CONTROL] = __builtin_ctz(packets * 16) - 1;
	m[MQD_CTX_SAVE_BASE_LO] = area;
	m[MQD_CTX_SAVE_BASE_HI] = area >> 32;
	m[MQD_CNTL_STACK_OFFSET] = STACK_BYTES;
	m[MQD_CNTL_STACK_SIZE] = STACK_BYTES;
	m[MQD_WG_STATE_OFFSET] = STACK_BYTES;
	m[MQD_CTX_SAVE_SIZE] = AREA_BYTES / xccs;
	m[MQD_AQL_CONTROL] = 1;
	m[MQD_STRIDE] = MQD_VA(1) - MQD_VA(0);
	for (i = 1; i < xccs; i++) {
		u32 *follower = arena_ptr(0, MQD_VA(q.mqd_slot + i));

		memcpy(follower, m, 4096);
		follower[MQD_CTX_SAVE_BASE_LO] += i * (AREA_BYTES / xccs);
	}
	*(u32 *)at(&q, AMDQ(&q) + 0x88) = 0x80;
	for (i = 0; i < packets; i++)
		*(u16 *)at(&q, RING(&q) + i * 64) = 1;
	return q;
}

static inline u64 read_index(const struct queue *q)
{
	return __atomic_load_n((u64 *)at(q, AMDQ(q) + 0x80), __ATOMIC_ACQUIRE);
}

/* Reserve a slot; returns the packet, header still INVALID. */
static inline u8 *packet_new(struct queue *q)
{
	u8 *p = at(q, RING(q) + q->write % q->packets * 64);

	memset(p + 2, 0, 62);
	q->write++;
	*(u64 *)at(q, AMDQ(q) + 0x38) = q->write;
	return p;
}

static inline void header(u8 *p, unsigned int type, bool barrier)
{
	__atomic_store_n((u16 *)p, type | (barrier ? 1u << 8 : 0), __ATOMIC_RELEASE);
}

static inline struct amd_signal *signal_of(const struct queue *q, unsigned int i)
{
	return at(q, SIGNAL(q, i));
}

/* Fill in a dispatch of @wgs workgroups of @items; signal @sig. Header stays INVALID. */
static inline u8 *dispatch_fill(struct queue *q, unsigned int wgs, unsigned int items, unsigned int sig)
{
	u8 *p = packet_new(q);

	*(u16 *)(p + 2) = 1;
	*(u16 *)(p + 4) = items;
	*(u16 *)(p + 6) = 1;
	*(u16 *)(p + 8) = 1;
	*(u32 *)(p + 12) = wgs * items;
	*(u32 *)(p + 16) = 1;
	*(u32 *)(p + 20) = 1;
	*(u64 *)(p + 32) = KD_VA;
	*(u64 *)(p + 40) = OUT(q);
	*(u64 *)(p + 56) = SIGNAL(q, sig);
	signal_of(q, sig)->value = 1;
	return p;
}

static inline void dispatch(struct queue *q, unsigned int wgs, unsigned int items, unsigned int sig,
		     bool barrier)
{
	header(dispatch_fill(q, wgs, items, sig), 2, barrier);
}

static inline bool done(const struct queue *q, unsigned int sig)
{
	return __atomic_load_n(&signal_of(q, sig)->value, __ATOMIC_ACQUIRE) == 0;
}

/* What TOY_WAIT waits for. */
static inline void go_on(const struct queue *q)
{
	__atomic_store_n((u32 *)at(q, OUT(q) - 8), 1, __ATOMIC_RELEASE);
}

/* The toy program of a process, with a descriptor. */
static inline void program(unsigned int process, const u32 *code, unsigned int n, unsigned int vgprs,
		    u32 lds, u32 scratch)
{
	memcpy(arena_ptr(process, CODE_VA), code, n * 4);
	toy_kernel(arena_ptr(process, KD_VA), CODE_VA, vgprs, lds, scratch);
}

#define PROGRAM(process, vgprs, lds, ...) do {					\
	static const u32 code[] = { __VA_ARGS__ };				\
	program(process, code, sizeof(code) / 4, vgprs, lds, 0);		\
} while (0)

static inline struct hqd *slot_of(const struct queue *q)
{
	unsigned int i;

	for (i = 0; i < MEC_PIPES * MEC_QUEUES; i++) {
		struct hqd *h = mec_hqd(&gpu, hiq_xcc, 1, i / MEC_QUEUES, i % MEC_QUEUES);

		if (h->active && h->doorbell == q->doorbell)
			return h;
	}
	return NULL;
}

/* As many turns of the command processor as are asked for. */
static inline void turn(void)
{
	do {
		fake_mec_kicked();	/* kicks that came before are served by this turn */
		pthread_mutex_lock(&gpu.mec_lock);
		machine_turn(&gpu);
		pthread_mutex_unlock(&gpu.mec_lock);
	} while (fake_mec_kicked());
}

static inline void ring(const struct queue *q)
{
	struct hqd *h;

	pthread_mutex_lock(&gpu.mec_lock);
	h = slot_of(q);
	if (h) {
		h->db_value = q->write - 1;
		aql_run(h);
	}
	pthread_mutex_unlock(&gpu.mec_lock);
	turn();
}

/* Virtual time passes here alone. */
static inline void pass(unsigned int us)
{
	if (clock_shared())
		clock_run_until(gpu_now() + us * NS_PER_US);
	else
		usleep(us);
}

/* Turn until @cond or @ms are over. */
#ifdef __SANITIZE_THREAD__
#define PATIENCE	4
#else
#define PATIENCE	1
#endif

#define run_until(cond, ms) ({							\
	u64 _end = gpu_now() + PATIENCE * (ms) * NS_PER_MS;			\
	bool _met;								\
	while (!(_met = (cond)) && gpu_now() < _end) {				\
		turn();								\
		pass(50);							\
	}									\
	_met;									\
})

static inline void run_for(unsigned int us)
{
	u64 end = gpu_now() + us * NS_PER_US;

	run_until(gpu_now() >= end, 10000);
}

/* A HIQ packet, as mec.c offers it; returns when the next may follow. */
static inline int hiq(unsigned int op, const u32 *p, unsigned int n)
{
	s64 r;

	do {
		pthread_mutex_lock(&gpu.mec_lock);
		r = hws_sched.packet(&gpu, hiq_xcc, op, p, n);
		pthread_mutex_unlock(&gpu.mec_lock);
		if (r == -EAGAIN)
			pass(20);
	} while (r == -EAGAIN);
	while (r > 0 && gpu_now() < (u64)r) {
		turn();
		pass(20);
	}
	return r < 0 ? r : 0;
}

static inline void set_resources(u32 queues)
{
	const u32 p[7] = { vmids | 2 << 16, queues, 0, ~0u, ~0u };	/* unmap latency 200 ms */

	if (hiq(PM4_SET_RESOURCES, p, 7))
		abort();
}

static u32 ib_dwords;

static inline void ib_start(void)
{
	ib_dwords = 0;
}

static inline u32 *ib_add(unsigned int op, unsigned int n)
{
	u32 *p = arena_ptr(0, IB_VA + ib_dwords * 4);

	if (!p)
		abort();
	memset(p, 0, (n + 1) * 4);
	p[0] = IT_HEADER(op, n);
	ib_dwords += n + 1;
	return p + 1;
}

static inline void ib_process(unsigned int process)
{
	u32 *p = ib_add(PM4_MAP_PROCESS, 20);

	p[0] = (0x8000 + process) | 10u << 25;
	p[1] = process;		/* the stand-in's page table base: the arena */
	p[3] = SH_MEM_BASES_DEFAULT;
	p[4] = xnack ? 0 : SH_MEM_CONFIG_RETRY_DISABLE;
	p[5] = traps.tba >> 8;
	p[6] = traps.tba >> 40;
	p[7] = traps.tma >> 8;
	p[8] = traps.tma >> 40;
	p[13] = traps.debug;
	memcpy(p + 14, traps.watch, sizeof(traps.watch));
}

static inline void ib_queue(const struct queue *q)
{
	u32 *p = ib_add(PM4_MAP_QUEUES, 6);

	p[0] = 1 << 4 | 1u << 29;
	p[1] = q->doorbell << 2;
	p[2] = MQD_VA(q->mqd_slot);
	p[4] = AMDQ(q) + 0x38;
}

/* The list leads back to its start. */
static inline void ib_chain(void)
{
	u32 *p = ib_add(PM4_RUN_LIST, 3);

	p[0] = IB_VA;
	p[2] = ib_dwords | 1u << 20 | 1u << 23;
}

static inline int ib_run(unsigned int concurrent)
{
	const u32 p[3] = { IB_VA, 0, ib_dwords | 1u << 23 | concurrent << 24 };
	int err = hiq(PM4_RUN_LIST, p, 3);

	run_until(!gpu.hws->of[hiq_xcc].busy, 1000);	/* what was mapped before has left */
	return err;
}

/* A runlist, not yet sent. */
static inline void list(const struct queue *q, unsigned int n)
{
	unsigned int i;

	ib_start();
	for (i = 0; i < n; i++) {
		if (!i || q[i].process != q[i - 1].process)
			ib_process(q[i].process);
		ib_queue(&q[i]);
	}
}

static inline void map(const struct queue *q, unsigned int n)
{
	list(q, n);
	ib_run(8);
}

static inline void unmap_all(void)
{
	const u32 p[1] = { 0x30 };

	hiq(PM4_UNMAP_QUEUES, p, 1);
	run_until(!gpu.spi->partition[hiq_xcc].queues, 1000);
}

static inline u32 waves(const struct queue *q)
{
	struct hqd *h = slot_of(q);
	unsigned int e, n = 0;

	for (e = 0; h && e < gpu_engines(&gpu); e++)
		n += spi_wave_count(&gpu, e, h->pipe, h->queue);
	return n;
}
