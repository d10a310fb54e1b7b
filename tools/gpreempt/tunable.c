// SPDX-License-Identifier: GPL-2.0
/* gpreempt get, gpreempt set: the files of a node that can be written. */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "gpreempt.h"

/* Of a tunable, no less than the longest one's. */
#define NAME_SIZE	64

/* Of Documentation/ABI/testing/sysfs-class-kfd-gpreempt. */
static const struct range {
	const char *name;
	unsigned int min, max, def;
} ranges[] = {
	{ "poll_interval_us", 50, 1000000, 1000 },
	{ "poll_interval_max_us", 50, 1000000, 10000 },
	{ "starvation_ms", 10, 60000, 1000 },
	{ "min_residency_us", 0, 1000000, 500 },
	{ "linger_max_us", 0, 100000, 1000 },
	{ "blocked_us", 100, 1000000, 2000 },
	{ "preempt_timeout_ms", 1, 9000, 100 },
	{ "slow_save_ms", 1, 9000, 10 },
	{ "priority_cap", 0, 15, 7 },
	{ "timeslice_us", 1000, 1000000, 10000 },
	{ .name = "grace_us" },		/* these are the GPU's */
	{ .name = "idle_unmap_ms" },
};

static void node_path(char *path, const struct node *n, const char *name)
{
	snprintf(path, PATH_SIZE, NODES "/%u/%s", n->gpu_id, name);
}

/* Of a number, that of level3/ as well, or NULL. */
static const struct range *range_of(const char *name)
{
	const char *slash = strrchr(name, '/');
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ranges); i++)
		if (!strcmp(ranges[i].name, slash ? slash + 1 : name))
			return &ranges[i];
	return NULL;
}

static bool is_tunable(const struct node *n, const char *name)
{
	char path[PATH_SIZE];
	struct stat st;

	if (strstr(name, ".."))
		return false;
	node_path(path, n, name);
	return !stat(path, &st) && S_ISREG(st.st_mode) && st.st_mode & 0222;
}

static void check_tunable(const struct node *n, const char *name)
{
	if (!is_tunable(n, name))
		usage("there is no tunable '%s'; 'gpreempt get' lists them", name);
}

/* On two GPUs a command that is about one has to say which. */
static unsigned int find_nodes(const char *gpu, struct node **nodes)
{
	unsigned int n = nodes_find(gpu, nodes), i;
	char ids[256] = "";
	size_t len = 0;

	if (n == 1 || gpu)
		return n;
	for (i = 0; i < n && len < sizeof(ids); i++)
		len += snprintf(ids + len, sizeof(ids) - len, " %u", (*nodes)[i].gpu_id);
	usage("there are %u GPUs (%s): say which by --gpu ID, or --gpu all", n, ids + 1);
}

/* ---- get ---- */

static void get_value(const struct node *n, const char *name, char *buf, size_t size)
{
	int r = read_text(buf, size, NODES "/%u/%s", n->gpu_id, name);

	if (r == -EOPNOTSUPP)
		snprintf(buf, size, "unsupported");
	else if (r)
		fail(STATUS_FAILED, NODES "/%u/%s: %s", n->gpu_id, name, strerror(-r));
}

static void print_line(const struct node *n, const char *name)
{
	const struct range *r = range_of(name);
	char value[128];

	get_value(n, name, value, sizeof(value));
	if (r && r->max)
		printf("%-24s %-10s %u to %u, default %u\n", name, value, r->min, r->max, r->def);
	else
		printf("%-24s %s\n", name, value);
}

static void print_all(const struct node *n)
{
	char path[PATH_SIZE], level[64], **names, **p;

	node_path(path, n, "");
	if (list_names(path, &names))
		fail(STATUS_ABSENT, "%s: gone", path);
	for (p = names; *p; p++)
		if (is_tunable(n, *p))
			print_line(n, *p);
	for (p = names; *p; p++) {
		snprintf(level, sizeof(level), "%.32s/timeslice_us", *p);
		if (is_tunable(n, level))
			print_line(n, level);
	}
	free_names(names);
}

static void get_one(const struct node *n, const char *name)
{
	char value[128];

	check_tunable(n, name);
	get_value(n, name, value, sizeof(value));
	chosen(value);
	puts(value);
}

/* What processes themselves were given, and not what follows from those above them. */
static int get_processes(int count, char **pids)
{
	bool titled = false;
	struct queues all;
	int i, r, status = 0;
	char note[160];

	/* All are understood before any is asked for. */
	for (i = 0; i < count; i++)
		if (parse_target(pids[i]).one)
			usage("'%s': what was given to a queue, top shows", pids[i]);
	for (i = 0; i < count; i++) {
		struct kfd_ioctl_gpreempt_args args = {
			.op = KFD_GPREEMPT_OP_GET_DEFAULT,
			.pid = parse_target(pids[i]).pid,
		};

		r = kfd_call(&args);
		if (r) {
			warn("process %u: %s", args.pid, kfd_error(r));
			status = STATUS_FAILED;
			continue;
		}
		if (!titled)
			given_title("PID");
		titled = true;
		given_print(&args.process_default, pids[i]);
	}
	queues_read(&all, false);
	for (i = 0; i < count; i++)
		if (streams_note(&all, parse_target(pids[i]).pid, 0, note, sizeof(note)))
			warn("warning: %s; see 'gpreempt run --streams'", note);
	free(all.q);
	return status;
}

static const char *gpu;
static bool configured;

static int run_get(const struct command *cmd, int argc, char **argv)
{
	struct node *nodes;
	unsigned int n, i;
	int arg;

	/* no tunable's name begins with a digit */
	if (argc && isdigit((unsigned char)*argv[0])) {
		if (gpu)
			usage("what processes were given is no GPU's");
		return get_processes(argc, argv);
	}
	n = argc ? find_nodes(gpu, &nodes) : nodes_find(gpu, &nodes);
	for (i = 0; i < n; i++) {
		if (!argc && n > 1)
			printf("GPU %u\n", nodes[i].gpu_id);
		if (!argc)
			print_all(&nodes[i]);
		for (arg = 0; arg < argc; arg++)
			get_one(&nodes[i], argv[arg]);
	}
	free(nodes);
	return 0;
}

/* ---- set ---- */

static bool same_name(const char *a, const char *b)
{
	size_t len = strcspn(a, "=");

	return len == strcspn(b, "=") && !strncmp(a, b, len);
}

/* Of two values of a setting the later one counts. */
static void add_setting(char ***settings, const char *word)
{
	unsigned int i;

	for (i = 0; (*settings)[i] && !same_name((*settings)[i], word); i++)
		;
	if (!(*settings)[i]) {
		*settings = xrealloc(*settings, (i + 2) * sizeof(**settings));
		(*settings)[i + 1] = NULL;
	}
	(*settings)[i] = strdup(word);
}

/* The settings of a profile, if it is one. */
static bool add_profile(char ***settings, const char *name)
{
	const char *const *s = profile_settings(name);

	for (; s && *s; s++)
		add_setting(settings, *s);
	return s;
}

char **settings_configured(void)
{
	static const char blanks[] = " \t\r\n";
	char **settings = xrealloc(NULL, sizeof(*settings)), *line = NULL, *word;
	FILE *f = fopen(CONFIGURED, "re");
	size_t size = 0;

	*settings = NULL;
	if (!f && errno != ENOENT)
		fail(STATUS_FAILED, "%s: %s", CONFIGURED, strerror(errno));
	while (f && getline(&line, &size, f) >= 0) {
		line[strcspn(line, "#")] = '\0';
		for (word = strtok(line, blanks); word; word = strtok(NULL, blanks)) {
			/* one that is not there differs from what a GPU has, as a tunable does */
			if (strncmp(word, PROFILE, strlen(PROFILE)) ||
			    !add_profile(&settings, word + strlen(PROFILE)))
				add_setting(&settings, word);
		}
	}
	if (f && ferror(f))
		fail(STATUS_FAILED, "%s: %s", CONFIGURED, strerror(errno));
	if (f)
		fclose(f);
	free(line);
	return settings;
}

/* A value that the kernel refused: what would it take? */
static void warn_value(const struct node *n, const char *name, const char *value)
{
	const struct range *r = range_of(name);
	char choices[128];

	if (r && !r->max) {
		warn("%s: '%s' is not a number, or more than this GPU takes", name, value);
		return;
	}
	if (r) {
		warn("%s: '%s' is not a number from %u to %u%s", name, value, r->min, r->max,
		     strchr(name, '/') ? ", or 0" : "");
		return;
	}
	node_text(n, name, choices, sizeof(choices));
	if (strchr(choices, '['))
		warn("%s: '%s' is none of: %s", name, value, choices);
	else
		warn("%s: '%s' is neither 1 nor 0", name, value);
}

/* The name of a setting; returns the value, or NULL. */
static const char *split(const char *setting, char *name)
{
	const char *equals = strchr(setting, '=');

	snprintf(name, NAME_SIZE, "%.*s", (int)strcspn(setting, "="), setting);
	return equals ? equals + 1 : NULL;
}

static int set_one(const struct node *n, const char *setting)
{
	char path[PATH_SIZE], why[128], name[NAME_SIZE];
	const char *value = split(setting, name);
	int r;

	node_path(path, n, name);
	r = write_text(path, value);
	switch (-r) {
	case 0:
		return 0;
	case EINVAL:
		warn_value(n, name, value);
		break;
	case EACCES:
	case EPERM:
		warn("%s: permission denied: run as root", path);
		break;
	case EOPNOTSUPP:
		node_text(n, "unsupported", why, sizeof(why));
		if (range_of(name))
			warn("%s: it cannot be set on this GPU", path);
		else
			warn("%s: it cannot be enabled on this GPU: %s", path, why);
		return STATUS_ABSENT;
	case EBUSY:
		warn("%s: the GPU hangs since a preemption: reset it first", path);
		break;
	default:
		warn("%s: %s", path, strerror(-r));
	}
	return STATUS_FAILED;
}

int settings_apply(const char *gpu, const char *const *settings)
{
	const char *const *set;
	struct node *nodes;
	unsigned int n, i, refused = 0;
	int status = 0;

	n = find_nodes(gpu, &nodes);
	for (set = settings; *set; set++) {
		char name[NAME_SIZE];
		const char *value = split(*set, name);

		/* sysfs takes nothing for done, and does nothing */
		if (!value || !*value)
			usage("'%s' is not NAME=VALUE", *set);
		if (!strncmp(*set, PROFILE, strlen(PROFILE)))
			usage("profile '%s': 'gpreempt profile' sets those that it lists", value);
		for (i = 0; i < n; i++)
			check_tunable(&nodes[i], name);
	}
	/* A GPU that refuses does not keep the others from what they can do. */
	for (i = 0; i < n; i++) {
		int r = 0;

		for (set = settings; !r && *set; set++)
			r = set_one(&nodes[i], *set);
		refused += r == STATUS_ABSENT;
		status |= r == STATUS_ABSENT ? 0 : r;
	}
	free(nodes);
	/* one that cannot have GPREEMPT is no failure beside one that can */
	return refused < n ? status : STATUS_FAILED;
}

static int run_set(const struct command *cmd, int argc, char **argv)
{
	char **settings = configured ? settings_configured() : NULL;

	if (settings && argc)
		usage("'%s' is too much", argv[0]);
	if (settings && !*settings)
		fail(STATUS_FAILED, "%s: not there, or empty", CONFIGURED);
	if (!settings && !argc)
		usage("nothing to set");
	return settings_apply(settings && !gpu ? "all" : gpu, (const char **)(settings ?: argv));
}

static const struct option_of get_options[] = {
	{ "gpu", 'g', "ID", "of this GPU; needed for NAME where there are several", TEXT, &gpu },
	{ }
};

const struct command cmd_get = {
	.name = "get",
	.run = run_get,
	.options = get_options,
	.operands = "[NAME...|PID...]",
	.summary = "the tunables of a GPU, their ranges and defaults; or what a process was given",
	.about =
		"Without NAME all tunables; with NAME the values alone, one a line. With PID what run,\n"
		"renice or set of that process, and not what its ancestors or its cgroup have.",
};

static const struct option_of set_options[] = {
	{ "gpu", 'g', "ID", "of this GPU; needed where there are several", TEXT, &gpu },
	{ "configured", 'c', NULL, "what " CONFIGURED " has, of all GPUs unless one is named",
	  FLAG, &configured },
	{ }
};

const struct command cmd_set = {
	.name = "set",
	.run = run_set,
	.options = set_options,
	.operands = "[NAME=VALUE...]",
	.summary = "change them: enable=1, policy=timeslice, ...",
	.about = "Until the driver is unloaded; gpreempt(1) tells how to make it last.",
};
