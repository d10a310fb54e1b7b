// SPDX-License-Identifier: GPL-2.0
/*
 * What save and restore cost: waves that hold values, as many and as large as the GPU has
 * room for. Registers are saved as they are allocated, so that the kernel's descriptor
 * alone makes them more.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "hwtest.h"
#include "ioctl_call.h"

#define GROUP		128	/* work-items: two waves */
#define FITS_MS		200	/* all workgroups of a dispatch that fits run by then */
#define ACC_TAG		0xacc

/* Of each compute unit; 0 groups: one in all. Where one does not fit it is left out. */
static const struct load {
	unsigned int groups, vgprs, lds;
} loads[] = {
	{ 0, 32, 512 }, { 1, 32, 512 }, { 4, 32, 512 }, { 16, 32, 512 },
	{ 1, 128, 512 }, { 4, 128, 512 }, { 8, 128, 512 },
	{ 1, 256, 512 }, { 2, 256, 512 }, { 4, 256, 512 },
	{ 1, 512, 512 }, { 2, 512, 512 },
	{ 1, 32, 16384 }, { 4, 32, 16384 }, { 1, 32, 65536 }, { 2, 256, 32768 },
};

/* What is known of a load: of its repetitions the shortest save, and the mean of restores. */
struct cost {
	double mib, save_us, restore_us;
};

/* ---- waves that hold values ---- */

/* How far each workgroup was: room for ten times as many as the largest GPU takes. */
static __u32 beats[1 << 16];

int hold_start(struct hwtest *t, struct hold_job *job, const struct aql_kernel *k,
	       unsigned int groups)
{
	size_t pages = (groups * sizeof(__u32) / KFD_PAGE + 1) * KFD_PAGE;
	char *p;
	int ret;

	memset(job, 0, sizeof(*job));
	if (groups > ARRAY_SIZE(beats))
		return -E2BIG;
	job->items = groups * GROUP;
	ret = kfd_alloc(&t->c.dev, &job->mem,
			KFD_PAGE + pages + job->items * 3 * sizeof(__u32), KFD_MEM_HOST);
	if (ret)
		return ret;
	p = job->mem.ptr;
	job->signal = (void *)p;
	job->args = (void *)(p + sizeof(*job->signal));
	job->stop = (__u32 *)(job->args + 1);
	job->beats = (__u32 *)(p + KFD_PAGE);
	job->out = (__u32 *)(p + KFD_PAGE + pages);
	job->args->stop = (uintptr_t)job->stop;
	job->args->beats = (uintptr_t)job->beats;
	job->args->out = (uintptr_t)job->out;
	job->args->tag = 1;
	aql_signal_init(job->signal, 1, NULL);
	aql_dispatch(&t->low, k, job->items, GROUP, job->args, job->signal);
	return 0;
}

static void hold_seen(const struct hold_job *job)
{
	unsigned int i;

	for (i = 0; i < job->items / GROUP; i++)
		beats[i] = job->beats[i];
}

/* Since hold_seen() each has moved. 0 or -ETIME. */
static int hold_moved(const struct hold_job *job, unsigned int timeout_ms)
{
	__u64 end = kfd_now() + timeout_ms * 1000000ULL;
	unsigned int i;

	for (i = 0; i < job->items / GROUP; i++)
		while (job->beats[i] == beats[i])
			if (kfd_now() > end)
				return -ETIME;
	return 0;
}

int hold_moves(const struct hold_job *job, unsigned int timeout_ms)
{
	hold_seen(job);
	return hold_moved(job, timeout_ms);
}

/* Accumulation registers, too, which hold_job_wrong() leaves to others. */
static unsigned int acc_wrong(const struct hold_job *job)
{
	unsigned int i, n = 0;

	for (i = 0; i < job->items; i++)
		n += job->out[3 * i + 1] != ((job->args->tag + i) ^ ACC_TAG);
	return n;
}

int hold_end(struct hwtest *t, struct hold_job *job)
{
	unsigned int wrong;
	int ret;

	ret = must(t, hold_job_end(&t->c, job), "see the waves end");
	if (ret)
		return ret;
	wrong = hold_job_wrong(job) + acc_wrong(job);
	kfd_free(&t->c.dev, &job->mem);
	return wrong ? anomaly(t, "WRONG RESULT: %u values that waves held are not what they were",
			       wrong) : 0;
}

/* ---- the kernel, with more registers and LDS ---- */

/* A kernel descriptor, LLVM AMDGPUUsage: what of it changes when it is moved or made larger. */
struct descriptor {
	__u32 group_bytes, private_bytes, kernarg_bytes, reserved0;
	__s64 entry;			/* from here */
	__u8 reserved1[20];
	__u32 rsrc3, rsrc1, rsrc2;
	__u8 reserved2[8];
};
_Static_assert(sizeof(struct descriptor) == 64, "kernel descriptor");

#define RSRC1_VGPRS	0x3f

/* From gfx90a on a wave has both kinds of registers from one file of 512, eight at a time. */
static bool one_file(const struct kfd_dev *dev)
{
	return dev->gfx_version == 90010 || dev->gfx_version >= 90400;
}

static unsigned int vgprs_max(const struct kfd_dev *dev)
{
	return one_file(dev) ? 512 : 256;
}

/* @mem: room for the descriptor, where the GPU reads code. */
static struct aql_kernel resize(struct hwtest *t, struct kfd_mem *mem, const struct load *l)
{
	const struct descriptor *from = (void *)(uintptr_t)t->c.hold.object;
	struct descriptor *to = mem->ptr;
	struct aql_kernel k = t->c.hold;

	*to = *from;
	to->entry += (char *)from - (char *)to;
	to->rsrc1 &= ~RSRC1_VGPRS;
	to->rsrc1 |= l->vgprs / (one_file(&t->c.dev) ? 8 : 4) - 1;
	k.object = (uintptr_t)to;
	k.group_bytes = l->lds;
	return k;
}

/* ---- measuring ---- */

int saved_bytes(struct hwtest *t, struct aql_queue *q, double *stack, double *waves)
{
	const struct kfd_context_save_area_header *header;
	struct kfd_ioctl_get_queue_wave_state_args args = {
		.ctl_stack_address = (uintptr_t)q->save.cwsr.ptr, .queue_id = q->id,
	};
	unsigned int i;
	int ret;

	ret = must(t, aql_update(q, 0, PRIORITY_LOW), "switch a queue off");
	ret = ret ?: must(t, kfd_ioctl(&t->c.dev, AMDKFD_IOC_GET_QUEUE_WAVE_STATE, &args),
			  "ask what was saved");
	for (i = 0; !ret && i < t->c.dev.xccs; i++) {
		header = (void *)((char *)q->save.cwsr.ptr + (size_t)i * t->c.dev.cwsr_size);
		if (stack)
			*stack += header->wave_state.control_stack_size;
		*waves += header->wave_state.wave_state_size;
	}
	return ret ?: must(t, aql_update(q, 100, PRIORITY_LOW), "switch a queue on");
}

static int hold_once(struct hwtest *t, struct hold_job *job, struct cost *cost)
{
	long long fence = gpreempt_number("stats/fence_wait_ns_total");
	double save_us;
	__u64 begin;
	int ret;

	ret = must(t, gpreempt_hold(&t->low, 0), "preempt a queue");
	if (ret)
		return ret;
	save_us = (gpreempt_number("stats/fence_wait_ns_total") - fence) / 1e3;
	/* others that want the driver's locks make it longer */
	if (!cost->save_us || save_us < cost->save_us)
		cost->save_us = save_us;
	hold_seen(job);
	begin = kfd_now();
	ret = must(t, gpreempt_resume(&t->low), "resume a queue");
	ret = ret ?: must(t, hold_moved(job, CLIENT_TIMEOUT_MS), "see all waves back");
	cost->restore_us += (kfd_now() - begin) / 1e3;
	return ret;
}

/* 1: there is no room for all of it at once. */
static int measure(struct hwtest *t, struct kfd_mem *code, const struct load *l,
		   struct cost *cost)
{
	unsigned int groups = l->groups ? l->groups * t->c.dev.cus : 1;
	struct aql_kernel k = resize(t, code, l);
	unsigned int i, n = TIMES(t, 3, 10);
	struct hold_job job;
	double stack = 0, waves = 0;
	int ret;

	ret = must(t, hold_start(t, &job, &k, groups), "get memory");
	if (ret)
		return ret;
	if (hold_moves(&job, FITS_MS))
		return hold_end(t, &job) ?: 1;
	ret = saved_bytes(t, &t->low, &stack, &waves);
	ret = ret ?: must(t, hold_moves(&job, CLIENT_TIMEOUT_MS), "see all waves back");
	for (i = 0; !ret && i < n; i++)
		ret = hold_once(t, &job, cost);
	cost->mib = (stack + waves) / (1 << 20);
	cost->restore_us /= n;
	return ret ?: hold_end(t, &job);
}

void line_through(const double *x, const double *y, unsigned int n, double *at_0, double *slope)
{
	double sx = 0, sy = 0, xx = 0, xy = 0;
	unsigned int i;

	for (i = 0; i < n; i++) {
		sx += x[i] / n;
		sy += y[i] / n;
		xx += x[i] * x[i] / n;
		xy += x[i] * y[i] / n;
	}
	*slope = (xy - sx * sy) / (xx - sx * sx);
	*at_0 = sy - *slope * sx;
}

/* us for nothing, and GiB a second. */
static void report_line(struct hwtest *t, const char *what, const double *mib, const double *us,
			unsigned int n)
{
	double fixed, slope;
	char name[32];

	line_through(mib, us, n, &fixed, &slope);
	snprintf(name, sizeof(name), "%s_fixed_us", what);
	report_figure(t->report, name, fixed);
	snprintf(name, sizeof(name), "%s_gib_per_s", what);
	report_figure(t->report, name, 1e6 / 1024 / slope);
}

static void add_row(struct hwtest *t, const struct load *l, const struct cost *cost)
{
	const double row[] = {
		HOLD_WAVES * (l->groups ? l->groups * t->c.dev.cus : 1), l->vgprs, l->lds,
		cost->mib, cost->save_us, cost->restore_us,
	};
	char name[32];

	snprintf(name, sizeof(name), "%u", l->groups);
	report_row(t->report, l->groups ? name : "one in all", row, ARRAY_SIZE(row));
}

int step_cost(struct hwtest *t)
{
	double mib[ARRAY_SIZE(loads)], save[ARRAY_SIZE(loads)], restore[ARRAY_SIZE(loads)];
	struct kfd_mem code;
	unsigned int i, n = 0;
	int ret;

	ret = gpreempt_on(t, "none");
	ret = ret ?: must(t, kfd_alloc(&t->c.dev, &code, KFD_PAGE, KFD_MEM_CODE), "get memory");
	if (ret)
		return ret;
	for (i = 0; i < ARRAY_SIZE(loads); i++) {
		struct cost cost = {};

		if (loads[i].vgprs > vgprs_max(&t->c.dev))
			continue;
		ret = measure(t, &code, &loads[i], &cost);
		if (ret < 0)
			return ret;
		if (ret)
			continue;
		add_row(t, &loads[i], &cost);
		mib[n] = cost.mib;
		save[n] = cost.save_us;
		restore[n++] = cost.restore_us;
	}
	kfd_free(&t->c.dev, &code);
	report_line(t, "save", mib, save, n);
	report_line(t, "restore", mib, restore, n);
	report_says(t->report, "%u loads of waves saved and restored, every value exact", n);
	return n > 1 ? 0 : anomaly(t, "not two loads fit on the machine");
}

/* Of the time that is not given, so much has to be won. */
#define GRACE_WORTH	0.5

/* Where waves get another time than GPREEMPT asks for, the clock of the register is another. */
int step_grace(struct hwtest *t)
{
	static const struct load load = { 1, 32, 512 };
	long long found_us = gpreempt_number("grace_us"), proposed_us;
	double us[4], save[ARRAY_SIZE(us)], fixed, slope;
	struct kfd_mem code;
	unsigned int i;
	char name[32];
	int ret;

	if (found_us <= 0) {
		report_says(t->report, "no grace period is set, or none can be");
		return 0;
	}
	ret = gpreempt_on(t, "none");
	ret = ret ?: must(t, kfd_alloc(&t->c.dev, &code, KFD_PAGE, KFD_MEM_CODE), "get memory");
	for (i = 0; !ret && i < ARRAY_SIZE(us); i++) {
		struct cost cost = {};

		us[i] = i * found_us / (ARRAY_SIZE(us) - 1);
		ret = must(t, gpreempt_set("grace_us", us[i]), "set grace_us");
		ret = ret ?: measure(t, &code, &load, &cost);
		if (ret > 0)
			ret = anomaly(t, "two waves a unit do not fit on the machine");
		save[i] = cost.save_us;
		snprintf(name, sizeof(name), "%.0f", us[i]);
		if (!ret)
			report_row(t->report, name, &save[i], 1);
	}
	ret = ret ?: must(t, gpreempt_set("grace_us", found_us), "set grace_us");
	if (ret)
		return ret;
	kfd_free(&t->c.dev, &code);
	line_through(us, save, ARRAY_SIZE(us), &fixed, &slope);
	report_figure(t->report, "found_us", found_us);
	report_figure(t->report, "us_for_each_us", slope);
	report_figure(t->report, "save_without_us", fixed);
	/* measure() has found each value exact, also with none */
	proposed_us = slope < GRACE_WORTH ? found_us : 0;
	report_figure(t->report, "proposed_us", proposed_us);
	report_says(t->report,
		    "a save takes %.2f us longer for each us of grace_us; proposed: grace_us=%lld",
		    slope, proposed_us);
	return 0;
}
