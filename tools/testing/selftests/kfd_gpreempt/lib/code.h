/* SPDX-License-Identifier: GPL-2.0 */
/* Loads the code object that kernels.cl was compiled to for a GPU (linked into each program). */
#ifndef KFD_GPREEMPT_CODE_H
#define KFD_GPREEMPT_CODE_H

#include "aql.h"

/*
 * struct code - the code object in GPU memory
 * @mem:	loaded segments
 * @file:	the file
 */
struct code {
	struct kfd_mem mem;
	const char *file;
};

/* Is there a code object for GPUs of this gfx_target_version? */
bool code_known(unsigned int gfx_version);

/* 0 or -errno; -ENOEXEC when it is not for this GPU. */
int code_load(struct code *code, struct kfd_dev *dev);

/* Find a kernel by name; -ENOENT. */
int code_kernel(const struct code *code, const char *name, struct aql_kernel *k);

#endif
