// SPDX-License-Identifier: GPL-2.0
/* gpreempt top: queues, processes or groups: of the time, what each runs, waits, is preempted. */
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <ncurses.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/param.h>
#include <unistd.h>
#include <json-c/json.h>

#include "gpreempt.h"

/**
 * struct row - a queue over the last interval, or all of a process's, or of a group's, on a GPU
 * @q:		as it is now; of several the first one, with the highest priority of all
 * @queues:	how many they are
 * @processes:	and of how many processes
 * @last_pid:	of the last one
 * @known:	the node watched it, so that the shares mean something
 * @running:	share of the interval
 * @waiting:	likewise
 * @preempted:	likewise
 * @rate:	preemptions a second
 */
struct row {
	struct queue q;
	unsigned int queues, processes, last_pid;
	bool known;
	double running, waiting, preempted, rate;
};

enum { QUEUES, PROCESSES, GROUPS, VIEWS };

/* What the table has a line for, in JSON and for people; and what the key p shows after it. */
static const char *const names[VIEWS] = { "queues", "processes", "groups" };
static const char *const next[VIEWS] = { "procs", "groups", "queues" };
static unsigned int view;

/* In JSON alone. */
#define HIDE	1000

/**
 * struct column - a member of a row
 * @name:	to sort by: by text or by number, largest number first
 * @key:	in JSON, if not @name
 * @title:	for people
 * @width:	in each view; 0: it is not there
 * @kind:	its type, and what is particular about it
 * @offset:	in struct row
 */
static const struct column {
	const char *name, *key, *title;
	int width[VIEWS];
	enum { U32, U64, CAP, PRIORITY, SHARE, SEEN, RATE, STRING, GROUP } kind;
	size_t offset;
} columns[] = {
#define AT(member) offsetof(struct row, member)
	/* all are 80 characters wide with the longest name of a process */
	{ "pid", NULL, "PID", { 7, 7 }, U32, AT(q.pid) },
	{ "processes", NULL, "PROCS", { 0, 0, 5 }, U32, AT(processes) },
	{ "gpu", "gpu_id", "GPU", { 5, 5, 5 }, U32, AT(q.gpu_id) },
	{ "queue", NULL, "QUEUE", { 5 }, U32, AT(q.id) },
	{ "queues", NULL, "QUEUES", { 0, 6, 6 }, U32, AT(queues) },
	{ "priority", "effective", "PRIO", { 7, 4, 4 }, PRIORITY, AT(q.effective) },
	{ "state", NULL, "STATE", { -9 }, STRING, AT(q.state) },
	{ "running", NULL, "RUN%", { 6, 5, 5 }, SEEN, AT(running) },
	{ "waiting", NULL, "WAIT%", { 6, 5, 5 }, SEEN, AT(waiting) },
	{ "preempted", NULL, "OFF%", { 6, 5, 5 }, SHARE, AT(preempted) },
	{ "rate", "preemptions_per_s", "OFF/s", { 5, 5, 5 }, RATE, AT(rate) },
	{ "weight", NULL, "WGHT", { HIDE, 4, 4 }, U64, AT(q.weight) },
	{ "min", "min_percent", "MIN%", { HIDE, 4, 4 }, U64, AT(q.min_percent) },
	{ "cap", "cap_percent", "CAP%", { HIDE, 4, 4 }, CAP, AT(q.cap_percent) },
	{ "command", NULL, "COMMAND", { -1, -1 }, STRING, AT(q.command) },
	{ "group", NULL, "GROUP", { 0, 0, -1 }, GROUP, 0 },
	{ "", "priority", NULL, { HIDE }, U64, AT(q.priority) },
	{ "", "permitted", NULL, { HIDE }, U64, AT(q.permitted) },
	{ "", "timeslice_us", NULL, { HIDE }, U64, AT(q.timeslice_us) },
	{ "", "preemptions", NULL, { HIDE, HIDE, HIDE }, U64, AT(q.preemptions) },
#undef AT
};

static const struct column *sort_by;
static bool reverse;

static bool is_shown(const struct column *c)
{
	return c->width[view] && c->width[view] != HIDE;
}

/* False if the table has no such column. */
static bool set_sort(const char *name)
{
	const struct column *c;

	for (c = columns; c < columns + ARRAY_SIZE(columns); c++) {
		if (strcmp(c->name, name) || !is_shown(c))
			continue;
		sort_by = c;
		return true;
	}
	return false;
}

static double number(const struct column *c, const struct row *r)
{
	const void *at = (const char *)r + c->offset;

	if (c->kind == SEEN && !r->known)
		return -1;
	if (c->kind >= SHARE)
		return *(const double *)at;
	/* no cap is more than any */
	if (c->kind == CAP && !r->q.cap_percent)
		return 101;
	return c->kind == U32 ? *(const unsigned int *)at : *(const uint64_t *)at;
}

/* A group is a cgroup, or else its one process. */
static const char *text(const struct column *c, const struct row *r)
{
	return c->kind == STRING ? (const char *)r + c->offset :
	       r->q.group ? r->q.cgroup : r->q.command;
}

static void print_cell(const struct column *c, const struct row *r, char *buf, size_t size)
{
	const char *name, *slash;
	double value;

	if (c->kind >= STRING) {
		name = text(c, r);
		/* of where a cgroup is, the end tells most */
		slash = c->kind == GROUP && r->q.group ? strrchr(name, '/') : NULL;
		utf8_shown(buf, size, slash ? slash + 1 : name);
		if (c->kind == GROUP && r->q.group && !slash)
			snprintf(buf, size, "cgroup %llu", (unsigned long long)r->q.group);
		return;
	}
	value = number(c, r);
	if (value < 0 || (c->kind == CAP && value > 100))
		snprintf(buf, size, "-");
	else if (c->kind == PRIORITY && view == QUEUES && value != r->q.priority)
		/* what it is served at, and in brackets what was asked for */
		snprintf(buf, size, "%.0f (%u)", value, (unsigned int)r->q.priority);
	else
		snprintf(buf, size, "%.*f", c->kind >= SHARE,
			 c->kind == SHARE || c->kind == SEEN ? 100 * value : value);
}

static int compare(const void *a, const void *b)
{
	const struct row *ra = a, *rb = b;
	int r;

	if (sort_by->kind >= STRING)
		r = strcmp(text(sort_by, ra), text(sort_by, rb));
	else
		r = (number(sort_by, ra) < number(sort_by, rb)) -
		    (number(sort_by, ra) > number(sort_by, rb));
	if (reverse)
		r = -r;
	if (!r)
		r = (ra->q.pid > rb->q.pid) - (ra->q.pid < rb->q.pid);
	return r ?: (ra->q.id > rb->q.id) - (ra->q.id < rb->q.id);
}

/* Of a counter that only grows; a new queue with an old one's number begins anew. */
static double grown(uint64_t now, uint64_t then)
{
	return now > then ? now - then : 0;
}

static struct row make_row(const struct queue *now, const struct queue *then, double ns)
{
	static const struct queue none;
	struct row row = { .q = *now, .queues = 1, .processes = 1, .last_pid = now->pid };

	row.known = strcmp(now->state, "unknown") || (then && strcmp(then->state, "unknown"));
	if (!then)
		then = &none;
	row.running = grown(now->running_ns, then->running_ns) / ns;
	row.waiting = grown(now->waiting_ns, then->waiting_ns) / ns;
	row.preempted = grown(now->preempted_ns, then->preempted_ns) / ns;
	row.rate = grown(now->preemptions, then->preemptions) / (ns / 1e9);
	return row;
}

/* Whose queues are shown: on these GPUs, and of this process, 0: of all. */
static struct node *nodes;
static unsigned int node_count, only_pid;

static bool passes(const struct queue *q)
{
	unsigned int i;

	if (only_pid && q->pid != only_pid)
		return false;
	for (i = 0; i < node_count; i++)
		if (q->gpu_id == nodes[i].gpu_id)
			return true;
	return false;
}

/* One more queue of a process, or of a group. */
static void add_row(struct row *sum, const struct row *r)
{
	/* they come by pid */
	sum->processes += r->q.pid != sum->last_pid;
	sum->last_pid = r->q.pid;
	if (r->q.effective > sum->q.effective)
		sum->q.effective = r->q.effective;
	sum->q.preemptions += r->q.preemptions;
	sum->queues++;
	sum->known |= r->known;
	sum->running += r->running;
	sum->waiting += r->waiting;
	sum->preempted += r->preempted;
	sum->rate += r->rate;
}

/* Are both in one line? A process that is in a cgroup which shares the time is in its line. */
static bool same_line(const struct queue *a, const struct queue *b)
{
	if (a->gpu_id != b->gpu_id || view == QUEUES)
		return false;
	if (view == GROUPS && (a->group || b->group))
		return a->group == b->group;
	return a->pid == b->pid;
}

static struct row *find_line(struct row *rows, unsigned int n, const struct queue *q)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (same_line(&rows[i].q, q))
			return &rows[i];
	return NULL;
}

/* How many of the queues that are shown are of others. */
static unsigned int hidden;

static unsigned int make_rows(const struct queues *then, const struct queues *now,
			      struct row **rows)
{
	struct row row, *line;
	unsigned int i, n = 0;

	hidden = 0;
	*rows = xrealloc(*rows, (now->count + 1) * sizeof(**rows));
	for (i = 0; i < now->count; i++) {
		if (!passes(&now->q[i]))
			continue;
		if (now->q[i].hidden) {
			hidden++;
			continue;
		}
		row = make_row(&now->q[i], queues_find(then, &now->q[i]), now->ns - then->ns);
		line = find_line(*rows, n, &now->q[i]);
		if (line)
			add_row(line, &row);
		else
			(*rows)[n++] = row;
	}
	qsort(*rows, n, sizeof(**rows), compare);
	return n;
}

static struct json_object *row_to_json(const struct row *r)
{
	struct json_object *line = json_object_new_object();
	const struct column *c;

	for (c = columns; c < columns + ARRAY_SIZE(columns); c++) {
		if (!c->width[view] || c->kind == GROUP)
			continue;
		if (c->kind == STRING)
			json_string(line, c->key ?: c->name, text(c, r));
		else if (c->kind >= SHARE)
			json_real(line, c->key ?: c->name, number(c, r), number(c, r) >= 0);
		else
			json_number(line, c->key ?: c->name,
				    c->kind == CAP ? r->q.cap_percent : number(c, r));
	}
	if (view != GROUPS)
		return line;
	json_string(line, r->q.group ? "cgroup" : "command",
		    r->q.group ? r->q.cgroup : r->q.command);
	json_number(line, r->q.group ? "cgroup_id" : "pid", r->q.group ?: r->q.pid);
	return line;
}

static void print_json(const struct row *rows, unsigned int n, double seconds)
{
	struct json_object *table = json_object_new_object(), *gpus = json_object_new_array(),
			   *lines = json_object_new_array(), *gpu;
	char state[32];
	unsigned int i;

	for (i = 0; i < node_count; i++) {
		gpu = json_object_new_object();
		node_text(&nodes[i], "state", state, sizeof(state));
		json_number(gpu, "gpu_id", nodes[i].gpu_id);
		json_string(gpu, "state", state);
		json_object_array_add(gpus, gpu);
	}
	for (i = 0; i < n; i++)
		json_object_array_add(lines, row_to_json(&rows[i]));
	json_real(table, "interval_s", seconds, true);
	json_object_object_add(table, "gpus", gpus);
	json_object_object_add(table, names[view], lines);
	json_number(table, "hidden", hidden);
	json_put(table, stdout, true);
}

/* ---- the terminal ---- */

static bool live;
/* The line of the screen that is drawn next; what is above the first one is not seen. */
static int at;
/*
 * Of a table that is longer than the screen: the first line that is shown, how many are, and the
 * first line of the last page.
 */
static int first, page, most;

static void scroll_by(int lines)
{
	first = MAX(0, MIN(first + lines, most));
}

/* What is too long for the screen the next line clears. */
static void put(const char *line, bool title)
{
	bool colour = title && colours();

	if (!live) {
		printf("%s%s%s\n", colour ? "\033[7m" : "", line, colour ? "\033[0m" : "");
	} else if (move(at++, 0) != ERR) {
		clrtobot();
		attrset(colour ? A_REVERSE : A_NORMAL);
		addstr(line);
	}
}

static void put_row(const struct row *row)
{
	char line[256] = "", cell[64];
	const struct column *c;
	size_t len = 0;

	for (c = columns; c < columns + ARRAY_SIZE(columns) && len < sizeof(line) - 1; c++) {
		if (!is_shown(c))
			continue;
		if (row)
			print_cell(c, row, cell, sizeof(cell));
		else
			snprintf(cell, sizeof(cell), "%s", c->title);
		len += snprintf(line + len, sizeof(line) - len, "%s%*s", len ? " " : "",
				c->width[view], cell);
	}
	put(line, !row);
}

static void print_table(const struct row *rows, int n, const char *note)
{
	int rest = node_count + !!hidden + !!*note + 2, line;
	char text[128], state[32], policy[64], shown[48] = "";
	unsigned int i;

	page = !live ? INT_MAX : LINES - rest > 1 ? LINES - rest : 1;
	most = n - page;
	scroll_by(0);
	at = live && LINES < rest + 1 ? LINES - rest - !!n : 0;
	for (i = 0; i < node_count; i++) {
		node_text(&nodes[i], "state", state, sizeof(state));
		node_text(&nodes[i], "policy", policy, sizeof(policy));
		chosen(policy);
		snprintf(text, sizeof(text), "GPU %u: %s, policy %s", nodes[i].gpu_id, state,
			 policy);
		put(text, false);
	}
	if (hidden) {
		snprintf(text, sizeof(text),
			 "%u queues of others are not shown; root on the host sees them", hidden);
		put(text, false);
	}
	if (*note)
		put(note, false);
	put_row(NULL);
	for (line = first; line < n && line - first < page; line++)
		put_row(&rows[line]);
	if (live) {
		if (line - first < n)
			snprintf(shown, sizeof(shown), "%d-%d of %d; ", first + 1, line, n);
		snprintf(text, sizeof(text), "sorted by %s%s; %s<> sort r reverse p %s q quit",
			 sort_by->name, reverse ? ", reversed" : "", shown, next[view]);
		put(text, false);
		put("", false);
		refresh();
	}
	fflush(stdout);
}

static volatile sig_atomic_t caught;
/* Signals blocked while it waits. Those that are caught come only then. */
static sigset_t waiting;

static void on_signal(int sig)
{
	caught = sig;
}

static void close_screen(void)
{
	endwin();
}

/* For terminals that know nothing of the mode which terminfo has the sequences of. */
static const struct {
	const char *sequence;
	int key;
} others[] = {
	{ "\033[A", KEY_UP }, { "\033[B", KEY_DOWN }, { "\033[H", KEY_HOME }, { "\033[F", KEY_END },
	{ "\033[1~", KEY_HOME }, { "\033[4~", KEY_END },
};

static void open_screen(void)
{
	/* the first one is ncurses' affair */
	static const int signals[] = { SIGWINCH, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP };
	sigset_t blocked;
	unsigned int i;

	sigemptyset(&blocked);
	for (i = 0; i < ARRAY_SIZE(signals); i++) {
		sigaddset(&blocked, signals[i]);
		if (i)
			signal(signals[i], on_signal);
	}
	sigprocmask(SIG_BLOCK, &blocked, &waiting);
	/* the names of processes are */
	setlocale(LC_CTYPE, "C.UTF-8");
	if (!newterm(NULL, stdout, stdin))
		fail(STATUS_FAILED, "the terminal '%s' is not known here; --batch needs none",
		     getenv("TERM") ?: "");
	atexit(close_screen);
	cbreak();
	noecho();
	curs_set(0);
	nodelay(stdscr, true);
	keypad(stdscr, true);
	for (i = 0; i < ARRAY_SIZE(others); i++)
		define_key(others[i].sequence, others[i].key);
}

/* Another column of the table, to the left or to the right. */
static void sort_beside(int step)
{
	const int count = ARRAY_SIZE(columns);

	do
		sort_by = &columns[(sort_by - columns + step + count) % count];
	while (!is_shown(sort_by));
}

static void act(int key)
{
	switch (key) {
	case KEY_UP:
		return scroll_by(-1);
	case KEY_DOWN:
		return scroll_by(1);
	case KEY_PPAGE:
		return scroll_by(-page);
	case KEY_NPAGE:
		return scroll_by(page);
	case KEY_HOME:
		return scroll_by(-first);
	case KEY_END:
		return scroll_by(most - first);
	case 'q':
		exit(0);
	case 'r':
		reverse = !reverse;
		break;
	case 'p':
		view = (view + 1) % VIEWS;
		/* sorted as before, where there is that column */
		if (!is_shown(sort_by))
			set_sort("running");
		break;
	case '<':
		return sort_beside(-1);
	case '>':
		return sort_beside(1);
	}
}

/* Wait for the interval's end: true. Or on a terminal for what may change the screen. */
static bool wait_until(uint64_t end)
{
	struct pollfd in = { .fd = live ? STDIN_FILENO : -1, .events = POLLIN };
	uint64_t now = now_ns(), left_ns = now < end ? end - now : 0;
	struct timespec left = { left_ns / 1000000000, left_ns % 1000000000 };
	/* even where the queues take longer to read than that */
	int n = ppoll(&in, 1, &left, live ? &waiting : NULL), key;

	if (caught && caught != SIGTSTP)
		exit(0);
	if (caught) {
		/* Ctrl-Z leaves the screen for as long as it takes, until it is drawn again */
		endwin();
		raise(SIGSTOP);
		caught = 0;
	}
	if (!live || !n)
		return true;
	key = getch();
	if (key == ERR && n > 0)
		exit(0);
	for (; key != ERR; key = getch())
		act(key);
	return false;
}

static bool json;
static double delay = 1;

/* So many tables, 0: until it is ended. */
static void loop(unsigned int times)
{
	struct queues before = { }, now, next;
	unsigned int n, gpu_id = node_count == 1 ? nodes[0].gpu_id : 0;
	struct row *rows = NULL;
	char note[160];

	if (live)
		open_screen();
	queues_read(&now, true);
	for (;;) {
		if (wait_until(now.ns + (uint64_t)(delay * 1e9))) {
			queues_read(&next, true);
			free(before.q);
			before = now;
			now = next;
		} else if (!before.ns) {
			continue;
		}
		n = make_rows(&before, &now, &rows);
		if (!streams_note(&now, only_pid, gpu_id, note, sizeof(note)))
			*note = '\0';
		if (json)
			print_json(rows, n, (now.ns - before.ns) / 1e9);
		else
			print_table(rows, n, note);
		if ((times && !--times) || ferror(stdout))
			break;
		if (!live)
			putchar('\n');
	}
	free(rows);
	free(before.q);
	free(now.q);
}

static bool batch, processes, groups;
static const char *gpu, *iterations, *sort = "running", *of_pid;

static int run(const struct command *cmd, int argc, char **argv)
{
	unsigned int times = 0;

	if (iterations)
		times = parse_number("number of tables", iterations, 1, 1000000);
	if (of_pid)
		only_pid = parse_number("pid", of_pid, 1, 1 << 30);
	view = groups ? GROUPS : processes ? PROCESSES : QUEUES;
	if (!set_sort(sort))
		usage("there is no column '%s' to sort by, of %s", sort,
		      view == QUEUES ? "queues; --processes and --groups have others" : names[view]);
	if (json && (times > 1 || batch))
		usage("--json prints once");
	node_count = nodes_find(gpu, &nodes);
	if (only_pid && kill(only_pid, 0) && errno == ESRCH)
		fail(STATUS_FAILED, "process %u: no such process", only_pid);
	/* without a terminal once, unless more are wanted */
	if (!times && !batch && (json || !isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO)))
		times = 1;
	live = !times && !batch;
	loop(times);
	free(nodes);
	return 0;
}

static const struct option_of options[] = {
	{ "processes", 'P', NULL, "a line for each process on each GPU", FLAG, &processes },
	{ "groups", 'G', NULL, "a line for each group on each GPU", FLAG, &groups },
	{ "batch", 'b', NULL, "one table below the other, until it is ended", FLAG, &batch },
	{ "delay", 'd', "TIME", "between two tables (default 1 s)", SECONDS, &delay },
	{ "iterations", 'n', "N", "so many tables, one below the other", TEXT, &iterations },
	{ "sort", 's', "COLUMN", "pid, gpu, queue, priority, state, running, waiting,\n"
	  "preempted, rate or command (default running); of processes\n"
	  "queues, weight, min and cap instead of queue and state;\n"
	  "of groups processes and group instead of pid and command", TEXT, &sort },
	{ "reverse", 'r', NULL, "smallest first", FLAG, &reverse },
	{ "gpu", 'g', "ID", "of this GPU only", TEXT, &gpu },
	{ "pid", 'p', "PID", "of this process only", TEXT, &of_pid },
	{ "json", 'j', NULL, "one table, for programs", FLAG, &json },
	{ }
};

const struct command cmd_top = {
	.name = "top",
	.run = run,
	.options = options,
	.summary = "a live table of queues, processes or groups; --json: once, for programs",
	.about = "The compute queues: what each is served at (in brackets what it asked for, if\n"
		"that differs), its state, and the share of the time it was seen running,\n"
		"waiting for the machine, and taken off it. Or the processes, sums over their\n"
		"queues, with the share that each may have. Or the groups that take turns and\n"
		"share the time: cgroups with a share of their own, and processes that are in\n"
		"none. Running and waiting are known only\n"
		"while the GPU's state is active. Without a terminal the table is printed once.",
	.notes = "On a terminal: < and > sort by another column, r reverses, p shows processes,\n"
		"groups, queues, arrows, page up and down, home and end scroll, q ends.",
};
