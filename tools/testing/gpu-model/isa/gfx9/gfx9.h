/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of gfx90a and gfx942 share. */
#ifndef GPU_MODEL_ISA_GFX9_H
#define GPU_MODEL_ISA_GFX9_H

#include "isa/isa.h"

/* struct isa.print */
void gfx9_print(const struct insn *i, char *buf, size_t size);

#endif
