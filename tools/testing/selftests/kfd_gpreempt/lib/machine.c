// SPDX-License-Identifier: GPL-2.0
/* The machine's sleep. */
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "machine.h"

#define MEM_SLEEP	"/sys/power/mem_sleep"
#define STATE		"/sys/power/state"
#define ALARM		"/sys/class/rtc/rtc0/wakealarm"

const char *machine_sleepless(const char *sleep)
{
	char modes[64];

	if (file_read(MEM_SLEEP, modes, sizeof(modes)))
		return "no " MEM_SLEEP;
	if (!strstr(modes, sleep))
		return "not among the kinds of sleep in " MEM_SLEEP;
	if (access(MEM_SLEEP, W_OK) || access(STATE, W_OK))
		return "not allowed to put the machine to sleep";
	return access(ALARM, W_OK) ? "no clock that wakes the machine" : NULL;
}

int machine_sleep(const char *sleep)
{
	int ret;

	file_keep(MEM_SLEEP);
	ret = file_write(MEM_SLEEP, sleep);
	if (ret)
		return ret;
	file_write(ALARM, "0");		/* one that is set already is not set again */
	file_write(ALARM, "+30");
	ret = file_write(STATE, "mem");
	file_write(ALARM, "0");
	return ret;
}
