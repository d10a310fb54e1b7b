/* SPDX-License-Identifier: GPL-2.0 */
/* The scheduler of gfx11: firmware that has a ring of its own instead of the HIQ's PM4. */
#ifndef GPU_MODEL_MES_H
#define GPU_MODEL_MES_H

#include "cp/queue/sched.h"

extern const struct sched_ops mes_sched;

#endif
