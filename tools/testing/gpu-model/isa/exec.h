/* SPDX-License-Identifier: GPL-2.0 */
/* Commands that need no guest: gpu-model exec and gpu-model isa. */
#ifndef GPU_MODEL_EXEC_H
#define GPU_MODEL_EXEC_H

/* argv[0] is "exec". Returns the exit status: 0, 1 the kernel failed, 2 usage. */
int exec_main(int argc, char **argv);

/* gpu-model isa. Returns the exit status. */
int isa_doc_main(void);

#endif
