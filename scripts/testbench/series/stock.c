// SPDX-License-Identifier: GPL-2.0
/*
 * Functions of amdkfd's queue manager that the first part of the series mends, taken out of the
 * patched source (functions.h, see test_stock.py) and called with a hardware scheduler and an MES
 * that are arrays. Prints what does not hold.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef uint32_t u32;
typedef int atomic_t;

/* ---- of the kernel ---- */

struct list_head {
	struct list_head *next;
};

#define container_of(p, type, member)	((type *)((char *)(p) - offsetof(type, member)))
#define list_for_each_entry(pos, head, member)						\
	for (pos = container_of((head)->next, __typeof__(*pos), member); &pos->member != (head);	\
	     pos = container_of(pos->member.next, __typeof__(*pos), member))
#define list_push(entry, head)	((entry)->next = (head)->next, (head)->next = (entry))
#define dev_err(dev, ...)	((void)(dev))
#define pr_debug(...)			do { } while (0)
#define pr_debug_ratelimited(...)	do { } while (0)
#define WARN_ON(v)	(v)
#define WARN(v, ...)	(v)
#define WARN_ONCE(v, ...)	((void)(v))
#define USEC_PER_MSEC	1000L
#define read_poll_timeout(op, val, cond, sleep_us, timeout_us, before, args)	\
	((val) = op(args), (cond) ? 0 : -ETIMEDOUT)
#define atomic_inc(v)	(++*(v))
#define down_read_trylock(sem)	(*(sem))
#define up_read(sem)		((void)(sem))
#define get_jiffies_64()	0
#define current			(&(struct { struct mm_struct *mm; }) { NULL })

/* ---- of amdgpu and amdkfd: what these functions use ---- */

#define QUEUES	4

enum { KFD_QUEUE_TYPE_COMPUTE, KFD_QUEUE_TYPE_SDMA, KFD_QUEUE_TYPE_SDMA_XGMI, KFD_QUEUE_TYPE_DIQ };
enum { KFD_SCHED_POLICY_HWS, KFD_SCHED_POLICY_NO_HWS = 2 };
enum { KFD_PREEMPT_TYPE_WAVEFRONT_DRAIN, KFD_PREEMPT_TYPE_WAVEFRONT_SAVE };
enum { KFD_UNMAP_QUEUES_FILTER_ALL_QUEUES, KFD_UNMAP_QUEUES_FILTER_DYNAMIC_QUEUES };
enum { UPDATE_FLAG_PERFCOUNT_ENABLE, UPDATE_FLAG_PERFCOUNT_DISABLE };
enum { AMDGPU_RING_TYPE_GFX, AMDGPU_RING_TYPE_COMPUTE, AMDGPU_RING_TYPE_SDMA };
enum { MES_QUEUE_TYPE_GFX, MES_QUEUE_TYPE_COMPUTE, MES_QUEUE_TYPE_SDMA };

#define USE_DEFAULT_GRACE_PERIOD	0
#define KFD_UNMAP_LATENCY_MS		0
#define DRM_WEDGE_RECOVERY_NONE		0

struct mm_struct;
struct device;
struct drm_wedge_task_info { };
struct mqd_update_info {
	int update_flag;
};
struct amdgpu_task_info {
	struct drm_wedge_task_info task;
};
struct mes_remove_queue_input {
	u32 doorbell_offset, queue_type, xcc_id, gang_context_array_index;
	uint64_t gang_context_addr;
	bool remove_queue_after_reset;
};
struct mes_add_queue_input {
	uint64_t process_id, page_table_base_addr, process_va_start, process_va_end, process_quantum,
		 process_context_addr, process_context_array_index, gang_quantum, gang_context_addr,
		 gang_context_array_index, inprocess_gang_priority, gang_global_priority_level,
		 doorbell_offset, mqd_addr, wptr_addr, wptr_mc_addr, is_kfd_process, is_aql_queue,
		 queue_size, paging, tba_addr, tma_addr, trap_en, skip_process_ctx_clear, queue_type,
		 exclusively_scheduled, sh_mem_config_data, vm_cntx_cntl, xcc_id;
};
struct amdgpu_mes {
	const struct {
		int (*add_hw_queue)(struct amdgpu_mes *mes, struct mes_add_queue_input *in);
		int (*remove_hw_queue)(struct amdgpu_mes *mes, struct mes_remove_queue_input *in);
	} *funcs;
};
struct amdgpu_device {
	struct device *dev;
	struct amdgpu_mes mes;
	struct {
		int sem;
	} *reset_domain;
	struct {
		struct {
			bool use_mmio_for_reset;
		} mec;
	} gfx;
	atomic_t gpu_reset_counter;
	struct {
		uint64_t max_pfn;
	} vm_manager;
};
struct kfd2kgd_calls {
	u32 (*hqd_get_doorbell)(struct amdgpu_device *adev, u32 pipe, u32 queue, u32 inst);
	uint64_t (*hqd_reset)(struct amdgpu_device *adev, u32 pipe, u32 queue, u32 inst,
			      unsigned int timeout);
};
struct kfd_node {
	struct amdgpu_device *adev;
	struct {
		struct {
			bool enable_mes;
		} shared_resources;
		bool cwsr_enabled;
	} *kfd;
	const struct kfd2kgd_calls *kfd2kgd;
	u32 xcc_mask;
	struct device_queue_manager *dqm;
};
struct kfd_process {
	struct {
		int runtime_state;
	} runtime_info;
	bool debug_trap_enabled;
	struct mm_struct *mm;
	struct {
		int pid;
	} *lead_thread;
	u32 pasid;
};
struct queue {
	struct list_head list;
	struct {
		int type;
		u32 queue_id, doorbell_off;
		uint64_t queue_address, queue_size, exception_status;
		int priority, format;
		void *write_ptr, *wptr_bo;
		bool is_active, is_evicted, is_suspended, is_being_destroyed, is_reset, is_gws;
	} properties;
	struct kfd_node *device;
	struct kfd_process *process;
	uint64_t gang_ctx_gpu_addr;
	uint64_t gart_mqd_addr;
	u32 gang_ctx_array_index, pipe, queue, doorbell_id;
	void *mqd, *gws;
};
struct qcm_process_device {
	struct list_head queues_list;
	uint64_t page_table_base, tba_addr, tma_addr;
	u32 sh_mem_config, vm_cntx_cntl;
	struct {
		struct kfd_process *process;
	} *pqm;
	unsigned int evicted;
	bool is_debug, mapped_gws_queue;
};
struct kfd_process_device {
	struct qcm_process_device qpd;
	struct kfd_process *process;
	bool has_reset_queue;
	u32 pasid;
	void *drm_priv;
	uint64_t last_evict_timestamp, proc_ctx_gpu_addr;
	u32 proc_ctx_array_index;
};
struct device_process_node {
	struct qcm_process_device *qpd;
	struct list_head list;
};
struct dqm_detect_hang_info {
	int pipe_id, queue_id, xcc_id;
	uint64_t queue_address;
};
struct mqd_manager {
	void (*update_mqd)(struct mqd_manager *mm, void *mqd, void *properties,
			   struct mqd_update_info *minfo);
	int (*destroy_mqd)(struct mqd_manager *mm, void *mqd, int type, int ms, u32 pipe, u32 queue);
	int (*load_mqd)(struct mqd_manager *mm, void *mqd, u32 pipe, u32 queue, void *properties,
			struct mm_struct *ms);
};
struct device_queue_manager {
	struct kfd_node *dev;
	struct list_head queues;
	struct mqd_manager *mqd_mgrs[1];
	bool sched_running, sched_halt, is_hws_hang;
	int sched_policy, detect_hang_count, gws_queue_count;
	int active_queue_count, active_cp_queue_count;
	struct dqm_detect_hang_info *detect_hang_info;
};

/* Two processes with two queues each; those of the second were made later. */
static struct device_queue_manager dqm;
static struct kfd_process process[2];
static struct kfd_process_device pdd[2];
static struct device_process_node node[2];
static struct queue queue[QUEUES];

static struct {
	bool locked;		/* the DQM is */
	bool lock_taken;	/* by somebody else, and for ever */
	int remove_fails;	/* so many removals from MES fail */
	int resets_gpu;		/* how often that was asked for */
	u32 in_mes;		/* queues that are, a bit each */
	u32 hung;		/* that MES finds hung */
	u32 type;		/* that the last removal named */
	bool mapped;		/* the runlist is */
	int unmaps;
	struct queue *resets;	/* the next unmap resets it */
	struct queue *in_slot;	/* hangs in a hardware slot */
	int mqd_updates;
} hw;

static int broken;

#define HOLDS(condition) do {								\
	if (!(condition)) {								\
		printf("%s: line %d: %s\n", __func__, __LINE__, #condition);		\
		broken = 1;								\
	}										\
} while (0)

static void dqm_lock(struct device_queue_manager *m)
{
	HOLDS(!hw.locked);
	hw.locked = true;
}

static bool dqm_trylock(struct device_queue_manager *m)
{
	if (hw.lock_taken)
		return false;
	dqm_lock(m);
	return true;
}

static void dqm_unlock(struct device_queue_manager *m)
{
	HOLDS(hw.locked);
	hw.locked = false;
}

static struct kfd_process_device *kfd_get_process_device_data(struct kfd_node *dev,
							      struct kfd_process *p)
{
	return &pdd[p - process];
}

static struct kfd_process_device *qpd_to_pdd(struct qcm_process_device *qpd)
{
	return container_of(qpd, struct kfd_process_device, qpd);
}

static int get_mqd_type_from_queue_type(int type)
{
	return 0;
}

static void kfd_hws_hang(struct device_queue_manager *m)
{
	hw.resets_gpu++;
}

/* ---- MES ---- */

static int amdgpu_gpu_recovery = 1;

static void amdgpu_mes_lock(struct amdgpu_mes *mes) { }
static void amdgpu_mes_unlock(struct amdgpu_mes *mes) { }

static int remove_hw_queue(struct amdgpu_mes *mes, struct mes_remove_queue_input *in)
{
	HOLDS(hw.locked);
	hw.type = in->queue_type;
	if (!in->remove_queue_after_reset && hw.remove_fails) {
		hw.remove_fails--;
		return -ETIMEDOUT;
	}
	hw.in_mes &= ~(1u << in->doorbell_offset);
	return 0;
}

static int add_hw_queue(struct amdgpu_mes *mes, struct mes_add_queue_input *in)
{
	hw.in_mes |= 1u << in->doorbell_offset;
	return 0;
}

#ifdef LINUX_7_3
static int add_queue_mes(struct device_queue_manager *m, struct queue *q,
			 struct qcm_process_device *qpd);
#else
static int add_queue_mes(struct device_queue_manager *m, struct queue *q,
			 struct qcm_process_device *qpd)
{
	struct mes_add_queue_input in = { .doorbell_offset = q->properties.doorbell_off };

	return add_hw_queue(NULL, &in);
}
#endif

/* ---- the hardware scheduler ---- */

static void set_queue_as_reset(struct device_queue_manager *m, struct queue *q,
			       struct qcm_process_device *qpd);

static int unmap_queues_cpsch(struct device_queue_manager *m, int filter, u32 param, u32 grace,
			      bool reset)
{
	hw.unmaps++;
	hw.mapped = false;
	if (hw.resets)
		set_queue_as_reset(m, hw.resets, &pdd[hw.resets->process - process].qpd);
	hw.resets = NULL;
	return 0;
}

static int map_queues_cpsch(struct device_queue_manager *m)
{
	hw.mapped = true;
	return 0;
}

static int execute_queues_cpsch(struct device_queue_manager *m, int filter, u32 param, u32 grace)
{
	return 0;
}

static struct dqm_detect_hang_info in_slot;

static int detect_queue_hang(struct device_queue_manager *m)
{
	in_slot.queue_address = hw.in_slot->properties.queue_address;
	m->detect_hang_info = &in_slot;
	return m->detect_hang_count = 1;
}

static u32 hqd_get_doorbell(struct amdgpu_device *adev, u32 pipe, u32 q, u32 inst)
{
	return hw.in_slot->properties.doorbell_off;
}

static uint64_t hqd_reset(struct amdgpu_device *adev, u32 pipe, u32 q, u32 inst, unsigned int ms)
{
	return in_slot.queue_address;
}

static void update_mqd(struct mqd_manager *mm, void *mqd, void *properties,
		       struct mqd_update_info *minfo)
{
	HOLDS(hw.locked);
	hw.mqd_updates++;
}

/* ---- what is of no interest ---- */

static void kfd_signal_reset_event(struct kfd_node *dev) { }
static void kfd_flush_tlb(struct kfd_process_device *p) { }
static void dqm_evict_mqd_bo(struct device_queue_manager *m, struct queue *q) { }
#define KFD_MES_PROCESS_QUANTUM			0
#define KFD_MES_GANG_QUANTUM			0
#define AMDGPU_MES_PRIORITY_LEVEL_NORMAL	0
#define KFD_QUEUE_FORMAT_AQL			1
#define DEBUG_RUNTIME_STATE_ENABLED		1
#define EC_QUEUE_NEW				0
#define KFD_EC_MASK(bit)			(1ULL << (bit))
#define PAGE_SIZE				4096UL
#define amdgpu_bo_gpu_offset(bo)		0
#define kfd_dbg_has_cwsr_workaround(dev)	false
#define kfd_dbg_has_ttmps_always_setup(dev)	false
#define kfd_unref_process(p)			((void)(p))
#define amdgpu_mes_queue_reset_by_mes_supported(adev)	true
#define amdgpu_mes_reset_queue_mmio(...)		0
#define amdgpu_mes_reset_user_queue(...)		0
#define amdgpu_vm_get_task_info_pasid(adev, pasid)	NULL
#define amdgpu_vm_print_task_info(adev, ti)		do { } while (0)
#define amdgpu_vm_put_task_info(ti)			do { } while (0)
#define drm_dev_wedged_event(dev, how, info)		((void)(info))
#define adev_to_drm(adev)				(adev)

static int convert_to_amdgpu_ring_type(int type)
{
	return type == KFD_QUEUE_TYPE_COMPUTE ? AMDGPU_RING_TYPE_COMPUTE : AMDGPU_RING_TYPE_SDMA;
}

#define convert_to_mes_queue_type(type)	convert_to_amdgpu_ring_type(type)

static struct kfd_process *kfd_lookup_process_by_pasid(u32 pasid, struct kfd_process_device **p)
{
	*p = &pdd[pasid];
	return &process[pasid];
}

#ifdef LINUX_7_3
static int amdgpu_gfx_reset_mes_compute(struct amdgpu_device *adev, void *ring, void *fence,
					void *uq, unsigned int *num_hung, void *input);
static int reset_queues_mes(struct device_queue_manager *m, struct queue *q);
#define reset_hung reset_hung_queues
#else
#define reset_hung reset_queues_on_hws_hang
#endif

#include "functions.h"

#ifdef LINUX_7_3
/* As amdgpu does it: those that hang are reset; the queue that would not go, if none hangs. */
static int amdgpu_gfx_reset_mes_compute(struct amdgpu_device *adev, void *ring, void *fence,
					void *uq, unsigned int *num_hung, void *input)
{
	unsigned int i, r = 0;

	*num_hung = __builtin_popcount(hw.hung);
	for (i = 0; i < QUEUES && !r; i++)
		if (hw.hung & 1u << i)
			r = kfd_reset_queue_mes(&dqm, 0, 0, 0, i, input);
	if (!*num_hung && input)
		return remove_hw_queue(&adev->mes, input);
	return r;
}
#endif

static void begin(bool mes)
{
	static const __typeof__(*((struct amdgpu_mes *)0)->funcs) funcs = { add_hw_queue,
									  remove_hw_queue };
	static const struct kfd2kgd_calls calls = { hqd_get_doorbell, hqd_reset };
	static struct mqd_manager mqd_mgr = { update_mqd };
	static __typeof__(*((struct amdgpu_device *)0)->reset_domain) domain = { 1 };
	static __typeof__(*((struct kfd_process *)0)->lead_thread) thread;
	static __typeof__(*((struct kfd_node *)0)->kfd) kfd;
	static __typeof__(*((struct qcm_process_device *)0)->pqm) pqm = { process };
	static struct amdgpu_device adev;
	static struct kfd_node dev;
	unsigned int i;

	memset(&hw, 0, sizeof(hw));
	memset(&dqm, 0, sizeof(dqm));
	memset(pdd, 0, sizeof(pdd));
	memset(queue, 0, sizeof(queue));
	adev.mes.funcs = (void *)&funcs;
	adev.reset_domain = (void *)&domain;
	kfd.shared_resources.enable_mes = mes;
	dev = (struct kfd_node) { .adev = &adev, .kfd = (void *)&kfd, .kfd2kgd = &calls,
				  .xcc_mask = 1 };
	dqm.dev = &dev;
	dev.dqm = &dqm;
	dqm.queues.next = &dqm.queues;
	dqm.mqd_mgrs[0] = &mqd_mgr;
	dqm.sched_running = true;
	dqm.detect_hang_info = &in_slot;
	for (i = 0; i < 2; i++) {
		process[i].lead_thread = (void *)&thread;
		pdd[i].process = &process[i];
		pdd[i].qpd.pqm = &pqm;
		pdd[i].drm_priv = &dqm;
		pdd[i].qpd.queues_list.next = &pdd[i].qpd.queues_list;
		node[i].qpd = &pdd[i].qpd;
		list_push(&node[i].list, &dqm.queues);
	}
	for (i = 0; i < QUEUES; i++) {
		struct queue *q = &queue[i];

		q->process = &process[i / 2];
		q->device = &dev;
		q->properties.queue_id = i;
		q->properties.doorbell_off = i;
		q->doorbell_id = i;
		q->properties.queue_address = 4096 * (1 + i % 2);	/* as in the other process */
		q->properties.is_active = true;
		list_push(&q->list, &pdd[i / 2].qpd.queues_list);
		dqm.active_queue_count++;
		hw.in_mes |= 1u << i;
	}
	hw.mapped = true;
}

/* update-reset.patch */
static void refused_update(void)
{
	struct mqd_update_info minfo = {};

	begin(false);
	hw.resets = &queue[0];
	HOLDS(update_queue(&dqm, &queue[1], &minfo) == -EACCES);
	HOLDS(hw.mapped && hw.unmaps == 1);
	HOLDS(update_queue(&dqm, &queue[1], &minfo) == -EACCES);
	HOLDS(hw.mapped && hw.unmaps == 1 && !hw.locked);

	begin(true);
	pdd[0].has_reset_queue = true;
	HOLDS(update_queue(&dqm, &queue[1], &minfo) == -EACCES);
	HOLDS(hw.in_mes == 0xf && queue[1].properties.is_active);
}

/* hang-doorbell.patch */
static void same_address(void)
{
	begin(false);
	hw.in_slot = &queue[0];
	HOLDS(!reset_hung(&dqm));
	HOLDS(!queue[0].properties.is_active && queue[2].properties.is_active);
	HOLDS(pdd[0].has_reset_queue && !pdd[1].has_reset_queue);
}

#ifdef LINUX_7_3
/* perfcount-lock.patch */
static void counters(void)
{
	begin(false);
	set_perfcount(&dqm, 1);
	HOLDS(hw.mqd_updates == QUEUES && hw.mapped && !hw.locked);
	dqm.sched_policy = KFD_SCHED_POLICY_NO_HWS;
	process[1].mm = (void *)&dqm;
	queue[0].properties.is_active = queue[1].properties.is_active = false;
	set_perfcount(&dqm, 0);
	HOLDS(hw.mqd_updates == QUEUES + 2 && queue[2].properties.is_active);
}

/* reset-mes-left.patch */
static void others_hung(void)
{
	begin(true);
	hw.locked = true;
	hw.remove_fails = 1;
	hw.hung = 1u << 2;
	HOLDS(!remove_queue_mes(&dqm, &queue[0], &pdd[0].qpd));
	HOLDS(hw.in_mes == 0xa && !hw.resets_gpu);
	HOLDS(pdd[1].has_reset_queue && !queue[2].properties.is_active);

	begin(true);
	hw.locked = true;
	hw.remove_fails = 2;
	hw.hung = 1u << 2;
	HOLDS(remove_queue_mes(&dqm, &queue[0], &pdd[0].qpd));
	HOLDS(hw.resets_gpu == 1);
}

/* reset-mes-count.patch */
static void reset_once(void)
{
	begin(true);
	hw.locked = true;
	hw.remove_fails = 1;
	hw.hung = 1u << 0;
	HOLDS(!suspend_single_queue(&dqm, &pdd[0], &queue[0]));
	HOLDS(queue[0].properties.is_reset && dqm.active_queue_count == QUEUES - 1);
	HOLDS(!suspend_single_queue(&dqm, &pdd[0], &queue[1]));
	HOLDS(!queue[1].properties.is_active && dqm.active_queue_count == QUEUES - 2);
	HOLDS(!add_queue_mes(&dqm, &queue[0], &pdd[0].qpd) && hw.in_mes == 0xc);
	HOLDS(!add_queue_mes(&dqm, &queue[1], &pdd[0].qpd) && hw.in_mes == 0xe);

	begin(true);
	hw.hung = 1u << 0;
	HOLDS(!kfd_dqm_suspend_bad_queue_mes(dqm.dev, 0, 0));
	HOLDS(!queue[0].properties.is_active && dqm.active_queue_count == QUEUES - 1);
	hw.hung = 0;
	HOLDS(!kfd_dqm_suspend_bad_queue_mes(dqm.dev, 0, 1));
	HOLDS(!queue[1].properties.is_active && dqm.active_queue_count == QUEUES - 2);
}

/* reset-mes-lock.patch: of the queues that are reset, remove_hw_queue() asks for the lock. */
static void reset_by_amdgpu(void)
{
	begin(true);
	HOLDS(!kfd_reset_queue_mes(&dqm, 0, 0, 0, 1, false));
	HOLDS(hw.in_mes == 0xd && queue[1].properties.is_reset && !hw.locked);
	HOLDS(!kfd_reset_queue_mes(&dqm, 0, 0, 0, 99, false) && !hw.locked);
	hw.lock_taken = true;
	HOLDS(kfd_reset_queue_mes(&dqm, 0, 0, 0, 2, false) == -EBUSY);
	HOLDS(hw.in_mes == 0xd && queue[2].properties.is_active);
}
#else
/* remove-mes-type.patch */
static void named_type(void)
{
	begin(true);
	hw.locked = true;
	HOLDS(!remove_queue_mes(&dqm, &queue[0], &pdd[0].qpd));
	HOLDS(hw.type == MES_QUEUE_TYPE_COMPUTE);
}
#endif

/* evict-mes.patch; 6.12 does not need it. */
static void all_evicted(void)
{
	unsigned int i;

	begin(true);
	amdgpu_gpu_recovery = 0;
	hw.remove_fails = 1;
	HOLDS(evict_process_queues_cpsch(&dqm, &pdd[0].qpd));
	amdgpu_gpu_recovery = 1;
	for (i = 0; i < 2; i++)
		HOLDS(queue[i].properties.is_evicted && !queue[i].properties.is_active);
	HOLDS(dqm.active_queue_count == 2 && (hw.in_mes & 3) != 3);
}

int main(void)
{
	refused_update();
	same_address();
	all_evicted();
#ifdef LINUX_7_3
	counters();
	others_hung();
	reset_once();
	reset_by_amdgpu();
#else
	named_type();
#endif
	return broken;
}
