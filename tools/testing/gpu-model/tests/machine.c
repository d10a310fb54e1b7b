// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of the compute side: hardware scheduler, AQL packets, workgroup
 * launch, pace, save and restore. Driven through its contract with the shell
 * (machine.h), on the stand-ins of fake/shell.c.
 */
#include "fake/machine.c"

/* ---- tests ---- */

static void test_dispatch(bool at_fetch)
{
	struct amd_signal *s;
	struct queue q;
	u64 t0 = gpu_now() / GPU_CLOCK_NS;

	device_start(2, 2, at_fetch);
	set_resources(0xfcfcfcfc);
	PROGRAM(1, 16, 256, TOY(TOY_MIX, 0), TOY(TOY_BARRIER, 0), TOY(TOY_WAIT, 0),
		TOY(TOY_END, 0));
	q = queue_make(1, 16, 1);
	map(&q, 1);
	ok(slot_of(&q) && slot_of(&q)->queue >= 2, "a slot of the queue mask");
	ok(vmid_arena(slot_of(&q)->vmid) == 1 && slot_of(&q)->vmid >= 3 &&
	   ih_vmid_pasid(&gpu, slot_of(&q)->vmid) == q.pasid, "VMID with page table and PASID");
	signal_of(&q, 0)->event_mailbox = DEP_VA;
	signal_of(&q, 0)->event_id = 77;
	dispatch(&q, 8, 200, 0, false);
	signal_of(&q, 0)->event_mailbox = DEP_VA;
	ring(&q);
	ok(run_until(waves(&q) == 32, 2000), "4 waves in each of 8 workgroups");
	ok(spi_wave_status(&gpu, 0) == 1u << (slot_of(&q)->pipe * 8 + slot_of(&q)->queue) &&
	   spi_wave_status(&gpu, 1) == spi_wave_status(&gpu, 0) &&
	   spi_wave_count(&gpu, 0, slot_of(&q)->pipe, slot_of(&q)->queue) == 16,
	   "wave status and counts by engine");
	go_on(&q);
	ok(run_until(done(&q, 0), 2000), "dispatch completes");
	s = signal_of(&q, 0);
	ok(s->start_ts >= t0 && s->end_ts > s->start_ts &&
	   s->end_ts <= gpu_now() / GPU_CLOCK_NS, "timestamps");
	ok(*(u64 *)arena_ptr(1, DEP_VA) == 77 && ih_count(181) == 1 &&
	   ih_last(181).pasid == q.pasid && ih_last(181).vmid == slot_of(&q)->vmid &&
	   ih_last(181).client == 0x14 && ih_last(181).data[0] == 77, "event and interrupt");
	ok(read_index(&q) == 1 && *(u16 *)at(&q, RING(&q)) == 1 &&
	   slot_of(&q)->reg[HQD(MQD_PQ_RPTR)] == 16 && slot_of(&q)->reg[HQD(MQD_PQ_WPTR_LO)] == 16,
	   "indices and INVALID header");
	ok(!waves(&q), "no waves left");
	ok(log_count("wave-end", NULL) == 32 && log_count("dispatch-end", NULL) == 1, "log");
	device_stop();
}

/* The machine is full: does the next dispatch's index move? */
static void test_rptr(bool at_fetch)
{
	struct queue q[2];

	device_start(2, 1, at_fetch);
	set_resources(0xfcfcfcfc);
	PROGRAM(1, 512, 0, TOY(TOY_WAIT, 0), TOY(TOY_END, 0));
	PROGRAM(2, 512, 0, TOY(TOY_END, 0));
	q[0] = queue_make(1, 16, 0);
	q[1] = queue_make(2, 16, 2);
	map(q, 2);
	dispatch(&q[0], 8, 64, 0, false);	/* 512 VGPRs: one wave fills a SIMD */
	ring(&q[0]);
	run_for(2000);
	dispatch(&q[1], 1, 64, 0, false);
	ring(&q[1]);
	run_for(2000);
	ok(waves(&q[0]) == 8 && !waves(&q[1]) && !done(&q[1], 0), "waits for a unit");
	ok(read_index(&q[1]) == at_fetch, at_fetch ? "read index moves at fetch" :
	   "read index stays until the last workgroup is launched");
	go_on(&q[0]);
	ok(run_until(done(&q[1], 0) && done(&q[0], 0), 2000) && read_index(&q[1]) == 1,
	   "runs when there is room");
	device_stop();
}

static void test_barriers(void)
{
	struct amd_signal *dep;
	struct queue q;
	u8 *p;

	device_start(2, 2, false);
	set_resources(0xfcfcfcfc);
	PROGRAM(1, 8, 0, TOY(TOY_MIX, 0), TOY(TOY_LOOP, 2000), TOY(TOY_END, 0));
	q = queue_make(1, 16, 1);
	map(&q, 1);
	dep = arena_ptr(1, DEP_VA);
	dep[0].value = 1;
	dep[1].value = 1;

	p = packet_new(&q);
	*(u64 *)(p + 8) = DEP_VA;
	*(u64 *)(p + 24) = DEP_VA + 64;
	*(u64 *)(p + 56) = SIGNAL(&q, 0);
	signal_of(&q, 0)->value = 1;
	header(p, 3, false);
	dispatch(&q, 1, 64, 1, false);
	ring(&q);
	run_for(3000);
	ok(read_index(&q) == 0 && !done(&q, 0) && !waves(&q), "barrier-AND waits, and all behind it");
	__atomic_store_n(&dep[0].value, 0, __ATOMIC_RELEASE);
	run_for(3000);
	ok(!done(&q, 0), "one of two signals is not enough");
	__atomic_store_n(&dep[1].value, 0, __ATOMIC_RELEASE);
	ok(run_until(done(&q, 0) && done(&q, 1), 1000), "both are, without a doorbell");

	dep[0].value = 1;
	dep[1].value = 1;
	p = packet_new(&q);
	*(u64 *)(p + 8) = DEP_VA;
	*(u64 *)(p + 40) = DEP_VA + 64;
	*(u64 *)(p + 56) = SIGNAL(&q, 2);
	signal_of(&q, 2)->value = 1;
	header(p, 5, false);
	ring(&q);
	run_for(2000);
	ok(!done(&q, 2), "barrier-OR waits");
	__atomic_store_n(&dep[1].value, 0, __ATOMIC_RELEASE);
	ok(run_until(done(&q, 2), 1000), "one signal satisfies it");

	p = packet_new(&q);			/* BARRIER_VALUE: (value & 0xff) >= 5 */
	p[2] = 2;
	*(u64 *)(p + 8) = DEP_VA;
	*(u64 *)(p + 16) = 5;
	*(u64 *)(p + 24) = 0xff;
	*(u32 *)(p + 32) = 3;
	*(u64 *)(p + 56) = SIGNAL(&q, 3);
	signal_of(&q, 3)->value = 1;
	dep[0].value = 0x104;
	header(p, 0, false);
	ring(&q);
	run_for(2000);
	ok(!done(&q, 3), "barrier-value waits");
	__atomic_store_n(&dep[0].value, 0x105, __ATOMIC_RELEASE);
	ok(run_until(done(&q, 3), 1000), "barrier-value met");

	dispatch(&q, 1, 64, 4, false);
	dispatch(&q, 1, 64, 5, true);
	ring(&q);
	ok(waves(&q) == 1 && log_count("dispatch-begin", NULL) == 2, "barrier bit holds back");
	ok(run_until(done(&q, 5), 1000) && done(&q, 4), "until the earlier one ended");
	dispatch(&q, 1, 64, 6, false);
	dispatch(&q, 1, 64, 7, false);
	ring(&q);
	ok(waves(&q) == 2, "without it dispatches overlap");
	device_stop();
}

static void test_ring(void)
{
	struct queue q;
	unsigned int i, round;
	bool good = true;
	u8 *p;

	device_start(2, 2, false);
	set_resources(0xfcfcfcfc);
	PROGRAM(1, 8, 0, TOY(TOY_MIX, 0), TOY(TOY_END, 0));
	q = queue_make(1, 16, 1);
	map(&q, 1);
	for (round = 0; round < 5; round++) {
		for (i = 0; i < 16; i++)
			dispatch(&q, 2, 64, i, i == 7);
		ring(&q);	/* write - read == size: full, not empty */
		good &= run_until(done(&q, 15) && read_index(&q) == (round + 1) * 16 &&
				  !waves(&q), 1000);
	}
	ok(good && log_count("dispatch-end", NULL) == 80, "a full ring, five times around");
	ok(!slot_of(&q)->reg[HQD(MQD_PQ_RPTR)] &&
	   slot_of(&q)->reg[HQD(MQD_PQ_WPTR_LO)] == 80 * 16, "HQD RPTR wraps, WPTR does not");

	p = dispatch_fill(&q, 1, 64, 0);	/* reserved: write index moved */
	ring(&q);
	run_for(2000);
	ok(read_index(&q) == 80 && !done(&q, 0), "INVALID header waits");
	header(p, 2, false);
	ring(&q);
	ok(run_until(done(&q, 0), 1000), "goes on at the doorbell");

	*(u64 *)at(&q, AMDQ(&q) + 0x38) = 3;
	ring(&q);
	run_for(1000);
	*(u64 *)at(&q, AMDQ(&q) + 0x38) = ~0ull >> 1;
	ring(&q);
	run_for(1000);
	ok(read_index(&q) == 81 && !ih_count(183), "nonsense in the write index is no work");
	*(u64 *)at(&q, AMDQ(&q) + 0x38) = q.write;
	dispatch(&q, 1, 64, 0, false);
	ring(&q);
	ok(run_until(done(&q, 0), 1000), "and does no harm");
	device_stop();
}

/* A ring of thousands of packets that are done at once leaves others their turn. */
static void test_long_ring(void)
{
	const unsigned int n = 1000;
	unsigned int i, taken;
	struct queue q;

	device_start(2, 2, false);
	set_resources(0xfcfcfcfc);
	q = queue_make(1, 1024, 1);
	map(&q, 1);
	for (i = 0; i < n; i++)
		header(packet_new(&q), 3, false);	/* barrier-AND of nothing */
	pthread_mutex_lock(&gpu.mec_lock);
	fake_mec_kicked();
	aql_run(slot_of(&q));
	machine_turn(&gpu);
	taken = read_index(&q);
	ok(taken && taken <= AQL_ROUND_PACKETS * TURN_ROUNDS && fake_mec_kicked(),
	   "a turn takes so many packets of a ring, and asks for another");
	pthread_mutex_unlock(&gpu.mec_lock);
	mec_kick(&gpu);
	turn();
	ok(read_index(&q) == n, "in the end all are taken");
	device_stop();
}

/**
 * struct spoil - @len bytes from @at of a good dispatch packet become @value
 * @code: what its queue must stop with
 */
struct spoil {
	const char *name;
	u8 at, len, value;
	s64 code;
};

static void malformed(const struct spoil *spoil)
{
	struct amd_signal *inactive;
	struct queue q, other;
	u8 *p;

	device_start(2, 2, false);
	set_resources(0xfcfcfcfc);
	PROGRAM(1, 8, 0, TOY(TOY_END, 0));
	toy_kernel(arena_ptr(1, KD_VA + 0x100), CODE_VA, 600, 0, 0);
	q = queue_make(1, 16, 1);
	other = queue_make(1, 16, 1);
	*(u64 *)at(&q, AMDQ(&q) + 0xc0) = DEP_VA;
	inactive = arena_ptr(1, DEP_VA);
	map((struct queue[]){ q, other }, 2);
	p = dispatch_fill(&q, 1, 64, 0);
	p[2] = 3;
	header(p, 2, false);
	memset(p + spoil->at, spoil->value, spoil->len);
	dispatch(&q, 1, 64, 1, false);
	ring(&q);
	run_for(1000);
	dispatch(&other, 1, 64, 2, false);
	ring(&other);
	ok(run_until(done(&other, 2), 1000) && !done(&q, 0) && !done(&q, 1) &&
	   inactive->value == spoil->code && log_count("error ", NULL) == 1 &&
	   ih_count(183) == (spoil->code != AQL_NO_SCRATCH), spoil->name);
	unmap_all();
	map((struct queue[]){ q, other }, 2);
	device_stop();
}

static void test_malformed(void)
{
	static const struct spoil spoils[] = {
		{ "agent dispatch", 0, 1, 4, AQL_BAD_PACKET },
		{ "unknown type", 0, 1, 0xfe, AQL_BAD_PACKET },
		{ "unknown vendor packet", 0, 1, 0, AQL_BAD_VENDOR },
		{ "no dimensions", 2, 1, 0, AQL_BAD_DIM },
		{ "empty grid", 12, 4, 0, AQL_BAD_DIM },
		{ "grid beyond 64 bits", 12, 12, 0xff, AQL_BAD_DIM },
		{ "workgroup too large", 5, 1, 0xff, AQL_BAD_GROUP_SIZE },
		{ "workgroup empty", 4, 2, 0, AQL_BAD_GROUP_SIZE },
		{ "too much LDS", 31, 1, 0x80, AQL_BAD_GROUP_SEGMENT },
		{ "no kernel descriptor", 34, 1, 0x1f, AQL_BAD_CODE },
		{ "descriptor not mapped", 32, 8, 0xff, AQL_BAD_CODE },
		{ "too many VGPRs", 33, 1, 1, AQL_BAD_REGISTERS },
		{ "no scratch", 25, 1, 1, AQL_NO_SCRATCH },
	};
	unsigned int i;

	for (i = 0; i < sizeof(spoils) / sizeof(spoils[0]); i++)
		malformed(&spoils[i]);
}

/* ROCr's way: the queue stops, the host gives scratch and clears the signal. */
/* struct wave_extra of cwsr.c, at the end of a wave's record */
#define WAVE_EXTRA		64
#define WAVE_EXTRA_SCRATCH	32

static void test_scratch(void)
{
	struct queue q;
	s32 *slot, saved;
	u8 *p;

	device_start(2, 2, false);
	set_resources(0xfcfcfcfc);
	PROGRAM(1, 8, 0, TOY(TOY_MIX, 0), TOY(TOY_WAIT, 0), TOY(TOY_END, 0));
	q = queue_make(1, 16, 1);
	*(u64 *)at(&q, AMDQ(&q) + 0xc0) = DEP_VA;
	map(&q, 1);
	p = dispatch_fill(&q, 16, 64, 0);
	*(u32 *)(p + 24) = 16;
	header(p, 2, false);
	ring(&q);
	while (!log_count("error ", NULL))
		turn();
	ok(slot_of(&q)->uq->poll_at, "asks for scratch, and for a turn to see whether it has it");
	run_for(1000);
	ok(*(s64 *)arena_ptr(1, DEP_VA + 8) == AQL_NO_SCRATCH && read_index(&q) == 0,
	   "and waits");
	*(u32 *)at(&q, AMDQ(&q) + 0x8c) = 6 | 1 << 12;	/* 6 waves of 1 KiB */
	*(u64 *)at(&q, AMDQ(&q) + 0xa0) = 0x80000;
	__atomic_store_n((s64 *)arena_ptr(1, DEP_VA + 8), 0, __ATOMIC_RELEASE);
	ok(run_until(waves(&q) == 6, 1000), "scratch slots bound the waves in flight");
	unmap_all();
	slot = at(&q, AREA(&q) + q.mqd[MQD_WG_STATE_OFFSET] - WAVE_EXTRA + WAVE_EXTRA_SCRATCH);
	saved = *slot;
	*slot = 6;
	map(&q, 1);
	ok(!waves(&q) && log_count("error", "restore=-22"), "a saved wave with another slot is refused");
	unmap_all();
	*slot = saved;
	map(&q, 1);
	ok(run_until(waves(&q) == 6, 1000), "and comes back once it is repaired");
	go_on(&q);
	ok(run_until(done(&q, 0), 2000), "all workgroups run");
	device_stop();
}

static void test_runlist(void)
{
	const u32 query[6] = { 2u << 30, 0, FENCE_VA, 0, 0x1234, 0x5678 };
	const u32 bad_op[1] = { 0 };
	unsigned int slots = 0, vmids = 0, i;
	struct queue q;
	struct hqd *h;
	u64 t0, t1;
	s64 r;

	device_start(2, 2, false);
	set_resources(0xfcfcfcfc);
	PROGRAM(1, 64, 256, TOY(TOY_MIX, 0), TOY(TOY_LOOP, 100000), TOY(TOY_END, 0));
	q = queue_make(1, 16, 1);
	for (i = 0; i < 40; i++) {
		map(&q, 1);
		h = slot_of(&q);
		slots |= 1u << (h->pipe * 8 + h->queue);
		vmids |= 1u << h->vmid;
		unmap_all();
	}
	ok(slots == 0xfcfcfcfc, "runlists use every slot in turn");
	ok(vmids == 0xfff8, "and every VMID");
	ok(!slot_of(&q) && !spi_wave_status(&gpu, 0) && !ih_vmid_pasid(&gpu, 3), "unmapped");

	map(&q, 1);
	h = slot_of(&q);
	dispatch(&q, 8, 64, 0, false);
	ring(&q);
	run_for(1000);
	q.mqd[MQD_ACTIVE] = 1;
	pthread_mutex_lock(&gpu.mec_lock);
	t0 = gpu_now();
	r = hws_sched.packet(&gpu, 0, PM4_UNMAP_QUEUES, (const u32[]){ 0x30 }, 1);
	ok(!r && h->active, "the slot stays until the preemption is over");
	t1 = t0 + cwsr_grace(&gpu.spi->partition[0]) + param.save_fixed_ns;
	ok(gpu_now() > t1 || hws_sched.packet(&gpu, 0, PM4_QUERY_STATUS, query, 6) == -EAGAIN,
	   "the fence waits");
	pthread_mutex_unlock(&gpu.mec_lock);
	hiq(PM4_QUERY_STATUS, query, 6);
	ok(gpu_now() >= t1 && !h->active &&
	   *(u64 *)arena_ptr(0, FENCE_VA) == 0x567800001234ull, "fence after the end");
	ok(!q.mqd[MQD_ACTIVE] && q.mqd[MQD_PQ_RPTR] == 16 && q.mqd[MQD_PQ_WPTR_LO] == 16 &&
	   q.mqd[MQD_CNTL_STACK_OFFSET] < STACK_BYTES &&
	   q.mqd[MQD_WG_STATE_OFFSET] == STACK_BYTES + 8 * (64 * 256 + 448 + 128 + 512 + 64),
	   "MQD written back");
	ok(hiq(PM4_MAP_QUEUES, bad_op, 1) == -EINVAL && hiq(PM4_RUN_LIST, bad_op, 1) == -EINVAL,
	   "malformed HIQ packets are refused");

	map(&q, 1);
	run_for(500);
	hiq(PM4_UNMAP_QUEUES, (const u32[]){ 1 << 4, q.pasid + 1 }, 2);
	ok(slot_of(&q), "unmap by another PASID leaves it");
	hiq(PM4_UNMAP_QUEUES, (const u32[]){ 1u << 29, (q.doorbell + 2) << 2 }, 2);
	ok(slot_of(&q), "unmap by another doorbell leaves it");
	hiq(PM4_UNMAP_QUEUES, (const u32[]){ 1u << 29, q.doorbell << 2 }, 2);
	ok(run_until(!slot_of(&q), 100), "unmap by doorbell");
	map(&q, 1);
	hiq(PM4_UNMAP_QUEUES, (const u32[]){ 1 << 4 | 1, q.pasid }, 2);
	ok(!slot_of(&q) && !gpu.spi->partition[0].queues, "reset by PASID");

	ib_start();
	ib_process(1);
	ib_queue(&q);
	*(u32 *)arena_ptr(0, IB_VA) = 0x12345678;
	ok(ib_run(8) == -EINVAL && !slot_of(&q), "garbage in the runlist is refused");
	ib_start();
	ib_queue(&q);
	ok(ib_run(8) == -EINVAL, "a queue without a process is refused");
	device_stop();
}

#define LOW_WGS 12
#define LOW_BYTES (LOW_WGS * 4 * 8)

/* A program with all that is to survive; its digest is taken at the end. */
static struct queue low_start(void)
{
	struct queue q;

	PROGRAM(1, 96, 2048, TOY(TOY_MIX, 0), TOY(TOY_MIX, 0), TOY(TOY_BARRIER, 0),
		TOY(TOY_MIX, 0), TOY(TOY_SLEEP, 50), TOY(TOY_LOOP, 120), TOY(TOY_END, 0));
	q = queue_make(1, 16, 0);
	map(&q, 1);
	dispatch(&q, LOW_WGS, 200, 0, false);
	ring(&q);
	return q;
}

/* Each wave-save line has a wave-resume or wave-restore line with the same pc and insns. */
static bool saves_match(void)
{
	char key[256], *copy = strdup(log_text()), *line, *save = NULL, *id, *pc, *insns;
	const char *rest;
	bool good = true;

	for (line = strtok_r(copy, "\n", &save); line && good; line = strtok_r(NULL, "\n", &save)) {
		if (!strstr(line, " wave-save "))
			continue;
		id = strstr(line, "queue=");
		pc = strstr(line, " pc=");
		insns = strstr(line, " insns=");
		*strchr(pc + 1, ' ') = 0;
		snprintf(key, sizeof(key), "%.*s ", (int)(pc - id), id);
		rest = strstr(log_text() + (line - copy), " wave-restore ");
		for (; rest; rest = strstr(rest + 1, " wave-restore "))
			if (!strncmp(strstr(rest, "queue="), key, strlen(key)))
				break;
		good = rest && !strncmp(strstr(rest, " pc="), pc, strlen(pc)) &&
		       !strncmp(strstr(rest, " insns="), insns, strlen(insns)) &&
		       strchr("\n", strstr(rest, " insns=")[strlen(insns)]);
	}
	free(copy);
	return good;
}

static void test_round_trip(bool at_fetch)
{
	bool exact = true, restored = true, match = true, once = true;
	unsigned int rounds = 0, saves = 0, behind = 0;
	u8 want[LOW_BYTES], got[LOW_BYTES];
	struct queue q;

	device_start(2, 2, at_fetch);
	set_resources(0xfcfcfcfc);
	q = low_start();
	run_until(done(&q, 0), 10000);
	memcpy(want, at(&q, OUT(&q)), sizeof(want));
	device_stop();

	/* As often as it takes: on a busy host few preemptions meet one run of it. */
	while ((rounds < 20 || saves < 500) && exact && rounds < 1000) {
		unsigned int saved, came_back;

		device_start(2, 2, at_fetch);
		set_resources(0xfcfcfcfc);
		q = low_start();
		do {
			unmap_all();
			rounds++;
			map(&q, 1);
			/* On a busy host it could leave again before its waves are back. */
			run_until(waves(&q) || done(&q, 0), 1000);
			run_for(300);
		} while (!done(&q, 0) && rounds < 1000);
		memcpy(got, at(&q, OUT(&q)), sizeof(got));
		saved = log_count("wave-save", NULL);
		saves += saved;
		behind += log_count("behind ", NULL);
		exact = done(&q, 0) && !memcmp(want, got, sizeof(got)) && want[0];
		came_back = log_count("wave-restore", NULL);
		if (came_back != saved)
			printf("# %u waves were saved, %u restored\n", saved, came_back);
		restored = restored && came_back == saved;
		match = match && saves_match();
		once = once && signal_of(&q, 0)->value == 0 && read_index(&q) == 1 &&
		       log_count("dispatch-begin", NULL) == 1 &&
		       log_count("dispatch-end", NULL) == 1;
		device_stop();
	}
	printf("# %u preemptions, %u waves saved, behind: %u\n", rounds, saves, behind);
	ok(exact && rounds >= 20 && saves >= 500, "exact result over many preemptions");
	ok(restored, "each wave saved was restored");
	ok(match, "each at the pc and instruction count it was saved with");
	ok(once, "completed once");
}

/* What lies in memory is what is restored: change it there. */
static void test_memory_is_truth(void)
{
	struct queue q;
	u32 *vgpr;

	device_start(2, 2, false);
	set_resources(0xfcfcfcfc);
	PROGRAM(1, 8, 0, TOY(TOY_WAIT, 0), TOY(TOY_END, 0));
	q = queue_make(1, 16, 0);
	map(&q, 1);
	dispatch(&q, 1, 64, 0, false);
	ring(&q);
	run_for(500);
	unmap_all();
	vgpr = at(&q, AREA(&q) + STACK_BYTES);
	vgpr[0] ^= 1;
	map(&q, 1);
	go_on(&q);
	ok(run_until(done(&q, 0), 1000), "runs on after the area was changed");
	{
		u64 changed = *(u64 *)at(&q, OUT(&q));

		go_on(&q);
		dispatch(&q, 1, 64, 1, false);
		ring(&q);
		run_until(done(&q, 1), 1000);
		ok(changed && changed != *(u64 *)at(&q, OUT(&q)),
		   "and the change shows: the state came from memory");
	}
	device_stop();
}

/* Dispatches without a wave are state too. */
static void test_waveless(void)
{
	struct queue q[2];

	device_start(2, 1, true);
	set_resources(0xfcfcfcfc);
	PROGRAM(1, 512, 0, TOY(TOY_WAIT, 0), TOY(TOY_END, 0));
	PROGRAM(2, 512, 0, TOY(TOY_MIX, 0), TOY(TOY_END, 0));
	q[0] = queue_make(1, 16, 2);
	q[1] = queue_make(2, 16, 0);
	map(q, 2);
	dispatch(&q[0], 8, 64, 0, false);
	ring(&q[0]);
	dispatch(&q[1], 3, 64, 0, false);
	ring(&q[1]);
	ok(read_index(&q[1]) == 1 && !waves(&q[1]), "fetched, nothing launched");
	unmap_all();
	ok(q[1].mqd[MQD_CNTL_STACK_OFFSET] < STACK_BYTES &&
	   q[1].mqd[MQD_WG_STATE_OFFSET] == STACK_BYTES, "control stack without wave state");
	memset(at(&q[1], RING(&q[1])), 0xee, 64);	/* the slot is the host's again */
	*(u16 *)at(&q[1], RING(&q[1])) = 1;
	map(&q[1], 1);
	ok(run_until(done(&q[1], 0), 1000), "launched after the next map");
	device_stop();
}

/* Preempted while workgroups wait for room: the packet behind the dispatch is next. */
static void test_launching(void)
{
	struct queue q;

	device_start(2, 1, false);
	set_resources(0xfcfcfcfc);
	PROGRAM(1, 512, 0, TOY(TOY_WAIT, 0), TOY(TOY_END, 0));
	q = queue_make(1, 16, 0);
	map(&q, 1);
	dispatch(&q, 12, 64, 0, false);
	dispatch(&q, 1, 64, 1, false);
	ring(&q);
	run_until(waves(&q) == 8, 1000);
	unmap_all();
	map(&q, 1);
	ok(run_until(waves(&q) == 8, 1000) && !read_index(&q), "saved with workgroups to launch");
	go_on(&q);
	ok(run_until(done(&q, 0) && done(&q, 1), 1000) && read_index(&q) == 2 &&
	   log_count("dispatch-begin", NULL) == 2, "they are launched, then the next packet's");
	device_stop();
}

static void test_damage(void)
{
	unsigned int i, n;
	struct queue q;

	srand(1);
	for (i = 0; i < 60; i++) {
		device_start(2, 2, i & 1);
		set_resources(0xfcfcfcfc);
		q = low_start();
		run_for(300);
		unmap_all();
		for (n = 0; n < 1u + i % 5; n++) {
			u8 *stack = arena_ptr(0, MQD_VA(q.mqd_slot) + 4096);
			u8 *end = at(&q, AREA(&q) + q.mqd[MQD_WG_STATE_OFFSET]);
			u32 offset = q.mqd[MQD_CNTL_STACK_OFFSET];

			/* A random offset may be out of everything. */
			if (offset > STACK_BYTES - 1 || !end)
				continue;
			if (i % 3)
				stack[offset + rand() % (STACK_BYTES - offset)] = rand();
			else
				end[-1 - rand() % 64] = rand();
			if (i % 7 == 0)
				q.mqd[MQD_WG_STATE_OFFSET] = rand();
			if (i % 11 == 0)
				q.mqd[MQD_CNTL_STACK_OFFSET] = rand() % 5000;
		}
		map(&q, 1);
		run_for(300);
		unmap_all();
		device_stop();
	}
	ok(true, "damaged save areas do no harm");
}

/* A queue whose save area will not do hangs the preemption, as on hardware. */
static void test_no_room(const char *name, u32 size, bool mapped)
{
	struct queue q[2];
	u64 t0;

	device_start(2, 2, false);
	set_resources(0xfcfcfcfc);
	PROGRAM(1, 64, 0, TOY(TOY_MIX, 0), TOY(TOY_LOOP, 100000), TOY(TOY_END, 0));
	PROGRAM(2, 64, 0, TOY(TOY_MIX, 0), TOY(TOY_LOOP, 100000), TOY(TOY_END, 0));
	q[0] = queue_make(1, 16, 0);
	q[1] = queue_make(2, 16, 0);
	q[0].mqd[MQD_CTX_SAVE_SIZE] = size;
	arena_map(1, AREA(&q[0]) + STACK_BYTES + 4096, mapped);
	map(q, 2);
	dispatch(&q[0], 2, 64, 0, false);
	ring(&q[0]);
	dispatch(&q[1], 2, 64, 0, false);
	ring(&q[1]);
	run_for(500);
	t0 = gpu_now();
	hiq(PM4_UNMAP_QUEUES, (const u32[]){ 0x30 }, 1);
	run_until(!gpu.hws->of[0].busy, 1000);
	ok(gpu_now() - t0 >= 200 * NS_PER_MS &&
	   ((u32 *)arena_ptr(0, HIQ_MQD_VA))[MQD_DOORBELL_ID0] == q[0].doorbell &&
	   slot_of(&q[0]) && waves(&q[0]) == 2 && !slot_of(&q[1]), name);
	pthread_mutex_lock(&gpu.mec_lock);
	{
		struct hqd *h = slot_of(&q[0]);

		slot_kill(&gpu, h);
	}
	pthread_mutex_unlock(&gpu.mec_lock);
	map(&q[1], 1);
	ok(slot_of(&q[1]) && run_until(waves(&q[1]) == 2, 100), "a reset frees the machine");
	device_stop();
}

static void test_drain(void)
{
	struct queue q;

	device_start(2, 2, false);
	set_resources(0xfcfcfcfc);
	PROGRAM(1, 64, 0, TOY(TOY_WAIT, 0), TOY(TOY_END, 0));
	q = queue_make(1, 16, 0);
	q.mqd[MQD_PERSISTENT_STATE] = 0;
	map(&q, 1);
	dispatch(&q, 2, 64, 0, false);
	dispatch(&q, 2, 64, 1, true);
	ring(&q);
	hiq(PM4_UNMAP_QUEUES, (const u32[]){ 0x30 }, 1);
	run_for(3000);
	ok(slot_of(&q) && !done(&q, 0), "without CWSR a queue leaves when its dispatch ended");
	go_on(&q);
	run_until(done(&q, 0), 1000);
	ok(!slot_of(&q) && !done(&q, 1), "in the same turn, not before, not later");
	map(&q, 1);
	ok(run_until(done(&q, 1), 1000), "and goes on after the next map");
	device_stop();
}

static void test_oversubscription(unsigned int n, u32 slots, unsigned int concurrent,
				  const char *name)
{
	struct queue q[30];
	unsigned int i, rotations;
	bool all = true;

	device_start(2, 2, false);
	set_resources(slots);
	for (i = 0; i < n; i++) {
		unsigned int process = 1 + i * 3 / n;

		PROGRAM(process, 32, 0, TOY(TOY_MIX, 0), TOY(TOY_LOOP, 400), TOY(TOY_END, 0));
		q[i] = queue_make(process, 16, 0);
		dispatch(&q[i], 4, 64, 0, false);
	}
	ib_start();
	for (i = 0; i < n; i++) {
		if (!i || q[i].process != q[i - 1].process)
			ib_process(q[i].process);
		ib_queue(&q[i]);
	}
	ib_chain();
	ib_run(concurrent);
	for (i = 0; i < n; i++)
		all &= run_until(done(&q[i], 0), 5000);
	rotations = log_count("preempt-end", NULL);
	ok(all && rotations >= 2, name);
	unmap_all();
	rotations = log_count("preempt-end", NULL);
	run_for(30000);
	ok(!gpu.spi->partition[0].queues && log_count("preempt-end", NULL) == rotations,
	   "an unmapped runlist rotates no more");
	device_stop();
}

static void test_priority(void)
{
	struct queue q[4];
	unsigned int i;
	const char *s;

	device_start(2, 1, false);
	set_resources(0xfcfcfcfc);
	for (i = 0; i < 4; i++) {
		PROGRAM(i + 1, 512, 0, TOY(TOY_WAIT, 0), TOY(TOY_END, 0));
		q[i] = queue_make(i + 1, 16, 0);
	}
	q[1].mqd[MQD_QUEUE_PRIORITY] = 1;
	q[2].mqd[MQD_QUEUE_PRIORITY] = 5;
	q[3].mqd[MQD_PIPE_PRIORITY] = 2;
	map(q, 4);
	dispatch(&q[0], 8, 64, 0, false);
	ring(&q[0]);
	for (i = 1; i < 4; i++) {
		go_on(&q[i]);
		dispatch(&q[i], 1, 64, 0, false);
		ring(&q[i]);
	}
	run_for(500);
	ok(waves(&q[0]) == 8 && !waves(&q[1]) && !waves(&q[2]) && !waves(&q[3]),
	   "running waves are not displaced");
	go_on(&q[0]);
	run_until(done(&q[1], 0) && done(&q[2], 0) && done(&q[3], 0), 1000);
	s = log_text();
	for (i = 0; i < 8; i++)
		s = strstr(s, " wave-start ") + 1;	/* LOW's eight */
	s = strstr(s, " wave-start ") + 1;
	ok(!strncmp(strstr(s, "queue="), "queue=0x1006", 12), "pipe priority first");
	s = strstr(s, " wave-start ") + 1;
	ok(!strncmp(strstr(s, "queue="), "queue=0x1004", 12), "then queue priority");
	device_stop();

	/*
	 * A high workgroup that needs a whole unit is not starved by small low ones, of
	 * which there are more than can end, however long a busy host stalls.
	 */
	device_start(2, 1, false);
	set_resources(0xfcfcfcfc);
	PROGRAM(1, 8, 0, TOY(TOY_MIX, 0), TOY(TOY_LOOP, 2000), TOY(TOY_END, 0));
	PROGRAM(2, 512, 0, TOY(TOY_MIX, 0), TOY(TOY_END, 0));
	q[0] = queue_make(1, 16, 0);
	q[1] = queue_make(2, 16, 2);
	map(q, 2);
	dispatch(&q[0], 1000000, 64, 0, false);
	ring(&q[0]);
	run_for(2000);
	dispatch(&q[1], 1, 256, 0, false);
	ring(&q[1]);
	ok(run_until(done(&q[1], 0), 2000) && !done(&q[0], 0), "room is kept for the higher pipe");
	device_stop();
}

static void test_cu_mask(void)
{
	struct queue q;

	device_start(2, 2, false);
	set_resources(0xfcfcfcfc);
	PROGRAM(1, 8, 0, TOY(TOY_WAIT, 0), TOY(TOY_END, 0));
	q = queue_make(1, 16, 0);
	q.mqd[MQD_SE0_MASK] = 0;
	q.mqd[MQD_SE1_MASK] = 2;
	map(&q, 1);
	dispatch(&q, 64, 64, 0, false);
	ring(&q);
	run_for(1000);
	ok(waves(&q) == 32 && log_count("wave-start", "engine=1 cu=1") == 32 &&
	   log_count("wave-start", NULL) == 32, "the CU mask holds; 32 waves fill a unit");
	device_stop();
}

static void test_faults(void)
{
	struct queue q[2];

	device_start(2, 2, false);
	set_resources(0xfcfcfcfc);
	PROGRAM(1, 8, 0, TOY(TOY_LOAD, 0xfff), TOY(TOY_END, 0));
	PROGRAM(2, 8, 0, TOY(0x77, 0), TOY(TOY_END, 0));
	q[0] = queue_make(1, 16, 0);
	q[1] = queue_make(2, 16, 0);
	arena_map(1, 0xfff000, false);
	map(q, 2);
	dispatch(&q[0], 1, 64, 0, false);
	ring(&q[0]);
	dispatch(&q[1], 1, 64, 0, false);
	ring(&q[1]);
	run_until(log_count("wave-halt", NULL) == 2, 1000);
	ok(waves(&q[0]) == 1 && log_count("wave-halt", "why=fault") == 1, "a fault halts the wave");
	ok(waves(&q[1]) == 1 && log_count("wave-halt", "why=illegal") == 1,
	   "an illegal instruction does");
	ok(ih_count(239) == 2 && (ih_last(239).data[0] >> 26 & 3) == 2, "both interrupt");
	unmap_all();
	arena_map(1, AMDQ(&q[0]), false);
	map(q, 2);
	run_for(500);
	ok(slot_of(&q[0]) && !done(&q[0], 0), "index page not mapped: the queue stops");
	unmap_all();
	arena_map(1, AMDQ(&q[0]), true);
	arena_map(1, 0xfff000, true);
	map(&q[0], 1);
	ok(run_until(done(&q[0], 0), 1000), "mapped again: it goes on, the wave too");
	map(&q[1], 1);
	run_for(1000);
	ok(waves(&q[1]) == 1 && log_count("wave-halt", "why=illegal") == 1,
	   "the other one stays halted");
	device_stop();
}

static void test_behind(void)
{
	struct queue q;

	device_start(2, 2, false);
	set_resources(0xfcfcfcfc);
	PROGRAM(1, 8, 0, TOY(TOY_STALL, 1000), TOY(TOY_LOOP, 60), TOY(TOY_END, 0));
	q = queue_make(1, 16, 0);
	map(&q, 1);
	dispatch(&q, 1, 64, 0, false);
	ring(&q);
	ok(run_until(done(&q, 0), 1000) && log_count("behind ", NULL),
	   "falling behind is reported");
	device_stop();
	ok(!log_count("machine-stop", "behind=0"), "and counted");
}

/* CPU time of the process while nothing runs: workers must sleep. */
static void test_idle(void)
{
	struct timespec a, b;
	struct queue q;
	s64 used_ns;

	device_start(2, 2, false);
	set_resources(0xfcfcfcfc);
	PROGRAM(1, 8, 0, TOY(TOY_SLEEP, 10000000), TOY(TOY_END, 0));
	q = queue_make(1, 16, 0);
	map(&q, 1);
	dispatch(&q, 64, 64, 0, false);
	ring(&q);
	run_until(waves(&q) == 64, 1000);
	run_for(2000);		/* the last one has to fall asleep */
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	usleep(200000);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	used_ns = (b.tv_sec - a.tv_sec) * 1000000000ll + b.tv_nsec - a.tv_nsec;
	printf("# %lld us of CPU in 200 ms\n", (long long)used_ns / 1000);
	ok(waves(&q) == 64 && used_ns < 2000000, "sleeping waves cost nothing");
	device_stop();
}

/* FLR while waves run and while a preemption is under way. */
static void test_reset(void)
{
	unsigned int i;

	for (i = 0; i < 20; i++) {
		device_start(2, 2, false);
		set_resources(0xfcfcfcfc);
		low_start();
		run_for(300);
		pthread_mutex_lock(&gpu.mec_lock);
		if (i & 1)
			hws_sched.packet(&gpu, 0, PM4_UNMAP_QUEUES, (const u32[]){ 0x30 }, 1);
		machine_reset(&gpu);
		pthread_mutex_unlock(&gpu.mec_lock);
		fake_mec_reset(&gpu);
		run_for(100);
		if (gpu.spi->partition[0].queues || spi_wave_status(&gpu, 0))
			break;
		device_stop();
	}
	ok(i == 20, "reset at any time");
}

int main(void)
{
	test_dispatch(false);
	test_dispatch(true);
	test_rptr(false);
	test_rptr(true);
	test_barriers();
	test_ring();
	test_long_ring();
	test_malformed();
	test_scratch();
	test_runlist();
	test_round_trip(false);
	test_round_trip(true);
	test_memory_is_truth();
	test_waveless();
	test_launching();
	test_damage();
	test_no_room("save area too small", STACK_BYTES + 8192, true);
	test_no_room("save area not mapped", AREA_BYTES, false);
	test_drain();
	test_oversubscription(30, 0xfcfcfcfc, 8, "more queues than slots: all get their turn");
	test_oversubscription(6, 0xfcfcfcfc, 1, "one process at a time: all get their turn");
	test_priority();
	test_cu_mask();
	test_faults();
	test_behind();
	test_idle();
	test_reset();
	return tap_done();
}
