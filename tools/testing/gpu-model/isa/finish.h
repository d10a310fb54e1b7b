/* SPDX-License-Identifier: GPL-2.0 */
/* What decoders of all families do at an instruction's end. */
#ifndef GPU_MODEL_ISA_FINISH_H
#define GPU_MODEL_ISA_FINISH_H

#include "isa.h"

/* Note which registers operand @op of @dwords registers needs. */
void insn_uses(struct insn *i, unsigned int op, unsigned int dwords);

/* Shortcuts of source @n, which is no VGPR: a constant, or the same for all lanes. */
void insn_finish_scalar(struct insn *i, unsigned int n);

/* Register needs and shortcuts of ALU operands, once all fields are known. */
void insn_finish(struct insn *i);

#endif
