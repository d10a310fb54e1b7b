/* SPDX-License-Identifier: GPL-2.0 */
/* The sequencer's interrupts: what a wave said by S_SENDMSG, or an error it met. */
#ifndef GPU_MODEL_INTERRUPT_H
#define GPU_MODEL_INTERRUPT_H

#include "compute/cu.h"

#define SQ_ENCODING_INST	(1u << 26)	/* kfd_int_process_v9.c */
#define SQ_ENCODING_ERROR	(2u << 26)

/* Send one for a wave in its group; @data: 24 bits. */
void sq_interrupt(const struct group *grp, const struct wave *w, u32 encoding, u32 data);

#endif
