// SPDX-License-Identifier: GPL-2.0
/*
 * gpreempt report: what somebody who looks into a bug needs to know, as text. It has neither the
 * host's name, nor a serial number, nor what processes are called.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "gpreempt.h"

#define KMSG		"/dev/kmsg"

static FILE *out;

static void section(const char *title)
{
	fprintf(out, "\n== %s ==\n", title);
}

/* A file, called @name, or why it cannot be read; nothing where there is none. */
static void print_file(const char *path, const char *name)
{
	char text[16384];
	int r = read_text(text, sizeof(text), "%s", path);

	if (r != -ENOENT)
		fprintf(out, "%s: %s\n", name, r ? strerror(-r) : text);
}

/* All files below a folder, by their paths in it; of symbolic links none. */
static void print_folder(const char *path, const char *name)
{
	char **names, **p, below[PATH_SIZE], called[PATH_SIZE];
	struct stat st;
	int r = list_names(path, &names);

	if (r) {
		fprintf(out, "%s: %s\n", *name ? name : path, strerror(-r));
		return;
	}
	for (p = names; *p; p++) {
		snprintf(below, sizeof(below), "%s/%s", path, *p);
		snprintf(called, sizeof(called), "%s%s%s", name, *name ? "/" : "", *p);
		if (lstat(below, &st))
			continue;
		if (S_ISDIR(st.st_mode))
			print_folder(below, called);
		else if (S_ISREG(st.st_mode))
			print_file(below, called);
	}
	free_names(names);
}

static void print_versions(void)
{
	struct utsname u;

	fprintf(out, "gpreempt: %s\n", VERSION);
	if (!uname(&u))
		fprintf(out, "kernel: %s %s %s\n", u.release, u.version, u.machine);
	print_file("/proc/sys/kernel/tainted", "tainted");
	print_file(MODULE "/version", "amdgpu version");
	print_file(MODULE "/srcversion", "amdgpu srcversion");
	print_file(MODULE "/taint", "amdgpu taint");
}

/* The numbers by which one GPU, or the GPUs of one machine, are told from all others. */
static bool is_serial(const char *property)
{
	return !strncmp(property, "unique_id ", strlen("unique_id ")) ||
	       !strncmp(property, "hive_id ", strlen("hive_id "));
}

static void print_node(const struct node *n)
{
	char path[PATH_SIZE], text[4096], *line;

	fprintf(out, "\n== GPU %u ==\npci: %s\nname: %s\n", n->gpu_id, n->pci, n->name);
	node_topology(n->gpu_id, "properties", text, sizeof(text));
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		if (!is_serial(line))
			fprintf(out, "property %s\n", line);
	snprintf(path, sizeof(path), NODES "/%u", n->gpu_id);
	print_folder(path, "");
}

static void print_queues(void)
{
	struct queues all = { };
	const struct queue *q;

	queues_read(&all, false);
	fputs("pid gpu queue state asked permitted served timeslice_us weight min cap preemptions "
	      "preempted_ns\n", out);
	for (q = all.q; q < all.q + all.count; q++) {
		if (q->hidden) {
			fprintf(out, "%u %u %u: of another user\n", q->folder, q->gpu_id, q->id);
			continue;
		}
		fprintf(out, "%u %u %u %s %llu %llu %llu %llu %llu %llu %llu %llu %llu\n",
			q->pid, q->gpu_id, q->id, q->state, (unsigned long long)q->priority,
			(unsigned long long)q->permitted, (unsigned long long)q->effective,
			(unsigned long long)q->timeslice_us, (unsigned long long)q->weight,
			(unsigned long long)q->min_percent, (unsigned long long)q->cap_percent,
			(unsigned long long)q->preemptions, (unsigned long long)q->preempted_ns);
	}
}

/*
 * A record of /dev/kmsg: "LEVEL,NUMBER,MICROSECONDS,FLAGS;TEXT", and lines about its device. Of
 * the driver's only: others name the kernel's builder and the boot loader's parameters.
 */
static void print_record(char *record)
{
	static const char *const begins[] = { "amdgpu", "[drm", "kfd", "gpreempt" };
	unsigned long long us;
	char *text = strchr(record, ';');
	unsigned int i;

	if (!text || sscanf(record, "%*u,%*u,%llu", &us) != 1)
		return;
	*text++ = '\0';
	text[strcspn(text, "\n")] = '\0';
	for (i = 0; i < ARRAY_SIZE(begins); i++)
		if (!strncmp(text, begins[i], strlen(begins[i])))
			fprintf(out, "[%5llu.%06llu] %s\n", us / 1000000, us % 1000000, text);
}

static void print_log(void)
{
	int fd = open(KMSG, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char record[8193];
	ssize_t n;

	for (;;) {
		n = fd < 0 ? -1 : read(fd, record, sizeof(record) - 1);
		if (n > 0) {
			record[n] = '\0';
			print_record(record);
		} else if (!n || errno == EAGAIN) {
			break;
		} else if (errno != EPIPE) {	/* that is one that was overwritten */
			fprintf(out, "%s: %s%s\n", KMSG, strerror(errno),
				errno == EPERM || errno == EACCES ? "; root can read it" : "");
			break;
		}
	}
	if (fd >= 0)
		close(fd);
}

static void print_report(void)
{
	struct node *nodes;
	unsigned int n = nodes_list(0, &nodes), i;

	print_versions();
	section("parameters of amdgpu");
	print_folder(MODULE "/parameters", "");
	if (!n) {
		section("no GPU");
		fprintf(out, "%s\n", nodes_absence()->text);
	} else {
		for (i = 0; i < n; i++)
			print_node(&nodes[i]);
		free(nodes);
		section("queues");
		print_queues();
	}
	section("kernel log");
	print_log();
}

static const char *path;

static int run(const struct command *cmd, int argc, char **argv)
{
	if (path)
		output_check(path);
	out = path ? output_open(path) : stdout;
	print_report();
	if (path)
		output_close();
	return 0;
}

static const struct option_of options[] = {
	{ "output", 'o', "FILE", "not to standard output; replaces FILE, as a whole", TEXT, &path },
	{ }
};

const struct command cmd_report = {
	.name = "report",
	.run = run,
	.options = options,
	.summary = "what a bug report has to have, in one file",
	.about = "Versions, parameters, state, tunables and counters of each GPU, queues, and the\n"
		"kernel's messages of amdgpu. It has no host name, no serial number, and no names\n"
		"of processes but those in messages. As root it is complete.",
};
