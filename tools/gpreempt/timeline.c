// SPDX-License-Identifier: GPL-2.0
/*
 * A timeline in the format of Chrome's traces, which Perfetto's UI and speedscope open:
 * GPUs are its processes, queues its threads.
 *
 * The tracepoints tell when a queue is taken off the hardware, comes back, is found
 * waiting or blocked. What it does otherwise is what its state in sysfs was when it was
 * looked at. Entries of both are kept, sorted at the end, and put together then.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/param.h>
#include <unistd.h>
#include <json-c/json.h>

#include "gpreempt.h"

#define EVENT		": kfd_gpreempt_"

/* Once older than sysfs can be, a queue's state is kept so long even where it is as before. */
#define NEWS_US		100000
/* In so many looks at the queues there is one for new ones. */
#define SEARCH_EVERY	10

enum what {
	SAMPLE, GONE, DECISION, INVERSION, BLOCKED, PREEMPT_BEGIN, PREEMPT_END, RESUME, EXCLUDED,
	BYPASS, STATE, LOST,
};

/**
 * struct entry - what is known of one moment
 * @us:		on the monotonic clock
 * @number:	in the order of reading
 * @what:	an event, or SAMPLE: a queue was looked at, GONE: there was none, LOST: events
 * @track:	of the queue, or of the GPU
 * @value:	of LOST how many, of the others ns
 * @word:	the reason or the state
 */
struct entry {
	uint64_t us;
	unsigned int number;
	enum what what;
	unsigned int track;
	uint64_t value;
	char word[24];
};

static struct entry *entries;
static unsigned int count, room;

/**
 * struct track - a queue, or all of a GPU (@pid is 0)
 * @gpu_id:	the node
 * @pid:	its process
 * @queue:	its number there
 * @command:	the process's name, as it was when it was first seen
 * @name:	of what it does; empty: nothing
 * @since_us:	when that began
 * @event_us:	when the last event of it was
 * @seen:	something was told of it, before the entry that is put in
 * @traced:	its events tell whether it is off
 * @off:	it is, or is being taken off
 * @saved:	it is off: the GPU has answered
 * @waits:	for a lower one to be taken off
 * @served:	one was: it has the machine until that comes back
 * @save_ns:	how long that took
 * @for_ns:	how long it is excluded
 * @resumes:	its state, by a decision to resume it
 */
struct track {
	unsigned int gpu_id, pid, queue;
	char command[48], name[48];
	uint64_t since_us, event_us;
	bool seen, traced, off, saved, waits, served;
	uint64_t save_ns, for_ns;
	char resumes[24];
};

static struct track *tracks;
static unsigned int track_count;

static int pipe_fd = -1;
static struct queues known;
static unsigned int looks;
static uint64_t begin_us, event_us;
/* When the last event of each CPU was that was read. */
static uint64_t *cpu_us;
static unsigned int cpu_count;
static unsigned long lost;
/* sysfs tells what the last scan saw, and that may have been so long before. */
static uint64_t scan_us = 10000;
/* What has not been taken off after this time stays, or GPREEMPT gives up. */
static uint64_t timeout_us = 100000;

static unsigned int find_track(unsigned int gpu_id, unsigned int pid, unsigned int queue)
{
	unsigned int i;

	/* the GPU's own track comes first */
	if (pid)
		find_track(gpu_id, 0, 0);
	for (i = 0; i < track_count; i++)
		if (tracks[i].gpu_id == gpu_id && tracks[i].pid == pid && tracks[i].queue == queue)
			return i;
	tracks = xrealloc(tracks, (track_count + 1) * sizeof(*tracks));
	tracks[track_count] = (struct track) { .gpu_id = gpu_id, .pid = pid, .queue = queue };
	return track_count++;
}

static void learn_name(struct track *t, const char *command)
{
	unsigned int i;

	if (!t->pid || *t->command)
		return;
	for (i = 0; i < track_count; i++)
		if (tracks[i].pid == t->pid && *tracks[i].command)
			command = tracks[i].command;
	if (command)
		utf8_text(t->command, sizeof(t->command), command);
	else if (!process_name(t->pid, t->command, sizeof(t->command)))
		*t->command = '\0';
}

static struct entry *add(enum what kind, uint64_t us)
{
	if (count == room) {
		room = 2 * room + 1024;
		entries = xrealloc(entries, room * sizeof(*entries));
	}
	entries[count] = (struct entry) { .us = us, .number = count, .what = kind };
	return &entries[count++];
}

/* ---- events, as lines of trace_pipe ---- */

/* "" if it is not there. */
static void get_word(const char *text, const char *name, char *word, size_t size)
{
	const char *at = strstr(text, name);

	at = at ? at + strlen(name) : "";
	snprintf(word, size, "%.*s", (int)strcspn(at, "\n "), at);
}

static uint64_t get_number(const char *text, const char *name)
{
	char word[24];

	get_word(text, name, word, sizeof(word));
	return strtoull(word, NULL, 10);
}

static const char *const events[] = {
	[DECISION] = "decision", [INVERSION] = "inversion", [BLOCKED] = "blocked",
	[PREEMPT_BEGIN] = "preempt_begin", [PREEMPT_END] = "preempt_end", [RESUME] = "resume",
	[EXCLUDED] = "excluded", [BYPASS] = "bypass", [STATE] = "state",
};

/* Where the name of an event begins: whoever was on the CPU may be called like one. */
static const char *find_event(const char *line)
{
	const char *at, *found = NULL;

	for (at = strstr(line, EVENT); at; at = strstr(at + 1, EVENT))
		found = at;
	return found;
}

/* The time before it, in s and 6 digits, and before that "[CPU] flags". */
static uint64_t event_time(const char *line, const char *at, unsigned int *cpu)
{
	unsigned long s, us;
	char *end;

	while (at > line && strchr("0123456789.", at[-1]))
		at--;
	s = strtoul(at, &end, 10);
	us = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;
	while (at > line && *at != '[')
		at--;
	*cpu = *at == '[' ? strtoul(at + 1, NULL, 10) : 0;
	return s * 1000000 + us;
}

static uint64_t *last_of(unsigned int cpu)
{
	for (; cpu_count <= cpu; cpu_count++) {
		cpu_us = xrealloc(cpu_us, (cpu_count + 1) * sizeof(*cpu_us));
		cpu_us[cpu_count] = begin_us;
	}
	return &cpu_us[cpu];
}

/* "CPU:1 [LOST 2 EVENTS]": before the next one of that CPU. Returns how many, or 0. */
static unsigned long lost_in(const char *line)
{
	unsigned long n = 0;
	int end = 0;

	if (sscanf(line, "CPU:%*u [LOST %lu EVENTS]%n", &n, &end) != 1)
		return 0;
	return end && !line[end + strspn(line + end, "\n")] ? n : 0;
}

void timeline_line(const char *line)
{
	const char *at = find_event(line), *text;
	static unsigned long missing;
	unsigned int i, cpu;
	struct entry *e;
	size_t len;

	if (!at) {
		missing = lost_in(line);
		lost += missing;
		return;
	}
	event_us = event_time(line, at, &cpu);
	if (missing) {
		/* from its last event to this one nothing is known for sure */
		add(LOST, *last_of(cpu));
		add(LOST, event_us)->value = missing;
	}
	missing = 0;
	*last_of(cpu) = event_us;
	at += strlen(EVENT);
	len = strcspn(at, ":");
	text = at + len;
	for (i = DECISION; i < ARRAY_SIZE(events); i++)
		if (!strncmp(at, events[i], len) && !events[i][len])
			break;
	if (i == ARRAY_SIZE(events))
		return;
	/* of others it is enough that they are carried out */
	if (i == DECISION && !strstr(text, " verdict=resume "))
		return;
	e = add(i, event_us);
	e->track = find_track(get_number(text, " gpu_id="), get_number(text, " pid="),
			      get_number(text, " queue="));
	e->value = get_number(text, " ns=");
	get_word(text, i == DECISION || i == STATE ? " state=" : " reason=", e->word,
		 sizeof(e->word));
	learn_name(&tracks[e->track], NULL);
}

static void read_events(void)
{
	static char text[1 << 16];
	static size_t kept;
	char *line, *end;
	ssize_t n;

	while ((n = read(pipe_fd, text + kept, sizeof(text) - 1 - kept)) > 0) {
		text[kept + n] = '\0';
		for (line = text; (end = strchr(line, '\n')); line = end + 1) {
			*end = '\0';
			timeline_line(line);
		}
		kept = strlen(line);
		/* a line that fills all of it is none of ours */
		if (kept == sizeof(text) - 1)
			kept = 0;
		memmove(text, line, kept);
	}
}

/* ---- samples ---- */

void timeline_sample(uint64_t us, const struct queue *q)
{
	struct entry *e = add(*q->state ? SAMPLE : GONE, us);

	/* as events name it */
	e->track = find_track(q->gpu_id, q->folder, q->id);
	snprintf(e->word, sizeof(e->word), "%s", q->state);
	learn_name(&tracks[e->track], q->command);
}

/* Those that are known, for what has changed. */
static void look(void)
{
	uint64_t us;
	char before[sizeof(known.q->state)];
	unsigned int i;

	for (i = 0; i < known.count; i++) {
		struct queue *q = &known.q[i];

		if (!*q->state)
			continue;
		strcpy(before, q->state);
		us = now_ns() / 1000;
		if (queue_state(q))
			q->state[0] = '\0';
		if (strcmp(before, q->state) || us < event_us + scan_us + NEWS_US)
			timeline_sample(us, q);
	}
}

/* New ones, too. */
static void search(void)
{
	struct queues old = known;
	unsigned int i;

	queues_read(&known, false);
	for (i = 0; i < known.count; i++)
		if (*known.q[i].state)
			timeline_sample(known.ns / 1000, &known.q[i]);
	for (i = 0; i < old.count; i++) {
		if (!*old.q[i].state || queues_find(&known, &old.q[i]))
			continue;
		old.q[i].state[0] = '\0';
		timeline_sample(known.ns / 1000, &old.q[i]);
	}
	free(old.q);
}

void timeline_begin(uint64_t us)
{
	begin_us = us;
}

/* The tunable @name, where it is more than @most. */
static void learn_most(struct node *node, const char *name, uint64_t unit_us, uint64_t *most)
{
	uint64_t us = node_number(node, name) * unit_us;

	*most = MAX(*most, us);
}

void timeline_open(const char *instance)
{
	char path[PATH_SIZE + 64];
	unsigned int n, i;
	struct node *nodes;
	struct entry *e;

	snprintf(path, sizeof(path), "%s/trace_pipe", instance);
	pipe_fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (pipe_fd < 0)
		fail(STATUS_FAILED, "%s: %s", path, strerror(errno));
	timeline_begin(now_ns() / 1000);
	n = nodes_find(NULL, &nodes);
	for (i = 0; i < n; i++) {
		e = add(STATE, begin_us);
		e->track = find_track(nodes[i].gpu_id, 0, 0);
		node_text(&nodes[i], "state", e->word, sizeof(e->word));
		learn_most(&nodes[i], "poll_interval_us", 1, &scan_us);
		learn_most(&nodes[i], "poll_interval_max_us", 1, &scan_us);
		learn_most(&nodes[i], "preempt_timeout_ms", 1000, &timeout_us);
	}
	free(nodes);
}

void timeline_drain(void)
{
	read_events();
	look();
	if (looks++ % SEARCH_EVERY == 0)
		search();
}

void timeline_close(void)
{
	close(pipe_fd);
}

/* ---- the timeline ---- */

static FILE *out;

/* Thread 0 is the idle task to Perfetto. */
static struct json_object *new_event(const char *phase, const char *name, const struct track *t)
{
	struct json_object *event = json_object_new_object();

	json_string(event, "ph", phase);
	json_number(event, "pid", t->gpu_id);
	json_number(event, "tid", t - tracks + 1);
	json_string(event, "name", name);
	return event;
}

static void put_event(struct json_object *event)
{
	static bool some;

	fputs(some ? ",\n" : "\n", out);
	some = true;
	json_put(event, out, false);
}

static void put_instant(struct track *t, uint64_t us, const char *name, const char *what)
{
	struct json_object *event;
	char text[64];

	snprintf(text, sizeof(text), "%s%s", name, what);
	event = new_event("i", text, t);
	json_string(event, "s", "t");
	json_number(event, "ts", us);
	put_event(event);
}

static void put_slice(const struct track *t, uint64_t us)
{
	struct json_object *event = new_event("X", t->name, t), *args = json_object_new_object();

	json_number(event, "ts", t->since_us);
	json_number(event, "dur", us - t->since_us);
	if (t->save_ns)
		json_real(args, "save_us", t->save_ns / 1e3, true);
	if (t->for_ns)
		json_real(args, "for_ms", t->for_ns / 1e6, true);
	json_object_object_add(event, "args", args);
	put_event(event);
}

/* It does something else from now on. */
static void set(struct track *t, uint64_t us, const char *name)
{
	if (!strcmp(t->name, name))
		return;
	if (*t->name && us > t->since_us)
		put_slice(t, us);
	t->save_ns = 0;
	t->for_ns = 0;
	t->waits = false;
	t->served = false;
	t->since_us = us;
	snprintf(t->name, sizeof(t->name), "%s", name);
}

/* The names of sysfs and of the tracepoints; of an idle queue nothing is drawn. */
static const char *activity(const char *state)
{
	if (!strcmp(state, "runnable"))
		return "waiting";
	return strcmp(state, "idle") ? state : "";
}

static void on_sample(struct track *t, const struct entry *e)
{
	bool off = !strcmp(e->word, "preempted") || !strcmp(e->word, "held") ||
		   !strcmp(e->word, "excluded");

	/* a reset may come before it is taken off, of which no event tells */
	if (t->off && !t->saved && !off && e->us > t->event_us + timeout_us + scan_us)
		t->off = false;
	if (t->traced && (off || t->off || e->us < t->event_us + scan_us))
		return;
	set(t, e->us, activity(e->word));
}

/* The machine is given to those for which the last of them was to be taken off. */
static void on_saved(unsigned int gpu_id, uint64_t us)
{
	unsigned int i;

	for (i = 0; i < track_count; i++)
		if (tracks[i].gpu_id == gpu_id && tracks[i].off && !tracks[i].saved)
			return;
	for (i = 0; i < track_count; i++) {
		if (tracks[i].gpu_id != gpu_id || !tracks[i].waits)
			continue;
		set(&tracks[i], us, "running");
		tracks[i].served = true;
		tracks[i].event_us = us;
	}
}

/* They have no more use for it. */
static void on_free(unsigned int gpu_id, uint64_t us)
{
	unsigned int i;

	for (i = 0; i < track_count; i++)
		if (tracks[i].gpu_id == gpu_id && tracks[i].served)
			set(&tracks[i], us, "");
}

static void on_resume(struct track *t, const struct entry *e)
{
	bool runs = !strcmp(t->resumes, "runnable") || !strcmp(t->resumes, "running");

	if (!strcmp(e->word, "free"))
		on_free(t->gpu_id, e->us);
	set(t, e->us, runs ? "running" : *t->resumes ? activity(t->resumes) : "unknown");
	t->off = false;
	t->resumes[0] = '\0';
}

/* Nobody looks at a GPU's queues any more: what is on the hardware is not known. */
static void on_unwatched(unsigned int gpu_id, uint64_t us)
{
	struct track *t;

	for (t = tracks; t < tracks + track_count; t++) {
		if (t->gpu_id != gpu_id || !t->pid || !t->seen || (t->off && t->saved))
			continue;
		t->off = false;
		set(t, us, "unknown");
	}
}

static void on_lost(const struct entry *e)
{
	char text[40];
	struct track *t;

	snprintf(text, sizeof(text), "%llu events lost", (unsigned long long)e->value);
	for (t = tracks; t < tracks + track_count; t++) {
		if (!t->pid && e->value)
			put_instant(t, e->us, text, "");
		if (!t->pid || !t->seen)
			continue;
		set(t, e->us, "unknown");
		t->traced = false;
		t->off = false;
	}
}

static void on_queue_event(struct track *t, const struct entry *e)
{
	char name[sizeof(t->name)];

	switch (e->what) {
	case DECISION:
		snprintf(t->resumes, sizeof(t->resumes), "%s", e->word);
		return;
	case INVERSION:
	case BLOCKED:
		/* one that is off comes back first */
		if (t->off)
			return;
		set(t, e->us, e->what == BLOCKED ? "blocked" : "waiting");
		t->waits = e->what == INVERSION;
		break;
	case PREEMPT_BEGIN:
		if (strcmp(t->name, "excluded")) {
			snprintf(name, sizeof(name), "preempted: %s", e->word);
			set(t, e->us, name);
		}
		t->off = true;
		t->saved = false;
		break;
	case PREEMPT_END:
		/* others are taken off besides, while one is searched for that is late */
		if (!t->off && strcmp(t->name, "excluded"))
			set(t, e->us, t->traced ? "preempted: late" : "preempted");
		t->off = true;
		t->saved = true;
		t->save_ns = e->value;
		on_saved(t->gpu_id, e->us);
		break;
	case EXCLUDED:
		set(t, e->us, "excluded");
		t->for_ns = e->value;
		break;
	case RESUME:
		on_resume(t, e);
		break;
	default:
		return;
	}
	t->traced = true;
	t->event_us = e->us;
}

static void on_entry(const struct entry *e)
{
	struct track *t = &tracks[e->track];

	if (e->what == LOST) {
		on_lost(e);
		return;
	}
	t->seen = true;
	switch (e->what) {
	case STATE:
	case BYPASS:
		put_instant(t, e->us, e->what == BYPASS ? "bypass: " : "", e->word);
		if (strcmp(e->word, "active"))
			on_unwatched(t->gpu_id, e->us);
		return;
	case SAMPLE:
		on_sample(t, e);
		return;
	case GONE:
		set(t, e->us, "");
		t->traced = false;
		t->off = false;
		t->seen = false;
		return;
	default:
		on_queue_event(t, e);
	}
}

static void put_name(const char *of, const struct track *t, const char *name)
{
	struct json_object *event = new_event("M", of, t), *args = json_object_new_object();

	json_string(args, "name", name);
	json_object_object_add(event, "args", args);
	put_event(event);
}

static void put_names(void)
{
	const struct track *t;
	char text[128];

	for (t = tracks; t < tracks + track_count; t++) {
		if (!t->pid) {
			snprintf(text, sizeof(text), "GPU %u", t->gpu_id);
			put_name("process_name", t, text);
		}
		snprintf(text, sizeof(text), "%s %u:%u", *t->command ? t->command : "?", t->pid,
			 t->queue);
		put_name("thread_name", t, t->pid ? text : "GPREEMPT");
	}
}

static int by_time(const void *a, const void *b)
{
	const struct entry *ea = a, *eb = b;
	int r = (ea->us > eb->us) - (ea->us < eb->us);

	return r ?: (ea->number > eb->number) - (ea->number < eb->number);
}

void timeline_write(FILE *f, uint64_t end_us)
{
	unsigned int i;

	out = f;
	if (count)
		qsort(entries, count, sizeof(*entries), by_time);
	fprintf(out, "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"lost_events\":%lu},\"traceEvents\":[",
		lost);
	for (i = 0; i < count; i++) {
		entries[i].us -= begin_us < entries[i].us ? begin_us : entries[i].us;
		on_entry(&entries[i]);
	}
	for (i = 0; i < track_count; i++)
		set(&tracks[i], end_us - begin_us, "");
	put_names();
	fputs("\n]}\n", out);
}
