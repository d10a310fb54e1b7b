// SPDX-License-Identifier: GPL-2.0
/* Dispatches by AQL packets; see aql_dispatch.h. */
#include "asic.h"
#include "compute/spi.h"
#include "cp/queue/aql_dispatch.h"
#include "cp/queue/aql_ring.h"
#include "cp/queue/dispatch.h"
#include "cp/queue/signal.h"
#include "vm/vm.h"

/* Scratch of the queue, if the kernel needs any. */
static enum aql_error parse_scratch(struct user_queue *q, struct dispatch *d, u32 private_bytes)
{
	u32 tmpring = 0;
	u64 base = 0;

	if (q->amd_queue &&
	    (vm_read(q->g, q->vmid, q->amd_queue + AMD_QUEUE_TMPRING, &tmpring, 4) ||
	     vm_read(q->g, q->vmid, q->amd_queue + AMD_QUEUE_SCRATCH_RSRC,
		     d->regs.private_rsrc, sizeof(d->regs.private_rsrc)) ||
	     vm_read(q->g, q->vmid, q->amd_queue + AMD_QUEUE_SCRATCH_BASE, &base, 8)))
		return AQL_FAULT;
	d->regs.private_bytes = private_bytes;
	d->regs.scratch_base = base;
	d->regs.flat_scratch_init = base;
	d->regs.flat_scratch = asic_of(q->g)->isa->flat_scratch;
	if (!private_bytes)
		return AQL_OK;

	/* Groups in flight keep their slots: the size may change only without any. */
	q->scratch_base = base;
	q->scratch_wave_bytes = tmpring_wave_bytes(asic_of(q->g)->isa, tmpring);
	q->scratch_slots = TMPRING_WAVES(tmpring);
	d->regs.scratch_wave_bytes = q->scratch_wave_bytes;
	if (!base || (u64)private_bytes * d->code.lanes > q->scratch_wave_bytes ||
	    q->scratch_slots < (dispatch_waves(d, 0, (u32[3]){})))
		return AQL_NO_SCRATCH;
	return AQL_OK;
}

enum aql_error aql_dispatch_parse(struct user_queue *q, struct dispatch *d)
{
	unsigned int dims = d->source[2] & 3, i;
	u64 kd = get64(d->source + 32);
	u32 private_bytes, grid[3], size[3];
	enum aql_error error;
	u8 desc[64];

	d->q = q;
	if (!dims)
		return AQL_BAD_DIM;
	for (i = 0; i < 3; i++) {
		size[i] = i < dims ? d->source[4 + 2 * i] | d->source[5 + 2 * i] << 8 : 1;
		grid[i] = i < dims ? get32(d->source + 12 + 4 * i) : 1;
	}
	error = dispatch_dims(d, grid, size, (u32[3]){});
	if (error)
		return error;

	if (vm_read(q->g, q->vmid, kd, desc, sizeof(desc)) ||
	    kernel_code_parse(&d->code, asic_of(q->g)->isa, desc, kd))
		return AQL_BAD_CODE;
	private_bytes = get32(d->source + 24);
	if (private_bytes < d->code.scratch_bytes)
		private_bytes = d->code.scratch_bytes;
	d->lds_bytes = get32(d->source + 28);
	if (d->lds_bytes < d->code.lds_bytes)
		d->lds_bytes = d->code.lds_bytes;
	if (d->lds_bytes > asic_of(q->g)->cu->lds)
		return AQL_BAD_GROUP_SEGMENT;
	if (!spi_fits(q->g, dispatch_waves(d, 0, (u32[3]){}), &d->code, d->lds_bytes))
		return AQL_BAD_REGISTERS;
	d->regs.dispatch_ptr = aql_packet_addr(q, d->packet);
	d->regs.queue_ptr = q->amd_queue;
	d->regs.kernarg = get64(d->source + 40);
	d->regs.dispatch_id = d->packet;
	return parse_scratch(q, d, private_bytes);
}

enum aql_error aql_dispatch(struct user_queue *q, const u8 *packet, bool *wait)
{
	struct dispatch *d = dispatch_alloc(q);
	enum aql_error error;

	*wait = !d;
	if (!d)
		return AQL_OK;
	memcpy(d->source, packet, AQL_PACKET_BYTES);
	error = aql_dispatch_parse(q, d);
	if (!error)
		dispatch_begin(d);
	return error;
}
