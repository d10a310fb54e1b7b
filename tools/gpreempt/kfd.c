// SPDX-License-Identifier: GPL-2.0
/* AMDKFD_IOC_GPREEMPT, by libgpreempt. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "gpreempt.h"

/* Half a minute: no reset of a GPU takes longer. */
#define TRIES	300
#define TRY_US	100000

static struct gpreempt *open_once(void)
{
	static struct gpreempt *g;
	unsigned int i;

	if (g)
		return g;
	g = gpreempt_open(GPREEMPT_ALL_GPUS);
	for (i = 0; i < TRIES && gpreempt_check(g) == -EAGAIN; i++)
		usleep(TRY_US);
	return g;
}

/* These say of a call of the library that there is no driver to ask. */
static bool is_absence(int error)
{
	return error == -ENXIO || error == -ENOTTY || error == -EACCES || error == -EAGAIN;
}

int kfd_call(struct kfd_ioctl_gpreempt_args *args)
{
	int r = gpreempt_ioctl(open_once(), args);

	if (is_absence(r))
		fail(r == -ENXIO || r == -ENOTTY ? STATUS_ABSENT : STATUS_FAILED, "%s",
		     gpreempt_strerror(r));
	return r;
}

const char *kfd_error(int error)
{
	return is_absence(error) ? strerror(-error) : gpreempt_strerror(error);
}
