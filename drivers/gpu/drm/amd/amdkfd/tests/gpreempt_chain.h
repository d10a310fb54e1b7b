/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A view of an array: the suites' queues stand in one, as the driver's do not.
 */

/* The first queues of an array are those of a view, in that order. */
static inline void gpreempt_chain(struct gpreempt_view *view, struct gpreempt_queue_view *q,
				  unsigned int nr)
{
	view->nr = nr;
	view->first = NULL;
	while (nr--) {
		q[nr].next = view->first;
		view->first = &q[nr];
	}
}
