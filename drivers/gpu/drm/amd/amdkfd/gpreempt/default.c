// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT defaults: priority, ceiling and turn of the queues of a process and
 * its descendants, as an operator gives them from outside.
 *
 * A kfd_process belongs to an mm: it is there from the first open of /dev/kfd
 * to exec. So a default is kept for the process as user space knows it, its
 * tgid, and may be set before the program that uses the GPU runs. Each
 * kfd_process holds, in one word, what follows for it: the priority and the turn
 * of the nearest ancestor that has one, itself included, and the lowest ceiling
 * of all; and likewise its share of the time in another one. They are looked up
 * when the kfd_process is made, and again when a default is set of it or of an
 * ancestor that lives.
 */

#include <linux/hashtable.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <uapi/linux/kfd_gpreempt.h>

#include "priv.h"

#define DEFAULT_HASH_BITS	6

#define SHARE_FLAGS	(KFD_GPREEMPT_SET_WEIGHT | KFD_GPREEMPT_SET_MIN | KFD_GPREEMPT_SET_CAP)

/**
 * struct gpreempt_default - a process's default
 * @node:	in @defaults
 * @pid:	the process's tgid, referenced
 * @word:	see gpreempt_word()
 * @share:	see gpreempt_share_pack(); one of both is not 0
 * @rcu:	frees it
 */
struct gpreempt_default {
	struct hlist_node node;
	struct pid *pid;
	u32 word;
	u32 share;
	struct rcu_head rcu;
};

/**
 * struct gpreempt_lot - what follows for a process from its own default and its ancestors'
 * @word:	&kfd_process.gpreempt
 * @share:	&kfd_process.gpreempt_share, unpacked
 */
struct gpreempt_lot {
	u32 word;
	struct gpreempt_share share;
};

/* Writers, and whoever writes &kfd_process.gpreempt. Readers use RCU. */
static DEFINE_MUTEX(defaults_lock);
static DEFINE_HASHTABLE(defaults, DEFAULT_HASH_BITS);

static struct gpreempt_default *default_find(const struct pid *pid)
{
	struct gpreempt_default *d;

	hash_for_each_possible_rcu(defaults, d, node, (unsigned long)pid,
				   lockdep_is_held(&defaults_lock))
		if (d->pid == pid)
			return d;
	return NULL;
}

/*
 * What follows for a process from its own default and its ancestors'. A task
 * that is no longer hashed has no parent any more. @via: out, if not NULL: is
 * this process among them?
 */
static struct gpreempt_lot default_of(struct task_struct *task, const struct pid *via,
				      bool *is_via)
{
	const struct gpreempt_default *d;
	struct gpreempt_lot lot = {};
	bool first = true;

	rcu_read_lock();
	/* The idle task is its own parent. */
	while (pid_alive(task) && task != &init_task) {
		struct pid *pid = task_tgid(task);

		d = pid ? default_find(pid) : NULL;
		if (d) {
			struct gpreempt_share share = gpreempt_share_unpack(READ_ONCE(d->share));

			lot.word = gpreempt_word_inherit(lot.word, READ_ONCE(d->word));
			lot.share = first ? share : gpreempt_share_inherit(lot.share, &share);
		}
		first = false;
		if (via && pid == via)
			*is_via = true;
		task = rcu_dereference(task->real_parent);
	}
	rcu_read_unlock();
	return lot;
}

static void process_set(struct kfd_process *p, const struct gpreempt_lot *lot)
{
	WRITE_ONCE(p->gpreempt, lot->word);
	WRITE_ONCE(p->gpreempt_share, gpreempt_share_pack(&lot->share));
}

/**
 * kfd_gpreempt_process_init - a process has opened /dev/kfd
 * @p: the process, not yet in use
 */
void kfd_gpreempt_process_init(struct kfd_process *p)
{
	struct gpreempt_lot lot;

	mutex_lock(&defaults_lock);
	lot = default_of(p->lead_thread, NULL, NULL);
	process_set(p, &lot);
	/* See kfd_gpreempt_process_made(). */
	smp_store_release(&p->gpreempt_made, true);
	mutex_unlock(&defaults_lock);
}

static void default_free(struct gpreempt_default *d)
{
	hash_del_rcu(&d->node);
	put_pid(d->pid);
	kfree_rcu(d, rcu);
}

/* There is no more than one default for a process that lives. */
static void prune(void)
{
	struct gpreempt_default *d;
	struct hlist_node *next;
	int i;

	hash_for_each_safe(defaults, i, next, d, node)
		if (!pid_has_task(d->pid, PIDTYPE_TGID))
			default_free(d);
}

static int default_store(struct pid *pid, u32 word, u32 share)
{
	struct gpreempt_default *d = default_find(pid);

	if (d) {
		WRITE_ONCE(d->word, word);
		WRITE_ONCE(d->share, share);
		if (!word && !share)
			default_free(d);
		return 0;
	}
	if (!word && !share)
		return 0;
	/* Charged to the caller: there may be one for each process. */
	d = kmalloc(sizeof(*d), GFP_KERNEL_ACCOUNT);
	if (!d)
		return -ENOMEM;
	d->pid = get_pid(pid);
	d->word = word;
	d->share = share;
	hash_add_rcu(defaults, &d->node, (unsigned long)pid);
	return 0;
}

/* One that is in the middle of an exec loses its kfd_process, whoever it belongs to. */
static bool may_apply(struct task_struct *task)
{
	bool may = false;

	if (down_read_trylock(&task->signal->exec_update_lock)) {
		may = kfd_gpreempt_same_user(task);
		up_read(&task->signal->exec_update_lock);
	}
	return may;
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
	int idx;

	idx = srcu_read_lock(&kfd_processes_srcu);
	hash_for_each_rcu(kfd_processes_table, i, p, kfd_processes) {
		struct gpreempt_share had = gpreempt_share_unpack(p->gpreempt_share);
		bool affected = false;
		struct gpreempt_lot lot = default_of(p->lead_thread, pid, &affected);

		if (!affected || !kfd_gpreempt_process_made(p))
			continue;
		if (!nice && !same_thread_group(p->lead_thread, target) &&
		    !may_apply(p->lead_thread))
			continue;
		if (!nice) {
			lot.word = gpreempt_word_ceiling(lot.word, gpreempt_ceiling(p->gpreempt));
			lot.share = gpreempt_share_lower(lot.share, &had);
		}
		if (lot.word == p->gpreempt &&
		    gpreempt_share_pack(&lot.share) == p->gpreempt_share)
			continue;
		process_set(p, &lot);
		kfd_gpreempt_wake_for(p);
	}
	srcu_read_unlock(&kfd_processes_srcu, idx);
}

/* What all but one process are guaranteed, in per cent. */
static u32 minima_of_others(const struct pid *pid)
{
	const struct gpreempt_default *d;
	u32 percent = 0;
	int i;

	hash_for_each(defaults, i, d, node)
		if (d->pid != pid)
			percent += gpreempt_share_unpack(d->share).min_percent;
	return percent;
}

/* A share of which some was set. */
static struct gpreempt_share share_with(struct gpreempt_share share,
					const struct gpreempt_share *given, u32 flags)
{
	if (flags & KFD_GPREEMPT_SET_WEIGHT)
		share.weight = given->weight;
	if (flags & KFD_GPREEMPT_SET_MIN)
		share.min_percent = given->min_percent;
	if (flags & KFD_GPREEMPT_SET_CAP)
		share.cap_percent = given->cap_percent;
	return share;
}

/**
 * kfd_gpreempt_default_set - set the default of a process and its descendants
 * @task: the process's leader; the caller may control it
 * @def: the default, each value in its range; a ceiling or a share above those there were
 *	only with CAP_SYS_NICE
 * @flags: KFD_GPREEMPT_KEEP_*: this of it stays as it was; KFD_GPREEMPT_SET_*: this of its
 *	share does not
 *
 * Return: 0, -EINVAL if the minimum is above the cap, -EPERM, -ENOMEM, -ENOSPC if more than
 * all would be guaranteed, or -ESRCH if the process is gone.
 */
int kfd_gpreempt_default_set(struct task_struct *task,
			     const struct kfd_gpreempt_process_default *def,
			     u32 flags)
{
	bool nice = ns_capable_noaudit(&init_user_ns, CAP_SYS_NICE);
	const struct gpreempt_share given = kfd_gpreempt_share(def);
	const struct gpreempt_default *old;
	struct gpreempt_share share, asked;
	struct gpreempt_lot had;
	u32 word = 0;
	struct pid *pid;
	int r;

	/* A default is of no node: each clamps it to its own cap and timeslices. */
	if (def->priority != KFD_GPREEMPT_NONE)
		word = gpreempt_word(def->priority, nice);
	word = gpreempt_word_ceiling(word, min_t(u32, def->ceiling, KFD_MAX_QUEUE_PRIORITY));
	word = gpreempt_word_turn(word, def->timeslice_us, nice);
	pid = get_task_pid(task, PIDTYPE_TGID);
	if (!pid)
		return -ESRCH;

	mutex_lock(&defaults_lock);
	prune();
	had = default_of(task, NULL, NULL);
	rcu_read_lock();
	old = default_find(pid);
	share = share_with(gpreempt_share_unpack(old ? old->share : 0), &given, flags);
	/* What is not named is no more than it was. */
	asked = share_with(had.share, &given, flags);
	word = gpreempt_word_keep(word, old ? old->word : 0,
				  flags & KFD_GPREEMPT_KEEP_PRIORITY,
				  flags & KFD_GPREEMPT_KEEP_CEILING,
				  flags & KFD_GPREEMPT_KEEP_TIMESLICE);
	r = old && !nice && gpreempt_ceiling(word) > gpreempt_ceiling(old->word) ?
	    -EPERM : 0;
	rcu_read_unlock();
	if (!r && !gpreempt_share_valid(&share))
		r = -EINVAL;
	if (!r && (flags & SHARE_FLAGS))
		r = gpreempt_share_admit(&asked, &had.share, nice, minima_of_others(pid));
	if (!r)
		r = default_store(pid, word, gpreempt_share_pack(&share));
	if (!r)
		apply(pid, task, nice);
	mutex_unlock(&defaults_lock);
	put_pid(pid);
	return r;
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
	rcu_barrier();
}
