/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * GPREEMPT: what it looks at in an AQL packet.
 *
 * HSA Platform System Architecture Specification, "AQL packet" and "Signals";
 * the vendor packet is ROCr's hsa_amd_barrier_value_packet_t.
 */
#ifndef GPREEMPT_AQL_H_INCLUDED
#define GPREEMPT_AQL_H_INCLUDED

#include <linux/build_bug.h>
#include <linux/stddef.h>
#include <linux/types.h>

#define AQL_PACKET_BYTES		64
#define AQL_DEP_SIGNALS			5
#define AQL_SIGNAL_VALUE_OFFSET		8
#define AQL_HEADER_BARRIER		0x100	/* begins when all before it have ended */
#define AQL_AMD_FORMAT_BARRIER_VALUE	2

enum aql_type {
	AQL_TYPE_VENDOR,
	AQL_TYPE_INVALID,
	AQL_TYPE_DISPATCH,
	AQL_TYPE_BARRIER_AND,
	AQL_TYPE_AGENT,
	AQL_TYPE_BARRIER_OR,
};

enum aql_condition {
	AQL_CONDITION_EQ,
	AQL_CONDITION_NE,
	AQL_CONDITION_LT,
	AQL_CONDITION_GTE,
};

/**
 * union aql_packet - a packet of an AQL queue
 * @type:	low byte of the header, &enum aql_type
 * @fences:	high byte of the header
 * @header:	both
 * @amd_format:	of a vendor packet
 * @reserved0:	not looked at
 * @reserved1:	not looked at
 * @dep_signal:	barrier-AND and -OR: signals waited for, 0 for none
 * @value_signal: vendor packet barrier-value: signal waited for, 0 for none
 * @value:	and what its value is compared with,
 * @mask:	after this mask,
 * @condition:	how, &enum aql_condition
 * @setup:	dispatch: dimensions
 * @workgroup:	dispatch: size of a workgroup
 * @reserved3:	not looked at
 * @grid:	dispatch: size of the grid
 * @reserved2:	not looked at
 * @completion_signal: of every kind, 0 for none
 * @bytes:	the whole
 */
union aql_packet {
	struct {
		u8 type;
		u8 fences;
		u8 amd_format;
		u8 reserved0;
		u32 reserved1;
		union {
			u64 dep_signal[AQL_DEP_SIGNALS];
			struct {
				u64 value_signal;
				s64 value;
				s64 mask;
				u32 condition;
			};
		};
		u64 reserved2;
		u64 completion_signal;
	};
	struct {
		u16 header;
		u16 setup;
		u16 workgroup[3];
		u16 reserved3;
		u32 grid[3];
	};
	u8 bytes[AQL_PACKET_BYTES];
};

static_assert(sizeof(union aql_packet) == AQL_PACKET_BYTES);
static_assert(offsetof(union aql_packet, grid) == 12);

#endif /* GPREEMPT_AQL_H_INCLUDED */
