/* SPDX-License-Identifier: GPL-2.0 */
/* The SMU, as far as the driver cannot do without; see smu.c. */
#ifndef GPU_MODEL_SMU_H
#define GPU_MODEL_SMU_H

#include "block.h"

extern const struct block smu_block;

#endif
