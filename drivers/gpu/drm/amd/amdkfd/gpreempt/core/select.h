/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * GPREEMPT select: from states and ranks to a plan. All that no policy may break is here.
 */
#ifndef GPREEMPT_SELECT_H_INCLUDED
#define GPREEMPT_SELECT_H_INCLUDED

#include "estimate.h"
#include "group.h"
#include "idle.h"
#include "pace.h"

#define GPREEMPT_BOOST		GPREEMPT_LEVELS	/* level of a starved queue */

/**
 * enum gpreempt_verdict - what a plan does with one queue
 * @GPREEMPT_KEEP: leave it as it is
 * @GPREEMPT_PREEMPT: take it off the hardware
 * @GPREEMPT_RESUME: put it back
 */
enum gpreempt_verdict {
	GPREEMPT_KEEP,
	GPREEMPT_PREEMPT,
	GPREEMPT_RESUME,
};

/**
 * enum gpreempt_reason - why a queue is on the plan
 * @GPREEMPT_REASON_NONE: it is not
 * @GPREEMPT_REASON_INVERSION: preempt: a higher queue waits
 * @GPREEMPT_REASON_AGED: preempt: a starved queue was raised above it
 * @GPREEMPT_REASON_HINT: preempt: work was announced for a higher queue
 * @GPREEMPT_REASON_ASKED: preempt: by ioctl, for once or with a hold; or it is new, and its
 *	process is kept off
 * @GPREEMPT_REASON_TIMESLICE: preempt: its group's turn on the level is over
 * @GPREEMPT_REASON_FREE: resume: no queue of higher priority needs the machine
 * @GPREEMPT_REASON_BLOCKED: resume: a higher queue has work but cannot run
 * @GPREEMPT_REASON_STARVED: resume: kept off longer than starvation_ms
 * @GPREEMPT_REASON_TURN: resume: its group's turn on its level has come
 * @GPREEMPT_REASON_IDLE: preempt: its process has nothing to do, and others lack a slot or a VMID
 * @GPREEMPT_REASON_LATE: both: a queue that delays its saves is searched for, or was found;
 *	never by a policy
 * @GPREEMPT_REASON_OFF: resume: disabled, torn down or bypassed; never by a policy
 */
enum gpreempt_reason {
	GPREEMPT_REASON_NONE,
	GPREEMPT_REASON_INVERSION,
	GPREEMPT_REASON_AGED,
	GPREEMPT_REASON_HINT,
	GPREEMPT_REASON_ASKED,
	GPREEMPT_REASON_TIMESLICE,
	GPREEMPT_REASON_FREE,
	GPREEMPT_REASON_BLOCKED,
	GPREEMPT_REASON_STARVED,
	GPREEMPT_REASON_TURN,
	GPREEMPT_REASON_IDLE,
	GPREEMPT_REASON_LATE,
	GPREEMPT_REASON_OFF,
};

/**
 * struct gpreempt_rank - where a policy places a queue
 * @level:	above all of a lower one, 0 to 15: its priority
 * @key:	of the groups that take turns on a level, the one with the least is next
 * @not_before_ns: has no turn before that time; 0: there is no such time, now or later
 * @slice_ns:	length of its turn; 0: it takes none, as one that must not be taken off
 */
struct gpreempt_rank {
	u8 level;
	u64 key;
	u64 not_before_ns;
	u64 slice_ns;
};

/**
 * struct gpreempt_outcome - what a plan makes of one queue
 * @verdict:	what to do
 * @reason:	why
 * @activity:	what it is doing, all queues considered
 * @level:	where it stands, GPREEMPT_BOOST if it is raised
 * @wants:	could use more of the machine than it has, now
 * @announced:	wants it for announced work only
 * @raised:	starved: stands above all others
 * @given:	has the machine for itself
 * @unused:	so it was for blocked_us, and did not use it: it waits for something else, or
 *		has nothing
 * @takes_turns:	takes turns with those of other groups on its level
 * @turn:	it is its group's turn there
 * @turn_begins: and that is a new one
 * @limited:	it is not, nor before a time that is known: until then it keeps nothing off
 * @awaited:	its doorbell is to wake the monitor; wake's
 */
struct gpreempt_outcome {
	enum gpreempt_verdict verdict;
	enum gpreempt_reason reason;
	enum gpreempt_activity activity;
	u8 level;
	bool wants;
	bool announced;
	bool raised;
	bool given;
	bool unused;
	bool takes_turns;
	bool turn;
	bool turn_begins;
	bool limited;
	bool awaited;
};

/* All help together has so small a part of the time while a higher level wants the machine. */
#define GPREEMPT_HELP_PART	8

/**
 * struct gpreempt_help - the help that a node gives
 * @since_ns:	one queue stands above all others since; 0: none does
 * @given_ns:	the first scan after that: it had been given the machine; 0: there was none yet
 * @executed_ns: it was seen executing since; 0: it was not
 * @moved:	a scan took it to execute
 * @costs:	one above it wanted the machine meanwhile
 * @next_ns:	while one above wants the machine, no help before that
 */
struct gpreempt_help {
	u64 since_ns;
	u64 given_ns;
	u64 executed_ns;
	bool moved;
	bool costs;
	u64 next_ns;
};

/**
 * struct gpreempt_queue_view - one queue on its way through the rooms
 * @reading:	what is to be read of it; pace's
 * @seen:	what scan has seen of it
 * @terms:	what was asked for it
 * @memory:	what estimate remembers of it
 * @group:	its process's queues
 * @turn:	what that has had of its turn on the queue's level
 * @idle:	is its process to leave the runlist?
 * @rank:	where the policy places it
 * @change:	what estimate finds new of it
 * @state:	what estimate makes of it
 * @out:	what select makes of it
 * @matters:	may want or hold the machine; with &gpreempt_plan.need_waves its waves are to
 *		be counted
 * @shows:	it has work, as its memory tells
 * @next:	the queue that follows it in the view, NULL: none does
 */
struct gpreempt_queue_view {
	struct gpreempt_reading reading;
	struct gpreempt_evidence seen;
	struct gpreempt_terms terms;
	struct gpreempt_memory *memory;
	struct gpreempt_group *group;
	struct gpreempt_turn *turn;
	struct gpreempt_idle *idle;
	struct gpreempt_rank rank;
	struct gpreempt_change change;
	struct gpreempt_queue_state state;
	struct gpreempt_outcome out;
	bool matters;
	bool shows;
	struct gpreempt_queue_view *next;
};

/**
 * struct gpreempt_view - a node's queues at one moment
 * @tun:	the tunables
 * @now_ns:	time of the scan
 * @save_ns:	what a save takes on this node, 0: never measured
 * @waves_final: the wave counts were read: what is unknown stays unknown
 * @blind:	wave counts are never to be had
 * @proof:	all of them are wanted, whatever memory says
 * @proof_ns:	no sooner are they wanted again
 * @crowded:	one that wants the machine was not found in a hardware slot
 * @passive:	the policy takes nothing off but what was asked for
 * @contested:	queues of two levels, or of two groups that take turns, may want or hold the
 *		machine: else none waits for another one, and none is kept off. Or waves were
 *		counted, to find out what still runs
 * @lead_ns:	how long before announced work comes the machine is to be freed
 * @busy_ns:	when something was at work last
 * @seen_ns:	when something was decided last
 * @help:	what is given to those that starve
 * @holding:	select's, like those that follow: compute units of queues that may have waves and
 *		could be preempted
 * @running:	of queues that execute
 * @keeping:	of queues that keep lower ones off
 * @wanting:	of queues that want more
 * @turning:	of queues whose turn it is on their level
 * @policy:	the policy
 * @clock:	its word of each level
 * @clock_of:	whose word that is
 * @slots:	hardware slots of compute queues
 * @look_ns:	those that are off are read again then
 * @vmids:	processes that may be on the hardware at a time
 * @processes:	that there are
 * @away:	so many queues more are off, as their process is idle, and need no look
 * @nr:		how many queues there are
 * @first:	the first of them, NULL: there is none
 */
struct gpreempt_view {
	struct gpreempt_tunables tun;
	u64 now_ns;
	u64 save_ns;
	bool waves_final;
	bool blind;
	bool proof;
	u64 proof_ns;
	bool crowded;
	bool passive;
	bool contested;
	u64 lead_ns;
	u64 busy_ns;
	u64 seen_ns;
	struct gpreempt_help help;
	struct gpreempt_claims holding;
	struct gpreempt_claims running;
	struct gpreempt_claims keeping;
	struct gpreempt_claims wanting;
	struct gpreempt_claims turning;
	const struct gpreempt_policy *policy;
	u64 clock[GPREEMPT_LEVELS];
	const struct gpreempt_policy *clock_of;
	u64 look_ns;
	unsigned int slots;
	unsigned int vmids;
	unsigned int processes;
	unsigned int away;
	unsigned int nr;
	struct gpreempt_queue_view *first;
};

/**
 * enum gpreempt_rest - how the monitor goes on
 * @GPREEMPT_POLL: it scans again after an interval
 * @GPREEMPT_CALM: nothing can have to be decided before something wakes it: a long interval
 * @GPREEMPT_PARK: it sleeps without an interval until something wakes it
 */
enum gpreempt_rest {
	GPREEMPT_POLL,
	GPREEMPT_CALM,
	GPREEMPT_PARK,
};

/**
 * struct gpreempt_plan - what to do, all in one transaction; of each queue see
 *	&gpreempt_queue_view.out
 * @need_waves:	no decision without wave counts: read them where they matter, set
 *		&gpreempt_view.waves_final and decide again with the same view. The rest of the
 *		plan and of the view is not valid, and of it nothing was remembered
 * @idle:	no queue that is mapped, or preempted and not held, has work: the monitor may
 *		park. Others come back by a change of the runlist
 * @waiting:	some queue waits: for the machine, its turn, or announced work. Time alone may
 *		change the plan
 * @within_us:	how long the interval is to be at most, 0: poll_interval_us: something may have
 *		begun, or be about to end for which others are kept off
 * @next_ns:	when to decide again, however long the interval is: the machine is to be freed
 *		for announced work, or a queue has been there for as long as it is left there, or
 *		a hold ends; 0: there is no such time
 * @rest:	how the monitor goes on, once each doorbell is sure to wake it that is
 *		&gpreempt_outcome.awaited; if one is not, one step more wakeful. wake's;
 *		%GPREEMPT_PARK before that: nothing could have to be decided, whatever work comes
 * @nr_preempt:	queues whose verdict is GPREEMPT_PREEMPT
 * @nr_resume:	queues whose verdict is GPREEMPT_RESUME
 */
struct gpreempt_plan {
	bool need_waves;
	bool idle;
	bool waiting;
	u32 within_us;
	u64 next_ns;
	enum gpreempt_rest rest;
	unsigned int nr_preempt;
	unsigned int nr_resume;
};

/* Each queue of a view, from the first on. */
#define gpreempt_for_each(pos, view) \
	for (pos = (view)->first; pos; pos = (pos)->next)

void gpreempt_select(struct gpreempt_view *view, struct gpreempt_plan *plan);

/* proof.c */
bool gpreempt_wants_proof(const struct gpreempt_view *view, bool counts);
bool gpreempt_lacks_slot(const struct gpreempt_view *view);
void gpreempt_track_proof(const struct gpreempt_view *view, struct gpreempt_queue_view *q);

/* help.c */
struct gpreempt_queue_view *gpreempt_help(const struct gpreempt_view *view, u64 *next_ns);
void gpreempt_help_learn(struct gpreempt_view *view);

/* linger.c */
u64 gpreempt_linger_until(const struct gpreempt_view *view, const struct gpreempt_queue_view *q);
void gpreempt_linger_learn(const struct gpreempt_view *view);

/* wake.c */
void gpreempt_wake(struct gpreempt_view *view, struct gpreempt_plan *plan);

/* Where a queue stands: one that starved above all levels. */
static inline u8 gpreempt_level(const struct gpreempt_queue_view *q)
{
	return q->memory->raised ? GPREEMPT_BOOST : q->rank.level;
}

/* A hold has no force over a queue that must not be taken off. */
static inline bool gpreempt_held(const struct gpreempt_queue_view *q)
{
	return (q->terms.held || q->terms.idle) && !q->terms.pinned;
}

/* Held, or off the hardware for another reason than ours: not in the game. */
static inline bool gpreempt_takes_part(const struct gpreempt_queue_view *q)
{
	return (q->seen.mapped || q->seen.preempted) && !gpreempt_held(q);
}

/* It runs, or would. */
static inline bool gpreempt_has_work(const struct gpreempt_queue_view *q)
{
	return gpreempt_takes_part(q) && (q->out.activity == GPREEMPT_RUNNING ||
				       q->out.activity == GPREEMPT_RUNNABLE);
}

#endif /* GPREEMPT_SELECT_H_INCLUDED */
