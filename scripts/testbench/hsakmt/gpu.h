/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests of patches/rocm share. */
#ifndef HSAKMT_TEST_GPU_H
#define HSAKMT_TEST_GPU_H

#include <hsakmt/hsakmt.h>

#include "enable.h"

/* Opens KFD; libhsakmt's number of a node with a GPU, or 0. */
unsigned int open_gpu(void);

/* A compute queue of that priority, of two at a time; its id, or 0. */
HSA_QUEUEID make_queue(unsigned int gpu, int priority);

/* Another priority for the only one there is; 0 or an error of libhsakmt's. */
int change_queue(HSA_QUEUEID q, int priority);

#endif
