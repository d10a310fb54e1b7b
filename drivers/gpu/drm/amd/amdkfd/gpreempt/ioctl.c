// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT ioctl: AMDKFD_IOC_GPREEMPT. Checks what a caller may ask for, notes it
 * down and, if asked to, waits for the outcome; decides nothing.
 *
 * Locks, outermost first: the process's mutex, the node's lock, the DQM lock.
 * None is held while waiting, or while user memory is accessed: with a page
 * fault that never ends, a caller could stall another process.
 */

#include <linux/capability.h>
#include <linux/hashtable.h>
#include <linux/ktime.h>
#include <linux/nospec.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <uapi/linux/kfd_gpreempt.h>

#include "priv.h"

/* The same for every ABI: no field moves with the size of a pointer. */
static_assert(sizeof(struct kfd_ioctl_gpreempt_args) == 128);
static_assert(offsetof(struct kfd_ioctl_gpreempt_args, reserved) == 24);
static_assert(sizeof(struct kfd_gpreempt_query) == 32);
static_assert(offsetof(struct kfd_gpreempt_query, operations) == 8);
static_assert(sizeof(struct kfd_gpreempt_queue_info) == 64);
static_assert(offsetof(struct kfd_gpreempt_queue_info, running_ns) == 32);
static_assert(sizeof(struct kfd_gpreempt_list) == 16);
static_assert(sizeof(struct kfd_gpreempt_process_default) == 24);

/* Which of the common fields an operation uses. */
#define USES_PID	BIT(0)
#define USES_QUEUE	BIT(1)
#define USES_GPU	BIT(2)

/**
 * struct gpreempt_op - an operation
 * @func:	carries it out for the caller's process
 * @flags:	that it knows
 * @uses:	USES_*
 * @in:		bytes of the union that it reads
 */
struct gpreempt_op {
	int (*func)(struct kfd_process *p, struct kfd_ioctl_gpreempt_args *args);
	u32 flags;
	u8 uses;
	u8 in;
};

/* The leader of a process by its number in the caller's namespace. */
static struct task_struct *get_leader(u32 nr)
{
	struct task_struct *task;
	struct pid *pid;

	if (!nr)
		return get_task_struct(current->group_leader);
	pid = find_get_pid(nr);
	task = get_pid_task(pid, PIDTYPE_TGID);
	put_pid(pid);
	return task;
}

/*
 * Rule 8, permission. With the lock that exec takes, the answer is about the program that
 * @task runs now.
 */
static int lock_access(struct task_struct *task)
{
	int r;

	r = down_read_killable(&task->signal->exec_update_lock);
	if (r)
		return r;
	if (same_thread_group(task, current) || kfd_gpreempt_same_user(task) ||
	    capable(CAP_SYS_NICE))
		return 0;
	up_read(&task->signal->exec_update_lock);
	return -EPERM;
}

/*
 * KFD knows a process by the memory of its leader, and that is gone when the leader has
 * ended and other threads go on.
 */
static struct kfd_process *find_process(struct task_struct *leader)
{
	struct pid *pid = get_task_pid(leader, PIDTYPE_TGID);
	struct kfd_process *p = NULL, *other;
	unsigned int i;
	int idx;

	if (pid)
		p = kfd_lookup_process_by_pid(pid);
	put_pid(pid);
	if (p || !(READ_ONCE(leader->flags) & PF_EXITING))
		return p;
	idx = srcu_read_lock(&kfd_processes_srcu);
	hash_for_each_rcu(kfd_processes_table, i, other, kfd_processes) {
		if (other->lead_thread == leader) {
			kref_get(&other->ref);
			p = other;
			break;
		}
	}
	srcu_read_unlock(&kfd_processes_srcu, idx);
	return p;
}

/* A process by its number, referenced; @p is the caller's. */
static int get_process(struct kfd_process *p, u32 nr, struct kfd_process **target)
{
	struct task_struct *task;
	int r;

	if (!nr) {
		kref_get(&p->ref);
		*target = p;
		return 0;
	}
	task = get_leader(nr);
	if (!task)
		return -ESRCH;
	r = lock_access(task);
	if (!r) {
		*target = find_process(task);
		up_read(&task->signal->exec_update_lock);
		if (!*target)
			r = -ESRCH;
	}
	put_task_struct(task);
	return r;
}

static int lock_process(struct kfd_process *p)
{
	return mutex_lock_interruptible(&p->mutex) ? -ERESTARTSYS : 0;
}

/**
 * struct gpreempt_target - a queue that an operation is about
 * @p:		its process, referenced and locked
 * @q:		the queue, there while @p is locked
 * @foreign:	it is another process's
 */
struct gpreempt_target {
	struct kfd_process *p;
	struct queue *q;
	bool foreign;
};

static int find_queue(struct gpreempt_target *t, u32 queue_id)
{
	int r = lock_process(t->p);

	if (r)
		return r;
	t->q = pqm_get_user_queue(&t->p->pqm, queue_id);
	if (t->q && t->q->gpreempt)
		return 0;
	mutex_unlock(&t->p->mutex);
	return -ENOENT;
}

static int get_target(struct kfd_process *p, const struct kfd_ioctl_gpreempt_args *args,
		      struct gpreempt_target *t)
{
	int r = get_process(p, args->pid, &t->p);

	if (r)
		return r;
	t->foreign = t->p != p;
	r = find_queue(t, args->queue_id);
	if (r)
		kfd_unref_process(t->p);
	return r;
}

static void put_target(struct gpreempt_target *t)
{
	mutex_unlock(&t->p->mutex);
	kfd_unref_process(t->p);
}

static bool valid_priority(u32 priority)
{
	return priority <= KFD_MAX_QUEUE_PRIORITY || priority == KFD_GPREEMPT_NONE;
}

static bool valid_timeslice(u32 us)
{
	return !us || (us >= KFD_GPREEMPT_TIMESLICE_US_MIN &&
		       us <= KFD_GPREEMPT_TIMESLICE_US_MAX);
}

static int op_list(struct kfd_process *p, struct kfd_ioctl_gpreempt_args *args)
{
	struct kfd_gpreempt_list *list = &args->list;
	struct kfd_gpreempt_queue_info *info;
	struct process_queue_node *pqn;
	struct kfd_process *target;
	char __user *to = u64_to_user_ptr(list->queues);
	u32 slots, step, n = 0, i;
	int r;

	if (list->entry_size < sizeof(*info))
		return -EINVAL;
	step = list->entry_size;
	slots = min_t(u32, list->count, KFD_MAX_NUM_OF_QUEUES_PER_PROCESS);
	info = kvcalloc(slots, sizeof(*info), GFP_KERNEL);
	if (!info)
		return -ENOMEM;
	r = get_process(p, args->pid, &target);
	if (r)
		goto free;

	r = lock_process(target);
	if (r)
		goto unref;
	list_for_each_entry(pqn, &target->pqm.queues, process_queue_list) {
		if (!pqn->q || !pqn->q->gpreempt ||
		    (args->gpu_id && pqn->q->device->id != args->gpu_id))
			continue;
		if (n < slots)
			r = kfd_gpreempt_queue_info(pqn->q->gpreempt, &info[n]);
		if (r)
			break;
		n++;
	}
	mutex_unlock(&target->mutex);

	for (i = 0; !r && i < min(n, slots); i++)
		if (copy_to_user(to + (size_t)i * step, &info[i], sizeof(*info)))
			r = -EFAULT;
	list->count = n;
	list->entry_size = sizeof(*info);
unref:
	kfd_unref_process(target);
free:
	kvfree(info);
	return r;
}

static int op_get(struct kfd_process *p, struct kfd_ioctl_gpreempt_args *args)
{
	struct gpreempt_target t;
	int r = get_target(p, args, &t);

	if (r)
		return r;
	r = kfd_gpreempt_queue_info(t.q->gpreempt, &args->queue);
	put_target(&t);
	return r;
}

static int op_set_priority(struct kfd_process *p, struct kfd_ioctl_gpreempt_args *args)
{
	u32 priority = args->priority.priority;
	struct gpreempt_target t;
	int r;

	if (!valid_priority(priority))
		return -EINVAL;
	r = get_target(p, args, &t);
	if (r)
		return r;
	r = kfd_gpreempt_set_priority(t.q, priority, &args->priority.permitted);
	put_target(&t);
	return r;
}

static int op_set_timeslice(struct kfd_process *p, struct kfd_ioctl_gpreempt_args *args)
{
	struct gpreempt_target t;
	u32 us = args->timeslice_us;
	int r;

	if (!valid_timeslice(us))
		return -EINVAL;
	r = get_target(p, args, &t);
	if (r)
		return r;
	r = kfd_gpreempt_set_timeslice(t.q, us);
	put_target(&t);
	return r;
}

/* What is not given is 0. */
static bool valid_share(const struct kfd_gpreempt_process_default *def, u32 flags)
{
	const struct gpreempt_share share = kfd_gpreempt_share(def);

	return !!def->weight == !!(flags & KFD_GPREEMPT_SET_WEIGHT) &&
	       (!def->min_percent || (flags & KFD_GPREEMPT_SET_MIN)) &&
	       (!def->cap_percent || (flags & KFD_GPREEMPT_SET_CAP)) &&
	       gpreempt_share_valid(&share);
}

static int op_set_process_default(struct kfd_process *p, struct kfd_ioctl_gpreempt_args *args)
{
	const struct kfd_gpreempt_process_default *def = &args->process_default;
	struct task_struct *task;
	int r;

	if (!valid_priority(def->priority) || !valid_priority(def->ceiling) ||
	    !valid_timeslice(def->timeslice_us) || !valid_share(def, args->flags))
		return -EINVAL;
	task = get_leader(args->pid);
	if (!task)
		return -ESRCH;
	r = lock_access(task);
	if (!r) {
		r = kfd_gpreempt_default_set(task, def, args->flags);
		up_read(&task->signal->exec_update_lock);
	}
	put_task_struct(task);
	return r;
}

/*
 * Wait until the queue is off the hardware, or was off more often than @preemptions
 * says; or until it is back on it. The queue may go meanwhile, and its number come
 * back: it is looked up anew after each tick.
 */
static int wait_for(struct gpreempt_target *t, const struct kfd_ioctl_gpreempt_args *args,
		    struct kfd_gpreempt_queue *gpq, u64 preemptions, ktime_t end)
{
	struct kfd_gpreempt *gp = gpq->gp;
	ktime_t left;
	int seen;
	int r;

	for (;;) {
		/* Read before the queue is: what the next tick changes is new. */
		seen = atomic_read_acquire(&gp->ticks);
		r = find_queue(t, args->queue_id);
		if (r)
			return r;
		r = t->q->gpreempt != gpq ? -ENOENT :
		    kfd_gpreempt_outcome(t->q, args->op == KFD_GPREEMPT_OP_PREEMPT,
					 preemptions);
		mutex_unlock(&t->p->mutex);
		if (r)
			return r > 0 ? 0 : r;
		left = ktime_sub(end, ktime_get());
		if (left <= 0)
			return -ETIME;
		r = wait_event_interruptible_hrtimeout(gp->ticked,
						       atomic_read(&gp->ticks) != seen, left);
		if (r == -ERESTARTSYS)
			return r;
	}
}

/*
 * Ask, and wait if that is asked for. What was asked for and has not come by
 * the end of the wait is taken back, so a call that is restarted after a signal
 * asks anew, and one that fails leaves nothing behind.
 */
static int op_preempt(struct kfd_process *p, struct kfd_ioctl_gpreempt_args *args)
{
	bool preempt = args->op == KFD_GPREEMPT_OP_PREEMPT;
	bool hold = args->flags & KFD_GPREEMPT_HOLD;
	bool wait = args->flags & KFD_GPREEMPT_WAIT;
	struct kfd_gpreempt_preempt *pre = &args->preempt;
	struct kfd_gpreempt_queue *gpq;
	struct gpreempt_target t;
	struct kfd_gpreempt_before before = {};
	s64 left_us;
	ktime_t end;
	bool nice;
	int r;

	if (wait ? !pre->wait_ms || pre->wait_ms > KFD_GPREEMPT_WAIT_MS_MAX :
		   pre->wait_ms)
		return -EINVAL;
	if (hold ? pre->hold_ms > KFD_GPREEMPT_HOLD_MS_MAX : pre->hold_ms)
		return -EINVAL;
	end = ktime_add_ms(ktime_get(), pre->wait_ms);

	r = get_target(p, args, &t);
	if (r)
		return r;
	nice = t.foreign && ns_capable_noaudit(&init_user_ns, CAP_SYS_NICE);
	if (hold && !pre->hold_ms && t.foreign && !nice)
		r = -EPERM;
	else if (preempt)
		r = kfd_gpreempt_ask(t.q, hold, nice, pre->hold_ms, &before);
	else
		r = kfd_gpreempt_unask(t.q, nice);
	gpq = t.q->gpreempt;
	kobject_get(&gpq->kobj);
	mutex_unlock(&t.p->mutex);

	if (!r && wait) {
		r = wait_for(&t, args, gpq, before.preemptions, end);
		if (r && preempt && !find_queue(&t, args->queue_id)) {
			if (t.q->gpreempt == gpq)
				kfd_gpreempt_take_back(t.q, &before);
			mutex_unlock(&t.p->mutex);
		}
		/* To the nearest ms, so that many restarts neither add time nor take it. */
		if (r == -ERESTARTSYS) {
			left_us = ktime_us_delta(end, ktime_get());
			pre->wait_ms = max_t(s64, 1, DIV_ROUND_CLOSEST(left_us, USEC_PER_MSEC));
		}
	}
	kfd_gpreempt_queue_put(gpq);
	kfd_unref_process(t.p);
	return r;
}

static int op_hint(struct kfd_process *p, struct kfd_ioctl_gpreempt_args *args)
{
	const struct kfd_gpreempt_hint *hint = &args->hint;
	struct kfd_gpreempt_queue *gpq;
	struct gpreempt_target t;
	int r;

	if (hint->arrival_us > KFD_GPREEMPT_HINT_US_MAX ||
	    hint->duration_us > KFD_GPREEMPT_HINT_US_MAX ||
	    (hint->arrival_us && !hint->duration_us))
		return -EINVAL;
	r = get_target(p, args, &t);
	if (r)
		return r;
	r = kfd_gpreempt_hint(t.q, hint->arrival_us, hint->duration_us);
	gpq = t.q->gpreempt;
	kobject_get(&gpq->kobj);
	put_target(&t);
	/* Allocates page tables, which may take long: with none of the locks held. */
	if (!r && hint->duration_us)
		kfd_gpreempt_doorbell_restore(gpq->gp);
	kfd_gpreempt_queue_put(gpq);
	return r;
}

static int op_query(struct kfd_process *p, struct kfd_ioctl_gpreempt_args *args);

#define IN(field)	sizeof_field(struct kfd_ioctl_gpreempt_args, field)

static const struct gpreempt_op gpreempt_ops[] = {
	[KFD_GPREEMPT_OP_QUERY] = {
		.func = op_query, .uses = USES_GPU,
	},
	[KFD_GPREEMPT_OP_LIST] = {
		.func = op_list, .uses = USES_PID | USES_GPU, .in = IN(list),
	},
	[KFD_GPREEMPT_OP_GET] = {
		.func = op_get, .uses = USES_PID | USES_QUEUE,
	},
	[KFD_GPREEMPT_OP_SET_PRIORITY] = {
		.func = op_set_priority, .uses = USES_PID | USES_QUEUE,
		.in = IN(priority.priority),
	},
	[KFD_GPREEMPT_OP_SET_TIMESLICE] = {
		.func = op_set_timeslice, .uses = USES_PID | USES_QUEUE,
		.in = IN(timeslice_us),
	},
	[KFD_GPREEMPT_OP_SET_PROCESS_DEFAULT] = {
		.func = op_set_process_default, .uses = USES_PID,
		.flags = KFD_GPREEMPT_KEEP_PRIORITY | KFD_GPREEMPT_KEEP_CEILING |
			 KFD_GPREEMPT_KEEP_TIMESLICE | KFD_GPREEMPT_SET_WEIGHT |
			 KFD_GPREEMPT_SET_MIN | KFD_GPREEMPT_SET_CAP,
		.in = IN(process_default),
	},
	[KFD_GPREEMPT_OP_PREEMPT] = {
		.func = op_preempt, .uses = USES_PID | USES_QUEUE,
		.flags = KFD_GPREEMPT_WAIT | KFD_GPREEMPT_HOLD, .in = IN(preempt),
	},
	[KFD_GPREEMPT_OP_RESUME] = {
		.func = op_preempt, .uses = USES_PID | USES_QUEUE,
		.flags = KFD_GPREEMPT_WAIT, .in = IN(preempt),
	},
	[KFD_GPREEMPT_OP_HINT] = {
		.func = op_hint, .uses = USES_PID | USES_QUEUE, .in = IN(hint),
	},
};

#undef IN

static int op_query(struct kfd_process *p, struct kfd_ioctl_gpreempt_args *args)
{
	struct kfd_gpreempt_query *query = &args->query;
	struct kfd_process_device *pdd;
	struct kfd_gpreempt *gp;
	int r;

	r = lock_process(p);
	if (r)
		return r;
	pdd = kfd_process_device_data_by_id(p, args->gpu_id);
	gp = pdd ? kfd_gpreempt_get(pdd->dev) : NULL;
	mutex_unlock(&p->mutex);
	if (!gp)
		return -ENODEV;
	*query = (struct kfd_gpreempt_query) {
		.version = KFD_GPREEMPT_VERSION,
		.operations = GENMASK_ULL(ARRAY_SIZE(gpreempt_ops) - 1, 1),
		/* The order of the two enums is the same. */
		.state = kfd_gpreempt_state(gp),
		.levels = GPREEMPT_LEVELS,
		.priority_cap = READ_ONCE(gp->priority_cap),
		.queue_size = sizeof(struct kfd_gpreempt_queue_info),
	};
	if (gp->supported)
		query->capabilities |= KFD_GPREEMPT_CAP_SUPPORTED;
	if (kfd_gpreempt_refuses(gp))
		query->capabilities |= KFD_GPREEMPT_CAP_REFUSES;
	kobject_put(&gp->kobj);
	return 0;
}

static_assert((int)KFD_GPREEMPT_NODE_DISABLED == (int)GPREEMPT_DISABLED);
static_assert((int)KFD_GPREEMPT_NODE_PARKED == (int)GPREEMPT_PARKED);
static_assert((int)KFD_GPREEMPT_NODE_ACTIVE == (int)GPREEMPT_ACTIVE);
static_assert((int)KFD_GPREEMPT_NODE_BYPASSED == (int)GPREEMPT_BYPASSED);

static const struct gpreempt_op *find_op(u32 op)
{
	if (!op || op >= ARRAY_SIZE(gpreempt_ops))
		return NULL;
	return &gpreempt_ops[array_index_nospec(op, ARRAY_SIZE(gpreempt_ops))];
}

/* What an operation does not use is 0, so that it may come to mean something. */
static int gpreempt_validate(void *kdata, unsigned int usize)
{
	const struct kfd_ioctl_gpreempt_args *args = kdata;
	const struct gpreempt_op *op;

	if (usize < sizeof(*args))
		return -EINVAL;
	if (memchr_inv(kdata + sizeof(*args), 0, usize - sizeof(*args)))
		return -E2BIG;
	op = find_op(args->op);
	if (!op)
		return -EOPNOTSUPP;
	if ((args->flags & ~op->flags) || args->pad ||
	    (args->pid && !(op->uses & USES_PID)) ||
	    (args->queue_id && !(op->uses & USES_QUEUE)) ||
	    (args->gpu_id && !(op->uses & USES_GPU)) ||
	    memchr_inv((const void *)args->reserved + op->in, 0,
		       sizeof(args->reserved) - op->in))
		return -EINVAL;
	return 0;
}

static int gpreempt_ioctl(struct file *filep, struct kfd_process *p, void *data)
{
	struct kfd_ioctl_gpreempt_args *args = data;

	return find_op(args->op)->func(p, args);
}

/* Not in the table of the other ioctls: its number is far from theirs. */
const struct amdkfd_ioctl_desc kfd_gpreempt_ioctl_desc = {
	.cmd = AMDKFD_IOC_GPREEMPT,
	.func = gpreempt_ioctl,
	.validate = gpreempt_validate,
	.name = "AMDKFD_IOC_GPREEMPT",
};
