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

/**
 * struct metric - what is told of each node
 * @file:	in stats/; times are in ns. NULL: it is none of these
 * @name:	of its samples, without gpreempt_; times are in seconds. Its end tells its type
 * @help:	a line
 */
struct metric {
	const char *file, *name, *help;
};

/* In the order in which they are told. Those with a file are all of stats/ that is a number. */
static const struct metric metrics[] = {
	{ NULL, "up", "1: GPREEMPT works on the GPU (empty: no GPU is known); 0: it does not." },
	{ NULL, "down_reason", "1: it does not work for this reason; 0: for another, or it does." },
	{ NULL, "node_info", "A GPU, and its settings." },
	{ NULL, "state", "1: the node is in this state; 0: it is not." },
	{ NULL, "bypass_reason", "1: GPREEMPT gave up for this reason; 0: it did not." },
	{ NULL, "setting_differs", "1: the value is not as in " CONFIGURED "; 0: it is." },
	{ "preemptions", "preemptions_total", "Queues taken off the hardware." },
	{ "resumes", "resumes_total", "Queues put back on the hardware." },
	{ "transactions", "transactions_total", "Runlist updates for preemptions and resumes." },
	{ "blocked", "blocked_total", "Times a queue was found to wait for something else." },
	{ "starved", "starved_total", "Times a queue was raised because of starvation_ms." },
	{ "scans", "scans_total", "Scans." },
	{ "wakeups", "wakeups_total", "Times the monitor woke up." },
	{ "register_accesses", "register_accesses_total", "Register accesses by scans." },
	{ "register_ns_total", "register_seconds_total", "Time spent on register accesses." },
	{ "scan_ns_total", "scan_seconds_total",
	  "Time spent in scans and decisions, without register accesses." },
	{ "scan_ns_max", "scan_max_seconds", "Longest scan and decision, without registers." },
	{ "fence_wait_ns_total", "fence_wait_seconds_total",
	  "Time spent waiting for the GPU to answer preemptions." },
	{ "detections", "detections_total", "Times a queue was found waiting for a lower one." },
	{ "detection_ns_p50", "detection_p50_seconds",
	  "Half of the queues that a lower one kept waiting had waited no longer when found." },
	{ "detection_ns_p99", "detection_p99_seconds", "99 in 100 of those had waited no longer." },
	{ "detection_ns_max", "detection_max_seconds", "None of those had waited longer." },
	{ "save_ns_p50", "save_p50_seconds", "Half of the saves took no longer." },
	{ "save_ns_p99", "save_p99_seconds", "99 in 100 saves took no longer." },
	{ "save_ns_max", "save_max_seconds", "No save took longer." },
	{ "late", "late_total", "Preemptions answered after preempt_timeout_ms." },
	{ "excluded", "excluded_total", "Times a queue was kept off, as it had delayed saves." },
	{ "failed", "failed_total", "Preemptions never answered, or refused by the driver." },
	{ "doorbell_faults", "doorbell_faults_total",
	  "Wake-ups by the first doorbell after a mapping was revoked." },
	{ "doorbell_revocations", "doorbell_revocations_total",
	  "Times that a process's mapping of its doorbells was revoked." },
	{ NULL, "level_preemptions_total", "Queues of a priority taken off the hardware." },
	{ NULL, "queue_priority", "The priority that the queue is served at." },
	{ NULL, "queue_preemptions_total", "How often the queue was taken off the hardware." },
	{ NULL, "queue_running_seconds_total", "Time seen executing." },
	{ NULL, "queue_waiting_seconds_total", "Time seen with work that did not execute." },
	{ NULL, "queue_preempted_seconds_total", "Time kept off the hardware by GPREEMPT." },
};

static const char *const states[] = { "disabled", "parked", "active", "bypassed", NULL };

/* The first three are those of struct absence. */
static const char *const down_reasons[] = {
	"absent", "another_amdgpu", "no_gpu", "refused", "disabled", "bypassed", NULL
};

/* Numbers, by their metric, with labels as they are written. Times are in ns. */
static struct sample {
	const char *name;
	char *labels;
	uint64_t value;
} *samples;
static unsigned int count;

/* Of CONFIGURED. */
static char **configured;

/* Labels are keys and values up to a NULL. */
static void __attribute__((sentinel)) add(const char *name, uint64_t value, ...)
{
	struct sample s = { .name = name, .value = value };
	const char *key, *p, *before = "";
	va_list args;
	size_t size;
	FILE *f = open_memstream(&s.labels, &size);

	if (!f)
		fail(STATUS_FAILED, "out of memory");
	va_start(args, value);
	while ((key = va_arg(args, const char *))) {
		fprintf(f, "%s%s=\"", before, key);
		for (p = va_arg(args, const char *); *p; p++) {
			if (strchr("\n\"\\", *p))
				fputc('\\', f);
			fputc(*p == '\n' ? 'n' : *p, f);
		}
		fputc('"', f);
		before = ",";
	}
	va_end(args);
	if (fclose(f))
		fail(STATUS_FAILED, "out of memory");
	samples = xrealloc(samples, (count + 1) * sizeof(*samples));
	samples[count++] = s;
}

/* One series for each value that is known, and one for another that it has. */
static void add_one_of(const char *name, const char *node, const char *label, const char *value,
		       const char *const *known)
{
	bool found = !*value;

	for (; *known; known++) {
		add(name, !strcmp(value, *known), "node", node, label, *known, NULL);
		found |= !strcmp(value, *known);
	}
	if (!found)
		add(name, 1, "node", node, label, value, NULL);
}

/* @down: why GPREEMPT does not work there; empty if it does. */
static void add_up(const char *node, const char *down)
{
	add("up", !*down, "node", node, NULL);
	add_one_of("down_reason", node, "reason", down, down_reasons);
}

/* A node may go away, and a file of another version not be there. More is a failure. */
static bool node_read(const char *id, const char *file, char *buf, size_t size)
{
	char path[PATH_SIZE];
	int r;

	snprintf(path, sizeof(path), NODES "/%s/%s", id, file);
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

static bool node_reads_number(const char *id, const char *file, uint64_t *value)
{
	char text[32], *end;

	if (!node_read(id, file, text, sizeof(text)))
		return false;
	*value = strtoull(text, &end, 10);
	return end != text && !*end;
}

/* What is no setting has no value, and differs. */
static void add_settings(const struct node *node, const char *id)
{
	char name[PATH_SIZE], value[128], now[PATH_SIZE + 128], **setting;

	for (setting = configured; *setting; setting++) {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(*setting, "="), *setting);
		node_text(node, name, value, sizeof(value));
		chosen(value);
		snprintf(now, sizeof(now), "%s=%s", name, value);
		add("setting_differs", !*value || strcmp(now, *setting), "node", id,
		    "setting", name, NULL);
	}
}

/* False, and no samples, if the node went away. */
static bool add_node(const struct node *node)
{
	char id[16], path[64], level[16], state[32], reason[64], policy[128], backend[32],
	     unsupported[256];
	unsigned int i, before = count;
	uint64_t value;

	snprintf(id, sizeof(id), "%u", node->gpu_id);
	for (i = 0; i < ARRAY_SIZE(metrics); i++) {
		snprintf(path, sizeof(path), "stats/%s", metrics[i].file ?: "");
		if (metrics[i].file && node_reads_number(id, path, &value))
			add(metrics[i].name, value, "node", id, NULL);
	}
	for (i = 0; i < LEVELS; i++) {
		snprintf(level, sizeof(level), "%u", i);
		snprintf(path, sizeof(path), "level%u/preemptions", i);
		if (node_reads_number(id, path, &value))
			add("level_preemptions_total", value, "node", id, "level", level,
			    NULL);
	}
	node_read(id, "policy", policy, sizeof(policy));
	chosen(policy);
	node_read(id, "backend", backend, sizeof(backend));
	add("node_info", 1, "node", id, "pci", node->pci, "name", node->name,
	    "policy", policy, "backend", backend, NULL);
	node_read(id, "stats/bypass_reason", reason, sizeof(reason));
	add_one_of("bypass_reason", id, "reason", strcmp(reason, "none") ? reason : "",
		   bypass_reasons);
	node_read(id, "unsupported", unsupported, sizeof(unsupported));
	if (!*unsupported)
		add_settings(node, id);
	/* the last one: what has it had all the others, unless it was built without */
	if (!node_read(id, "state", state, sizeof(state))) {
		count = before;
		return false;
	}
	add_one_of("state", id, "state", state, states);
	/* A GPU that cannot be enabled is disabled as well: that it cannot is why. */
	add_up(id, *unsupported ? "refused" :
	       strcmp(state, "active") && strcmp(state, "parked") ? state : "");
	return true;
}

static void add_queue(const struct queue *q)
{
	const struct {
		const char *name;
		uint64_t value;
	} of_queue[] = {
		{ "queue_priority", q->permitted },
		{ "queue_preemptions_total", q->preemptions },
		{ "queue_running_seconds_total", q->running_ns },
		{ "queue_waiting_seconds_total", q->waiting_ns },
		{ "queue_preempted_seconds_total", q->preempted_ns },
	};
	char node[16], pid[16], id[16];
	unsigned int i;

	snprintf(node, sizeof(node), "%u", q->gpu_id);
	snprintf(pid, sizeof(pid), "%u", q->pid);
	snprintf(id, sizeof(id), "%u", q->id);
	for (i = 0; i < ARRAY_SIZE(of_queue); i++)
		add(of_queue[i].name, of_queue[i].value, "node", node, "pid", pid, "queue", id,
		    "command", q->command, NULL);
}

/* ---- write ---- */

static bool older;	/* the format */

static bool ends_with(const char *name, int len, const char *end)
{
	return len > (int)strlen(end) && !strncmp(name + len - strlen(end), end, strlen(end));
}

/* What stands above the samples of a metric. The older format has no info. */
static void write_family(const struct metric *m, FILE *f)
{
	int len = strlen(m->name);
	bool counter = ends_with(m->name, len, "_total"), info = ends_with(m->name, len, "_info");

	if (!older)
		len -= counter ? strlen("_total") : info ? strlen("_info") : 0;
	fprintf(f, "# TYPE gpreempt_%.*s %s\n", len, m->name,
		counter ? "counter" : info && !older ? "info" : "gauge");
	if (!older && ends_with(m->name, len, "_seconds"))
		fprintf(f, "# UNIT gpreempt_%.*s seconds\n", len, m->name);
	fprintf(f, "# HELP gpreempt_%.*s %s\n", len, m->name, m->help);
}

static void write_metric(const struct metric *m, FILE *f)
{
	bool some = false;
	struct sample *s;

	for (s = samples; s < samples + count; s++) {
		if (strcmp(s->name, m->name))
			continue;
		if (!some)
			write_family(m, f);
		some = true;
		if (strstr(m->name, "_seconds"))
			fprintf(f, "gpreempt_%s{%s} %llu.%09llu\n", m->name, s->labels,
				s->value / NS_PER_S, s->value % NS_PER_S);
		else
			fprintf(f, "gpreempt_%s{%s} %llu\n", m->name, s->labels,
				(unsigned long long)s->value);
	}
}

static bool processes;
static const char *path;

static int run(const struct command *cmd, int argc, char **argv)
{
	const struct absence *absence = NULL;
	unsigned int n, i, there = 0;
	struct queues all = { };
	struct node *nodes;
	FILE *f = stdout;

	if (path)
		output_check(path);
	configured = settings_configured();
	n = nodes_list(0, &nodes);
	for (i = 0; i < n; i++)
		there += add_node(&nodes[i]);
	if (!there) {
		absence = nodes_absence();
		add_up("", absence->reason);
	}
	if (processes)
		queues_read(&all, true);
	for (i = 0; i < all.count; i++)
		if (!all.q[i].hidden)
			add_queue(&all.q[i]);
	if (path)
		f = output_open(path);
	for (i = 0; i < ARRAY_SIZE(metrics); i++)
		write_metric(&metrics[i], f);
	if (!older)
		fputs("# EOF\n", f);
	if (path)
		output_close();
	free_names(configured);
	free(nodes);
	free(all.q);
	if (absence)
		fail(STATUS_ABSENT, "%s", absence->text);
	return 0;
}

static const struct option_of options[] = {
	{ "processes", 'p', NULL, "also of each queue that may be seen", FLAG, &processes },
	{ "prometheus", 'P', NULL, "in Prometheus' older text format, which the textfile\n"
	  "collector of node_exporter reads", FLAG, &older },
	{ "output", 'o', "FILE", "replace FILE, at once; it stays as it was if it cannot be made",
	  TEXT, &path },
	{ }
};

const struct command cmd_metrics = {
	.name = "metrics",
	.run = run,
	.options = options,
	.summary = "what is counted, for Prometheus",
	.about =
		"All that is counted of each GPU and level, as OpenMetrics. As root, or in the group\n"
		"of the files in stats/.",
	.notes = "Without a driver or a GPU they say so, and the exit status is 3.",
};
