// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of the hardware scheduler: who has a VMID and a slot and for how
 * long, how long a preemption waits and what becomes of one that fails.
 */
#include "fake/machine.c"

#include "sdma/sdma.h"
#include "virtual_time.h"

#define QUEUES	16

/* Queues of one process each, or all of one; each with a kernel that does not end. */
static void endless(struct queue *q, unsigned int n, bool one_process)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		unsigned int process = one_process ? 1 : i + 1;

		PROGRAM(process, 8, 0, TOY(TOY_WAIT, 0), TOY(TOY_END, 0));
		q[i] = queue_make(process, 16, 0);
		dispatch(&q[i], 1, 64, 0, false);
	}
}

static unsigned int mapped(const struct queue *q, unsigned int n)
{
	unsigned int i, on = 0;

	for (i = 0; i < n; i++)
		on += slot_of(&q[i]) != NULL;
	return on;
}

/* The value of @key in the log line at @line. */
static u64 number(const char *line, const char *key)
{
	const char *s = strstr(line, key);

	return s && s < strchr(line, '\n') ? strtoull(s + strlen(key), NULL, 0) : 0;
}

/*
 * Stays in slots, by the log: each at least @least and not 1 ms longer, the
 * queues in turn. @leave: queues each preemption may take. Return: how many.
 */
static unsigned int stays(unsigned int n, u64 least, unsigned int leave)
{
	u64 since[QUEUES] = {}, now;
	unsigned int count = 0, next = 0;
	const char *line;

	for (line = log_text(); *line; line = strchr(line, '\n') + 1) {
		unsigned int i = (number(line, " queue=") - 0x1000) / 2;

		now = strtoull(line, NULL, 0);
		if (strstr(line, " preempt-begin ") &&
		    strstr(line, " preempt-begin ") < strchr(line, '\n') &&
		    number(line, "queues=") > leave)
			return 0;
		if (!strncmp(strchr(line, ' '), " queue-map ", 11)) {
			if (i != next % n)
				return 0;
			next++;
			since[i] = now;
		} else if (!strncmp(strchr(line, ' '), " queue-unmap ", 13)) {
			if (now - since[i] < least || now - since[i] > least + NS_PER_MS)
				return 0;
			count++;
		}
	}
	return count;
}

static void test_process_quantum(void)
{
	struct queue q[3];

	device_start(2, 2, false);
	set_resources(0xfcfcfcfc);
	endless(q, 3, false);
	list(q, 3);
	ib_chain();
	ib_run(1);
	ok(mapped(q, 3) == 1, "one process at a time");
	run_until(log_count("queue-unmap", NULL) >= 4, 5000);
	device_stop();			/* nobody writes to the log any more */
	ok(stays(3, 10 * NS_PER_MS, 1) >= 4, "in turn, each for its quantum of 10 ms");
	ok(log_count("wave-save", NULL) >= 4 &&
	   log_count("wave-save", NULL) - log_count("wave-restore", NULL) <= 3,
	   "with their waves");
}

static void test_slots(void)
{
	struct queue q[6];

	device_start(2, 2, false);
	set_resources(0x0f << 2);	/* four slots */
	endless(q, 6, true);
	list(q, 6);
	ib_chain();
	ib_run(8);
	ok(mapped(q, 6) == 4, "four slots, six queues");
	run_until(log_count("queue-unmap", NULL) >= 10, 5000);
	device_stop();			/* nobody writes to the log any more */
	ok(stays(6, 10 * NS_PER_MS, 2) >= 10, "in turn, two at a time, each for its quantum");
}

/* Only those leave for whom somebody waits. */
static void test_no_more_than_needed(void)
{
	unsigned int moved;
	struct queue q[5];

	device_start(2, 2, false);
	set_resources(0x0f << 2);
	endless(q, 5, true);
	list(q, 4);
	ib_chain();
	ib_run(8);
	run_for(30000);
	ok(mapped(q, 4) == 4 && !log_count("preempt-begin", NULL),
	   "a chained list that fits does not move");
	unmap_all();
	log_reset();
	list(q, 5);
	ib_chain();
	ib_run(8);
	run_until(log_count("preempt-begin", NULL) >= 5, 5000);
	moved = log_count("preempt-begin", NULL);
	ok(moved && log_count("preempt-begin", "queues=1") == moved, "one waits, one leaves");
	device_stop();
}

/*
 * Two equals on one pipe: the one that launches goes on to for its quantum. Each
 * kernel has many short workgroups, so that without a quantum they alternate.
 */
static unsigned int changes(u32 quantum)
{
	struct queue q[2];
	unsigned int i, n = 0, last = ~0u;
	const char *line;

	device_start(2, 1, false);
	set_resources(0x03 << 2);	/* two slots of pipe 0 */
	for (i = 0; i < 2; i++) {
		PROGRAM(i + 1, 512, 0, TOY(TOY_LOOP, 4), TOY(TOY_END, 0));
		q[i] = queue_make(i + 1, 16, 0);
		q[i].mqd[MQD_QUANTUM] = quantum;
		dispatch(&q[i], 400, 64, 0, false);
	}
	map(q, 2);
	run_until(done(&q[0], 0) && done(&q[1], 0), 5000);
	device_stop();			/* nobody writes to the log any more */
	for (line = log_text(); *line; line = strchr(line, '\n') + 1) {
		if (strncmp(strchr(line, ' '), " wave-start ", 12))
			continue;
		i = number(line, " queue=");
		n += i != last;
		last = i;
	}
	return n;
}

static void test_queue_quantum(void)
{
	unsigned int with = changes(2 << 8 | 1 << 4 | 1), without = changes(0);

	printf("# %u changes with a quantum of 2 ms, %u without\n", with, without);
	ok(with * 4 < without && with >= 2, "a queue keeps its pipe for its quantum");
}

static void test_vmids(void)
{
	struct queue q[QUEUES];
	u32 vmids = 0;
	unsigned int i;

	device_start(2, 2, false);
	set_resources(0xfcfcfcfc);
	endless(q, QUEUES / 2 - 1, false);	/* as many processes as there are arenas */
	list(q, QUEUES / 2 - 1);
	ib_chain();
	ib_run(5);
	for (i = 0; i < QUEUES / 2 - 1; i++)
		if (slot_of(&q[i]))
			vmids |= 1u << slot_of(&q[i])->vmid;
	ok(mapped(q, QUEUES / 2 - 1) == 5 && __builtin_popcount(vmids) == 5 && !(vmids & 7),
	   "as many processes at a time as RUN_LIST says");
	unmap_all();
	hiq(PM4_SET_RESOURCES, (const u32[]){ 0xc000 | 2 << 16, 0xfcfcfcfc, 0, 0, 0, 0, 0 }, 7);
	list(q, QUEUES / 2 - 1);
	ib_chain();
	ib_run(5);
	for (i = 0, vmids = 0; i < QUEUES / 2 - 1; i++)
		if (slot_of(&q[i]))
			vmids |= 1u << slot_of(&q[i])->vmid;
	ok(vmids == 0xc000, "no more than SET_RESOURCES grants");
	unmap_all();
	hiq(PM4_SET_RESOURCES, (const u32[]){ 1 | 2 << 16, 0xfcfcfcfc, 0, 0, 0, 0, 0 }, 7);
	list(q, 1);
	ib_run(5);
	ok(!slot_of(&q[0]), "but VMID 0 is the kernel's");
	device_stop();
}

static void test_chain(void)
{
	struct queue q[2];
	u32 *p;

	device_start(2, 2, false);
	set_resources(0xfcfcfcfc);
	endless(q, 2, false);
	list(q, 2);
	ib_run(1);
	run_for(30000);
	ok(slot_of(&q[0]) && !slot_of(&q[1]) && !log_count("preempt-begin", NULL),
	   "without a chain the first ones stay");
	unmap_all();
	list(q, 2);
	p = ib_add(PM4_RUN_LIST, 3);
	p[0] = IB_VA + 0x1000;
	p[2] = 1u << 20 | 1u << 23;
	ok(ib_run(1) == -EINVAL && !mapped(q, 2), "a chain to another list is refused");
	device_stop();
}

/* A kernel that ends when it is told to, just after its queue was asked to leave. */
static u64 unmap_and_tell(struct queue *q, u8 grace, bool tell)
{
	u64 t0;

	fake_set_grace(0, grace);
	map(q, 1);
	run_until(waves(q) == 1, 1000);
	t0 = gpu_now();
	hiq(PM4_UNMAP_QUEUES, (const u32[]){ 0x30 }, 1);
	if (tell)
		go_on(q);
	run_until(!gpu.hws->of[0].busy, 1000);
	return gpu_now() - t0;
}

static void test_grace(void)
{
	struct queue q;
	u64 ns;

	device_start(2, 2, false);
	set_resources(0xfcfcfcfc);
	endless(&q, 1, true);
	ns = unmap_and_tell(&q, 255, false);
	ok(ns >= 255 * 1024 * NS_PER_US / SHADER_CLK_MHZ + param.save_fixed_ns &&
	   log_count("wave-save", NULL) == 1, "waves are saved after the grace period");
	unmap_and_tell(&q, 1, false);
	ok(log_count("wave-save", NULL) == 2, "however short");
	log_reset();
	unmap_and_tell(&q, 255, true);
	ok(done(&q, 0) && !log_count("wave-save", NULL) &&
	   log_count("preempt-end", "bytes=0") == 1 && !slot_of(&q),
	   "what ends in time is not saved");

	*(u32 *)at(&q, OUT(&q) - 8) = 0;
	dispatch(&q, 1, 64, 1, false);
	log_reset();
	ns = unmap_and_tell(&q, 0, false);
	ok(ns >= 200 * NS_PER_MS && slot_of(&q) && waves(&q) == 1 &&
	   ((u32 *)arena_ptr(0, HIQ_MQD_VA))[MQD_DOORBELL_ID0] == q.doorbell,
	   "a period of 0 has no end: the queue is given up after the unmap latency");
	go_on(&q);
	ok(run_until(done(&q, 1), 1000), "and runs on");
	fake_set_grace(0, 64);
	device_stop();
}

/* What could not be taken off is named, all of it, and nothing else is touched. */
static void test_stuck(void)
{
	const u32 *hiq_mqd = arena_ptr(0, HIQ_MQD_VA);
	struct queue q[4];
	unsigned int i;
	u64 t0;

	device_start(2, 2, false);
	set_resources(0xfcfcfcfc);
	endless(q, 4, false);
	for (i = 1; i < 3; i++)
		q[i].mqd[MQD_CTX_SAVE_SIZE] = STACK_BYTES;
	map(q, 4);
	run_until(waves(&q[0]) && waves(&q[1]) && waves(&q[2]) && waves(&q[3]), 1000);
	hiq_mqd = arena_ptr(0, HIQ_MQD_VA);
	t0 = gpu_now();
	hiq(PM4_UNMAP_QUEUES, (const u32[]){ 0x30 }, 1);
	run_until(!gpu.hws->of[0].busy, 1000);
	ok(gpu_now() - t0 >= 200 * NS_PER_MS && log_count("preempt-end", "stuck=2") == 1,
	   "two queues do not leave within the unmap latency");
	ok(hiq_mqd[MQD_DOORBELL_ID0] + hiq_mqd[MQD_DOORBELL_ID0 + 1] ==
	   q[1].doorbell + q[2].doorbell && hiq_mqd[MQD_DOORBELL_ID0] && hiq_mqd[MQD_DOORBELL_ID0 + 1] &&
	   !hiq_mqd[MQD_DOORBELL_ID0 + 2], "the HIQ's MQD names them");
	ok(!slot_of(&q[0]) && slot_of(&q[1]) && slot_of(&q[2]) && !slot_of(&q[3]),
	   "the others left");
	device_stop();
}

/* MAP_QUEUES of an SDMA queue; legacy names of engines 0 and 1, extended ones of the others. */
static void ib_sdma(const struct queue *q, unsigned int engine)
{
	u32 *p = ib_add(PM4_MAP_QUEUES, 6);

	p[0] = 1 << 4 | 1u << 29 | (engine < 2 ? (engine + 2) << 26 : 1 << 2 | engine << 26);
	p[1] = q->doorbell << 2;
	p[2] = MQD_VA(q->mqd_slot);
	p[4] = AMDQ(q) + 0x38;
}

static const struct sdma_user *sdma_of(const struct queue *q)
{
	return fake_sdma(MQD_VA(q->mqd_slot));
}

static bool wait_sdma(const struct queue *q)
{
	return run_until(sdma_of(q), 2000);
}

/* SDMA queues need a VMID and no slot, and go with the compute queues. */
static void test_sdma(void)
{
	struct queue q[4];
	unsigned int i;

	device_start(2, 2, false);
	set_resources(0x4);		/* one slot */
	for (i = 0; i < 4; i++) {
		q[i] = queue_make(1 + i / 2, 16, 0);
		if (!(i & 1))
			PROGRAM(1 + i / 2, 16, 0, TOY(TOY_WAIT, 0), TOY(TOY_END, 0));
	}
	ib_start();
	ib_process(1);
	ib_queue(&q[0]);
	ib_sdma(&q[1], 1);
	ib_process(2);
	ib_sdma(&q[2], 0);
	ib_sdma(&q[3], 4);
	ib_run(8);
	ok(slot_of(&q[0]) && sdma_of(&q[1]) && sdma_of(&q[2]) && sdma_of(&q[3]),
	   "SDMA queues take no slot");
	ok(sdma_of(&q[1])->vmid == slot_of(&q[0])->vmid && sdma_of(&q[1])->pasid == q[1].pasid &&
	   sdma_of(&q[2])->vmid == sdma_of(&q[3])->vmid &&
	   sdma_of(&q[2])->vmid != sdma_of(&q[1])->vmid &&
	   ih_vmid_pasid(&gpu, sdma_of(&q[2])->vmid) == q[2].pasid &&
	   sdma_of(&q[3])->write_addr == AMDQ(&q[3]) + 0x38, "they have their process' VMID");
	hiq(PM4_UNMAP_QUEUES, (const u32[]){ 1 << 4, q[2].pasid }, 2);
	run_until(!gpu.hws->of[0].busy, 1000);
	ok(sdma_of(&q[1]) && !sdma_of(&q[2]) && !sdma_of(&q[3]) && slot_of(&q[0]),
	   "unmapped by PASID");
	unmap_all();
	ok(!sdma_of(&q[1]), "with all queues");

	ib_start();
	ib_process(1);
	ib_sdma(&q[1], 1);
	ib_process(2);
	ib_sdma(&q[2], 0);
	ib_run(8);
	ib_start();
	ib_process(1);
	ib_sdma(&q[1], 1);
	ib_run(8);
	ok(sdma_of(&q[1]) && !sdma_of(&q[2]), "a new list replaces the old one");
	unmap_all();

	ib_start();
	ib_process(1);
	ib_sdma(&q[1], 1);
	ib_process(2);
	ib_sdma(&q[2], 0);
	ib_chain();
	ib_run(1);
	ok(!sdma_of(&q[1]) != !sdma_of(&q[2]), "one process at a time");
	for (i = 0; i < 4 && wait_sdma(&q[1]) && wait_sdma(&q[2]); i++)
		;
	ok(i == 4, "they take turns");
	device_stop();
}

/* How often a queue got a slot. */
static unsigned int taken(const struct queue *q)
{
	char key[32];

	snprintf(key, sizeof(key), "queue=%#x ", q->doorbell);
	return log_count(" queue-map ", key);
}

/* In the list's buffer, behind MAP_PROCESS: the first MAP_QUEUES, after its header. */
#define IB_FIRST_QUEUE	22

/* --rotate all: nobody stays for whom there would have been no need to leave. */
static void test_rotate_all(void)
{
	unsigned int moved, i;
	struct queue q[5];
	u64 since;

	rotate_all = true;
	device_start(2, 2, false);
	set_resources(0x0f << 2);
	endless(q, 5, true);
	list(q, 5);
	*(u32 *)arena_ptr(0, IB_VA + 4 * IB_FIRST_QUEUE) |= 2 << 21;	/* static: it stays */
	ib_chain();
	ib_run(8);
	run_until(log_count("preempt-begin", NULL) >= 10, 5000);
	moved = log_count("preempt-begin", NULL);
	ok(moved && log_count("preempt-begin", "queues=3") == moved, "one waits, all leave");
	device_stop();			/* nobody writes to the log any more */
	for (i = 1; i < 5 && taken(&q[i]) >= 6; i++)
		;
	ok(i == 5 && taken(&q[0]) == 1, "each has its turns, but for the one that stays");

	device_start(2, 2, false);
	set_resources(0x4);		/* one slot */
	endless(q, 2, false);
	q[2] = queue_make(1, 16, 0);
	ib_start();
	ib_process(1);
	ib_queue(&q[0]);
	ib_sdma(&q[2], 0);
	ib_process(2);
	ib_queue(&q[1]);
	ib_chain();
	ib_run(8);
	since = sdma_of(&q[2])->since;
	ok(run_until(slot_of(&q[1]), 100) && wait_sdma(&q[2]) && sdma_of(&q[2])->since > since,
	   "SDMA queues, too");
	device_stop();
	rotate_all = false;
}

/*
 * A runlist of processes 1, 2, ... with a queue and num_gws each. Queues of those that may have
 * some use it, but for that of process @not. @chained: it rotates. Return: RUN_LIST's.
 */
static int run_gws_but(unsigned int not, const struct queue *q, unsigned int n, const u32 *num_gws,
		       bool chained)
{
	unsigned int i;

	ib_start();
	for (i = 0; i < n; i++) {
		u32 *p = arena_ptr(0, IB_VA + ib_dwords * 4);

		ib_process(i + 1);
		p[1 + 12] = num_gws[i];
		p = arena_ptr(0, IB_VA + ib_dwords * 4);
		ib_queue(&q[i]);
		p[1] |= (num_gws[i] && i + 1 != not) << 12;
	}
	if (chained)
		ib_chain();
	return ib_run(8);
}

static int run_with_gws(const struct queue *q, unsigned int n, const u32 *num_gws, bool chained)
{
	return run_gws_but(0, q, n, num_gws, chained);
}

/* GDS_GWS_VMIDn of a queue that is mapped. */
static u32 gws_range(const struct queue *q)
{
	return regs_get(&gpu, reg_at(&gpu, 0, REG_GDS_GWS_VMID0) + 4 * slot_of(q)->vmid);
}

/* The resource that a wave of the queue's would get, or NULL; see isa/gws.c. */
static u32 *gws_resource(const struct queue *q, unsigned int n)
{
	const struct wave_mem *m = &slot_of(q)->uq->mem;
	u32 range = m->gws_range(m->ctx);

	return n < GWS_COUNT(range) ? &m->gws[GWS_BASE(range) + n] : NULL;
}

/* Global wave sync: as many resources as MAP_PROCESS says, of those that are free. */
static void test_gws(void)
{
	const u32 some[3] = { 24, 40, 0 }, many[1] = { GWS_RESOURCES + 1 };
	struct queue q[3];
	unsigned int i, all = 0;

	device_start(2, 2, false);
	set_resources(0xfcfcfcfc);
	endless(q, 3, false);
	run_with_gws(q, 3, some, false);
	ok(GWS_COUNT(gws_range(&q[0])) == 24 && GWS_COUNT(gws_range(&q[1])) == 40 &&
	   !gws_range(&q[2]), "GDS_GWS_VMIDn: as many as the process may have");
	ok(GWS_BASE(gws_range(&q[0])) + 24 == GWS_BASE(gws_range(&q[1])), "of each its own");
	ok(gws_resource(&q[0], 23) && !gws_resource(&q[0], 24) && !gws_resource(&q[2], 0),
	   "its waves have these alone");
	*gws_resource(&q[0], 5) = 7;
	*gws_resource(&q[1], 5) = 8;
	unmap_all();
	for (i = 0; i < 16; i++)
		all |= regs_get(&gpu, reg_at(&gpu, 0, REG_GDS_GWS_VMID0) + 4 * i);
	ok(!all, "a VMID without such a queue has none");
	/* others come first, so that it gets other ones */
	run_with_gws(q, 3, (const u32[3]){ 0, 40, 0 }, false);
	ok(!GWS_BASE(gws_range(&q[1])) && *gws_resource(&q[1], 5) == 8, "it finds them as it left them");
	*gws_resource(&q[1], 5) = 9;
	run_with_gws(q, 3, some, false);
	ok(*gws_resource(&q[0], 5) == 7 && *gws_resource(&q[1], 5) == 9, "each of them");
	regs_set(&gpu, reg_at(&gpu, 0, REG_GDS_GWS_VMID0) + 4 * slot_of(&q[0])->vmid, 0);
	ok(!gws_resource(&q[0], 0), "the register is what counts");
	unmap_all();
	run_gws_but(1, q, 2, (const u32[2]){ GWS_RESOURCES, GWS_RESOURCES }, false);
	ok(!gws_range(&q[0]) && GWS_COUNT(gws_range(&q[1])) == GWS_RESOURCES,
	   "a queue that does not use them takes none");
	unmap_all();
	ok(run_with_gws(q, 1, many, false) == -EINVAL, "not more than there are");
	device_stop();
}

/* Two processes that want all of it, and one that wants none. */
static void test_gws_in_turn(void)
{
	const u32 all[3] = { GWS_RESOURCES, GWS_RESOURCES, 0 };
	struct queue q[3];
	u64 since, others;

	device_start(2, 2, false);
	set_resources(0xfcfcfcfc);
	endless(q, 3, false);
	run_with_gws(q, 3, all, false);
	ok(slot_of(&q[0]) && !slot_of(&q[1]) && slot_of(&q[2]), "too little for two: one waits");
	ok(!run_until(slot_of(&q[1]), 100), "for ever, where the runlist does not rotate");
	unmap_all();
	run_with_gws(q, 3, all, true);
	since = slot_of(&q[0])->uq->since;
	others = slot_of(&q[2])->uq->since;
	*gws_resource(&q[0], 63) = 7;
	ok(run_until(slot_of(&q[1]), 100) && !slot_of(&q[0]) && gpu_now() - since >= 10 * NS_PER_MS &&
	   gpu_now() - since < 15 * NS_PER_MS, "else it gets all of it after a quantum");
	ok(GWS_COUNT(gws_range(&q[1])) == GWS_RESOURCES && !*gws_resource(&q[1], 63),
	   "and nothing of what the other left");
	ok(run_until(slot_of(&q[0]), 100) && !slot_of(&q[1]) && *gws_resource(&q[0], 63) == 7,
	   "and back");
	ok(slot_of(&q[2])->uq->since == others, "who uses none stays");
	device_stop();
}

int main(void)
{
	virtual_time();
	test_process_quantum();
	test_slots();
	test_no_more_than_needed();
	test_queue_quantum();
	test_vmids();
	test_chain();
	test_grace();
	test_stuck();
	test_sdma();
	test_rotate_all();
	test_gws();
	test_gws_in_turn();
	return tap_done();
}
