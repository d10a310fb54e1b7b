// SPDX-License-Identifier: GPL-2.0
/* soak's troubles: what is done to clients, driver, GPU and machine while they work. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client.h"
#include "file.h"
#include "gpreempt.h"
#include "gpu_model.h"
#include "soak.h"

#define FENCE_PARAMETER	"/sys/module/amdgpu/parameters/queue_preemption_timeout_ms"
#define FENCE_MS	"300"	/* how long stock waits for a fence before it resets the GPU */
#define FENCE_DEFAULT	"9000"
#define RESET_MS	60000

static unsigned int draw(unsigned int *seed, unsigned int low, unsigned int high)
{
	return low + rand_r(seed) % (high - low + 1);
}

const char *const soak_troubles[TROUBLES] = {
	[TROUBLE_TUNABLE] = "tunable",
	[TROUBLE_POLICY] = "policy",
	[TROUBLE_OFF] = "off",
	[TROUBLE_KILL] = "kill",
	[TROUBLE_FAULT] = "fault",
	[TROUBLE_RESET] = "reset",
	[TROUBLE_HANG] = "hang",
	[TROUBLE_SLEEP] = "sleep",
};

static void expect(struct soak *s, const char *what, int ret)
{
	if (ret)
		soak_fail(s, "%s: %s", what, strerror(-ret));
}

/* A trouble lasts so long, then it is undone: many leave nothing to preempt. */
static void for_a_moment(struct soak *s, unsigned int *seed)
{
	soak_wait(s, kfd_now() + draw(seed, 20, 300) * 1000000ULL);
}

static void change_tunable(struct soak *s, unsigned int *seed)
{
	static const struct {
		const char *name;
		unsigned int low, high;
	} tunables[] = {
		{ "poll_interval_us", 50, 500 },
		{ "poll_interval_max_us", 50, 20000 },
		{ "starvation_ms", 10, 2000 },
		{ "min_residency_us", 0, 1000 },
		{ "linger_max_us", 0, 2000 },
		{ "blocked_us", 500, 5000 },
		{ "grace_us", 0, 150 },
		{ "priority_cap", 0, 15 },
		{ "level0/timeslice_us", 1000, 20000 },
		{ "level7/timeslice_us", 1000, 20000 },
	};
	unsigned int i = draw(seed, 0, sizeof(tunables) / sizeof(tunables[0]) - 1);
	const char *name = tunables[i].name;
	long long before = gpreempt_number(name);

	expect(s, name, gpreempt_set(name, draw(seed, tunables[i].low, tunables[i].high)));
	for_a_moment(s, seed);
	expect(s, name, gpreempt_set(name, before));
}

static void change_policy(struct soak *s, unsigned int *seed)
{
	static const char *const policies[] = { "none", "strict", "timeslice", "fair" };

	expect(s, "policy", gpreempt_write("policy", policies[draw(seed, 0, 3)]));
	for_a_moment(s, seed);
	expect(s, "policy", gpreempt_write("policy", s->period.policy));
}

static void kill_one(struct soak *s, unsigned int *seed)
{
	unsigned int i = draw(seed, 0, s->period.parts - 1);

	/* of what belongs to somebody else only a whole run says anything */
	if (s->period.part[i].kind == SOAK_PROGRAM)
		return;
	soak_kill(s, i);
	s->period.part[i].seed = rand_r(seed);
	soak_start(s, i);
}

/* For some of them GPREEMPT may give up. */
static void inject(struct soak *s, unsigned int *seed)
{
	char command[48];
	unsigned int kind = draw(seed, 0, 4);

	switch (kind) {
	case 0:
		snprintf(command, sizeof(command), "delay-preemption=%u000",
			 draw(seed, 10, 300));
		break;
	case 1:
		snprintf(command, sizeof(command), "slow-save");
		break;
	case 2:
		snprintf(command, sizeof(command), "refuse-restore");
		break;
	case 3:
		snprintf(command, sizeof(command), "lose-interrupt=181");
		break;
	default:
		snprintf(command, sizeof(command), "stall-wave=%u000", draw(seed, 1, 50));
	}
	s->injected |= kind < 3;
	expect(s, command, gpu_model_say(command, NULL, 0));
	for_a_moment(s, seed);
	expect(s, "enable", gpreempt_set("enable", 1));
}

/* Whatever was under way on the GPU is gone; what was compared before counts. */
static void begin_anew(struct soak *s)
{
	unsigned int i;

	for (i = 0; i < s->period.parts; i++)
		soak_kill(s, i);
	expect(s, "enable", gpreempt_set("enable", 1));
	for (i = 0; i < s->period.parts; i++)
		soak_start(s, i);
}

/* No client may be taken to have failed meanwhile: none is looked at. */
static void reset_gpu(struct soak *s)
{
	char result[32];

	expect(s, s->recover, file_read(s->recover, result, sizeof(result)));
	begin_anew(s);
}

static void hang(struct soak *s)
{
	int fired = gpu_model_fired("hang-preemption");
	unsigned int ms;

	s->injected = true;
	/* whatever came before, something is preempted now */
	expect(s, "enable", gpreempt_set("enable", 1));
	expect(s, "policy", gpreempt_write("policy", "strict"));
	expect(s, FENCE_PARAMETER, file_write(FENCE_PARAMETER, FENCE_MS));
	expect(s, "hang-preemption", gpu_model_say("hang-preemption", NULL, 0));
	expect(s, "a preemption that hangs",
	       gpu_model_wait_fired("hang-preemption", fired + 1, CLIENT_TIMEOUT_MS));
	/* bypassed until the reset has succeeded */
	for (ms = 0; !gpreempt_wait_state("bypassed", 0) || ms < 1000; ms += 10) {
		if (ms > RESET_MS) {
			soak_fail(s, "no reset after a preemption that hung");
			break;
		}
		usleep(10000);
	}
	expect(s, FENCE_PARAMETER, file_write(FENCE_PARAMETER, FENCE_DEFAULT));
	begin_anew(s);
}

static void put_to_sleep(struct soak *s, unsigned int *seed)
{
	char command[256];
	int status;

	snprintf(command, sizeof(command), "%s %s", s->asleep,
		 draw(seed, 0, 1) ? "deep" : "s2idle");
	status = system(command);
	if (status)
		soak_fail(s, "%s: status %d", command, status);
}

void soak_make_trouble(struct soak *s, const struct soak_event *e)
{
	unsigned int seed = e->seed;

	if (e->what == TROUBLE_SLEEP && !s->asleep)
		return;
	s->done[e->what]++;
	switch (e->what) {
	case TROUBLE_TUNABLE:
		change_tunable(s, &seed);
		break;
	case TROUBLE_POLICY:
		change_policy(s, &seed);
		break;
	case TROUBLE_OFF:
		expect(s, "enable", gpreempt_set("enable", 0));
		usleep(draw(&seed, 0, 50000));
		expect(s, "enable", gpreempt_set("enable", 1));
		break;
	case TROUBLE_KILL:
		kill_one(s, &seed);
		break;
	case TROUBLE_FAULT:
		inject(s, &seed);
		break;
	case TROUBLE_RESET:
		reset_gpu(s);
		break;
	case TROUBLE_HANG:
		hang(s);
		break;
	default:
		put_to_sleep(s, &seed);
	}
}
