// SPDX-License-Identifier: GPL-2.0
/*
 * A SPANK plugin: srun, sbatch and salloc take --gpu-priority, and the cgroup of the job's step
 * gets it on the node. What a user sends is a wish: what is allowed follows from what slurmctld
 * says of the job, and is asked for anew on the node, where it counts.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/kfd_gpreempt.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

/* What Slurm looks for; all else is hidden, or it might be taken for something of Slurm's. */
#pragma GCC visibility push(default)
#include <slurm/spank.h>
SPANK_PLUGIN(gpreempt, 1)
#pragma GCC visibility pop

#include "../attributes.h"
#include "rules.h"

/* Slurm takes what is above 0, as its own ESPANK_ERROR, for a success. */
#define FAILED		(-1)

#define OPTION		"gpu-priority"
/* What stands for the option: srun in a job's script has the script's. */
#define VARIABLE	"SLURM_GPU_PRIORITY"

static struct rules rules;
static char wish[64];		/* as the user put it, or empty */
static char refusal[256];	/* why the step's tasks do not start, or empty */
static char warning[256];	/* what they are told, or empty */

static int on_option(int val, const char *text, int remote);

static struct spank_option option = {
	OPTION, "low|normal|high|0-15",
	"priority of the job's compute kernels on AMD GPUs, 15 highest", 1, 0, on_option
};

/* On the node a wish that makes no sense is the user's affair, not a failure of the node. */
static int on_option(int val, const char *text, int remote)
{
	char why[256];
	int level;

	snprintf(wish, sizeof(wish), "%s", text ?: "");
	if (remote || !rules_level(&rules, wish, &level, why, sizeof(why)))
		return 0;
	slurm_error("--%s: %s", OPTION, why);
	return -1;
}

int slurm_spank_init(spank_t sp, int argc, char **argv)
{
	char why[256];

	if (rules_parse(&rules, argc, argv, why, sizeof(why))) {
		slurm_error("gpreempt: plugstack.conf: %s", why);
		return FAILED;
	}
	switch (spank_context()) {
	case S_CTX_LOCAL:
	case S_CTX_ALLOCATOR:
	case S_CTX_REMOTE:
		return spank_option_register(sp, &option) ? FAILED : ESPANK_SUCCESS;
	default:
		return ESPANK_SUCCESS;
	}
}

/* Why a level is not allowed in a partition; false if it is. */
static bool refused(int level, const struct rule *rule, char *why, size_t size)
{
	char asked[32], max[32];

	if (level <= rule->max)
		return false;
	snprintf(why, size, "--%s=%s is more than %s%s allows, which is %s", OPTION,
		 rules_name(&rules, level, asked, sizeof(asked)),
		 *rule->name ? "partition " : "this cluster", rule->name,
		 rules_name(&rules, rule->max, max, sizeof(max)));
	return true;
}

/* ---- where a job is submitted ---- */

/* The one that a job is in which names none. */
static const char *default_partition(void)
{
	static char name[256];
	partition_info_msg_t *all;
	uint32_t i;

	if (slurm_load_partitions(0, &all, SHOW_ALL))
		return NULL;
	for (i = 0; i < all->record_count; i++)
		if (all->partition_array[i].flags & PART_FLAG_DEFAULT)
			snprintf(name, sizeof(name), "%s", all->partition_array[i].name);
	slurm_free_partition_info_msg(all);
	return *name ? name : NULL;
}

/*
 * As srun, sbatch and salloc have understood their command lines, scripts and variables, which
 * SPANK does not tell: Slurm's own function says it, if this version has that. NULL: not known,
 * and the node will decide.
 */
static const char *submission_partition(void)
{
	char *(*get)(void *options, const char *name) = dlsym(RTLD_DEFAULT, "slurm_option_get");
	void *options = dlsym(RTLD_DEFAULT, "opt");
	const char *name = NULL;

	/* a step is where its job is */
	if (spank_context() == S_CTX_LOCAL && getenv("SLURM_JOB_ID"))
		return getenv("SLURM_JOB_PARTITION");
	if (get && options)
		name = get(options, "partition");
	return name ?: default_partition();
}

static int check_submission(void)
{
	char why[256];
	const char *partition;
	struct rule rule;
	int level;

	if (!*wish)
		snprintf(wish, sizeof(wish), "%s", getenv(VARIABLE) ?: "");
	if (!*wish)
		return ESPANK_SUCCESS;
	if (rules_level(&rules, wish, &level, why, sizeof(why))) {
		slurm_error("%s: %s", VARIABLE, why);
		return FAILED;
	}
	partition = rules.count ? submission_partition() : NULL;
	rule = partition ? rules_of(&rules, partition) : rules.general;
	/* where it is not known, the node decides */
	if ((partition || !rules.count) && refused(level, &rule, why, sizeof(why))) {
		slurm_error("%s", why);
		return FAILED;
	}
	/* for the shell of salloc */
	setenv(VARIABLE, wish, 1);
	return ESPANK_SUCCESS;
}

/* ---- on the node, as root ---- */

/* What slurmctld says of the step's job: its environment is its user's. */
static struct rule rule_of_job(spank_t sp)
{
	struct rule rule = rules_least(&rules);
	job_info_msg_t *msg;
	uint32_t job;

	if (!rules.count)
		return rules.general;
	if (spank_get_item(sp, S_JOB_ID, &job) || slurm_load_job(&msg, job, SHOW_ALL)) {
		slurm_error("gpreempt: slurmctld does not tell the job's partition: %s; it gets "
			    "what every partition allows", slurm_strerror(errno));
		return rule;
	}
	if (msg->record_count && msg->job_array[0].partition)
		rule = rules_of(&rules, msg->job_array[0].partition);
	slurm_free_job_info_msg(msg);
	return rule;
}

/* The step's cgroup, which is two above that of slurmstepd or its tasks; or -ENOENT. */
static int open_step(void)
{
	char path[PATH_MAX], *name;
	int fd;

	if (cgroup_of_process(getpid(), path, sizeof(path)))
		return -ENOENT;
	while ((name = strrchr(path, '/')) && strncmp(name, "/step_", 6))
		*name = '\0';
	if (!name)
		return -ENOENT;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 && cgroup_is(fd))
		return fd;
	if (fd >= 0)
		close(fd);
	return -ENOENT;
}

/* All that it starts descends from slurmstepd, if Slurm makes no cgroups. */
static int set_level(int level, int ceiling)
{
	struct kfd_ioctl_gpreempt_args args = {
		.op = KFD_GPREEMPT_OP_SET_PROCESS_DEFAULT, .flags = KFD_GPREEMPT_KEEP_TIMESLICE,
		.process_default = {
			.priority = level == LEVEL_NONE ? KFD_GPREEMPT_NONE : (uint32_t)level,
			.ceiling = ceiling,
		},
	};
	int fd = open_step(), ret;

	if (fd >= 0) {
		args.flags |= KFD_GPREEMPT_CGROUP;
		args.cgroup_fd = fd;
	} else {
		args.pid = getpid();
	}
	ret = attributes_set(&args);
	if (fd >= 0)
		close(fd);
	return ret;
}

static const char *driver_error(int error)
{
	switch (-error) {
	case ENXIO:
		return "the node has no AMD GPU, or amdgpu is not loaded";
	case ENOTTY:
		return "the node's amdgpu was built without GPREEMPT";
	case EINVAL:
		return "the node's GPREEMPT is of another version than this plugin";
	case EAGAIN:
		return "a GPU of the node is being reset";
	default:
		return strerror(-error);
	}
}

/*
 * A node without a GPU has nothing to do for a job that asks for nothing. What any user could bring
 * about ends the tasks: a step that fails here would drain its node.
 */
static int node_failed(int error, bool asked)
{
	bool no_gpu = error == -ENXIO;
	bool no_driver = error == -ENOTTY || error == -EINVAL;

	if (no_gpu && !asked)
		return ESPANK_SUCCESS;
	slurm_error("gpreempt: %s", driver_error(error));
	if (!*refusal && (no_gpu ? rules.required : !no_driver))
		snprintf(refusal, sizeof(refusal), "--%s: %s", OPTION, driver_error(error));
	else if (asked)
		snprintf(warning, sizeof(warning), "--%s has no effect: %s", OPTION,
			 driver_error(error));
	return no_driver && rules.required ? FAILED : ESPANK_SUCCESS;
}

static int set_step(spank_t sp)
{
	struct rule rule = rule_of_job(sp);
	int level = rule.standard, ceiling, error;
	bool asked;

	if (!*wish)
		spank_getenv(sp, VARIABLE, wish, sizeof(wish));
	asked = *wish;
	if (asked) {
		if (rules_level(&rules, wish, &level, refusal, sizeof(refusal)) ||
		    refused(level, &rule, refusal, sizeof(refusal)))
			level = rule.standard;
		else
			spank_setenv(sp, VARIABLE, wish, 1);
	}
	ceiling = level == LEVEL_NONE ? rule.max : level;
	error = set_level(level, ceiling);
	return error ? node_failed(error, asked) : ESPANK_SUCCESS;
}

int slurm_spank_init_post_opt(spank_t sp, int argc, char **argv)
{
	switch (spank_context()) {
	case S_CTX_LOCAL:
	case S_CTX_ALLOCATOR:
		return check_submission();
	case S_CTX_REMOTE:
		return set_step(sp);
	default:
		return ESPANK_SUCCESS;
	}
}

/* Here a task ends, and its user reads why; before, the step would, and drain its node. */
int slurm_spank_task_init(spank_t sp, int argc, char **argv)
{
	if (*warning)
		slurm_error("gpreempt: warning: %s", warning);
	if (!*refusal)
		return ESPANK_SUCCESS;
	slurm_error("gpreempt: %s", refusal);
	return FAILED;
}
