// SPDX-License-Identifier: GPL-2.0
/* gpreempt top: queues, processes or groups: of the time, what each runs, waits, is preempted. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
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

/* How to sort by a column: by text or by number, largest number first. */
struct column {
	const char *name, *title;
	int width;
	void (*print)(const struct row *row, char *buf, size_t size);
	double (*number)(const struct row *row);
	const char *(*text)(const struct row *row);
};

static void print_share(bool known, double share, char *buf, size_t size)
{
	if (known)
		snprintf(buf, size, "%.1f", 100 * share);
	else
		snprintf(buf, size, "-");
}

#define NUMBER(_name, _format, _expr)					\
static void print_##_name(const struct row *r, char *buf, size_t size)	\
{									\
	snprintf(buf, size, _format, _expr);				\
}									\
static double number_##_name(const struct row *r)			\
{									\
	return _expr;							\
}

NUMBER(pid, "%u", r->q.pid)
NUMBER(queue, "%u", r->q.id)
NUMBER(gpu, "%u", r->q.gpu_id)
NUMBER(queues, "%u", r->queues)
NUMBER(processes, "%u", r->processes)
NUMBER(effective, "%u", (unsigned int)r->q.effective)
NUMBER(rate, "%.1f", r->rate)
NUMBER(weight, "%u", (unsigned int)r->q.weight)
NUMBER(min, "%u", (unsigned int)r->q.min_percent)
#undef NUMBER

#define SHARE(_name, _known)						\
static void print_##_name(const struct row *r, char *buf, size_t size)	\
{									\
	print_share(_known, r->_name, buf, size);			\
}									\
static double number_##_name(const struct row *r)			\
{									\
	return _known ? r->_name : -1;					\
}

SHARE(running, r->known)
SHARE(waiting, r->known)
SHARE(preempted, true)
#undef SHARE

/* What it is served at, and in brackets what was asked for, if that differs. */
static void print_priority(const struct row *r, char *buf, size_t size)
{
	if (r->q.effective == r->q.priority)
		snprintf(buf, size, "%u", (unsigned int)r->q.priority);
	else
		snprintf(buf, size, "%u (%u)", (unsigned int)r->q.effective,
			 (unsigned int)r->q.priority);
}

static void print_cap(const struct row *r, char *buf, size_t size)
{
	if (r->q.cap_percent)
		snprintf(buf, size, "%u", (unsigned int)r->q.cap_percent);
	else
		snprintf(buf, size, "-");
}

/* No cap is more than any. */
static double number_cap(const struct row *r)
{
	return r->q.cap_percent ?: 101;
}

static const char *text_state(const struct row *r)
{
	return r->q.state;
}

static void print_state(const struct row *r, char *buf, size_t size)
{
	snprintf(buf, size, "%s", r->q.state);
}

static const char *text_command(const struct row *r)
{
	return r->q.command;
}

/* Somebody has chosen it: no escape sequences to the terminal, and no broken characters. */
static void print_name(const char *p, char *buf, size_t size)
{
	for (; *p && size > 1; p++) {
		/* in UTF-8 those from U+0080 to U+009f are control characters, too */
		bool control = *p == '\302' && (p[1] & 0xe0) == 0x80, bad = !strncmp(p, REPLACEMENT, 3);

		*buf++ = iscntrl((unsigned char)*p) || control || bad ? '?' : *p;
		p += bad ? 2 : control;
		size--;
	}
	*buf = '\0';
}

static void print_command(const struct row *r, char *buf, size_t size)
{
	print_name(r->q.command, buf, size);
}

/* A group that is a cgroup, or else its one process. */
static const char *text_group(const struct row *r)
{
	return r->q.group ? r->q.cgroup : r->q.command;
}

/* Of where a cgroup is, the end tells most. */
static void print_group(const struct row *r, char *buf, size_t size)
{
	const char *slash = strrchr(r->q.cgroup, '/');

	if (r->q.group && !slash)
		snprintf(buf, size, "cgroup %llu", (unsigned long long)r->q.group);
	else
		print_name(r->q.group ? slash + 1 : r->q.command, buf, size);
}

/* All are 80 characters wide with the longest name of a process. */
static const struct column queue_columns[] = {
	{ "pid", "PID", 7, print_pid, number_pid, NULL },
	{ "gpu", "GPU", 5, print_gpu, number_gpu, NULL },
	{ "queue", "QUEUE", 5, print_queue, number_queue, NULL },
	{ "priority", "PRIO", 7, print_priority, number_effective, NULL },
	{ "state", "STATE", -9, print_state, NULL, text_state },
	{ "running", "RUN%", 6, print_running, number_running, NULL },
	{ "waiting", "WAIT%", 6, print_waiting, number_waiting, NULL },
	{ "preempted", "OFF%", 6, print_preempted, number_preempted, NULL },
	{ "rate", "OFF/s", 5, print_rate, number_rate, NULL },
	{ "command", "COMMAND", 0, print_command, NULL, text_command },
};

static const struct column process_columns[] = {
	{ "pid", "PID", 7, print_pid, number_pid, NULL },
	{ "gpu", "GPU", 5, print_gpu, number_gpu, NULL },
	{ "queues", "QUEUES", 6, print_queues, number_queues, NULL },
	{ "priority", "PRIO", 4, print_effective, number_effective, NULL },
	{ "running", "RUN%", 5, print_running, number_running, NULL },
	{ "waiting", "WAIT%", 5, print_waiting, number_waiting, NULL },
	{ "preempted", "OFF%", 5, print_preempted, number_preempted, NULL },
	{ "rate", "OFF/s", 5, print_rate, number_rate, NULL },
	{ "weight", "WGHT", 4, print_weight, number_weight, NULL },
	{ "min", "MIN%", 4, print_min, number_min, NULL },
	{ "cap", "CAP%", 4, print_cap, number_cap, NULL },
	{ "command", "COMMAND", 0, print_command, NULL, text_command },
};

static const struct column group_columns[] = {
	{ "processes", "PROCS", 5, print_processes, number_processes, NULL },
	{ "gpu", "GPU", 5, print_gpu, number_gpu, NULL },
	{ "queues", "QUEUES", 6, print_queues, number_queues, NULL },
	{ "priority", "PRIO", 4, print_effective, number_effective, NULL },
	{ "running", "RUN%", 5, print_running, number_running, NULL },
	{ "waiting", "WAIT%", 5, print_waiting, number_waiting, NULL },
	{ "preempted", "OFF%", 5, print_preempted, number_preempted, NULL },
	{ "rate", "OFF/s", 5, print_rate, number_rate, NULL },
	{ "weight", "WGHT", 4, print_weight, number_weight, NULL },
	{ "min", "MIN%", 4, print_min, number_min, NULL },
	{ "cap", "CAP%", 4, print_cap, number_cap, NULL },
	{ "group", "GROUP", 0, print_group, NULL, text_group },
};

/**
 * struct view - what a line of the table is
 * @names:	all of them, in JSON and for people
 * @next:	what the key p shows after it
 * @columns:	of the table
 * @count:	of @columns
 */
struct view {
	const char *names, *next;
	const struct column *columns;
	unsigned int count;
};

static const struct view queue_view = {
	"queues", "procs", queue_columns, ARRAY_SIZE(queue_columns)
};

static const struct view process_view = {
	"processes", "groups", process_columns, ARRAY_SIZE(process_columns)
};

static const struct view group_view = {
	"groups", "queues", group_columns, ARRAY_SIZE(group_columns)
};

static const struct view *view;
static const struct column *columns, *sort_by;
static unsigned int column_count;
static bool reverse;

/* The table's columns; false if it cannot be sorted by that one. */
static bool set_view(const struct view *v, const char *sort)
{
	unsigned int i;

	view = v;
	columns = v->columns;
	column_count = v->count;
	for (i = 0; i < column_count; i++) {
		if (strcmp(columns[i].name, sort))
			continue;
		sort_by = &columns[i];
		return true;
	}
	return false;
}

static int compare(const void *a, const void *b)
{
	const struct row *ra = a, *rb = b;
	int r;

	if (sort_by->text)
		r = strcmp(sort_by->text(ra), sort_by->text(rb));
	else
		r = (sort_by->number(ra) < sort_by->number(rb)) -
		    (sort_by->number(ra) > sort_by->number(rb));
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

/**
 * struct filter - whose queues to show
 * @nodes:	on these GPUs
 * @count:	of @nodes
 * @pid:	of this process, 0: of all
 */
struct filter {
	struct node *nodes;
	unsigned int count, pid;
};

static bool passes(const struct filter *f, const struct queue *q, bool hidden)
{
	unsigned int i;

	if ((f->pid && q->pid != f->pid) || q->hidden != hidden)
		return false;
	for (i = 0; i < f->count; i++)
		if (q->gpu_id == f->nodes[i].gpu_id)
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
	if (a->gpu_id != b->gpu_id || view == &queue_view)
		return false;
	if (view == &group_view && (a->group || b->group))
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

static unsigned int make_rows(const struct filter *f, const struct queues *then,
			      const struct queues *now, struct row **rows)
{
	struct row row, *line;
	unsigned int i, n = 0;

	*rows = xrealloc(*rows, (now->count + 1) * sizeof(**rows));
	for (i = 0; i < now->count; i++) {
		if (!passes(f, &now->q[i], false))
			continue;
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

static unsigned int count_hidden(const struct filter *f, const struct queues *all)
{
	unsigned int i, n = 0;

	for (i = 0; i < all->count; i++)
		n += passes(f, &all->q[i], true);
	return n;
}

static struct json_object *row_to_json(const struct row *r)
{
	struct json_object *line = json_object_new_object();
	const struct queue *q = &r->q;

	if (view == &group_view && q->group) {
		json_string(line, "cgroup", q->cgroup);
		json_number(line, "cgroup_id", q->group);
	} else {
		json_number(line, "pid", q->pid);
		json_string(line, "command", q->command);
	}
	json_number(line, "gpu_id", q->gpu_id);
	if (view == &group_view)
		json_number(line, "processes", r->processes);
	if (view != &queue_view) {
		json_number(line, "queues", r->queues);
	} else {
		json_number(line, "queue", q->id);
		json_number(line, "priority", q->priority);
		json_number(line, "permitted", q->permitted);
		json_string(line, "state", q->state);
		json_number(line, "timeslice_us", q->timeslice_us);
	}
	json_number(line, "effective", q->effective);
	json_number(line, "weight", q->weight);
	json_number(line, "min_percent", q->min_percent);
	json_number(line, "cap_percent", q->cap_percent);
	json_real(line, "running", r->running, r->known);
	json_real(line, "waiting", r->waiting, r->known);
	json_real(line, "preempted", r->preempted, true);
	json_real(line, "preemptions_per_s", r->rate, true);
	json_number(line, "preemptions", q->preemptions);
	return line;
}

static void print_json(const struct filter *f, const struct row *rows, unsigned int n,
		       double seconds, unsigned int hidden)
{
	struct json_object *table = json_object_new_object(), *gpus = json_object_new_array(),
			   *lines = json_object_new_array(), *gpu;
	char state[32];
	unsigned int i;

	for (i = 0; i < f->count; i++) {
		gpu = json_object_new_object();
		node_text(&f->nodes[i], "state", state, sizeof(state));
		json_number(gpu, "gpu_id", f->nodes[i].gpu_id);
		json_string(gpu, "state", state);
		json_object_array_add(gpus, gpu);
	}
	for (i = 0; i < n; i++)
		json_object_array_add(lines, row_to_json(&rows[i]));
	json_real(table, "interval_s", seconds, true);
	json_object_object_add(table, "gpus", gpus);
	json_object_object_add(table, view->names, lines);
	json_number(table, "hidden", hidden);
	json_put(table, stdout, true);
}

/* A line of the screen, which is no wider than the terminal. */
static void put_line(const char *line, int width)
{
	int len = strlen(line);

	if (len > width) {
		len = width;
		/* not in mid-character */
		while (len && (line[len] & 0xc0) == 0x80)
			len--;
	}
	printf("%.*s", len, line);
}

static void print_line(const struct row *row, int width)
{
	char line[256] = "", cell[64];
	unsigned int i;
	size_t len = 0;

	for (i = 0; i < column_count && len < sizeof(line) - 1; i++) {
		if (row)
			columns[i].print(row, cell, sizeof(cell));
		else
			snprintf(cell, sizeof(cell), "%s", columns[i].title);
		len += snprintf(line + len, sizeof(line) - len, "%s%*s", i ? " " : "",
				columns[i].width, cell);
	}
	put_line(line, width);
	putchar('\n');
}

/*
 * Of a table that is longer than the screen: the first line that is shown, how many are, and the
 * first line of the last page.
 */
static int first, page, most;

static void scroll(int lines)
{
	first += lines;
	if (first > most)
		first = most;
	if (first < 0)
		first = 0;
}

static void print_table(const struct filter *f, const struct row *rows, unsigned int n,
			unsigned int hidden, const char *note, const struct winsize *screen)
{
	int width = screen ? screen->ws_col : 255, line;
	char text[128], state[32], policy[64];
	bool colour = colours();
	unsigned int i;

	page = screen ? screen->ws_row - (int)(f->count + !!hidden + !!*note + 2) : INT_MAX;
	if (page < 1)
		page = 1;
	most = (int)n - page;
	scroll(0);
	for (i = 0; i < f->count; i++) {
		node_text(&f->nodes[i], "state", state, sizeof(state));
		node_text(&f->nodes[i], "policy", policy, sizeof(policy));
		chosen(policy);
		snprintf(text, sizeof(text), "GPU %u: %s, policy %s", f->nodes[i].gpu_id, state, policy);
		put_line(text, width);
		putchar('\n');
	}
	if (hidden) {
		snprintf(text, sizeof(text),
			 "%u queues of others are not shown; root on the host sees them", hidden);
		put_line(text, width);
		putchar('\n');
	}
	if (*note) {
		put_line(note, width);
		putchar('\n');
	}
	if (colour)
		fputs("\033[7m", stdout);
	print_line(NULL, width);
	if (colour)
		fputs("\033[0m", stdout);
	for (line = first; line < (int)n && line - first < page; line++)
		print_line(&rows[line], width);
	if (screen) {
		char shown[48] = "";

		if (line - first < (int)n)
			snprintf(shown, sizeof(shown), "%d-%d of %u; ", first + 1, line, n);
		snprintf(text, sizeof(text), "sorted by %s%s; %s<> sort r reverse p %s q quit",
			 sort_by->name, reverse ? ", reversed" : "", shown,
			 view->next);
		put_line(text, width);
	}
	fflush(stdout);
}

/* ---- the terminal ---- */

static struct termios cooked;
static volatile sig_atomic_t caught;
/* Signals blocked while it waits: not those that it catches. They come only then. */
static sigset_t waiting;

static void open_screen(void)
{
	struct termios raw;

	tcgetattr(STDIN_FILENO, &cooked);
	raw = cooked;
	raw.c_lflag &= ~(ICANON | ECHO);
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw);
	fputs("\033[?1049h\033[?25l", stdout);
}

static void close_screen(void)
{
	/* the cursor again, and the screen that was there before */
	fputs("\033[?25h\033[?1049l", stdout);
	fflush(stdout);
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &cooked);
}

static void on_signal(int sig)
{
	caught = sig;
}

static void enter_screen(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGTSTP };
	sigset_t blocked;
	unsigned int i;

	sigemptyset(&blocked);
	for (i = 0; i < ARRAY_SIZE(signals); i++) {
		sigaddset(&blocked, signals[i]);
		signal(signals[i], on_signal);
	}
	sigprocmask(SIG_BLOCK, &blocked, &waiting);
	open_screen();
	atexit(close_screen);
}

/* Ctrl-Z leaves the screen for as long as it takes; all others end the program. */
static void obey(int sig)
{
	if (sig != SIGTSTP)
		exit(0);
	close_screen();
	raise(SIGSTOP);
	open_screen();
}

/* Sorted as before, where there is that column. */
static void next_view(void)
{
	const struct view *next = view == &queue_view ? &process_view :
				  view == &process_view ? &group_view : &queue_view;

	if (!set_view(next, sort_by->name))
		set_view(next, "running");
}

static const struct {
	const char *sequence;
	int lines, pages;
} scrolls[] = {
	{ "\033[A", -1, 0 }, { "\033OA", -1, 0 },		/* up */
	{ "\033[B", 1, 0 }, { "\033OB", 1, 0 },			/* down */
	{ "\033[5~", 0, -1 }, { "\033[6~", 0, 1 },		/* page up, page down */
	{ "\033[H", 0, -10000 }, { "\033OH", 0, -10000 }, { "\033[1~", 0, -10000 },	/* home */
	{ "\033[F", 0, 10000 }, { "\033OF", 0, 10000 }, { "\033[4~", 0, 10000 },	/* end */
};

/* Act on the first key of what was typed; returns its length. */
static size_t key(const char *typed)
{
	long at = sort_by - columns;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(scrolls); i++) {
		size_t len = strlen(scrolls[i].sequence);

		if (strncmp(typed, scrolls[i].sequence, len))
			continue;
		scroll(scrolls[i].lines + scrolls[i].pages * page);
		return len;
	}
	switch (*typed) {
	case 'q':
		exit(0);
	case 'r':
		reverse = !reverse;
		break;
	case 'p':
		next_view();
		break;
	case '<':
		sort_by = &columns[(at + column_count - 1) % column_count];
		break;
	case '>':
		sort_by = &columns[(at + 1) % column_count];
		break;
	}
	return 1;
}

/* Wait for the interval's end: true. Or on a terminal for what may change the screen. */
static bool wait_until(uint64_t end, bool live)
{
	struct pollfd in = { .fd = live ? STDIN_FILENO : -1, .events = POLLIN };
	struct timespec left;
	char typed[64];
	uint64_t now;
	int n, i;

	now = now_ns();
	now = now < end ? now : end;
	left.tv_sec = (end - now) / 1000000000;
	left.tv_nsec = (end - now) % 1000000000;
	/* even where the queues take longer to read than that */
	n = ppoll(&in, 1, &left, live ? &waiting : NULL);
	if (caught) {
		obey(caught);
		caught = 0;
		return false;
	}
	if (n <= 0)
		return true;
	/* a key's sequence comes at once, and more than one key may */
	n = read(STDIN_FILENO, typed, sizeof(typed) - 1);
	if (n <= 0)
		exit(0);
	typed[n] = '\0';
	for (i = 0; i < n; i += key(&typed[i]))
		;
	return false;
}

static void draw(const struct filter *f, const struct row *rows, unsigned int n,
		 unsigned int hidden, const char *note)
{
	struct winsize screen;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &screen) || !screen.ws_row || !screen.ws_col)
		screen = (struct winsize) { .ws_row = 24, .ws_col = 80 };
	fputs("\033[H\033[J", stdout);
	print_table(f, rows, n, hidden, note, &screen);
}

/* So many tables, 0: until it is ended; on the terminal if it is live. */
static void loop(const struct filter *f, double delay, unsigned int times, bool json, bool live)
{
	struct queues before = { }, now, next;
	unsigned int n, hidden, gpu_id = f->count == 1 ? f->nodes[0].gpu_id : 0;
	struct row *rows = NULL;
	char note[160];

	if (live)
		enter_screen();
	queues_read(&now, true);
	for (;;) {
		if (wait_until(now.ns + (uint64_t)(delay * 1e9), live)) {
			queues_read(&next, true);
			free(before.q);
			before = now;
			now = next;
		} else if (!before.ns) {
			continue;
		}
		n = make_rows(f, &before, &now, &rows);
		hidden = count_hidden(f, &now);
		if (!streams_note(&now, f->pid, gpu_id, note, sizeof(note)))
			*note = '\0';
		if (live)
			draw(f, rows, n, hidden, note);
		else if (json)
			print_json(f, rows, n, (now.ns - before.ns) / 1e9, hidden);
		else
			print_table(f, rows, n, hidden, note, NULL);
		if (times && !--times)
			break;
		if (!live)
			putchar('\n');
	}
	free(rows);
	free(before.q);
	free(now.q);
}

static int run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "batch", no_argument, NULL, 'b' },
		{ "delay", required_argument, NULL, 'd' },
		{ "gpu", required_argument, NULL, 'g' },
		{ "groups", no_argument, NULL, 'G' },
		{ "iterations", required_argument, NULL, 'n' },
		{ "json", no_argument, NULL, 'j' },
		{ "pid", required_argument, NULL, 'p' },
		{ "processes", no_argument, NULL, 'P' },
		{ "reverse", no_argument, NULL, 'r' },
		{ "sort", required_argument, NULL, 's' },
		{ }
	};
	struct filter f = { };
	const char *gpu = NULL, *sort = "running";
	const struct view *v = &queue_view;
	bool json = false, batch = false;
	unsigned int times = 0;
	double delay = 1;
	int opt;

	while ((opt = getopt_long(argc, argv, "bd:g:Gn:jp:Prs:", options, NULL)) != -1) {
		switch (opt) {
		case 'b':
			batch = true;
			break;
		case 'd':
			delay = parse_seconds(&cmd_top, "delay", optarg);
			break;
		case 'g':
			gpu = optarg;
			break;
		case 'n':
			times = parse_number(&cmd_top, "number of tables", optarg, 1, 1000000);
			break;
		case 'j':
			json = true;
			break;
		case 'p':
			f.pid = parse_number(&cmd_top, "pid", optarg, 1, 1 << 30);
			break;
		case 'P':
			v = &process_view;
			break;
		case 'G':
			v = &group_view;
			break;
		case 'r':
			reverse = true;
			break;
		case 's':
			sort = optarg;
			break;
		default:
			bad_option(&cmd_top);
		}
	}
	if (optind < argc)
		usage(&cmd_top, "'%s' is too much", argv[optind]);
	if (!set_view(v, sort))
		usage(&cmd_top, "there is no column '%s' to sort by, of %s", sort,
		      v == &queue_view ? "queues; --processes and --groups have others" : v->names);
	if (json && (times > 1 || batch))
		usage(&cmd_top, "--json prints once");
	f.count = nodes_find(&cmd_top, gpu, &f.nodes);
	if (f.pid && kill(f.pid, 0) && errno == ESRCH)
		fail(STATUS_FAILED, "process %u: no such process", f.pid);
	/* without a terminal once, unless more are wanted */
	if (!times && !batch && (json || !isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO)))
		times = 1;
	loop(&f, delay, times, json, !times && !batch);
	free(f.nodes);
	return 0;
}

const struct command cmd_top = {
	.name = "top",
	.run = run,
	.summary = "a live table of queues, processes or groups; --json: once, for programs",
	.help = "top [--processes|--groups] [--delay TIME] [--sort COLUMN] [--gpu ID] [--pid PID]\n"
		"           [--batch] [--json]\n\n"
		"The compute queues: what each is served at (in brackets what it asked for, if\n"
		"that differs), its state, and the share of the time it was seen running,\n"
		"waiting for the machine, and taken off it. Or the processes, sums over their\n"
		"queues, with the share that each may have. Or the groups that take turns and\n"
		"share the time: cgroups with a share of their own, and processes that are in\n"
		"none. Running and waiting are known only\n"
		"while the GPU's state is active. Without a terminal the table is printed once.\n\n"
		"  -P, --processes      a line for each process on each GPU\n"
		"  -G, --groups         a line for each group on each GPU\n"
		"  -b, --batch          one table below the other, until it is ended\n"
		"  -d, --delay TIME     between two tables (default 1 s)\n"
		"  -n, --iterations N   so many tables, one below the other\n"
		"  -s, --sort COLUMN    pid, gpu, queue, priority, state, running, waiting,\n"
		"                       preempted, rate or command (default running); of processes\n"
		"                       queues, weight, min and cap instead of queue and state;\n"
		"                       of groups processes and group instead of pid and command\n"
		"  -r, --reverse        smallest first\n"
		"  -g, --gpu ID         of this GPU only\n"
		"  -p, --pid PID        of this process only\n"
		"  -j, --json           one table, for programs\n\n"
		"On a terminal: < and > sort by another column, r reverses, p shows processes,\n"
		"groups, queues, arrows, page up and down, home and end scroll, q ends.",
};
