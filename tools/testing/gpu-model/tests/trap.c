// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of trap handlers: real waves on the stand-ins of fake/shell.c, with
 * the handlers and kernels of trap.s.
 *
 * TRAP_HANDLER=FILE takes another second level that halts waves and tells the
 * driver, in source: ROCr's trap_handler.s is to do the same as the one here.
 */
#define REAL_WAVES
#include "fake/machine.c"

#include "asic.h"
#include "assemble.h"

#define IMAGE_VA	0x40000		/* of trap.s; its programs are at */
#define FIRST		(IMAGE_VA + 0x0)
#define REPORT		(IMAGE_VA + 0x400)
#define COUNT		(IMAGE_VA + 0x1000)
#define LINGER		(IMAGE_VA + 0x1400)
#define ASTRAY		(IMAGE_VA + 0x1800)
#define BREAKPOINT	(IMAGE_VA + 0x2000)
#define ABORT		(IMAGE_VA + 0x2100)
#define TRAP_4		(IMAGE_VA + 0x2200)
#define ILLEGAL		(IMAGE_VA + 0x2300)
#define FAULT		(IMAGE_VA + 0x2400)
#define WATCHED		(IMAGE_VA + 0x2500)
#define STORE		(IMAGE_VA + 0x2600)

#define TMA_VA		0x50000		/* of the first level: what the driver keeps there */
#define TMA2_VA		0x51000		/* of the second */
#define NOT_MAPPED	0xfff000

#define TRAPSTS_OF(name)	(((u32 *)at(&q, TMA2_VA))[1] & TRAPSTS_##name)

static u8 image[0x3000];

/* A queue of which one wave executes @kernel, with a second-level handler or without. */
static struct queue start(u64 kernel, u64 second)
{
	u64 *tma;
	struct queue q;
	u8 *kd;

	device_start(2, 2, false);
	set_resources(0xfcfcfcfc);
	memcpy(arena_ptr(1, IMAGE_VA), image, sizeof(image));
	tma = arena_ptr(1, TMA_VA);
	tma[0] = second;
	tma[1] = TMA2_VA;
	tma[2] = 0;
	kd = arena_ptr(1, KD_VA);
	memset(kd, 0, 64);
	*(u64 *)(kd + 16) = kernel - KD_VA;
	*(u32 *)(kd + 44) = 1;			/* 8 VGPRs and 8 accumulation registers */
	*(u32 *)(kd + 48) = 1;
	*(u32 *)(kd + 52) = 2 << 1;
	kd[56] = 1 << 3;			/* the kernel argument's address in s[0:1] */
	arena_map(1, NOT_MAPPED, false);
	q = queue_make(1, 16, 0);
	map(&q, 1);
	dispatch(&q, 1, 1, 0, false);
	ring(&q);
	return q;
}

static void stop(void)
{
	device_stop();
	arena_map(1, NOT_MAPPED, true);
}

static u32 result(const struct queue *q)
{
	return __atomic_load_n((u32 *)at(q, OUT(q)), __ATOMIC_ACQUIRE);
}

/* Did the last interrupt tell of this queue and exception, as a trap handler does? */
static bool told(const struct queue *q, unsigned int code)
{
	struct ih_vector v = ih_last(239);
	u32 data = (v.data[0] & 0xfff) | (v.data[0] >> 16 & 0xf000) | (v.data[1] & 0xff) << 16;

	return v.pasid == q->pasid && (v.data[0] >> 26 & 3) == 1 && v.data[0] >> 13 & 1 &&
	       data == ((q->doorbell / 2 & 0x3ff) | 1u << (10 + code - 1));
}

/* As event_interrupt_wq_v9() takes them apart; EC_QUEUE_WAVE_* of kfd_ioctl.h. */
static void test_report(void)
{
	static const struct {
		const char *name;
		u64 kernel;
		unsigned int interrupts, code;
	} stops[] = {
		{ "s_trap 2: EC_QUEUE_WAVE_ABORT", ABORT, 1, 1 },
		{ "s_trap 4: EC_QUEUE_WAVE_TRAP", TRAP_4, 1, 2 },
		{ "illegal instruction: EC_QUEUE_WAVE_ILLEGAL_INSTRUCTION", ILLEGAL, 2, 4 },
		{ "page fault: EC_QUEUE_WAVE_MEMORY_VIOLATION", FAULT, 2, 5 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(stops) / sizeof(stops[0]); i++) {
		struct queue q = start(stops[i].kernel, REPORT);

		run_until(log_count("wave-halt", "why=handler"), 2000);
		ok(told(&q, stops[i].code) && ih_count(239) == stops[i].interrupts, stops[i].name);
		ok(waves(&q) == 1 && log_count("wave-trap", NULL) == 1, "and the handler halts it");
		unmap_all();
		map(&q, 1);
		run_for(2000);
		ok(waves(&q) == 1 && !done(&q, 0) && !log_count("wave-resume", NULL) &&
		   log_count("wave-save", NULL) == 1, "for good: saved and restored it stays so");
		stop();
	}
}

static void test_return(void)
{
	struct queue q = start(BREAKPOINT, REPORT);

	ok(run_until(done(&q, 0), 2000) && result(&q) == 5 && !ih_count(239),
	   "a breakpoint without a debugger: the wave goes on");
	stop();
	q = start(BREAKPOINT, COUNT);
	ok(run_until(done(&q, 0), 2000) && result(&q) == 5 && *(u32 *)at(&q, TMA2_VA) == 1,
	   "a handler that returns");
	ok(((u64 *)at(&q, TMA2_VA))[1] == ((BREAKPOINT + 4) | 3ull << 48),
	   "with the trap's PC and number");
	stop();
	traps.tba = 0;
	q = start(BREAKPOINT, COUNT);
	ok(run_until(done(&q, 0), 2000) && result(&q) == 5 && !log_count("wave-trap", NULL),
	   "no handler: s_trap does nothing");
	stop();
	q = start(ILLEGAL, COUNT);
	ok(run_until(log_count("wave-halt", "why=illegal"), 2000) && ih_count(239) == 1,
	   "an illegal instruction halts the wave");
	stop();
	traps.tba = FIRST;
}

/* The wave is in its handler when its queue is to go. */
static void test_preempt(void)
{
	struct queue q = start(BREAKPOINT, LINGER);

	run_until(log_count("wave-trap", NULL), 2000);
	unmap_all();
	ok(log_count("wave-save", "pc=0x42008") == 1, "a wave leaves its handler to be saved");
	map(&q, 1);
	ok(run_until(done(&q, 0), 2000) && result(&q) == 5, "and goes on behind the trap");
	stop();
}

static void test_astray(void)
{
	struct queue q = start(BREAKPOINT, ASTRAY);

	run_until(log_count("wave-trap", NULL), 2000);
	unmap_all();
	ok(log_count("preempt-fail", NULL) == 1,
	   "a handler without end: the queue cannot be saved");
	stop();
	q = start(BREAKPOINT, NOT_MAPPED);
	ok(run_until(log_count("wave-halt", "why=fault"), 2000) && waves(&q) == 1,
	   "a handler that faults halts the wave");
	unmap_all();
	ok(log_count("preempt-fail", NULL) == 1, "nor can that be saved");
	stop();
}

/* What faults is tried again: an instruction traps when it is done, and once. */
static void test_retry(void)
{
	struct queue q;

	xnack = true;
	traps.debug = 3 << 1;
	q = start(FAULT, COUNT);
	ok(run_until(log_count("page-retry", NULL) > 3, 2000) && *(u32 *)at(&q, TMA2_VA) == 1,
	   "single step: no trap while an access waits for its page");
	arena_map(1, NOT_MAPPED, true);
	ok(run_until(done(&q, 0), 2000) && *(u32 *)at(&q, TMA2_VA) == 2, "one when it is made");
	stop();
	traps.debug = 0;
	q = start(BREAKPOINT, NOT_MAPPED);
	run_until(log_count("page-retry", NULL), 2000);
	unmap_all();
	ok(log_count("preempt-fail", NULL) == 1,
	   "a handler that waits for a page: the queue cannot be saved");
	stop();
	xnack = false;
}

static void test_watch(void)
{
	static const struct {
		const char *name;
		enum watch_mode mode;
		unsigned int hits;
	} modes[] = {
		{ "reads", WATCH_READ, 1 }, { "other accesses", WATCH_NONREAD, 2 },
		{ "atomics", WATCH_ATOMIC, 1 }, { "all", WATCH_ALL, 3 },
	};
	char name[64];
	unsigned int i;
	struct queue q;

	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		traps.watch[0] = 1u << 31 | (u32)modes[i].mode << 29 | 0xffffff;
		traps.debug = 0x80 << 4;		/* EXCP_EN: address watch */
		fake_set_watch(QUEUE_VA(0) + 0x20000 + 64);
		q = start(WATCHED, COUNT);
		snprintf(name, sizeof(name), "watch point: %s", modes[i].name);
		ok(run_until(done(&q, 0), 2000) && result(&q) == 5 &&
		   *(u32 *)at(&q, TMA2_VA) == modes[i].hits && TRAPSTS_OF(WATCH0), name);
		stop();
	}
	traps.debug = 0;
	q = start(WATCHED, COUNT);
	ok(run_until(done(&q, 0), 2000) && !*(u32 *)at(&q, TMA2_VA), "not enabled: no trap");
	stop();
	traps.watch[0] &= ~(1u << 31);
	traps.debug = 0x80 << 4;
	q = start(WATCHED, COUNT);
	ok(run_until(done(&q, 0), 2000) && !*(u32 *)at(&q, TMA2_VA), "not valid: no trap");
	stop();
	traps.watch[0] = 0;
	traps.debug = 0;
}

static void test_watch_size(void)
{
	const struct trap_setup setup = { .watch = { 1u << 31 | 0xffffff } };
	struct user_queue mi210 = { .g = &gpu }, mi300x = { .g = &gpu };

	trap_attach(&mi210, &setup);
	gpu.cfg.asic = ASIC_MI300X;
	trap_attach(&mi300x, &setup);
	gpu.cfg.asic = ASIC_MI210;
	ok(mi210.mem.watch[0].mask == ~63ull && mi300x.mem.watch[0].mask == ~127ull,
	   "a watch point is of 64 bytes, on an MI300X of 128");	/* kfd_topology.h */
}

/* How a debugger has waves begin: SPI_GDBG_PER_VMID_CNTL.LAUNCH_MODE. */
static void test_launch(void)
{
	struct queue q;

	traps.debug = 3 << 1;
	q = start(STORE, COUNT);
	ok(run_until(done(&q, 0), 2000) && result(&q) == 5 && *(u32 *)at(&q, TMA2_VA) == 3,
	   "single step: a trap after each instruction");
	ok(((u32 *)at(&q, TMA2_VA))[2] == STORE + 16 &&
	   ((u32 *)at(&q, TMA2_VA))[4] == 0 && ((u32 *)at(&q, TMA2_VA))[7] == 0,
	   "each with the PC of the next, workgroup and wave");
	stop();
	traps.debug = 1 << 1;
	q = start(STORE, COUNT);
	run_for(3000);
	ok(waves(&q) == 1 && !done(&q, 0) && !result(&q), "launched halted");
	traps.debug = 0;
	stop();
}

int main(void)
{
	if (assemble("trap.s", getenv("TRAP_HANDLER"), image, sizeof(image)) < STORE - IMAGE_VA) {
		ok(false, "llvm-mc assembles trap.s");
		return tap_done();
	}
	traps = (struct trap_setup){ .tba = FIRST, .tma = TMA_VA };
	test_report();
	test_return();
	test_preempt();
	test_astray();
	test_retry();
	test_watch();
	test_watch_size();
	test_launch();
	return tap_done();
}
