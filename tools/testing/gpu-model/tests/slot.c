// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of queues without the scheduler (amdgpu.sched_policy=2): loaded by
 * registers, taken off by CP_HQD_DEQUEUE_REQUEST.
 */
#include "fake/machine.c"

#include "cp/queue/slot.h"

#define PIPE	1
#define SLOT	3
#define VMID	8

enum { DRAIN = 1, RESET, SAVE };

#define LOW_WGS		12
#define LOW_BYTES	(LOW_WGS * 4 * 8)

static struct hqd *load(const struct queue *q)
{
	struct hqd *h = mec_hqd(&gpu, 0, 1, PIPE, SLOT);

	pthread_mutex_lock(&gpu.mec_lock);
	vm_set_base(&gpu, VMID, q->process);
	ih_set_vmid_pasid(&gpu, VMID, q->pasid);
	if (mec_map(&gpu, h, MQD_VA(q->mqd_slot), VMID) || !slot_enter(&gpu, h, NULL))
		abort();
	pthread_mutex_unlock(&gpu.mec_lock);
	turn();
	return h;
}

static void request(struct hqd *h, u32 type)
{
	pthread_mutex_lock(&gpu.mec_lock);
	h->reg[HQD(MQD_DEQUEUE_REQUEST)] = type;
	pthread_mutex_unlock(&gpu.mec_lock);
	turn();
}

/* A program with all that is to survive; its digest is taken at the end. */
static struct queue low_make(void)
{
	struct queue q;

	PROGRAM(1, 96, 2048, TOY(TOY_MIX, 0), TOY(TOY_MIX, 0), TOY(TOY_BARRIER, 0),
		TOY(TOY_MIX, 0), TOY(TOY_SLEEP, 50), TOY(TOY_LOOP, 60), TOY(TOY_END, 0));
	q = queue_make(1, 16, 0);
	dispatch(&q, LOW_WGS, 200, 0, false);
	return q;
}

static void test_save(void)
{
	unsigned int i, rounds = 0;
	u8 expect[LOW_BYTES];
	struct queue q;
	struct hqd *h;
	u64 t0, us;

	device_start(2, 2, false);
	q = low_make();
	load(&q);
	ok(run_until(done(&q, 0), 5000), "a queue loaded by registers runs");
	memcpy(expect, at(&q, OUT(&q)), LOW_BYTES);
	ok(gpu.spi->partition[0].queues->pasid == q.pasid, "its process is that of the VMID's registers");
	device_stop();

	device_start(2, 2, false);
	q = low_make();
	h = load(&q);
	run_for(2000);
	t0 = gpu_now();
	request(h, SAVE);
	ok(!waves(&q), "SAVE stops the waves");
	ok(run_until(!h->active, 1000), "then frees the slot");
	us = (gpu_now() - t0) / NS_PER_US;
	ok(us >= param.save_fixed_ns / NS_PER_US && !gpu.spi->partition[0].queues && !q.mqd[MQD_ACTIVE] &&
	   q.mqd[MQD_CNTL_STACK_OFFSET] < STACK_BYTES &&
	   q.mqd[MQD_WG_STATE_OFFSET] > STACK_BYTES, "not for nothing, and the MQD tells of it");
	for (i = 0; i < 200 && !done(&q, 0); i++) {
		h = load(&q);
		run_for(1000);
		request(h, SAVE);
		if (!run_until(!h->active, 1000))
			break;
		rounds++;
	}
	h = load(&q);
	ok(run_until(done(&q, 0), 5000) && rounds > 5 && log_count("wave-end", NULL) == 48 &&
	   !memcmp(expect, at(&q, OUT(&q)), LOW_BYTES), "off and on again, the result is exact");
	printf("# %u saves\n", rounds);
	request(h, SAVE);
	ok(run_until(!h->active, 1000) && q.mqd[MQD_CNTL_STACK_OFFSET] == STACK_BYTES &&
	   q.mqd[MQD_WG_STATE_OFFSET] == STACK_BYTES, "an idle queue has nothing to save");
	device_stop();
}

/* A queue that waits for the room of one that is being saved. */
static void test_room(void)
{
	const u64 fixed = param.save_fixed_ns;
	struct queue q[2];

	device_start(2, 2, false);
	set_resources(0xfcfcfcfc);
	PROGRAM(1, 64, 40000, TOY(TOY_WAIT, 0), TOY(TOY_END, 0));
	PROGRAM(2, 64, 40000, TOY(TOY_END, 0));
	q[0] = queue_make(1, 16, 0);
	q[1] = queue_make(2, 16, 0);
	map(q, 2);
	dispatch(&q[0], 4, 64, 0, false);
	ring(&q[0]);
	run_until(waves(&q[0]) == 4, 1000);
	dispatch(&q[1], 4, 64, 0, false);
	ring(&q[1]);
	run_for(1000);
	param.save_fixed_ns = 20 * 1000 * NS_PER_US;
	request(slot_of(&q[0]), SAVE);
	ok(run_until(done(&q[1], 0), 1000), "a queue gets the room of one that is saved");
	ok(log_count("queue-unmap", NULL) == 1 &&
	   strstr(log_text(), " queue-unmap ") < strstr(log_text(), " wave-start queue=0x1002 "),
	   "when that has left");
	param.save_fixed_ns = fixed;
	device_stop();
}

/* Firmware that writes the offset of wave state only where it has saved some. */
static void test_offset_stays(void)
{
	struct queue q;
	struct hqd *h;

	device_start(2, 2, false);
	gpu.cfg.offset_stays = true;
	q = low_make();
	h = load(&q);
	run_for(2000);
	request(h, SAVE);
	run_until(!h->active, 1000);
	h = load(&q);
	run_until(done(&q, 0), 5000);
	request(h, SAVE);
	ok(run_until(!h->active, 1000) && q.mqd[MQD_CNTL_STACK_OFFSET] == STACK_BYTES &&
	   q.mqd[MQD_WG_STATE_OFFSET] > STACK_BYTES,
	   "an older save's offset stays in the MQD of a queue without waves");
	device_stop();
}

/* What else the status register may have bits for. */
static void test_status(void)
{
	struct queue q;
	struct hqd *h;
	unsigned int e;
	u32 bit;

	device_start(2, 2, false);
	q = low_make();
	h = load(&q);
	run_for(2000);
	bit = spi_wave_status(&gpu, 0);
	gpu.cfg.status = STATUS_BUSY;
	ok(bit && spi_wave_status(&gpu, 0) == bit && spi_wave_status(&gpu, 1) == bit,
	   "busy: a queue with waves has a bit");
	gpu.cfg.status = STATUS_WAVES;
	for (e = 0; e < 2; e++) {
		u32 waves = spi_wave_count(&gpu, e, h->pipe, h->queue);

		ok(waves > 1 && __builtin_popcount(spi_wave_status(&gpu, e)) == waves,
		   "waves: one for each");
	}
	run_until(done(&q, 0), 5000);
	ok(!spi_wave_status(&gpu, 0), "waves: none at the end");
	gpu.cfg.status = STATUS_BUSY;
	ok(!spi_wave_status(&gpu, 0), "busy: none either");
	gpu.cfg.status = STATUS_QUEUES;
	ok(spi_wave_status(&gpu, 0) == bit, "queues: with waves or without");
	request(h, SAVE);
	run_until(!h->active, 1000);
	device_stop();
}

static void test_no_area(void)
{
	struct queue q;
	struct hqd *h;

	device_start(2, 2, false);
	q = low_make();
	q.mqd[MQD_CTX_SAVE_SIZE] = STACK_BYTES + 8192;
	h = load(&q);
	run_for(1000);
	request(h, SAVE);
	run_for(5000);
	ok(h->active && waves(&q) && log_count("preempt-fail", NULL) == 1,
	   "what cannot be saved stays, for the driver to time out");
	request(h, RESET);
	ok(!h->active && !gpu.spi->partition[0].queues && log_count("queue-reset", NULL) == 1,
	   "and a reset takes it off");
	q = low_make();
	h = load(&q);
	ok(run_until(done(&q, 0), 5000), "after which the machine works");
	device_stop();
}

static void test_drain(bool cwsr)
{
	struct queue q;
	struct hqd *h;

	device_start(2, 2, false);
	PROGRAM(1, 64, 0, TOY(TOY_WAIT, 0), TOY(TOY_END, 0));
	q = queue_make(1, 16, 0);
	if (!cwsr)
		q.mqd[MQD_PERSISTENT_STATE] = 0;
	dispatch(&q, 2, 64, 0, false);
	dispatch(&q, 2, 64, 1, true);
	h = load(&q);
	run_for(500);
	request(h, cwsr ? DRAIN : SAVE);
	run_for(3000);
	ok(h->active && waves(&q) == 2 && !done(&q, 0), "DRAIN waits for what runs");
	go_on(&q);
	ok(run_until(!h->active, 1000) && done(&q, 0) && !done(&q, 1), "and begins nothing new");
	load(&q);
	ok(run_until(done(&q, 1), 1000), "which is done after the next load");
	device_stop();
}

static void test_reset(void)
{
	struct queue q;
	struct hqd *h;

	device_start(2, 2, false);
	q = low_make();
	h = load(&q);
	run_for(1000);
	request(h, RESET);
	ok(!h->active && !waves(&q) && !gpu.spi->partition[0].queues && !spi_wave_status(&gpu, 0) &&
	   q.mqd[MQD_CNTL_STACK_OFFSET] == STACK_BYTES, "RESET kills at once and saves nothing");
	device_stop();
}

/* SQ_CMD ends the waves of one process. */
static void test_kill(void)
{
	struct queue q[2];
	struct hqd *h;

	device_start(2, 2, false);
	set_resources(0xfcfcfcfc);
	PROGRAM(1, 64, 0, TOY(TOY_WAIT, 0), TOY(TOY_END, 0));
	PROGRAM(2, 64, 0, TOY(TOY_WAIT, 0), TOY(TOY_END, 0));
	q[0] = queue_make(1, 16, 0);
	q[1] = queue_make(2, 16, 0);
	q[0].mqd[MQD_CTX_SAVE_SIZE] = STACK_BYTES;
	map(q, 2);
	dispatch(&q[0], 4, 64, 0, false);
	ring(&q[0]);
	dispatch(&q[1], 4, 64, 0, false);
	ring(&q[1]);
	h = slot_of(&q[0]);
	request(h, SAVE);
	run_for(1000);
	ok(h->active && waves(&q[0]) == 4 && waves(&q[1]) == 4, "nowhere to save to");
	machine_kill_waves(&gpu, 0, 1, h->vmid);
	ok(waves(&q[0]) == 2 && waves(&q[1]) == 4, "SQ_CMD ends waves of one VMID in one engine");
	machine_kill_waves(&gpu, 0, ~0u, h->vmid);
	ok(run_until(!h->active, 1000) && waves(&q[1]) == 4 &&
	   log_count("wave-kill", NULL) == 4, "in all of them: the request is served");
	device_stop();
}

int main(void)
{
	test_save();
	test_room();
	test_offset_stays();
	test_status();
	test_no_area();
	test_drain(true);
	test_drain(false);
	test_reset();
	test_kill();
	return tap_done();
}
