/* SPDX-License-Identifier: GPL-2.0 */
/* Code objects as clang and hipcc write them: ELF with kernel descriptors. */
#ifndef GPU_MODEL_CODE_OBJECT_H
#define GPU_MODEL_CODE_OBJECT_H

#include "isa/wave.h"

#define CO_MAX_ARGS	64

/**
 * struct co_arg - one kernel argument, from the metadata
 * @offset:	place in the kernarg segment
 * @size:	bytes
 * @kind:	value kind: "by_value", "global_buffer", "hidden_..."
 */
struct co_arg {
	u32 offset, size;
	char kind[40];
};

/**
 * struct co_kernel - a kernel of a code object
 * @descriptor:	offset of its 64-byte descriptor in the image
 * @kernarg_bytes: size of the kernarg segment
 * @args:	arguments, hidden ones last
 * @nargs:	how many
 */
struct co_kernel {
	u64 descriptor;
	u32 kernarg_bytes;
	struct co_arg args[CO_MAX_ARGS];
	unsigned int nargs;
};

/**
 * struct code_object - a loaded code object
 * @isa:	instruction set
 * @image:	segments as they lie in memory, relocated for @base
 * @size:	of @image, whole pages
 * @base:	GPU address of @image
 * @file:	the caller's bytes
 * @file_size:	how many
 */
struct code_object {
	const struct isa *isa;
	u8 *image;
	u64 size;
	u64 base;
	const u8 *file;
	size_t file_size;
};

/**
 * code_object_load() - check and relocate a code object
 * @co:		out; free with code_object_free()
 * @file:	its bytes; must live as long as @co
 * @size:	how many
 * @base:	GPU address the image will have
 * @err:	out: what is wrong with it, on failure
 *
 * Return: 0 or -EINVAL, -ENOMEM.
 */
int code_object_load(struct code_object *co, const u8 *file, size_t size, u64 base,
		     const char **err);
void code_object_free(struct code_object *co);

/* Find kernel @name. 0, or -ENOENT, or -EINVAL for bad metadata. */
int code_object_kernel(const struct code_object *co, const char *name, struct co_kernel *k,
		       const char **err);

#endif
