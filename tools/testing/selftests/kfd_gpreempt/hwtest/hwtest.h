/* SPDX-License-Identifier: GPL-2.0 */
/*
 * gpreempt-hwtest: what a real GPU does with GPREEMPT, in steps that dare more and more.
 * A worker process makes the steps; its parent watches it, puts the node back as it was
 * whatever becomes of the worker, and writes the report from memory that both share.
 */
#ifndef KFD_GPREEMPT_HWTEST_H
#define KFD_GPREEMPT_HWTEST_H

#include <pthread.h>
#include "client.h"
#include "gpreempt.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* ---- the report (hwtest_report.c) ---- */

#define REPORT_ITEMS	160
#define REPORT_STEPS	16
#define REPORT_COLUMNS	6
#define REPORT_LINES	40

enum item_kind { ITEM_FIGURE, ITEM_TEXT, ITEM_ROW };

/**
 * struct item - something that was found
 * @kind:	a figure has @value[0], a text @text, a row of a table both
 * @step:	number of the step that found it
 * @name:	with its unit at the end; of a row what it is about
 * @value:	the figures
 * @text:	the text
 */
struct item {
	enum item_kind kind;
	unsigned int step;
	char name[32];
	double value[REPORT_COLUMNS];
	char text[96];
};

enum step_state { STEP_NOT_RUN, STEP_BEGUN, STEP_OK, STEP_ANOMALY };

/**
 * struct report - all that is told; shared by worker and parent
 * @step:	of each step how it went, for how long, and its result in a line
 * @now:	number of the step that runs
 * @items:	used of @item
 * @lines:	used of @line
 * @anomaly:	what is not as it should be, in plain words; empty: nothing
 * @line:	what the kernel said of the GPU meanwhile
 * @item:	what was found
 * @restored:	the node's settings are what they were before
 */
struct report {
	struct {
		enum step_state state;
		double seconds;
		char says[160];
	} step[REPORT_STEPS];
	unsigned int now, items, lines;
	char anomaly[512];
	char line[REPORT_LINES][200];
	bool restored;
	struct item item[REPORT_ITEMS];
};

/* Of the step that runs. */
void report_figure(struct report *r, const char *name, double value);
void report_text(struct report *r, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void report_row(struct report *r, const char *name, const double *value, unsigned int n);
/* Its result, in a line. */
void report_says(struct report *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* report.txt, report.json, and picture.gp, which gnuplot makes picture.png of. 0 or -errno. */
int report_write(const struct report *r, const char *folder);

/* ---- a run of the program ---- */

/**
 * struct hwtest - what the steps share
 * @report:	see there
 * @quick:	few repetitions
 * @c:		the GPU, open
 * @low:	a queue of the lowest priority
 * @high:	one of the highest
 * @high_job:	HIGH's kernel
 * @arrivals:	how often it was run
 * @before:	counters of trouble when the run began
 */
struct hwtest {
	struct report *report;
	bool quick;
	struct client c;
	struct aql_queue low, high;
	struct high_job high_job;
	unsigned int arrivals;
	long long before[3];
};

/* What a step may do to the machine. */
enum step_risk { RISK_READS, RISK_RUNS, RISK_PREEMPTS };

/**
 * struct step - a row of the table that this program is
 * @name:	for people and for --until
 * @risk:	the most that it does
 * @run:	0, or an error after anomaly() has told of it
 * @what:	what it is for
 * @columns:	of the table that it fills, if any; the first is its rows' name
 */
struct step {
	const char *name;
	enum step_risk risk;
	int (*run)(struct hwtest *t);
	const char *what;
	const char *columns[REPORT_COLUMNS + 1];
};

extern const struct step steps[];
extern const unsigned int steps_count;

/* Something is not as it should be: the run ends, and says so. Returns -EIO. */
int anomaly(struct hwtest *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* @ret, of what must succeed; tells if it did not: "could not @what". */
int must(struct hwtest *t, int ret, const char *what);

/* How often, in the short form and in the other. */
#define TIMES(t, few, many)	((t)->quick ? (few) : (many))

/* hwtest_node.c */
const char *refuse_gpu(char *why, size_t size);
const char *refuse_busy(char *why, size_t size);
int step_read(struct hwtest *t);
/* The kernel's log from now on; negative if it is not to be had. */
int kernel_log_open(void);
/* What it says of the GPU since. Was the GPU reset? If so, waits until that is over. */
bool kernel_log_reset(int fd, struct report *r);

/* hwtest_registers.c */
int step_registers(struct hwtest *t);
int step_offset(struct hwtest *t);

/* hwtest_steps.c */
int step_watch(struct hwtest *t);
int step_index(struct hwtest *t);
int step_preempt(struct hwtest *t);
int step_gws(struct hwtest *t);
int step_empty(struct hwtest *t);
int step_queues(struct hwtest *t);
int step_doorbell(struct hwtest *t);
int step_detection(struct hwtest *t);
int step_exact(struct hwtest *t);

/* GPREEMPT off, on with a policy (hwtest.c). */
int gpreempt_off(struct hwtest *t);
int gpreempt_on(struct hwtest *t, const char *policy);

/* ---- waves that hold values (hwtest_cost.c) ---- */

int step_cost(struct hwtest *t);
int step_grace(struct hwtest *t);

/* The straight line through @n points. */
void line_through(const double *x, const double *y, unsigned int n, double *at_0, double *slope);


/* Of a workgroup of the kernel that holds values. */
#define HOLD_WAVES	2

/* A hold_job of so many workgroups, of @k, which may have more registers. 0 or -errno. */
int hold_start(struct hwtest *t, struct hold_job *job, const struct aql_kernel *k,
	       unsigned int groups);
/* Each of its workgroups goes on from here. 0 or -ETIME. */
int hold_moves(const struct hold_job *job, unsigned int timeout_ms);
/* Its end; every value that its waves held must be there. */
int hold_end(struct hwtest *t, struct hold_job *job);

/*
 * Bytes that stock saves of a queue, of all XCCs, added to @stack, which may be NULL, and to
 * @waves. The queue is switched off for that, as its owner may do, and on again.
 */
int saved_bytes(struct hwtest *t, struct aql_queue *q, double *stack, double *waves);

/* ---- LOW's work, and HIGH's that comes to it (hwtest_work.c) ---- */

int step_table(struct hwtest *t);

#define FEED_DEPTH	3

/**
 * struct feeder - a thread that keeps the machine full with LOW's dispatches
 * @t:		the run
 * @job:	in flight
 * @thread:	the thread
 * @ms:		that one of them takes undisturbed: a GPU's shortest may be longer than asked for
 * @stop:	end after these
 * @done:	dispatches that ended
 * @wrong:	words of them that were not what they should be
 * @ret:	why it ended early
 */
struct feeder {
	struct hwtest *t;
	struct low_job job[FEED_DEPTH];
	double ms;
	pthread_t thread;
	volatile int stop;
	volatile unsigned long done, wrong;
	volatile int ret;
};

/*
 * Jobs of about so many ms. What they must give is what the GPU gives undisturbed, twice,
 * the first workgroups of it compared with the CPU, which cannot compute all of them in time.
 */
int feeder_init(struct hwtest *t, struct feeder *f, unsigned int ms);
void feeder_free(struct feeder *f);
int feeder_start(struct feeder *f);
/* Waits for what is in flight; tells if anything was wrong. */
int feeder_stop(struct feeder *f);
/* In the middle. */
int feeder_check(struct feeder *f);

#define GAP_US		8000	/* at most between two arrivals of HIGH */

/*
 * HIGH comes once, after a random part of that time, and ends: ns from doorbell to
 * completion. @coop: the application switches LOW off meanwhile.
 */
int arrive(struct hwtest *t, unsigned int gap_us, bool coop, __u64 *ns);
/* It comes @n times while LOW works; all was exact. */
int arrive_often(struct hwtest *t, struct feeder *f, bool coop, __u64 *ns, unsigned int n);
/* Its workgroups ran as often as it came. */
int arrivals_check(struct hwtest *t);

/* Sorts; nearest rank. */
double percentile(__u64 *ns, unsigned int n, unsigned int p);

#endif
