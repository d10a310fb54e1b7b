/* SPDX-License-Identifier: GPL-2.0 */
/* What the rooms of soak share: the plan of a period, its clients, and what is counted. */
#ifndef KFD_GPREEMPT_SOAK_H
#define KFD_GPREEMPT_SOAK_H

#include <stdbool.h>
#include <sys/types.h>
#include <linux/types.h>

#define SOAK_CLIENTS	12	/* most that are there at once */
#define SOAK_QUEUES	4	/* most of a client */
#define SOAK_PROGRAMS	16
#define SOAK_EVENTS	8	/* most of a period */

/* What a client does besides its work; see soak_client.c. */
enum soak_habit {
	HABIT_QUEUES,		/* makes and destroys queues */
	HABIT_UPDATE,		/* switches one off and on, and changes its priority */
	HABIT_CALLS,		/* asks GPREEMPT for this and that */
	HABIT_PAGES,		/* loses pages under the GPU: is evicted */
	HABIT_FORK,		/* likewise by a copy of its pages */
	HABIT_VRAM,		/* evicts others by the memory that it wants */
	HABIT_DEBUGGER,		/* is debugged */
	HABIT_COPY,		/* copies by SDMA */
	HABIT_HOLD,		/* has waves that hold values until they are told to end */
	HABITS
};

/* What a client is. */
enum soak_kind {
	SOAK_LOW,		/* queues that always have work */
	SOAK_HIGH,		/* a queue that has a short kernel now and then */
	SOAK_PROGRAM,		/* somebody else's program, run again and again */
};

/**
 * struct soak_part - a client, as it is planned
 * @kind:	what it is
 * @priority:	of its queues
 * @queues:	of SOAK_LOW: how many
 * @groups:	likewise: workgroups of a dispatch
 * @iterations:	likewise: their length
 * @us:		of SOAK_HIGH: longest pause between two kernels
 * @habits:	bits of enum soak_habit
 * @habit_us:	longest pause between two acts of habit
 * @seed:	of what the client draws by itself
 * @program:	of SOAK_PROGRAM: a command of the shell
 */
struct soak_part {
	enum soak_kind kind;
	__u32 priority;
	unsigned int queues, groups, iterations;
	unsigned int us;
	unsigned int habits, habit_us;
	unsigned int seed;
	const char *program;
};

/**
 * struct soak_seat - what a client and its supervisor share
 * @ready:	it works
 * @stop:	it shall end
 * @results:	dispatches, copies and runs whose result was compared
 * @words:	that were compared
 * @wrong:	of these
 * @acts:	of each habit
 * @error:	0, or what a step of it returned
 * @step:	which one
 */
struct soak_seat {
	volatile int ready, stop;
	volatile __u64 results, words, wrong;
	volatile unsigned int acts[HABITS];
	volatile int error;
	char step[80];
};

/* Does the part's work until it is told to stop. Return: exit status, 0 if all was right. */
int soak_client(const struct soak_part *part, struct soak_seat *seat);

/* Names of enum soak_habit. */
extern const char *const soak_habits[HABITS];

/* What is done to the clients and to the driver meanwhile; see soak_trouble.c. */
enum soak_trouble {
	TROUBLE_TUNABLE,	/* another value for a tunable */
	TROUBLE_POLICY,
	TROUBLE_OFF,		/* GPREEMPT is disabled for a while */
	TROUBLE_KILL,		/* a client is killed, another one comes */
	TROUBLE_FAULT,		/* the model does not do as it should */
	TROUBLE_RESET,		/* the GPU is reset: all clients are lost */
	TROUBLE_HANG,		/* a preemption never ends: likewise */
	TROUBLE_SLEEP,		/* the machine sleeps */
	TROUBLES
};

extern const char *const soak_troubles[TROUBLES];

/**
 * struct soak_event - one of them, as it is planned
 * @what:	which
 * @at_ms:	when, from the period's begin
 * @seed:	of what is drawn for it
 */
struct soak_event {
	enum soak_trouble what;
	unsigned int at_ms, seed;
};

/**
 * struct soak_period - a mixture
 * @ms:		its length
 * @poll_us: @residency_us: @starvation_ms: @policy: tunables at its begin
 * @part: @parts: clients
 * @event: @events: what happens to them, in order
 */
struct soak_period {
	unsigned int ms;
	unsigned int poll_us, residency_us, starvation_ms;
	const char *policy;
	struct soak_part part[SOAK_CLIENTS];
	unsigned int parts;
	struct soak_event event[SOAK_EVENTS];
	unsigned int events;
};

/**
 * struct soak_mixture - what periods are drawn from
 * @seed:	the same gives the same
 * @ms:		longest period
 * @pure:	no trouble and no habits
 * @program: @programs: somebody else's, commands of the shell
 */
struct soak_mixture {
	unsigned int seed, ms;
	bool pure;
	const char *program[SOAK_PROGRAMS];
	unsigned int programs;
};

/* The mixture's @nth period. */
void soak_plan(struct soak_period *p, const struct soak_mixture *m, unsigned int nth);
void soak_plan_print(const struct soak_period *p);

/**
 * struct soak - a segment under way
 * @gpu_id:	the node
 * @recover:	file that resets it
 * @asleep:	command that puts the machine to sleep: a kind of sleep comes after it
 * @uevents:	tells of bypasses
 * @period:	at hand
 * @seat:	a client's each
 * @pid:	likewise; 0: there is none
 * @injected:	a fault was, for which GPREEMPT may give up
 * @done:	how often, of each trouble
 * @acts:	likewise, of each habit
 * @results: @words: @wrong: as in struct soak_seat, of clients that ended
 * @failed:	something was not as it should be, and it was said
 */
struct soak {
	__u32 gpu_id;
	char recover[128];
	const char *asleep;
	int uevents;
	struct soak_period period;
	struct soak_seat *seat;
	pid_t pid[SOAK_CLIENTS];
	bool injected;
	unsigned int done[TROUBLES], acts[HABITS];
	unsigned long long results, words, wrong;
	bool failed;
};

/* Says on one line what was wrong; the segment has failed. */
void soak_fail(struct soak *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Starts the client @i of the period; it works when this returns. */
void soak_start(struct soak *s, unsigned int i);
/* Kills it; what it has compared so far counts. */
void soak_kill(struct soak *s, unsigned int i);
/* Waits so long, or until a client has failed. */
void soak_wait(struct soak *s, __u64 until_ns);

void soak_make_trouble(struct soak *s, const struct soak_event *e);

/* Nobody uses the GPU any more; what there is of memory, references and the like. */
void soak_wait_quiet(struct soak *s);
void soak_print_levels(void);

#endif
