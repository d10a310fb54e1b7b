/* SPDX-License-Identifier: GPL-2.0 */
/* The device as a whole. */
#ifndef GPU_MODEL_BLOCKS_H
#define GPU_MODEL_BLOCKS_H

#include "gpu.h"

/**
 * blocks_start() - start the device
 * @g:		device, configured
 * @failed:	out: what did not start
 *
 * Return: 0 or -errno; then blocks_stop() is not to be called.
 */
int blocks_start(struct gpu *g, const char **failed);

/* Stop and free it; no thread but the blocks' own touches it any more. */
void blocks_stop(struct gpu *g);

#endif
