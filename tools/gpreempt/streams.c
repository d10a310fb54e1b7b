// SPDX-License-Identifier: GPL-2.0
/*
 * HIP ignores the priorities of its streams since 2026, unless its environment says otherwise. A
 * program that sets them sees nothing of that but queues that all ask for the same.
 */
#include <string.h>

#include "gpreempt.h"

/* What HIP asks for without a priority. */
#define NORMAL	7
/* It has a queue of its own besides one for a stream: with a third there is another stream. */
#define SEVERAL	3

/* Has a process that in its environment? Not known of another user's. */
static bool has_switch(unsigned int pid)
{
	static const char wanted[] = "\0" HIP_SWITCH "=";
	char text[1 << 16] = "";

	read_text(text + 1, sizeof(text) - 1, "/proc/%u/environ", pid);
	return memmem(text, sizeof(text), wanted, sizeof(wanted) - 1);
}

/* How many queues a process has on that GPU, if all ask for what streams without priority have. */
static unsigned int equal(const struct queues *all, unsigned int pid, unsigned int gpu_id)
{
	unsigned int i, n = 0;

	for (i = 0; i < all->count; i++) {
		const struct queue *q = &all->q[i];

		if (q->pid != pid || q->gpu_id != gpu_id || q->hidden)
			continue;
		if (q->priority != NORMAL)
			return 0;
		n++;
	}
	return n;
}

bool streams_note(const struct queues *all, unsigned int pid, unsigned int gpu_id, char *buf,
		  size_t size)
{
	unsigned int i, n;

	for (i = 0; i < all->count; i++) {
		const struct queue *q = &all->q[i];

		if ((pid && q->pid != pid) || (gpu_id && q->gpu_id != gpu_id))
			continue;
		n = equal(all, q->pid, q->gpu_id);
		if (n < SEVERAL || has_switch(q->pid))
			continue;
		snprintf(buf, size, "process %u has %u queues that all ask for %u: HIP ignores stream "
			 "priorities unless " HIP_SWITCH "=0", q->pid, n, NORMAL);
		return true;
	}
	return false;
}
