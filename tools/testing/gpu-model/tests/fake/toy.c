// SPDX-License-Identifier: GPL-2.0
/* Waves that execute a toy program, in place of the instruction set; see shell.h. */

struct toy_desc {
	u64 magic;
	u64 entry;
	u32 vgprs, lds, scratch;
};

#define TOY_MAGIC	0x746f79746f79ull

void toy_kernel(void *kd, u64 entry, unsigned int vgprs, u32 lds, u32 scratch)
{
	*(struct toy_desc *)kd = (struct toy_desc){ TOY_MAGIC, entry, vgprs, lds, scratch };
}

int kernel_code_parse(struct kernel_code *k, const struct isa *isa, const u8 *kd, u64 va)
{
	struct toy_desc d;

	(void)isa;
	(void)va;
	memcpy(&d, kd, sizeof(d));
	if (d.magic != TOY_MAGIC)
		return -EINVAL;
	*k = (struct kernel_code){
		.entry = d.entry, .vgprs = d.vgprs, .acc_offset = d.vgprs / 2,
		.lanes = LANES, .sgprs = 32, .lds_bytes = d.lds, .scratch_bytes = d.scratch,
	};
	return 0;
}

struct workgroup *wg_alloc(unsigned int nwaves, unsigned int lanes, unsigned int vgprs,
			   unsigned int acc_offset, u32 lds_bytes)
{
	struct workgroup *wg = calloc(1, sizeof(*wg));
	unsigned int i;

	wg->waves = calloc(nwaves, sizeof(*wg->waves));
	wg->nwaves = nwaves;
	wg->lds = calloc(1, lds_bytes + 4);
	wg->lds_bytes = lds_bytes;
	for (i = 0; i < nwaves; i++) {
		wg->waves[i].vgpr = calloc(vgprs, sizeof(*wg->waves[i].vgpr));
		wg->waves[i].vgprs = vgprs;
		wg->waves[i].lanes = lanes;
		wg->waves[i].acc_offset = acc_offset;
		wg->waves[i].index = i;
		wg->waves[i].wg = wg;
	}
	return wg;
}

void wg_free(struct workgroup *wg)
{
	unsigned int i;

	for (i = 0; i < wg->nwaves; i++)
		free(wg->waves[i].vgpr);
	free(wg->waves);
	free(wg->lds);
	free(wg);
}

void wg_init_regs(struct workgroup *wg, const struct kernel_code *k,
		  const struct dispatch_regs *d, const u32 id[3], u32 scratch_slot)
{
	u32 wgs_x = (d->grid[0] - 1) / d->wgsize[0] + 1;
	unsigned int i, j, l;

	for (i = 0; i < wg->nwaves; i++) {
		struct wave *w = &wg->waves[i];

		w->pc = k->entry;
		w->sgpr[0] = id[0] + id[1] * wgs_x;
		w->sgpr[1] = d->kernarg;
		w->sgpr[2] = d->kernarg >> 32;
		if (d->user_data)
			memcpy(w->sgpr + 1, d->user_data, 8);
		w->sgpr[3] = 0;
		w->sgpr[4] = k->entry;
		w->sgpr[5] = i;
		w->sgpr[6] = scratch_slot;
		for (j = 0; j < w->vgprs; j++)
			for (l = 0; l < LANES; l++)
				w->vgpr[j][l] = w->sgpr[0] * 7919 + i * 131 + j * 17 + l;
	}
}

static u32 stir(u32 v)
{
	v ^= v << 13;
	v ^= v >> 17;
	return v ^ v << 5;
}

static u64 digest(const struct wave *w)
{
	u64 d = w->sgpr[0] + w->insns * 1000003 + w->mode;
	unsigned int j, l;

	for (j = 0; j < w->vgprs; j++)
		for (l = 0; l < LANES; l++)
			d = d * 6364136223846793005ull + w->vgpr[j][l];
	if (w->wg->lds_bytes)
		d = d * 31 + *(u32 *)(w->wg->lds + w->index * 4);
	return d;
}

static void *toy_at(struct wave *w, u64 va, bool write)
{
	size_t span;

	return w->mem->ptr(w->mem->ctx, va, &span, write);
}

enum wave_stop wave_run(struct wave *w, u32 *budget)
{
	u64 kernarg = w->sgpr[1] | (u64)w->sgpr[2] << 32, end;
	unsigned int j, l;
	u32 *insn, *word;

	while (*budget) {
		insn = toy_at(w, w->pc, false);
		if (!insn)
			return WAVE_FAULT;
		if ((*insn & 0xff) == TOY_LOAD && !toy_at(w, (u64)(*insn >> 8) << 12, false)) {
			w->fault_va = (u64)(*insn >> 8) << 12;
			return WAVE_FAULT;
		}
		w->last_pc = w->pc;
		w->pc += 4;
		w->insns++;
		(*budget)--;
		switch (*insn & 0xff) {
		case TOY_END: {
			u64 *out = toy_at(w, kernarg + (w->sgpr[0] * 4 + w->index) * 8, true);

			if (!out)
				return WAVE_FAULT;
			/* Waves of two dispatches may write the same word, as on hardware. */
			__atomic_store_n(out, digest(w), __ATOMIC_RELAXED);
			w->ended = true;
			return WAVE_END;
		}
		case TOY_MIX:
			for (j = 0; j < w->vgprs; j++)
				for (l = 0; l < LANES; l++)
					w->vgpr[j][l] = stir(w->vgpr[j][l] + w->sgpr[3]);
			w->mode += w->vgpr[w->vgprs - 1][63];
			w->scc = !w->scc;
			if (w->wg->lds_bytes)
				*(u32 *)(w->wg->lds + w->index * 4) += w->mode;
			break;
		case TOY_BARRIER:
			w->at_barrier = true;
			return WAVE_BARRIER;
		case TOY_LOOP:
			if (++w->sgpr[3] < *insn >> 8)
				w->pc = w->sgpr[4];
			break;
		case TOY_SLEEP:
			w->wake_at = gpu_now() + (u64)(*insn >> 8) * 1000;
			return WAVE_SLEEP;
		case TOY_STALL:
			for (end = gpu_now() + (u64)(*insn >> 8) * 1000; gpu_now() < end;)
				;
			break;
		case TOY_WAIT:
			word = toy_at(w, kernarg - 8, false);
			if (!word)
				return WAVE_FAULT;
			if (!__atomic_load_n(word, __ATOMIC_ACQUIRE)) {
				w->pc -= 4;
				w->insns--;
			}
			break;
		case TOY_LOAD:
			break;
		default:
			return WAVE_ILLEGAL;
		}
	}
	return WAVE_BUDGET;
}

bool wg_barrier_done(struct workgroup *wg)
{
	unsigned int i;

	for (i = 0; i < wg->nwaves; i++)
		if (!wg->waves[i].ended && !wg->waves[i].at_barrier)
			return false;
	for (i = 0; i < wg->nwaves; i++)
		wg->waves[i].at_barrier = false;
	return true;
}
