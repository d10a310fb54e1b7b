// SPDX-License-Identifier: GPL-2.0
/* Unit tests of queues on a GPU of two XCCs. */
#include "fake/machine.c"

#include <inttypes.h>

#include "sdma/sdma.h"
#include "virtual_time.h"

#define WGS	4

static u32 *mqd(const struct queue *q, unsigned int xcc)
{
	return q->mqd + xcc * (MQD_VA(1) - MQD_VA(0)) / 4;
}

/* The second XCC takes the first workgroup, as a queue's second one in amdkfd. */
static struct queue swapped_queue(void)
{
	struct queue q = queue_make(1, 16, 0);

	mqd(&q, 0)[MQD_TG_CHUNK] = mqd(&q, 1)[MQD_TG_CHUNK] = 1;
	mqd(&q, 0)[MQD_LOGIC_XCC] = 1;
	mqd(&q, 1)[MQD_LOGIC_XCC] = 0;
	return q;
}

static u32 waves_of(const struct queue *q, unsigned int xcc)
{
	const struct hqd *h = slot_of(q);
	unsigned int e, n = 0;

	for (e = 0; h && e < gpu.cfg.engines; e++)
		n += spi_wave_count(&gpu, xcc * gpu.cfg.engines + e, h->pipe, h->queue);
	return n;
}

static bool saved(const struct queue *q, unsigned int xcc)
{
	return mqd(q, xcc)[MQD_CNTL_STACK_OFFSET] < STACK_BYTES;
}

static u32 state_bytes(const struct queue *q, unsigned int xcc)
{
	return mqd(q, xcc)[MQD_WG_STATE_OFFSET] - STACK_BYTES;
}

/* A queue with a dispatch whose workgroups wait for go_on(). */
static struct queue waiting_queue(unsigned int wgs)
{
	struct queue q;

	set_resources(0xfcfcfcfc);
	PROGRAM(1, 8, 0, TOY(TOY_WAIT, 0), TOY(TOY_END, 0));
	q = swapped_queue();
	map(&q, 1);
	*(u32 *)at(&q, OUT(&q) - 8) = 0;
	dispatch(&q, wgs, 64, 0, false);
	ring(&q);
	run_until(waves(&q) == wgs, 1000);
	return q;
}

static void test_spread(void)
{
	struct queue q;
	struct hqd *h;

	device_start(2, 1, false);
	q = waiting_queue(WGS);
	h = mec_on_xcc(&gpu, slot_of(&q), 1);
	ok(h->active && h->mqd == MQD_VA(q.mqd_slot + 1), "a slot and an MQD on the other XCC");
	ok(waves_of(&q, 0) == WGS / 2 && waves_of(&q, 1) == WGS / 2, "workgroups on both XCCs");
	ok(log_count("wave-start", "wg=0 wave=0 xcc=1") && log_count("wave-start", "wg=1 wave=0 xcc=0"),
	   "in the order that the MQDs say");
	go_on(&q);
	ok(run_until(done(&q, 0), 1000) && log_count("dispatch-end", NULL) == 1,
	   "the dispatch completes once");
	unmap_all();
	device_stop();
}

static void test_save(void)
{
	struct queue q;

	device_start(2, 1, false);
	q = waiting_queue(WGS - 1);
	unmap_all();
	ok(saved(&q, 0) && saved(&q, 1), "each XCC saves in its area");
	ok(state_bytes(&q, 1) == 2 * state_bytes(&q, 0) && state_bytes(&q, 0),
	   "the workgroups that it had");
	map(&q, 1);
	run_until(waves(&q) == WGS - 1, 1000);
	ok(waves_of(&q, 0) == 1 && waves_of(&q, 1) == 2, "they come back to it");
	go_on(&q);
	ok(run_until(done(&q, 0), 1000) && !log_count("error", NULL), "and go on");
	unmap_all();
	ok(!saved(&q, 0) && !saved(&q, 1), "then there is nothing to save");
	device_stop();
}

/* With nothing of a dispatch on one XCC its area stays empty. */
static void test_save_one(void)
{
	struct queue q;

	device_start(2, 1, false);
	q = waiting_queue(1);
	unmap_all();
	ok(saved(&q, 0) && !state_bytes(&q, 0) && saved(&q, 1) && state_bytes(&q, 1),
	   "the first XCC saves the queue, the other its wave");
	mqd(&q, 0)[MQD_LOGIC_XCC] = 0;
	mqd(&q, 1)[MQD_LOGIC_XCC] = 1;
	map(&q, 1);
	run_for(1000);
	ok(!waves(&q) && log_count("error", "restore=-22"),
	   "a workgroup in the area of an XCC that it does not belong to is refused");
	unmap_all();
	device_stop();
}

static void test_pm4_target(void)
{
	struct queue q;
	const struct user_queue *uq;

	device_start(2, 1, false);
	set_resources(0xfcfcfcfc);
	q = queue_make(1, 16, 0);
	mqd(&q, 0)[MQD_AQL_CONTROL] = mqd(&q, 1)[MQD_AQL_CONTROL] = 0;
	mqd(&q, 0)[MQD_PM4_TARGET_XCC] = 1;
	map(&q, 1);
	uq = slot_of(&q)->uq;
	ok(uq && group_xcc(uq, 0) == 1 && group_xcc(uq, 1) == 1, "a PM4 queue runs on one XCC");
	unmap_all();
	device_stop();
}

static void test_chunk(void)
{
	const struct user_queue *uq;
	struct queue q;

	device_start(2, 1, false);
	set_resources(0xfcfcfcfc);
	q = swapped_queue();
	mqd(&q, 0)[MQD_TG_CHUNK] = mqd(&q, 1)[MQD_TG_CHUNK] = 2;
	map(&q, 1);
	uq = slot_of(&q)->uq;
	ok(uq && group_xcc(uq, 0) == 1 && group_xcc(uq, 1) == 1 && !group_xcc(uq, 2) &&
	   !group_xcc(uq, 3) && group_xcc(uq, 4) == 1, "so many workgroups in a row to each");
	unmap_all();
	device_stop();
}

/* The partition that XCC @xcc leads by itself, with VMIDs of its own. */
static void take_partition(unsigned int xcc)
{
	hiq_xcc = xcc;
	vmids = xcc ? 0xfc00 : 0x03f0;
}

static const struct sdma_user *sdma_of(const struct queue *q)
{
	return fake_sdma(MQD_VA(q->mqd_slot + 1));
}

/* @q and an SDMA queue with the MQD behind its own. */
static void map_with_sdma(const struct queue *q)
{
	u32 *p;

	list(q, 1);
	p = ib_add(PM4_MAP_QUEUES, 6);
	p[0] = 1 << 4 | 2 << 26 | 1u << 29;
	p[2] = MQD_VA(q->mqd_slot + 1);
	ib_run(8);
}

/* A queue there, of a process of its own, whose workgroups wait. */
static struct queue queue_on(unsigned int xcc)
{
	struct queue q;

	take_partition(xcc);
	set_resources(0xfcfcfcfc);
	PROGRAM(xcc + 1, 8, 0, TOY(TOY_WAIT, 0), TOY(TOY_END, 0));
	q = queue_make(xcc + 1, 16, 0);
	map_with_sdma(&q);
	*(u32 *)at(&q, OUT(&q) - 8) = 0;
	dispatch(&q, WGS, 64, 0, false);
	ring(&q);
	run_until(waves(&q) == WGS, 1000);
	return q;
}

/* Each XCC is a partition. */
static void start_partitions(void)
{
	device_start(2, 1, false);
	gpu.partition_xccs = 1;
	mec_hqd(&gpu, 1, 2, 0, 0)->active = true;
}

static void stop_partitions(void)
{
	take_partition(0);
	vmids = 0xfff8;
	device_stop();
}

/* SPI_CSQ_WF_ACTIVE_STATUS is of the queues whose waves the engine could have. */
static void test_status(void)
{
	u32 slot = 1u << 2;

	start_partitions();
	queue_on(0);
	ok(spi_wave_status(&gpu, 0) == slot && spi_wave_status(&gpu, 1) == slot &&
	   !spi_wave_status(&gpu, 2) && !spi_wave_status(&gpu, 3),
	   "the other partition's engines know nothing of a queue");
	queue_on(1);
	take_partition(0);
	unmap_all();
	ok(!spi_wave_status(&gpu, 0) && spi_wave_status(&gpu, 2) == slot,
	   "nor that it left a slot of the same number");
	take_partition(1);
	unmap_all();
	stop_partitions();
}

/* Queues that take turns in the first partition's slots, with waves to save and to restore. */
static void rotate_first(struct queue *q, unsigned int n)
{
	unsigned int i;

	take_partition(0);
	set_resources(0xf << 2);
	PROGRAM(2, 128, 0, TOY(TOY_WAIT, 0), TOY(TOY_END, 0));
	for (i = 0; i < n; i++) {
		q[i] = queue_make(2, 16, 0);
		q[i].mqd[MQD_QUANTUM] = 2 << 8 | 1 << 4 | 1;
		dispatch(&q[i], 2 * WGS, 64, 0, false);
	}
	list(q, n);
	ib_chain();
	ib_run(8);
}

/*
 * A queue of the second partition that comes, works, leaves and comes back, while the first
 * one is idle or @busy. Return: what the log says of it, times counted from its begin; and how
 * often the first one's queues were saved.
 */
static char *second_alone(bool busy, unsigned int *saves)
{
	struct queue q, other[6];
	char *text, *out;
	const char *line;
	unsigned int i;
	size_t size;
	FILE *f;
	u64 t0;

	start_partitions();
	PROGRAM(1, 128, 0, TOY(TOY_MIX, 0), TOY(TOY_WAIT, 0), TOY(TOY_END, 0));
	q = queue_make(1, 16, 0);
	q.mqd[MQD_QUANTUM] = 2 << 8 | 1 << 4 | 1;
	if (busy)
		rotate_first(other, 6);
	take_partition(1);
	t0 = gpu_now();
	set_resources(1 << 2);
	for (i = 0; i < 8; i++) {
		*(u32 *)at(&q, OUT(&q) - 8) = 0;
		dispatch(&q, 3 * WGS, 64, i, false);
		map(&q, 1);
		run_for(3000);
		unmap_all();
		map(&q, 1);
		run_for(1000);
		go_on(&q);
		run_for(1000);
		unmap_all();
	}
	*saves = log_count("queue-restore", "pasid=32770");
	f = open_memstream(&out, &size);
	for (line = log_text(); *line; line = strchr(line, '\n') + 1) {
		text = strndup(line, strchr(line, '\n') - line);
		if (strstr(text, "pasid=32769") || strstr(text, " xcc=1 "))
			fprintf(f, "%" PRIu64 "%s\n", (u64)strtoull(text, NULL, 10) - t0, strchr(text, ' '));
		free(text);
	}
	fclose(f);
	ok(done(&q, 7), busy ? "a queue beside others" : "a queue alone");
	stop_partitions();
	return out;
}

static void test_alone(void)
{
	unsigned int none, saves;
	char *alone = second_alone(false, &none), *beside = second_alone(true, &saves);

	ok(!none && saves > 8, "the other partition saves and restores meanwhile");
	ok(!strcmp(alone, beside), "of which nothing is to be seen");
	free(alone);
	free(beside);
}

/* Whoever launches keeps a pipe from its equals, but not from those of the other partition. */
static void test_quanta(void)
{
	unsigned int i, n[2];
	struct queue q[2];

	start_partitions();
	for (i = 0; i < 2; i++) {
		take_partition(i);
		set_resources(1 << 2);
		PROGRAM(i + 1, 8, 0, TOY(TOY_WAIT, 0), TOY(TOY_END, 0));
		q[i] = queue_make(i + 1, 16, 0);
		q[i].mqd[MQD_QUANTUM] = 2 << 8 | 1 << 4 | 1;
		map(&q[i], 1);
	}
	pthread_mutex_lock(&gpu.mec_lock);
	dispatch(&q[0], 2 * LAUNCH_BATCH, 64, 0, false);	/* more than a turn launches */
	dispatch(&q[1], 1, 64, 0, false);
	for (i = 0; i < 2; i++) {
		take_partition(i);
		aql_run(slot_of(&q[i]));
	}
	machine_turn(&gpu);
	pthread_mutex_unlock(&gpu.mec_lock);
	for (i = 0; i < 2; i++) {
		take_partition(i);
		n[i] = waves_of(&q[i], i);
	}
	ok(n[0] == LAUNCH_BATCH && n[1] == 1, "the quantum of a queue is its partition's");
	stop_partitions();
}

#define SLOTS_GIVEN	24	/* of a partition, by amdkfd */

/* Does each queue of all partitions wait for room, and run when there is some? */
static void test_blocked(void)
{
	struct queue q[2 * SLOTS_GIVEN];
	unsigned int i, n[2] = {}, ended = 0;

	start_partitions();
	for (i = 0; i < 2 * SLOTS_GIVEN; i++) {
		unsigned int xcc = i / SLOTS_GIVEN;

		PROGRAM(xcc + 1, 512, 0, TOY(TOY_WAIT, 0), TOY(TOY_END, 0));
		q[i] = queue_make(xcc + 1, 16, 0);
		dispatch(&q[i], 2 * WGS + 1, 64, 0, false);	/* one more than there is room for */
	}
	for (i = 0; i < 2; i++) {
		take_partition(i);
		set_resources(0xfcfcfcfc);
		map(q + i * SLOTS_GIVEN, SLOTS_GIVEN);
	}
	run_for(1000);
	for (i = 0; i < 2 * SLOTS_GIVEN; i++) {
		take_partition(i / SLOTS_GIVEN);
		n[i / SLOTS_GIVEN] += waves_of(&q[i], i / SLOTS_GIVEN);
		go_on(&q[i]);
	}
	ok(n[0] == 2 * WGS && n[1] == 2 * WGS, "two partitions are full, each queue has more");
	run_for(20000);
	for (i = 0; i < 2 * SLOTS_GIVEN; i++)
		ended += done(&q[i], 0);
	ok(ended == 2 * SLOTS_GIVEN, "all come to their end");
	stop_partitions();
}

/* Each XCC is a partition: a scheduler, slots, VMIDs and compute units of its own. */
static void test_partitions(void)
{
	struct queue q[2];
	unsigned int i;
	u64 t0;

	start_partitions();
	q[0] = queue_on(0);
	ok(waves_of(&q[0], 0) == WGS && !waves_of(&q[0], 1), "all workgroups on its XCC");
	q[1] = queue_on(1);
	for (i = 0; i < 2; i++) {
		take_partition(i);
		ok(waves_of(&q[i], i) == WGS, "both partitions work");
		ok(slot_of(&q[i])->vmid == (i ? 10 : 4), "and a VMID of its own");
		ok(vm_hub(&gpu, slot_of(&q[i])->vmid) == i, "whose faults come from there");
		ok(!mec_on_xcc(&gpu, slot_of(&q[i]), !i)->active ||
		   mec_on_xcc(&gpu, slot_of(&q[i]), !i)->doorbell != q[i].doorbell,
		   "no slot on the other one");
	}
	ok(sdma_of(&q[0])->first == 0 && sdma_of(&q[1])->first == 1, "its SDMA engines");
	ok(!machine_partition(&gpu, 2) && gpu.partition_xccs == 1,
	   "with queues mapped the partitions stay as they are");
	take_partition(0);
	unmap_all();
	ok(!sdma_of(&q[0]) && sdma_of(&q[1]), "SDMA queues leave with their partition's");
	ok(!slot_of(&q[0]) && saved(&q[0], 0), "all are unmapped");
	take_partition(1);
	ok(waves_of(&q[1], 1) == WGS && !waves_of(&q[1], 0) && !saved(&q[1], 0), "of one partition: the other goes on");
	ok(gpu.hws->of[1].vmid_mask == 0xfc00 && gpu.hws->of[0].vmid_mask == 0x03f0,
	   "resources of its own");
	fake_set_grace(0, 0);
	t0 = gpu_now();
	unmap_all();
	ok(gpu_now() - t0 < 10 * NS_PER_MS && !slot_of(&q[1]),
	   "a grace period without end, which is the other's, is not its own");
	fake_set_grace(0, 64);
	map(&q[1], 1);
	run_until(waves(&q[1]) == WGS, 1000);
	go_on(&q[1]);
	ok(run_until(done(&q[1], 0), 1000), "to the end");
	unmap_all();
	take_partition(0);
	map(&q[0], 1);
	run_until(waves(&q[0]) == WGS, 1000);
	go_on(&q[0]);
	ok(run_until(done(&q[0], 0), 1000) && !log_count("error", NULL),
	   "what was saved goes on as well");
	unmap_all();
	ok(machine_partition(&gpu, 2) && gpu_leader(&gpu, 1) == 0, "with none they are one again");
	stop_partitions();
}

int main(void)
{
	xccs = 2;
	virtual_time();
	test_spread();
	test_save();
	test_save_one();
	test_pm4_target();
	test_chunk();
	test_partitions();
	test_status();
	test_alone();
	test_quanta();
	test_blocked();
	return tap_done();
}
