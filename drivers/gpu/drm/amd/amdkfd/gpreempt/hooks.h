/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * GPREEMPT hooks: the functions that the rest of amdkfd calls. Every hook is an empty inline when
 * CONFIG_HSA_AMD_GPREEMPT is off. Except for the hooks that are questions, none makes its caller
 * fail but for want of memory.
 */
#ifndef GPREEMPT_HOOKS_H_INCLUDED
#define GPREEMPT_HOOKS_H_INCLUDED

#include <linux/types.h>

struct amdkfd_ioctl_desc;
struct device_queue_manager;
struct drm_file;
struct kfd_node;
struct kfd_process;
struct kfd_process_device;
struct qcm_process_device;
struct queue;
struct vm_area_struct;

#if IS_ENABLED(CONFIG_HSA_AMD_GPREEMPT)

#include <uapi/linux/kfd_gpreempt.h>

void kfd_gpreempt_init(struct kfd_node *node);
void kfd_gpreempt_fini(struct kfd_node *node);
void kfd_gpreempt_stop(struct device_queue_manager *dqm);
void kfd_gpreempt_start(struct device_queue_manager *dqm);
void kfd_gpreempt_runlist_changed(struct device_queue_manager *dqm);
void kfd_gpreempt_answered(struct device_queue_manager *dqm);
bool kfd_gpreempt_process_off(const struct qcm_process_device *qpd);
unsigned int kfd_gpreempt_processes_off(const struct device_queue_manager *dqm);
int kfd_gpreempt_queue_init(struct queue *q);
void kfd_gpreempt_queue_fini(struct queue *q);
void kfd_gpreempt_queue_updated(struct queue *q, u32 priority);
void kfd_gpreempt_queue_sysfs_add(struct queue *q);
void kfd_gpreempt_queue_sysfs_remove(struct queue *q);
void kfd_gpreempt_process_init(struct kfd_process *p);
void kfd_gpreempt_default_exit(void);
void kfd_gpreempt_process_device_fini(struct kfd_process_device *pdd);
u64 kfd_gpreempt_fdinfo_ns(const struct drm_file *file);
bool kfd_gpreempt_queue_held(const struct queue *q);
bool kfd_gpreempt_checkpoint_refused(const struct queue *q);
int kfd_gpreempt_doorbell_mmap(struct kfd_node *node,
			       struct vm_area_struct *vma, phys_addr_t address);
void kfd_gpreempt_doorbell_other(struct vm_area_struct *vma);
void kfd_gpreempt_doorbell_zapped(struct kfd_node *node);

extern const struct amdkfd_ioctl_desc kfd_gpreempt_ioctl_desc;

/* The descriptor of AMDKFD_IOC_GPREEMPT, which is far behind the table's end. */
static inline const struct amdkfd_ioctl_desc *kfd_gpreempt_ioctl(unsigned int nr)
{
	return nr == _IOC_NR(AMDKFD_IOC_GPREEMPT) ? &kfd_gpreempt_ioctl_desc : NULL;
}

#else

static inline void kfd_gpreempt_init(struct kfd_node *node) {}
static inline void kfd_gpreempt_fini(struct kfd_node *node) {}
static inline void kfd_gpreempt_stop(struct device_queue_manager *dqm) {}
static inline void kfd_gpreempt_start(struct device_queue_manager *dqm) {}
static inline void kfd_gpreempt_runlist_changed(struct device_queue_manager *dqm) {}
static inline void kfd_gpreempt_answered(struct device_queue_manager *dqm) {}
static inline bool kfd_gpreempt_process_off(const struct qcm_process_device *qpd) { return false; }

static inline unsigned int kfd_gpreempt_processes_off(const struct device_queue_manager *dqm)
{
	return 0;
}

static inline int kfd_gpreempt_queue_init(struct queue *q) { return 0; }
static inline void kfd_gpreempt_queue_fini(struct queue *q) {}
static inline void kfd_gpreempt_queue_updated(struct queue *q, u32 priority) {}
static inline void kfd_gpreempt_queue_sysfs_add(struct queue *q) {}
static inline void kfd_gpreempt_queue_sysfs_remove(struct queue *q) {}
static inline void kfd_gpreempt_process_init(struct kfd_process *p) {}
static inline void kfd_gpreempt_default_exit(void) {}
static inline void kfd_gpreempt_process_device_fini(struct kfd_process_device *pdd) {}
static inline u64 kfd_gpreempt_fdinfo_ns(const struct drm_file *file) { return 0; }
static inline const struct amdkfd_ioctl_desc *kfd_gpreempt_ioctl(unsigned int nr) { return NULL; }
static inline bool kfd_gpreempt_queue_held(const struct queue *q) { return false; }
static inline bool kfd_gpreempt_checkpoint_refused(const struct queue *q) { return false; }
static inline int kfd_gpreempt_doorbell_mmap(struct kfd_node *node, struct vm_area_struct *vma,
					     phys_addr_t address)
{
	return 1;
}

static inline void kfd_gpreempt_doorbell_other(struct vm_area_struct *vma) {}
static inline void kfd_gpreempt_doorbell_zapped(struct kfd_node *node) {}

#endif /* CONFIG_HSA_AMD_GPREEMPT */

#endif /* GPREEMPT_HOOKS_H_INCLUDED */
