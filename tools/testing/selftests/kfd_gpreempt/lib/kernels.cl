// SPDX-License-Identifier: GPL-2.0
/*
 * Kernels of the tests, for clang's OpenCL C without its
 * library: everything comes from compiler built-ins.
 */
#include "low_work.h"

#define ITEM	__builtin_amdgcn_workitem_id_x()
#define GROUP	__builtin_amdgcn_workgroup_id_x()

/* What counts on while a wave is preempted: another clock on gfx11, which is no slower here. */
#ifdef __gfx1100__
#define CLOCK()	({ ulong t_; \
	__asm__ volatile("s_sendmsg_rtn_b64 %0, sendmsg(MSG_RTN_GET_REALTIME)\n" \
			 "s_waitcnt lgkmcnt(0)" : "=s"(t_)); t_; })
#else
#define CLOCK()	__builtin_amdgcn_s_memtime()
#endif

static inline void group_barrier(void)
{
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
	__builtin_amdgcn_s_barrier();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

/* out[i] = value + i */
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void store(global uint *out, uint value)
{
	uint i = GROUP * 64 + ITEM;

	out[i] = value + i;
}

/* Rings a doorbell, as a GPU that submits work does. */
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void ring(global ulong *doorbell, ulong n)
{
	if (!ITEM)
		__opencl_atomic_store((global volatile atomic_ulong *)doorbell, n,
				      memory_order_release, memory_scope_all_svm_devices);
}

/* The GPU's clock: it counts on while a wave is preempted. */
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void read_clock(global ulong *out)
{
	if (!ITEM)
		out[GROUP] = CLOCK();
}

/* HIGH: stays on its compute unit for @ticks of the GPU's clock. */
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void high(global uint *done, ulong ticks)
{
	ulong start = CLOCK();

	while (CLOCK() - start < ticks)
		__builtin_amdgcn_s_sleep(1);
	if (!ITEM)
		done[GROUP]++;
}

/*
 * Work in steps of some instructions each: shorter than LOW can be, and unlike
 * HIGH it does not go on while it is preempted.
 */
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void steps(global uint *done, ulong n)
{
	for (uint i = 0; i < (uint)n; i++)
		__asm__ volatile("s_nop 0" ::: "memory");
	if (!ITEM)
		done[GROUP]++;
}

/*
 * Runs until the host sets *stop: a queue that never ends by itself. Counts its
 * rounds as it goes.
 */
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void until(global volatile uint *stop, global uint *rounds)
{
	uint n = 0;

	do {
		n++;
		if (!ITEM)
			__opencl_atomic_store((global volatile atomic_uint *)&rounds[GROUP], n,
					      memory_order_relaxed, memory_scope_all_svm_devices);
		__builtin_amdgcn_s_sleep(4);
	} while (!__opencl_atomic_load((global volatile atomic_uint *)stop,
				       memory_order_relaxed, memory_scope_all_svm_devices));
}

/* Each workgroup arrives, and spins in its waves until @all have. */
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void meet(global volatile uint *arrived, uint all)
{
	global volatile atomic_uint *count = (global volatile atomic_uint *)arrived;

	if (!ITEM)
		__opencl_atomic_fetch_add(count, 1, memory_order_relaxed,
					  memory_scope_all_svm_devices);
	while (__opencl_atomic_load(count, memory_order_relaxed,
				    memory_scope_all_svm_devices) < all)
		__builtin_amdgcn_s_sleep(4);
}

/* Global wave sync's first resource: a barrier of so many waves, and one. */
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void agree_init(uint others)
{
	__builtin_amdgcn_ds_gws_init(others, 0);
}

/*
 * Cooperative: in each round a workgroup adds its neighbour's word of the round before to its
 * own, and waits at a barrier of all. Such kernels are launched as one, and all have to be on
 * the machine. The first workgroup takes @ticks a round, so that the others are at the barrier.
 */
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void agree(global uint *words, uint rounds, uint groups, ulong ticks)
{
	global atomic_uint *word = (global atomic_uint *)words;
	uint from = 0, to = groups, i, x;
	ulong start;

	for (i = 0; i < rounds; i++) {
		start = CLOCK();
		while (!GROUP && CLOCK() - start < ticks)
			__builtin_amdgcn_s_sleep(1);
		x = __opencl_atomic_load(&word[from + GROUP], memory_order_relaxed,
					 memory_scope_device);
		x += __opencl_atomic_load(&word[from + (GROUP + 1) % groups], memory_order_relaxed,
					  memory_scope_device);
		__opencl_atomic_store(&word[to + GROUP], x, memory_order_relaxed,
				      memory_scope_device);
		__builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
		__builtin_amdgcn_ds_gws_barrier(groups - 1, 0);
		__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
		from = groups - from;
		to = groups - to;
	}
}

/* out[i * stride] = value + i: over more memory than there are work-items for. */
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void scatter(global uint *out, uint value, uint stride)
{
	ulong i = GROUP * 64 + ITEM;

	out[i * stride] = value + i;
}

/*
 * An accumulation register is written and read by its own instructions only. Where
 * there are none it is one more vector register, of which the compiler knows as little.
 */
#if defined(__gfx900__) || defined(__gfx1100__)
#define ACC_GET(a)	({ uint v_; \
	__asm__ volatile("v_mov_b32 %0, %1" : "=v"(v_) : "v"(a)); v_; })
#define ACC_SET(a, v) \
	__asm__ volatile("v_mov_b32 %0, %1" : "=v"(a) : "v"(v))
#else
#define ACC_GET(a)	({ uint v_; \
	__asm__ volatile("v_accvgpr_read_b32 %0, %1" : "=v"(v_) : "a"(a)); v_; })
#define ACC_SET(a, v) \
	__asm__ volatile("v_accvgpr_write_b32 %0, %1" : "=a"(a) : "v"(v))
#endif

/*
 * Holds a value of each work-item in a vector register, in an accumulation
 * register and in LDS until the host sets *stop, then writes all three to out[].
 * beats[] counts each workgroup's rounds meanwhile.
 */
kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void hold(global volatile uint *stop, global uint *out, global volatile uint *beats, uint tag)
{
	local uint lds[128];
	uint i = GROUP * 128 + ITEM, x = tag + i, acc;

	lds[ITEM] = ~x;
	ACC_SET(acc, x ^ 0xacc);
	group_barrier();
	do {
		__builtin_amdgcn_s_sleep(4);
		__asm__ volatile("" : "+v"(x));
		if (!ITEM)
			beats[GROUP]++;
	} while (!__opencl_atomic_load((global volatile atomic_uint *)stop,
				       memory_order_relaxed, memory_scope_all_svm_devices));
	out[3 * i] = x;
	out[3 * i + 1] = ACC_GET(acc);
	out[3 * i + 2] = lds[ITEM];
}

/* One bank: @b is a constant, so that every index is one too. */
#define BANK(b) \
	case b: \
		_Pragma("unroll") \
		for (uint i = 0; i < LOW_BANK_REGS; i++) { \
			x = low_mix(x, r[b * LOW_BANK_REGS + i]); \
			r[b * LOW_BANK_REGS + i] = x; \
		} \
		x = low_mix(ACC_GET(acc[b]), x); \
		ACC_SET(acc[b], x); \
		break;

/*
 * LOW: see low_work.h. out[] gets one word a work-item, count[] the iterations
 * each work-item went through. @cases: BANK() of each of the @banks.
 */
#define LOW_KERNEL(name, waves, banks, lds_words, cases)					\
kernel __attribute__((reqd_work_group_size(LOW_GROUP, 1, 1)))					\
__attribute__((amdgpu_waves_per_eu(waves, waves)))						\
void name(global uint *out, global uint *count, uint iterations, uint first_group)		\
{												\
	local uint lds[lds_words];								\
	uint group = first_group + GROUP, item = ITEM;						\
	uint scratch[LOW_PRIVATE];								\
	uint r[(banks) * LOW_BANK_REGS], acc[banks];						\
	uint x = low_start(group, item);							\
	uint n, done = 0;									\
												\
	_Pragma("unroll")									\
	for (uint i = 0; i < (banks) * LOW_BANK_REGS; i++)					\
		r[i] = low_seed(x, i + 1);							\
	_Pragma("unroll")									\
	for (uint i = 0; i < (banks); i++)							\
		ACC_SET(acc[i], low_seed(x, i + 1001));						\
	for (uint i = 0; i < LOW_PRIVATE; i++)							\
		((private volatile uint *)scratch)[i] = i;					\
												\
	for (n = 0; n < iterations; n++) {							\
		switch (n & ((banks) - 1)) {							\
		cases										\
		}										\
		lds[item] = x;									\
		group_barrier();								\
		x = low_mix(x, lds[low_partner(item, n)]);					\
		group_barrier();								\
		if (x & 1)									\
			x = low_odd(x);								\
		else										\
			x = low_even(x);							\
		{										\
			private volatile uint *s = &scratch[x >> 9 & (LOW_PRIVATE - 1)];	\
												\
			x += *s;								\
			*s = x;									\
		}										\
		done++;										\
	}											\
												\
	_Pragma("unroll")									\
	for (uint i = 0; i < (banks) * LOW_BANK_REGS; i++)					\
		x = low_fold(x, r[i]);								\
	_Pragma("unroll")									\
	for (uint i = 0; i < (banks); i++)							\
		x = low_fold(x, ACC_GET(acc[i]));						\
	for (uint i = 0; i < LOW_PRIVATE; i++)							\
		x = low_fold(x, ((private volatile uint *)scratch)[i]);				\
	out[GROUP * LOW_GROUP + item] = x;							\
	count[GROUP * LOW_GROUP + item] = done;							\
}

LOW_KERNEL(low, 1, LOW_BANKS, LOW_LDS_WORDS,
	   BANK(0) BANK(1) BANK(2) BANK(3) BANK(4) BANK(5) BANK(6) BANK(7)
	   BANK(8) BANK(9) BANK(10) BANK(11) BANK(12) BANK(13) BANK(14) BANK(15))
LOW_KERNEL(low_full, 8, LOW_FULL_BANKS, LOW_FULL_LDS_WORDS, BANK(0) BANK(1) BANK(2) BANK(3))

/* Ends in an exception: llvm.trap is s_trap 2. */
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void abort_wave(void)
{
	__builtin_trap();
}

/* IB_STS, as the driver's trap handler left it. */
#ifdef __gfx940__
#define TTMP_IB_STS "ttmp13"
#else
#define TTMP_IB_STS "ttmp11"
#endif

#ifndef __gfx1100__
/*
 * No kernel: a second-level trap handler, as an exception's queue wants it. Tells
 * the driver the queue's doorbell and the exception (EC_QUEUE_WAVE_*), and halts
 * the wave.
 */
kernel void trap_handler(void)
{
	__asm__ volatile(
		/* TTMP3: the doorbell's number, which comes in EXEC */
		"s_mov_b64 ttmp[4:5], exec\n"
		"s_mov_b32 exec_lo, 0x80000000\n"
		"s_sendmsg 10\n"
		"0: s_nop 7\n"
		"s_bitcmp0_b32 exec_lo, 31\n"
		"s_cbranch_scc0 0b\n"
		"s_and_b32 ttmp3, exec_lo, 0x3ff\n"
		"s_mov_b64 exec, ttmp[4:5]\n"
		/* and the exception, by TRAPSTS or by s_trap's number in TTMP1 */
		"s_getreg_b32 ttmp2, hwreg(HW_REG_TRAPSTS)\n"
		"s_bitcmp1_b32 ttmp2, 8\n"
		"s_cbranch_scc0 1f\n"
		"s_bitset1_b32 ttmp3, 10 + 4\n"
		"1: s_bitcmp1_b32 ttmp2, 11\n"
		"s_cbranch_scc0 2f\n"
		"s_bitset1_b32 ttmp3, 10 + 3\n"
		"2: s_bfe_u32 ttmp2, ttmp1, 16 | 8 << 16\n"
		"s_cmp_eq_u32 ttmp2, 2\n"
		"s_cbranch_scc0 3f\n"
		"s_bitset1_b32 ttmp3, 10 + 0\n"
		"3: s_mov_b32 ttmp2, m0\n"
		"s_mov_b32 m0, ttmp3\n"
		"s_nop 0\n"
		"s_sendmsg sendmsg(MSG_INTERRUPT)\n"
		"s_waitcnt lgkmcnt(0)\n"
		"s_mov_b32 m0, ttmp2\n"
		"s_bitset1_b32 ttmp12, 13\n"
		"s_lshr_b32 ttmp2, " TTMP_IB_STS ", 11\n"
		"s_and_b32 ttmp2, ttmp2, 0x1f8000\n"
		"s_setreg_b32 hwreg(HW_REG_IB_STS), ttmp2\n"
		"s_and_b64 exec, exec, exec\n"
		"s_and_b64 vcc, vcc, vcc\n"
		"s_setreg_b32 hwreg(HW_REG_STATUS), ttmp12\n"
		"s_and_b32 ttmp1, ttmp1, 0xffff\n"
		"s_rfe_b64 ttmp[0:1]\n");
}
#endif

/* An instruction that does not exist (SOPP 127). */
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void illegal(void)
{
	__asm__ volatile(".long 0xbfff0000");
}
