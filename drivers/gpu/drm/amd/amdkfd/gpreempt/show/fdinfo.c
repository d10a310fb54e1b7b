// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT fdinfo: the time on the GPU that /proc/<pid>/fdinfo/ shows of a render node, for the
 * process that has its queues in that file's address space.
 */

#include <linux/kref.h>
#include <linux/timekeeping.h>

#include "gpreempt/control/request.h"
#include "show.h"

/**
 * kfd_gpreempt_process_device_fini - a process ends on a node
 * @pdd: the process there, in no table any more, without queues
 */
void kfd_gpreempt_process_device_fini(struct kfd_process_device *pdd)
{
	kfd_gpreempt_client_put(pdd->gpreempt);
}

/*
 * The client whose queues are in the address space of a file, referenced, or NULL. A process
 * leaves the table, and is waited for under SRCU, before anything of it goes.
 */
static struct kfd_gpreempt_client *client_in(const struct drm_file *file)
{
	struct kfd_gpreempt_client *client;
	struct kfd_process *p;
	unsigned int i, n;

	guard(srcu)(&kfd_processes_srcu);
	hash_for_each_rcu(kfd_processes_table, i, p, kfd_processes) {
		if (!kfd_gpreempt_process_made(p))
			continue;
		for (n = 0; n < p->n_pdds; n++) {
			/* With client_get(): what it points to can be seen, too. */
			client = smp_load_acquire(&p->pdds[n]->gpreempt);
			if (client && READ_ONCE(p->pdds[n]->drm_priv) == file) {
				kref_get(&client->ref);
				return client;
			}
		}
	}
	return NULL;
}

/*
 * The time never goes back, not even when a queue is destroyed before the next scan. It stands
 * still unless the node is active.
 */
static u64 client_ns(struct kfd_gpreempt_client *client)
{
	static const u64 none;
	bool watched = kfd_gpreempt_state(client->gp) == GPREEMPT_ACTIVE;
	u64 ns = gpreempt_busy_at(&client->busy, watched ? &client->gp->account.scan_ns : &none,
				  ktime_get_ns());
	s64 shown_ns = atomic64_read(&client->shown_ns);

	do {
		if (ns <= shown_ns)
			return shown_ns;
	} while (!atomic64_try_cmpxchg(&client->shown_ns, &shown_ns, ns));
	return ns;
}

/**
 * kfd_gpreempt_fdinfo_ns - how long the queues in a file's address space have executed
 * @file: of a render node
 *
 * The time in which at least one of them did: no more than all of it. Queues that are gone count as
 * well. It takes no lock that the monitor or the queue manager takes, and waits, where the monitor
 * is parked, for the scan that it has asked for, no longer than kfd_gpreempt_look() does.
 *
 * Return: never less than before while the process has its queues there, 0 if none has.
 */
u64 kfd_gpreempt_fdinfo_ns(const struct drm_file *file)
{
	struct kfd_gpreempt_client *client = client_in(file);
	u64 ns;

	if (!client)
		return 0;
	kfd_gpreempt_look(client->gp);
	ns = client_ns(client);
	kfd_gpreempt_client_put(client);
	return ns;
}
