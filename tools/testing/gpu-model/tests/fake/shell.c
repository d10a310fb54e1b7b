// SPDX-License-Identifier: GPL-2.0
/* Stand-ins for unit tests of the compute side; see shell.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "host/clock.h"
#include "host/log.h"
#include "bus/memory.h"
#include "vm/vm.h"
#include "cp/queue/pm4.h"
#include "bus/regs.h"
#include "compute/compute_regs.h"
#include "compute/spi.h"
#include "cp/cp_regs.h"
#include "sdma/sdma.h"
#include "shell.h"

/* ---- memory ---- */

static u8 *arena[ARENAS];
/* Waves fetch while a test unmaps. */
static _Atomic u8 unmapped[ARENAS][ARENA_BYTES / 4096];
static atomic_uint vmid_base[16], generation;

void *arena_ptr(unsigned int a, u64 va)
{
	if (a >= ARENAS || va < ARENA_VA || va >= ARENA_BYTES || unmapped[a][va / 4096])
		return NULL;
	if (!arena[a]) {
		void *p = mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (p == MAP_FAILED)
			abort();
		arena[a] = p;
	}
	return arena[a] + va;
}

void arena_map(unsigned int a, u64 va, bool mapped)
{
	unmapped[a][va / 4096] = !mapped;
	atomic_fetch_add(&generation, 1);
}

void arenas_reset(void)
{
	unsigned int i;

	for (i = 0; i < ARENAS; i++) {
		if (arena[i])
			munmap(arena[i], ARENA_BYTES);
		arena[i] = NULL;
	}
	memset((void *)unmapped, 0, sizeof(unmapped));
	for (i = 0; i < 16; i++)
		atomic_store(&vmid_base[i], 0);
}

unsigned int vmid_arena(unsigned int vmid)
{
	return atomic_load(&vmid_base[vmid]);
}

void *vm_ptr(struct gpu *g, unsigned int vmid, u64 va, size_t *span, bool write)
{
	unsigned int a = vmid ? vmid_arena(vmid) : 0;

	(void)g;
	(void)write;
	if (vmid && !a)
		return NULL;
	*span = 4096 - va % 4096;
	return arena_ptr(a, va);
}

void *vm_ptr_quiet(struct gpu *g, unsigned int vmid, u64 va, size_t *span, bool write)
{
	return vm_ptr(g, vmid, va, span, write);
}

static atomic_uint retry_mask;

static unsigned int hub[16];

void vm_set_retry(struct gpu *g, unsigned int vmid, bool on)
{
	(void)g;
	if (on)
		atomic_fetch_or(&retry_mask, 1u << vmid);
	else
		atomic_fetch_and(&retry_mask, ~(1u << vmid));
}

void vm_set_hub(struct gpu *g, unsigned int vmid, unsigned int xcc)
{
	(void)g;
	hub[vmid % 16] = xcc;
}

unsigned int vm_hub(struct gpu *g, unsigned int vmid)
{
	(void)g;
	return hub[vmid % 16];
}

bool vm_retries(struct gpu *g, unsigned int vmid)
{
	(void)g;
	return atomic_load(&retry_mask) >> vmid & 1;
}

bool vm_retry(struct gpu *g, unsigned int vmid, u64 va, bool write)
{
	if (!vm_retries(g, vmid))
		return false;
	log_event("page-retry", "vmid=%u va=0x%llx write=%d", vmid, (unsigned long long)va, write);
	return true;
}

bool vm_on_bus(struct gpu *g, unsigned int vmid, u64 va, u64 *addr)
{
	(void)g;
	(void)vmid;
	(void)va;
	(void)addr;
	return false;
}

static int copy(struct gpu *g, unsigned int vmid, u64 va, void *buf, size_t len, bool write)
{
	u8 *b = buf, *p;
	size_t span;

	while (len) {
		p = vm_ptr(g, vmid, va, &span, write);
		if (!p)
			return -EFAULT;
		if (span > len)
			span = len;
		if (write)
			memcpy(p, b, span);
		else
			memcpy(b, p, span);
		va += span;
		b += span;
		len -= span;
	}
	return 0;
}

int vm_read(struct gpu *g, unsigned int vmid, u64 va, void *buf, size_t len)
{
	return copy(g, vmid, va, buf, len, false);
}

int vm_write(struct gpu *g, unsigned int vmid, u64 va, const void *buf, size_t len)
{
	return copy(g, vmid, va, (void *)buf, len, true);
}

void mem_enter(struct gpu *g)
{
	(void)g;
}

void mem_exit(struct gpu *g)
{
	(void)g;
}

void vm_set_base(struct gpu *g, unsigned int vmid, u64 pde)
{
	(void)g;
	atomic_store(&vmid_base[vmid], pde);
	atomic_fetch_add(&generation, 1);
}

u32 vm_generation(struct gpu *g, unsigned int vmid)
{
	(void)g;
	(void)vmid;
	return atomic_load(&generation);
}

/* ---- registers ---- */

static atomic_uint wait_time[XCCS_MAX] = { [0 ... XCCS_MAX - 1] = 0x40404040 };
static _Atomic u64 watch_address;
static _Atomic u32 gws_vmid[XCCS_MAX][VM_COUNT];

void fake_set_grace(unsigned int xcc, u8 units)
{
	atomic_store(&wait_time[xcc], units << 8);
}

void fake_set_watch(u64 va)
{
	atomic_store(&watch_address, va);
}

/* GDS_GWS_VMIDn, or NULL. */
static _Atomic u32 *gws_register(const struct gpu *g, u32 off)
{
	u32 n = (off - reg_at(g, regs_xcc(off), REG_GDS_GWS_VMID0)) / 4;

	return n < VM_COUNT ? &gws_vmid[regs_xcc(off)][n] : NULL;
}

void regs_set(struct gpu *g, u32 off, u32 val)
{
	_Atomic u32 *r = gws_register(g, off);

	if (r)
		atomic_store(r, val);
}

/* What the compute side reads. */
u32 regs_get(struct gpu *g, u32 off)
{
	const _Atomic u32 *r = gws_register(g, off);

	if (r)
		return atomic_load(r);
	if (off == reg_at(g, regs_xcc(off), REG_CP_IQ_WAIT_TIME2))
		return atomic_load(&wait_time[regs_xcc(off)]);
	if (off == reg_at(g, 0, REG_TCP_WATCH0_ADDR_H))
		return atomic_load(&watch_address) >> 32;
	if (off == reg_at(g, 0, REG_TCP_WATCH0_ADDR_H) + 4)
		return atomic_load(&watch_address);
	return 0;
}

u64 spi_shader_trap(struct gpu *g, unsigned int vmid, enum shader_trap which)
{
	(void)g;
	(void)vmid;
	(void)which;
	return 0;
}

/* ---- interrupts and log ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ih_vector last[256];
static unsigned int count[256];
static u16 pasids[16];
static char *text;
static size_t used, size;

void ih_post(struct gpu *g, const struct ih_vector *v)
{
	(void)g;
	pthread_mutex_lock(&lock);
	last[v->source] = *v;
	count[v->source]++;
	pthread_mutex_unlock(&lock);
}

void ih_set_vmid_pasid(struct gpu *g, unsigned int vmid, u16 pasid)
{
	(void)g;
	pasids[vmid] = pasid;
}

u16 ih_vmid_pasid(struct gpu *g, unsigned int vmid)
{
	(void)g;
	return pasids[vmid];
}

unsigned int ih_count(u8 source)
{
	unsigned int n;

	pthread_mutex_lock(&lock);
	n = count[source];
	pthread_mutex_unlock(&lock);
	return n;
}

struct ih_vector ih_last(u8 source)
{
	struct ih_vector v;

	pthread_mutex_lock(&lock);
	v = last[source];
	pthread_mutex_unlock(&lock);
	return v;
}

void log_event(const char *event, const char *fmt, ...)
{
	va_list ap;

	pthread_mutex_lock(&lock);
	if (size - used < 512) {
		size = size ? size * 2 : 1 << 16;
		text = realloc(text, size);
		if (!text)
			abort();
	}
	used += sprintf(text + used, "%llu %s ", (unsigned long long)gpu_now(), event);
	va_start(ap, fmt);
	used += vsnprintf(text + used, 400, fmt, ap);
	va_end(ap);
	text[used++] = '\n';
	text[used] = 0;
	pthread_mutex_unlock(&lock);
}

void log_warn(const char *fmt, ...)
{
	(void)fmt;
}

void log_reset(void)
{
	pthread_mutex_lock(&lock);
	free(text);
	text = NULL;
	used = 0;
	size = 0;
	memset(count, 0, sizeof(count));
	pthread_mutex_unlock(&lock);
}

const char *log_text(void)
{
	return text ? text : "";
}

unsigned int log_count(const char *a, const char *b)
{
	char line[512];
	const char *p;
	unsigned int n = 0;

	pthread_mutex_lock(&lock);
	for (p = text; p && *p; p = strchr(p, '\n') + 1) {
		snprintf(line, sizeof(line), "%.*s", (int)(strchr(p, '\n') - p), p);
		n += strstr(line, a) && (!b || strstr(line, b));
	}
	pthread_mutex_unlock(&lock);
	return n;
}

/* ---- queue slots ---- */

static struct sdma_user sdma[16];
static unsigned int nsdma;
static struct hqd hqd[XCCS_MAX][MEC_COUNT][MEC_PIPES][MEC_QUEUES];

struct hqd *mec_hqd(struct gpu *g, unsigned int xcc, unsigned int me, unsigned int pipe,
		    unsigned int queue)
{
	(void)g;
	return &hqd[xcc][me - 1][pipe][queue];
}

void fake_mec_reset(struct gpu *g)
{
	struct hqd *h = &hqd[0][0][0][0];
	unsigned int i;

	(void)g;
	memset(hqd, 0, sizeof(hqd));
	nsdma = 0;
	for (i = 0; i < sizeof(hqd) / sizeof(*h); i++, h++) {
		h->xcc = i / (MEC_COUNT * MEC_PIPES * MEC_QUEUES);
		h->me = i / (MEC_PIPES * MEC_QUEUES) % MEC_COUNT + 1;
		h->pipe = i / MEC_QUEUES % MEC_PIPES;
		h->queue = i % MEC_QUEUES;
	}
}

struct pm4_state *mec_pm4(struct gpu *g, struct hqd *h)
{
	static struct pm4_state state[sizeof(hqd) / sizeof(*h)];

	(void)g;
	return &state[h - &hqd[0][0][0][0]];
}

int mec_map(struct gpu *g, struct hqd *h, u64 mqd, unsigned int vmid)
{
	if (vm_read(g, 0, mqd + HQD_MQD_DW * 4, h->reg, sizeof(h->reg)))
		return -EFAULT;
	h->mqd = mqd;
	h->vmid = vmid;
	h->active = true;
	h->is_user = true;
	h->doorbell = h->reg[HQD(MQD_DOORBELL_CONTROL)] >> 2 & 0x3ffffff;
	h->aql = h->reg[HQD(MQD_AQL_CONTROL)] & 1;
	return 0;
}

void mec_unmap(struct gpu *g, struct hqd *h)
{
	(void)g;
	memset(h->reg, 0, sizeof(h->reg));
	h->active = false;
	h->is_user = false;
	h->uq = NULL;
	h->mqd = 0;
	h->rung = false;
}

void mec_lock(struct gpu *g)
{
	pthread_mutex_lock(&g->mec_lock);
}

void mec_unlock(struct gpu *g)
{
	pthread_mutex_unlock(&g->mec_lock);
}

static atomic_bool kicked;

void mec_kick(struct gpu *g)
{
	(void)g;
	atomic_store(&kicked, true);
}

bool fake_mec_kicked(void)
{
	return atomic_exchange(&kicked, false);
}

static _Atomic u64 asked = NEVER;

/* The tests' command processor polls. */
void mec_kick_at(struct gpu *g, u64 t)
{
	(void)g;
	if (t < atomic_load(&asked))
		atomic_store(&asked, t);
}

u64 fake_mec_asked(void)
{
	return atomic_exchange(&asked, NEVER);
}

/* ---- SDMA queues: who is mapped ---- */

unsigned int sdma_first(const struct gpu *g, unsigned int xcc)
{
	(void)g;
	return xcc;
}

int sdma_map(struct gpu *g, const struct sdma_user *u)
{
	(void)g;
	if (nsdma == 16)
		return -EBUSY;
	sdma[nsdma++] = *u;
	return 0;
}

unsigned int sdma_unmap(struct gpu *g, sdma_wanted_fn *wanted, const void *ctx)
{
	unsigned int i, n = 0, count = nsdma;

	(void)g;
	for (i = 0; i < nsdma; i++)
		if (!wanted(ctx, sdma[i].vmid, sdma[i].pasid, 0))
			sdma[n++] = sdma[i];
	nsdma = n;
	return count - n;
}

const struct sdma_user *fake_sdma(u64 mqd)
{
	unsigned int i;

	for (i = 0; i < nsdma; i++)
		if (sdma[i].mqd == mqd)
			return &sdma[i];
	return NULL;
}

bool sdma_mapped(struct gpu *g, u64 mqd)
{
	(void)g;
	return fake_sdma(mqd);
}

bool sdma_vmid_used(struct gpu *g, unsigned int vmid)
{
	unsigned int i;

	(void)g;
	for (i = 0; i < nsdma && sdma[i].vmid != vmid; i++)
		;
	return i < nsdma;
}

#ifndef REAL_WAVES
#include "toy.c"
#endif
