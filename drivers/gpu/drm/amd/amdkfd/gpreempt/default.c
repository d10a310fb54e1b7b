// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT defaults: priority, ceiling, grant, turn and share of the queues of a process and its
 * descendants, or of a cgroup's members, as an operator gives them from outside.
 *
 * A kfd_process belongs to an mm: it is there from the first open of /dev/kfd to exec. So a default
 * is kept for the process as user space knows it, its tgid, and may be set before the program that
 * uses the GPU runs. Each kfd_process holds, in one word, what follows for it: the priority and the
 * turn of the nearest ancestor that has one, itself included, and the lowest ceiling of all; and
 * likewise its share of the time in another one. They are looked up when the kfd_process is made,
 * and again when a default is set of it or of an ancestor that lives.
 *
 * A process's cgroup comes after its ancestors, and then the cgroups above that. Nothing
 * tells that a process has moved, so its cgroup is compared at each scan.
 */

#include <linux/hashtable.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <uapi/linux/kfd_gpreempt.h>

#include "priv.h"

#define DEFAULT_HASH_BITS	10

/* A cgroup that was removed is forgotten by then, and a move unnoticed so long at most. */
#define SWEEP_JIFFIES	(10 * HZ)

/* So that a walk is short, and the table no tenant's to fill. */
#define DEPTH_MAX		64
#define OWNERS_CGROUPS_MAX	4096

#define SHARE_FLAGS	(KFD_GPREEMPT_SET_WEIGHT | KFD_GPREEMPT_SET_MIN | KFD_GPREEMPT_SET_CAP)

/**
 * struct gpreempt_default - a default
 * @node:	in @defaults
 * @pid:	of the process with this tgid, referenced; or NULL
 * @cgroup:	and then of this cgroup, referenced
 * @word:	see gpreempt_word()
 * @share:	see gpreempt_share_pack(); one of both is not 0
 */
struct gpreempt_default {
	struct hlist_node node;
	struct pid *pid;
	struct cgroup *cgroup;
	u64 word;
	u32 share;
};

/**
 * struct gpreempt_lot - what follows for a process, or for a cgroup's members
 * @word:	&kfd_process.gpreempt
 * @share:	&kfd_process.gpreempt_share, unpacked
 * @group:	&kfd_process.gpreempt_group
 */
struct gpreempt_lot {
	u64 word;
	struct gpreempt_share share;
	u64 group;
};

/* Guards the table, and who writes &kfd_process.gpreempt. */
static DEFINE_MUTEX(defaults_lock);
static DEFINE_HASHTABLE(defaults, DEFAULT_HASH_BITS);
/* Cgroups that have a default. */
static unsigned int cgroups;

static void sweep(struct work_struct *work);
static DECLARE_DELAYED_WORK(sweep_work, sweep);

static struct gpreempt_default *default_find(const struct pid *pid, const struct cgroup *cgroup)
{
	unsigned long key = pid ? (unsigned long)pid : (unsigned long)cgroup;
	struct gpreempt_default *d;

	lockdep_assert_held(&defaults_lock);
	hash_for_each_possible(defaults, d, node, key)
		if (d->pid == pid && d->cgroup == cgroup)
			return d;
	return NULL;
}

/*
 * What follows for a process from its own default and its ancestors'. A task that is no longer
 * hashed has no parent any more. @via: out, if not NULL: is this process among them?
 */
static struct gpreempt_lot default_of(struct task_struct *task, const struct pid *via,
				      bool *is_via)
{
	const struct gpreempt_default *d;
	struct gpreempt_lot lot = {};
	bool first = true;

	guard(rcu)();
	/* The idle task is its own parent. */
	while (pid_alive(task) && task != &init_task) {
		struct pid *pid = task_tgid(task);

		d = pid ? default_find(pid, NULL) : NULL;
		if (d) {
			struct gpreempt_share share = gpreempt_share_unpack(d->share);

			lot.word = gpreempt_word_inherit(lot.word, d->word);
			lot.share = first ? share : gpreempt_share_inherit(lot.share, &share);
		}
		first = false;
		if (via && pid == via)
			*is_via = true;
		task = rcu_dereference(task->real_parent);
	}
	return lot;
}

/* What follows from a cgroup's own default on top of what follows from those above it. */
static struct gpreempt_lot lot_below(struct gpreempt_lot lot, const struct cgroup *cgroup,
				     u64 word, u32 packed)
{
	struct gpreempt_share share = gpreempt_share_unpack(packed);

	lot.word = gpreempt_word_inherit(word, lot.word);
	if (packed) {
		lot.share = gpreempt_share_inherit(share, &lot.share);
		lot.group = cgroup_id(cgroup);
	}
	return lot;
}

/*
 * What follows for a cgroup's members, but for what is of one of them: RCU or a reference keeps
 * the cgroup. The members of the nearest one that has a share are one group by that.
 */
static struct gpreempt_lot lot_of_cgroup(struct cgroup *cgroup)
{
	const struct gpreempt_default *d;
	struct gpreempt_lot lot = {};
	struct cgroup *above;
	int level;

	for (level = 0; cgroup && level <= DEPTH_MAX; level++) {
		above = kfd_gpreempt_cgroup_above(cgroup, level);
		if (!above)
			break;
		d = default_find(NULL, above);
		if (d)
			lot = lot_below(lot, above, d->word, d->share);
	}
	return lot;
}

/*
 * A process's own lot, and that of its cgroup. Where members share, a process's own share
 * does not count, as it could be a way to more than is theirs.
 *
 * Returns whether it changes anything.
 */
static bool process_set(struct kfd_process *p, const struct gpreempt_lot *own)
{
	u32 own_share = gpreempt_share_pack(&own->share), share;
	struct gpreempt_lot lot;
	struct cgroup *cgroup;
	bool changes;
	u64 word;

	rcu_read_lock();
	cgroup = kfd_gpreempt_cgroup(p->lead_thread);
	lot = lot_of_cgroup(cgroup);
	WRITE_ONCE(p->gpreempt_cgroup, cgroup ? cgroup_id(cgroup) : 0);
	rcu_read_unlock();
	word = gpreempt_word_inherit(own->word, lot.word);
	share = lot.group ? gpreempt_share_pack(&lot.share) : own_share;
	changes = word != p->gpreempt || share != p->gpreempt_share ||
		  lot.group != p->gpreempt_group;
	p->gpreempt_own = own->word;
	p->gpreempt_own_share = own_share;
	WRITE_ONCE(p->gpreempt, word);
	WRITE_ONCE(p->gpreempt_share, share);
	WRITE_ONCE(p->gpreempt_group, lot.group);
	return changes;
}

/* The same with what its cgroup has by now, or with another cgroup. */
static bool process_update(struct kfd_process *p)
{
	const struct gpreempt_lot own = {
		.word = p->gpreempt_own,
		.share = gpreempt_share_unpack(p->gpreempt_own_share),
	};

	return process_set(p, &own);
}

/* Any process may be a member of a cgroup whose default has changed. */
static void update_all(void)
{
	struct kfd_process *p;
	unsigned int i;

	guard(srcu)(&kfd_processes_srcu);
	hash_for_each_rcu(kfd_processes_table, i, p, kfd_processes)
		if (kfd_gpreempt_process_made(p) && process_update(p))
			kfd_gpreempt_wake_for(p);
}

/**
 * kfd_gpreempt_process_init - a process has opened /dev/kfd
 * @p: the process, not yet in use
 */
void kfd_gpreempt_process_init(struct kfd_process *p)
{
	struct gpreempt_lot own;

	guard(mutex)(&defaults_lock);
	own = default_of(p->lead_thread, NULL, NULL);
	process_set(p, &own);
	/* See kfd_gpreempt_process_made(). */
	smp_store_release(&p->gpreempt_made, true);
}

/**
 * kfd_gpreempt_process_follow - has a process gone to another cgroup?
 * @p: the process, made
 *
 * Its lot changes with that, by the next call at the latest if somebody changes defaults now.
 * Where no cgroup has a default, there is nothing to follow.
 */
void kfd_gpreempt_process_follow(struct kfd_process *p)
{
	struct cgroup *cgroup;
	bool moved;

	if (!READ_ONCE(cgroups))
		return;
	rcu_read_lock();
	cgroup = kfd_gpreempt_cgroup(p->lead_thread);
	moved = cgroup && cgroup_id(cgroup) != READ_ONCE(p->gpreempt_cgroup);
	rcu_read_unlock();
	/* Who holds the lock may wait for memory, and the monitor must not. */
	if (!moved || !mutex_trylock(&defaults_lock))
		return;
	/* Whoever has looked, the monitor may be parked. */
	if (process_update(p))
		kfd_gpreempt_wake_for(p);
	mutex_unlock(&defaults_lock);
}

static void default_free(struct gpreempt_default *d)
{
	hash_del(&d->node);
	put_pid(d->pid);
	if (d->cgroup) {
		kfd_gpreempt_cgroup_put(d->cgroup);
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

	hash_for_each_safe(defaults, i, next, d, node)
		if (d->pid ? !pid_has_task(d->pid, PIDTYPE_TGID) :
			     kfd_gpreempt_cgroup_gone(d->cgroup))
			default_free(d);
	/* Some process may have left such a cgroup unnoticed. */
	if (cgroups != had)
		update_all();
}

static void sweep(struct work_struct *work)
{
	guard(mutex)(&defaults_lock);
	prune();
	/* A parked monitor scans nobody's queue. */
	update_all();
	if (cgroups)
		schedule_delayed_work(&sweep_work, SWEEP_JIFFIES);
}

static int default_store(struct pid *pid, struct cgroup *cgroup, u64 word, u32 share)
{
	struct gpreempt_default *d = default_find(pid, cgroup);

	if (!word && !share) {
		if (d)
			default_free(d);
		return 0;
	}
	if (!d) {
		/* Charged to the caller: there may be one for each process. */
		d = kzalloc(sizeof(*d), GFP_KERNEL_ACCOUNT);
		if (!d)
			return -ENOMEM;
		d->pid = get_pid(pid);
		if (cgroup) {
			kfd_gpreempt_cgroup_get(cgroup);
			d->cgroup = cgroup;
			WRITE_ONCE(cgroups, cgroups + 1);
			schedule_delayed_work(&sweep_work, SWEEP_JIFFIES);
		}
		hash_add(defaults, &d->node, pid ? (unsigned long)pid : (unsigned long)cgroup);
	}
	d->word = word;
	d->share = share;
	return 0;
}

/*
 * The processes that use KFD by now: the target, and its descendants as far as
 * the caller may control them. A ceiling that came from an ancestor which is
 * gone remains, and so does a share, but for CAP_SYS_NICE.
 */
static void apply(const struct pid *pid, struct task_struct *target, bool nice)
{
	struct kfd_process *p;
	unsigned int i;

	guard(srcu)(&kfd_processes_srcu);
	hash_for_each_rcu(kfd_processes_table, i, p, kfd_processes) {
		struct gpreempt_share had = gpreempt_share_unpack(p->gpreempt_own_share);
		bool affected = false;
		struct gpreempt_lot own = default_of(p->lead_thread, pid, &affected);

		if (!affected || !kfd_gpreempt_process_made(p))
			continue;
		if (!nice && !same_thread_group(p->lead_thread, target) &&
		    !kfd_gpreempt_same_user(p->lead_thread))
			continue;
		if (!nice) {
			own.word = gpreempt_word_ceiling(own.word,
							 gpreempt_ceiling(p->gpreempt_own));
			own.share = gpreempt_share_lower(own.share, &had);
		}
		if (process_set(p, &own))
			kfd_gpreempt_wake_for(p);
	}
}

/* What all but one process or cgroup are guaranteed, in per cent. */
static u32 minima_of_others(const struct pid *pid, const struct cgroup *cgroup)
{
	const struct gpreempt_default *d;
	u32 percent = 0;
	int i;

	hash_for_each(defaults, i, d, node)
		if (d->pid != pid || d->cgroup != cgroup)
			percent += gpreempt_share_unpack(d->share).min_percent;
	return percent;
}

/* A share of which some was set. */
static struct gpreempt_share share_with(struct gpreempt_share share,
					const struct kfd_gpreempt_process_default *def, u32 flags)
{
	if (flags & KFD_GPREEMPT_SET_WEIGHT)
		share.weight = def->weight;
	if (flags & KFD_GPREEMPT_SET_MIN)
		share.min_percent = def->min_percent;
	if (flags & KFD_GPREEMPT_SET_CAP)
		share.cap_percent = def->cap_percent;
	return share;
}

/* A default is of no node: each clamps it to its own cap and timeslices. */
static u64 word_of(const struct kfd_gpreempt_process_default *def, u32 flags, bool nice, u64 old)
{
	u64 kept = (flags & KFD_GPREEMPT_KEEP_PRIORITY ? GPREEMPT_PART_PRIORITY : 0) |
		   (flags & KFD_GPREEMPT_KEEP_CEILING ? GPREEMPT_WORD_CEILING : 0) |
		   (flags & KFD_GPREEMPT_KEEP_TIMESLICE ? GPREEMPT_PART_TURN : 0) |
		   (flags & KFD_GPREEMPT_SET_GRANT ? 0 : GPREEMPT_WORD_GRANT);
	u64 word = 0;

	if (def->priority != KFD_GPREEMPT_NONE)
		word = gpreempt_word(def->priority, nice);
	word = gpreempt_word_ceiling(word, min_t(u32, def->ceiling, KFD_MAX_QUEUE_PRIORITY));
	word = gpreempt_word_turn(word, def->timeslice_us, nice);
	if ((flags & KFD_GPREEMPT_SET_GRANT) && def->grant != KFD_GPREEMPT_NONE)
		word = gpreempt_word_grant(word, def->grant);
	return gpreempt_word_keep(word, old, kept);
}

/*
 * The owner of a cgroup's directory may lower what is there. A share makes a group of the
 * members, and as many groups as somebody likes would have as many shares.
 */
static int cgroup_admit(struct cgroup *cgroup, const struct gpreempt_default *old, u64 word,
			const struct gpreempt_share *share, bool nice)
{
	struct gpreempt_share old_share = gpreempt_share_unpack(old ? old->share : 0);
	struct gpreempt_lot had = lot_of_cgroup(cgroup);
	struct gpreempt_lot lot = lot_below(lot_of_cgroup(cgroup_parent(cgroup)), cgroup, word,
					    gpreempt_share_pack(share));
	int r;

	/* Not what follows alone: something above may bound it for now. */
	if (!nice && gpreempt_word_exceeds(word, old ? old->word : 0))
		return -EPERM;
	r = gpreempt_share_admit(share, &old_share, nice, minima_of_others(NULL, cgroup));
	if (r)
		return r;
	if (!nice && (gpreempt_priority(lot.word) > gpreempt_priority(had.word) ||
		      lot.group != had.group))
		return -EPERM;
	r = gpreempt_share_admit(&lot.share, &had.share, nice, 0);
	return r ?: !nice && !old && cgroups >= OWNERS_CGROUPS_MAX ? -EDQUOT : 0;
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
 * -ENOSPC if more than all would be guaranteed, -EDQUOT without CAP_SYS_NICE if many cgroups
 * have defaults already, -ESRCH if the process is gone, or -ENOENT if the cgroup is.
 */
int kfd_gpreempt_default_set(struct task_struct *task, struct cgroup *cgroup,
			     const struct kfd_gpreempt_process_default *def, u32 flags)
{
	bool nice = ns_capable_noaudit(&init_user_ns, CAP_SYS_NICE);
	struct pid *pid = task ? get_task_pid(task, PIDTYPE_TGID) : NULL;
	struct gpreempt_share share, asked, had;
	const struct gpreempt_default *old;
	u64 word, old_word;
	int r = 0;

	if (task && !pid)
		return -ESRCH;
	if (cgroup && kfd_gpreempt_cgroup_above(cgroup, DEPTH_MAX + 1))
		return -EINVAL;
	mutex_lock(&defaults_lock);
	prune();
	old = default_find(pid, cgroup);
	old_word = old ? old->word : 0;
	share = share_with(gpreempt_share_unpack(old ? old->share : 0), def, flags);
	word = word_of(def, flags, nice, old_word);
	if (cgroup && kfd_gpreempt_cgroup_gone(cgroup)) {
		r = -ENOENT;
	} else if (task && !nice && gpreempt_ceiling(word) > gpreempt_ceiling(old_word)) {
		r = -EPERM;
	} else if (!gpreempt_share_valid(&share)) {
		r = -EINVAL;
	} else if (cgroup) {
		r = cgroup_admit(cgroup, old, word, &share, nice);
	} else if (flags & SHARE_FLAGS) {
		had = default_of(task, NULL, NULL).share;
		/* What is not named is no more than it was. */
		asked = share_with(had, def, flags);
		r = gpreempt_share_admit(&asked, &had, nice, minima_of_others(pid, NULL));
	}
	if (!r)
		r = default_store(pid, cgroup, word, gpreempt_share_pack(&share));
	if (!r && cgroup)
		update_all();
	else if (!r)
		apply(pid, task, nice);
	mutex_unlock(&defaults_lock);
	put_pid(pid);
	return r;
}

/**
 * kfd_gpreempt_default_get - what was set of a process or of a cgroup, and of nothing above it
 * @task: the process's leader, or NULL
 * @cgroup: and then the cgroup
 * @def: out
 */
void kfd_gpreempt_default_get(struct task_struct *task, const struct cgroup *cgroup,
			      struct kfd_gpreempt_process_default *def)
{
	const struct gpreempt_default *d;
	struct gpreempt_share share;
	u64 word;

	mutex_lock(&defaults_lock);
	d = default_find(task ? task_tgid(task) : NULL, cgroup);
	word = d ? d->word : 0;
	share = gpreempt_share_unpack(d ? d->share : 0);
	mutex_unlock(&defaults_lock);

	/* None of a priority or of a grant is that of the ABI. */
	static_assert(KFD_GPREEMPT_NONE == U32_MAX);
	*def = (struct kfd_gpreempt_process_default) {
		.priority = gpreempt_priority(word),
		.ceiling = gpreempt_ceiling(word) < KFD_MAX_QUEUE_PRIORITY ?
			   gpreempt_ceiling(word) : KFD_GPREEMPT_NONE,
		.timeslice_us = gpreempt_word_us(word),
		.weight = share.weight,
		.min_percent = share.min_percent,
		.cap_percent = share.cap_percent,
		.grant = gpreempt_grant(word),
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

	mutex_lock(&defaults_lock);
	hash_for_each_safe(defaults, i, next, d, node)
		default_free(d);
	mutex_unlock(&defaults_lock);
	cancel_delayed_work_sync(&sweep_work);
}
