// SPDX-License-Identifier: GPL-2.0
/*
 * Registers. An array holds what was last written; those that do more are in the
 * blocks' tables, by which an access finds its way.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "block.h"
#include "bus/regs.h"

/**
 * struct regs - the register file
 * @range:	for each register of the first window the row that it is in, or NULL
 * @size:	bytes of registers
 * @val:	last written values
 */
struct regs {
	const struct reg_range *range[REGS_SIZE / 4];
	u32 size;
	_Atomic u32 val[];
};

/* Ranges of GC, which each XCC has (gfx_v9_4_3.c: gfxdec0 and gfxdec1). */
static bool is_gc(u32 off)
{
	return (off >= 0x8000 && off < 0xd000) || (off >= 0x28000 && off < 0x40000);
}

u32 regs_in_packet(unsigned int xcc, u32 off)
{
	return is_gc(off) ? regs_of_xcc(xcc, off) : off;
}

u32 regs_size(struct gpu *g)
{
	u32 size = REGS_SIZE;

	while (size < regs_of_xcc(g->cfg.xccs, 0))
		size *= 2;
	return size;
}

u32 regs_read_ones(struct gpu *g, u32 off, u32 index)
{
	(void)g;
	(void)off;
	(void)index;
	return ~0u;
}

void regs_write_ignore(struct gpu *g, u32 off, u32 index, u32 val)
{
	(void)g;
	(void)off;
	(void)index;
	(void)val;
}

static void bind(struct gpu *g, const struct reg_range *r)
{
	u32 i, off = reg_at(g, 0, r->first);

	for (i = 0; off < REGS_SIZE && i < r->count; i++)
		g->regs->range[off / 4 + i] = r;
}

static int start(struct gpu *g)
{
	u32 i, size = regs_size(g);
	const struct reg_range *r;

	g->regs = calloc(1, sizeof(*g->regs) + size);
	if (!g->regs)
		return -ENOMEM;
	g->regs->size = size;
	for (i = 0; i < g->nblocks; i++)
		for (r = g->blocks[i]->regs; r && r->count; r++)
			bind(g, r);
	return 0;
}

static void destroy(struct gpu *g)
{
	free(g->regs);
	g->regs = NULL;
}

void regs_reset(struct gpu *g)
{
	u32 i;

	for (i = 0; i < g->regs->size / 4; i++)
		atomic_store_explicit(&g->regs->val[i], 0, memory_order_relaxed);
	for (i = 0; i < g->nblocks; i++)
		if (g->blocks[i]->power_on)
			g->blocks[i]->power_on(g);
}

/* What was written before a pointer's register is seen by whatever reads the pointer. */
u32 regs_get(struct gpu *g, u32 off)
{
	return off < g->regs->size ? atomic_load_explicit(&g->regs->val[off / 4],
							  memory_order_acquire) : 0;
}

void regs_set(struct gpu *g, u32 off, u32 val)
{
	if (off < g->regs->size)
		atomic_store_explicit(&g->regs->val[off / 4], val, memory_order_release);
}

/* What does more than keep its value there; only GC does so in each XCC's window. */
static const struct reg_range *find(struct gpu *g, u32 off)
{
	u32 in_window = off - regs_window(off);

	return regs_xcc(off) && !is_gc(in_window) ? NULL : g->regs->range[in_window / 4];
}

/* A register's place in its row. */
static u32 index_in(struct gpu *g, const struct reg_range *r, u32 off)
{
	return (off - reg_at(g, regs_xcc(off), r->first)) / 4;
}

u32 regs_read(struct gpu *g, u32 off)
{
	const struct reg_range *r;

	if (off >= g->regs->size || off & 3)
		return 0;
	r = find(g, off);
	return r && r->read ? r->read(g, off, index_in(g, r, off)) : regs_get(g, off);
}

void regs_write(struct gpu *g, u32 off, u32 val)
{
	const struct reg_range *r;

	if (off >= g->regs->size || off & 3)
		return;
	r = find(g, off);
	if (r && r->write)
		r->write(g, off, index_in(g, r, off), val);
	else
		regs_set(g, off, val);
}

const struct block regs_block = {
	.name = "registers",
	.start = start,
	.free = destroy,
};
