/* SPDX-License-Identifier: GPL-2.0 */
/* Decoded instructions as text: what the families' printers share. */
#ifndef GPU_MODEL_ISA_PRINT_H
#define GPU_MODEL_ISA_PRINT_H

#include "isa.h"
#include "text.h"

/* The next operand: a source @op of type @t, or of @dwords where they are not 0. */
void put_src(struct out *o, const struct insn *i, unsigned int op, enum isa_type t,
	     unsigned int dwords);

/* The next operand: a destination. */
void put_dst(struct out *o, const struct insn *i, unsigned int op, enum isa_type t,
	     unsigned int dwords);

/* The same without a comma: a source with modifiers around it. */
void put_operand(struct out *o, const struct insn *i, unsigned int op, enum isa_type t,
		 unsigned int dwords);

/* All behind the name of an instruction that is no vector ALU's. */
void print_operands(struct out *o, const struct insn *i);

/* How many sources an instruction has. */
unsigned int sources(const struct insn *i);

/* What a vector ALU instruction's name ends with. */
void put_encoding(struct out *o, const struct insn *i);

/* A vector ALU instruction's operands ... */
void put_valu_operands(struct out *o, const struct insn *i);

/* ... and what may follow: halves, signs, a result's clamp and factor, DPP. */
void put_valu_modifiers(struct out *o, const struct insn *i);

/* The lowest @n of @bits, by name. */
void put_bits(struct out *o, const char *name, unsigned int bits, unsigned int n);

#endif
