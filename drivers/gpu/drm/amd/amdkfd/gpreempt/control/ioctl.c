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
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/nospec.h>
#include <linux/rwsem.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include <uapi/linux/kfd_gpreempt.h>

#include "inherit.h"
#include "request.h"

/* The same for every ABI: no field moves with the size of a pointer. */
static_assert(sizeof(struct kfd_ioctl_gpreempt_args) == 104);
static_assert(offsetof(struct kfd_ioctl_gpreempt_args, reserved) == 40);
static_assert(sizeof(struct kfd_gpreempt_query) == 20);
static_assert(sizeof(struct kfd_gpreempt_queue_info) == KFD_GPREEMPT_QUEUE_INFO_SIZE_1);
static_assert(offsetof(struct kfd_gpreempt_queue_info, running_ns) == 32);
static_assert(sizeof(struct kfd_gpreempt_list) == 16);
static_assert(sizeof(struct kfd_gpreempt_process_default) == 32);

/* Which of the common fields an operation uses. */
#define USES_PID	BIT(0)
#define USES_QUEUE	BIT(1)
#define USES_GPU	BIT(2)
#define OF_QUEUE	(USES_PID | USES_QUEUE)

/* Flags of those that are about one context of a process, and about more queues than one. */
#define OF_CONTEXT	(KFD_GPREEMPT_PIDFD | KFD_GPREEMPT_CONTEXT)
#define OF_DEFAULT	(KFD_GPREEMPT_PIDFD | KFD_GPREEMPT_CGROUP)
#define OF_MANY		(OF_CONTEXT | KFD_GPREEMPT_WHICH | KFD_GPREEMPT_EVERYBODY)

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

static bool valid_priority(u32 priority)
{
	return priority <= KFD_MAX_QUEUE_PRIORITY || priority == KFD_GPREEMPT_NONE;
}

static bool valid_timeslice(u32 us)
{
	return !us || (us >= KFD_GPREEMPT_TIMESLICE_US_MIN && us <= KFD_GPREEMPT_TIMESLICE_US_MAX);
}

/* The chosen queues of a process, after @n others of which @slots were wanted. */
static int list_queues(struct kfd_process *p, const struct kfd_gpreempt_choice *choice,
		       struct kfd_gpreempt_queue_info *info, u32 slots, u32 *n)
{
	struct process_queue_node *pqn;
	int r = 0;

	if (mutex_lock_interruptible(&p->mutex))
		return -ERESTARTSYS;
	list_for_each_entry(pqn, &p->pqm.queues, process_queue_list) {
		/* One whose node is gone is none any more. */
		if (!pqn->q || !kfd_gpreempt_chosen(choice, pqn->q) ||
		    READ_ONCE(pqn->q->gpreempt->gp->dead))
			continue;
		if (*n < slots)
			r = kfd_gpreempt_queue_info(pqn->q->gpreempt, &info[*n]);
		if (r)
			break;
		++*n;
	}
	mutex_unlock(&p->mutex);
	return r;
}

static int op_list(struct kfd_process *p, struct kfd_ioctl_gpreempt_args *args)
{
	struct kfd_gpreempt_list *list = &args->list;
	struct kfd_gpreempt_queue_info *info __free(kvfree) = NULL;
	struct kfd_gpreempt_choice choice;
	char __user *to = u64_to_user_ptr(list->queues);
	u32 slots = 0, size, n = 0, i;
	int r;

	if (list->entry_size < KFD_GPREEMPT_QUEUE_INFO_SIZE_1)
		return -EINVAL;
	size = min_t(u32, list->entry_size, sizeof(*info));
	r = kfd_gpreempt_choose(p, args, &choice);
	/* How many there are, and then they. */
	for (i = 0; !r && i < choice.count; i++)
		r = list_queues(choice.processes[i], &choice, NULL, 0, &n);
	slots = min(list->count, n);
	n = 0;
	if (!r) {
		info = kvcalloc(slots, sizeof(*info), GFP_KERNEL_ACCOUNT);
		if (!info)
			r = -ENOMEM;
	}
	for (i = 0; !r && i < choice.count; i++)
		r = list_queues(choice.processes[i], &choice, info, slots, &n);
	if (!r && !n && !choice.which)
		r = -ENOENT;
	kfd_gpreempt_unchoose(&choice);

	for (i = 0; !r && i < min(n, slots); i++)
		if (copy_to_user(to + (size_t)i * list->entry_size, &info[i], size))
			r = -EFAULT;
	if (!r || r == -EFAULT) {
		list->count = n;
		list->entry_size = sizeof(*info);
	}
	return r;
}

/* SET_PRIORITY and SET_TIMESLICE. */
static int op_queue(struct kfd_process *p, struct kfd_ioctl_gpreempt_args *args)
{
	struct kfd_gpreempt_choice choice;
	struct queue *q;
	int r;

	if ((args->op == KFD_GPREEMPT_OP_SET_PRIORITY &&
	     !valid_priority(args->priority.priority)) ||
	    (args->op == KFD_GPREEMPT_OP_SET_TIMESLICE && !valid_timeslice(args->timeslice_us)))
		return -EINVAL;
	r = kfd_gpreempt_choose(p, args, &choice);
	if (!r)
		r = kfd_gpreempt_find_queue(choice.processes[0], choice.number, &q);
	if (r)
		goto out;
	if (args->op == KFD_GPREEMPT_OP_SET_PRIORITY)
		args->priority.permitted = kfd_gpreempt_set_priority(q, args->priority.priority);
	else
		r = kfd_gpreempt_set_timeslice(q, args->timeslice_us);
	mutex_unlock(&choice.processes[0]->mutex);
out:
	kfd_gpreempt_unchoose(&choice);
	return r;
}

/* Values that are not given are 0. */
static bool valid_values(const struct kfd_gpreempt_process_default *def, u32 flags)
{
	const struct gpreempt_share share = {
		.weight = def->weight,
		.min_percent = def->min_percent,
		.cap_percent = def->cap_percent,
	};

	/* A process that had a weight has one. */
	if (!def->weight && (flags & KFD_GPREEMPT_SET_WEIGHT) && !(flags & KFD_GPREEMPT_CGROUP))
		return false;
	/* Only a cgroup takes a grant. */
	if (flags & KFD_GPREEMPT_SET_GRANT ?
	    !(flags & KFD_GPREEMPT_CGROUP) || !valid_priority(def->grant) : def->grant)
		return false;
	return (!def->weight || (flags & KFD_GPREEMPT_SET_WEIGHT)) &&
	       (!def->min_percent || (flags & KFD_GPREEMPT_SET_MIN)) &&
	       (!def->cap_percent || (flags & KFD_GPREEMPT_SET_CAP)) &&
	       gpreempt_share_valid(&share);
}

/* SET_PROCESS_DEFAULT and GET_DEFAULT. */
static int op_default(struct kfd_process *p, struct kfd_ioctl_gpreempt_args *args)
{
	const struct kfd_gpreempt_process_default *def = &args->process_default;
	bool set = args->op == KFD_GPREEMPT_OP_SET_PROCESS_DEFAULT;
	struct task_struct *task __free(put_task) = NULL;
	struct cgroup *cgroup = NULL;
	bool own;
	int r;

	if (set && (def->pad || !valid_priority(def->priority) || !valid_priority(def->ceiling) ||
		    !valid_timeslice(def->timeslice_us) || !valid_values(def, args->flags)))
		return -EINVAL;
	if (args->flags & KFD_GPREEMPT_CGROUP) {
		cgroup = kfd_gpreempt_cgroup_of_fd(args->cgroup_fd, &own);
		if (IS_ERR(cgroup))
			return PTR_ERR(cgroup);
		r = !set || own || capable(CAP_SYS_NICE) ? 0 : -EPERM;
	} else {
		r = kfd_gpreempt_leader(args, &task) ?: kfd_gpreempt_lock_access(task);
		if (r)
			return r;
	}
	if (!r && set)
		r = kfd_gpreempt_default_set(task, cgroup, def, args->flags);
	else if (!r)
		kfd_gpreempt_default_get(task, cgroup, &args->process_default);
	if (cgroup)
		cgroup_put(cgroup);
	else
		up_read(&task->signal->exec_update_lock);
	return r;
}

/*
 * Sleep until the monitor has made a tick that the caller has not seen, or for so long. A tick
 * wakes one of those that sleep, and each wakes the next: there may be any number of them, and
 * waking all at once keeps interrupts off for as long as it takes.
 */
static int sleep_until_tick(struct kfd_gpreempt *gp, int seen, ktime_t left)
{
	DEFINE_WAIT(wait);
	int r = 0;

	prepare_to_wait_exclusive(&gp->monitor.ticked, &wait, TASK_INTERRUPTIBLE);
	if (signal_pending(current))
		r = -ERESTARTSYS;
	else if (atomic_read(&gp->monitor.ticks) == seen)
		schedule_hrtimeout(&left, HRTIMER_MODE_REL);
	finish_wait(&gp->monitor.ticked, &wait);
	if (atomic_read(&gp->monitor.ticks) != seen)
		wake_up(&gp->monitor.ticked);
	return r;
}

/*
 * Wait until the queue is off the hardware, or was off more often than it had been; or until
 * it is back on it. The queue may go meanwhile, as may its process, and its number come back: both
 * are looked up anew after each tick, and the end of the queue makes one.
 */
static int wait_for(const struct kfd_gpreempt_asked *asked, bool off, ktime_t end)
{
	struct kfd_gpreempt *gp = asked->gpq->gp;
	struct kfd_process *p;
	struct queue *q;
	ktime_t left;
	int seen;
	int r;

	for (;;) {
		/* Read before the queue is: what the next tick changes is new. */
		seen = atomic_read_acquire(&gp->monitor.ticks);
		p = kfd_gpreempt_process_get(asked->p);
		if (!p)
			return -ENOENT;
		r = kfd_gpreempt_find_queue(p, asked->queue_id, &q);
		if (!r) {
			r = q->gpreempt != asked->gpq ? -ENOENT :
			    kfd_gpreempt_outcome(q, off, asked->preemptions);
			mutex_unlock(&p->mutex);
		}
		kfd_unref_process(p);
		if (r)
			return r > 0 ? 0 : r;
		left = ktime_sub(end, ktime_get());
		if (left <= 0)
			return -ETIME;
		r = sleep_until_tick(gp, seen, left);
		if (r)
			return r;
	}
}

static void put_asks(struct kfd_gpreempt_asks *asks)
{
	while (asks->count)
		kobject_put(&asks->asked[--asks->count].gpq->kobj);
	kvfree(asks->asked);
}

/*
 * Ask one queue: no other node's locks are taken. One that is in its process's list and not in
 * its node's is being destroyed.
 */
static int request_one(const struct kfd_gpreempt_choice *choice,
		       const struct kfd_ioctl_gpreempt_args *args, struct kfd_gpreempt_asks *asks)
{
	struct kfd_process *p = choice->processes[0];
	struct kfd_gpreempt *gp;
	struct queue *q;
	int r = kfd_gpreempt_find_queue(p, choice->number, &q);

	if (r)
		return r;
	gp = q->gpreempt->gp;
	kobject_get(&gp->kobj);
	mutex_unlock(&p->mutex);
	r = kfd_gpreempt_request(gp, choice, args, asks);
	kobject_put(&gp->kobj);
	return r;
}

/* Ask the chosen queues of all nodes, or of one. No process is held any more afterwards. */
static int request(struct kfd_process *p, const struct kfd_ioctl_gpreempt_args *args,
		   struct kfd_gpreempt_asks *asks)
{
	struct kfd_gpreempt_choice choice;
	struct kfd_gpreempt *gp;
	unsigned int i;
	int r = kfd_gpreempt_choose(p, args, &choice);

	if (!r && !choice.which)
		r = request_one(&choice, args, asks);
	for (i = 0; !r && choice.which && (gp = kfd_gpreempt_get(NULL, i)); i++) {
		if (!choice.gpu_id || choice.gpu_id == gp->gpu_id)
			r = kfd_gpreempt_request(gp, &choice, args, asks);
		if (r == -ENODEV)
			r = 0;
		kobject_put(&gp->kobj);
	}
	kfd_gpreempt_unchoose(&choice);
	if (r || asks->count)
		return r;
	/* The call fails if every queue that was meant refused. */
	return asks->refused ? asks->error : choice.which ? -ENOENT : -EBUSY;
}

/*
 * Ask, and wait if the caller wants that. At the end of the wait take back each request that has
 * not been met: so a call that is restarted after a signal asks anew, and one that fails leaves
 * nothing behind.
 */
static int op_preempt(struct kfd_process *p, struct kfd_ioctl_gpreempt_args *args)
{
	bool preempt = args->op == KFD_GPREEMPT_OP_PREEMPT;
	bool wait = args->flags & KFD_GPREEMPT_WAIT, many = args->flags & KFD_GPREEMPT_WHICH;
	struct kfd_gpreempt_preempt *pre = &args->preempt;
	struct kfd_gpreempt_asks asks = {
		.nice = ns_capable_noaudit(&init_user_ns, CAP_SYS_NICE),
	};
	unsigned int i;
	s64 left_us;
	ktime_t end;
	int r;

	if (wait ? !pre->wait_ms || pre->wait_ms > KFD_GPREEMPT_WAIT_MS_MAX : pre->wait_ms)
		return -EINVAL;
	if (args->flags & KFD_GPREEMPT_HOLD ? pre->hold_ms > KFD_GPREEMPT_HOLD_MS_MAX :
					      pre->hold_ms)
		return -EINVAL;
	end = ktime_add_ms(ktime_get(), pre->wait_ms);

	r = request(p, args, &asks);
	for (i = 0; !r && wait && i < asks.count; i++) {
		r = wait_for(&asks.asked[i], preempt, end);
		/*
		 * Of many, some may go, or come to have to stay, and so may their nodes during the
		 * wait: the others count.
		 */
		if (many && (r == -ENOENT || r == -EBUSY || r == -ENODEV || r == -EIO))
			r = 0;
	}
	/* After a signal, too: a hold left behind would look as if it had been there before. */
	for (i = 0; r && preempt && i < asks.count; i++)
		kfd_gpreempt_take_back(&asks.asked[i]);
	pre->queues = asks.count;
	pre->refused = asks.refused;
	/* To the nearest ms, so that many restarts neither add time nor take it. */
	if (r == -ERESTARTSYS && wait) {
		left_us = ktime_us_delta(end, ktime_get());
		pre->wait_ms = max_t(s64, 1, DIV_ROUND_CLOSEST(left_us, USEC_PER_MSEC));
	}
	put_asks(&asks);
	return r;
}

static int op_hint(struct kfd_process *p, struct kfd_ioctl_gpreempt_args *args)
{
	const struct kfd_gpreempt_hint *hint = &args->hint;
	struct kfd_gpreempt_asks asks = {};
	int r;

	if (hint->arrival_us > KFD_GPREEMPT_HINT_US_MAX ||
	    hint->duration_us > KFD_GPREEMPT_HINT_US_MAX ||
	    (hint->arrival_us && !hint->duration_us))
		return -EINVAL;
	r = request(p, args, &asks);
	put_asks(&asks);
	return r;
}

static int op_query(struct kfd_process *p, struct kfd_ioctl_gpreempt_args *args)
{
	struct kfd_gpreempt_query *query = &args->query;
	struct kfd_process_device *pdd;
	struct kfd_gpreempt *gp;

	if (mutex_lock_interruptible(&p->mutex))
		return -ERESTARTSYS;
	pdd = kfd_process_device_data_by_id(p, args->gpu_id);
	gp = pdd ? kfd_gpreempt_get(pdd->dev, 0) : NULL;
	mutex_unlock(&p->mutex);
	if (!gp)
		return -ENODEV;
	*query = (struct kfd_gpreempt_query) {
		.version = KFD_GPREEMPT_VERSION,
		.capabilities = gp->unsupported ? 0 : KFD_GPREEMPT_CAP_SUPPORTED,
		/* The order of the two enums is the same. */
		.state = kfd_gpreempt_state(gp),
		.levels = GPREEMPT_LEVELS,
		.priority_cap = READ_ONCE(gp->priority_cap),
	};
	kobject_put(&gp->kobj);
	return 0;
}

#define IN(field)	sizeof_field(struct kfd_ioctl_gpreempt_args, field)

/* In the order of struct gpreempt_op. */
static const struct gpreempt_op gpreempt_ops[] = {
	[KFD_GPREEMPT_OP_QUERY] = { op_query, 0, USES_GPU },
	[KFD_GPREEMPT_OP_LIST] = { op_list, OF_MANY, OF_QUEUE, IN(list) },
	[KFD_GPREEMPT_OP_SET_PRIORITY] = {
		op_queue, OF_CONTEXT, OF_QUEUE, IN(priority.priority)
	},
	[KFD_GPREEMPT_OP_SET_TIMESLICE] = { op_queue, OF_CONTEXT, OF_QUEUE, IN(timeslice_us) },
	[KFD_GPREEMPT_OP_SET_PROCESS_DEFAULT] = {
		op_default, OF_DEFAULT | KFD_GPREEMPT_KEEP_PRIORITY | KFD_GPREEMPT_KEEP_CEILING |
			    KFD_GPREEMPT_KEEP_TIMESLICE | KFD_GPREEMPT_SET_WEIGHT |
			    KFD_GPREEMPT_SET_MIN | KFD_GPREEMPT_SET_CAP | KFD_GPREEMPT_SET_GRANT,
		USES_PID, IN(process_default)
	},
	[KFD_GPREEMPT_OP_PREEMPT] = {
		op_preempt, OF_MANY | KFD_GPREEMPT_WAIT | KFD_GPREEMPT_HOLD, OF_QUEUE, IN(preempt)
	},
	[KFD_GPREEMPT_OP_RESUME] = {
		op_preempt, OF_MANY | KFD_GPREEMPT_WAIT, OF_QUEUE, IN(preempt)
	},
	[KFD_GPREEMPT_OP_HINT] = { op_hint, OF_MANY, OF_QUEUE, IN(hint) },
	[KFD_GPREEMPT_OP_GET_DEFAULT] = { op_default, OF_DEFAULT, USES_PID },
};

#undef IN

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

/* Fields that all operations share: those that neither it nor a flag uses have to be 0. */
static bool valid_fields(const struct gpreempt_op *op, const struct kfd_ioctl_gpreempt_args *args)
{
	u32 which = args->flags & KFD_GPREEMPT_WHICH;
	bool everybody = args->flags & KFD_GPREEMPT_EVERYBODY;
	bool pidfd = args->flags & KFD_GPREEMPT_PIDFD, cgroup = args->flags & KFD_GPREEMPT_CGROUP;
	bool level = which == KFD_GPREEMPT_AT_LEAST || which == KFD_GPREEMPT_BELOW;
	bool one = op->uses & USES_PID && !pidfd && !cgroup && !everybody;

	if (args->flags & ~op->flags || args->pad)
		return false;
	if (hweight32(which) > 1 || (everybody && !which))
		return false;
	/* One process or cgroup, or all of them. */
	if ((pidfd && cgroup) || (everybody && (args->flags & OF_CONTEXT)))
		return false;
	if ((args->pid && !one) || (args->pidfd && !pidfd) || (args->cgroup_fd && !cgroup))
		return false;
	if (args->level > (level ? KFD_MAX_QUEUE_PRIORITY : 0))
		return false;
	if (args->queue_id && (which || !(op->uses & USES_QUEUE)))
		return false;
	if (args->gpu_id && !which && !(op->uses & USES_GPU))
		return false;
	return args->context_id <= (args->flags & KFD_GPREEMPT_CONTEXT ?
				    KFD_GPREEMPT_CONTEXT_PRIMARY : 0);
}

/* There is one layout. Bytes of the union that the operation does not read have to be 0. */
static int gpreempt_validate(void *kdata, unsigned int usize)
{
	const struct kfd_ioctl_gpreempt_args *args = kdata;
	const struct gpreempt_op *op;

	if (usize != sizeof(*args))
		return -EINVAL;
	op = find_op(args->op);
	if (!op)
		return -EOPNOTSUPP;
	if (!valid_fields(op, args) ||
	    memchr_inv((const void *)args->reserved + op->in, 0, sizeof(args->reserved) - op->in))
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
