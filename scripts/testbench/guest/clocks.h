/* SPDX-License-Identifier: GPL-2.0 */
/* What ties the guest's clock to the GPU's, for programs whose times are measured. */
#ifndef TESTBENCH_CLOCKS_H
#define TESTBENCH_CLOCKS_H

#include "kfd.h"

/*
 * Prints the GPU's clock and kfd_now()'s at the same moment, as "gpu_clock_WHEN=" and "clock_WHEN=":
 * of some tries the fastest, in which the least can have come between reading one and the other.
 * 0 or -errno.
 */
int clocks_print(struct kfd_dev *dev, const char *when);

#endif
