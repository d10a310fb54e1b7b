/* SPDX-License-Identifier: GPL-2.0 */
/* The connected queue of each pipe; protected by gpu.mec_lock. */
#ifndef GPU_MODEL_PIPE_H
#define GPU_MODEL_PIPE_H

#include "compute/spi.h"

/* Connect who is next on each of a partition's pipes. True: one has another queue now. */
bool pipes_connect(struct partition *p);

#endif
