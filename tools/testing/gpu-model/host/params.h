/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sizes of the modelled compute side, what the model does for its own sake, and its
 * costs (params.def), each with its source. Change them there and nowhere else.
 */
#ifndef GPU_MODEL_PARAMS_H
#define GPU_MODEL_PARAMS_H

#include "gpu.h"

/**
 * struct params - what things cost; constant once the device has started
 */
struct params {
#define PARAM(name, value, unit, low, high, kind, text) u64 name;
#include "host/params.def"
#undef PARAM
};

extern struct params param;

/* Room for what is wrong with a parameter. */
#define PARAM_ERROR	160

/* NAME=VALUE. False, and @error says why: no such name, no number, out of range. */
bool param_set(const char *text, char error[PARAM_ERROR]);

/* All of them, "NAME DEFAULT UNIT LOW HIGH KIND TEXT" a line, to stdout. */
void params_print(void);

/* To the event log: those that are not at their default. */
void params_log(void);

#define NS_PER_US	((u64)1000)
#define NS_PER_MS	((u64)1000000)

/* The most that a GPU has; what each has is in asic/. */
#define CU_SIMDS		4
#define SIMD_WAVES		16
#define CU_WAVES_MAX		32	/* of a unit: 4 SIMDs of 8, or 2 of 16 */
#define WG_ITEMS_MAX		1024
#define WG_WAVES_MAX		32	/* of 32 lanes */
#define ENGINES_MAX		8	/* of an XCC */
#define XCCS_MAX		8	/* MI300X (AMD CDNA 3 white paper) */
#define ALL_ENGINES_MAX		(XCCS_MAX * ENGINES_MAX)
#define ENGINE_CUS_MAX		16	/* bits of INACTIVE_CUS of CC_GC_SHADER_ARRAY_CONFIG */
#define ALL_CUS_MAX		(ALL_ENGINES_MAX * ENGINE_CUS_MAX)

/*
 * In real time a worker with waves that can issue is run this often: with every
 * instruction, as in virtual time, a thread would do little else than wake up.
 */
#define THREAD_SLICE_NS		(100 * NS_PER_US)

/*
 * SIMDs that began at about the same time go on in step, as one turn of a worker for all
 * costs the host less: a SIMD's first instruction ends at the nearest multiple of this.
 */
#define BEAT_NS			NS_PER_US

/* Instructions executed under one hold of cu.lock (some 10 us of host time). */
#define SLICE_INSNS		96

/* A compute unit this late "fell behind": logged, its backlog dropped. */
#define BEHIND_NS		(10 * NS_PER_MS)

/* Workgroups launched under one hold of mec_lock (some 20 us each). */
#define LAUNCH_BATCH		4

/*
 * process_quantum of MAP_PROCESS (amdkfd sends 10). Its unit is not documented;
 * milliseconds here, as CP_HQD_QUANTUM's.
 */
#define PROCESS_QUANTUM_NS	NS_PER_MS

/*
 * After a shorter sleep a CPU goes on at once: C6 of both CPUs is not worth it for less
 * (target_residency in intel_idle). Linux guesses how long a sleep will be; this goes by how
 * long it was.
 */
#define CPU_SLEEP_NS		(600 * NS_PER_US)

/* unmap_latency of SET_RESOURCES counts 100 ms (kfd_packet_manager_v9.c). */
#define UNMAP_LATENCY_NS	(100 * NS_PER_MS)

/*
 * A barrier packet that waits for a signal which the host may write is looked
 * at again after the first interval, then at growing ones up to the second:
 * the doorbell is no help, the host rings none. Signals that the device itself
 * completes are seen at once.
 */
#define BARRIER_POLL_NS		(50 * NS_PER_US)
#define BARRIER_POLL_MAX_NS	(500 * NS_PER_US)

/*
 * The socket thread looks this long for the next message before it sleeps: the
 * driver's accesses come in runs. A trapped read is 12 us when the host's cores
 * are hot and 85 us when they have to be woken; the look must outlast what
 * QEMU's own threads take to hand an answer on, 25 to 60 us (all measured with
 * TCG). Idle costs nothing: the look ends after the last access.
 */
#define SOCKET_SPIN_NS		(100 * NS_PER_US)

/*
 * WAIT_REG_MEM and POLL_REGMEM on memory look again after the first distance,
 * doubled up to the second. The hardware polls every few clocks; a host process
 * cannot, and the wait itself must not load the machine. Own choice.
 */
#define POLL_MIN_NS		(20 * NS_PER_US)
#define POLL_MAX_NS		NS_PER_MS

/*
 * Packets a PM4 queue may take in a turn, and an AQL queue in each round of one, so
 * that no ring, however long, holds up the others and the driver's registers.
 */
#define PM4_TURN_PACKETS	64
#define PM4_TURN_NS		(2 * NS_PER_US)
#define SDMA_TURN_NS		(2 * NS_PER_US)
#define AQL_ROUND_PACKETS	64
#define TURN_ROUNDS		4

/*
 * Pages that retry faults may be out for. IH_RETRY_INT_CAM_CNTL.CAM_SIZE has 5 bits,
 * of a unit that is not documented: chosen.
 */
#define RETRY_CAM_ENTRIES	64

/* Timestamps: the 100 MHz reference clock (amdgpu_asic_get_xclk() of MI200). */
#define GPU_CLOCK_NS		10

/*
 * Clocks that waves can read. s_memrealtime counts the reference clock, 100 MHz
 * on MI200 (amdgpu: aldebaran, soc15_get_xclk); s_memtime the shader clock,
 * peak 1700 MHz (AMD Instinct MI210 data sheet). Both run on while a wave is
 * preempted.
 */
#define REFCLK_MHZ		100
#define SHADER_CLK_MHZ		1700

/* s_sleep counts in units of 64 shader clocks ("MI200 ISA", S_SLEEP). */
#define SLEEP_UNIT_CLKS		64

#endif
