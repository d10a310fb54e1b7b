// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT sysfs: /sys/class/kfd/kfd/gpreempt/<gpu_id>/. Not below the topology nodes, which are
 * read-only and filtered by the device cgroup. Validates; decides nothing.
 */

#include <linux/device.h>
#include <linux/kstrtox.h>
#include <linux/pid_namespace.h>
#include <linux/sysfs.h>

#include "gpreempt/core/grace.h"
#include "gpreempt/core/policy.h"
#include "gpreempt/run/commit.h"
#include "show.h"

/* The folder of all nodes, there while a node is. */
static DEFINE_MUTEX(root_lock);
static struct kobject *root;
static unsigned int root_users;

static struct kfd_gpreempt *to_gpreempt(struct kobject *kobj)
{
	return container_of(kobj, struct kfd_gpreempt, kobj);
}

/* A decimal number; -EINVAL for garbage, and for one that is too great. */
static int parse(const char *buf, u32 max, u32 *value)
{
	return kstrtou32(buf, 10, value) || *value > max ? -EINVAL : 0;
}

static ssize_t enable_store(struct kobject *kobj, struct kobj_attribute *attr,
			    const char *buf, size_t count)
{
	struct kfd_gpreempt *gp = to_gpreempt(kobj);
	u32 on;
	int r = parse(buf, 1, &on);

	if (!r && on)
		r = kfd_gpreempt_enable(gp);
	else if (!r)
		kfd_gpreempt_disable(gp);
	return r ?: count;
}

#define SHOW_STRING(_name, _string)					\
static ssize_t _name##_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf) \
{									\
	struct kfd_gpreempt *gp = to_gpreempt(kobj);			\
									\
	return sysfs_emit(buf, "%s\n", _string);			\
}

SHOW_STRING(enable, kfd_gpreempt_state(gp) == GPREEMPT_DISABLED ? "0" : "1")
SHOW_STRING(state, gpreempt_state_names[kfd_gpreempt_state(gp)])
SHOW_STRING(unsupported, gp->unsupported ?: "")
SHOW_STRING(backend, gp->backend->name)
SHOW_STRING(bypass_reason, gpreempt_bypass_names[READ_ONCE(gp->state.facts.bypass)])

/* As the I/O schedulers show theirs: all, the current one in brackets. */
static ssize_t policy_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	const struct gpreempt_policy *current_policy, *p;
	unsigned int i;
	int len = 0;

	current_policy = READ_ONCE(to_gpreempt(kobj)->policy);
	for (i = 0; (p = gpreempt_policies[i]); i++)
		len += sysfs_emit_at(buf, len, p == current_policy ? "%s[%s]" :
				     "%s%s", i ? " " : "", p->name);
	len += sysfs_emit_at(buf, len, "\n");
	return len;
}

static ssize_t policy_store(struct kobject *kobj, struct kobj_attribute *attr,
			    const char *buf, size_t count)
{
	const struct gpreempt_policy *policy = gpreempt_policy_find(buf);
	struct kfd_gpreempt *gp = to_gpreempt(kobj);

	if (!policy)
		return -EINVAL;
	WRITE_ONCE(gp->policy, policy);
	kfd_gpreempt_wake(gp);
	return count;
}

/* Its range and its default are the GPU's. */
static ssize_t grace_us_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	struct kfd_gpreempt *gp = to_gpreempt(kobj);

	return gp->grace.mhz ? sysfs_emit(buf, "%u\n", READ_ONCE(gp->grace.us)) : -EOPNOTSUPP;
}

static ssize_t grace_us_store(struct kobject *kobj, struct kobj_attribute *attr,
			      const char *buf, size_t count)
{
	struct kfd_gpreempt *gp = to_gpreempt(kobj);
	u32 us;

	if (!gp->grace.mhz)
		return -EOPNOTSUPP;
	if (parse(buf, gpreempt_grace_us(GPREEMPT_GRACE_MOST, gp->grace.mhz), &us))
		return -EINVAL;
	WRITE_ONCE(gp->grace.us, us);
	return count;
}

/* A process can leave the runlist alone, and only where it is known what was saved of it. */
static bool unmaps_idle(const struct kfd_gpreempt *gp)
{
	return gp->backend == &kfd_gpreempt_hws && gp->hw;
}

static ssize_t idle_unmap_ms_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	struct kfd_gpreempt *gp = to_gpreempt(kobj);

	return unmaps_idle(gp) ? sysfs_emit(buf, "%u\n", READ_ONCE(gp->tunables.idle_unmap_ms)) :
				 -EOPNOTSUPP;
}

static ssize_t idle_unmap_ms_store(struct kobject *kobj, struct kobj_attribute *attr,
				   const char *buf, size_t count)
{
	struct kfd_gpreempt *gp = to_gpreempt(kobj);
	u32 ms;

	if (!unmaps_idle(gp))
		return -EOPNOTSUPP;
	if (parse(buf, GPREEMPT_IDLE_MOST_MS, &ms) || (ms && ms < GPREEMPT_IDLE_LEAST_MS))
		return -EINVAL;
	WRITE_ONCE(gp->tunables.idle_unmap_ms, ms);
	kfd_gpreempt_wake(gp);
	return count;
}

/* A number in struct kfd_gpreempt, with its range and its default. */
struct number_attr {
	struct kobj_attribute attr;
	size_t offset;
	u32 min;
	u32 max;
	u32 initial;
	bool or_zero;		/* 0 is allowed besides: off */
};

static ssize_t number_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	struct number_attr *n = container_of(attr, struct number_attr, attr);
	u32 *value = (void *)to_gpreempt(kobj) + n->offset;

	return sysfs_emit(buf, "%u\n", READ_ONCE(*value));
}

static ssize_t number_store(struct kobject *kobj, struct kobj_attribute *attr,
			    const char *buf, size_t count)
{
	struct number_attr *n = container_of(attr, struct number_attr, attr);
	struct kfd_gpreempt *gp = to_gpreempt(kobj);
	u32 value;

	if (parse(buf, n->max, &value) || (value < n->min && (value || !n->or_zero)))
		return -EINVAL;
	WRITE_ONCE(*(u32 *)((void *)gp + n->offset), value);
	kfd_gpreempt_wake(gp);
	return count;
}

/* One that may be 0 besides says so at the end. */
#define NUMBER(_name, _field, _min, _max, _default, ...)		\
	(&((struct number_attr) {					\
		.attr = __ATTR(_name, 0644, number_show, number_store),	\
		.offset = offsetof(struct kfd_gpreempt, _field),	\
		.min = _min,						\
		.max = _max,						\
		.initial = _default,					\
		__VA_ARGS__						\
	}).attr.attr)

#define FILE_RO(_name)	(&((struct kobj_attribute)__ATTR_RO(_name)).attr)
#define FILE_RW(_name)	(&((struct kobj_attribute)__ATTR_RW(_name)).attr)

static struct attribute *control_attrs[] = {
	FILE_RW(enable),
	FILE_RO(state),
	FILE_RO(unsupported),
	FILE_RO(backend),
	FILE_RW(policy),
	FILE_RW(grace_us),
	FILE_RW(idle_unmap_ms),
	NUMBER(poll_interval_us, tunables.poll_interval_us, GPREEMPT_POLL_LEAST_US,
	       USEC_PER_SEC, 1000),
	NUMBER(poll_interval_max_us, poll_interval_max_us, GPREEMPT_POLL_LEAST_US,
	       USEC_PER_SEC, 10000),
	NUMBER(starvation_ms, tunables.starvation_ms, 10, 60 * MSEC_PER_SEC, 1000),
	NUMBER(min_residency_us, tunables.min_residency_us, 0, USEC_PER_SEC, 500),
	NUMBER(linger_max_us, tunables.linger_max_us, 0, 100 * USEC_PER_MSEC, 1000),
	NUMBER(blocked_us, tunables.blocked_us, 100, USEC_PER_SEC, 2000),
	/* Longer than stock's own timeout could never be noticed. */
	NUMBER(preempt_timeout_ms, tunables.preempt_timeout_ms, 1, 9 * MSEC_PER_SEC, 100),
	NUMBER(slow_save_ms, slow_save_ms, 1, 9 * MSEC_PER_SEC, 10),
	/* KFD's own default priority. */
	NUMBER(priority_cap, priority_cap, 0, KFD_MAX_QUEUE_PRIORITY, 7),
	NULL
};

static const struct attribute_group control_group = { .attrs = control_attrs };

/*
 * Only root, and a group that it chooses, may read counts and latencies: they tell of everybody's
 * queues. So a reader must see all processes, as a container's root does not.
 */
static bool sees_all(void)
{
	return task_active_pid_ns(current) == &init_pid_ns;
}

/* A count in struct kfd_gpreempt. */
static ssize_t count_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	size_t offset = container_of(attr, struct number_attr, attr)->offset;
	atomic64_t *count = (void *)to_gpreempt(kobj) + offset;

	return sees_all() ? sysfs_emit(buf, "%llu\n", (u64)atomic64_read(count)) : -EACCES;
}

#define COUNT(_name, _field)						\
	(&((struct number_attr) {					\
		.attr = __ATTR(_name, 0440, count_show, NULL),		\
		.offset = offsetof(struct kfd_gpreempt, _field),	\
	}).attr.attr)

#define LEVEL(_n)							\
	(&(const struct attribute_group) {				\
		.name = "level" #_n,					\
		.attrs = (struct attribute *[]) {			\
			NUMBER(timeslice_us, tunables.timeslice_us[_n],	\
			       GPREEMPT_TURN_LEAST_US, GPREEMPT_TURN_MOST_US, \
			       10 * USEC_PER_MSEC, .or_zero = true),	\
			COUNT(preemptions, account.level_preemptions[_n]),	\
			NULL						\
		},							\
	})

/* A part of the samples of a latency was no longer than this. */
struct latency_attr {
	struct kobj_attribute attr;
	enum gpreempt_latency latency;
	unsigned int percent;
};

static ssize_t latency_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	struct latency_attr *l = container_of(attr, struct latency_attr, attr);

	if (!sees_all())
		return -EACCES;
	return sysfs_emit(buf, "%llu\n",
			  kfd_gpreempt_latency_ns(to_gpreempt(kobj), l->latency, l->percent));
}

#define LATENCY(_name, _latency, _percent)				\
	(&((struct latency_attr) {					\
		.attr = __ATTR(_name, 0440, latency_show, NULL),	\
		.latency = GPREEMPT_LATENCY_##_latency,			\
		.percent = _percent,					\
	}).attr.attr)

#define STAT(_name, _stat)	COUNT(_name, account.stats[GPREEMPT_STAT_##_stat])

static struct attribute *stats_attrs[] = {
	STAT(preemptions, PREEMPTIONS),
	STAT(resumes, RESUMES),
	STAT(transactions, TRANSACTIONS),
	STAT(blocked, BLOCKED),
	STAT(starved, STARVED),
	STAT(scans, SCANS),
	STAT(wakeups, WAKEUPS),
	STAT(register_accesses, REGISTERS),
	STAT(register_ns_total, REGISTER_NS),
	STAT(doorbell_faults, DOORBELLS),
	STAT(doorbell_revocations, REVOCATIONS),
	STAT(scan_ns_total, SCAN_NS),
	STAT(scan_ns_max, SCAN_NS_MAX),
	STAT(fence_wait_ns_total, FENCE_NS),
	STAT(detections, DETECTIONS),
	STAT(late, LATE),
	STAT(excluded, EXCLUDED),
	STAT(failed, FAILED),
	LATENCY(detection_ns_p50, DETECTION, 50),
	LATENCY(detection_ns_p99, DETECTION, 99),
	LATENCY(detection_ns_max, DETECTION, 100),
	LATENCY(save_ns_p50, SAVE, 50),
	LATENCY(save_ns_p99, SAVE, 99),
	LATENCY(save_ns_max, SAVE, 100),
	FILE_RO(bypass_reason),
	NULL
};

static const struct attribute_group stats_group = {
	.name = "stats",
	.attrs = stats_attrs,
};

const struct attribute_group *kfd_gpreempt_groups[] = {
	&control_group,
	LEVEL(0), LEVEL(1), LEVEL(2), LEVEL(3), LEVEL(4), LEVEL(5), LEVEL(6), LEVEL(7),
	LEVEL(8), LEVEL(9), LEVEL(10), LEVEL(11), LEVEL(12), LEVEL(13), LEVEL(14), LEVEL(15),
	&stats_group,
	NULL
};

static struct kobject *root_get(void)
{
	guard(mutex)(&root_lock);
	if (!root)
		root = kobject_create_and_add("gpreempt", &kfd_device->kobj);
	if (root)
		root_users++;
	return root;
}

static void root_put(void)
{
	guard(mutex)(&root_lock);
	if (!--root_users) {
		kobject_put(root);
		root = NULL;
	}
}

static void set_initial(struct kfd_gpreempt *gp, struct attribute **attrs)
{
	for (; *attrs; attrs++) {
		struct number_attr *n = container_of(*attrs, struct number_attr, attr.attr);

		if (n->attr.store == number_store)
			*(u32 *)((void *)gp + n->offset) = n->initial;
	}
}

/**
 * kfd_gpreempt_sysfs_add - make a node's folder, and set the numbers that it has files of
 * @gp: the node, its kobject initialised
 *
 * Return: 0 or an error.
 */
int kfd_gpreempt_sysfs_add(struct kfd_gpreempt *gp)
{
	const struct attribute_group **group;
	struct kobject *parent;
	int r;

	for (group = kfd_gpreempt_groups; *group; group++)
		set_initial(gp, (*group)->attrs);
	parent = root_get();
	if (!parent)
		return -ENOMEM;
	r = kobject_add(&gp->kobj, parent, "%u", gp->node->id);
	if (r)
		root_put();
	return r;
}

/**
 * kfd_gpreempt_sysfs_remove - remove a node's folder
 * @gp: the node; none of its locks held
 *
 * Returns when no handler of the folder's files runs any more.
 */
void kfd_gpreempt_sysfs_remove(struct kfd_gpreempt *gp)
{
	kobject_del(&gp->kobj);
	root_put();
}
