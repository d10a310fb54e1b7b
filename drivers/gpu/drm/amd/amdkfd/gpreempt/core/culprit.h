/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * GPREEMPT culprit: which of several queues is it that delays their save?
 */
#ifndef GPREEMPT_CULPRIT_H_INCLUDED
#define GPREEMPT_CULPRIT_H_INCLUDED

#include <linux/types.h>

/**
 * enum gpreempt_role - what a queue has to do with the search
 * @GPREEMPT_UNSUSPECTED: nothing; none is under way, or it has come meanwhile
 * @GPREEMPT_CLEARED: no suspect: it had no waves when a save was late, or was saved in time
 * @GPREEMPT_TRIED: a suspect that is on the hardware for this trial
 * @GPREEMPT_ASIDE: one that is not, but may be for the next
 */
enum gpreempt_role {
	GPREEMPT_UNSUSPECTED,
	GPREEMPT_CLEARED,
	GPREEMPT_TRIED,
	GPREEMPT_ASIDE,
};

/**
 * struct gpreempt_suspect - of a queue
 * @role:	in the search that is under way
 * @until_ns:	it was the culprit, and is kept off until then; 0: it is not
 */
struct gpreempt_suspect {
	enum gpreempt_role role;
	u64 until_ns;
};

/**
 * struct gpreempt_past - of a process: queues come and go
 * @times:	how often one of its queues was the culprit, lately
 * @end_ns:	until when one of them was kept off for that
 */
struct gpreempt_past {
	unsigned int times;
	u64 end_ns;
};

/**
 * struct gpreempt_search - of a node
 * @saved_ns:	the last slow save was over then
 * @debt_ns:	what slow saves took too long, less a part of the time since
 * @rest_ns:	slow saves begin none until then
 * @begun_ns:	it began then
 * @limit_ns:	a trial that takes longer is late
 * @harmless:	slow saves began it, and none has been late
 * @on:		a search is under way, and so is a trial
 * @late:	the save that ended the last trial was late, or the one that began the search
 * @alone:	one suspect is left, and a coin says what this trial is
 * @without:	without it
 * @proofs:	trials by coin that it was late in, or others in time without it, in a row
 * @suspects:	queues that may be the culprit
 * @aside:	of these, those that did not take part in the last trial
 * @trials:	how many more there may be: none was made yet after the save that began it
 * @due_ns:	when this one is to end
 *
 * All zero: there is none.
 */
struct gpreempt_search {
	u64 saved_ns;
	u64 debt_ns;
	u64 rest_ns;
	u64 begun_ns;
	u64 limit_ns;
	bool harmless;
	bool on;
	bool late;
	bool alone;
	bool without;
	unsigned int proofs;
	unsigned int suspects;
	unsigned int aside;
	unsigned int trials;
	u64 due_ns;
};

/**
 * enum gpreempt_finding - what comes of a save
 * @GPREEMPT_TRY: another trial
 * @GPREEMPT_FOUND: the one suspect that is left is the culprit
 * @GPREEMPT_NOBODY: a save was late, and no queue can be blamed
 * @GPREEMPT_DROPPED: no queue can be blamed, but no save was late either
 */
enum gpreempt_finding {
	GPREEMPT_TRY,
	GPREEMPT_FOUND,
	GPREEMPT_NOBODY,
	GPREEMPT_DROPPED,
};

/**
 * gpreempt_is_suspect - may a queue be the culprit?
 * @suspect:	the queue
 */
static inline bool gpreempt_is_suspect(const struct gpreempt_suspect *suspect)
{
	return suspect->role > GPREEMPT_CLEARED;
}

/**
 * gpreempt_is_kept_off - is a queue not to be on the hardware, whatever its level?
 * @suspect:	the queue
 * @now_ns:	the time
 */
static inline bool gpreempt_is_kept_off(const struct gpreempt_suspect *suspect, u64 now_ns)
{
	return suspect->role == GPREEMPT_CLEARED || suspect->role == GPREEMPT_ASIDE ||
	       suspect->until_ns > now_ns;
}

bool gpreempt_search_delayed(struct gpreempt_search *search, bool preempts, u64 now_ns, u64 ns,
			     u64 slow_ns, u64 late_ns);
void gpreempt_search_hear(struct gpreempt_search *search, bool late);
void gpreempt_search_weigh(struct gpreempt_search *search, struct gpreempt_suspect *suspect,
			   bool had);
enum gpreempt_finding gpreempt_search_find(struct gpreempt_search *search, u64 now_ns, bool coin);
void gpreempt_search_place(struct gpreempt_search *search, struct gpreempt_suspect *suspect);
void gpreempt_keep_off(struct gpreempt_suspect *suspect, struct gpreempt_past *past, u64 now_ns);

#endif /* GPREEMPT_CULPRIT_H_INCLUDED */
