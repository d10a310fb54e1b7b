// SPDX-License-Identifier: GPL-2.0
/*
 * gpreempt metrics: what GPREEMPT counts, for Prometheus and its like.
 *
 * OpenMetrics and the older text format of Prometheus have the same samples. They differ
 * in what stands above them: a counter a_total is the family "a" in the one and "a_total"
 * in the other, and neither takes the other's word for it.
 */
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "gpreempt.h"

#define LEVELS		16
#define NS_PER_S	1000000000ULL

enum type { COUNTER, GAUGE, INFO };

/**
 * struct metric - what is told of each node
 * @file:	in sysfs; times are in ns
 * @name:	of its samples; times are in seconds
 * @type:	what may be done with it
 * @help:	a line
 */
struct metric {
	const char *file, *name;
	enum type type;
	const char *help;
};

/* All of stats/ that is a number. */
static const struct metric stats[] = {
	{ "preemptions", "gpreempt_preemptions_total", COUNTER, "Queues taken off the hardware." },
	{ "resumes", "gpreempt_resumes_total", COUNTER, "Queues put back on the hardware." },
	{ "transactions", "gpreempt_transactions_total", COUNTER,
	  "Updates of the runlist for preemptions and resumes." },
	{ "blocked", "gpreempt_blocked_total", COUNTER,
	  "Times a queue was found to wait for something other than the machine." },
	{ "starved", "gpreempt_starved_total", COUNTER,
	  "Times a queue was raised because of starvation_ms." },
	{ "scans", "gpreempt_scans_total", COUNTER, "Scans." },
	{ "wakeups", "gpreempt_wakeups_total", COUNTER, "Times the monitor woke up." },
	{ "register_accesses", "gpreempt_register_accesses_total", COUNTER,
	  "Register reads and writes done by scans." },
	{ "register_ns_total", "gpreempt_register_seconds_total", COUNTER,
	  "Time spent on register accesses." },
	{ "scan_ns_total", "gpreempt_scan_seconds_total", COUNTER,
	  "Time spent in scans and decisions, without register accesses." },
	{ "scan_ns_max", "gpreempt_scan_max_seconds", GAUGE,
	  "Longest scan and decision, without register accesses." },
	{ "fence_wait_ns_total", "gpreempt_fence_wait_seconds_total", COUNTER,
	  "Time spent waiting for the GPU to answer preemptions." },
	{ "detections", "gpreempt_detections_total", COUNTER,
	  "Times a queue was found to be kept waiting by a lower one." },
	{ "detection_ns_p50", "gpreempt_detection_p50_seconds", GAUGE,
	  "Half of the queues that a lower one kept waiting had waited no longer when found." },
	{ "detection_ns_p99", "gpreempt_detection_p99_seconds", GAUGE,
	  "99 in 100 of those queues had waited no longer." },
	{ "detection_ns_max", "gpreempt_detection_max_seconds", GAUGE,
	  "None of those queues had waited longer." },
	{ "save_ns_p50", "gpreempt_save_p50_seconds", GAUGE,
	  "Half of the saves took no longer, from the request to the GPU's answer." },
	{ "save_ns_p99", "gpreempt_save_p99_seconds", GAUGE, "99 in 100 saves took no longer." },
	{ "save_ns_max", "gpreempt_save_max_seconds", GAUGE, "No save took longer." },
	{ "late", "gpreempt_late_total", COUNTER,
	  "Preemptions answered after preempt_timeout_ms." },
	{ "excluded", "gpreempt_excluded_total", COUNTER,
	  "Times a queue was kept off, since it had delayed preemptions." },
	{ "failed", "gpreempt_failed_total", COUNTER,
	  "Preemptions never answered, or refused by the driver." },
	{ "doorbell_faults", "gpreempt_doorbell_faults_total", COUNTER,
	  "Wake-ups of the monitor by the first doorbell after a mapping was revoked." },
	{ "doorbell_revocations", "gpreempt_doorbell_revocations_total", COUNTER,
	  "Times that a process's mapping of its doorbells was revoked." },
};

static const char *const states[] = { "disabled", "parked", "active", "bypassed", NULL };

/* The first three are those of struct absence. */
static const char *const down_reasons[] = {
	"absent", "another_amdgpu", "no_gpu", "refused", "disabled", "bypassed", NULL
};

/**
 * struct reading - a number, if it could be read
 * @known:	it could
 * @value:	it
 */
struct reading {
	bool known;
	uint64_t value;
};

/**
 * struct snapshot - all that is told of a node
 * @node:	the node
 * @id:		its number, as a label; empty where there is no node
 * @down:	why GPREEMPT does not work; empty if it does
 * @state:	of its monitor
 * @reason:	why it gave up; empty if it did not
 * @policy:	in force
 * @backend:	how queues get off the hardware
 * @differs:	for each setting that is configured: the node has another value
 * @stats:	as in the table of that name
 * @levels:	preemptions of each level
 */
struct snapshot {
	const struct node *node;
	char id[16], down[32], state[32], reason[64], policy[128], backend[32];
	bool *differs;
	struct reading stats[ARRAY_SIZE(stats)], levels[LEVELS];
};

/* Of CONFIGURED. */
static char **configured;

/* ---- read ---- */

/* A node may go away, and a file of another version not be there. More is a failure. */
static bool node_read(const struct snapshot *s, const char *file, char *buf, size_t size)
{
	char path[PATH_SIZE];
	int r;

	snprintf(path, sizeof(path), NODES "/%s/%s", s->id, file);
	r = read_text(buf, size, "%s", path);
	/* what its mode allows, the driver has refused */
	if (r == -EACCES)
		fail(STATUS_FAILED, "%s: permission denied; it is for %s", path,
		     access(path, R_OK) ? "root and the group of the file" :
		     "processes in the host's pid namespace, as by 'docker run --pid host'");
	if (r && r != -ENOENT && r != -ENODEV)
		fail(STATUS_FAILED, "%s: %s", path, strerror(-r));
	return !r;
}

static struct reading node_reading(const struct snapshot *s, const char *file)
{
	char text[32], *end;
	struct reading r = { };

	if (!node_read(s, file, text, sizeof(text)))
		return r;
	r.value = strtoull(text, &end, 10);
	r.known = end != text && !*end;
	return r;
}

/* What is no setting has no value, and differs. */
static bool setting_differs(const struct node *node, const char *setting)
{
	char name[PATH_SIZE], value[128], now[PATH_SIZE + 128];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(setting, "="), setting);
	node_text(node, name, value, sizeof(value));
	chosen(value);
	snprintf(now, sizeof(now), "%s=%s", name, value);
	return !*value || strcmp(now, setting);
}

static void read_settings(struct snapshot *s)
{
	unsigned int i;

	for (i = 0; configured[i]; i++) {
		s->differs = xrealloc(s->differs, (i + 1) * sizeof(*s->differs));
		s->differs[i] = setting_differs(s->node, configured[i]);
	}
}

/* A GPU that cannot be enabled is disabled as well: that it cannot is why. */
static void find_down(struct snapshot *s, bool refused)
{
	if (refused)
		strcpy(s->down, "refused");
	else if (strcmp(s->state, "active") && strcmp(s->state, "parked"))
		strcpy(s->down, s->state);
}

/* False if the node went away. */
static bool read_node(struct snapshot *s, const struct node *node)
{
	char path[64], unsupported[256];
	unsigned int i;
	bool there;

	*s = (struct snapshot) { .node = node };
	snprintf(s->id, sizeof(s->id), "%u", node->gpu_id);
	for (i = 0; i < ARRAY_SIZE(stats); i++) {
		snprintf(path, sizeof(path), "stats/%s", stats[i].file);
		s->stats[i] = node_reading(s, path);
	}
	for (i = 0; i < LEVELS; i++) {
		snprintf(path, sizeof(path), "level%u/preemptions", i);
		s->levels[i] = node_reading(s, path);
	}
	node_read(s, "policy", s->policy, sizeof(s->policy));
	chosen(s->policy);
	node_read(s, "backend", s->backend, sizeof(s->backend));
	node_read(s, "stats/bypass_reason", s->reason, sizeof(s->reason));
	if (!strcmp(s->reason, "none"))
		s->reason[0] = '\0';
	node_read(s, "unsupported", unsupported, sizeof(unsupported));
	if (!*unsupported)
		read_settings(s);
	/* the last one: what has it had all the others, unless it was built without */
	there = node_read(s, "state", s->state, sizeof(s->state));
	find_down(s, *unsupported);
	if (!there)
		free(s->differs);
	return there;
}

/* ---- write ---- */

static FILE *out;
static bool older;	/* the format */

static void escaped(const char *value)
{
	for (; *value; value++) {
		if (strchr("\n\"\\", *value))
			fputc('\\', out);
		fputc(*value == '\n' ? 'n' : *value, out);
	}
}

static bool ends_with(const char *name, int len, const char *end)
{
	return len > (int)strlen(end) && !strncmp(name + len - strlen(end), end, strlen(end));
}

/* What stands above the samples of a metric. */
static void family(const struct metric *m)
{
	static const char *const types[] = {
		[COUNTER] = "counter", [GAUGE] = "gauge", [INFO] = "info",
	};
	const char *type = types[m->type];
	int len = strlen(m->name);

	if (older && m->type == INFO)
		type = "gauge";
	else if (!older && m->type == COUNTER)
		len -= strlen("_total");
	else if (!older && m->type == INFO)
		len -= strlen("_info");
	fprintf(out, "# TYPE %.*s %s\n", len, m->name, type);
	if (!older && ends_with(m->name, len, "_seconds"))
		fprintf(out, "# UNIT %.*s seconds\n", len, m->name);
	fprintf(out, "# HELP %.*s %s\n", len, m->name, m->help);
}

static const struct metric up = {
	NULL, "gpreempt_up", GAUGE,
	"1: GPREEMPT works on the GPU; 0: it does not. If no GPU is known the node is empty."
};
static const struct metric down = {
	NULL, "gpreempt_down_reason", GAUGE,
	"1: GPREEMPT does not work for this reason; 0: for another, or it works."
};
static const struct metric info = { NULL, "gpreempt_node_info", INFO, "A GPU, and its settings." };
static const struct metric state = {
	NULL, "gpreempt_state", GAUGE, "1: the node is in this state; 0: it is not."
};
static const struct metric bypass = {
	NULL, "gpreempt_bypass_reason", GAUGE, "1: GPREEMPT gave up for this reason; 0: it did not."
};
static const struct metric differs = {
	NULL, "gpreempt_setting_differs", GAUGE,
	"1: the GPU has another value than " CONFIGURED "; 0: it has that."
};
static const struct metric level_preemptions = {
	NULL, "gpreempt_level_preemptions_total", COUNTER,
	"Queues of a priority taken off the hardware."
};

/* A sample and its labels: keys and values up to a NULL. Those of a family follow each other. */
static void __attribute__((sentinel)) sample(const struct metric *m, uint64_t value, ...)
{
	static const struct metric *last;
	const char *key, *before = "{";
	va_list args;

	if (m != last)
		family(m);
	last = m;
	fputs(m->name, out);
	va_start(args, value);
	while ((key = va_arg(args, const char *))) {
		fprintf(out, "%s%s=\"", before, key);
		escaped(va_arg(args, const char *));
		fputc('"', out);
		before = ",";
	}
	va_end(args);
	if (strstr(m->name, "_seconds"))
		fprintf(out, "} %llu.%09llu\n", value / NS_PER_S, value % NS_PER_S);
	else
		fprintf(out, "} %llu\n", (unsigned long long)value);
}

/* One series for each value that is known, and one for another that it has. */
static void one_of(const struct metric *m, const struct snapshot *s, const char *label,
		   const char *value, const char *const *known)
{
	bool found = !*value;

	for (; *known; known++) {
		sample(m, !strcmp(value, *known), "node", s->id, label, *known, NULL);
		found |= !strcmp(value, *known);
	}
	if (!found)
		sample(m, 1, "node", s->id, label, value, NULL);
}

static void write_up(const struct snapshot *s, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		sample(&up, !*s[i].down, "node", s[i].id, NULL);
	for (i = 0; i < n; i++)
		one_of(&down, &s[i], "reason", s[i].down, down_reasons);
}

static void write_nodes(const struct snapshot *s, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		sample(&info, 1, "node", s[i].id, "pci", s[i].node->pci, "name", s[i].node->name,
		       "policy", s[i].policy, "backend", s[i].backend, NULL);
	for (i = 0; i < n; i++)
		one_of(&state, &s[i], "state", s[i].state, states);
	for (i = 0; i < n; i++)
		one_of(&bypass, &s[i], "reason", s[i].reason, bypass_reasons);
}

static void write_settings(const struct snapshot *s, unsigned int n)
{
	char name[PATH_SIZE];
	unsigned int i, j;

	for (i = 0; i < n; i++) {
		for (j = 0; s[i].differs && configured[j]; j++) {
			snprintf(name, sizeof(name), "%.*s", (int)strcspn(configured[j], "="),
				 configured[j]);
			sample(&differs, s[i].differs[j], "node", s[i].id, "setting", name, NULL);
		}
	}
}

static void write_stat(const struct snapshot *s, unsigned int n, unsigned int stat)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (s[i].stats[stat].known)
			sample(&stats[stat], s[i].stats[stat].value, "node", s[i].id, NULL);
}

static void write_levels(const struct snapshot *s, unsigned int n)
{
	unsigned int i, level;
	char label[16];

	for (i = 0; i < n; i++) {
		for (level = 0; level < LEVELS; level++) {
			snprintf(label, sizeof(label), "%u", level);
			if (s[i].levels[level].known)
				sample(&level_preemptions, s[i].levels[level].value, "node", s[i].id,
				       "level", label, NULL);
		}
	}
}

static const struct {
	struct metric m;
	size_t offset;
} of_queues[] = {
	{ { NULL, "gpreempt_queue_priority", GAUGE, "The priority that the queue is served at." },
	  offsetof(struct queue, permitted) },
	{ { NULL, "gpreempt_queue_preemptions_total", COUNTER,
	    "How often the queue was taken off the hardware." },
	  offsetof(struct queue, preemptions) },
	{ { NULL, "gpreempt_queue_running_seconds_total", COUNTER, "Time seen executing." },
	  offsetof(struct queue, running_ns) },
	{ { NULL, "gpreempt_queue_waiting_seconds_total", COUNTER,
	    "Time seen on the hardware with work that did not execute." },
	  offsetof(struct queue, waiting_ns) },
	{ { NULL, "gpreempt_queue_preempted_seconds_total", COUNTER,
	    "Time kept off the hardware by GPREEMPT." },
	  offsetof(struct queue, preempted_ns) },
};

static void write_queues(const struct queues *all)
{
	char node[16], pid[16], id[16];
	const struct queue *q;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(of_queues); i++) {
		for (q = all->q; q < all->q + all->count; q++) {
			if (q->hidden)
				continue;
			snprintf(node, sizeof(node), "%u", q->gpu_id);
			snprintf(pid, sizeof(pid), "%u", q->pid);
			snprintf(id, sizeof(id), "%u", q->id);
			sample(&of_queues[i].m,
			       *(const uint64_t *)((const char *)q + of_queues[i].offset),
			       "node", node, "pid", pid, "queue", id, "command", q->command, NULL);
		}
	}
}

/* ---- hand over ---- */

static bool processes;
static const char *path;

static int run(int argc, char **argv)
{
	const struct absence *absence = NULL;
	unsigned int n, i, there = 0;
	struct queues all = { };
	struct snapshot *s;
	struct node *nodes;
	size_t size;
	char *text;

	(void)argc;
	(void)argv;
	if (path)
		output_check(&cmd_metrics, path);
	configured = settings_configured();
	n = nodes_list(0, &nodes);
	s = xrealloc(NULL, (n + 1) * sizeof(*s));
	for (i = 0; i < n; i++)
		there += read_node(&s[there], &nodes[i]);
	if (processes)
		queues_read(&all, true);
	out = open_memstream(&text, &size);
	if (!out)
		fail(STATUS_FAILED, "out of memory");
	if (there) {
		write_up(s, there);
		write_nodes(s, there);
	} else {
		absence = nodes_absence();
		*s = (struct snapshot) { };
		strcpy(s->down, absence->reason);
		write_up(s, 1);
	}
	write_settings(s, there);
	for (i = 0; i < ARRAY_SIZE(stats); i++)
		write_stat(s, there, i);
	write_levels(s, there);
	write_queues(&all);
	if (!older)
		fputs("# EOF\n", out);
	if (fclose(out))
		fail(STATUS_FAILED, "out of memory");
	fwrite(text, 1, size, path ? output_open(path) : stdout);
	if (path)
		output_close();
	for (i = 0; i < there; i++)
		free(s[i].differs);
	free_names(configured);
	free(text);
	free(all.q);
	free(s);
	free(nodes);
	if (absence)
		fail(STATUS_ABSENT, "%s", absence->text);
	return 0;
}

static const struct option_of options[] = {
	{ "processes", 'p', NULL, "also of each queue that may be seen", FLAG, &processes },
	{ "prometheus", 'P', NULL, "in Prometheus' older text format, which the textfile collector\n"
	  "of node_exporter reads", FLAG, &older },
	{ "output", 'o', "FILE", "replace FILE, at once; it stays as it was if it cannot be made",
	  TEXT, &path },
	{ }
};

const struct command cmd_metrics = {
	.name = "metrics",
	.run = run,
	.options = options,
	.summary = "what is counted, for Prometheus",
	.usage = "metrics [--processes] [--prometheus] [--output FILE]",
	.about = "All that is counted of each GPU and level, as OpenMetrics. As root, or in the group\n"
		"of the files in stats/.",
	.notes = "Without a driver or a GPU they say so, and the exit status is 3.",
};
