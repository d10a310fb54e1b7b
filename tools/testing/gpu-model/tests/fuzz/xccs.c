// SPDX-License-Identifier: GPL-2.0
/* Rings of any content, on a GPU of two XCCs. */
#define XCCS	2
#include "queues.c"
