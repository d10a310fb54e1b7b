// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT defaults: priority, ceiling, grant, turn and share of the queues of a process and its
 * descendants, or of a cgroup's members, as an operator gives them from outside.
 *
 * A kfd_process belongs to an mm: it is there from the first open of /dev/kfd to exec. So a default
 * is kept for the process as user space knows it, its tgid, and may be set before the program that
 * uses the GPU runs. Each kfd_process holds what follows for it, its lot: the priority and the
 * turn of the nearest ancestor that has one, itself included, the lowest ceiling of all, and
 * likewise its share of the time. It is looked up when the kfd_process is made, and again when a
 * default is set of it or of an ancestor that lives. A default that a user has set counts for that
 * user's processes: a set-user-ID program, or a service that was started by sudo, is none. What was
 * set with CAP_SYS_NICE counts for all, also after a user has lowered it for its own.
 *
 * A process's cgroup comes after its ancestors, and then the cgroups above that. Nothing
 * tells that a process has moved, so its cgroup is compared at each scan.
 */

#include <linux/cred.h>
#include <linux/hashtable.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <uapi/linux/kfd_gpreempt.h>

#include "inherit.h"
#include "request.h"

#define DEFAULT_HASH_BITS	12

/* A cgroup that was removed is forgotten by then, and a move unnoticed so long at most. */
#define SWEEP_JIFFIES	(10 * HZ)

/* A walk to ancestors, or up from a cgroup, goes so far. */
#define DEPTH_MAX		64
/* Cgroups, and likewise processes, that one user may give defaults without CAP_SYS_NICE. */
#define USERS_MAX		1024

#define SHARE_FLAGS	(KFD_GPREEMPT_SET_WEIGHT | KFD_GPREEMPT_SET_MIN | KFD_GPREEMPT_SET_CAP)

/**
 * struct gpreempt_default - a default
 * @node:	in @defaults
 * @pid:	of the process with this tgid, referenced; or NULL
 * @cgroup:	and then of this cgroup, referenced
 * @by:		the caller that set it last without CAP_SYS_NICE, else first; referenced
 * @nice:	what was set with CAP_SYS_NICE, for everybody's processes
 * @lot:	what was set, for those of @by; of a cgroup for its members
 */
struct gpreempt_default {
	struct hlist_node node;
	struct pid *pid;
	struct cgroup *cgroup;
	const struct cred *by;
	struct gpreempt_lot nice;
	struct gpreempt_lot lot;
};

static const struct gpreempt_lot nothing = GPREEMPT_NO_LOT;

static bool is_nothing(const struct gpreempt_lot *lot)
{
	return !memcmp(lot, &nothing, sizeof(nothing));
}

/* Held by those that change the table, which they may take their time for. */
static DEFINE_MUTEX(defaults_lock);
/*
 * Held, inside of that, for each change of the table, and for all of &kfd_process.gpreempt. A
 * process that opens /dev/kfd, and the monitor, wait for no more than this.
 */
static DEFINE_SPINLOCK(lots_lock);
static DEFINE_HASHTABLE(defaults, DEFAULT_HASH_BITS);
/* Cgroups that have a default. */
static unsigned int cgroups;

static void sweep(struct work_struct *work);
static DECLARE_DELAYED_WORK(sweep_work, sweep);

static struct gpreempt_default *default_find(const struct pid *pid, const struct cgroup *cgroup)
{
	unsigned long key = pid ? (unsigned long)pid : (unsigned long)cgroup;
	struct gpreempt_default *d;

	lockdep_assert(lockdep_is_held(&defaults_lock) || lockdep_is_held(&lots_lock));
	hash_for_each_possible(defaults, d, node, key)
		if (d->pid == pid && d->cgroup == cgroup)
			return d;
	return NULL;
}

/* The default of a process or of a cgroup itself, and of nothing above it. */
static const struct gpreempt_lot *own_lot(const struct pid *pid, const struct cgroup *cgroup)
{
	const struct gpreempt_default *d = default_find(pid, cgroup);

	return d ? &d->lot : &nothing;
}

/*
 * A process's lot by its own default and its ancestors'. A task that is no longer hashed has no
 * parent any more. @via: out, if not NULL: is this process among them?
 */
static struct gpreempt_lot default_of(struct task_struct *leader, const struct pid *via,
				      bool *is_via)
{
	struct task_struct *task = leader;
	struct gpreempt_lot lot = nothing;
	const struct gpreempt_lot *own;
	unsigned int depth;

	guard(rcu)();
	/* The idle task is its own parent. */
	for (depth = 0; depth <= DEPTH_MAX && pid_alive(task) && task != &init_task; depth++) {
		struct pid *pid = task_tgid(task);
		const struct gpreempt_default *d = default_find(pid, NULL);

		if (d) {
			/* As far as it counts for this process. */
			own = kfd_gpreempt_user_of(d->by, leader) ? &d->lot : &d->nice;
			lot = depth ? gpreempt_lot_inherit(lot, own) : *own;
		}
		if (via && pid == via)
			*is_via = true;
		task = rcu_dereference(task->real_parent);
	}
	return lot;
}

/* Combine a cgroup's own default with the lot of those above it. */
static struct gpreempt_lot lot_below(struct gpreempt_lot above, const struct gpreempt_lot *own)
{
	struct gpreempt_lot lot = gpreempt_lot_inherit(*own, &above);

	if (!own->group) {
		lot.share = above.share;
		lot.group = above.group;
	}
	return lot;
}

/*
 * The lot that a cgroup gives its members: RCU or a reference keeps the cgroup. The members of the
 * nearest cgroup with a share are one group.
 */
static struct gpreempt_lot lot_of_cgroup(struct cgroup *cgroup)
{
	struct gpreempt_lot lot = nothing;
	struct cgroup *above;
	int level;

	for (level = 0; cgroup && level <= DEPTH_MAX; level++) {
		above = cgroup_ancestor(cgroup, level);
		if (!above)
			break;
		lot = lot_below(lot, own_lot(NULL, above));
	}
	return lot;
}

/*
 * Combine a process's own lot with its cgroup's. Where members share, a process's own share does
 * not count, as it could be a way to more than theirs. Return: has anything changed?
 */
static bool combine(struct kfd_process *p)
{
	struct gpreempt_lot lot, common;
	struct cgroup *cgroup;

	lockdep_assert_held(&lots_lock);
	guard(rcu)();
	cgroup = kfd_gpreempt_cgroup(p->lead_thread);
	common = lot_of_cgroup(cgroup);
	WRITE_ONCE(p->gpreempt.cgroup, cgroup ? cgroup_id(cgroup) : 0);
	lot = gpreempt_lot_inherit(p->gpreempt.own, &common);
	lot.group = common.group;
	if (lot.group)
		lot.share = common.share;
	if (!memcmp(&lot, &p->gpreempt.lot, sizeof(lot)))
		return false;
	p->gpreempt.lot = lot;
	return true;
}

/* The monitors of its nodes may be parked, so they are woken. */
static void process_update(struct kfd_process *p)
{
	bool changed;

	scoped_guard(spinlock, &lots_lock)
		changed = combine(p);
	if (changed)
		kfd_gpreempt_wake_for(p);
}

/*
 * A default has changed, which may be that of a process or of an ancestor. A ceiling that came
 * from an ancestor which is gone remains, and so does a share, but for CAP_SYS_NICE.
 */
static void apply_to(struct kfd_process *p, const struct pid *pid, bool nice)
{
	struct gpreempt_lot own;
	bool affected = false;

	scoped_guard(spinlock, &lots_lock) {
		own = default_of(p->lead_thread, pid, &affected);
		if (!nice) {
			own.ceiling = min(own.ceiling, p->gpreempt.own.ceiling);
			own.share = gpreempt_share_lower(own.share, &p->gpreempt.own.share);
		}
		if (affected)
			p->gpreempt.own = own;
	}
	if (affected)
		process_update(p);
}

/*
 * The processes that use KFD by now. If a cgroup's default has changed, @pid is NULL, and any of
 * them may be a member. If a process's has, they are that process and its descendants as far as the
 * caller may control them.
 */
static void apply(const struct pid *pid, bool nice)
{
	struct kfd_process *p;
	unsigned int i;

	guard(srcu)(&kfd_processes_srcu);
	hash_for_each_rcu(kfd_processes_table, i, p, kfd_processes) {
		cond_resched();
		if (!kfd_gpreempt_process_made(p))
			continue;
		if (!pid)
			process_update(p);
		else if (nice || kfd_gpreempt_owns(p))
			apply_to(p, pid, nice);
	}
}

/**
 * kfd_gpreempt_process_init - a process has opened /dev/kfd
 * @p: the process, not yet in use, or open for longer
 */
void kfd_gpreempt_process_init(struct kfd_process *p)
{
	scoped_guard(spinlock, &lots_lock) {
		if (p->gpreempt.made)
			return;
		p->gpreempt.own = default_of(p->lead_thread, NULL, NULL);
		combine(p);
		/* See kfd_gpreempt_process_made(). */
		smp_store_release(&p->gpreempt.made, true);
	}
	kfd_gpreempt_wake_for(p);
}

/**
 * kfd_gpreempt_process_follow - let a process's lot change with its cgroup
 * @p: the process, made
 *
 * Where no cgroup has a default, there is nothing to follow.
 */
void kfd_gpreempt_process_follow(struct kfd_process *p)
{
	struct cgroup *cgroup;

	if (!READ_ONCE(cgroups))
		return;
	guard(rcu)();
	cgroup = kfd_gpreempt_cgroup(p->lead_thread);
	if (cgroup && cgroup_id(cgroup) != READ_ONCE(p->gpreempt.cgroup))
		process_update(p);
}

/**
 * kfd_gpreempt_process_lot - what follows for a process
 * @p: the process, made
 */
struct gpreempt_lot kfd_gpreempt_process_lot(const struct kfd_process *p)
{
	guard(spinlock)(&lots_lock);
	return p->gpreempt.lot;
}

static void default_free(struct gpreempt_default *d)
{
	scoped_guard(spinlock, &lots_lock)
		hash_del(&d->node);
	put_pid(d->pid);
	put_cred(d->by);
	if (d->cgroup) {
		cgroup_put(d->cgroup);
		WRITE_ONCE(cgroups, cgroups - 1);
	}
	kfree(d);
}

/* There is no more than one default for a process that lives, and for a cgroup. */
static void prune(void)
{
	unsigned int had = cgroups;
	struct gpreempt_default *d;
	struct hlist_node *next;
	int i;

	hash_for_each_safe(defaults, i, next, d, node) {
		if (d->pid ? !pid_has_task(d->pid, PIDTYPE_TGID) :
			     kfd_gpreempt_cgroup_gone(d->cgroup))
			default_free(d);
		cond_resched();
	}
	/* Some process may have left such a cgroup unnoticed. */
	if (cgroups != had)
		apply(NULL, false);
}

static void sweep(struct work_struct *work)
{
	guard(mutex)(&defaults_lock);
	prune();
	/* A parked monitor scans nobody's queue. */
	apply(NULL, false);
	if (cgroups)
		schedule_delayed_work(&sweep_work, SWEEP_JIFFIES);
}

/* How many cgroups, or processes, the caller's user has given defaults without CAP_SYS_NICE. */
static unsigned int defaults_of_user(bool of_cgroups)
{
	const struct gpreempt_default *d;
	unsigned int n = 0;
	int i;

	hash_for_each(defaults, i, d, node)
		n += !d->pid == of_cgroups && is_nothing(&d->nice) &&
		     uid_eq(d->by->euid, current_euid());
	return n;
}

/* A default that says nothing to anybody goes. Of a cgroup only @lot counts. */
static int default_store(struct pid *pid, struct cgroup *cgroup, const struct gpreempt_lot *lot,
			 const struct gpreempt_lot *lot_nice, bool nice)
{
	struct gpreempt_default *d = default_find(pid, cgroup);
	const struct cred *by = NULL;

	if (is_nothing(lot) && (cgroup || is_nothing(lot_nice))) {
		if (d)
			default_free(d);
		return 0;
	}
	if (!d) {
		if (!nice && defaults_of_user(cgroup) >= USERS_MAX)
			return -EDQUOT;
		/* Charged to the caller: there may be one for each process. */
		d = kzalloc(sizeof(*d), GFP_KERNEL_ACCOUNT);
		if (!d)
			return -ENOMEM;
		d->pid = get_pid(pid);
		if (cgroup) {
			cgroup_get(cgroup);
			d->cgroup = cgroup;
			WRITE_ONCE(cgroups, cgroups + 1);
			schedule_delayed_work(&sweep_work, SWEEP_JIFFIES);
		}
	}
	scoped_guard(spinlock, &lots_lock) {
		if (hlist_unhashed(&d->node))
			hash_add(defaults, &d->node,
				 pid ? (unsigned long)pid : (unsigned long)cgroup);
		if (!nice || !d->by) {
			by = d->by;
			d->by = get_current_cred();
		}
		d->lot = *lot;
		d->nice = *lot_nice;
	}
	put_cred(by);
	return 0;
}

/* The sum of the minima of all but one process or cgroup, in per cent. */
static u32 minima_of_others(const struct pid *pid, const struct cgroup *cgroup)
{
	const struct gpreempt_default *d;
	u32 percent = 0;
	int i;

	hash_for_each(defaults, i, d, node)
		if (d->pid != pid || d->cgroup != cgroup)
			percent += d->lot.share.min_percent;
	return percent;
}

/* A lot of which some is set. It is of no node: each clamps it to its own cap and timeslices. */
static struct gpreempt_lot lot_with(struct gpreempt_lot lot,
				    const struct kfd_gpreempt_process_default *def, u32 flags,
				    bool nice)
{
	/* None of a priority, of a ceiling or of a grant is that of the ABI. */
	static_assert(KFD_GPREEMPT_NONE == GPREEMPT_UNSET);
	if (!(flags & KFD_GPREEMPT_KEEP_PRIORITY)) {
		lot.priority = def->priority;
		lot.nice = nice && def->priority != GPREEMPT_UNSET;
	}
	if (!(flags & KFD_GPREEMPT_KEEP_CEILING))
		lot.ceiling = def->ceiling < KFD_MAX_QUEUE_PRIORITY ? def->ceiling : GPREEMPT_UNSET;
	if (!(flags & KFD_GPREEMPT_KEEP_TIMESLICE)) {
		lot.turn_us = def->timeslice_us;
		lot.longer = nice && def->timeslice_us;
	}
	if (flags & KFD_GPREEMPT_SET_GRANT)
		lot.grant = def->grant;
	if (flags & KFD_GPREEMPT_SET_WEIGHT)
		lot.share.weight = def->weight;
	if (flags & KFD_GPREEMPT_SET_MIN)
		lot.share.min_percent = def->min_percent;
	if (flags & KFD_GPREEMPT_SET_CAP)
		lot.share.cap_percent = def->cap_percent;
	return lot;
}

/*
 * The owner of a cgroup's directory may lower what is there. A share makes a group of the
 * members, and as many groups as somebody likes would have as many shares.
 */
static int cgroup_admit(struct cgroup *cgroup, const struct gpreempt_lot *old,
			const struct gpreempt_lot *now, bool nice)
{
	struct gpreempt_lot had = lot_of_cgroup(cgroup);
	struct gpreempt_lot lot = lot_below(lot_of_cgroup(cgroup_parent(cgroup)), now);
	int r;

	/* Not what follows alone: something above may bound it for now. */
	if (!nice && gpreempt_lot_exceeds(now, old))
		return -EPERM;
	r = gpreempt_share_admit(&now->share, &old->share, nice, minima_of_others(NULL, cgroup));
	if (r)
		return r;
	if (!nice && (lot.priority > had.priority || lot.group != had.group))
		return -EPERM;
	return gpreempt_share_admit(&lot.share, &had.share, nice, 0);
}

/**
 * kfd_gpreempt_default_set - set the default of a process and its descendants, or of a cgroup's
 *	members
 * @task: the process's leader, whom the caller may control; or NULL
 * @cgroup: and then the cgroup, referenced, whose directory is the caller's own or anybody's for
 *	CAP_SYS_NICE
 * @def: the default, each value in its range. Only with CAP_SYS_NICE more than there was: of a
 *	process its ceiling and its share, of a cgroup all but the turn
 * @flags: KFD_GPREEMPT_KEEP_*: this of it stays as it was; KFD_GPREEMPT_SET_*: this of its
 *	share does not
 *
 * Return: 0, -EINVAL if the minimum is above the cap, or the cgroup too deep, -EPERM, -ENOMEM,
 * -ENOSPC if more than all would be guaranteed, -EDQUOT without CAP_SYS_NICE if the user has given
 * many cgroups or processes defaults already, -ESRCH if the process is gone, or -ENOENT if the
 * cgroup is.
 */
int kfd_gpreempt_default_set(struct task_struct *task, struct cgroup *cgroup,
			     const struct kfd_gpreempt_process_default *def, u32 flags)
{
	bool nice = ns_capable_noaudit(&init_user_ns, CAP_SYS_NICE);
	struct pid *pid = task ? get_task_pid(task, PIDTYPE_TGID) : NULL;
	struct gpreempt_lot lot, lot_nice, asked, had;
	const struct gpreempt_default *d;
	const struct gpreempt_lot *old;
	int r = 0;

	if (task && !pid)
		return -ESRCH;
	if (cgroup && cgroup_ancestor(cgroup, DEPTH_MAX + 1))
		return -EINVAL;
	mutex_lock(&defaults_lock);
	prune();
	d = default_find(pid, cgroup);
	old = d ? &d->lot : &nothing;
	lot = lot_with(*old, def, flags, nice);
	/* A user's own values do not become everybody's by what CAP_SYS_NICE sets beside them. */
	lot_nice = d ? d->nice : nothing;
	if (nice)
		lot_nice = lot_with(lot_nice, def, flags, true);
	if (cgroup)
		lot.group = memcmp(&lot.share, &nothing.share, sizeof(lot.share)) ?
			    cgroup_id(cgroup) : 0;
	if (cgroup && kfd_gpreempt_cgroup_gone(cgroup)) {
		r = -ENOENT;
	} else if (task && !nice && lot.ceiling > old->ceiling) {
		r = -EPERM;
	} else if (!gpreempt_share_valid(&lot.share)) {
		r = -EINVAL;
	} else if (cgroup) {
		r = cgroup_admit(cgroup, old, &lot, nice);
	} else if (flags & SHARE_FLAGS) {
		had = default_of(task, NULL, NULL);
		/* Values that are not named stay what they were. */
		asked = lot_with(had, def, flags, nice);
		r = gpreempt_share_admit(&asked.share, &had.share, nice,
					 minima_of_others(pid, NULL));
	}
	if (!r)
		r = default_store(pid, cgroup, &lot, &lot_nice, nice);
	if (!r)
		apply(pid, nice);
	mutex_unlock(&defaults_lock);
	put_pid(pid);
	return r;
}

/**
 * kfd_gpreempt_default_get - the default of a process or a cgroup itself, and of nothing above it
 * @task: the process's leader, or NULL
 * @cgroup: and then the cgroup
 * @def: out
 */
void kfd_gpreempt_default_get(struct task_struct *task, const struct cgroup *cgroup,
			      struct kfd_gpreempt_process_default *def)
{
	const struct gpreempt_lot *lot;

	guard(mutex)(&defaults_lock);
	lot = own_lot(task ? task_tgid(task) : NULL, cgroup);
	*def = (struct kfd_gpreempt_process_default) {
		.priority = lot->priority,
		.ceiling = lot->ceiling,
		.timeslice_us = lot->turn_us,
		.weight = lot->share.weight,
		.min_percent = lot->share.min_percent,
		.cap_percent = lot->share.cap_percent,
		.grant = lot->grant,
	};
}

/**
 * kfd_gpreempt_default_exit - the driver goes
 *
 * No process uses KFD any more.
 */
void kfd_gpreempt_default_exit(void)
{
	struct gpreempt_default *d;
	struct hlist_node *next;
	int i;

	scoped_guard(mutex, &defaults_lock)
		hash_for_each_safe(defaults, i, next, d, node)
			default_free(d);
	cancel_delayed_work_sync(&sweep_work);
}
