// SPDX-License-Identifier: GPL-2.0
/* AMDKFD_IOC_GPREEMPT, by libgpreempt. */
#include <errno.h>
#include <string.h>

#include "gpreempt.h"

/* These say of a call of the library that there is no driver to ask. */
static bool is_absence(int error)
{
	return error == -ENXIO || error == -ENOTTY || error == -EACCES || error == -EAGAIN;
}

int kfd_call(struct kfd_ioctl_gpreempt_args *args)
{
	static struct gpreempt *g;
	int r;

	g = g ?: gpreempt_open(GPREEMPT_ALL_GPUS);
	r = ask_patiently(g, args);
	if (is_absence(r))
		fail(r == -ENXIO || r == -ENOTTY ? STATUS_ABSENT : STATUS_FAILED, "%s",
		     gpreempt_strerror(r));
	return r;
}

const char *kfd_error(int error)
{
	return is_absence(error) ? strerror(-error) : gpreempt_strerror(error);
}
