// SPDX-License-Identifier: GPL-2.0
/* Loads the embedded code object: segments into GPU memory, kernels by symbol. */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "code.h"

/* kernels.S */
extern const char kernels_gfx900[], kernels_gfx908[], kernels_gfx90a[], kernels_gfx942[];
extern const char kernels_gfx1100[];

/* 64 bytes each kernel's "<name>.kd" symbol points to (LLVM AMDGPUUsage) */
struct kernel_descriptor {
	__u32 group_bytes;
	__u32 private_bytes;
	__u32 kernarg_bytes;
	__u8 reserved[52];
};

/*
 * The kernels for each GPU, by its gfx_target_version. The gfx9 of graphics cards and
 * APUs have gfx900's instructions, and some more.
 */
static const struct {
	unsigned int gfx_version;
	const char *file;
} files[] = {
	{ 90000, kernels_gfx900 },
	{ 90002, kernels_gfx900 },
	{ 90004, kernels_gfx900 },
	{ 90006, kernels_gfx900 },
	{ 90012, kernels_gfx900 },
	{ 90008, kernels_gfx908 },
	{ 90010, kernels_gfx90a },
	{ 90400, kernels_gfx942 },
	{ 90401, kernels_gfx942 },
	{ 90402, kernels_gfx942 },
	{ 110000, kernels_gfx1100 },
};

/* NULL if there is none. */
static const char *file_for(unsigned int gfx_version)
{
	unsigned int i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (files[i].gfx_version == gfx_version)
			return files[i].file;
	return NULL;
}

bool code_known(unsigned int gfx_version)
{
	return file_for(gfx_version);
}

static const Elf64_Ehdr *elf(const struct code *code)
{
	return (const Elf64_Ehdr *)code->file;
}

static const Elf64_Phdr *segments(const struct code *code)
{
	return (const Elf64_Phdr *)(code->file + elf(code)->e_phoff);
}

/**
 * code_load() - copy the code object's segments to GPU memory
 * @code:	result
 * @dev:	device
 *
 * The kernels refer to nothing outside themselves, so there is no relocation
 * to apply; one that has a relocation fails the build (Makefile).
 */
int code_load(struct code *code, struct kfd_dev *dev)
{
	const Elf64_Phdr *ph;
	size_t size = 0;
	unsigned int i;
	int ret;

	code->file = file_for(dev->gfx_version);
	if (!code->file)
		return -ENOEXEC;
	ph = segments(code);
	for (i = 0; i < elf(code)->e_phnum; i++)
		if (ph[i].p_type == PT_LOAD && ph[i].p_vaddr + ph[i].p_memsz > size)
			size = ph[i].p_vaddr + ph[i].p_memsz;
	ret = kfd_alloc(dev, &code->mem, size, KFD_MEM_CODE);
	if (ret)
		return ret;
	memset(code->mem.ptr, 0, code->mem.size);
	for (i = 0; i < elf(code)->e_phnum; i++)
		if (ph[i].p_type == PT_LOAD)
			memcpy((char *)code->mem.ptr + ph[i].p_vaddr,
			       code->file + ph[i].p_offset, ph[i].p_filesz);
	return 0;
}

static const Elf64_Shdr *sections(const struct code *code)
{
	return (const Elf64_Shdr *)(code->file + elf(code)->e_shoff);
}

static const Elf64_Shdr *dynamic_symbols(const struct code *code)
{
	const Elf64_Shdr *sh = sections(code);
	unsigned int i;

	for (i = 0; i < elf(code)->e_shnum; i++)
		if (sh[i].sh_type == SHT_DYNSYM)
			return &sh[i];
	return NULL;
}

int code_kernel(const struct code *code, const char *name, struct aql_kernel *k)
{
	const Elf64_Shdr *dynsym = dynamic_symbols(code);
	const struct kernel_descriptor *kd;
	const Elf64_Shdr *strtab;
	const Elf64_Sym *sym;
	const char *strings;
	char wanted[64];
	size_t i;

	if (!dynsym)
		return -ENOENT;
	strtab = sections(code) + dynsym->sh_link;
	strings = code->file + strtab->sh_offset;
	snprintf(wanted, sizeof(wanted), "%s.kd", name);
	sym = (const Elf64_Sym *)(code->file + dynsym->sh_offset);
	for (i = 0; i < dynsym->sh_size / sizeof(*sym); i++) {
		if (strcmp(strings + sym[i].st_name, wanted))
			continue;
		kd = (const void *)((char *)code->mem.ptr + sym[i].st_value);
		k->object = (uintptr_t)kd;
		k->group_bytes = kd->group_bytes;
		k->private_bytes = kd->private_bytes;
		return 0;
	}
	return -ENOENT;
}
