// SPDX-License-Identifier: GPL-2.0
/* gpreempt status: the nodes, what they are doing, and whether they are well. */
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <json-c/json.h>

#include "gpreempt.h"

static const char *const states[] = {
	"running", "waiting", "blocked", "preempted", "excluded", "held", "idle", "off",
	"unknown",
};

/* Of one node the queues that may be seen, the processes that have one, and queues of others. */
struct summary {
	unsigned int queues, processes, hidden;
	unsigned int by_state[ARRAY_SIZE(states)];
};

static struct summary summarize(const struct queues *all, unsigned int gpu_id)
{
	struct summary s = { };
	unsigned int i, j, pid = 0;

	for (i = 0; i < all->count; i++) {
		if (all->q[i].gpu_id != gpu_id)
			continue;
		if (all->q[i].hidden) {
			s.hidden++;
			continue;
		}
		s.queues++;
		s.processes += all->q[i].pid != pid;
		pid = all->q[i].pid;
		for (j = 0; j < ARRAY_SIZE(states); j++)
			s.by_state[j] += !strcmp(all->q[i].state, states[j]);
	}
	return s;
}

static const char *const shown[] = {
	"policy", "backend", "poll_interval_us", "priority_cap", "starvation_ms",
};

static const char *const counters[] = {
	"preemptions", "resumes", "late", "excluded", "failed", "starved",
};

static void print_text(const struct node *n, const char *state, const char *reason,
		       const struct summary *s, const struct queues *all)
{
	bool bad = !strcmp(state, "bypassed");
	const char *on = "", *off = "";
	char text[128], path[64], unsupported[128], note[160];
	unsigned int i, parts = 0;

	if (colours()) {
		on = bad ? "\033[1;31m" : "\033[1m";
		off = "\033[0m";
	}
	printf("GPU %u%s%s%s%s\n", n->gpu_id, *n->pci ? "  " : "", n->pci, *n->name ? "  " : "",
	       n->name);
	printf("  %-17s %s%s%s\n", "state", on, state, off);
	node_text(n, "unsupported", unsupported, sizeof(unsupported));
	if (bad)
		printf("  %-17s %s%s%s (%s); %s\n", "health", on, bypass_of(reason).text, off,
		       reason, bypass_of(reason).cure);
	else if (*unsupported)
		printf("  %-17s cannot be enabled: %s\n", "health", unsupported);
	else
		printf("  %-17s ok\n", "health");
	for (i = 0; i < ARRAY_SIZE(shown); i++) {
		node_text(n, shown[i], text, sizeof(text));
		chosen(text);
		printf("  %-17s %s\n", shown[i], text);
	}
	printf("  %-17s %u of %u processes", "queues", s->queues, s->processes);
	for (i = 0; i < ARRAY_SIZE(states); i++)
		if (s->by_state[i])
			printf("%s%u %s", parts++ ? ", " : ": ", s->by_state[i], states[i]);
	if (s->hidden)
		printf("; besides, %u queues of others, which root on the host sees", s->hidden);
	if (streams_note(all, 0, n->gpu_id, note, sizeof(note)))
		printf("\n  %-17s %s", "streams", note);
	printf("\n  %-17s", "counted");
	for (i = 0; i < ARRAY_SIZE(counters); i++) {
		snprintf(path, sizeof(path), "stats/%s", counters[i]);
		node_text(n, path, text, sizeof(text));
		printf("%s %s %s", i ? "," : "", *text ? text : "?", counters[i]);
	}
	putchar('\n');
}

static struct json_object *to_json(const struct node *n, const char *state, const char *reason,
				   const struct summary *s)
{
	struct json_object *gpu = json_object_new_object(), *queues = json_object_new_object(),
			   *counted = json_object_new_object();
	char text[128], path[64];
	unsigned int i;

	json_number(gpu, "gpu_id", n->gpu_id);
	json_string(gpu, "pci", n->pci);
	json_string(gpu, "name", n->name);
	json_string(gpu, "state", state);
	node_text(n, "unsupported", text, sizeof(text));
	json_string(gpu, "health", !strcmp(state, "bypassed") ? reason : *text ? text : "ok");
	for (i = 0; i < ARRAY_SIZE(shown); i++) {
		node_text(n, shown[i], text, sizeof(text));
		chosen(text);
		if (text[strspn(text, "0123456789")])
			json_string(gpu, shown[i], text);
		else
			json_number(gpu, shown[i], strtoull(text, NULL, 10));
	}
	for (i = 0; i < ARRAY_SIZE(states); i++)
		json_number(queues, states[i], s->by_state[i]);
	json_object_object_add(gpu, "queues", queues);
	json_number(gpu, "processes", s->processes);
	json_number(gpu, "hidden", s->hidden);
	for (i = 0; i < ARRAY_SIZE(counters); i++) {
		snprintf(path, sizeof(path), "stats/%s", counters[i]);
		node_text(n, path, text, sizeof(text));
		if (*text)
			json_number(counted, counters[i], strtoull(text, NULL, 10));
		else
			json_real(counted, counters[i], 0, false);
	}
	json_object_object_add(gpu, "counted", counted);
	return gpu;
}

static const char *gpu;
static bool json;
static double every_s;

/* Whether it gave up on one is the exit status. */
static int show(const struct node *nodes, unsigned int n)
{
	struct json_object *gpus = json ? json_object_new_array() : NULL;
	struct queues all;
	unsigned int i;
	int status = 0;

	queues_read(&all, false);
	for (i = 0; i < n; i++) {
		struct summary s = summarize(&all, nodes[i].gpu_id);
		char state[32], reason[64];

		node_text(&nodes[i], "state", state, sizeof(state));
		node_text(&nodes[i], "stats/bypass_reason", reason, sizeof(reason));
		if (json)
			json_object_array_add(gpus, to_json(&nodes[i], state, reason, &s));
		else
			print_text(&nodes[i], state, reason, &s, &all);
		if (!strcmp(state, "bypassed"))
			status = STATUS_BYPASSED;
	}
	if (json)
		json_put(gpus, stdout, true);
	free(all.q);
	return status;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct timespec every = { every_s, (every_s - (time_t)every_s) * 1e9 };
	struct node *nodes;
	unsigned int n;
	int status;

	if (json && every_s)
		usage("--json prints once");
	for (;;) {
		n = nodes_find(gpu, &nodes);
		if (every_s && isatty(STDOUT_FILENO))
			fputs("\033[H\033[J", stdout);
		status = show(nodes, n);
		free(nodes);
		if (!every_s)
			break;
		putchar('\n');
		if (fflush(stdout))
			break;
		nanosleep(&every, NULL);
	}
	return status;
}

static const struct option_of options[] = {
	{ "gpu", 'g', "ID", "this GPU only (its gpu_id)", TEXT, &gpu },
	{ "json", 'j', NULL, "for programs", FLAG, &json },
	{ "watch", 'w', "TIME", "again every TIME, until it is ended", SECONDS, &every_s },
	{ }
};

const struct command cmd_status = {
	.name = "status",
	.run = run,
	.options = options,
	.summary = "the GPUs: state, policy, health and its reason",
	.about = "What GPREEMPT does on each GPU. Exit status 4 if it gave up on one.",
};
