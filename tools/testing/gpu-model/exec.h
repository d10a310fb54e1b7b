/* SPDX-License-Identifier: GPL-2.0 */
/* gpu-model exec: runs one kernel of a code object without a guest. */
#ifndef GPU_MODEL_EXEC_H
#define GPU_MODEL_EXEC_H

/* argv[0] is "exec". Returns the exit status: 0, 1 the kernel failed, 2 usage. */
int exec_main(int argc, char **argv);

#endif
