// SPDX-License-Identifier: GPL-2.0
/*
 * Loads AMDGPU code objects: ELF64 checks, segments, the few relocations that
 * lld leaves, and the kernels' argument lists from the msgpack metadata note
 * (LLVM, AMDGPUUsage, "Code Object"). Nothing in the file is trusted.
 */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "isa/code_object.h"

#define EM_AMDGPU_		224
#define EF_MACH_MASK		0xff
#define NT_AMDGPU_METADATA	32
#define R_AMDGPU_ABS64		3
#define R_AMDGPU_RELATIVE64	13
#define IMAGE_MAX		(256u << 20)
#define KD_BYTES		64

/* e_flags' GPU (LLVM, AMDGPUUsage): gfx940 came before gfx942 and has the same instructions. */
static const struct {
	u8 mach;
	const struct isa *isa;
} machs[] = { { 0x3f, &isa_gfx90a }, { 0x40, &isa_gfx942 }, { 0x4c, &isa_gfx942 },
	    { 0x41, &isa_gfx1100 } };

static bool inside(u64 off, u64 len, u64 size)
{
	return off <= size && len <= size - off;
}

static const char *check_header(const Elf64_Ehdr *h, size_t size, const struct isa **isa)
{
	unsigned int n = 0;

	if (size < sizeof(*h) || memcmp(h->e_ident, ELFMAG, SELFMAG))
		return "not an ELF file";
	if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB ||
	    h->e_machine != EM_AMDGPU_)
		return "not a code object of an AMD GPU";
	while (n < sizeof(machs) / sizeof(machs[0]) && machs[n].mach != (h->e_flags & EF_MACH_MASK))
		n++;
	if (n == sizeof(machs) / sizeof(machs[0]))
		return "for another GPU than gfx90a, gfx940 and gfx942";
	*isa = machs[n].isa;
	if (h->e_type != ET_DYN)
		return "not linked (no shared object)";
	if (h->e_phentsize != sizeof(Elf64_Phdr) || h->e_shentsize != sizeof(Elf64_Shdr) ||
	    !inside(h->e_phoff, (u64)h->e_phnum * sizeof(Elf64_Phdr), size) ||
	    !inside(h->e_shoff, (u64)h->e_shnum * sizeof(Elf64_Shdr), size))
		return "truncated: headers lie outside of the file";
	return NULL;
}

/* Headers are copied out: the file may lie unaligned. */
static Elf64_Shdr section(const struct code_object *co, unsigned int n)
{
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)co->file;
	Elf64_Shdr s;

	memcpy(&s, co->file + h->e_shoff + n * sizeof(s), sizeof(s));
	return s;
}

static Elf64_Phdr segment(const struct code_object *co, unsigned int n)
{
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)co->file;
	Elf64_Phdr p;

	memcpy(&p, co->file + h->e_phoff + n * sizeof(p), sizeof(p));
	return p;
}

static const char *load_segments(struct code_object *co)
{
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)co->file;

	for (unsigned int n = 0; n < h->e_phnum; n++) {
		Elf64_Phdr p = segment(co, n);

		if (p.p_type != PT_LOAD)
			continue;
		if (!inside(p.p_offset, p.p_filesz, co->file_size))
			return "truncated: a segment lies outside of the file";
		if (p.p_filesz > p.p_memsz || !inside(p.p_vaddr, p.p_memsz, IMAGE_MAX))
			return "a segment's size makes no sense";
		if (p.p_vaddr + p.p_memsz > co->size)
			co->size = p.p_vaddr + p.p_memsz;
	}
	if (!co->size)
		return "no segment to load";
	co->size = (co->size + 4095) & ~4095ull;
	co->image = aligned_alloc(4096, co->size);
	if (!co->image)
		return "out of memory";
	memset(co->image, 0, co->size);
	for (unsigned int n = 0; n < h->e_phnum; n++) {
		Elf64_Phdr p = segment(co, n);

		if (p.p_type == PT_LOAD)
			memcpy(co->image + p.p_vaddr, co->file + p.p_offset, p.p_filesz);
	}
	return NULL;
}

static const char *relocate(struct code_object *co)
{
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)co->file;

	for (unsigned int n = 0; n < h->e_shnum; n++) {
		Elf64_Shdr s = section(co, n), syms;

		if (s.sh_type != SHT_RELA)
			continue;
		if (!inside(s.sh_offset, s.sh_size, co->file_size) || s.sh_link >= h->e_shnum)
			return "truncated: relocations lie outside of the file";
		syms = section(co, s.sh_link);
		for (u64 off = 0; off + sizeof(Elf64_Rela) <= s.sh_size; off += sizeof(Elf64_Rela)) {
			Elf64_Rela r;
			Elf64_Sym sym = { 0 };
			u64 at, v;

			memcpy(&r, co->file + s.sh_offset + off, sizeof(r));
			at = (u64)ELF64_R_SYM(r.r_info) * sizeof(sym);
			if (!inside(r.r_offset, 8, co->size))
				return "a relocation lies outside of the image";
			switch (ELF64_R_TYPE(r.r_info)) {
			case R_AMDGPU_RELATIVE64:
				v = co->base + r.r_addend;
				break;
			case R_AMDGPU_ABS64:
				if (!inside(at, sizeof(sym), syms.sh_size) ||
				    !inside(syms.sh_offset, syms.sh_size, co->file_size))
					return "a relocation names no symbol";
				memcpy(&sym, co->file + syms.sh_offset + at, sizeof(sym));
				if (sym.st_shndx == SHN_UNDEF)
					return "an external symbol is not defined";
				v = co->base + sym.st_value + r.r_addend;
				break;
			default:
				return "a relocation of unknown type";
			}
			memcpy(co->image + r.r_offset, &v, sizeof(v));
		}
	}
	return NULL;
}

int code_object_load(struct code_object *co, const u8 *file, size_t size, u64 base,
		     const char **err)
{
	memset(co, 0, sizeof(*co));
	co->file = file;
	co->file_size = size;
	co->base = base;
	*err = check_header((const Elf64_Ehdr *)file, size, &co->isa);
	if (!*err)
		*err = load_segments(co);
	if (!*err)
		*err = relocate(co);
	if (!*err)
		return 0;
	code_object_free(co);
	return -EINVAL;
}

void code_object_free(struct code_object *co)
{
	free(co->image);
	co->image = NULL;
}

/* ---- metadata: msgpack, as far as the metadata uses it ---- */

enum mp_type { MP_BAD, MP_INT, MP_STR, MP_ARRAY, MP_MAP, MP_OTHER };

struct mp {
	const u8 *p, *end;
};

struct mp_item {
	enum mp_type type;
	u64 n;			/* value, length or count */
	const u8 *str;
};

static bool mp_uint(struct mp *m, unsigned int bytes, u64 *v)
{
	*v = 0;
	if ((size_t)(m->end - m->p) < bytes)
		return false;
	while (bytes--)
		*v = *v << 8 | *m->p++;
	return true;
}

static bool mp_bytes(struct mp *m, struct mp_item *i)
{
	if ((u64)(m->end - m->p) < i->n)
		return false;
	i->str = m->p;
	m->p += i->n;
	return true;
}

/* The next item's head (strings whole); MP_BAD at the end or on nonsense. */
static struct mp_item mp_next(struct mp *m)
{
	struct mp_item i = { MP_BAD, 0, NULL };
	bool ok = true;
	u8 b;

	if (m->p >= m->end)
		return i;
	b = *m->p++;
	if (b < 0x80 || b >= 0xe0) {
		i.type = MP_INT;
		i.n = (u64)(s64)(int8_t)b;
	} else if (b < 0x90) {
		i.type = MP_MAP;
		i.n = b & 15;
	} else if (b < 0xa0) {
		i.type = MP_ARRAY;
		i.n = b & 15;
	} else if (b < 0xc0) {
		i.type = MP_STR;
		i.n = b & 31;
		ok = mp_bytes(m, &i);
	} else if (b >= 0xcc && b <= 0xd3) {
		i.type = MP_INT;
		ok = mp_uint(m, 1u << (b & 3), &i.n);
	} else if (b >= 0xd9 && b <= 0xdb) {
		i.type = MP_STR;
		ok = mp_uint(m, 1u << (b - 0xd9), &i.n) && mp_bytes(m, &i);
	} else if (b == 0xdc || b == 0xdd) {
		i.type = MP_ARRAY;
		ok = mp_uint(m, b == 0xdc ? 2 : 4, &i.n);
	} else if (b == 0xde || b == 0xdf) {
		i.type = MP_MAP;
		ok = mp_uint(m, b == 0xde ? 2 : 4, &i.n);
	} else if (b == 0xc0 || b == 0xc2 || b == 0xc3) {
		i.type = MP_OTHER;
	}
	if (!ok)
		i.type = MP_BAD;
	return i;
}

/* Pass over one whole value. */
static bool mp_skip(struct mp *m)
{
	u64 left = 1;

	while (left) {
		struct mp_item i = mp_next(m);

		left--;
		if (i.type == MP_BAD)
			return false;
		if (i.type == MP_ARRAY)
			left += i.n;
		else if (i.type == MP_MAP)
			left += 2 * i.n;
	}
	return true;
}

static bool mp_is(const struct mp_item *i, const char *s)
{
	return i->type == MP_STR && i->n == strlen(s) && !memcmp(i->str, s, i->n);
}

/* In the map at @m, the value of @key; false when it is not there. */
static bool mp_find(struct mp m, const char *key, struct mp *value)
{
	struct mp_item map = mp_next(&m);

	if (map.type != MP_MAP)
		return false;
	while (map.n--) {
		struct mp_item k = mp_next(&m);

		if (k.type != MP_STR)
			return false;
		if (mp_is(&k, key)) {
			*value = m;
			return true;
		}
		if (!mp_skip(&m))
			return false;
	}
	return false;
}

static bool mp_find_int(struct mp m, const char *key, u64 *v)
{
	struct mp_item i;

	if (!mp_find(m, key, &m))
		return false;
	i = mp_next(&m);
	*v = i.n;
	return i.type == MP_INT;
}

static bool mp_find_str(struct mp m, const char *key, struct mp_item *i)
{
	if (!mp_find(m, key, &m))
		return false;
	*i = mp_next(&m);
	return i->type == MP_STR;
}

static bool find_metadata(const struct code_object *co, struct mp *m)
{
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)co->file;

	for (unsigned int n = 0; n < h->e_phnum; n++) {
		Elf64_Phdr p = segment(co, n);
		u64 off = 0;

		if (p.p_type != PT_NOTE || !inside(p.p_offset, p.p_filesz, co->file_size))
			continue;
		while (off + sizeof(Elf64_Nhdr) <= p.p_filesz) {
			const u8 *at = co->file + p.p_offset + off;
			Elf64_Nhdr note;
			u64 desc, next;

			memcpy(&note, at, sizeof(note));
			desc = sizeof(note) + (((u64)note.n_namesz + 3) & ~3ull);
			next = desc + (((u64)note.n_descsz + 3) & ~3ull);
			if (off + desc + note.n_descsz > p.p_filesz)
				break;
			if (note.n_type == NT_AMDGPU_METADATA && note.n_namesz == 7 &&
			    !memcmp(at + sizeof(note), "AMDGPU", 7)) {
				m->p = at + desc;
				m->end = m->p + note.n_descsz;
				return true;
			}
			off += next;
		}
	}
	return false;
}

static const char *read_args(struct mp kernel, struct co_kernel *k)
{
	struct mp m;
	struct mp_item list;

	if (!mp_find(kernel, ".args", &m))
		return NULL;
	list = mp_next(&m);
	if (list.type != MP_ARRAY || list.n > CO_MAX_ARGS)
		return "metadata: bad argument list";
	for (; list.n; list.n--) {
		struct co_arg *a = &k->args[k->nargs++];
		struct mp_item kind;
		u64 offset, size;

		if (!mp_find_int(m, ".offset", &offset) || !mp_find_int(m, ".size", &size) ||
		    !mp_find_str(m, ".value_kind", &kind) || kind.n >= sizeof(a->kind) ||
		    !inside(offset, size, k->kernarg_bytes))
			return "metadata: bad argument";
		a->offset = offset;
		a->size = size;
		memcpy(a->kind, kind.str, kind.n);
		a->kind[kind.n] = 0;
		if (!mp_skip(&m))
			return "metadata: truncated";
	}
	return NULL;
}

/* Offset in the image of symbol @name of @bytes bytes. */
static bool find_symbol(const struct code_object *co, const char *name, u64 bytes, u64 *value)
{
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)co->file;

	for (unsigned int n = 0; n < h->e_shnum; n++) {
		Elf64_Shdr s = section(co, n), str;

		if (s.sh_type != SHT_DYNSYM || s.sh_link >= h->e_shnum ||
		    !inside(s.sh_offset, s.sh_size, co->file_size))
			continue;
		str = section(co, s.sh_link);
		if (!inside(str.sh_offset, str.sh_size, co->file_size))
			continue;
		for (u64 off = 0; off + sizeof(Elf64_Sym) <= s.sh_size; off += sizeof(Elf64_Sym)) {
			size_t len = strlen(name) + 1;
			Elf64_Sym sym;

			memcpy(&sym, co->file + s.sh_offset + off, sizeof(sym));
			if (!inside(sym.st_name, len, str.sh_size) ||
			    memcmp(co->file + str.sh_offset + sym.st_name, name, len) ||
			    !inside(sym.st_value, bytes, co->size))
				continue;
			*value = sym.st_value;
			return true;
		}
	}
	return false;
}

int code_object_kernel(const struct code_object *co, const char *name, struct co_kernel *k,
		       const char **err)
{
	struct mp meta, m;
	struct mp_item list;
	char symbol[256];

	memset(k, 0, sizeof(*k));
	snprintf(symbol, sizeof(symbol), "%s.kd", name);
	*err = "no such kernel in the code object";
	if (!find_symbol(co, symbol, KD_BYTES, &k->descriptor))
		return -ENOENT;
	*err = "no metadata in the code object";
	if (!find_metadata(co, &meta) || !mp_find(meta, "amdhsa.kernels", &m))
		return -EINVAL;
	list = mp_next(&m);
	for (; list.type == MP_ARRAY && list.n; list.n--) {
		struct mp_item s;
		u64 bytes;

		if (mp_find_str(m, ".symbol", &s) && mp_is(&s, symbol)) {
			*err = "metadata: no kernarg size";
			if (!mp_find_int(m, ".kernarg_segment_size", &bytes) || bytes > 65536)
				return -EINVAL;
			k->kernarg_bytes = bytes;
			*err = read_args(m, k);
			return *err ? -EINVAL : 0;
		}
		if (!mp_skip(&m))
			break;
	}
	*err = "metadata: kernel not described";
	return -EINVAL;
}
