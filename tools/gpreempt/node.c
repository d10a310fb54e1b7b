// SPDX-License-Identifier: GPL-2.0
/* The GPU nodes that GPREEMPT knows. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "gpreempt.h"

#define TOPOLOGY	KFD_CLASS "/topology/nodes"
#define CAP_SYS_NICE	23

/* A tenth of a second for what KFD does in some milliseconds. */
#define TRIES		10
#define TRY_US		10000

/* A value of a topology node's properties: lines of name and value. */
static unsigned long property(const char *properties, const char *name)
{
	const char *line = properties;
	size_t len = strlen(name);

	for (; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, name, len) && line[len] == ' ')
			return strtoul(line + len, NULL, 10);
	}
	return 0;
}

/* KFD answers EPERM to a container that has not been given that GPU. */
static bool is_refused(int r)
{
	return r == -EPERM || r == -EACCES;
}

/*
 * A file of a node in the topology, as it is now. Folders there are numbered, so the number is
 * looked for, and once more when the file was read: that may be another node's folder by now.
 */
static int topology_now(unsigned int gpu_id, const char *file, char *buf, size_t size)
{
	int r, error;
	char **names, **p;
	uint64_t id;

	r = list_names(TOPOLOGY, &names);
	if (r)
		return r;
	r = -ENOENT;
	for (p = names; *p && r; p++) {
		error = read_number(&id, TOPOLOGY "/%s/gpu_id", *p);
		/* it may be this one */
		if (is_refused(error))
			r = error;
		if (error || id != gpu_id)
			continue;
		r = read_text(buf, size, TOPOLOGY "/%s/%s", *p, file);
		if (!r && (read_number(&id, TOPOLOGY "/%s/gpu_id", *p) || id != gpu_id))
			r = -ENOENT;
	}
	free_names(names);
	return r;
}

/*
 * KFD makes the whole topology anew when a GPU comes or goes: what is not there may be a moment
 * later. Nobody waits for what may not be read.
 */
void node_topology(unsigned int gpu_id, const char *file, char *buf, size_t size)
{
	unsigned int tries;
	int r;

	for (tries = 0; tries < TRIES; tries++) {
		r = topology_now(gpu_id, file, buf, size);
		if (!r)
			return;
		if (is_refused(r))
			break;
		usleep(TRY_US);
	}
	buf[0] = '\0';
}

/* What the topology knows of a node, if it may be read. */
static void describe(struct node *node)
{
	unsigned long domain, location;
	char text[4096];

	node_topology(node->gpu_id, "name", text, 64);
	utf8_text(node->name, sizeof(node->name), text);
	node_topology(node->gpu_id, "properties", text, sizeof(text));
	if (!*text)
		return;
	domain = property(text, "domain");
	location = property(text, "location_id");
	snprintf(node->pci, sizeof(node->pci), "%04lx:%02lx:%02lx.%lx", domain,
		 location >> 8 & 0xff, location >> 3 & 0x1f, location & 7);
}

const struct absence *nodes_absence(void)
{
	static const struct absence absent = {
		"absent", KFD_CLASS ": not there: the amdgpu driver is not loaded; "
		"try 'modprobe amdgpu'"
	}, another = {
		"another_amdgpu", MODULE "/parameters/gpreempt: not there: the amdgpu that is loaded "
		"was built without CONFIG_HSA_AMD_GPREEMPT"
	}, no_gpu = {
		"no_gpu", NODES ": not there: no GPU that KFD drives"
	};

	/* the folder of the nodes is only there while a node is */
	if (!access(MODULE, F_OK) && access(MODULE "/parameters/gpreempt", F_OK))
		return &another;
	return access(KFD_CLASS, F_OK) ? &absent : &no_gpu;
}

unsigned int nodes_list(unsigned int wanted, struct node **nodes)
{
	unsigned int n = 0;
	char **names, **p;

	*nodes = NULL;
	if (list_names(NODES, &names))
		return 0;
	for (p = names; *p; p++) {
		unsigned int id = strtoul(*p, NULL, 10);

		if (wanted && id != wanted)
			continue;
		*nodes = xrealloc(*nodes, (n + 1) * sizeof(**nodes));
		(*nodes)[n] = (struct node) { .gpu_id = id };
		describe(&(*nodes)[n++]);
	}
	free_names(names);
	return n;
}

unsigned int nodes_find(const char *gpu, struct node **nodes)
{
	unsigned int wanted = 0, n;

	if (gpu && strcmp(gpu, "all"))
		wanted = parse_number("GPU", gpu, 1, ~0U);
	n = nodes_list(wanted, nodes);
	if (!n && wanted && !access(NODES, F_OK))
		fail(STATUS_FAILED, "%s/%u: no such GPU; see 'gpreempt status'", NODES, wanted);
	if (!n)
		fail(STATUS_ABSENT, "%s", nodes_absence()->text);
	return n;
}

void node_text(const struct node *n, const char *file, char *buf, size_t size)
{
	read_text(buf, size, NODES "/%u/%s", n->gpu_id, file);
}

uint64_t node_number(const struct node *n, const char *file)
{
	uint64_t value;

	read_number(&value, NODES "/%u/%s", n->gpu_id, file);
	return value;
}

void chosen(char *text)
{
	char *begin = strchr(text, '['), *end = begin ? strchr(begin, ']') : NULL;

	if (!end)
		return;
	*end = '\0';
	memmove(text, begin + 1, end - begin);
}

static const struct bypass bypasses[] = {
	{ "late_preemption", "the GPU answered a preemption later than preempt_timeout_ms",
	  "it is tried again by itself, at once with 'gpreempt set enable=1'" },
	{ "hung_preemption", "the GPU never answered a preemption", "only a GPU reset ends this" },
	{ "map_failed", "queues could not be put back on the GPU as they were",
	  "it is tried again by itself, at once with 'gpreempt set enable=1'" },
};

const char *const bypass_reasons[] = {
	"late_preemption", "hung_preemption", "map_failed", NULL,
};

struct bypass bypass_of(const char *reason)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bypasses); i++)
		if (!strcmp(reason, bypasses[i].reason))
			return bypasses[i];
	return (struct bypass) { reason, reason, "see the kernel log" };
}

/* Has this process CAP_SYS_NICE? */
static bool may_exceed(void)
{
	char text[4096], *line;

	if (read_text(text, sizeof(text), "/proc/self/status"))
		return false;
	line = strstr(text, "\nCapEff:");
	return line && strtoull(line + strlen("\nCapEff:"), NULL, 16) >> CAP_SYS_NICE & 1;
}

void warn_of_caps(unsigned int priority)
{
	struct node *nodes;
	unsigned int n, i;
	uint64_t cap;

	if (priority == KFD_GPREEMPT_NONE || may_exceed())
		return;
	n = nodes_find(NULL, &nodes);
	for (i = 0; i < n; i++) {
		cap = node_number(&nodes[i], "priority_cap");
		if (priority > cap)
			warn("warning: GPU %u serves you at %llu at most (its priority_cap); "
			     "more needs CAP_SYS_NICE", nodes[i].gpu_id, (unsigned long long)cap);
	}
	free(nodes);
}
