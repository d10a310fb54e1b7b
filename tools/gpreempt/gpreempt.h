/* SPDX-License-Identifier: GPL-2.0 */
/* gpreempt: what its sub-commands share. */
#ifndef GPREEMPT_H
#define GPREEMPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <linux/kfd_gpreempt.h>

#include "attributes.h"
#include "lib/libgpreempt.h"

/* Exit statuses; those of run are env's, see run.c. */
enum {
	STATUS_FAILED = 1,	/* what was asked for could not be done */
	STATUS_USAGE = 2,	/* it was not asked for in the right way */
	STATUS_ABSENT = 3,	/* no driver, no GPREEMPT in it, no GPU */
	STATUS_BYPASSED = 4,	/* status: GPREEMPT gave up on a GPU */
};

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
/* Its tests have a folder and a file instead. */
#ifndef SYSFS
#define SYSFS		"/sys"
#endif
#ifndef CONFIGURED
#define CONFIGURED	"/etc/gpreempt.conf"
#endif
#define KFD_CLASS	SYSFS "/class/kfd/kfd"
#define NODES		KFD_CLASS "/gpreempt"
#define MODULE		SYSFS "/module/amdgpu"
#define PATH_SIZE	512

/**
 * struct option_of - an option of a command
 * @name:	after --
 * @letter:	after -, or 1: none
 * @value:	what its value is called, NULL: it has none; begins with [: it may be left out
 * @help:	lines
 * @kind:	of @to
 * @to:		a bool, a text, a double, or what is called with its value
 */
struct option_of {
	const char *name;
	char letter;
	const char *value, *help;
	enum { FLAG, TEXT, SECONDS, CALL, DEFAULT } kind;
	void *to;
};

/**
 * struct command - a sub-command
 * @name:	on the command line, NULL: it is all of a program
 * @run:	carries it out, with what follows the options; returns the exit status
 * @given:	takes the options of a default: here is what they say
 * @options:	more, up to one without a name; or NULL
 * @operands:	what may follow them, as in --help; NULL: nothing
 * @has_command: that is a command, whose options are its own
 * @failure:	exit status, if it is another than that of all
 * @summary:	a line for --help
 * @about:	of its own --help
 * @notes:	likewise, behind the options; or NULL
 */
struct command {
	const char *name;
	int (*run)(const struct command *cmd, int argc, char **argv);
	struct kfd_ioctl_gpreempt_args *given;
	const struct option_of *options;
	const char *operands;
	bool has_command;
	int failure;
	const char *summary, *about, *notes;
};

extern const struct command cmd_status, cmd_top, cmd_run, cmd_renice, cmd_preempt, cmd_resume,
	cmd_hint, cmd_cgroup, cmd_get, cmd_set, cmd_profile, cmd_record, cmd_metrics, cmd_report;

/* ---- error.c ---- */

/**
 * struct messages - how they are made
 * @program:	what each begins with
 * @command:	of it, whose --help says more, or NULL
 * @about:	what follows, or NULL
 * @log:	to the system's log as well
 * @fail_status: the exit status of fail() and usage(), negative: theirs
 */
extern struct messages {
	const char *program, *command, *about;
	bool log;
	int fail_status;
} messages;

/* One line to standard error. */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, and exit. */
#define fail(status, ...)	(warn(__VA_ARGS__), exit(exit_status(status)))
/* A wrong command line: also says where to read on. */
#define usage(...)		(warn(__VA_ARGS__), bad_option())
/* After getopt(), which has said what is wrong. */
void bad_option(void) __attribute__((noreturn));
/* What a program ends with that would end with @status. */
int exit_status(int status);
/* May escape sequences be printed? */
bool colours(void);
void *xrealloc(void *old, size_t size);

/* ---- parse.c: of arguments; what is wrong ends the program ---- */

/* A process, or one queue of it: PID or PID:QUEUE. */
struct target {
	unsigned int pid;
	unsigned int queue;
	bool one;
};

unsigned int parse_number(const char *what, const char *text, unsigned int min, unsigned int max);
/* A number with unit: 500us, 2ms, 1.5s; within the limits, which are in us. */
unsigned int parse_time_us(const char *what, const char *text, unsigned int min, unsigned int max);
/* Carry out the options; returns how many words they are. */
int parse_options(const struct command *cmd, int argc, char **argv);
struct target parse_target(const char *text);

/* ---- sysfs.c: files; 0 or negative errno ---- */

/* The path is formatted. What cannot be read is "", or 0. */
int read_text(char *buf, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
int read_number(uint64_t *value, const char *format, ...) __attribute__((format(printf, 2, 3)));
int write_text(const char *path, const char *text);
/* The names of a folder, sorted by number where they are numbers; free_names(). */
int list_names(const char *path, char ***names);
void free_names(char **names);

/* What a byte becomes that is no text: U+FFFD. */
#define REPLACEMENT	"\357\277\275"

/* As much of it as fits, and is text. */
void utf8_text(char *buf, size_t size, const char *text);
/*
 * The same of a name for people. Somebody has chosen it: no escape sequences to the terminal, and
 * no broken characters.
 */
void utf8_shown(char *buf, size_t size, const char *name);

/* ---- node.c ---- */

/**
 * struct node - a GPU node that GPREEMPT knows
 * @gpu_id:	KFD's number of it
 * @name:	of the GPU's kind, or empty
 * @pci:	address of the device, or empty
 */
struct node {
	unsigned int gpu_id;
	char name[192];
	char pci[32];
};

/* Why there is no node: in a word, and the first thing that is missing. */
struct absence {
	const char *reason, *text;
};

/* Where there is no node. */
const struct absence *nodes_absence(void);
/* All nodes, or the one of that gpu_id if it is not 0. Without any it returns 0. */
unsigned int nodes_list(unsigned int wanted, struct node **nodes);
/* All nodes, or the one that @gpu (NULL, "all" or a gpu_id) names; fails without any. */
unsigned int nodes_find(const char *gpu, struct node **nodes);
/* A file of it in the topology; "" if it cannot be read. */
void node_topology(unsigned int gpu_id, const char *file, char *buf, size_t size);
/* Text of a file of the node; "" if it cannot be read. */
void node_text(const struct node *n, const char *file, char *buf, size_t size);
uint64_t node_number(const struct node *n, const char *file);
/* The choice in brackets of "a [b] c"; else the text as it is. */
void chosen(char *text);
/* Why a node is bypassed, and what helps. */
struct bypass {
	const char *reason, *text, *cure;
};

struct bypass bypass_of(const char *reason);
/* All that there can be, and NULL. */
extern const char *const bypass_reasons[];
/* Warn of nodes that will serve @priority no higher than their cap. */
void warn_of_caps(unsigned int priority);

/* ---- tunable.c ---- */

/*
 * The words of CONFIGURED, which should be NAME=VALUE, up to a NULL; free_names(). A profile's
 * settings are in its place.
 */
char **settings_configured(void);
/* Set them on the GPUs that nodes_find() finds; all names are known before any value is written. */
int settings_apply(const char *gpu, const char *const *settings);

/* ---- profile.c ---- */

/* Begins a setting that stands for a profile's. */
#define PROFILE		"profile="
/* Up to a NULL; or NULL if there is no such profile. */
const char *const *profile_settings(const char *name);

/* ---- queue.c ---- */

/**
 * struct queue - a compute queue, as in sysfs
 * @folder:	number of its process's folder: as its pid, but on the host
 * @pid:	its process, as the caller names it; of a hidden one @folder
 * @id:		KFD's number of it in its process
 * @gpu_id:	its node
 * @hidden:	the caller may not control its process: what follows is not known
 * @command:	name of the process
 * @state:	as in sysfs
 * @priority:	as the application asked
 * @permitted:	what remains of it
 * @effective:	what GPREEMPT acts on
 * @timeslice_us: its turn among equals
 * @weight:	of its process, as the two that follow
 * @min_percent: of the time
 * @cap_percent: of the time; 0: none
 * @group:	number of the cgroup whose members share the time; 0: its process by itself
 * @cgroup:	where that cgroup is, below the mount point; "" if it cannot be told
 * @preemptions: how often it was taken off
 * @running_ns:	time seen executing
 * @waiting_ns:	time seen waiting
 * @preempted_ns: time off the hardware
 */
struct queue {
	unsigned int folder, pid, id, gpu_id;
	bool hidden;
	char command[48], state[16];
	uint64_t priority, permitted, effective, timeslice_us;
	uint64_t weight, min_percent, cap_percent;
	uint64_t group;
	char cgroup[PATH_SIZE];
	uint64_t preemptions, running_ns, waiting_ns, preempted_ns;
};

/* All of them, by pid and number, and when they were read, by CLOCK_MONOTONIC. */
struct queues {
	struct queue *q;
	unsigned int count;
	uint64_t ns;
};

/* With @times as well, which are 0 else; for them a parked node's monitor scans. */
void queues_read(struct queues *all, bool times);
/* Read the state of one anew: 0, or a negative errno of a queue that is gone. */
int queue_state(struct queue *q);
/* The same queue in @all, or NULL. */
const struct queue *queues_find(const struct queues *all, const struct queue *q);
/* Of a process, or "?" if it has none. */
bool process_name(unsigned int pid, char *name, size_t size);
uint64_t now_ns(void);

/* ---- streams.c ---- */

/* Of the environment: with 0 HIP asks for the priorities of its streams. */
#define HIP_SWITCH	"DEBUG_HIP_IGNORE_STREAM_PRIORITY"
/*
 * A line about the first process, or the one of that pid, on any GPU, or on that one, that has
 * several streams of which none asks for a priority, and that has not that switch. Is there one?
 */
bool streams_note(const struct queues *all, unsigned int pid, unsigned int gpu_id, char *buf,
		  size_t size);

/* ---- kfd.c: AMDKFD_IOC_GPREEMPT ---- */

/* 0 or negative errno; fails with the cure without a driver that knows it. */
int kfd_call(struct kfd_ioctl_gpreempt_args *args);
/* What an error of it, or of another system call, means, and what to do. */
const char *kfd_error(int error);
/* All of a default that a process or a cgroup had stays. */
#define KEEP_ALL	(KFD_GPREEMPT_KEEP_PRIORITY | KFD_GPREEMPT_KEEP_CEILING | \
			 KFD_GPREEMPT_KEEP_TIMESLICE)

/* ---- cgroup_dir.c ---- */

/* A cgroup that is to keep what it has, but for options of a default. */
#define CGROUP_KEEPS_ALL { \
	.op = KFD_GPREEMPT_OP_SET_PROCESS_DEFAULT, .flags = KFD_GPREEMPT_CGROUP | KEEP_ALL, \
	.process_default = { KFD_GPREEMPT_NONE, KFD_GPREEMPT_NONE }, \
}

/*
 * @path below the mount point, never out of it; or, if it begins with a slash, as it is. Fails with
 * what it is instead.
 */
int cgroup_open(const char *path);
/* All but the directory is in @args. 0, or a negative errno for cgroup_error(). */
int cgroup_set(const char *path, const struct kfd_ioctl_gpreempt_args *args);
const char *cgroup_error(int error);

/* ---- cgroup.c ---- */

/*
 * A cgroup below the caller's own, with priority, ceiling and timeslice of that default; the
 * process, and all that it starts, is in it from then on. 0, or negative errno, also where
 * the caller may not make one.
 */
int cgroup_enter_new(unsigned int pid, const struct kfd_ioctl_gpreempt_args *of_process);
/* Another default of a process also counts for such a cgroup, if it was made for it. */
int cgroup_renice(unsigned int pid, const struct kfd_ioctl_gpreempt_args *of_process);

/*
 * Where the cgroup of that number is, below the mount point: the one that a process is in, or one
 * above it. "" if it cannot be told.
 */
void cgroup_find(unsigned int pid, uint64_t number, char *path, size_t size);

/* What a process or a cgroup was given, as a table. */
void given_title(const char *of);
void given_print(const struct kfd_gpreempt_process_default *def, const char *name);

/* ---- output.c: one file that is replaced as a whole, or stays as it was ---- */

/* A wrong command line if it is there and no file that can be replaced. */
void output_check(const char *path);
/* To be written to; output_close() makes it the file, any other end of the program nothing. */
FILE *output_open(const char *path);
void output_close(void);
/* The name that it has until then. */
extern char output_beside[PATH_SIZE];

struct json_object;

/* Members of an object. */
void json_number(struct json_object *to, const char *key, uint64_t value);
void json_string(struct json_object *to, const char *key, const char *value);
/* null if it is not known. */
void json_real(struct json_object *to, const char *key, double value, bool known);
/* All of it, which is freed. */
void json_put(struct json_object *root, FILE *f, bool pretty);

/* ---- timeline.c ---- */

/* The events of a tracing instance, and the queues, from now on. */
void timeline_open(const char *instance);
/* Read what there is, some times a second. */
void timeline_drain(void);
void timeline_close(void);

/* What it is made of, in us of the monotonic clock: a line of trace_pipe, */
void timeline_line(const char *line);
/* a queue as it was found, without state if it was not. */
void timeline_sample(uint64_t us, const struct queue *q);
void timeline_begin(uint64_t us);
void timeline_write(FILE *f, uint64_t end_us);

#endif
