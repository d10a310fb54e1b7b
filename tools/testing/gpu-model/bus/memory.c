// SPDX-License-Identifier: GPL-2.0
/* VRAM and guest memory; see memory.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bus/memory.h"
#include "host/log.h"

#define PAGE		4096ull
#define MAX_MAPS	1024

struct dma_map {
	u64 iova, size;
	u8 *host;		/* NULL: taken, but not reachable */
	bool write;
};

/**
 * struct mem - memory of one device
 * @users:	read-held by who uses host pointers, write-held to change @map
 * @map:	ordered by iova
 * @gen:	see mem_generation()
 */
struct mem {
	int fd;
	u8 *vram;
	u64 vram_size;
	pthread_rwlock_t users;
	struct dma_map map[MAX_MAPS];
	unsigned int maps;
	_Atomic u32 gen;
};

static _Thread_local unsigned int enter_depth;

static int start(struct gpu *g)
{
	struct mem *m = calloc(1, sizeof(*m));
	pthread_rwlockattr_t attr;
	int err;

	if (!m)
		return -ENOMEM;
	m->vram_size = (u64)g->cfg.vram_mb << 20;
	m->fd = memfd_create("gpu-model-vram", MFD_CLOEXEC);
	if (m->fd < 0) {
		err = -errno;
		goto out_free;
	}
	if (ftruncate(m->fd, m->vram_size)) {
		err = -errno;
		goto out_close;
	}
	m->vram = mmap(NULL, m->vram_size, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_NORESERVE, m->fd, 0);
	if (m->vram == MAP_FAILED) {
		err = -errno;
		goto out_close;
	}
	/* Writers first: else busy waves would hold a DMA_UNMAP up for good. */
	pthread_rwlockattr_init(&attr);
	pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&m->users, &attr);
	pthread_rwlockattr_destroy(&attr);
	g->mem = m;
	return 0;

out_close:
	close(m->fd);
out_free:
	free(m);
	return err;
}

static void destroy(struct gpu *g)
{
	struct mem *m = g->mem;

	if (!m)
		return;
	mem_dma_unmap_all(g);
	munmap(m->vram, m->vram_size);
	close(m->fd);
	pthread_rwlock_destroy(&m->users);
	free(m);
	g->mem = NULL;
}

void mem_lose_vram(struct gpu *g)
{
	struct mem *m = g->mem;

	if (fallocate(m->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, m->vram_size))
		log_warn("cannot clear VRAM: %s", strerror(errno));
}

int mem_vram_fd(struct gpu *g)
{
	return g->mem->fd;
}

u64 mem_vram_size(struct gpu *g)
{
	return g->mem->vram_size;
}

void mem_enter(struct gpu *g)
{
	if (enter_depth++ == 0)
		pthread_rwlock_rdlock(&g->mem->users);
}

void mem_exit(struct gpu *g)
{
	if (--enter_depth == 0)
		pthread_rwlock_unlock(&g->mem->users);
}

/* Index of the first map that ends above @addr. */
static unsigned int map_find(const struct mem *m, u64 addr)
{
	unsigned int lo = 0, hi = m->maps;

	while (lo < hi) {
		unsigned int mid = (lo + hi) / 2;

		if (m->map[mid].iova + m->map[mid].size <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

int mem_dma_map(struct gpu *g, u64 iova, u64 size, int fd, u64 offset, bool write)
{
	struct mem *m = g->mem;
	struct stat st;
	u8 *host = NULL;
	unsigned int i;
	int err = 0;

	if (!size || iova + size < iova || offset + size < offset ||
	    (iova | size | offset) & (PAGE - 1))
		return -EINVAL;
	if (fd >= 0) {
		/* A file shorter than the map would kill the model with SIGBUS. */
		if (fstat(fd, &st) || st.st_size < 0 || offset + size > (u64)st.st_size)
			return -EINVAL;
		host = mmap(NULL, size, PROT_READ | (write ? PROT_WRITE : 0),
			    MAP_SHARED | MAP_NORESERVE, fd, offset);
		if (host == MAP_FAILED)
			return -errno;
	}

	pthread_rwlock_wrlock(&m->users);
	i = map_find(m, iova);
	if (i < m->maps && m->map[i].iova < iova + size) {
		err = -EEXIST;
	} else if (m->maps == MAX_MAPS) {
		err = -ENOSPC;
	} else {
		memmove(&m->map[i + 1], &m->map[i], (m->maps - i) * sizeof(m->map[0]));
		m->map[i] = (struct dma_map){ iova, size, host, write };
		m->maps++;
	}
	pthread_rwlock_unlock(&m->users);
	if (err && host)
		munmap(host, size);
	return err;
}

/* Remove maps [first, first + n); users is write-held. */
static void maps_drop(struct mem *m, unsigned int first, unsigned int n)
{
	unsigned int i;

	for (i = first; i < first + n; i++)
		if (m->map[i].host)
			munmap(m->map[i].host, m->map[i].size);
	memmove(&m->map[first], &m->map[first + n],
		(m->maps - first - n) * sizeof(m->map[0]));
	m->maps -= n;
}

int mem_dma_unmap(struct gpu *g, u64 iova, u64 size)
{
	struct mem *m = g->mem;
	unsigned int first, n = 0;
	int err = -ENOENT;

	if (!size || iova + size < iova)
		return -EINVAL;
	pthread_rwlock_wrlock(&m->users);
	first = map_find(m, iova);
	while (first + n < m->maps && m->map[first + n].iova < iova + size)
		n++;
	if (n && m->map[first].iova >= iova &&
	    m->map[first + n - 1].iova + m->map[first + n - 1].size <= iova + size) {
		maps_drop(m, first, n);
		atomic_fetch_add(&m->gen, 1);
		err = 0;
	}
	pthread_rwlock_unlock(&m->users);
	return err;
}

void mem_dma_unmap_all(struct gpu *g)
{
	struct mem *m = g->mem;

	pthread_rwlock_wrlock(&m->users);
	maps_drop(m, 0, m->maps);
	atomic_fetch_add(&m->gen, 1);
	pthread_rwlock_unlock(&m->users);
}

void *mem_at(struct gpu *g, u64 addr, bool system, bool write, u64 *len)
{
	struct mem *m = g->mem;
	unsigned int i;

	if (!system) {
		if (addr >= m->vram_size)
			return NULL;
		*len = m->vram_size - addr;
		return m->vram + addr;
	}
	i = map_find(m, addr);
	if (i == m->maps || addr < m->map[i].iova || !m->map[i].host ||
	    (write && !m->map[i].write))
		return NULL;
	*len = m->map[i].size - (addr - m->map[i].iova);
	return m->map[i].host + (addr - m->map[i].iova);
}

void *mem_ptr(struct gpu *g, u64 addr, size_t len, bool system)
{
	u64 have;
	u8 *p = mem_at(g, addr, system, true, &have);

	return p && have >= len ? p : NULL;
}

u32 mem_generation(struct gpu *g)
{
	return atomic_load_explicit(&g->mem->gen, memory_order_acquire);
}

void mem_wait(struct gpu *g)
{
	pthread_rwlock_wrlock(&g->mem->users);
	pthread_rwlock_unlock(&g->mem->users);
}

const struct block memory_block = {
	.name = "memory",
	.start = start,
	.free = destroy,
};
