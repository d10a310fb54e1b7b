// SPDX-License-Identifier: GPL-2.0
/* Fault knobs; see fault.h. One device a process, so they are here. */
#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/fault.h"
#include "host/log.h"
#include "host/params.h"

#define SLOW_SAVE_NS	(300000 * NS_PER_US)

enum arg_kind { ARG_NONE, ARG_OPTIONAL, ARG_NEEDED };

/**
 * struct knob - one fault
 * @name:	as commands spell it
 * @arg:	whether it takes an argument
 * @unit:	what that is
 * @max:	its greatest value, 0: of 32 bits
 * @what:	what happens, for people
 * @armed:	times left
 * @fired:	times it happened
 * @value:	its argument or FAULT_NO_ARG; written before @armed
 */
struct knob {
	const char *name;
	enum arg_kind arg;
	const char *unit;
	u64 max;
	const char *what;
	atomic_uint armed, fired;
	atomic_ullong value;
};

static struct knob knobs[FAULTS] = {
	[FAULT_HANG_PREEMPTION] = {
		.name = "hang-preemption", .arg = ARG_NONE,
		.what = "the next preemption never ends; the scheduler waits for a reset" },
	[FAULT_DELAY_PREEMPTION] = {
		.name = "delay-preemption", .arg = ARG_NEEDED, .unit = "US",
		.what = "the next preemption takes that much longer" },
	[FAULT_SLOW_SAVE] = {
		.name = "slow-save", .arg = ARG_OPTIONAL, .unit = "RING",
		.max = FAULT_NO_ARG - 1,
		.what = "to save waves of a queue [with its ring there] takes 300 ms longer" },
	[FAULT_LOSE_FENCE] = {
		.name = "lose-fence", .arg = ARG_NONE,
		.what = "the scheduler's next QUERY_STATUS, or MES' next preemption, writes no fence" },
	[FAULT_REFUSE_RESTORE] = {
		.name = "refuse-restore", .arg = ARG_NONE,
		.what = "the next queue with saved waves stays stopped until it is mapped again" },
	[FAULT_LOSE_INTERRUPT] = {
		.name = "lose-interrupt", .arg = ARG_OPTIONAL, .unit = "SOURCE",
		.what = "the next interrupt [of that source id] is not delivered" },
	[FAULT_CORRUPT_PACKET] = {
		.name = "corrupt-packet", .arg = ARG_NONE,
		.what = "the next AQL packet has a type that does not exist" },
	[FAULT_CORRUPT_HIQ_PACKET] = {
		.name = "corrupt-hiq-packet", .arg = ARG_NONE,
		.what = "likewise the scheduler's next packet: it hangs until a reset" },
	[FAULT_STALL_WAVE] = {
		.name = "stall-wave", .arg = ARG_OPTIONAL, .unit = "US",
		.what = "the wave that issues next stops [for that long]; without US its\n"
		"                             queue cannot be preempted either" },
	[FAULT_CORRUPT_SAVE] = {
		.name = "corrupt-save", .arg = ARG_NONE,
		.what = "the next workgroup that is saved has a bit of its LDS changed" },
	[FAULT_RESET] = {
		.name = "reset", .arg = ARG_NONE,
		.what = "the device resets itself now [on the command line: it starts\n"
		"                             without having been posted]; nobody tells the driver" },
};

/* One fewer, if any are left. */
static bool take(struct knob *k)
{
	unsigned int n = atomic_load(&k->armed);

	while (n)
		if (atomic_compare_exchange_weak(&k->armed, &n, n - 1))
			return true;
	return false;
}

static bool hit(struct knob *k)
{
	if (!take(k))
		return false;
	atomic_fetch_add(&k->fired, 1);
	log_event("fault", "name=%s left=%u", k->name, atomic_load(&k->armed));
	return true;
}

bool fault_hit(enum fault f, u64 *arg)
{
	struct knob *k = &knobs[f];

	if (!atomic_load_explicit(&k->armed, memory_order_relaxed))
		return false;
	if (arg)
		*arg = atomic_load(&k->value);
	return hit(k);
}

bool fault_hit_on(enum fault f, u64 value)
{
	struct knob *k = &knobs[f];
	u64 want;

	if (!atomic_load_explicit(&k->armed, memory_order_relaxed))
		return false;
	want = atomic_load(&k->value);
	return (want == FAULT_NO_ARG || want == value) && hit(k);
}

u64 fault_save_ns(u64 ring)
{
	return fault_hit_on(FAULT_SLOW_SAVE, ring) ? SLOW_SAVE_NS : 0;
}

u64 fault_preempt_end(u64 end)
{
	u64 us;

	if (fault_hit(FAULT_HANG_PREEMPTION, NULL))
		return INT64_MAX;
	if (fault_hit(FAULT_DELAY_PREEMPTION, &us))
		end += us * NS_PER_US;
	return end;
}

static bool say(char *answer, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Return: false, for an error. */
static bool say(char *answer, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(answer, FAULT_ANSWER, fmt, ap);
	va_end(ap);
	return false;
}

static struct knob *find(const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < FAULTS; i++)
		if (strlen(knobs[i].name) == len && !memcmp(knobs[i].name, name, len))
			return &knobs[i];
	return NULL;
}

/* A decimal number that ends at @end's characters; *@s moves behind it. */
static bool number(const char **s, u64 max, u64 *v)
{
	char *end;

	if (**s < '0' || **s > '9')
		return false;
	errno = 0;
	*v = strtoull(*s, &end, 10);
	*s = end;
	return !errno && *v <= max;
}

static bool arm(struct knob *k, const char *rest, char *answer)
{
	u64 value = FAULT_NO_ARG, count = 1;

	if (*rest == '=') {
		if (k->arg == ARG_NONE)
			return say(answer, "error: %s takes no argument", k->name);
		rest++;
		if (!number(&rest, k->max ? k->max : UINT32_MAX, &value))
			return say(answer, "error: %s: %s is not a number", k->name, k->unit);
	} else if (k->arg == ARG_NEEDED) {
		return say(answer, "error: %s needs =%s", k->name, k->unit);
	}
	if (*rest == ',') {
		rest++;
		if (!number(&rest, UINT32_MAX, &count))
			return say(answer, "error: %s: COUNT is not a number", k->name);
	}
	if (*rest)
		return say(answer, "error: %s: '%s' is too much", k->name, rest);
	atomic_store(&k->value, value);
	atomic_store(&k->armed, (unsigned int)count);
	say(answer, "ok");
	return true;
}

/* All knobs if @only is NULL. */
static bool status(const struct knob *only, char *answer)
{
	size_t len = snprintf(answer, FAULT_ANSWER, "ok");
	unsigned int i;

	for (i = 0; i < FAULTS; i++)
		if (!only || only == &knobs[i])
			len += snprintf(answer + len, FAULT_ANSWER - len, " %s armed=%u fired=%u",
					knobs[i].name, atomic_load(&knobs[i].armed),
					atomic_load(&knobs[i].fired));
	return true;
}

bool fault_command(const char *line, char answer[FAULT_ANSWER])
{
	size_t len = strcspn(line, "=, ");
	struct knob *k;
	unsigned int i;

	if (!strcmp(line, "status"))
		return status(NULL, answer);
	if (!strncmp(line, "status ", 7)) {
		k = find(line + 7, strlen(line + 7));
		return k ? status(k, answer) : say(answer, "error: no fault '%s'", line + 7);
	}
	if (!strcmp(line, "off")) {
		for (i = 0; i < FAULTS; i++)
			atomic_store(&knobs[i].armed, 0);
		say(answer, "ok");
		return true;
	}
	k = find(line, len);
	if (!k)
		return say(answer, "error: no fault '%.*s'", (int)len, line);
	return arm(k, line + len, answer);
}

void fault_help(FILE *f)
{
	unsigned int i;

	for (i = 0; i < FAULTS; i++) {
		const struct knob *k = &knobs[i];
		char name[40];

		snprintf(name, sizeof(name), k->arg == ARG_NONE ? "%s" :
			 k->arg == ARG_NEEDED ? "%s=%s" : "%s[=%s]", k->name, k->unit);
		fprintf(f, "    %-24s %s\n", name, k->what);
	}
}
