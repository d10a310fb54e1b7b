/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of gfx1100 share. */
#ifndef GPU_MODEL_ISA_GFX11_H
#define GPU_MODEL_ISA_GFX11_H

#include "isa/isa.h"

/* struct isa.print */
void gfx11_print(const struct insn *i, char *buf, size_t size);

/* Has a row of gfx1100 DPP forms? */
bool gfx11_has_dpp(const struct isa_row *r);

#endif
