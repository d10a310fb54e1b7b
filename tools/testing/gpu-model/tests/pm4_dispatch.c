// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of PM4 queues of processes: they launch waves as AQL queues do,
 * wait for them, and go on where they were after a preemption.
 */
#include "fake/machine.c"

#include "vm/packet.h"
#include "cp/queue/pm4.h"

#define RING_DW		1024u
#define IB(q)		(QUEUE_VA((q)->n) + 0x30000)
#define WORD(q, i)	(QUEUE_VA((q)->n) + 0x40000 + 4 * (i))
#define HEADER(op, n)	(3u << 30 | ((n) - 1u) << 16 | (u32)(op) << 8)
#define LO(a)		((u32)(a))
#define HI(a)		((u32)((u64)(a) >> 32))

/* SET_SH_REG counts from 0x2c00. */
#define SH_START	0x204
#define SH_NUM_THREAD	0x207
#define SH_PGM_LO	0x20c
#define SH_RSRC1	0x212
#define SH_RSRC3	0x22d
#define SH_USER_DATA	0x240
#define INIT_GROUPS	1u
#define INIT_ITEMS	0x21u
#define PARTIAL_FLUSH	(7 | 4 << 8)

#define VGPRS		96
#define LDS		2048
#define WGS		12
#define ROUNDS_MAX	2000	/* of preemptions; few on a quiet host */
#define OUT_BYTES	(WGS * 4 * 8)

static u32 *word(const struct queue *q, unsigned int i)
{
	return at(q, WORD(q, i));
}

static struct queue pm4_queue(unsigned int process, unsigned int priority)
{
	struct queue q = queue_make(process, 16, priority);

	q.mqd[MQD_AQL_CONTROL] = 0;
	q.mqd[MQD_PQ_CONTROL] = __builtin_ctz(RING_DW) - 1;
	return q;
}

/* Into the ring, not yet rung. The 64-bit write pointer is where AQL has its index. */
static void put(struct queue *q, const u32 *p, unsigned int n)
{
	u32 *ring = at(q, RING(q));

	while (n--)
		ring[q->write++ % RING_DW] = *p++;
	*(u64 *)at(q, AMDQ(q) + 0x38) = q->write;
}

#define PUT(q, ...) do { \
	const u32 words[] = { __VA_ARGS__ }; \
	put(q, words, sizeof(words) / 4); \
} while (0)

/* As mec.c does with a doorbell and at a map. */
static void rung(const struct queue *q)
{
	struct hqd *h;

	pthread_mutex_lock(&gpu.mec_lock);
	h = slot_of(q);
	if (h) {
		h->reg[HQD(MQD_PQ_WPTR_LO)] = q->write;
		h->reg[HQD(MQD_PQ_WPTR_HI)] = q->write >> 32;
	}
	pthread_mutex_unlock(&gpu.mec_lock);
}

static void doorbell(const struct queue *q)
{
	rung(q);
	turn();
}

static u32 rptr(const struct queue *q)
{
	return *(u32 *)at(q, AMDQ(q) + 0x80);
}

/* Dwords of the packets that dispatch the toy program, to @p. */
static unsigned int dispatch_words(const struct queue *q, u32 *p, u32 groups, u32 items)
{
	const u64 entry = CODE_VA >> 8;
	const u32 words[] = {
		HEADER(PM4_ACQUIRE_MEM, 6), 0x28c00000, ~0u, 0, 0, 0, 4,
		HEADER(PM4_SET_SH_REG, 4), SH_NUM_THREAD, items, 1, 1,
		HEADER(PM4_SET_SH_REG, 3), SH_PGM_LO, LO(entry), HI(entry),
		HEADER(PM4_SET_SH_REG, 3), SH_RSRC1, VGPRS / 8 - 1,
		2 << 1 | 1 << 7 | LDS / 512 << 15,
		HEADER(PM4_SET_SH_REG, 2), SH_RSRC3, VGPRS / 2 / 4 - 1,
		HEADER(PM4_SET_SH_REG, 3), SH_USER_DATA, LO(OUT(q)), HI(OUT(q)),
		HEADER(PM4_DISPATCH_DIRECT, 4), groups * items, 1, 1, INIT_ITEMS,
	};

	memcpy(p, words, sizeof(words));
	return sizeof(words) / 4;
}

static void put_dispatch(struct queue *q, u32 groups, u32 items)
{
	u32 p[64];

	put(q, p, dispatch_words(q, p, groups, items));
}

static void put_write(struct queue *q, unsigned int i, u32 value)
{
	PUT(q, HEADER(PM4_WRITE_DATA, 4), 5 << 8, LO(WORD(q, i)), HI(WORD(q, i)), value);
}

static void put_release(struct queue *q, unsigned int i, u32 value)
{
	PUT(q, HEADER(PM4_RELEASE_MEM, 7), 0x514, 1u << 29 | 2 << 24, LO(WORD(q, i)),
	    HI(WORD(q, i)), value, 0, 0x55);
}

static void program_low(void)
{
	PROGRAM(1, VGPRS, LDS, TOY(TOY_MIX, 0), TOY(TOY_MIX, 0), TOY(TOY_BARRIER, 0),
		TOY(TOY_MIX, 0), TOY(TOY_SLEEP, 50), TOY(TOY_LOOP, 60), TOY(TOY_END, 0));
}

static void test_dispatch(void)
{
	struct queue q;
	unsigned int i;
	struct hqd *h;

	device_start(2, 2, false);
	set_resources(0xfcfcfcfc);
	PROGRAM(1, VGPRS, LDS, TOY(TOY_WAIT, 0), TOY(TOY_END, 0));
	q = pm4_queue(1, 1);
	map(&q, 1);
	put_dispatch(&q, 8, 200);
	put_write(&q, 0, 11);
	PUT(&q, HEADER(PM4_EVENT_WRITE, 1), PARTIAL_FLUSH);
	put_write(&q, 1, 22);
	doorbell(&q);
	run_for(3000);
	h = slot_of(&q);
	ok(waves(&q) == 32 && spi_wave_count(&gpu, 0, h->pipe, h->queue) == 16,
	   "DISPATCH_DIRECT: 4 waves in each of 8 workgroups");
	ok(*word(&q, 0) == 11 && !*word(&q, 1), "what follows runs, up to a partial flush");
	ok(rptr(&q) == q.write - 7, "the read pointer stays at it");
	go_on(&q);
	ok(run_until(*word(&q, 1) == 22, 2000) && !waves(&q) && rptr(&q) == q.write,
	   "which waits for the waves");

	PUT(&q, HEADER(PM4_SET_SH_REG, 4), SH_NUM_THREAD, 64, 2, 1);
	PUT(&q, HEADER(PM4_DISPATCH_DIRECT, 4), 3, 1, 1, INIT_GROUPS);
	__atomic_store_n((u32 *)at(&q, OUT(&q) - 8), 0, __ATOMIC_RELEASE);
	put_release(&q, 2, 33);
	put_write(&q, 3, 44);
	doorbell(&q);
	run_for(1000);
	ok(waves(&q) == 6, "dimensions in workgroups");
	ok(!*word(&q, 2) && !ih_count(181) && *word(&q, 3) == 44,
	   "RELEASE_MEM waits too, what follows does not");
	for (i = 0; i < RELEASES_MAX; i++)
		put_release(&q, 4 + i, 50 + i);
	put_write(&q, 3, 45);
	doorbell(&q);
	run_for(1000);
	ok(*word(&q, 3) == 44, "but for one too many");
	unmap_all();
	map(&q, 1);
	run_for(1000);
	ok(!*word(&q, 2) && *word(&q, 3) == 44 && !ih_count(181), "after another map too");
	go_on(&q);
	ok(run_until(*word(&q, 3) == 45, 2000) && *word(&q, 2) == 33 && *word(&q, 4) == 50 &&
	   *word(&q, 3 + RELEASES_MAX) == 49 + RELEASES_MAX, "then all write");
	ok(ih_count(181) == 1 + RELEASES_MAX && ih_last(181).data[0] == 0x55 &&
	   ih_last(181).pasid == q.pasid &&
	   ih_last(181).vmid == slot_of(&q)->vmid, "and interrupts for its process");
	device_stop();
}

/* A dispatch that ends early is not what a RELEASE_MEM before or behind it waits for. */
static void test_release(void)
{
	const u64 entry = (CODE_VA >> 8) + 1;
	static const u32 end = TOY(TOY_END, 0);
	struct queue q;

	device_start(2, 2, false);
	set_resources(0xfcfcfcfc);
	PROGRAM(1, VGPRS, LDS, TOY(TOY_WAIT, 0), TOY(TOY_END, 0));
	memcpy(arena_ptr(1, entry << 8), &end, sizeof(end));
	q = pm4_queue(1, 1);
	map(&q, 1);
	put_dispatch(&q, 1, 64);
	put_release(&q, 0, 1);
	PUT(&q, HEADER(PM4_SET_SH_REG, 3), SH_PGM_LO, LO(entry), HI(entry));
	PUT(&q, HEADER(PM4_DISPATCH_DIRECT, 4), 64, 1, 1, INIT_ITEMS);
	put_release(&q, 1, 2);
	doorbell(&q);
	run_until(log_count("dispatch-end", "disp=1"), 2000);
	run_for(100);
	ok(log_count("dispatch-end", NULL) == 1 && !*word(&q, 0) && !*word(&q, 1),
	   "RELEASE_MEM waits for all that was dispatched before it");
	go_on(&q);
	ok(run_until(*word(&q, 1) == 2, 2000) && *word(&q, 0) == 1, "then both write");
	device_stop();
}

/* What the first @n workgroups of one wave left, a bit for each that left something. */
static u32 groups_run(const struct queue *q, unsigned int n)
{
	const u64 *out = at(q, OUT(q));
	u32 run = 0;

	while (n--)
		run |= !!out[n * 4] << n;
	return run;
}

/* A grid that does not begin at 0: its dimensions say where it ends. */
static void test_start(void)
{
	static const struct {
		const char *name;
		u32 start, initiator, run;
	} tests[] = {
		{ "a grid begins at COMPUTE_START", 2, INIT_GROUPS, 0x1c },
		{ "likewise in work-items", 4, INIT_ITEMS, 0x10 },
		{ "unless it is told to begin at 0", 2, INIT_GROUPS | 4, 0x1f },
	};
	unsigned int i;

	for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		bool items = tests[i].initiator == INIT_ITEMS;
		struct queue q;

		device_start(2, 2, false);
		set_resources(0xfcfcfcfc);
		program_low();
		q = pm4_queue(1, 1);
		map(&q, 1);
		put_dispatch(&q, 0, 64);	/* nothing but registers */
		PUT(&q, HEADER(PM4_SET_SH_REG, 4), SH_START, tests[i].start, 0, 0);
		PUT(&q, HEADER(PM4_DISPATCH_DIRECT, 4), items ? 5 * 64 : 5, 1, 1,
		    tests[i].initiator);
		put_release(&q, 0, 1);
		doorbell(&q);
		ok(run_until(*word(&q, 0) == 1, 2000) && groups_run(&q, 5) == tests[i].run,
		   tests[i].name);
		device_stop();
	}
}

static void test_wait(void)
{
	struct queue q[2];

	device_start(2, 2, false);
	set_resources(0xfcfcfcfc);
	program_low();
	q[0] = pm4_queue(1, 1);
	q[1] = pm4_queue(1, 1);
	map(q, 2);
	PUT(&q[0], HEADER(PM4_WAIT_REG_MEM, 6), 3 | 1 << 4, LO(WORD(&q[0], 0)),
	    HI(WORD(&q[0], 0)), 7, 0xff, 4);
	put_write(&q[0], 1, 1);
	doorbell(&q[0]);
	put_write(&q[1], 1, 2);
	doorbell(&q[1]);
	run_for(2000);
	ok(!*word(&q[0], 1) && *word(&q[1], 1) == 2, "WAIT_REG_MEM holds up its queue alone");
	unmap_all();
	map(q, 2);
	run_for(2000);
	ok(!*word(&q[0], 1), "after another map too");
	__atomic_store_n(word(&q[0], 0), 0x107, __ATOMIC_RELEASE);
	ok(run_until(*word(&q[0], 1) == 1, 1000), "until the word is as asked");
	device_stop();
}

/* Packets of the higher queue are taken first, whatever came first. */
static void test_order(void)
{
	static const unsigned int pipe[4] = { 1, 0, 2, 0 }, queue[4] = { 7, 3, 0, 5 };
	static const unsigned int before[4] = { 2, 3, 1, 0 };
	struct queue q[4], *other;
	unsigned int i;

	device_start(2, 2, false);
	set_resources(0xfcfcfcfc);
	program_low();
	for (i = 0; i < 4; i++) {
		q[i] = pm4_queue(1, 0);
		q[i].mqd[MQD_PIPE_PRIORITY] = pipe[i];
		q[i].mqd[MQD_QUEUE_PRIORITY] = queue[i];
	}
	map(q, 4);
	/* 2, 0, 3, 1 is the order: each sees what the one before it wrote */
	for (i = 0; i < 4; i++) {
		other = &q[before[i]];
		PUT(&q[i], HEADER(PM4_COPY_DATA, 5), 1 | 5 << 8, LO(WORD(other, 0)),
		    HI(WORD(other, 0)), LO(WORD(&q[i], 1)), HI(WORD(&q[i], 1)));
		put_write(&q[i], 0, 1);
	}
	for (i = 0; i < 4; i++)
		rung(&q[i]);
	turn();
	ok(*word(&q[0], 1) && *word(&q[3], 1) && *word(&q[1], 1) && !*word(&q[2], 1),
	   "pipe priority, then queue priority");
	device_stop();
}

/* The dispatch lies in an indirect buffer with more behind it. */
static void start_ib(struct queue *q)
{
	u32 *ib = at(q, IB(q)), n;

	n = dispatch_words(q, ib, WGS, 200);
	ib[n++] = HEADER(PM4_EVENT_WRITE, 1);
	ib[n++] = PARTIAL_FLUSH;
	ib[n++] = HEADER(PM4_WRITE_DATA, 4);
	ib[n++] = 5 << 8;
	ib[n++] = LO(WORD(q, 0));
	ib[n++] = HI(WORD(q, 0));
	ib[n++] = 1;
	PUT(q, HEADER(PM4_INDIRECT_BUFFER, 3), LO(IB(q)), HI(IB(q)), n | 1u << 23);
	put_release(q, 1, 2);
	doorbell(q);
}

static void test_preempt(void)
{
	u8 expect[OUT_BYTES];
	unsigned int n = 0;
	struct queue q;

	device_start(2, 2, false);
	set_resources(0xfcfcfcfc);
	program_low();
	q = pm4_queue(1, 0);
	map(&q, 1);
	start_ib(&q);
	ok(run_until(*word(&q, 1) == 2, 5000) && *word(&q, 0) == 1, "dispatch in a buffer");
	memcpy(expect, at(&q, OUT(&q)), OUT_BYTES);
	device_stop();

	device_start(2, 2, false);
	set_resources(0xfcfcfcfc);
	program_low();
	q = pm4_queue(1, 0);
	map(&q, 1);
	start_ib(&q);
	while (*word(&q, 1) != 2 && n < ROUNDS_MAX) {
		run_for(1000);
		unmap_all();
		/* as update_mqd() does */
		q.mqd[MQD_IB_CONTROL] = 3 << 20;
		map(&q, 1);
		n++;
	}
	ok(n > 5 && n < ROUNDS_MAX && *word(&q, 0) == 1 &&
	   !memcmp(expect, at(&q, OUT(&q)), OUT_BYTES),
	   "preempted in it again and again, the result is exact");
	printf("# %u preemptions\n", n);
	ok(log_count("wave-end", NULL) == 48 && log_count("dispatch-begin", NULL) == 1 &&
	   log_count("dispatch-end", NULL) == 1, "nothing runs twice");

	PUT(&q, HEADER(PM4_DISPATCH_DIRECT, 4), WGS * 200, 1, 1, INIT_ITEMS);
	memset(at(&q, OUT(&q)), 0, OUT_BYTES);
	put_release(&q, 2, 3);
	doorbell(&q);
	ok(run_until(*word(&q, 2) == 3, 5000) && !memcmp(expect, at(&q, OUT(&q)), OUT_BYTES),
	   "the compute registers are still set");
	ok(log_count("dispatch-begin", "disp=1 ") == 1, "dispatches have numbers of their own");
	device_stop();
}

static void test_errors(void)
{
	static const struct {
		const char *name;
		u32 packet[6];
		unsigned int n, code;
	} bad[] = {
		{ "an unknown packet", { HEADER(0xee, 1), 0 }, 2, 20 },
		{ "MAP_QUEUES of a process", { HEADER(PM4_MAP_QUEUES, 1), 0 }, 2, 20 },
		{ "a register of another kind", { HEADER(PM4_SET_SH_REG, 2), 0x100, 0 }, 3, 20 },
		{ "registers behind the last", { HEADER(PM4_SET_SH_REG, 3), 0x24f, 0, 0 }, 4, 20 },
		{ "a workgroup of nothing", { HEADER(PM4_DISPATCH_DIRECT, 4), 1, 1, 1, 0x21 },
		  5, 21 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct queue q[2];

		device_start(2, 2, false);
		set_resources(0xfcfcfcfc);
		program_low();
		q[0] = pm4_queue(1, 1);
		q[1] = pm4_queue(1, 1);
		map(q, 2);
		put(&q[0], bad[i].packet, bad[i].n);
		put_write(&q[0], 0, 1);
		doorbell(&q[0]);
		put_write(&q[1], 0, 1);
		doorbell(&q[1]);
		run_for(500);
		ok(!*word(&q[0], 0) && *word(&q[1], 0) && ih_count(183) == 1 &&
		   ih_last(183).data[0] == ((q[0].doorbell / 2 & 0x3ff) | bad[i].code << 10),
		   bad[i].name);
		unmap_all();
		device_stop();
	}
}

/* AQL's vendor packet with an indirect buffer. */
static void test_aql_ib(void)
{
	struct queue q;
	u32 *ib;
	u8 *p;

	device_start(2, 2, false);
	set_resources(0xfcfcfcfc);
	PROGRAM(1, 16, 0, TOY(TOY_END, 0));
	q = queue_make(1, 16, 1);
	map(&q, 1);
	ib = at(&q, IB(&q));
	memcpy(ib, (const u32[]){
		HEADER(PM4_ACQUIRE_MEM, 6), 0x28c00000, ~0u, 0, 0, 0, 4,
		HEADER(PM4_WAIT_REG_MEM, 6), 3 | 1 << 4, LO(WORD(&q, 0)), HI(WORD(&q, 0)), 1, ~0u, 4,
		HEADER(PM4_WRITE_DATA, 4), 5 << 8, LO(WORD(&q, 1)), HI(WORD(&q, 1)), 9,
	}, 19 * 4);
	p = packet_new(&q);
	p[2] = 1;
	memcpy(p + 4, (const u32[]){ HEADER(PM4_INDIRECT_BUFFER, 3), LO(IB(&q)), HI(IB(&q)),
				     19 | 1u << 23 }, 16);
	*(u64 *)(p + 56) = SIGNAL(&q, 0);
	signal_of(&q, 0)->value = 1;
	header(p, 0, false);
	dispatch(&q, 1, 64, 1, false);
	ring(&q);
	run_for(1000);
	ok(!done(&q, 0) && !done(&q, 1) && !read_index(&q), "PM4-IB: the buffer is executed");
	unmap_all();
	q.mqd[MQD_IB_CONTROL] = 3 << 20;
	map(&q, 1);
	run_for(1000);
	ok(!*word(&q, 1) && !done(&q, 0), "and goes on after a preemption");
	*word(&q, 0) = 1;
	ok(run_until(done(&q, 0) && done(&q, 1), 1000) && *word(&q, 1) == 9 &&
	   log_count("packet ", "type=vendor") == 1, "to its end, once, then the packet is done");

	p = packet_new(&q);
	p[2] = 1;
	memcpy(p + 4, (const u32[]){ HEADER(PM4_NOP, 3), 0, 0, 0 }, 16);
	header(p, 0, false);
	ring(&q);
	run_for(500);
	ok(ih_count(183) == 1 && ih_last(183).data[0] >> 10 == 23, "anything else in it is refused");
	device_stop();
}

/* Such a buffer dispatches, between AQL dispatches. */
static void test_aql_ib_dispatch(void)
{
	const u32 behind[] = {
		HEADER(PM4_EVENT_WRITE, 1), PARTIAL_FLUSH,
		HEADER(PM4_WRITE_DATA, 4), 5 << 8, 0, 0, 1,
	};
	u8 expect[OUT_BYTES];
	unsigned int i, n, dw;
	struct queue q;
	u32 *ib;
	u8 *p;

	for (i = 0; i < 2; i++) {
		device_start(2, 2, i);
		set_resources(0xfcfcfcfc);
		program_low();
		q = queue_make(1, 16, 0);
		map(&q, 1);
		ib = at(&q, IB(&q));
		dw = dispatch_words(&q, ib, WGS, 200);
		memcpy(ib + dw, behind, sizeof(behind));
		ib[dw + 4] = LO(WORD(&q, 0));
		ib[dw + 5] = HI(WORD(&q, 0));
		dw += sizeof(behind) / 4;
		p = packet_new(&q);
		p[2] = 1;
		memcpy(p + 4, (const u32[]){ HEADER(PM4_INDIRECT_BUFFER, 3), LO(IB(&q)),
					     HI(IB(&q)), dw | 1u << 23 }, 16);
		*(u64 *)(p + 56) = SIGNAL(&q, 0);
		signal_of(&q, 0)->value = 1;
		header(p, 0, true);
		dispatch(&q, 1, 64, 1, true);
		ring(&q);
		if (!i) {
			ok(run_until(done(&q, 1), 5000) && *word(&q, 0) == 1 && done(&q, 0) &&
			   read_index(&q) == 2, "DISPATCH_DIRECT in an AQL queue's buffer");
			memcpy(expect, at(&q, OUT(&q)), OUT_BYTES);
		}
		for (n = 0; !done(&q, 1) && n < ROUNDS_MAX; n++) {
			run_for(1000);
			unmap_all();
			q.mqd[MQD_IB_CONTROL] = 3 << 20;
			map(&q, 1);
		}
		if (i)
			ok(n > 5 && n < ROUNDS_MAX && *word(&q, 0) == 1 &&
			   !memcmp(expect, at(&q, OUT(&q)), OUT_BYTES),
			   "exact over preemptions too");
		ok(log_count("dispatch-begin", NULL) == 2 &&
		   log_count("dispatch-end", NULL) == 2 &&
		   log_count("dispatch-end", "disp=1 ") == 1 &&
		   log_count("packet ", NULL) == 2, "no dispatch runs twice");
		device_stop();
	}
}

int main(void)
{
	test_dispatch();
	test_release();
	test_start();
	test_wait();
	test_order();
	test_preempt();
	test_errors();
	test_aql_ib();
	test_aql_ib_dispatch();
	return tap_done();
}
