// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT culprit: which of several queues is it that delays their save?
 *
 * A runlist leaves the hardware as a whole, and one fence answers for all. So a late fence names no
 * queue: each that may have had waves is a suspect, even if its waves ended before the save. The
 * search excludes: it keeps all queues off but half of the suspects, and has these saved once more
 * after a while. If that save is late, the culprit is among them, else among the others. The last
 * suspect has the hardware for itself, or is off, as a coin says before each of some trials. It is
 * blamed only if each save that it was in was late, and no other: queues for SDMA, which GPREEMPT
 * does not take off, delay saves as well, and their tenant does not know the coin. So a tenant
 * has another's queue blamed by one search in 64 at most, and a host that did not run for a moment
 * does no harm.
 *
 * The culprit alone is kept off, for a time that doubles with each relapse. So a tenant that
 * delays its saves loses its own time, and does not switch GPREEMPT off for others.
 *
 * Pure: no locks, no I/O. It is told of each queue in turn, as the queue manager lists them.
 */
#include <linux/minmax.h>
#include <linux/time64.h>

#include "culprit.h"

/* Slow saves are as bad as a late one when they took so many times the limit too long, ... */
#define DEBT_MAX	2
/* ... but for this part of the time. */
#define DEBT_PART	64

/* After a search that slow saves began, and that found nobody, there is none for so long. */
#define REST_PART	7

/* Ample to restore the waves of a trial, so that there are some to be saved. */
#define TRIAL_NS	(10 * NSEC_PER_MSEC)

/* So many trials by coin prove that the last suspect is the culprit, or more, up to a late one. */
#define PROOFS		6

/* Twice what 256 suspects take, as some may be idle when they are tried. */
#define TRIALS		(16 + PROOFS)

/* Kept off for so long at first, and 2^10 times as long, 17 minutes, at last. */
#define KEEP_OFF_NS	(1ULL * NSEC_PER_SEC)
#define DOUBLINGS	10

/* So long after it came back last, a process is as good as any other. */
#define FORGIVE_NS	(600ULL * NSEC_PER_SEC)

/**
 * gpreempt_search_delayed - is there a queue to be searched for, or still to be?
 * @search: of the node
 * @preempts: the save was for queues that are preempted, not for a change of the list alone
 * @now_ns: the time, after it
 * @ns: how long the save took
 * @slow_ns: a save that takes longer is slow
 * @late_ns: a save that takes longer is late
 *
 * Saves that are just in time cost the others a wait each time, so what they take too long is
 * summed up, with or without others between them. A trial is measured by the limit that began its
 * search.
 *
 * Return: was the save late, or slow as too many before it, or so in a trial?
 */
bool gpreempt_search_delayed(struct gpreempt_search *search, bool preempts, u64 now_ns, u64 ns,
			     u64 slow_ns, u64 late_ns)
{
	bool slow = preempts && ns > slow_ns;

	if (search->on) {
		search->harmless &= ns <= late_ns;
		return ns > search->limit_ns;
	}
	if (slow) {
		search->debt_ns -= min(search->debt_ns, (now_ns - search->saved_ns) / DEBT_PART);
		search->debt_ns += ns - slow_ns;
		search->saved_ns = now_ns;
		slow = search->debt_ns > DEBT_MAX * slow_ns && now_ns >= search->rest_ns;
	}
	if (ns <= late_ns && !slow)
		return false;
	search->debt_ns = 0;
	search->begun_ns = now_ns;
	search->harmless = ns <= late_ns;
	search->limit_ns = search->harmless ? slow_ns : late_ns;
	return true;
}

/**
 * gpreempt_search_hear - all queues were saved
 * @search: of the node. It begins if the save was delayed, see gpreempt_search_delayed()
 * @late: was the save late?
 *
 * gpreempt_search_weigh() follows for each queue, then gpreempt_search_find().
 */
void gpreempt_search_hear(struct gpreempt_search *search, bool late)
{
	if (!search->on)
		search->trials = TRIALS;
	search->on = true;
	search->late = late;
	search->suspects = 0;
	search->aside = 0;
}

/**
 * gpreempt_search_weigh - judge one queue by the save
 * @search: of the node
 * @suspect: of the queue
 * @had: if it was late, the queue was on the hardware and may have had waves; if not, it had
 *	some, and they were saved
 */
void gpreempt_search_weigh(struct gpreempt_search *search, struct gpreempt_suspect *suspect,
			   bool had)
{
	if (search->late && had) {
		/* What was proved was another's fault. */
		if (!gpreempt_is_suspect(suspect))
			search->proofs = 0;
		suspect->role = GPREEMPT_TRIED;
	} else if (suspect->role != GPREEMPT_UNSUSPECTED && (search->late || had)) {
		suspect->role = GPREEMPT_CLEARED;
	}
	if (!gpreempt_is_suspect(suspect))
		return;
	search->suspects++;
	search->aside += suspect->role == GPREEMPT_ASIDE;
}

/**
 * gpreempt_search_find - has the culprit been found?
 * @search: of the node, all queues weighed
 * @now_ns: the time, from which the next trial runs
 * @coin: is the last suspect to be off in the next trial? By chance, so that nobody foresees it
 *
 * gpreempt_search_place() follows for each queue, whatever was found: with %GPREEMPT_TRY it
 * says what takes part in the next trial; else the search is over.
 */
enum gpreempt_finding gpreempt_search_find(struct gpreempt_search *search, u64 now_ns, bool coin)
{
	bool alone = search->alone && search->suspects == 1, found;

	if (alone && search->late != search->without)
		search->proofs++;
	/* The last proof is a save that it delayed. */
	found = alone && search->late && search->proofs >= PROOFS;
	search->alone = search->suspects == 1;
	search->without = search->alone && coin;
	if (found || !search->suspects || !search->trials) {
		*search = (struct gpreempt_search) {
			.harmless = search->harmless,
			.rest_ns = found ? 0 : now_ns + REST_PART * (now_ns - search->begun_ns),
		};
		if (found)
			return GPREEMPT_FOUND;
		return search->harmless ? GPREEMPT_DROPPED : GPREEMPT_NOBODY;
	}
	search->trials--;
	search->due_ns = now_ns + TRIAL_NS;
	/* Half of them are tried now; of those that were not, as many as that allows. */
	search->suspects = search->without ? 0 : (search->suspects + 1) / 2;
	search->aside = min(search->aside, search->suspects);
	return GPREEMPT_TRY;
}

/**
 * gpreempt_search_place - a queue's part in the next trial
 * @search: of the node
 * @suspect: of the queue
 */
void gpreempt_search_place(struct gpreempt_search *search, struct gpreempt_suspect *suspect)
{
	bool waited = suspect->role == GPREEMPT_ASIDE;

	if (!search->on) {
		suspect->role = GPREEMPT_UNSUSPECTED;
		return;
	}
	if (!gpreempt_is_suspect(suspect)) {
		suspect->role = GPREEMPT_CLEARED;
		return;
	}
	suspect->role = GPREEMPT_ASIDE;
	if (waited ? !search->aside : search->suspects == search->aside)
		return;
	suspect->role = GPREEMPT_TRIED;
	search->suspects--;
	search->aside -= waited;
}

/**
 * gpreempt_keep_off - a queue delays its saves
 * @suspect: of the queue; it is kept off until the time that is left there
 * @past: of its process
 * @now_ns: the time
 */
void gpreempt_keep_off(struct gpreempt_suspect *suspect, struct gpreempt_past *past, u64 now_ns)
{
	if (now_ns > past->end_ns + FORGIVE_NS)
		past->times = 0;
	suspect->until_ns = now_ns + (KEEP_OFF_NS << min(past->times, DOUBLINGS));
	past->end_ns = max(past->end_ns, suspect->until_ns);
	past->times = min(past->times + 1, DOUBLINGS);
}
