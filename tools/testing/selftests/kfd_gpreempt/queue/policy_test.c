// SPDX-License-Identifier: GPL-2.0
/*
 * What the policies promise beyond taking a lower queue off for a higher one:
 * each of the 16 levels gives way to all above it, the lowest executes beside one
 * that never ends, processes take turns on a level, no more are taken off than
 * needed, and a change of policy leaves nobody behind.
 */
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "client.h"
#include "gpreempt.h"
#include "gpu_model.h"
#include "ioctl_call.h"
#include "trace.h"

#define EVENTS	"kfd_gpreempt"
#define LEVELS	16

/**
 * struct peer - another process with a queue of priority 7, shared with it
 * @open:	it shall have one
 * @id:		its number, plus one
 * @run:	its endless kernel shall run
 * @stop:	and end
 * @ended:	which it has
 * @rounds:	how far that came
 */
struct peer {
	volatile int open, id, run, ended;
	volatile __u32 stop, rounds;
};

static int run_peer(struct peer *p)
{
	struct until_job job;
	struct aql_queue q;
	struct client c;

	while (!p->open)
		usleep(1000);
	if (client_open(&c) || aql_create(&q, &c.dev, 64, 7) || until_job_init(&c, &job))
		return 1;
	p->id = q.id + 1;
	while (!p->run)
		usleep(1000);
	until_job_start(&c, &job, &q);
	while (!p->stop) {
		p->rounds = job.rounds[0];
		usleep(1000);
	}
	until_job_stop(&job);
	if (until_job_wait(&c, &job, CLIENT_TIMEOUT_MS))
		return 1;
	p->ended = 1;
	while (1)
		pause();
}

FIXTURE(policy) {
	struct peer *peer;
	pid_t pid;
	struct client c;
	struct aql_queue q[LEVELS];
	struct until_job job[LEVELS];
	unsigned int queues, jobs;
	long long before, preemptions;
};

FIXTURE_SETUP(policy)
{
	int ret = gpreempt_begin();

	if (gpreempt_missing(ret))
		SKIP(return, "%s", gpreempt_missing(ret));
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, gpreempt_set("starvation_ms", 60000));
	self->peer = client_shared_page();
	ASSERT_NE(NULL, self->peer);
	self->pid = client_fork();
	ASSERT_LE(0, self->pid);
	if (!self->pid)
		_exit(run_peer(self->peer));
	ASSERT_EQ(0, client_open(&self->c));
	self->before = gpreempt_preempted();
}

FIXTURE_TEARDOWN(policy)
{
	unsigned int i;

	gpreempt_set("enable", 0);
	trace_off(EVENTS);
	if (self->pid > 0) {
		kill(self->pid, SIGKILL);
		waitpid(self->pid, NULL, 0);
	}
	if (self->peer)
		munmap(self->peer, KFD_PAGE);
	if (self->c.dev.fd > 0) {
		/* all of them first: one may keep another from the machine */
		for (i = 0; i < self->jobs; i++)
			until_job_stop(&self->job[i]);
		for (i = 0; i < self->jobs; i++)
			EXPECT_EQ(0, until_job_wait(&self->c, &self->job[i],
						    CLIENT_TIMEOUT_MS));
		/* a second dispatch of a job may still want its arguments */
		while (self->queues)
			EXPECT_EQ(0, aql_destroy(&self->q[--self->queues]));
		while (self->jobs)
			until_job_free(&self->c, &self->job[--self->jobs]);
		client_close(&self->c);
	}
	gpreempt_end();
}

static int start(FIXTURE_DATA(policy) *self, const char *policy, unsigned int n,
		 const __u32 *priority)
{
	unsigned int i;
	int ret;

	for (i = 0; i < n; i++) {
		ret = aql_create(&self->q[i], &self->c.dev, 64, priority[i]);
		if (ret)
			return ret;
		self->queues++;
		ret = until_job_init(&self->c, &self->job[i]);
		if (ret)
			return ret;
		self->jobs++;
		/* nothing to stop yet */
		aql_signal_init(self->job[i].signal, 0, NULL);
	}
	self->preemptions = gpreempt_number("stats/preemptions");
	ret = gpreempt_write("policy", policy);
	return ret ?: gpreempt_set("enable", 1);
}

/* The same, and one queue more, of another process. */
static int start_with_peer(FIXTURE_DATA(policy) *self, const char *policy, unsigned int n,
			   const __u32 *priority)
{
	__u64 end = kfd_now() + CLIENT_TIMEOUT_MS * 1000000ULL;

	self->job[n].rounds = &self->peer->rounds;
	self->peer->open = 1;
	while (!self->peer->id) {
		if (kfd_now() > end)
			return -ETIME;
		usleep(1000);
	}
	return start(self, policy, n, priority);
}

static void run(FIXTURE_DATA(policy) *self, unsigned int i)
{
	if (i < self->jobs)
		until_job_start(&self->c, &self->job[i], &self->q[i]);
	else
		self->peer->run = 1;
}

static int end_peer(FIXTURE_DATA(policy) *self)
{
	__u64 end = kfd_now() + CLIENT_TIMEOUT_MS * 1000000ULL;

	self->peer->stop = 1;
	while (!self->peer->ended) {
		if (kfd_now() > end)
			return -ETIME;
		usleep(1000);
	}
	return 0;
}

/* Wait until so many are preempted; 0 or -ETIME. */
static int preempted(FIXTURE_DATA(policy) *self, long long n)
{
	__u64 end = kfd_now() + CLIENT_TIMEOUT_MS * 1000000ULL;

	while (gpreempt_preempted() - self->before != n) {
		if (kfd_now() > end)
			return -ETIME;
		usleep(1000);
	}
	return 0;
}

static const __u32 low_high[] = { PRIORITY_LOW, PRIORITY_HIGH };

/*
 * Rule 3: the lowest queue executes instructions, again and again, beside the
 * highest, whose kernel never ends and which has another one behind it.
 */
TEST_F_TIMEOUT(policy, lowest_executes, 60)
{
	unsigned int i, moved = 0;
	__u32 last, now;

	ASSERT_EQ(0, start(self, "strict", 2, low_high));
	run(self, 0);
	ASSERT_EQ(0, until_job_moves(&self->job[0]));
	run(self, 1);
	aql_dispatch(&self->q[1], &self->c.until, self->c.dev.cus * 64, 64,
		     self->job[1].args, NULL);
	ASSERT_EQ(0, until_job_moves(&self->job[1]));
	ASSERT_EQ(0, preempted(self, 1));
	/* without the rule it stands still */
	last = self->job[0].rounds[0];
	usleep(300000);
	EXPECT_EQ(last, self->job[0].rounds[0]);

	ASSERT_EQ(0, gpreempt_set("starvation_ms", 50));
	ASSERT_EQ(0, gpreempt_set("min_residency_us", 10000));
	for (i = 0; i < 10; i++) {
		/* eight times a residency, two saves and two scans */
		usleep((gpu_model_figures() ? 8 * (10 + 3) : 200) * 1000);
		now = self->job[0].rounds[0];
		moved += now != last;
		last = now;
	}
	EXPECT_LE(gpu_model_figures() ? i : i / 2, moved);
	EXPECT_EQ(0, until_job_moves(&self->job[1]));
}

/* Does only this one of the kernels come forward? It has to, the others must not. */
static bool alone(FIXTURE_DATA(policy) *self, unsigned int i)
{
	__u32 before[LEVELS];
	unsigned int n;

	for (n = 0; n < self->jobs; n++)
		before[n] = self->job[n].rounds[0];
	if (until_job_moves(&self->job[i]))
		return false;
	for (n = 0; n < self->jobs; n++)
		if (n != i && self->job[n].rounds[0] != before[n])
			return false;
	return true;
}

/* How many queues of a level were taken off, or -errno. */
static long long level_preemptions(unsigned int level)
{
	char name[32];

	snprintf(name, sizeof(name), "level%u/preemptions", level);
	return gpreempt_number(name);
}

/*
 * A kernel that fills the machine on each level. Upwards each takes the machine
 * from the one below; downwards, as they end, each leaves it to the next one.
 * In between all 16 want it at once, in an order that is not that of their levels.
 */
TEST_F_TIMEOUT(policy, levels, 120)
{
	long long taken_off[LEVELS], all = gpreempt_number("stats/preemptions");
	__u32 priority[LEVELS];
	unsigned int i;

	for (i = 0; i < LEVELS; i++) {
		priority[i] = i;
		taken_off[i] = level_preemptions(i);
	}
	ASSERT_EQ(0, start(self, "strict", LEVELS, priority));
	for (i = 0; i < LEVELS; i++) {
		run(self, i);
		ASSERT_EQ(0, until_job_moves(&self->job[i])) TH_LOG("level %u", i);
		ASSERT_EQ(0, gpreempt_wait_number("stats/preemptions", all + i, CLIENT_TIMEOUT_MS))
			TH_LOG("level %u", i);
		/* they come back in 10 ms, and have nothing of the machine */
		if (gpu_model_figures())
			EXPECT_EQ(i, gpreempt_preempted() - self->before) TH_LOG("level %u", i);
		EXPECT_TRUE(alone(self, i)) TH_LOG("level %u", i);
	}
	for (i = 0; i < LEVELS; i++) {
		taken_off[i] = level_preemptions(i) - taken_off[i];
		EXPECT_EQ(i < LEVELS - 1, gpu_model_figures() ? taken_off[i] : taken_off[i] > 0)
			TH_LOG("level %u: %lld times", i, taken_off[i]);
	}
	for (i = LEVELS; i--; ) {
		EXPECT_TRUE(alone(self, i)) TH_LOG("level %u", i);
		until_job_stop(&self->job[i]);
		ASSERT_EQ(0, until_job_wait(&self->c, &self->job[i], CLIENT_TIMEOUT_MS));
		if (i)
			ASSERT_EQ(0, until_job_moves(&self->job[i - 1])) TH_LOG("level %u", i - 1);
	}

	ASSERT_EQ(0, gpreempt_write("policy", "none"));
	for (i = 0; i < LEVELS; i++)
		run(self, i * 7 % LEVELS);
	ASSERT_EQ(0, gpreempt_write("policy", "strict"));
	for (i = LEVELS; i--; ) {
		ASSERT_EQ(0, until_job_moves(&self->job[i])) TH_LOG("level %u", i);
		until_job_stop(&self->job[i]);
		ASSERT_EQ(0, until_job_wait(&self->c, &self->job[i], CLIENT_TIMEOUT_MS));
		if (i + 1 < LEVELS)
			EXPECT_LE(self->job[i + 1].signal->end_ts, self->job[i].signal->end_ts);
	}
	EXPECT_EQ(0, preempted(self, 0));
}

static const __u32 equal[] = { 7, 7 };

/* Two processes whose kernels never end and need the machine: one after the other. */
TEST_F_TIMEOUT(policy, turns, 180)
{
	__u32 before[2], rounds[2];
	long long turns;
	unsigned int i;
	__u64 end;

	ASSERT_EQ(0, gpreempt_set("level7/timeslice_us", 20000));
	ASSERT_EQ(0, start_with_peer(self, "strict", 1, equal));
	run(self, 0);
	ASSERT_EQ(0, until_job_moves(&self->job[0]));
	run(self, 1);
	/* strict does not care */
	usleep(200000);
	EXPECT_EQ(0, self->job[1].rounds[0]);
	EXPECT_EQ(self->preemptions, gpreempt_number("stats/preemptions"));

	ASSERT_EQ(0, gpreempt_write("policy", "timeslice"));
	ASSERT_EQ(0, until_job_moves(&self->job[1]));
	ASSERT_EQ(0, until_job_moves(&self->job[0]));
	self->preemptions = gpreempt_number("stats/preemptions");
	for (i = 0; i < 2; i++)
		before[i] = self->job[i].rounds[0];
	usleep(2000000);
	for (i = 0; i < 2; i++)
		rounds[i] = self->job[i].rounds[0] - before[i];
	turns = gpreempt_number("stats/preemptions") - self->preemptions;
	TH_LOG("rounds: %u and %u, %lld preemptions", rounds[0], rounds[1], turns);
	/* half for each, a preemption after each 20 ms with the next scan, and a transaction */
	if (gpu_model_figures()) {
		EXPECT_GE(51 * (rounds[0] + rounds[1]), 100 * rounds[0]);
		EXPECT_GE(51 * (rounds[0] + rounds[1]), 100 * rounds[1]);
		EXPECT_LE(93, turns);
		EXPECT_GE(100, turns);
	} else {
		EXPECT_LE(5, turns);
	}

	/*
	 * One alone is left alone, once it is clear that the other has nothing to do: in less than
	 * a turn, also where times do not count.
	 */
	ASSERT_EQ(0, end_peer(self));
	ASSERT_EQ(0, gpreempt_set("blocked_us", 2000));
	end = kfd_now() + gpu_model_limit(1000) * 1000000ULL;
	do {
		self->preemptions = gpreempt_number("stats/preemptions");
		usleep(200000);
	} while (self->preemptions != gpreempt_number("stats/preemptions") && kfd_now() < end);
	EXPECT_EQ(self->preemptions, gpreempt_number("stats/preemptions"));
	ASSERT_EQ(0, preempted(self, 0));
}

/*
 * It is the level that the queues are served at whose timeslice counts, not the one that
 * they were created with.
 */
TEST_F_TIMEOUT(policy, turns_of_a_level, 60)
{
	long long of_level = level_preemptions(9);

	if (geteuid())
		SKIP(return, "not root");
	ASSERT_EQ(0, gpreempt_set("level7/timeslice_us", 20000));
	ASSERT_EQ(0, gpreempt_set("level9/timeslice_us", 0));
	ASSERT_EQ(0, start_with_peer(self, "timeslice", 1, equal));
	ASSERT_EQ(9, gpreempt_set_priority(&self->c.dev, 0, self->q[0].id, 9));
	ASSERT_EQ(9, gpreempt_set_priority(&self->c.dev, self->pid, self->peer->id - 1, 9));
	run(self, 0);
	ASSERT_EQ(0, until_job_moves(&self->job[0]));
	run(self, 1);
	usleep(200000);
	EXPECT_EQ(0, self->job[1].rounds[0]);
	EXPECT_EQ(self->preemptions, gpreempt_number("stats/preemptions"));

	ASSERT_EQ(0, gpreempt_set("level7/timeslice_us", 0));
	ASSERT_EQ(0, gpreempt_set("level9/timeslice_us", 40000));
	ASSERT_EQ(0, until_job_moves(&self->job[1]));
	ASSERT_EQ(0, until_job_moves(&self->job[0]));
	usleep(2000000);
	ASSERT_EQ(0, gpreempt_set("enable", 0));
	self->preemptions = gpreempt_number("stats/preemptions") - self->preemptions;
	/* a preemption after each 40 ms, or with the next scan; some before that time */
	EXPECT_LE(gpu_model_figures() ? 48 : 5, self->preemptions);
	EXPECT_GE(55, self->preemptions);
	EXPECT_EQ(self->preemptions, level_preemptions(9) - of_level);
}

/* A queue is counted on the level that it has, which is not what its application asks for. */
TEST_F_TIMEOUT(policy, level_of_its_own, 60)
{
	long long asked, set;

	ASSERT_EQ(0, start(self, "strict", 2, low_high));
	ASSERT_EQ(3, gpreempt_set_priority(&self->c.dev, 0, self->q[0].id, 3));
	asked = level_preemptions(PRIORITY_LOW);
	set = level_preemptions(3);
	run(self, 0);
	ASSERT_EQ(0, until_job_moves(&self->job[0]));
	run(self, 1);
	ASSERT_EQ(0, preempted(self, 1));
	EXPECT_EQ(asked, level_preemptions(PRIORITY_LOW));
	EXPECT_EQ(set + 1, level_preemptions(3));
}

/* How much of what two endless kernels do in a while the first of them does, in percent. */
static unsigned int share(FIXTURE_DATA(policy) *self)
{
	__u32 before[2], rounds[2];
	unsigned int i;

	for (i = 0; i < 2; i++)
		before[i] = self->job[i].rounds[0];
	usleep(4000000);
	for (i = 0; i < 2; i++)
		rounds[i] = self->job[i].rounds[0] - before[i];
	return 100ULL * rounds[0] / (rounds[0] + rounds[1] ?: 1);
}

/*
 * A queue's own timeslice is longer than its level's, and so are its turns. Then both
 * processes' default is that long, which a queue's own overrules: it is the other one's.
 * Twelve times as long is a share of 92 percent, or 8; in real time less.
 */
TEST_F_TIMEOUT(policy, turns_of_their_own, 60)
{
	struct kfd_dev *dev = &self->c.dev;
	unsigned int own, by_default;

	if (geteuid())
		SKIP(return, "not root");
	ASSERT_EQ(0, gpreempt_set("level7/timeslice_us", 20000));
	ASSERT_EQ(0, start_with_peer(self, "timeslice", 1, equal));
	ASSERT_EQ(0, gpreempt_set_timeslice(dev, self->q[0].id, 240000));
	run(self, 0);
	ASSERT_EQ(0, until_job_moves(&self->job[0]));
	run(self, 1);
	ASSERT_EQ(0, until_job_moves(&self->job[1]));
	own = share(self);

	ASSERT_EQ(0, gpreempt_set_default_timeslice(dev, 0, 240000));
	ASSERT_EQ(0, gpreempt_set_default_timeslice(dev, self->pid, 240000));
	ASSERT_EQ(0, gpreempt_set_timeslice(dev, self->q[0].id, 20000));
	by_default = share(self);

	TH_LOG("%u and %u percent", own, by_default);
	EXPECT_LE(gpu_model_figures() ? 90 : 67, own);
	EXPECT_GE(gpu_model_figures() ? 10 : 33, by_default);
}

/*
 * What the first @n do together in a second, once the peer's has ended; which of one process's
 * fill the machine is open. Not preempted: where times do not count, blocked_us is longer than a
 * turn, and one that ended has turns until then.
 */
static __u32 rounds_alone(FIXTURE_DATA(policy) *self, unsigned int n)
{
	__u32 before = 0, after = 0;
	unsigned int i;

	usleep(100000);
	for (i = 0; i < n; i++)
		before += self->job[i].rounds[0];
	usleep(1000000);
	for (i = 0; i < n; i++)
		after += self->job[i].rounds[0];
	return after - before;
}

/* Turns are the process's, however many of its queues have work: half for each of two. */
TEST_F_TIMEOUT(policy, turns_of_a_process, 60)
{
	static const __u32 several[] = { 7, 7, 7, 7 };
	__u32 before, rounds, alone;
	unsigned int i;

	ASSERT_EQ(0, gpreempt_set("level7/timeslice_us", 20000));
	ASSERT_EQ(0, start_with_peer(self, "timeslice", 4, several));
	for (i = 0; i < 5; i++)
		run(self, i);
	ASSERT_EQ(0, until_job_moves(&self->job[4]));
	before = self->job[4].rounds[0];
	usleep(2000000);
	rounds = self->job[4].rounds[0] - before;
	ASSERT_EQ(0, end_peer(self));
	ASSERT_EQ(0, gpreempt_set("enable", 0));
	/* alone, in half that time */
	alone = rounds_alone(self, 4);
	TH_LOG("%u rounds in two seconds, and all of a second are %u", rounds, alone);
	EXPECT_GE(gpu_model_figures() ? 104 * alone : 150 * alone, 100 * rounds);
	EXPECT_LE(gpu_model_figures() ? 92 * alone : 25 * alone, 100 * rounds);
}

/*
 * Under fair each process has its part of the time, however many of its queues have work: by
 * weight, no less than its minimum, no more than its cap. A save is at the expense of the one
 * for which it is made.
 */
TEST_F_TIMEOUT(policy, fair_shares, 120)
{
	static const __u32 several[] = { 7, 7, 7, 7 };
	static const struct {
		const char *what;
		struct { __u32 weight, min, cap; } own, peer;
		unsigned int percent;		/* that the peer has */
	} c[] = {
		{ "equal", { 100 }, { 100 }, 50 }, { "1:3", { 300 }, { 100 }, 25 },
		{ "3:1", { 100 }, { 300 }, 75 }, { "1:8", { 800 }, { 100 }, 11 },
		{ "minimum", { 300 }, { 100, 60 }, 60 }, { "cap", { 100 }, { 300, 0, 30 }, 30 },
		/* it is a child */
		{ "cap of both", { 100, 0, 20 }, { 100, 0, 30 }, 20 },
	};
	const __u32 all = KFD_GPREEMPT_SET_WEIGHT | KFD_GPREEMPT_SET_MIN | KFD_GPREEMPT_SET_CAP;
	struct kfd_dev *dev = &self->c.dev;
	__u32 before, rounds[ARRAY_SIZE(c)], alone;
	unsigned int i;
	double percent;

	if (geteuid())
		SKIP(return, "not root");
	ASSERT_EQ(0, gpreempt_set("level7/timeslice_us", 20000));
	ASSERT_EQ(0, start_with_peer(self, "fair", 4, several));
	for (i = 0; i < 5; i++)
		run(self, i);
	ASSERT_EQ(0, until_job_moves(&self->job[4]));
	for (i = 0; i < ARRAY_SIZE(c); i++) {
		ASSERT_EQ(0, gpreempt_set_share(dev, 0, all, c[i].own.weight, c[i].own.min,
						c[i].own.cap));
		ASSERT_EQ(0, gpreempt_set_share(dev, self->pid, all, c[i].peer.weight,
						c[i].peer.min, c[i].peer.cap));
		usleep(gpu_model_rounds(300) * 1000);
		before = self->job[4].rounds[0];
		usleep(gpu_model_rounds(2000) * 1000);
		rounds[i] = self->job[4].rounds[0] - before;
	}
	ASSERT_EQ(0, gpreempt_set_share(dev, 0, all, 100, 0, 0));
	ASSERT_EQ(0, end_peer(self));
	ASSERT_EQ(0, gpreempt_set("enable", 0));
	alone = 2 * rounds_alone(self, 4);
	for (i = 0; i < ARRAY_SIZE(c); i++) {
		percent = 100.0 * rounds[i] / alone;
		TH_LOG("%s: %.1f %% of %u %%", c[i].what, percent, c[i].percent);
		if (!gpu_model_figures())
			continue;
		EXPECT_GE(c[i].percent + 2, percent);
		EXPECT_LE(c[i].percent - 2, percent);
	}
}

/* Each policy in its turn on a busy node: nobody stays behind preempted. */
TEST_F_TIMEOUT(policy, change, 60)
{
	static const __u32 priority[] = { PRIORITY_LOW, 7 };
	unsigned int i;

	ASSERT_EQ(0, gpreempt_set("level7/timeslice_us", 1000000));
	ASSERT_EQ(0, start_with_peer(self, "timeslice", 2, priority));
	for (i = 0; i < 3; i++) {
		run(self, i);
		if (i < 2)
			ASSERT_EQ(0, until_job_moves(&self->job[i]));
	}
	for (i = 0; i < 5; i++) {
		/* LOW for the two, and one of the two for the other */
		ASSERT_EQ(0, gpreempt_write("policy", "timeslice"));
		EXPECT_EQ(0, preempted(self, 2));
		ASSERT_EQ(0, gpreempt_write("policy", "strict"));
		EXPECT_EQ(0, preempted(self, 1));
		ASSERT_EQ(0, gpreempt_write("policy", "none"));
		EXPECT_EQ(0, preempted(self, 0));
	}
	/* watch and count only */
	self->preemptions = gpreempt_number("stats/preemptions");
	usleep(100000);
	EXPECT_EQ(self->preemptions, gpreempt_number("stats/preemptions"));
}

/* Two queues, half of the machine each, that do not end. 0 or -errno. */
static int halves(FIXTURE_DATA(policy) *self)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < 2; i++) {
		aql_signal_init(self->job[i].signal, 1, NULL);
		aql_dispatch(&self->q[i], &self->c.until, self->c.dev.cus / 2 * 64, 64,
			     self->job[i].args, self->job[i].signal);
		ret = until_job_moves(&self->job[i]);
	}
	return ret;
}

static const __u32 low_low_high[] = { PRIORITY_LOW, PRIORITY_LOW, PRIORITY_HIGH };

/*
 * Rule 9: each transaction takes everybody off the hardware, so there is one for
 * all that is decided. HIGH has two kernels that fill the machine: both LOW leave.
 */
TEST_F_TIMEOUT(policy, one_transaction, 60)
{
	long long transactions;

	ASSERT_EQ(0, start(self, "none", 3, low_low_high));
	ASSERT_EQ(0, halves(self));
	aql_dispatch(&self->q[2], &self->c.until, self->c.dev.cus * 64, 64,
		     self->job[2].args, NULL);
	run(self, 2);
	transactions = gpreempt_number("stats/transactions");
	ASSERT_EQ(0, gpreempt_write("policy", "strict"));
	EXPECT_EQ(0, preempted(self, 2));
	EXPECT_EQ(1, gpreempt_number("stats/transactions") - transactions);
	transactions = gpreempt_number("stats/transactions");
	until_job_stop(&self->job[2]);
	EXPECT_EQ(0, preempted(self, 0));
	EXPECT_EQ(1, gpreempt_number("stats/transactions") - transactions);
}

/* How many queues the first transaction of a trace takes off. */
static unsigned int first_victims(char *text)
{
	unsigned int n = 0;
	char *line;

	while ((line = trace_line(&text))) {
		if (strstr(line, ": kfd_gpreempt_preempt_begin: "))
			n++;
		else if (n && strstr(line, ": kfd_gpreempt_scan: "))
			break;
	}
	return n;
}

/*
 * How many leave at first for the third queue, whose work, which waits so far, counts
 * its rounds.
 */
static void expect_first_victims(struct __test_metadata *_metadata, unsigned int n,
				 const volatile __u32 *rounds)
{
	__u64 end = kfd_now() + CLIENT_TIMEOUT_MS * 1000000ULL;
	char *text;

	EXPECT_EQ(0, *rounds);
	ASSERT_EQ(0, trace_clear());
	ASSERT_EQ(0, trace_on(EVENTS, "0"));
	ASSERT_EQ(0, gpreempt_write("policy", "strict"));
	while (!*rounds) {
		ASSERT_GT(end, kfd_now());
		usleep(1000);
	}
	ASSERT_EQ(0, trace_off(EVENTS));
	text = trace_read();
	ASSERT_NE(NULL, text);
	EXPECT_EQ(n, first_victims(text));
	free(text);
}

/*
 * Two low queues have half of the machine each, and HIGH wants one compute unit: both leave, as
 * the unmap of the runlist saves each of them anyway.
 */
TEST_F_TIMEOUT(policy, all_that_hold_leave, 60)
{
	ASSERT_EQ(0, start(self, "none", 3, low_low_high));
	ASSERT_EQ(0, halves(self));
	aql_signal_init(self->job[2].signal, 1, NULL);
	aql_dispatch(&self->q[2], &self->c.until, 64, 64, self->job[2].args,
		     self->job[2].signal);
	/* until it is fetched, where it will be */
	usleep(100000);
	expect_first_victims(_metadata, 2, self->job[2].rounds);
	until_job_stop(&self->job[2]);
	EXPECT_EQ(0, preempted(self, 0));
	EXPECT_EQ(0, until_job_moves(&self->job[0]));
	EXPECT_EQ(0, until_job_moves(&self->job[1]));
}

/* What a queue's process has given it, as far as the driver reads it. */
struct given {
	struct aql_amd_queue index;
	struct aql_signal signal[2];
	struct aql_packet packet[64];
};

static void take(struct given *given, const FIXTURE_DATA(policy) *self)
{
	memset(given, 0, sizeof(*given));
	given->index = *self->q[0].amd;
	given->signal[0] = *self->job[0].signal;
	given->signal[1] = *self->job[2].signal;
	memcpy(given->packet, self->q[0].packet, sizeof(given->packet));
}

/* Rule 4: of a queue that is off the hardware, nobody writes anything. */
TEST_F_TIMEOUT(policy, nothing_is_written, 60)
{
	struct aql_signal *dep[5] = {};
	struct given before, after;

	ASSERT_EQ(0, start(self, "strict", 2, low_high));
	/* a dispatch, and behind it a packet that waits for its end */
	ASSERT_EQ(0, until_job_init(&self->c, &self->job[2]));
	self->jobs++;
	run(self, 0);
	dep[0] = self->job[0].signal;
	aql_signal_init(self->job[2].signal, 1, NULL);
	aql_barrier(&self->q[0], AQL_BARRIER_AND, dep, self->job[2].signal);
	ASSERT_EQ(0, until_job_moves(&self->job[0]));
	take(&before, self);
	run(self, 1);
	ASSERT_EQ(0, preempted(self, 1));
	usleep(100000);		/* some scans */
	take(&after, self);
	EXPECT_EQ(1, gpreempt_preempted() - self->before);
	EXPECT_EQ(0, memcmp(&before.index, &after.index, sizeof(before.index)));
	EXPECT_EQ(0, memcmp(before.signal, after.signal, sizeof(before.signal)));
	EXPECT_EQ(0, memcmp(before.packet, after.packet, sizeof(before.packet)));
}

TEST_HARNESS_MAIN
