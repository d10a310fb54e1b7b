/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A GPU node through plain /dev/kfd: what the ROCm thunk does to get memory,
 * events and a doorbell page, and no more. Functions return 0 or -errno.
 */
#ifndef KFD_GPREEMPT_KFD_H
#define KFD_GPREEMPT_KFD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/kfd_ioctl.h>

#define KFD_PAGE	4096UL

/**
 * struct kfd_mem - a buffer mapped at one address for CPU and GPU
 * @ptr:	the address
 * @size:	bytes, whole pages
 * @handle:	the kernel's handle
 */
struct kfd_mem {
	void *ptr;
	size_t size;
	__u64 handle;
};

/**
 * struct kfd_event - a signal event
 * @id:		what an interrupt carries and WAIT_EVENTS takes
 * @mailbox:	GPU address the command processor writes the id to
 */
struct kfd_event {
	__u32 id;
	__u64 mailbox;
};

/**
 * struct kfd_dev - one GPU node as one process sees it
 * @fd:		/dev/kfd
 * @drm_fd:	the node's render node
 * @node:	number in the topology
 * @gpu_id:	KFD's name for it
 * @gfx_version: e.g. 90010 for gfx90a
 * @cus:	compute units of all XCCs
 * @engines:	shader engines of one XCC
 * @cu_waves:	wave slots of a compute unit
 * @ctl_stack_size: what CREATE_QUEUE checks a queue's context save area against
 * @cwsr_size:	likewise
 * @debug_size:	likewise
 * @xccs:	likewise
 * @lds_base:	aperture of flat LDS addresses
 * @scratch_base: aperture of flat scratch addresses
 * @event_page:	slots of all events of this process
 * @events:	memory behind @event_page
 * @doorbells:	this process' doorbell page, NULL before the first queue
 * @doorbell_offset: where /dev/kfd has that page
 * @doorbell_mem: the GPU's mapping of it
 */
struct kfd_dev {
	int fd;
	int drm_fd;
	unsigned int node;
	__u32 gpu_id;
	unsigned int gfx_version;
	unsigned int cus;
	unsigned int engines;
	unsigned int cu_waves;
	__u32 ctl_stack_size;
	__u32 cwsr_size;
	__u32 debug_size;
	__u32 xccs;
	__u64 lds_base;
	__u64 scratch_base;
	__u64 *event_page;
	struct kfd_mem events;
	void *doorbells;
	__u64 doorbell_offset;
	struct kfd_mem doorbell_mem;
};

/* Memory as ROCr allocates it: host pages, visible to both sides. */
#define KFD_MEM_HOST	(KFD_IOC_ALLOC_MEM_FLAGS_USERPTR | \
			 KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE | \
			 KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE | \
			 KFD_IOC_ALLOC_MEM_FLAGS_COHERENT)
#define KFD_MEM_GTT	(KFD_IOC_ALLOC_MEM_FLAGS_GTT | \
			 KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE | \
			 KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE | \
			 KFD_IOC_ALLOC_MEM_FLAGS_COHERENT)
/* The GPU's own memory; @ptr is an address for the GPU alone. */
#define KFD_MEM_VRAM	(KFD_IOC_ALLOC_MEM_FLAGS_VRAM | \
			 KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE | \
			 KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE | \
			 KFD_IOC_ALLOC_MEM_FLAGS_NO_SUBSTITUTE)
/* The same, which the CPU may touch too. */
#define KFD_MEM_CODE	(KFD_MEM_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC)

/* A page of a queue's indices: where MES is, the driver pins it, which userptr memory cannot be. */
static inline __u32 kfd_index_flags(const struct kfd_dev *dev)
{
	return dev->gfx_version >= 110000 ? KFD_MEM_GTT : KFD_MEM_HOST;
}

int kfd_open(struct kfd_dev *dev);
void kfd_close(struct kfd_dev *dev);

/**
 * kfd_find_gpu() - the first GPU node of the topology, or the one after $KFD_GPU others
 * @gpu_id:	its id
 * @node:	its number
 *
 * Of those that there are kernels for: beside them there may be a CPU's own GPU.
 * Needs no /dev/kfd. Return: 0, or -ENODEV.
 */
int kfd_find_gpu(__u32 *gpu_id, unsigned int *node);
/* A value of a node's properties in the topology; 0 if there is none. */
unsigned long long kfd_property(unsigned int node, const char *name);

/* Its PCI address, as 0000:03:00.0; 0 or -errno. */
int kfd_pci_address(char *address, size_t size);
/* Path of a file of amdgpu's in debugfs that is there and may be read; 0 or -errno. */
int kfd_debugfs_path(const char *name, char *path, size_t size);
/* Path of the file of debugfs that resets it when it is read; 0 or -errno. */
int kfd_recover_path(char *path, size_t size);

#define KFD_MISSING	"no GPU that these tests have kernels for"
#define KFD_NO_RECOVER	"no amdgpu_gpu_recover: debugfs is not mounted, or closed to us"

int kfd_alloc(struct kfd_dev *dev, struct kfd_mem *mem, size_t size, __u32 flags);
/* Map memory of the caller's, @mem->ptr and @mem->size, for the GPU; kfd_free() not needed. */
int kfd_register(struct kfd_dev *dev, struct kfd_mem *mem);
void kfd_free(struct kfd_dev *dev, struct kfd_mem *mem);

int kfd_event_create(struct kfd_dev *dev, struct kfd_event *ev);
void kfd_event_destroy(struct kfd_dev *dev, struct kfd_event *ev);

/* 0 when signalled, -ETIME after @timeout_ms. */
int kfd_event_wait(struct kfd_dev *dev, struct kfd_event *ev, unsigned int timeout_ms);

/* Map the doorbell @offset that CREATE_QUEUE returned. */
int kfd_doorbell(struct kfd_dev *dev, __u64 offset, volatile __u64 **doorbell);

/* CLOCK_MONOTONIC in ns. */
__u64 kfd_now(void);

/* The GPU's clock counter (its frequency is the reference clock's); 0 on failure. */
__u64 kfd_gpu_clock(struct kfd_dev *dev);

/* CREATE_QUEUE and others return errors that tests compare: -errno or 0. */
int kfd_ioctl(struct kfd_dev *dev, unsigned long cmd, void *arg);

#endif
