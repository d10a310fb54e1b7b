// SPDX-License-Identifier: GPL-2.0
/*
 * gpu-model exec: run one kernel of a code object with no device around it,
 * each host thread one workgroup after the other. Model time is that of one
 * compute unit.
 */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "isa/code_object.h"
#include "isa/exec.h"
#include "host/params.h"
#include "isa.h"

#define PAGE		4096ull
#define CODE_VA		0x100000000ull
#define DATA_VA		0x200000000ull
#define DATA_STEP	0x100000000ull		/* a hole after each buffer */
/* Apertures as amdkfd places them (kfd_flat_memory.c, gfx9). */
#define SHARED_VA	0x1000000000000ull
#define PRIVATE_VA	0x2000000000000ull

#define AQL_KERNEL_DISPATCH	2	/* packet type, HSA runtime specification */

#define MAX_REGIONS	80
#define LDS_MAX		65536u
#define THREADS_MAX	64

static const char usage[] =
"usage: gpu-model exec FILE.co KERNEL --grid X[,Y,Z] --workgroup X[,Y,Z] [options]\n"
"\n"
"  --arg u8|u16|u32|u64|i8|i16|i32|i64|f32|f64:VALUE\n"
"  --arg buf:BYTES[:IN][:OUT]   a buffer; contents from IN, written to OUT\n"
"  --arg lds:BYTES              a local pointer argument\n"
"  --threads N                  host threads that run workgroups (default 1)\n"
"  --slice N                    instructions a wave runs before the next one does\n"
"  --migrate                    move waves to new memory after each slice\n"
"  --build NAME                 how instructions are executed: of \"reference\", \"plain\" and\n"
"                               the host's own the fastest (default) has the same results\n";

/* Memory of the kernel; its first out_bytes go to file @out at the end. */
struct region {
	u64 va, size;
	u8 *host;
	const char *out;
	size_t out_bytes;
};

struct exec {
	struct region region[MAX_REGIONS];
	unsigned int nregions;
	struct code_object co;
	struct co_kernel kernel;
	struct kernel_code code;
	struct dispatch_regs regs;
	struct wave_mem mem;
	u32 gws[GWS_RESOURCES];
	u8 *kernarg;
	char *spec[CO_MAX_ARGS];
	u32 lds_bytes;
	u32 slice;
	u32 threads;
	bool migrate;
	u32 wg_waves;		/* of a full workgroup */
	u32 wgs[3];		/* workgroups of the grid */
	u64 next_wg;		/* the next one to run; atomic */
};

/* A host thread; its waves have scratch of their own from @slot on. */
struct runner {
	struct exec *e;
	pthread_t thread;
	u32 slot;
	u64 insns, model_ns;
	int err;
};

static int fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static int fail(const char *fmt, ...)
{
	va_list ap;

	fputs("gpu-model exec: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return -1;
}

static void *region_ptr(void *ctx, u64 va, size_t *span, bool write)
{
	const struct exec *e = ctx;

	(void)write;
	for (unsigned int n = 0; n < e->nregions; n++) {
		const struct region *r = &e->region[n];

		if (va - r->va < r->size) {
			*span = r->size - (va - r->va);
			return r->host + (va - r->va);
		}
	}
	return NULL;
}

static u32 region_generation(void *ctx)
{
	(void)ctx;
	return 1;
}

/* Whole pages at @va; NULL when memory or the table is used up. */
static struct region *region_add(struct exec *e, u64 va, u64 bytes, u8 *host)
{
	struct region *r = &e->region[e->nregions];

	if (e->nregions == MAX_REGIONS)
		return NULL;
	r->va = va;
	r->size = (bytes + PAGE - 1) & ~(PAGE - 1);
	if (!r->size)
		r->size = PAGE;
	r->host = host ? host : aligned_alloc(PAGE, r->size);
	if (!r->host)
		return NULL;
	if (!host)
		memset(r->host, 0, r->size);
	e->nregions++;
	return r;
}

static u64 next_va(const struct exec *e)
{
	return DATA_VA + e->nregions * DATA_STEP;
}

static u8 *read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	u8 *buf = NULL;
	size_t room = 0, n;

	*size = 0;
	if (!f)
		return NULL;
	do {
		if (*size == room) {
			u8 *more = realloc(buf, room = room ? 2 * room : 65536);

			if (!more) {
				free(buf);
				fclose(f);
				return NULL;
			}
			buf = more;
		}
		n = fread(buf + *size, 1, room - *size, f);
		*size += n;
	} while (n);
	fclose(f);
	return buf;
}

/* X[,Y,Z] */
static bool parse_dims(const char *s, u32 d[3])
{
	char tail;
	int n;

	d[0] = d[1] = d[2] = 1;
	n = sscanf(s, "%u,%u,%u%c", &d[0], &d[1], &d[2], &tail);
	if (n < 1 || n > 3)
		return false;
	return d[0] && d[1] && d[2];
}

/* Explicit argument @index of the kernel, or NULL: one too many. */
static const struct co_arg *explicit_arg(const struct exec *e, unsigned int index)
{
	for (unsigned int n = 0; n < e->kernel.nargs; n++) {
		if (!strncmp(e->kernel.args[n].kind, "hidden_", 7))
			continue;
		if (!index--)
			return &e->kernel.args[n];
	}
	return NULL;
}

static int value_arg(struct exec *e, const struct co_arg *a, const char *type, const char *text)
{
	unsigned int bytes = (unsigned int)strtoul(type + 1, NULL, 10) / 8;
	char *end;
	u64 v;

	errno = 0;
	if (type[0] == 'f') {
		double d = strtod(text, &end);
		float f = (float)d;

		if (bytes == 4) {
			v = 0;
			memcpy(&v, &f, 4);
		} else {
			memcpy(&v, &d, 8);
		}
	} else {
		v = type[0] == 'i' ? (u64)strtoll(text, &end, 0) : strtoull(text, &end, 0);
		if (bytes < 8 && type[0] == 'u' && v >> 8 * bytes)
			errno = ERANGE;
		if (bytes < 8 && type[0] == 'i' && (s64)v >> (8 * bytes - 1) != 0 &&
		    (s64)v >> (8 * bytes - 1) != -1)
			errno = ERANGE;
	}
	if (errno || *end || end == text)
		return fail("--arg %s:%s: not a value of that type", type, text);
	if (strcmp(a->kind, "by_value") || a->size != bytes)
		return fail("--arg %s:%s: the kernel takes %s of %u bytes here", type, text,
			    a->kind, a->size);
	memcpy(e->kernarg + a->offset, &v, bytes);
	return 0;
}

static int buffer_arg(struct exec *e, const struct co_arg *a, char *text)
{
	char *in = strchr(text, ':'), *out = NULL, *end;
	struct region *r;
	u64 bytes;

	if (in) {
		*in++ = 0;
		out = strchr(in, ':');
		if (out)
			*out++ = 0;
	}
	bytes = strtoull(text, &end, 0);
	if (*end || end == text || bytes > 1ull << 32)
		return fail("--arg buf:%s: not a size", text);
	if (a->size != 8 || (strcmp(a->kind, "global_buffer") && strcmp(a->kind, "by_value")))
		return fail("--arg buf:%s: the kernel takes %s of %u bytes here", text, a->kind,
			    a->size);
	r = region_add(e, next_va(e), bytes, NULL);
	if (!r)
		return fail("--arg buf:%s: out of memory", text);
	memcpy(e->kernarg + a->offset, &r->va, 8);
	r->out = out;
	r->out_bytes = bytes;
	if (in && *in) {
		size_t size;
		u8 *data = read_file(in, &size);

		if (!data)
			return fail("%s: cannot read it", in);
		if (size > bytes) {
			free(data);
			return fail("%s: has %zu bytes, the buffer %llu", in, size,
				    (unsigned long long)bytes);
		}
		memcpy(r->host, data, size);
		free(data);
	}
	return 0;
}

static int lds_arg(struct exec *e, const struct co_arg *a, const char *text)
{
	char *end;
	u64 bytes = strtoull(text, &end, 0);
	u32 at = (e->lds_bytes + 15) & ~15u;

	if (*end || end == text || bytes > LDS_MAX || at + bytes > LDS_MAX)
		return fail("--arg lds:%s: not a size, or above %u bytes", text, LDS_MAX);
	if (strcmp(a->kind, "dynamic_shared_pointer") || a->size != sizeof(at))
		return fail("--arg lds:%s: the kernel takes %s of %u bytes here", text, a->kind,
			    a->size);
	memcpy(e->kernarg + a->offset, &at, 4);
	e->lds_bytes = at + bytes;
	return 0;
}

static int set_arg(struct exec *e, const struct co_arg *a, char *spec)
{
	static const char *const types[] = {
		"u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f32", "f64",
	};
	char *text = strchr(spec, ':');

	if (!text)
		return fail("--arg %s: want TYPE:VALUE", spec);
	*text++ = 0;
	if (!strcmp(spec, "buf"))
		return buffer_arg(e, a, text);
	if (!strcmp(spec, "lds"))
		return lds_arg(e, a, text);
	for (unsigned int n = 0; n < sizeof(types) / sizeof(types[0]); n++)
		if (!strcmp(spec, types[n]))
			return value_arg(e, a, spec, text);
	return fail("--arg %s: unknown type", spec);
}

static u32 grid_dims(const struct dispatch_regs *r)
{
	return r->grid[2] > 1 ? 3 : r->grid[1] > 1 ? 2 : 1;
}

/* What the compiler may ask for besides: sizes by the dispatch, the rest zero. */
static void hidden_args(struct exec *e)
{
	static const char axis[3] = "xyz";
	const struct dispatch_regs *r = &e->regs;

	for (unsigned int n = 0; n < e->kernel.nargs; n++) {
		const struct co_arg *a = &e->kernel.args[n];
		u64 v = 0;

		for (unsigned int d = 0; d < 3; d++) {
			char name[40];

			snprintf(name, sizeof(name), "hidden_block_count_%c", axis[d]);
			if (!strcmp(a->kind, name))
				v = r->grid[d] / r->wgsize[d];
			snprintf(name, sizeof(name), "hidden_group_size_%c", axis[d]);
			if (!strcmp(a->kind, name))
				v = r->wgsize[d];
			snprintf(name, sizeof(name), "hidden_remainder_%c", axis[d]);
			if (!strcmp(a->kind, name))
				v = r->grid[d] % r->wgsize[d];
		}
		if (!strcmp(a->kind, "hidden_grid_dims"))
			v = grid_dims(r);
		if (!strncmp(a->kind, "hidden_", 7) && a->size <= 8)
			memcpy(e->kernarg + a->offset, &v, a->size);
	}
}

/* Kernel-dispatch packet, queue, scratch, and the registers that name them. */
static int setup_dispatch(struct exec *e)
{
	struct dispatch_regs *r = &e->regs;
	struct region *packet, *scratch, *queue;
	u16 wg[3] = { r->wgsize[0], r->wgsize[1], r->wgsize[2] };
	u32 header = AQL_KERNEL_DISPATCH | grid_dims(r) << 16;

	packet = region_add(e, next_va(e), PAGE, NULL);
	queue = region_add(e, next_va(e), PAGE, NULL);
	r->private_bytes = e->code.scratch_bytes;
	r->scratch_wave_bytes = (e->code.scratch_bytes * e->code.lanes + 1023) & ~1023u;
	scratch = region_add(e, next_va(e), (u64)r->scratch_wave_bytes * e->wg_waves * e->threads,
			     NULL);
	if (!packet || !queue || !scratch)
		return fail("out of memory");
	memcpy(packet->host, &header, sizeof(header));
	memcpy(packet->host + 4, wg, sizeof(wg));
	memcpy(packet->host + 12, r->grid, sizeof(r->grid));
	memcpy(packet->host + 24, &e->code.scratch_bytes, 4);
	memcpy(packet->host + 28, &e->lds_bytes, 4);
	r->dispatch_ptr = packet->va;
	r->queue_ptr = queue->va;
	r->scratch_base = scratch->va;
	r->flat_scratch_init = scratch->va;
	/* Swizzled, index stride 64, lane added: as ROCr sets it up on gfx9. */
	r->private_rsrc[0] = (u32)scratch->va;
	r->private_rsrc[1] = (u32)(scratch->va >> 32) | 1u << 31;
	r->private_rsrc[2] = (u32)scratch->size;
	r->private_rsrc[3] = 3u << 21 | 1u << 23;
	return 0;
}

/* Move the workgroup to memory of its own, as save and restore do. */
static struct workgroup *migrate(struct workgroup *old)
{
	const struct wave *w0 = old->waves;
	struct workgroup *wg = wg_alloc(old->nwaves, w0->lanes, w0->vgprs, w0->acc_offset,
					old->lds_bytes);

	if (!wg)
		return NULL;
	memcpy(wg->lds, old->lds, old->lds_bytes);
	for (unsigned int n = 0; n < wg->nwaves; n++) {
		struct wave *d = &wg->waves[n];
		const struct wave *s = &old->waves[n];
		u32 (*vgpr)[LANES] = d->vgpr;

		memcpy(vgpr, s->vgpr, (size_t)s->vgprs * sizeof(*vgpr));
		*d = *s;
		d->vgpr = vgpr;
		d->wg = wg;
		wave_drop_tlb(d);
	}
	wg_free(old);
	return wg;
}

static void sleep_until(u64 t)
{
	struct timespec ts = { t / 1000000000, t % 1000000000 };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

/* 1: ran; 0: has ended or waits; -1: error */
static int run_wave(struct exec *e, struct wave *w)
{
	u32 budget = e->slice;

	if (w->ended || w->at_barrier)
		return 0;
	switch (wave_run(w, &budget)) {
	case WAVE_FAULT:
		return fail("page fault at %#llx, pc %#llx", (unsigned long long)w->fault_va,
			    (unsigned long long)w->pc);
	case WAVE_ILLEGAL:
		return fail("instruction not supported, pc %#llx", (unsigned long long)w->pc);
	case WAVE_TRAP:
		return fail("trap %u, pc %#llx", w->trap_id, (unsigned long long)w->pc);
	case WAVE_SLEEP:
		sleep_until(w->wake_at);
		break;
	default:
		break;
	}
	return 1;
}

static int run_workgroup(struct runner *r, const u32 id[3])
{
	struct exec *e = r->e;
	u64 simd[CU_SIMDS] = { 0 }, longest = 0;
	struct workgroup *wg = wg_alloc(wg_nwaves(&e->code, &e->regs, id), e->code.lanes,
					e->code.vgprs, e->code.acc_offset, e->lds_bytes);
	int err = 0, running = 1;

	if (!wg)
		return fail("out of memory");
	wg_init_regs(wg, &e->code, &e->regs, id, r->slot);
	for (unsigned int n = 0; n < wg->nwaves; n++)
		wg->waves[n].mem = &e->mem;
	while (running && !err) {
		running = 0;
		for (unsigned int n = 0; n < wg->nwaves && !err; n++) {
			int ran = run_wave(e, &wg->waves[n]);

			if (ran < 0)
				err = ran;
			else
				running |= ran;
		}
		if (wg_barrier_done(wg))
			running = 1;
		if (e->migrate && !err) {
			struct workgroup *moved = migrate(wg);

			if (!moved)
				err = fail("out of memory");
			else
				wg = moved;
		}
	}
	for (unsigned int n = 0; n < wg->nwaves; n++) {
		r->insns += wg->waves[n].insns;
		simd[n % CU_SIMDS] += wg->waves[n].insns;
		if (simd[n % CU_SIMDS] > longest)
			longest = simd[n % CU_SIMDS];
	}
	r->model_ns += longest * param.issue_ns;
	wg_free(wg);
	return err;
}

static void *run_workgroups(void *arg)
{
	struct runner *r = arg;
	struct exec *e = r->e;
	u64 all = (u64)e->wgs[0] * e->wgs[1] * e->wgs[2];

	while (!r->err) {
		u64 n = __atomic_fetch_add(&e->next_wg, 1, __ATOMIC_RELAXED);
		u32 id[3] = {
			n % e->wgs[0],
			n / e->wgs[0] % e->wgs[1],
			n / e->wgs[0] / e->wgs[1],
		};

		if (n >= all)
			break;
		r->err = run_workgroup(r, id);
		if (r->err)	/* nobody starts another one */
			__atomic_store_n(&e->next_wg, all, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* @sum: out: instructions and model time of all threads. */
static int run_grid(struct exec *e, struct runner *sum)
{
	struct runner runner[THREADS_MAX] = { 0 };
	u32 started;

	for (started = 0; started < e->threads; started++) {
		struct runner *r = &runner[started];

		r->e = e;
		r->slot = started * e->wg_waves;
		if (pthread_create(&r->thread, NULL, run_workgroups, r)) {
			sum->err = fail("cannot start thread %u", started + 1);
			break;
		}
	}
	while (started--) {
		struct runner *r = &runner[started];

		pthread_join(r->thread, NULL);
		sum->insns += r->insns;
		sum->model_ns += r->model_ns;
		if (r->err)
			sum->err = r->err;
	}
	return sum->err;
}

static int write_outputs(const struct exec *e)
{
	for (unsigned int n = 0; n < e->nregions; n++) {
		const struct region *r = &e->region[n];
		FILE *f;
		bool ok;

		if (!r->out || !*r->out)
			continue;
		f = fopen(r->out, "wb");
		ok = f && fwrite(r->host, 1, r->out_bytes, f) == r->out_bytes;
		if (f && fclose(f))
			ok = false;
		if (!ok)
			return fail("%s: cannot write it", r->out);
	}
	return 0;
}

static int load_kernel(struct exec *e, const u8 *file, size_t size, const char *path,
		       const char *name)
{
	const char *err;
	struct region *r;

	if (code_object_load(&e->co, file, size, CODE_VA, &err))
		return fail("%s: %s", path, err);
	if (!region_add(e, CODE_VA, e->co.size, e->co.image)) {
		code_object_free(&e->co);
		return fail("out of memory");
	}
	if (code_object_kernel(&e->co, name, &e->kernel, &err))
		return fail("%s: %s: %s", path, name, err);
	if (kernel_code_parse(&e->code, e->co.isa, e->co.image + e->kernel.descriptor,
			      CODE_VA + e->kernel.descriptor))
		return fail("%s: %s: bad kernel descriptor", path, name);
	e->mem.isa = e->co.isa;
	e->regs.flat_scratch = e->co.isa->flat_scratch;
	e->lds_bytes = e->code.lds_bytes;
	r = region_add(e, next_va(e), e->kernel.kernarg_bytes, NULL);
	if (!r)
		return fail("out of memory");
	e->kernarg = r->host;
	e->regs.kernarg = r->va;
	return 0;
}

static const struct isa_build *find_build(const char *name)
{
	unsigned int n;
	const struct isa_build *b = isa_builds(&n);

	while (n--)
		if (!strcmp(b[n].name, name))
			return &b[n];
	return NULL;
}

/* Options after FILE and KERNEL. */
static int parse_options(struct exec *e, int argc, char **argv)
{
	u32 grid[3] = { 0 }, wg[3] = { 0 };
	unsigned int nargs = 0;

	for (int n = 0; n < argc; n++) {
		const char *opt = argv[n];
		char *val = n + 1 < argc ? argv[n + 1] : NULL;

		if (!strcmp(opt, "--migrate")) {
			e->migrate = true;
			continue;
		}
		if (!val)
			return fail("%s: unknown option, or no value given\n%s", opt, usage);
		n++;
		if (!strcmp(opt, "--grid") || !strcmp(opt, "--workgroup")) {
			if (!parse_dims(val, opt[2] == 'g' ? grid : wg))
				return fail("%s %s: want X[,Y,Z], none of them 0", opt, val);
		} else if (!strcmp(opt, "--slice")) {
			char *end;

			e->slice = strtoul(val, &end, 0);
			if (*end || !e->slice)
				return fail("--slice %s: want a number above 0", val);
		} else if (!strcmp(opt, "--threads")) {
			char *end;

			e->threads = strtoul(val, &end, 0);
			if (*end || !e->threads || e->threads > THREADS_MAX)
				return fail("--threads %s: want a number from 1 to %u", val,
					    THREADS_MAX);
		} else if (!strcmp(opt, "--build")) {
			e->mem.build = find_build(val);
			if (!e->mem.build)
				return fail("--build %s: there is none, or not for this host", val);
		} else if (!strcmp(opt, "--arg")) {
			const struct co_arg *a = explicit_arg(e, nargs++);

			if (!a)
				return fail("--arg %s: the kernel takes %u arguments", val,
					    nargs - 1);
			e->spec[nargs - 1] = strdup(val);
			if (!e->spec[nargs - 1])
				return fail("out of memory");
			if (set_arg(e, a, e->spec[nargs - 1]))
				return -1;
		} else {
			return fail("%s: unknown option\n%s", opt, usage);
		}
	}
	if (explicit_arg(e, nargs))
		return fail("the kernel takes more than the %u arguments given", nargs);
	if (!grid[0] || !wg[0])
		return fail("--grid and --workgroup must be given");
	if ((u64)wg[0] * wg[1] * wg[2] > WG_ITEMS_MAX || wg[0] > 1024 ||
	    wg[1] > 1024 || wg[2] > 1024)
		return fail("a workgroup has at most %u work-items", WG_ITEMS_MAX);
	for (unsigned int d = 0; d < 3; d++) {
		e->regs.grid[d] = grid[d];
		e->regs.wgsize[d] = wg[d];
		e->wgs[d] = (grid[d] - 1) / wg[d] + 1;
	}
	e->wg_waves = (wg[0] * wg[1] * wg[2] + e->code.lanes - 1) / e->code.lanes;
	hidden_args(e);
	return setup_dispatch(e);
}

int exec_main(int argc, char **argv)
{
	struct exec e = {
		.slice = 4096,
		.threads = 1,
		.mem = {
			.ptr = region_ptr,
			.generation = region_generation,
			.shared_base = SHARED_VA,
			.private_base = PRIVATE_VA,
		},
	};
	struct runner sum = { 0 };
	u64 begin, host_ns = 0;
	size_t size;
	u8 *file;
	int err;

	if (argc > 1 && !strcmp(argv[1], "--help")) {
		fputs(usage, stdout);
		return 0;
	}
	if (argc < 3) {
		fputs(usage, stderr);
		return 2;
	}
	e.mem.ctx = &e;
	e.mem.gws = e.gws;
	file = read_file(argv[1], &size);
	if (!file) {
		fail("%s: cannot read it", argv[1]);
		return 1;
	}
	err = load_kernel(&e, file, size, argv[1], argv[2]);
	if (!err)
		err = parse_options(&e, argc - 3, argv + 3);
	if (!err) {
		begin = gpu_now();
		err = run_grid(&e, &sum);
		host_ns = gpu_now() - begin;
	}
	if (!err)
		err = write_outputs(&e);
	if (!err)
		printf("instructions %llu\nmodel_time_us %llu\nhost_time_us %llu\n",
		       (unsigned long long)sum.insns,
		       (unsigned long long)(sum.model_ns / NS_PER_US),
		       (unsigned long long)(host_ns / NS_PER_US));
	for (unsigned int n = 0; n < e.nregions; n++)
		free(e.region[n].host);
	for (unsigned int n = 0; n < CO_MAX_ARGS; n++)
		free(e.spec[n]);
	free(file);
	return err ? 1 : 0;
}
