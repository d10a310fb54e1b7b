/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hardware scheduler of GPUs without MES: what the HIQ's packets ask for, in each
 * partition.
 */
#ifndef GPU_MODEL_HWS_H
#define GPU_MODEL_HWS_H

#include "cp/queue/sched.h"

extern const struct sched_ops hws_sched;

#endif
