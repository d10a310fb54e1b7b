// SPDX-License-Identifier: GPL-2.0
/* A GPU node through plain /dev/kfd. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "code.h"

#define TOPOLOGY	"/sys/class/kfd/kfd/topology/nodes"
#define MAX_NODES	64

/* How long a reset takes, at most */
#define RESET_NS	5000000000ULL
/* 1024 doorbells of 8 bytes for each process on gfx9 */
#define DOORBELL_SLICE	8192UL
#define EVENT_PAGE_SIZE	(KFD_SIGNAL_EVENT_LIMIT * 8)

__u64 kfd_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

int kfd_ioctl(struct kfd_dev *dev, unsigned long cmd, void *arg)
{
	int ret;

	do {
		ret = ioctl(dev->fd, cmd, arg);
	} while (ret < 0 && (errno == EINTR || errno == EAGAIN));
	return ret < 0 ? -errno : 0;
}

__u64 kfd_gpu_clock(struct kfd_dev *dev)
{
	struct kfd_ioctl_get_clock_counters_args args = { .gpu_id = dev->gpu_id };

	return kfd_ioctl(dev, AMDKFD_IOC_GET_CLOCK_COUNTERS, &args) ? 0 : args.gpu_clock_counter;
}

unsigned long long kfd_property(unsigned int node, const char *wanted)
{
	unsigned long long value, found = 0;
	char path[96], name[64];
	FILE *f;

	snprintf(path, sizeof(path), TOPOLOGY "/%u/properties", node);
	f = fopen(path, "r");
	while (f && fscanf(f, "%63s %llu", name, &value) == 2)
		if (!strcmp(name, wanted))
			found = value;
	if (f)
		fclose(f);
	return found;
}

int kfd_find_gpu(__u32 *gpu_id, unsigned int *node)
{
	const char *which = getenv("KFD_GPU");
	unsigned int n, skip = which ? strtoul(which, NULL, 10) : 0;
	char path[96];
	__u32 id;
	FILE *f;

	for (n = 0; n < MAX_NODES; n++) {
		snprintf(path, sizeof(path), TOPOLOGY "/%u/gpu_id", n);
		f = fopen(path, "r");
		if (!f)
			continue;
		if (fscanf(f, "%u", &id) != 1)
			id = 0;
		fclose(f);
		if (id && code_known(kfd_property(n, "gfx_target_version")) && !skip--) {
			*gpu_id = id;
			*node = n;
			return 0;
		}
	}
	return -ENODEV;
}

int kfd_pci_address(char *address, size_t size)
{
	char path[96], target[256];
	unsigned int node;
	__u32 gpu_id;
	ssize_t n;
	int ret;

	ret = kfd_find_gpu(&gpu_id, &node);
	if (ret)
		return ret;
	snprintf(path, sizeof(path), "/sys/class/drm/renderD%llu/device",
		 kfd_property(node, "drm_render_minor"));
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return -errno;
	target[n] = '\0';
	snprintf(address, size, "%s", strrchr(target, '/') ? strrchr(target, '/') + 1 : target);
	return 0;
}

int kfd_debugfs_path(const char *name, char *path, size_t size)
{
	char address[64];
	int ret = kfd_pci_address(address, sizeof(address));

	if (ret)
		return ret;
	snprintf(path, size, "/sys/kernel/debug/dri/%s/%s", address, name);
	return access(path, R_OK) ? -errno : 0;
}

int kfd_recover_path(char *path, size_t size)
{
	return kfd_debugfs_path("amdgpu_gpu_recover", path, size);
}

static size_t align_up(size_t v, size_t a)
{
	return (v + a - 1) / a * a;
}

/*
 * The context save area of each XCC of a node. These are the thunk's formulas;
 * the kernel compares (kfd_queue_ctx_save_restore_size()).
 */
static void save_area_sizes(struct kfd_dev *dev, unsigned int waves)
{
	/* registers, scalar registers, LDS and hardware registers of one CU */
	size_t vgprs = dev->gfx_version == 90010 || dev->gfx_version == 90008 ||
		       dev->gfx_version / 100 == 904 ? 0x80000 :
		       dev->gfx_version == 110000 ? 0x60000 : 0x40000;
	size_t cu = vgprs + 0x4000 + 0x10000 + 0x1000;

	/* Words of the control stack for a wave that is its workgroup: a state, itself. */
	unsigned int wave_bytes = dev->gfx_version < 100100 ? 8 : 12;

	dev->ctl_stack_size = align_up(40 + waves * wave_bytes + 8, KFD_PAGE);
	dev->cwsr_size = dev->ctl_stack_size + align_up(dev->cus / dev->xccs * cu, KFD_PAGE);
	dev->debug_size = align_up(waves * 32, 64);
}

static int read_properties(struct kfd_dev *dev, unsigned int *render_minor)
{
	unsigned long long simds = 0, simd_per_cu = 0, arrays = 0, per_engine = 0;
	unsigned long long waves_per_simd = 0, xccs = 1, minor = 0, version = 0;
	unsigned int waves, by_engine;
	unsigned long long value;
	char path[96], name[64];
	FILE *f;

	snprintf(path, sizeof(path), TOPOLOGY "/%u/properties", dev->node);
	f = fopen(path, "r");
	if (!f)
		return -errno;
	while (fscanf(f, "%63s %llu", name, &value) == 2) {
		if (!strcmp(name, "simd_count"))
			simds = value;
		else if (!strcmp(name, "simd_per_cu"))
			simd_per_cu = value;
		else if (!strcmp(name, "array_count"))
			arrays = value;
		else if (!strcmp(name, "simd_arrays_per_engine"))
			per_engine = value;
		else if (!strcmp(name, "max_waves_per_simd"))
			waves_per_simd = value;
		else if (!strcmp(name, "num_xcc"))
			xccs = value;
		else if (!strcmp(name, "gfx_target_version"))
			version = value;
		else if (!strcmp(name, "drm_render_minor"))
			minor = value;
	}
	fclose(f);
	if (!simds || !simd_per_cu || !arrays || !per_engine || !xccs || !minor)
		return -ENODEV;

	dev->gfx_version = version;
	dev->xccs = xccs;
	dev->cus = simds / simd_per_cu;
	dev->cu_waves = simd_per_cu * waves_per_simd;
	/* sysfs counts those of all XCCs */
	dev->engines = arrays / per_engine / xccs;
	waves = dev->cus / dev->xccs * (version < 100100 ? 40 : 32);
	by_engine = dev->engines * 512;
	if (version < 100100 && waves > by_engine)
		waves = by_engine;
	save_area_sizes(dev, waves);
	*render_minor = minor;
	return 0;
}

static int get_apertures(struct kfd_dev *dev)
{
	struct kfd_process_device_apertures ap[MAX_NODES] = {};
	struct kfd_ioctl_get_process_apertures_new_args args = {
		.kfd_process_device_apertures_ptr = (uintptr_t)ap,
	};
	unsigned int i;
	int ret;

	/* More nodes than the topology has are refused: ask for their number. */
	ret = kfd_ioctl(dev, AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &args);
	if (!ret && args.num_of_nodes > MAX_NODES)
		ret = -E2BIG;
	if (!ret)
		ret = kfd_ioctl(dev, AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &args);
	if (ret)
		return ret;
	for (i = 0; i < args.num_of_nodes; i++) {
		if (ap[i].gpu_id != dev->gpu_id)
			continue;
		dev->lds_base = ap[i].lds_base;
		dev->scratch_base = ap[i].scratch_base;
		return 0;
	}
	return -ENODEV;
}

static int create_event_page(struct kfd_dev *dev)
{
	struct kfd_ioctl_create_event_args args = {
		.event_type = KFD_IOC_EVENT_SIGNAL,
		.auto_reset = 1,
	};
	struct kfd_ioctl_destroy_event_args gone = {};
	int ret;

	ret = kfd_alloc(dev, &dev->events, EVENT_PAGE_SIZE, KFD_MEM_GTT);
	if (ret)
		return ret;
	dev->event_page = dev->events.ptr;
	/* the first event of a process hands the page over */
	args.event_page_offset = dev->events.handle;
	ret = kfd_ioctl(dev, AMDKFD_IOC_CREATE_EVENT, &args);
	if (ret)
		return ret;
	gone.event_id = args.event_id;
	return kfd_ioctl(dev, AMDKFD_IOC_DESTROY_EVENT, &gone);
}

/*
 * While a reset holds KFD, opening it is EINVAL, and the driver's message that
 * the reset is over comes just before KFD is let go.
 */
static int open_device(void)
{
	__u64 end = kfd_now() + RESET_NS;
	int fd;

	do {
		fd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
		if (fd >= 0)
			return fd;
	} while (errno == EINVAL && kfd_now() < end && !usleep(1000));
	return -errno;
}

int kfd_open(struct kfd_dev *dev)
{
	struct kfd_ioctl_get_version_args version = {};
	struct kfd_ioctl_acquire_vm_args vm = {};
	struct kfd_ioctl_set_memory_policy_args policy = {
		.default_policy = KFD_IOC_CACHE_POLICY_COHERENT,
		.alternate_policy = KFD_IOC_CACHE_POLICY_COHERENT,
	};
	unsigned int render_minor = 0;
	char path[32];
	int ret;

	memset(dev, 0, sizeof(*dev));
	dev->fd = -1;
	dev->drm_fd = -1;

	ret = kfd_find_gpu(&dev->gpu_id, &dev->node);
	if (ret)
		return ret;
	ret = read_properties(dev, &render_minor);
	if (ret)
		return ret;

	dev->fd = open_device();
	if (dev->fd < 0)
		return dev->fd;
	snprintf(path, sizeof(path), "/dev/dri/renderD%u", render_minor);
	dev->drm_fd = open(path, O_RDWR | O_CLOEXEC);
	if (dev->drm_fd < 0) {
		ret = -errno;
		goto err_close;
	}

	ret = kfd_ioctl(dev, AMDKFD_IOC_GET_VERSION, &version);
	if (!ret && version.major_version != KFD_IOCTL_MAJOR_VERSION)
		ret = -EPROTO;
	if (ret)
		goto err_close;
	ret = get_apertures(dev);
	if (ret)
		goto err_close;
	vm.drm_fd = dev->drm_fd;
	vm.gpu_id = dev->gpu_id;
	ret = kfd_ioctl(dev, AMDKFD_IOC_ACQUIRE_VM, &vm);
	if (ret)
		goto err_close;
	policy.gpu_id = dev->gpu_id;
	ret = kfd_ioctl(dev, AMDKFD_IOC_SET_MEMORY_POLICY, &policy);
	if (ret)
		goto err_close;
	ret = create_event_page(dev);
	if (ret)
		goto err_close;
	return 0;

err_close:
	kfd_close(dev);
	return ret;
}

void kfd_close(struct kfd_dev *dev)
{
	if (dev->doorbells) {
		munmap(dev->doorbells, DOORBELL_SLICE);
		dev->doorbell_mem.ptr = NULL;
	}
	if (dev->drm_fd >= 0)
		close(dev->drm_fd);
	if (dev->fd >= 0)
		close(dev->fd);
	dev->fd = -1;
	dev->drm_fd = -1;
	dev->doorbells = NULL;
}

static int map_to_gpu(struct kfd_dev *dev, __u64 handle)
{
	struct kfd_ioctl_map_memory_to_gpu_args args = {
		.handle = handle,
		.device_ids_array_ptr = (uintptr_t)&dev->gpu_id,
		.n_devices = 1,
	};

	return kfd_ioctl(dev, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &args);
}

static void unmap_from_gpu(struct kfd_dev *dev, __u64 handle)
{
	struct kfd_ioctl_unmap_memory_from_gpu_args args = {
		.handle = handle,
		.device_ids_array_ptr = (uintptr_t)&dev->gpu_id,
		.n_devices = 1,
	};

	kfd_ioctl(dev, AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, &args);
}

static int alloc_bo(struct kfd_dev *dev, struct kfd_mem *mem, __u32 flags)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args args = {
		.va_addr = (uintptr_t)mem->ptr,
		.size = mem->size,
		.gpu_id = dev->gpu_id,
		.flags = flags,
	};
	struct kfd_ioctl_free_memory_of_gpu_args undo = {};
	bool cpu = flags & (KFD_IOC_ALLOC_MEM_FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC);
	int ret;

	if (flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR)
		args.mmap_offset = (uintptr_t)mem->ptr;
	ret = kfd_ioctl(dev, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args);
	if (ret)
		return ret;
	undo.handle = args.handle;
	if (cpu && mmap(mem->ptr, mem->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
			dev->drm_fd, args.mmap_offset) == MAP_FAILED) {
		ret = -errno;
		goto err_free;
	}
	ret = map_to_gpu(dev, args.handle);
	if (ret)
		goto err_free;
	mem->handle = args.handle;
	return 0;

err_free:
	kfd_ioctl(dev, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &undo);
	return ret;
}

/**
 * kfd_alloc() - memory at one address for CPU and GPU
 * @dev:	device
 * @mem:	result
 * @size:	bytes, rounded up to pages
 * @flags:	KFD_MEM_HOST, KFD_MEM_GTT, KFD_MEM_VRAM or KFD_MEM_CODE
 */
int kfd_alloc(struct kfd_dev *dev, struct kfd_mem *mem, size_t size, __u32 flags)
{
	bool host = flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR;
	int ret;

	mem->size = align_up(size, KFD_PAGE);
	mem->ptr = mmap(NULL, mem->size, host ? PROT_READ | PROT_WRITE : PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (mem->ptr == MAP_FAILED)
		return -errno;
	/*
	 * A fork would turn these pages copy-on-write, and the next touch
	 * would take them away from the GPU.
	 */
	if (host && madvise(mem->ptr, mem->size, MADV_DONTFORK))
		ret = -errno;
	else
		ret = alloc_bo(dev, mem, flags);
	if (ret) {
		munmap(mem->ptr, mem->size);
		mem->ptr = NULL;
	}
	return ret;
}

int kfd_register(struct kfd_dev *dev, struct kfd_mem *mem)
{
	return alloc_bo(dev, mem, KFD_MEM_HOST);
}

/**
 * kfd_free() - undo kfd_alloc()
 * @dev:	device
 * @mem:	memory, or zeroes
 */
void kfd_free(struct kfd_dev *dev, struct kfd_mem *mem)
{
	struct kfd_ioctl_free_memory_of_gpu_args args = { .handle = mem->handle };

	if (!mem->ptr)
		return;
	unmap_from_gpu(dev, mem->handle);
	kfd_ioctl(dev, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &args);
	munmap(mem->ptr, mem->size);
	mem->ptr = NULL;
}

/**
 * kfd_event_create() - an event that a completion signal can raise
 * @dev:	device
 * @ev:		result
 */
int kfd_event_create(struct kfd_dev *dev, struct kfd_event *ev)
{
	struct kfd_ioctl_create_event_args args = {
		.event_type = KFD_IOC_EVENT_SIGNAL,
		.auto_reset = 1,
	};
	int ret;

	ret = kfd_ioctl(dev, AMDKFD_IOC_CREATE_EVENT, &args);
	if (ret)
		return ret;
	ev->id = args.event_id;
	ev->mailbox = (uintptr_t)&dev->event_page[args.event_slot_index];
	return 0;
}

void kfd_event_destroy(struct kfd_dev *dev, struct kfd_event *ev)
{
	struct kfd_ioctl_destroy_event_args args = { .event_id = ev->id };

	kfd_ioctl(dev, AMDKFD_IOC_DESTROY_EVENT, &args);
}

int kfd_event_wait(struct kfd_dev *dev, struct kfd_event *ev, unsigned int timeout_ms)
{
	struct kfd_event_data data = { .event_id = ev->id };
	struct kfd_ioctl_wait_events_args args = {
		.events_ptr = (uintptr_t)&data,
		.num_events = 1,
		.wait_for_all = 1,
		.timeout = timeout_ms,
	};
	int ret;

	ret = kfd_ioctl(dev, AMDKFD_IOC_WAIT_EVENTS, &args);
	if (ret)
		return ret;
	return args.wait_result == KFD_IOC_WAIT_RESULT_COMPLETE ? 0 :
	       args.wait_result == KFD_IOC_WAIT_RESULT_TIMEOUT ? -ETIME : -EIO;
}

/*
 * The GPU's own mapping of the doorbell page, which the thunk makes too so
 * that a kernel can ring. The CPU's is a mapping of /dev/kfd on top of it.
 */
static int map_doorbells(struct kfd_dev *dev, __u64 page)
{
	struct kfd_mem *mem = &dev->doorbell_mem;
	int ret;

	ret = kfd_alloc(dev, mem, DOORBELL_SLICE, KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL |
			KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE | KFD_IOC_ALLOC_MEM_FLAGS_COHERENT |
			KFD_IOC_ALLOC_MEM_FLAGS_NO_SUBSTITUTE);
	if (ret)
		return ret;
	if (mmap(mem->ptr, DOORBELL_SLICE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		 dev->fd, page) == MAP_FAILED) {
		ret = -errno;
		kfd_free(dev, mem);
		return ret;
	}
	dev->doorbells = mem->ptr;
	dev->doorbell_offset = page;
	return 0;
}

int kfd_doorbell(struct kfd_dev *dev, __u64 offset, volatile __u64 **doorbell)
{
	__u64 within = offset & (DOORBELL_SLICE - 1);
	int ret;

	if (!dev->doorbells) {
		ret = map_doorbells(dev, offset - within);
		if (ret)
			return ret;
	}
	*doorbell = (volatile __u64 *)((char *)dev->doorbells + within);
	return 0;
}
