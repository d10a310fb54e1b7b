/* SPDX-License-Identifier: GPL-2.0 */
/* What the families' decoders share. */
#ifndef GPU_MODEL_ISA_DECODER_H
#define GPU_MODEL_ISA_DECODER_H

#include "isa.h"

/*
 * Enter the rows of @isa in its lookup. VOP3 has the opcodes of VOPC as they are, those of VOP2
 * and VOP1 from @vop2 and @vop1 on.
 */
void isa_lookup_init(const struct isa *isa, unsigned int vop2, unsigned int vop1);

/* Format and opcode of the encodings that begin with 0 or 10, which are as old as gfx9's. */
enum isa_fmt isa_short_format(u32 dw, unsigned int *op);

/* An instruction without operands. */
void insn_begin(struct insn *i, const u32 raw[INSN_DWORDS], const struct isa *isa);

/* Set the row of the instruction; -ENOENT where there is none, with its length guessed. */
int insn_find(struct insn *i, enum isa_fmt fmt, unsigned int op);

/* What VOP3P has in place of VOP3's modifiers. */
void insn_packed(struct insn *i, u32 dw, u32 dw1);

/* Does a scalar operand of @dwords stay inside the register file? */
bool scalar_fits(unsigned int op, unsigned int dwords);

/* Note which registers operand @op of @dwords registers needs. */
void insn_uses(struct insn *i, unsigned int op, unsigned int dwords);

/* Shortcuts of source @n, which is no VGPR: a constant, or the same for all lanes. */
void insn_finish_scalar(struct insn *i, unsigned int n);

/* Register needs and shortcuts of ALU operands, once all fields are known. */
void insn_finish(struct insn *i);

#endif
