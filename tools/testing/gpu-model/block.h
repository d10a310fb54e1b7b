/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A block of the device: its registers, how it starts, stops and is reset. The
 * device is a list of them (blocks.c), in which each stands behind those that it
 * uses; what lies below a block knows it by this alone.
 */
#ifndef GPU_MODEL_BLOCK_H
#define GPU_MODEL_BLOCK_H

#include "asic.h"

/**
 * struct reg_range - registers that share handlers
 * @first:	of them
 * @count:	registers, 4 bytes apart; 0 ends a table
 * @read: @write: given the byte offset, and the index within the range; NULL: as stored
 */
struct reg_range {
	enum reg first;
	u32 count;
	u32 (*read)(struct gpu *g, u32 off, u32 index);
	void (*write)(struct gpu *g, u32 off, u32 index, u32 val);
};

/**
 * struct block - a block; what it does not need is NULL
 * @name:	for messages
 * @start:	sets it up and starts what acts by itself; 0 or -errno
 * @stop:	ends what acts by itself; others may still call it
 * @free:	gives back what @start took
 * @reset:	function-level reset, but for the registers, which are cleared later
 * @power_on:	gives the registers that do not read 0 at power-on their values
 * @doorbell:	a write to the doorbells' BAR; false: not this block's. Any thread.
 *		@dw: dword offset
 * @regs:	the registers that do more than keep what is written
 */
struct block {
	const char *name;
	int (*start)(struct gpu *g);
	void (*stop)(struct gpu *g);
	void (*free)(struct gpu *g);
	void (*reset)(struct gpu *g);
	void (*power_on)(struct gpu *g);
	bool (*doorbell)(struct gpu *g, u32 dw, u64 value);
	const struct reg_range *regs;
};

#endif
