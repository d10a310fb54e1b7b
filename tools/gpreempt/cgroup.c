// SPDX-License-Identifier: GPL-2.0
/* gpreempt cgroup: what the members of a cgroup may have; and one of its own for gpreempt run. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpreempt.h"

#define OWN_PREFIX	"gpreempt-"
#define TRIES		3

void given_title(const char *of)
{
	printf(" %8s %8s %8s %8s %8s %8s %8s  %s\n", "PRIORITY", "CEILING", "GRANT", "SLICE",
	       "WEIGHT", "MIN%", "CAP%", of);
}

/* Of a priority no number is NONE, of the others 0. */
static void cell(unsigned int number, unsigned int none, double unit, const char *suffix)
{
	char text[16] = "-";

	if (number != none)
		snprintf(text, sizeof(text), "%g%s", number / unit, suffix);
	printf(" %8s", text);
}

void given_print(const struct kfd_gpreempt_process_default *def, const char *name)
{
	cell(def->priority, KFD_GPREEMPT_NONE, 1, "");
	cell(def->ceiling, KFD_GPREEMPT_NONE, 1, "");
	cell(def->grant, KFD_GPREEMPT_NONE, 1, "");
	cell(def->timeslice_us, 0, 1e3, "ms");
	cell(def->weight, 0, 1, "");
	cell(def->min_percent, 0, 1, "");
	cell(def->cap_percent, 0, 1, "");
	printf("  %s\n", name);
}

static int get(int fd, struct kfd_gpreempt_process_default *def)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_GET_DEFAULT, .flags = KFD_GPREEMPT_CGROUP, .cgroup_fd = fd,
	};
	int r = kfd_call(&args);

	*def = args.process_default;
	return r;
}

/* A line, if it has anything; what was removed has nothing. */
static bool show(const char *name, int fd)
{
	static const struct kfd_gpreempt_process_default nothing = {
		KFD_GPREEMPT_NONE, KFD_GPREEMPT_NONE, .grant = KFD_GPREEMPT_NONE,
	};
	struct kfd_gpreempt_process_default def;
	char shown[2 * PATH_SIZE];
	int r = get(fd, &def);

	utf8_shown(shown, sizeof(shown), name);
	if (r == -ENOENT || r == -ENODEV)
		return false;
	if (r)
		fail(STATUS_FAILED, "%s: %s", shown, cgroup_error(r));
	if (!memcmp(&def, &nothing, offsetof(struct kfd_gpreempt_process_default, pad)))
		return false;
	given_print(&def, shown);
	return true;
}

/* It and all below it; what goes meanwhile is not there. */
static unsigned int show_all(const char *name, int fd)
{
	unsigned int shown = show(name, fd);
	DIR *dir = fdopendir(dup(fd));
	char below[2 * PATH_SIZE];
	struct dirent *e;
	int sub;

	while (dir && (e = readdir(dir))) {
		if (e->d_type != DT_DIR || e->d_name[0] == '.')
			continue;
		sub = openat(fd, e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (sub < 0)
			continue;
		snprintf(below, sizeof(below), "%s%s%s", name, strcmp(name, "/") ? "/" : "",
			 e->d_name);
		shown += show_all(below, sub);
		close(sub);
	}
	if (dir)
		closedir(dir);
	return shown;
}

static int show_from(const char *path)
{
	struct kfd_gpreempt_process_default def;
	int fd = cgroup_open(path ?: "/");

	/* without a driver that is the end, and no table begins */
	get(fd, &def);
	given_title("CGROUP");
	if (!show_all(path ?: "/", fd))
		warn("no cgroup here has anything of its own; 'gpreempt cgroup --help'");
	close(fd);
	return 0;
}

static struct kfd_ioctl_gpreempt_args given = CGROUP_KEEPS_ALL;
static bool shows;

static int run(const struct command *cmd, int argc, char **argv)
{
	bool sets = given.flags != (KFD_GPREEMPT_CGROUP | KEEP_ALL);
	int i, r, status = 0;

	if (shows && sets)
		usage("--show sets nothing");
	if (shows && argc > 1)
		usage("--show takes one cgroup, and shows those below it, too");
	if (shows)
		return show_from(argv[0]);
	if (!sets)
		usage("neither a priority nor a ceiling, a grant, a timeslice or a share");
	if (!argc)
		usage("no cgroup");
	for (i = 0; i < argc; i++) {
		r = cgroup_set(argv[i], &given);
		if (r) {
			warn("%s: %s", argv[i], cgroup_error(r));
			status = STATUS_FAILED;
		}
	}
	return status;
}

void cgroup_find(unsigned int pid, uint64_t number, char *path, size_t size)
{
	const char *root = cgroup_mount_point();
	char dir[PATH_MAX], *slash;
	struct stat st;

	*path = '\0';
	if (!root || cgroup_of_process(pid, dir, sizeof(dir)))
		return;
	/* the root has no default: the search ends there */
	while (strlen(dir) > strlen(root)) {
		if (!stat(dir, &st) && st.st_ino == number) {
			utf8_text(path, size, dir + strlen(root));
			return;
		}
		slash = strrchr(dir, '/');
		*slash = '\0';
	}
}

/* Those of commands that have ended, with all that they had started, and with those in them. */
static void remove_old(int parent)
{
	DIR *dir = fdopendir(openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	struct dirent *e;
	int below;

	while (dir && (e = readdir(dir))) {
		if (strncmp(e->d_name, OWN_PREFIX, strlen(OWN_PREFIX)))
			continue;
		below = openat(parent, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (below < 0)
			continue;
		remove_old(below);
		close(below);
		unlinkat(parent, e->d_name, AT_REMOVEDIR);
	}
	if (dir)
		closedir(dir);
}

/* Whoever owns a directory may put another one in the place of what is in it. */
static bool owns(int dir)
{
	struct stat st;

	return !fstat(dir, &st) && st.st_uid == geteuid();
}

static int set_and_enter(int cgroup, unsigned int pid, struct kfd_ioctl_gpreempt_args *args)
{
	char text[16];
	int fd, n, r;

	args->cgroup_fd = cgroup;
	r = kfd_call(args);
	if (r)
		return r;
	fd = openat(cgroup, "cgroup.procs", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = snprintf(text, sizeof(text), "%u", pid);
	r = write(fd, text, n) == n ? 0 : -errno;
	close(fd);
	return r;
}

/* Another one may take it for an old one before anybody is in it, and one may be there. */
static int enter_new_in(int parent, unsigned int pid, struct kfd_ioctl_gpreempt_args *args)
{
	char name[32];
	int r = -EPERM, cgroup, n;

	if (!owns(parent))
		return r;
	remove_old(parent);
	for (n = 0; n < TRIES; n++) {
		snprintf(name, sizeof(name), n ? OWN_PREFIX "%u.%d" : OWN_PREFIX "%u", pid, n);
		if (mkdirat(parent, name, 0755)) {
			r = -errno;
			if (r != -EEXIST)
				return r;
			continue;
		}
		cgroup = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		r = cgroup < 0 ? -errno : owns(cgroup) ? set_and_enter(cgroup, pid, args) : -EPERM;
		if (cgroup >= 0)
			close(cgroup);
		if (!r)
			return 0;
		unlinkat(parent, name, AT_REMOVEDIR);
		if (r != -ENOENT && r != -ENODEV)
			return r;
	}
	return r;
}

int cgroup_enter_new(unsigned int pid, const struct kfd_ioctl_gpreempt_args *of_process)
{
	const struct kfd_gpreempt_process_default *def = &of_process->process_default;
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_SET_PROCESS_DEFAULT, .flags = KFD_GPREEMPT_CGROUP,
		.process_default = {
			.priority = def->priority,
			.ceiling = def->ceiling,
			.timeslice_us = def->timeslice_us,
		},
	};
	char path[PATH_MAX];
	int r, parent;

	/* A share is each process's own. */
	if (def->priority == KFD_GPREEMPT_NONE && def->ceiling == KFD_GPREEMPT_NONE &&
	    !def->timeslice_us)
		return 0;
	r = cgroup_of_process(pid, path, sizeof(path));
	if (r)
		return r;
	parent = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (parent < 0)
		return -errno;
	r = enter_new_in(parent, pid, &args);
	close(parent);
	return r;
}

int cgroup_renice(unsigned int pid, const struct kfd_ioctl_gpreempt_args *of_process)
{
	const unsigned int share = KFD_GPREEMPT_SET_WEIGHT | KFD_GPREEMPT_SET_MIN |
				   KFD_GPREEMPT_SET_CAP;
	struct kfd_ioctl_gpreempt_args args = *of_process;
	char path[PATH_MAX], name[32];
	const char *own;
	int r;

	snprintf(name, sizeof(name), OWN_PREFIX "%u", pid);
	if (cgroup_of_process(pid, path, sizeof(path)))
		return 0;
	own = strrchr(path, '/') + 1;
	if (strncmp(own, name, strlen(name)) || (own[strlen(name)] && own[strlen(name)] != '.'))
		return 0;
	args.flags = (args.flags & ~share) | KFD_GPREEMPT_CGROUP;
	args.process_default.weight = 0;
	args.process_default.min_percent = 0;
	args.process_default.cap_percent = 0;
	args.pid = 0;
	args.cgroup_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (args.cgroup_fd < 0)
		return -errno;
	r = kfd_call(&args);
	close(args.cgroup_fd);
	return r;
}

static const struct option_of options[] = {
	{ "show", 's', NULL, "those that have something, from PATH down", FLAG, &shows },
	{ }
};

const struct command cmd_cgroup = {
	.name = "cgroup",
	.run = run,
	.given = &given,
	.options = options,
	.operands = "[PATH...]",
	.summary = "what the members of a cgroup have and may ask for",
	.about =
		"For all processes in the cgroup (version 2) and in those below it, whoever starts\n"
		"them and whoever their parents are. PATH is its name below the mount point, as\n"
		"system.slice, or, with a / at the front, its directory. What is not named stays as\n"
		"it was.",
	.notes = "The owner of the directory may lower what is there; all else needs CAP_SYS_NICE.",
};
