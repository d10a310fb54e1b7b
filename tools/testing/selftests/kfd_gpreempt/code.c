// SPDX-License-Identifier: GPL-2.0
/* Loads the embedded code object: segments into GPU memory, kernels by symbol. */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "code.h"

/* kernels.S */
extern const char kernels_start[], kernels_end[];

/* 64 bytes each kernel's "<name>.kd" symbol points to (LLVM AMDGPUUsage) */
struct kernel_descriptor {
	__u32 group_bytes;
	__u32 private_bytes;
	__u32 kernarg_bytes;
	__u8 reserved[52];
};

#define EF_AMDGPU_MACH		0xffu
#define EF_AMDGPU_MACH_GFX90A	0x3fu
#define GFX90A			90010

static const Elf64_Ehdr *elf(void)
{
	return (const Elf64_Ehdr *)kernels_start;
}

static const Elf64_Phdr *segments(void)
{
	return (const Elf64_Phdr *)(kernels_start + elf()->e_phoff);
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
	const Elf64_Phdr *ph = segments();
	size_t size = 0;
	unsigned int i;
	int ret;

	if ((elf()->e_flags & EF_AMDGPU_MACH) != EF_AMDGPU_MACH_GFX90A ||
	    dev->gfx_version != GFX90A)
		return -ENOEXEC;
	for (i = 0; i < elf()->e_phnum; i++)
		if (ph[i].p_type == PT_LOAD && ph[i].p_vaddr + ph[i].p_memsz > size)
			size = ph[i].p_vaddr + ph[i].p_memsz;
	ret = kfd_alloc(dev, &code->mem, size, KFD_MEM_CODE);
	if (ret)
		return ret;
	memset(code->mem.ptr, 0, code->mem.size);
	for (i = 0; i < elf()->e_phnum; i++)
		if (ph[i].p_type == PT_LOAD)
			memcpy((char *)code->mem.ptr + ph[i].p_vaddr,
			       kernels_start + ph[i].p_offset, ph[i].p_filesz);
	return 0;
}

static const Elf64_Shdr *dynamic_symbols(void)
{
	const Elf64_Shdr *sh = (const Elf64_Shdr *)(kernels_start + elf()->e_shoff);
	unsigned int i;

	for (i = 0; i < elf()->e_shnum; i++)
		if (sh[i].sh_type == SHT_DYNSYM)
			return &sh[i];
	return NULL;
}

int code_kernel(const struct code *code, const char *name, struct aql_kernel *k)
{
	const Elf64_Shdr *dynsym = dynamic_symbols();
	const struct kernel_descriptor *kd;
	const Elf64_Shdr *strtab;
	const Elf64_Sym *sym;
	const char *strings;
	char wanted[64];
	size_t i;

	if (!dynsym)
		return -ENOENT;
	strtab = (const Elf64_Shdr *)(kernels_start + elf()->e_shoff) + dynsym->sh_link;
	strings = kernels_start + strtab->sh_offset;
	snprintf(wanted, sizeof(wanted), "%s.kd", name);
	sym = (const Elf64_Sym *)(kernels_start + dynsym->sh_offset);
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
