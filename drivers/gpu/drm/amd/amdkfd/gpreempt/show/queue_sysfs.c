// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT sysfs of a queue: /sys/class/kfd/kfd/proc/<pid>/queues/<qid>/gpreempt/. Those may read
 * these files who may control the queue: its activity on the GPU is its own affair.
 */

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/math64.h>
#include <linux/sysfs.h>
#include <linux/timekeeping.h>
#include <uapi/linux/kfd_gpreempt.h>

#include "gpreempt/control/inherit.h"
#include "gpreempt/control/request.h"
#include "show.h"

static struct kfd_gpreempt_queue *to_queue(const struct kobject *kobj)
{
	return container_of(kobj, struct kfd_gpreempt_queue, kobj);
}

static ssize_t state_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	/* The order of enum kfd_gpreempt_queue_state. */
	static const char * const names[] = {
		"unknown", "idle", "running", "waiting", "blocked", "preempted",
		"held", "off",
	};
	struct kfd_gpreempt_queue_info info;
	int r = kfd_gpreempt_queue_info(to_queue(kobj), &info);

	if (!r && info.state == KFD_GPREEMPT_QUEUE_PREEMPTED &&
	    info.flags & KFD_GPREEMPT_QUEUE_EXCLUDED)
		return sysfs_emit(buf, "excluded\n");
	return r ?: sysfs_emit(buf, "%s\n", names[info.state]);
}

/* The rest of the time for which it is kept off, as it has delayed a preemption. */
static ssize_t excluded_ms_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	const struct kfd_gpreempt_queue *gpq = to_queue(kobj);
	u64 until_ns = READ_ONCE(gpq->suspect.until_ns), now_ns = ktime_get_ns();

	if (!READ_ONCE(gpq->q->properties.is_preempted))
		until_ns = 0;
	return sysfs_emit(buf, "%llu\n", until_ns > now_ns ?
			  DIV_ROUND_UP_ULL(until_ns - now_ns, NSEC_PER_MSEC) : 0);
}

/* A number of struct kfd_gpreempt_queue_info, or of struct gpreempt_share. */
struct info_attr {
	struct kobj_attribute attr;
	size_t offset;
	size_t size;
	bool look;		/* counted from scan to scan: a parked monitor makes none */
};

static ssize_t info_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	const struct info_attr *a = container_of(attr, struct info_attr, attr);
	struct kfd_gpreempt_queue_info info;
	void *value = (void *)&info + a->offset;
	int r;

	if (a->look)
		kfd_gpreempt_look(to_queue(kobj)->gp);
	r = kfd_gpreempt_queue_info(to_queue(kobj), &info);
	return r ?: sysfs_emit(buf, "%llu\n",
			       a->size == sizeof(u32) ? *(u32 *)value : *(u64 *)value);
}

#define INFO(_name, _field, ...)					\
	(&((struct info_attr) {						\
		.attr = __ATTR(_name, 0400, info_show, NULL),		\
		.offset = offsetof(struct kfd_gpreempt_queue_info, _field), \
		.size = sizeof_field(struct kfd_gpreempt_queue_info, _field), \
		__VA_ARGS__						\
	}).attr.attr)

static struct gpreempt_lot process_lot(struct kobject *kobj)
{
	struct kfd_process *p = to_queue(kobj)->q->process;

	kfd_gpreempt_process_follow(p);
	return kfd_gpreempt_process_lot(p);
}

/* A number of its process's share. */
static ssize_t share_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	struct gpreempt_share share = process_lot(kobj).share;

	if (!share.weight)
		share.weight = GPREEMPT_WEIGHT_DEFAULT;
	return sysfs_emit(buf, "%u\n", *(u32 *)((void *)&share +
			  container_of(attr, struct info_attr, attr)->offset));
}

#define SHARE(_name)							\
	(&((struct info_attr) {						\
		.attr = __ATTR(_name, 0400, share_show, NULL),		\
		.offset = offsetof(struct gpreempt_share, _name),	\
	}).attr.attr)

/* The cgroup whose members have their turns and their time together, 0: its process by itself. */
static ssize_t group_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", process_lot(kobj).group);
}

#define FILE(_name)	(&((struct kobj_attribute)__ATTR(_name, 0400, _name##_show, NULL)).attr)

static struct attribute *queue_attrs[] = {
	FILE(state),
	INFO(pid, pid),
	INFO(priority, priority),
	INFO(permitted_priority, permitted),
	INFO(effective_priority, effective),
	INFO(timeslice_us, timeslice_us),
	SHARE(weight),
	SHARE(min_percent),
	SHARE(cap_percent),
	FILE(group),
	INFO(preemptions, preemptions),
	INFO(running_ns, running_ns, .look = true),
	INFO(waiting_ns, waiting_ns, .look = true),
	INFO(preempted_ns, preempted_ns),
	FILE(excluded_ms),
	NULL
};

static const struct attribute_group queue_group = { .attrs = queue_attrs };

const struct attribute_group *kfd_gpreempt_queue_groups[] = { &queue_group, NULL };

/* The mode of a file alone would let a container's root read of the host's other queues. */
static ssize_t queue_show(struct kobject *kobj, struct attribute *attr, char *buf)
{
	bool nice = ns_capable_noaudit(&init_user_ns, CAP_SYS_NICE);

	if (!kfd_gpreempt_may_control(to_queue(kobj)->q->process, nice))
		return -EACCES;
	return kobj_sysfs_ops.show(kobj, attr, buf);
}

const struct sysfs_ops kfd_gpreempt_queue_ops = { .show = queue_show };

/**
 * kfd_gpreempt_queue_sysfs_add - a queue has got its folder
 * @q: the queue
 *
 * A queue without these files is a complete queue: this does not fail.
 */
void kfd_gpreempt_queue_sysfs_add(struct queue *q)
{
	const struct cred *cred;

	if (!q->gpreempt)
		return;
	cred = get_task_cred(q->process->lead_thread);
	q->gpreempt->uid = cred->euid;
	q->gpreempt->gid = cred->egid;
	put_cred(cred);
	if (kobject_add(&q->gpreempt->kobj, &q->kobj, "gpreempt"))
		dev_warn(q->device->adev->dev, "no sysfs folder for a queue\n");
}

/**
 * kfd_gpreempt_queue_sysfs_remove - a queue loses its folder
 * @q: the queue; no lock that its files' handlers take is held
 *
 * Returns when no handler of its files runs any more.
 */
void kfd_gpreempt_queue_sysfs_remove(struct queue *q)
{
	if (q->gpreempt && q->gpreempt->kobj.state_in_sysfs)
		kobject_del(&q->gpreempt->kobj);
}
