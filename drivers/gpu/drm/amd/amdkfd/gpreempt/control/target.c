// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT targets: which processes and queues an ioctl is about, and whether the caller may
 * touch them. Changes nothing.
 */

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hashtable.h>
#include <linux/magic.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>
#include <uapi/linux/kfd_gpreempt.h>

#include "request.h"

/*
 * The process of a pidfd, referenced, or NULL. What tells a pidfd from other files is not
 * exported to modules, pidfd_pid(); its file system is as good, as each of its files is one.
 */
static struct pid *get_pidfd_pid(int fd)
{
	struct file *file __free(fput) = fget(fd);

	if (!file || file_inode(file)->i_sb->s_magic != PID_FS_MAGIC)
		return NULL;
	return get_pid(file_inode(file)->i_private);
}

/**
 * kfd_gpreempt_leader - find the process that an ioctl names
 * @args: its pid or its pidfd, and its flags
 * @task: out: the process's leader, referenced
 *
 * Return: 0, -EBADF for a descriptor of something else, or -ESRCH.
 */
int kfd_gpreempt_leader(const struct kfd_ioctl_gpreempt_args *args, struct task_struct **task)
{
	bool pidfd = args->flags & KFD_GPREEMPT_PIDFD;
	struct pid *pid;

	if (!args->pid && !pidfd) {
		*task = get_task_struct(current->group_leader);
		return 0;
	}
	pid = pidfd ? get_pidfd_pid(args->pidfd) : find_get_pid(args->pid);
	if (!pid)
		return pidfd ? -EBADF : -ESRCH;
	*task = get_pid_task(pid, PIDTYPE_TGID);
	put_pid(pid);
	return *task ? 0 : -ESRCH;
}

/**
 * kfd_gpreempt_user_of - does a process belong to a user?
 * @cred: the user's, as that of a caller
 * @task: the process's leader. Its exec_update_lock is held, or its exec later does no harm
 *
 * As of setpriority(2), and stricter: a process that runs a set-user-ID program belongs to neither
 * user. All processes in a user namespace belong to the user that has made it as well.
 */
bool kfd_gpreempt_user_of(const struct cred *cred, struct task_struct *task)
{
	const struct user_namespace *ns;
	const struct cred *tcred;

	guard(rcu)();
	tcred = __task_cred(task);
	for (ns = tcred->user_ns; ns && ns != cred->user_ns; ns = ns->parent)
		if (ns->parent == cred->user_ns && uid_eq(ns->owner, cred->euid))
			return true;
	return ns && ns == tcred->user_ns && uid_eq(cred->euid, tcred->uid) &&
	       uid_eq(cred->euid, tcred->suid);
}

/* Not one that is in the middle of an exec, whoever it belongs to: it loses its contexts. */
static bool same_user(struct task_struct *task)
{
	bool same;

	if (!down_read_trylock(&task->signal->exec_update_lock))
		return false;
	same = kfd_gpreempt_user_of(current_cred(), task);
	up_read(&task->signal->exec_update_lock);
	return same;
}

/**
 * kfd_gpreempt_lock_access - may the caller control a process?
 * @task: the process's leader
 *
 * Rule 8, permission. With the lock that exec takes, the answer is about the program that
 * @task runs now.
 *
 * Return: 0, and the process's exec_update_lock is held for reading; -EPERM or -EINTR.
 */
int kfd_gpreempt_lock_access(struct task_struct *task)
{
	if (down_read_killable(&task->signal->exec_update_lock))
		return -EINTR;
	if (same_thread_group(task, current) || kfd_gpreempt_user_of(current_cred(), task) ||
	    capable(CAP_SYS_NICE))
		return 0;
	up_read(&task->signal->exec_update_lock);
	return -EPERM;
}

/*
 * A context of a process, referenced, or NULL. Its leader, whose exec_update_lock is held, tells
 * whose it is; not the memory alone, as a child that shares that may belong to another user. A
 * leader that has ended has no memory, and other threads may go on.
 */
static struct kfd_process *find_context(const struct task_struct *leader, u16 id)
{
	const struct mm_struct *mm = READ_ONCE(leader->mm);
	struct kfd_process *p;
	unsigned int i;

	guard(srcu)(&kfd_processes_srcu);
	hash_for_each_rcu(kfd_processes_table, i, p, kfd_processes) {
		if (kfd_gpreempt_process_made(p) && p->lead_thread == leader &&
		    (!mm || READ_ONCE(p->mm) == mm) && kfd_process_context_id(p) == id) {
			kref_get(&p->ref);
			return p;
		}
	}
	return NULL;
}

/*
 * The context of a process that an ioctl names, referenced; @p is the caller's. By its own
 * number, too, that is the caller's context, so that no other's queue has this one's number.
 */
static int get_process(struct kfd_process *p, const struct kfd_ioctl_gpreempt_args *args,
		       struct kfd_process **target)
{
	struct task_struct *task __free(put_task) = NULL;
	int r = kfd_gpreempt_leader(args, &task);

	if (r)
		return r;
	if (task == current->group_leader && p->mm == current->mm &&
	    !(args->flags & KFD_GPREEMPT_CONTEXT)) {
		kref_get(&p->ref);
		*target = p;
		return 0;
	}
	r = kfd_gpreempt_lock_access(task);
	if (r)
		return r;
	*target = find_context(task, args->flags & KFD_GPREEMPT_CONTEXT ?
			       args->context_id : KFD_CONTEXT_ID_PRIMARY);
	up_read(&task->signal->exec_update_lock);
	return *target ? 0 : -ESRCH;
}

/**
 * kfd_gpreempt_find_queue - lock a process and find a queue of it
 * @p: the process
 * @queue_id: number of the queue
 * @q: out: the queue, there while @p is locked
 *
 * Return: 0, and @p is locked; -ENOENT or -ERESTARTSYS.
 */
int kfd_gpreempt_find_queue(struct kfd_process *p, u32 queue_id, struct queue **q)
{
	if (mutex_lock_interruptible(&p->mutex))
		return -ERESTARTSYS;
	*q = pqm_get_user_queue(&p->pqm, queue_id);
	if (*q && (*q)->gpreempt)
		return 0;
	mutex_unlock(&p->mutex);
	return -ENOENT;
}

/**
 * kfd_gpreempt_owns - may the caller control a process by who it is?
 * @p: the process
 *
 * Its leader tells whose it is, but not of memory that the leader has left: a child that shares
 * that may belong to another user.
 */
bool kfd_gpreempt_owns(const struct kfd_process *p)
{
	struct task_struct *task = p->lead_thread;
	const struct mm_struct *mm = READ_ONCE(task->mm);

	return (!mm || READ_ONCE(p->mm) == mm) &&
	       (same_thread_group(task, current) || same_user(task));
}

/**
 * kfd_gpreempt_may_control - may the caller control a process, and see its queues?
 * @p: the process
 * @nice: the caller has CAP_SYS_NICE
 *
 * A caller cannot name a process that has no number in its pid namespace. On the host that is one
 * whose leader is gone, while a child that shares its memory goes on.
 */
bool kfd_gpreempt_may_control(const struct kfd_process *p, bool nice)
{
	if (nice && task_active_pid_ns(current) == &init_pid_ns)
		return true;
	return task_tgid_vnr(p->lead_thread) && (nice || kfd_gpreempt_owns(p));
}

/**
 * kfd_gpreempt_process_get - a process that was found before, if it has not ended
 * @p: the process, without a reference: it is compared, and not followed
 *
 * A caller that waits must hold no process: its queues and its memory would stay for as long.
 *
 * Return: @p, referenced, or NULL. It may be another one, in the place of one that has ended.
 */
struct kfd_process *kfd_gpreempt_process_get(const struct kfd_process *p)
{
	struct kfd_process *there;
	unsigned int i;

	guard(srcu)(&kfd_processes_srcu);
	hash_for_each_rcu(kfd_processes_table, i, there, kfd_processes) {
		if (there == p && kfd_gpreempt_process_made(there)) {
			kref_get(&there->ref);
			return there;
		}
	}
	return NULL;
}

/* Are both contexts of one process? Of one that has ended, none is any more. */
static bool of_one(const struct kfd_process *p, const struct kfd_process *other)
{
	const void *mm = READ_ONCE(p->mm);

	return p == other ||
	       (p->lead_thread == other->lead_thread && mm && READ_ONCE(other->mm) == mm);
}

/*
 * All contexts of a process, or of all that the caller may control. One that opens /dev/kfd
 * meanwhile may be missed.
 */
static int choose_many(const struct kfd_process *one, struct kfd_gpreempt_choice *choice)
{
	bool nice = !one && ns_capable_noaudit(&init_user_ns, CAP_SYS_NICE);
	struct kfd_process *p;
	unsigned int i, n = 0;

	scoped_guard(srcu, &kfd_processes_srcu)
		hash_for_each_rcu(kfd_processes_table, i, p, kfd_processes)
			n++;
	choice->processes = kvcalloc(n, sizeof(*choice->processes), GFP_KERNEL_ACCOUNT);
	if (!choice->processes)
		return -ENOMEM;
	guard(srcu)(&kfd_processes_srcu);
	hash_for_each_rcu(kfd_processes_table, i, p, kfd_processes) {
		if (choice->count == n)
			break;
		if (!kfd_gpreempt_process_made(p) ||
		    (one ? !of_one(p, one) : !kfd_gpreempt_may_control(p, nice)))
			continue;
		kref_get(&p->ref);
		choice->processes[choice->count++] = p;
	}
	return 0;
}

/**
 * kfd_gpreempt_choose - find what an ioctl is about that may be about many queues
 * @p: the caller's process
 * @args: of the ioctl
 * @choice: out: for kfd_gpreempt_unchoose(), also after an error
 *
 * Return: 0, -ENOMEM, -ESRCH if there is no such context, or what kfd_gpreempt_leader() and
 * kfd_gpreempt_lock_access() return.
 */
int kfd_gpreempt_choose(struct kfd_process *p, const struct kfd_ioctl_gpreempt_args *args,
			struct kfd_gpreempt_choice *choice)
{
	struct kfd_process *one = NULL;
	int r;

	*choice = (struct kfd_gpreempt_choice) {
		.which = args->flags & KFD_GPREEMPT_WHICH,
		.number = args->flags & (KFD_GPREEMPT_AT_LEAST | KFD_GPREEMPT_BELOW) ?
			  args->level : args->queue_id,
		.gpu_id = args->gpu_id,
	};
	if (args->flags & KFD_GPREEMPT_EVERYBODY)
		return choose_many(NULL, choice);
	r = get_process(p, args, &one);
	if (r)
		return r;
	if (!choice->which || (args->flags & KFD_GPREEMPT_CONTEXT)) {
		choice->processes = kvcalloc(1, sizeof(*choice->processes), GFP_KERNEL);
		if (choice->processes) {
			choice->processes[choice->count++] = one;
			return 0;
		}
		r = -ENOMEM;
	} else {
		r = choose_many(one, choice);
	}
	kfd_unref_process(one);
	return r;
}

/**
 * kfd_gpreempt_unchoose - drop the references of a choice
 * @choice: what kfd_gpreempt_choose() has found
 */
void kfd_gpreempt_unchoose(struct kfd_gpreempt_choice *choice)
{
	while (choice->count)
		kfd_unref_process(choice->processes[--choice->count]);
	kvfree(choice->processes);
}
