/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HSAKMT_TEST_ENABLE_H
#define HSAKMT_TEST_ENABLE_H

/* GPREEMPT, on every node: 0 or -1. */
int enable_gpreempt(void);

#endif
