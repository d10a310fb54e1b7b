/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Control socket: lines of text in, one line of answer for each (fault.h has
 * the commands). Several clients may be connected, QEMU's for the guest among
 * them. The thread sleeps while nobody speaks.
 */
#ifndef GPU_MODEL_CONTROL_H
#define GPU_MODEL_CONTROL_H

#include "gpu.h"

/* Create the socket @path; 0 or a negative errno with a message on stderr. */
int control_listen(struct gpu *g, const char *path);

/* Serve it; 0 or a negative errno. Nothing to do without control_listen(). */
int control_start(struct gpu *g);
void control_stop(struct gpu *g);

/* gpu-model control PATH COMMAND...: exit status, 0 when all were obeyed. */
int control_main(int argc, char **argv);

#endif
