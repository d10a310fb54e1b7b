// SPDX-License-Identifier: GPL-2.0
/*
 * The mailbox of the SMU, of a GPU that is reset by it (SMU 13.0.0). It says which version it is,
 * and resets the GPU; all other messages it takes, and does nothing: clocks, voltages, fans,
 * tables and power states are not modelled. A table that the driver asks for stays as the driver
 * has it, which is of zeros. Linux 7.3 asks for the reset by a second mailbox, and awaits no answer.
 */
#include "asic.h"
#include "bus/nbio.h"
#include "bus/pci.h"
#include "bus/smu.h"
#include "host/log.h"

/* Messages and results: smu_v13_0_0_ppsmc.h. */
#define MSG_GET_SMU_VERSION		0x02
#define MSG_GET_DRIVER_IF_VERSION	0x03
#define MSG_MODE1_RESET			0x2f
#define MSG_LAST			0x51
#define DEBUG_MODE1_RESET		0x02	/* smu_v13_0_0_ppt.c */

#define RESULT_OK			0x01
#define RESULT_UNKNOWN			0xfe

/* 78.80.0: one that resets, which those from 78.41 on do. */
#define SMU_VERSION			0x004e5000
#define DRIVER_IF_VERSION		0x3d

/* In the SMU's own address space, which the driver reads by index and data. */
#define FIRMWARE_FLAGS			0x3b10024u
#define INTERRUPTS_ENABLED		1u

/* The engine that the driver starts before others, once the SMU may power GC. */
#define IMU_OUT_OF_RESET		0x1f

static u32 read_indexed(struct gpu *g, u32 off, u32 index)
{
	(void)off;
	(void)index;
	return reg_get(g, REG_RSMU_INDEX) == FIRMWARE_FLAGS ? INTERRUPTS_ENABLED : 0;
}

static void write_message(struct gpu *g, u32 off, u32 index, u32 msg)
{
	u32 result = RESULT_OK;

	(void)off;
	(void)index;
	log_event("smu", "msg=0x%x param=0x%x", msg, reg_get(g, REG_MP1_PARAM));
	switch (msg) {
	case MSG_GET_SMU_VERSION:
		reg_set(g, REG_MP1_PARAM, SMU_VERSION);
		break;
	case MSG_GET_DRIVER_IF_VERSION:
		reg_set(g, REG_MP1_PARAM, DRIVER_IF_VERSION);
		break;
	case MSG_MODE1_RESET:
		pci_reset(g, false);
		break;
	default:
		reg_set(g, REG_MP1_PARAM, 0);
		if (msg > MSG_LAST)
			result = RESULT_UNKNOWN;
	}
	reg_set(g, REG_MP1_RESULT, result);
}

static void write_debug_message(struct gpu *g, u32 off, u32 index, u32 msg)
{
	(void)off;
	(void)index;
	log_event("smu", "debug=0x%x", msg);
	if (msg == DEBUG_MODE1_RESET)
		pci_reset(g, false);
}

static const struct reg_range ranges[] = {
	{ REG_RSMU_DATA, 1, read_indexed, regs_write_ignore },
	{ REG_MP1_MESSAGE, 1, NULL, write_message },
	{ REG_MP1_DEBUG_MESSAGE, 1, NULL, write_debug_message },
	{ 0 }
};

static void power_on(struct gpu *g)
{
	if (!asic_of(g)->reg[REG_MP1_RESULT])
		return;
	reg_set(g, REG_MP1_RESULT, RESULT_OK);
	reg_set(g, REG_GFX_IMU_RESET_CTRL, IMU_OUT_OF_RESET);
}

const struct block smu_block = {
	.name = "SMU",
	.power_on = power_on,
	.regs = ranges,
};
