/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * GPREEMPT state of a node, and input checks: pure functions without locks or
 * I/O, and without an amdgpu header, so that KUnit builds them as they are.
 */
#ifndef GPREEMPT_STATE_H_INCLUDED
#define GPREEMPT_STATE_H_INCLUDED

#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/minmax.h>
#include <linux/types.h>

/**
 * enum gpreempt_state - what a node's monitor does
 * @GPREEMPT_DISABLED: nothing, there is none
 * @GPREEMPT_PARKED: sleeps without a timer: nothing could be arbitrated
 * @GPREEMPT_ACTIVE: scans once in a poll interval
 * @GPREEMPT_BYPASSED: sleeps after an error; every queue was resumed
 */
enum gpreempt_state {
	GPREEMPT_DISABLED,
	GPREEMPT_PARKED,
	GPREEMPT_ACTIVE,
	GPREEMPT_BYPASSED,
};

/**
 * enum gpreempt_bypass - why the monitor gave up
 * @GPREEMPT_BYPASS_NONE: it did not
 * @GPREEMPT_BYPASS_LATE: a preemption took longer than preempt_timeout_ms, and no queue can be
 *	blamed
 * @GPREEMPT_BYPASS_HANG: a preemption never answered; stock resets the GPU
 * @GPREEMPT_BYPASS_MAP: the queues could not be mapped again at once
 *
 * A tenant may have a part in all but a hang: these end by themselves.
 */
enum gpreempt_bypass {
	GPREEMPT_BYPASS_NONE,
	GPREEMPT_BYPASS_LATE,
	GPREEMPT_BYPASS_HANG,
	GPREEMPT_BYPASS_MAP,
};

/**
 * enum gpreempt_event - what changes the state
 * @GPREEMPT_EV_ENABLE: the administrator enables; forgives all but a hang
 * @GPREEMPT_EV_DISABLE: the administrator disables
 * @GPREEMPT_EV_WORK: something may have to be arbitrated
 * @GPREEMPT_EV_IDLE: nothing could be arbitrated
 * @GPREEMPT_EV_STOP: the scheduler stops: reset, suspend, teardown
 * @GPREEMPT_EV_START: the scheduler has come up anew; forgives everything
 * @GPREEMPT_EV_LATE: see GPREEMPT_BYPASS_LATE
 * @GPREEMPT_EV_SAVED: a preemption was in time
 * @GPREEMPT_EV_REARM: gpreempt_rearm_ms() are over
 * @GPREEMPT_EV_HANG: see GPREEMPT_BYPASS_HANG
 * @GPREEMPT_EV_MAP: see GPREEMPT_BYPASS_MAP
 */
enum gpreempt_event {
	GPREEMPT_EV_ENABLE,
	GPREEMPT_EV_DISABLE,
	GPREEMPT_EV_WORK,
	GPREEMPT_EV_IDLE,
	GPREEMPT_EV_STOP,
	GPREEMPT_EV_START,
	GPREEMPT_EV_LATE,
	GPREEMPT_EV_SAVED,
	GPREEMPT_EV_REARM,
	GPREEMPT_EV_HANG,
	GPREEMPT_EV_MAP,
};

/**
 * struct gpreempt_facts - what the state follows from
 * @enabled:	by the administrator
 * @stopped:	the scheduler is down
 * @idle:	nothing could be arbitrated
 * @bypass:	why the monitor gave up
 * @row:	how often it did, but for hangs, with no preemption in time since
 *
 * All zero is a disabled monitor of a running scheduler.
 */
struct gpreempt_facts {
	bool enabled;
	bool stopped;
	bool idle;
	enum gpreempt_bypass bypass;
	unsigned int row;
};

/**
 * struct gpreempt_platform - what decides whether a node is supported
 * @gfx_version: graphics core, as KFD's topology has it: 90010 is gfx90a
 * @mes:	the scheduler is MES
 * @cwsr:	compute wave save/restore is enabled
 * @vf:		the GPU is a virtual function
 * @owner_dares: it may be of a kind on which GPREEMPT has not run yet
 */
struct gpreempt_platform {
	u32 gfx_version;
	bool mes;
	bool cwsr;
	bool vf;
	bool owner_dares;
};

enum gpreempt_state gpreempt_state(const struct gpreempt_facts *m);
unsigned int gpreempt_rearm_ms(const struct gpreempt_facts *m);
void gpreempt_event(struct gpreempt_facts *m, enum gpreempt_event event);
const char *gpreempt_state_name(enum gpreempt_state state);
const char *gpreempt_bypass_name(enum gpreempt_bypass bypass);
const char *gpreempt_unsupported(const struct gpreempt_platform *p);
bool gpreempt_gws_stays(u64 back_ns, u64 now_ns, u32 starvation_ms);
int gpreempt_parse(const char *buf, u32 min, u32 max, u32 *value);
u64 gpreempt_word_inherit(u64 word, u64 parent);
bool gpreempt_word_exceeds(u64 word, u64 had);
u32 gpreempt_cap(u64 process, u32 cap);
u32 gpreempt_permitted(u32 asked, u32 set, u64 process, u32 cap);
u32 gpreempt_turn(u32 set, u64 process, u32 level);

/*
 * A priority that somebody has set, a ceiling, the length of turns and a grant, in one word, so
 * that it is read and written in one piece. 0: nothing was set. A single queue has the first or
 * the third of these only.
 */
#define GPREEMPT_WORD_PRIORITY	GENMASK_ULL(4, 0)	/* plus one; 0: none */
#define GPREEMPT_WORD_NICE	BIT_ULL(5)		/* set with CAP_SYS_NICE: no cap applies */
#define GPREEMPT_WORD_CEILING	GENMASK_ULL(9, 6)	/* the ceiling's distance from the top */
#define GPREEMPT_WORD_LONGER	BIT_ULL(10)		/* and may exceed the level's, likewise */
#define GPREEMPT_WORD_TURN	GENMASK_ULL(31, 12)	/* us; 0: none */
#define GPREEMPT_WORD_GRANT	GENMASK_ULL(36, 32)	/* plus one; 0: none */
#define GPREEMPT_TOP_PRIORITY	15U			/* of the KFD ABI */

/* These two with who set them. */
#define GPREEMPT_PART_PRIORITY	(GPREEMPT_WORD_PRIORITY | GPREEMPT_WORD_NICE)
#define GPREEMPT_PART_TURN	(GPREEMPT_WORD_TURN | GPREEMPT_WORD_LONGER)

/* The priority in a word, 0 to 15; U32_MAX: none. */
static inline u32 gpreempt_priority(u64 word)
{
	return (u32)FIELD_GET(GPREEMPT_WORD_PRIORITY, word) - 1;
}

/* The ceiling in a word; 15: none. */
static inline u32 gpreempt_ceiling(u64 word)
{
	return GPREEMPT_TOP_PRIORITY - FIELD_GET(GPREEMPT_WORD_CEILING, word);
}

/* The length of the turn in a word in us; 0: none. */
static inline u32 gpreempt_word_us(u64 word)
{
	return FIELD_GET(GPREEMPT_WORD_TURN, word);
}

/* The grant in a word, 0 to 15; U32_MAX: none. */
static inline u32 gpreempt_grant(u64 word)
{
	return (u32)FIELD_GET(GPREEMPT_WORD_GRANT, word) - 1;
}

/* A word of a priority, 0 to 15, which was set by somebody with CAP_SYS_NICE or not. */
static inline u32 gpreempt_word(u32 priority, bool nice)
{
	return FIELD_PREP(GPREEMPT_WORD_PRIORITY, priority + 1) | (nice ? GPREEMPT_WORD_NICE : 0);
}

/* A word with a lower ceiling, 0 to 15. One that is not lower changes nothing. */
static inline u64 gpreempt_word_ceiling(u64 word, u32 ceiling)
{
	ceiling = min(ceiling, gpreempt_ceiling(word));
	return (word & ~GPREEMPT_WORD_CEILING) |
	       FIELD_PREP(GPREEMPT_WORD_CEILING, GPREEMPT_TOP_PRIORITY - ceiling);
}

/* A word that had no length of a turn, with one in us, likewise; 0: none. */
static inline u64 gpreempt_word_turn(u64 word, u32 us, bool nice)
{
	return word | FIELD_PREP(GPREEMPT_WORD_TURN, us) | (us && nice ? GPREEMPT_WORD_LONGER : 0);
}

/*
 * A word that had no grant, with one: 0 to 15, the highest priority that needs no CAP_SYS_NICE, if
 * it is above the cap.
 */
static inline u64 gpreempt_word_grant(u64 word, u32 grant)
{
	return word | FIELD_PREP(GPREEMPT_WORD_GRANT, (u64)grant + 1);
}

/* A word with some parts, given as a mask, of an older one. */
static inline u64 gpreempt_word_keep(u64 word, u64 old, u64 parts)
{
	return (word & ~parts) | (old & parts);
}

#endif /* GPREEMPT_STATE_H_INCLUDED */
