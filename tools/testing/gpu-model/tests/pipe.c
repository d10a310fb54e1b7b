// SPDX-License-Identifier: GPL-2.0
/* Unit tests of --connect: which queue has its pipe, and for how long. */
#include "fake/machine.c"

#include "cp/pipe.h"
#include "virtual_time.h"

#define QUANTUM_MS	2
#define QUANTUM		(QUANTUM_MS << 8 | 1 << 4 | 1)
#define PIPE_0		(0x0f << 2)	/* SET_RESOURCES: four slots of that pipe */
#define RING_DW		1024u
#define NOP		(3u << 30 | 0x3fffu << 16 | PM4_NOP << 8)	/* of one dword */

/* Two queues of one pipe; each kernel has a wave that waits to be told. */
static void start(struct queue *q, unsigned int n, u32 slots, u32 quantum)
{
	unsigned int i;

	device_start(2, 2, false);
	set_resources(slots);
	for (i = 0; i < n; i++) {
		PROGRAM(i + 1, 8, 0, TOY(TOY_WAIT, 0), TOY(TOY_END, 0));
		q[i] = queue_make(i + 1, 16, 0);
		q[i].mqd[MQD_QUANTUM] = quantum;
	}
}

/* A barrier packet, which waits until the signal of its process is 0. */
static void wait_at_barrier(struct queue *q)
{
	struct amd_signal *dep = at(q, DEP_VA);
	u8 *p = packet_new(q);

	dep->value = 1;
	*(u64 *)(p + 8) = DEP_VA;
	header(p, 3, false);
}

static void end_barrier(const struct queue *q)
{
	struct amd_signal *dep = at(q, DEP_VA);

	__atomic_store_n(&dep->value, 0, __ATOMIC_RELEASE);
}

static bool connected(const struct queue *q)
{
	return slot_of(q)->uq->connected;
}

/* The second queue's first wave, us after its doorbell rang beside one that waits. */
static u64 second_waits(u32 slots, u32 quantum, unsigned int priority)
{
	struct queue q[2];
	u64 t0, us;

	start(q, 2, slots, quantum);
	q[1].mqd[MQD_QUEUE_PRIORITY] = priority;
	wait_at_barrier(&q[0]);
	map(q, 2);
	run_for(100);
	t0 = gpu_now();
	dispatch(&q[1], 1, 64, 0, false);
	ring(&q[1]);
	run_until(waves(&q[1]), 10);
	us = waves(&q[1]) ? (gpu_now() - t0) / NS_PER_US : ~0ull;
	device_stop();
	return us;
}

static void test_quantum(void)
{
	u64 us = second_waits(PIPE_0, QUANTUM, 0);

	printf("# after %llu us\n", (unsigned long long)us);
	ok(us > QUANTUM_MS * 1000 - 300 && us <= QUANTUM_MS * 1000,
	   "who waits at a barrier has its pipe for its quantum");
	ok(second_waits(PIPE_0, QUANTUM, 1) == us, "also beside a higher one");
	ok(second_waits(PIPE_0, QUANTUM & ~1, 0) == ~0ull &&
	   second_waits(PIPE_0, QUANTUM & ~0x10, 0) == ~0ull,
	   "without a quantum until it has no work");
	ok(second_waits(1 << 2 | 1 << 11, QUANTUM, 0) < 100, "other pipes are not concerned");
	connect_as = CONNECT_STRICT;
	ok(second_waits(PIPE_0, QUANTUM, 0) == us, "with --connect strict so do equals");
	ok(second_waits(PIPE_0, QUANTUM, 1) < 100, "but a higher one has the pipe at once");
	connect_as = CONNECT_ALL;
	ok(second_waits(PIPE_0, QUANTUM, 0) < 100, "with --connect all nobody waits");
	connect_as = CONNECT_PIPE;
}

/* With --connect strict a lower queue waits however long a higher one does. */
static void test_strict(void)
{
	struct queue q[2];

	connect_as = CONNECT_STRICT;
	start(q, 2, PIPE_0, QUANTUM);
	q[0].mqd[MQD_QUEUE_PRIORITY] = 1;
	wait_at_barrier(&q[0]);
	map(q, 2);
	dispatch(&q[1], 1, 64, 0, false);
	ring(&q[1]);
	run_for(10 * QUANTUM_MS * 1000);
	ok(!waves(&q[1]) && connected(&q[0]), "a lower queue has no turn while a higher one waits");
	end_barrier(&q[0]);
	ok(run_until(waves(&q[1]), 2), "and has it when that is done");
	device_stop();
	connect_as = CONNECT_PIPE;
}

/* The command processor looks again when a quantum is over that somebody waits for. */
static void test_looks_again(void)
{
	struct queue q[2];

	start(q, 2, PIPE_0, QUANTUM);
	dispatch(&q[0], 1, 64, 0, false);
	dispatch(&q[0], 1, 64, 1, true);	/* waits for the first, whose wave does not end */
	map(q, 2);
	dispatch(&q[1], 1, 64, 0, false);
	fake_mec_asked();
	ring(&q[1]);
	ok(fake_mec_asked() == slot_of(&q[0])->uq->pipe_until && !waves(&q[1]),
	   "a turn is asked for at the end of the quantum");
	device_stop();
}

static void test_idle(void)
{
	struct queue q[2];
	u8 *p;

	start(q, 2, PIPE_0, QUANTUM);
	map(q, 2);
	dispatch(&q[0], 1, 64, 0, false);
	dispatch(&q[1], 1, 64, 0, false);
	ring(&q[0]);
	ok(waves(&q[0]) == 1 && connected(&q[0]), "who comes first has the pipe");
	ring(&q[1]);
	ok(waves(&q[0]) == 1 && waves(&q[1]) == 1 && connected(&q[1]),
	   "all launched, it gives it up; its waves go on");
	go_on(&q[0]);
	ok(run_until(done(&q[0], 0), 100) && connected(&q[1]), "and end without it");
	p = dispatch_fill(&q[1], 1, 64, 1);
	ring(&q[1]);
	dispatch(&q[0], 1, 64, 1, false);
	ring(&q[0]);
	ok(connected(&q[0]) && run_until(done(&q[0], 1), 100),
	   "a packet that is not yet written is no work");
	header(p, 2, false);
	ring(&q[1]);
	go_on(&q[1]);
	ok(run_until(done(&q[1], 1), 100), "once it is, it is");
	device_stop();
}

/* Equals whose kernels never fit at once: each launches in its quanta, all of them end. */
static void test_turns(void)
{
	unsigned int i, n = 0;
	struct queue q[3];
	const char *line;

	start(q, 3, PIPE_0, QUANTUM);
	for (i = 0; i < 3; i++) {
		PROGRAM(i + 1, 512, 0, TOY(TOY_LOOP, 40), TOY(TOY_END, 0));
		dispatch(&q[i], 600, 64, 0, false);
	}
	map(q, 3);
	run_until(done(&q[0], 0) && done(&q[1], 0) && done(&q[2], 0), 1000);
	ok(done(&q[0], 0) && done(&q[1], 0) && done(&q[2], 0), "all come to their ends");
	device_stop();			/* nobody writes to the log any more */
	for (line = log_text(); *line && n < 6; line = strchr(line, '\n') + 1) {
		if (strncmp(strchr(line, ' '), " pipe-connect ", 14))
			continue;
		if (strtoul(strstr(line, "queue=") + 6, NULL, 0) != q[n % 3].doorbell)
			break;
		n++;
	}
	ok(n == 6, "in turn");
}

/* What a preemption took off is launched anew only by its pipe. */
static void test_restored(void)
{
	struct queue q[2];

	start(q, 2, PIPE_0, 0);
	dispatch(&q[0], 1, 64, 0, false);
	map(q, 2);
	run_until(waves(&q[0]), 10);
	unmap_all();
	wait_at_barrier(&q[1]);
	map((const struct queue[]){ q[1], q[0] }, 2);
	run_for(10 * QUANTUM_MS * 1000);
	ok(slot_of(&q[0]) && !waves(&q[0]), "saved waves wait for their pipe");
	end_barrier(&q[1]);
	ok(run_until(waves(&q[0]), 2), "and come back with it");
	device_stop();
}

/* The first queue has a wave, waits at a barrier and has to leave: the second goes on at once. */
static void test_leaving(bool cwsr, const char *name)
{
	struct queue q[2];

	start(q, 2, PIPE_0, QUANTUM);
	if (!cwsr)
		q[0].mqd[MQD_PERSISTENT_STATE] = 0;
	dispatch(&q[0], 1, 64, 0, false);
	wait_at_barrier(&q[0]);
	map(q, 2);
	dispatch(&q[1], 1, 64, 0, false);
	ring(&q[1]);
	ok(waves(&q[0]) && !waves(&q[1]), "a queue that waits has the pipe");
	hiq(PM4_UNMAP_QUEUES, (const u32[]){ 1u << 29, q[0].doorbell << 2 }, 2);
	turn();
	ok(slot_of(&q[0]) && waves(&q[1]), name);
	device_stop();
}

/* Until the scheduler has come to giving it its slot, a queue has no pipe. */
static void test_not_yet_here(void)
{
	u64 usual = param.runlist_queue_ns;
	struct queue q[2];

	param.runlist_queue_ns = 200 * NS_PER_US;	/* many looks of the command processor */
	connect_as = CONNECT_STRICT;
	start(q, 2, PIPE_0, QUANTUM);
	q[1].mqd[MQD_QUEUE_PRIORITY] = 1;
	dispatch(&q[0], 1, 64, 0, false);
	dispatch(&q[1], 1, 64, 0, false);
	map(q, 2);
	run_for(100);
	device_stop();			/* nobody writes to the log any more */
	connect_as = CONNECT_PIPE;
	param.runlist_queue_ns = usual;
	ok(log_count(" pipe-connect ", NULL) == 2 &&
	   !strncmp(strstr(log_text(), " pipe-connect "), " pipe-connect queue=0x1000 ", 27),
	   "the first queue does not wait for a higher one that is not yet here");
}

/* A queue that failed has no work; one that asks for scratch looks whether it has it. */
static void test_errors(void)
{
	struct queue q[2];
	u8 *p;

	start(q, 2, PIPE_0, QUANTUM);
	header(packet_new(&q[0]), 4, false);
	map(q, 2);
	dispatch(&q[1], 1, 64, 0, false);
	ring(&q[1]);
	ok(log_count("error ", NULL) == 1 && waves(&q[1]), "a queue that failed gives up its pipe");
	device_stop();

	start(q, 2, PIPE_0, QUANTUM);
	*(u64 *)at(&q[0], AMDQ(&q[0]) + 0xc0) = DEP_VA;
	p = dispatch_fill(&q[0], 1, 64, 0);
	*(u32 *)(p + 24) = 16;
	header(p, 2, false);
	map(q, 2);
	dispatch(&q[1], 1, 64, 0, false);
	ring(&q[1]);
	ok(run_until(waves(&q[1]), 2 * QUANTUM_MS) && log_count("error ", NULL) == 1,
	   "one that has to wait for scratch does so by turns");
	*(u32 *)at(&q[0], AMDQ(&q[0]) + 0x8c) = 6 | 1 << 12;	/* 6 waves of 1 KiB */
	*(u64 *)at(&q[0], AMDQ(&q[0]) + 0xa0) = 0x80000;
	__atomic_store_n((s64 *)arena_ptr(1, DEP_VA + 8), 0, __ATOMIC_RELEASE);
	ok(run_until(waves(&q[0]), 2 * QUANTUM_MS), "and goes on when it has some");
	device_stop();
}

/* PM4 queues are connected by the same rules. */
static void test_pm4(void)
{
	struct queue q[2];
	struct hqd *h;
	u32 *ring_dw;

	start(q, 2, PIPE_0, QUANTUM);
	q[1].mqd[MQD_AQL_CONTROL] = 0;
	q[1].mqd[MQD_PQ_CONTROL] = __builtin_ctz(RING_DW) - 1;
	wait_at_barrier(&q[0]);
	map(q, 2);
	run_for(100);
	h = slot_of(&q[1]);
	ring_dw = at(&q[1], RING(&q[1]));
	ring_dw[0] = NOP;
	h->reg[HQD(MQD_PQ_WPTR_LO)] = 1;
	turn();
	ok(!h->reg[HQD(MQD_PQ_RPTR)], "a PM4 queue waits for its pipe");
	ok(run_until(h->reg[HQD(MQD_PQ_RPTR)] == 1, 2 * QUANTUM_MS), "for a quantum");
	ok(run_until(connected(&q[0]), 1), "and gives it up when it has no packet");
	device_stop();
}

static void test_slots(void)
{
	unsigned int i, pipes = 0;
	struct queue q[4];

	start(q, 4, 0xfcfcfcfc, 0);
	map(q, 4);
	for (i = 0; i < 4; i++)
		pipes |= 1u << slot_of(&q[i])->pipe;
	device_stop();
	ok(pipes == 0xf, "queues are spread over the pipes");
	pack_slots = true;
	start(q, 4, 0xfcfcfcfc, 0);
	map(q, 4);
	for (i = 0, pipes = 0; i < 4; i++)
		pipes |= 1u << slot_of(&q[i])->pipe;
	device_stop();
	pack_slots = false;
	ok(pipes == 1, "or packed into one");
}

int main(void)
{
	virtual_time();
	connect_as = CONNECT_PIPE;
	test_quantum();
	test_strict();
	test_looks_again();
	test_idle();
	test_turns();
	test_restored();
	test_leaving(true, "not once it is being saved");
	test_leaving(false, "not once it only ends what it has begun");
	test_not_yet_here();
	test_errors();
	test_pm4();
	test_slots();
	return tap_done();
}
