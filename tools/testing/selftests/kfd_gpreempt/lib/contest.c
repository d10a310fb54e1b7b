// SPDX-License-Identifier: GPL-2.0
/* LOW in this process, preempted for HIGH in another: where many tests begin. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "contest.h"
#include "gpreempt.h"

static int run_rival(struct rival *rival, __u32 priority, unsigned int groups)
{
	struct until_job job;
	struct aql_queue q;
	struct client c;

	if (client_open(&c) || aql_create(&q, &c.dev, 64, priority) || until_job_init(&c, &job))
		return 1;
	if (!groups)
		groups = priority == PRIORITY_HIGH ? 2 * c.dev.cus : c.dev.cus;
	while (!rival->leave) {
		if (rival->run && !rival->running) {
			*job.stop = 0;
			aql_signal_init(job.signal, 1, NULL);
			aql_dispatch(&q, &c.until, groups * 64, 64, job.args, job.signal);
			rival->running = 1;
		} else if (!rival->run && rival->running) {
			until_job_stop(&job);
			if (until_job_wait(&c, &job, CLIENT_TIMEOUT_MS))
				return 2;
			rival->running = 0;
		}
		usleep(1000);
	}
	execl("/bin/sleep", "sleep", "600", NULL);
	return 3;
}

int rival_start(struct rival **rival, pid_t *pid, __u32 priority, unsigned int groups)
{
	*rival = client_shared_page();
	if (!*rival)
		return -ENOMEM;
	*pid = client_fork();
	if (!*pid)
		_exit(run_rival(*rival, priority, groups));
	return *pid < 0 ? -errno : 0;
}

void rival_kill(struct rival *rival, pid_t pid)
{
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	if (rival)
		munmap(rival, KFD_PAGE);
}

int rival_run(struct rival *rival, int run)
{
	unsigned int ms;

	rival->run = run;
	for (ms = 0; rival->running != run; ms++) {
		if (ms > CLIENT_TIMEOUT_MS)
			return -ETIME;
		usleep(1000);
	}
	return 0;
}

int contest_open(struct contest *ct)
{
	int ret = gpreempt_begin();

	if (!ret)
		ret = rival_start(&ct->rival, &ct->pid, PRIORITY_HIGH, 0);
	return ret ? ret : client_open(&ct->c);
}

int contest_init(struct contest *ct)
{
	__u32 n;
	int ret;

	ret = aql_create(&ct->queue, &ct->c.dev, 64, PRIORITY_LOW);
	if (ret)
		return ret;
	n = low_calibrate(&ct->c, &ct->queue, CONTEST_LOW_MS);
	if (!n)
		return -EIO;
	ret = low_job_init(&ct->c, &ct->job, ct->c.dev.cus, n);
	/* rule 3 is not what is tested */
	if (!ret)
		ret = gpreempt_set("starvation_ms", 60000);
	if (!ret)
		ret = gpreempt_set("enable", 1);
	return ret;
}

int contest_begin(struct contest *ct)
{
	int ret = contest_open(ct);

	ret = ret ?: contest_init(ct);
	return ret ?: contest_preempt(ct);
}

int contest_preempt(struct contest *ct)
{
	long long before = gpreempt_number("stats/preemptions");
	int ret;

	ct->resumes = gpreempt_number("stats/resumes");
	low_job_start(&ct->c, &ct->job, &ct->queue);
	usleep(CONTEST_LOW_MS * 1000 / 10);
	ret = rival_run(ct->rival, 1);
	/* on the machine it ends */
	while (!ret && gpreempt_number("stats/preemptions") == before) {
		if (!ct->job.signal->value)
			return -ECHILD;
		usleep(1000);
	}
	return ret;
}

bool contest_low_is_off(struct contest *ct)
{
	/* on the machine it would end in half of this */
	return low_job_wait(&ct->c, &ct->job, 4 * CONTEST_LOW_MS) == -ETIME &&
	       gpreempt_number("stats/resumes") == ct->resumes;
}

int contest_finish(struct contest *ct)
{
	int ret;

	ret = rival_run(ct->rival, 0);
	if (!ret)
		ret = low_job_wait(&ct->c, &ct->job, CLIENT_TIMEOUT_MS);
	if (!ret && low_job_wrong(&ct->job))
		ret = -EILSEQ;
	return ret;
}

/* Of some tries the shortest: others that want the driver's lock make them longer. */
#define TRIES	3

long long contest_save_ns(struct contest *ct)
{
	long long least = LLONG_MAX, ns;
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < TRIES; i++) {
		/* the longest save is that since then */
		ret = gpreempt_set("enable", 0);
		ret = ret ?: gpreempt_set("enable", 1);
		ret = ret ?: contest_preempt(ct);
		ns = gpreempt_number("stats/save_ns_max");
		ret = ret ?: contest_finish(ct);
		least = ns < least ? ns : least;
	}
	return ret ?: least;
}

long long contest_stock_ns(struct contest *ct)
{
	long long least = LLONG_MAX, ns;
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < TRIES; i++) {
		low_job_start(&ct->c, &ct->job, &ct->queue);
		usleep(CONTEST_LOW_MS * 1000 / 10);
		ns = kfd_now();
		ret = aql_update(&ct->queue, 0, PRIORITY_LOW);
		ns = kfd_now() - ns;
		ret = ret ?: aql_update(&ct->queue, 100, PRIORITY_LOW);
		ret = ret ?: contest_finish(ct);
		least = ns < least ? ns : least;
	}
	return ret ?: least;
}

/* What the quantum of guest and model, and a wait for a lock, make of a time. */
#define BLUR_NS		15000

bool contest_longer_by(long long ns, long long other_ns, long long us)
{
	if (!gpu_model_figures())
		return ns > 0 && other_ns > 0;
	return ns > 0 && other_ns > 0 && llabs(ns - other_ns - us * 1000) < BLUR_NS;
}

void contest_close(struct contest *ct)
{
	rival_kill(ct->rival, ct->pid);
	gpreempt_end();
	if (ct->c.dev.fd > 0)
		client_close(&ct->c);
}
