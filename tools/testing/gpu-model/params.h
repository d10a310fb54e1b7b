/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sizes and costs of the modelled compute side, each with its source. Change
 * them here and nowhere else.
 */
#ifndef GPU_MODEL_PARAMS_H
#define GPU_MODEL_PARAMS_H

#define NS_PER_US	((u64)1000)
#define NS_PER_MS	((u64)1000000)

/*
 * One compute unit of gfx90a. Source: LLVM, AMDGPUBaseInfo.cpp (waves, VGPR,
 * SGPR and LDS granules) and "MI200 ISA" section 3.
 */
#define CU_SIMDS		4
#define SIMD_WAVES		8
#define SIMD_VGPRS		512
#define VGPR_GRANULE		8
#define SIMD_SGPRS		800
#define SGPR_GRANULE		16
#define CU_LDS_BYTES		(64 * 1024)
#define LDS_GRANULE		512
#define CU_BARRIERS		16	/* workgroups of more than one wave */
#define WG_WAVES_MAX		16	/* 1024 work-items */
#define ENGINES_MAX		8	/* of an XCC */
#define XCCS_MAX		8	/* MI300X (AMD CDNA 3 white paper) */
#define ALL_ENGINES_MAX		(XCCS_MAX * ENGINES_MAX)

/*
 * What the CPU waits for an access to a register or doorbell over PCIe, and an
 * interrupt needs from the device to its handler.
 */
#define MMIO_READ_NS		900
#define MMIO_WRITE_NS		200
#define INTERRUPT_NS		1000

/*
 * Instruction rate: one wave instruction each ISSUE_NS on each SIMD. Real
 * SIMDs are some thousand times faster. Chosen so that the default machine
 * (16 SIMDs, all busy with the demo's LOW) costs well below half a core: about
 * 105 ns of host time an instruction were measured on a 2.6 GHz server core.
 */
#define ISSUE_NS		(6 * NS_PER_US)

/*
 * A worker with waves that can issue is run this often: every instruction in virtual
 * time; a thread would do little else than wake up.
 */
#define SLICE_NS		ISSUE_NS
#define THREAD_SLICE_NS		(100 * NS_PER_US)

/* Instructions executed under one hold of cu.lock (some 10 us of host time). */
#define SLICE_INSNS		96

/* A compute unit this late "fell behind": logged, its backlog dropped. */
#define BEHIND_NS		(10 * NS_PER_MS)

/* Workgroups launched under one hold of mec_lock (some 20 us each). */
#define LAUNCH_BATCH		4

/*
 * Preemption. Bandwidth: MI210 moves 1.6 TB/s (AMD data sheet) and has 104
 * compute units, so a small machine gets 15.4 bytes/ns for each of its own and
 * a full save takes as long as on a full-size one. Fixed part: nothing is
 * published for AMD; GPreempt (USENIX ATC '25, section 3.1) reports 40 us for
 * the bytes and 100 us in all on A100. Of the 60 us between, 38.5 are the grace
 * period before the save (cwsr_grace()).
 */
#define PREEMPT_FIXED_NS	((u64)21500)
#define CWSR_CU_BYTES_PER_NS	15.4

/* Time of RUN_LIST for itself and each queue: a guess, no figure is published. */
#define RUNLIST_FIXED_NS	(10 * NS_PER_US)
#define RUNLIST_QUEUE_NS	(2 * NS_PER_US)

/*
 * process_quantum of MAP_PROCESS (amdkfd sends 10). Its unit is not documented;
 * milliseconds here, as CP_HQD_QUANTUM's.
 */
#define PROCESS_QUANTUM_NS	NS_PER_MS

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
 * XNACK: an access that waits for its page is made again at this distance. The
 * hardware's is not published; the driver needs about as long to map a page, and a
 * machine full of waiting waves costs the host a few hundredths of a core. The
 * second: pages that retry faults may be out for. IH_RETRY_INT_CAM_CNTL.CAM_SIZE has
 * 5 bits, of a unit that is not documented. Both chosen.
 */
#define XNACK_RETRY_NS		NS_PER_MS
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
