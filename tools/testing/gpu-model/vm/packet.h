/* SPDX-License-Identifier: GPL-2.0 */
/* What packet processors (PM4, SDMA) share: where packets lie, how they wait. */
#ifndef GPU_MODEL_PACKET_H
#define GPU_MODEL_PACKET_H

#include "gpu.h"

/**
 * struct stream - a ring or an indirect buffer
 * @base:	GPU address in @vmid
 * @pos:	dword that comes next
 * @avail:	dwords from @pos on
 * @mask:	ring: its dwords - 1; buffer: STREAM_LINEAR
 */
struct stream {
	u32 vmid;
	u64 base;
	u32 pos;
	u32 avail;
	u32 mask;
};

#define STREAM_LINEAR	~0u

/* Read @n dwords, the first @first behind the position; 0 or -EFAULT. */
int stream_read(struct gpu *g, const struct stream *s, u32 first, u32 n, u32 *out);

/* The condition of WAIT_REG_MEM and POLL_REGMEM; both number it alike. */
bool packet_compare(unsigned int function, u32 val, u32 ref);

/* An address or value of two dwords, low first. */
static inline u64 packet_u64(const u32 *p)
{
	return p[0] | (u64)p[1] << 32;
}

#endif
