// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of XNACK: waves whose accesses find no page wait for it, and make them
 * again. Real waves on the stand-ins of fake/shell.c, with the kernels of xnack.s.
 */
#define REAL_WAVES
#include "fake/machine.c"

#include "assemble.h"

#define IMAGE_VA	0x40000		/* of xnack.s; its kernels are at */
#define VECTOR		(IMAGE_VA + 0x0)
#define ATOMIC		(IMAGE_VA + 0x40)	/* VECTOR's first access */
#define SCALAR		(IMAGE_VA + 0x100)
#define TO_LDS		(IMAGE_VA + 0x200)
#define MISALIGNED	(IMAGE_VA + 0x300)
#define FETCH		(IMAGE_VA + 0xf00)
#define LAST		(IMAGE_VA + 0x1f00)

/* What VECTOR adds to and what it loads: two pages each, a lane has 128 bytes. */
#define COUNTERS(q)	(OUT(q) + 0x10000)
#define VALUES(q)	(OUT(q) + 0x14000)
#define PAGE		4096

static u8 image[0x2000];

/* A queue of which one wave is to execute @kernel. */
static struct queue prepare(u64 kernel)
{
	struct queue q;
	u8 *kd;

	device_start(2, 2, false);
	set_resources(0xfcfcfcfc);
	memcpy(arena_ptr(1, IMAGE_VA), image, sizeof(image));
	kd = arena_ptr(1, KD_VA);
	memset(kd, 0, 64);
	*(u64 *)(kd + 16) = kernel - KD_VA;
	*(u32 *)(kd + 44) = 3;			/* 16 VGPRs and 16 accumulation registers */
	*(u32 *)(kd + 48) = 3;
	*(u32 *)(kd + 52) = 2 << 1;
	kd[56] = 1 << 3;			/* the kernel argument's address in s[0:1] */
	q = queue_make(1, 16, 0);
	return q;
}

static void start(struct queue *q)
{
	u8 *p;

	map(q, 1);
	p = dispatch_fill(q, 1, 64, 0);
	*(u32 *)(p + 28) = LANES * 4;		/* LDS */
	header(p, 2, false);
	ring(q);
}

/* Until it asks for the page at @va. */
static bool waits(u64 va)
{
	char text[40];

	snprintf(text, sizeof(text), "va=0x%llx", (unsigned long long)va);
	return run_until(log_count("page-retry", text), 2000);
}

static u32 out(const struct queue *q, unsigned int i)
{
	return __atomic_load_n((u32 *)at(q, OUT(q)) + i, __ATOMIC_ACQUIRE);
}

static void fill_values(const struct queue *q)
{
	unsigned int l;

	for (l = 0; l < LANES; l++)
		*(u64 *)at(q, VALUES(q) + 128 * l) = l * 3 + ((u64)l * 5 << 32);
}

/* Is every counter @n? The second page is mapped, or is not looked at. */
static bool counted(const struct queue *q, u32 n, bool both)
{
	unsigned int l;

	for (l = 0; l < (both ? LANES : LANES / 2); l++)
		if (*(u32 *)at(q, COUNTERS(q) + 128 * l) != n)
			return false;
	return true;
}

static bool loaded(const struct queue *q)
{
	unsigned int l;

	for (l = 0; l < LANES; l++)
		if (out(q, l) || out(q, 64 + l) != l * 3 || out(q, 128 + l) != l * 5)
			return false;
	return true;
}

static void test_vector(void)
{
	struct queue q = prepare(VECTOR);
	unsigned int asked;
	u64 since;

	fill_values(&q);
	arena_map(1, COUNTERS(&q) + PAGE, false);
	arena_map(1, VALUES(&q) + PAGE, false);
	/* After a stall of the host what is late comes at once: count from the begin. */
	log_reset();
	since = gpu_now();
	start(&q);
	ok(waits(COUNTERS(&q) + PAGE) && counted(&q, 0, false),
	   "an atomic waits for the pages of all lanes");
	run_until(log_count("page-retry", NULL) >= 20, 5000);
	asked = log_count("page-retry", NULL);
	ok(asked >= 20 && asked <= (gpu_now() - since) / param.xnack_retry_ns + 1 && waves(&q) == 1 &&
	   counted(&q, 0, false) && !log_count("wave-halt", NULL),
	   "it is tried again, no more often than xnack_retry_ns says");
	arena_map(1, COUNTERS(&q) + PAGE, true);
	ok(waits(VALUES(&q) + PAGE) && counted(&q, 1, true), "then it is done once in each lane");
	arena_map(1, VALUES(&q) + PAGE, true);
	ok(run_until(done(&q, 0), 2000) && loaded(&q) && counted(&q, 1, true),
	   "a load that overwrites its address waits, too");
	device_stop();
}

static void test_scalar(void)
{
	struct queue q = prepare(SCALAR);

	*(u32 *)at(&q, OUT(&q) + 0x10ffc) = 0x9abcdef0;
	*(u32 *)at(&q, OUT(&q) + 0x11000) = 0x12345678;
	arena_map(1, OUT(&q) + 0x11000, false);
	start(&q);
	ok(waits(OUT(&q) + 0x11000) && waves(&q) == 1, "a scalar load waits");
	arena_map(1, OUT(&q) + 0x11000, true);
	ok(run_until(done(&q, 0), 2000) && out(&q, 0) == 0x9abcdef0 && out(&q, 1) == 0x12345678,
	   "that overwrites its address");
	device_stop();
}

static void test_lds(void)
{
	struct queue q = prepare(TO_LDS);
	unsigned int l;
	bool same = true;

	for (l = 0; l < LANES; l++)
		*(u32 *)at(&q, COUNTERS(&q) + 128 * l) = 7 * l;
	arena_map(1, COUNTERS(&q) + PAGE, false);
	start(&q);
	ok(waits(COUNTERS(&q) + PAGE), "a load to LDS waits");
	arena_map(1, COUNTERS(&q) + PAGE, true);
	ok(run_until(done(&q, 0), 2000), "and is made");
	for (l = 0; l < LANES; l++)
		same &= out(&q, l) == 7 * l;
	ok(same, "whole");
	device_stop();
}

static void test_fetch(void)
{
	struct queue q = prepare(FETCH);

	arena_map(1, IMAGE_VA + PAGE, false);
	start(&q);
	ok(waits(IMAGE_VA + PAGE) && !out(&q, 0), "the second half of an instruction");
	arena_map(1, IMAGE_VA + PAGE, true);
	ok(run_until(done(&q, 0), 2000) && out(&q, 0) == 0x12346, "is waited for");
	device_stop();
	q = prepare(FETCH);
	arena_map(1, IMAGE_VA, false);
	start(&q);
	ok(waits(IMAGE_VA), "the first instruction");
	arena_map(1, IMAGE_VA, true);
	ok(run_until(done(&q, 0), 2000) && out(&q, 0) == 0x12346, "likewise");
	device_stop();
	q = prepare(LAST);
	arena_map(1, IMAGE_VA + 2 * PAGE, false);
	start(&q);
	ok(run_until(done(&q, 0), 2000) && !log_count("page-retry", NULL),
	   "the page behind the last instruction is not wanted");
	device_stop();
}

static void test_misaligned(void)
{
	struct queue q = prepare(MISALIGNED);

	arena_map(1, OUT(&q) + 0x11000, false);
	start(&q);
	waits(OUT(&q) + 0x11000);
	arena_map(1, OUT(&q) + 0x11000, true);
	ok(run_until(log_count("wave-halt", "why=fault"), 2000),
	   "a misaligned atomic behind an access that waited is a fault");
	device_stop();
}

/* A preemption does not wait for the page. */
static void test_save(void)
{
	struct queue q = prepare(VECTOR);
	char pc[32];

	fill_values(&q);
	arena_map(1, COUNTERS(&q) + PAGE, false);
	start(&q);
	waits(COUNTERS(&q) + PAGE);
	unmap_all();
	snprintf(pc, sizeof(pc), "pc=%#x", ATOMIC);
	ok(log_count("wave-save", pc) == 1 && !log_count("preempt-fail", NULL),
	   "a wave that waits is saved, with its PC at the access");
	log_reset();
	map(&q, 1);
	ok(waits(COUNTERS(&q) + PAGE) && counted(&q, 0, false), "restored, it waits again");
	unmap_all();
	arena_map(1, COUNTERS(&q) + PAGE, true);
	run_for(5000);
	ok(counted(&q, 0, true), "away from the machine it does nothing");
	map(&q, 1);
	ok(run_until(done(&q, 0), 2000) && loaded(&q) && counted(&q, 1, true),
	   "and back it goes on, once");
	device_stop();
}

static void test_kill(void)
{
	struct queue q = prepare(VECTOR);

	arena_map(1, COUNTERS(&q) + PAGE, false);
	start(&q);
	waits(COUNTERS(&q) + PAGE);
	machine_kill_waves(&gpu, 0, ~0u, slot_of(&q)->vmid);
	ok(run_until(!waves(&q), 2000) && counted(&q, 0, false), "a wave that waits is killed");
	device_stop();
}

static void test_off(void)
{
	struct queue q = prepare(VECTOR);

	arena_map(1, COUNTERS(&q) + PAGE, false);
	xnack = false;
	start(&q);
	ok(run_until(log_count("wave-halt", "why=fault"), 2000) && !log_count("page-retry", NULL),
	   "without XNACK the wave is halted");
	device_stop();
}

int main(void)
{
	if (assemble("xnack.s", NULL, image, sizeof(image)) != sizeof(image)) {
		ok(false, "llvm-mc assembles xnack.s");
		return tap_done();
	}
	xnack = true;
	test_vector();
	test_scalar();
	test_lds();
	test_fetch();
	test_misaligned();
	test_save();
	test_kill();
	test_off();
	return tap_done();
}
