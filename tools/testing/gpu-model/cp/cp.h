/* SPDX-License-Identifier: GPL-2.0 */
/* The command processor: the block, and one turn of it. */
#ifndef GPU_MODEL_CP_H
#define GPU_MODEL_CP_H

#include "block.h"

/* One turn for every queue; true if one of them can go on at once. mec_lock held. */
bool cp_turn(struct gpu *g);

extern const struct block cp_block;

#endif
