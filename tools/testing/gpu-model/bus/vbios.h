/* SPDX-License-Identifier: GPL-2.0 */
/* The expansion ROM: an AtomBIOS image made for this configuration. */
#ifndef GPU_MODEL_VBIOS_H
#define GPU_MODEL_VBIOS_H

#include "gpu.h"

/* Fill @rom[@size] (64 KiB). */
void vbios_build(const struct gpu_config *cfg, u8 *rom, size_t size);

#endif
