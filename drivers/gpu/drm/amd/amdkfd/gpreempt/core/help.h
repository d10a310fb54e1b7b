/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * GPREEMPT help: which queue has starved, and how much time help may take from those above.
 */
#ifndef GPREEMPT_HELP_H_INCLUDED
#define GPREEMPT_HELP_H_INCLUDED

#include "evidence.h"

/* All help together has so small a part of the time while a higher level wants the machine. */
#define GPREEMPT_HELP_PART	8

struct gpreempt_queue_view;
struct gpreempt_view;

/**
 * struct gpreempt_help - the help that a node gives
 * @since_ns:	one queue stands above all others since; 0: none does
 * @executed_ns: it was seen executing since; 0: it was not
 * @moved:	a scan took it to execute
 * @costs:	one above it wanted the machine meanwhile
 * @next_ns:	while one above wants the machine, no help before that
 */
struct gpreempt_help {
	u64 since_ns;
	u64 executed_ns;
	bool moved;
	bool costs;
	u64 next_ns;
};

struct gpreempt_queue_view *gpreempt_help(const struct gpreempt_view *view,
					  const struct gpreempt_tunables *tun, u64 *next_ns);
void gpreempt_help_learn(struct gpreempt_view *view);

#endif /* GPREEMPT_HELP_H_INCLUDED */
