// SPDX-License-Identifier: GPL-2.0
/* AMDKFD_IOC_GPREEMPT, and what its errors mean. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>

#include "gpreempt.h"

#define KFD	"/dev/kfd"

int kfd_open(void)
{
	static int fd = -1;

	if (fd >= 0)
		return fd;
	fd = attributes_open();
	if (fd >= 0)
		return fd;
	switch (-fd) {
	case ENOENT:
	case ENXIO:
		fail(STATUS_ABSENT, "%s: not there: the amdgpu driver is not loaded, or was built "
		     "without CONFIG_HSA_AMD; try 'modprobe amdgpu'", KFD);
	case EPERM:
		fail(STATUS_FAILED, "%s: not permitted: a container has to be given it, as by "
		     "'docker run --device %s'", KFD, KFD);
	case EBUSY:
		fail(STATUS_FAILED, "%s: KFD is locked, as while a GPU is reset: try again", KFD);
	case EACCES:
		fail(STATUS_FAILED, "%s: permission denied: become a member of the group that owns "
		     "it (ls -l %s), or run as root", KFD, KFD);
	default:
		fail(STATUS_FAILED, "%s: %s", KFD, strerror(-fd));
	}
}

int kfd_call(struct kfd_ioctl_gpreempt_args *args)
{
	int fd = kfd_open();

	if (!ioctl(fd, AMDKFD_IOC_GPREEMPT, args))
		return 0;
	if (errno == ENOTTY)
		fail(STATUS_ABSENT, "%s: this kernel's amdgpu was built without "
		     "CONFIG_HSA_AMD_GPREEMPT", KFD);
	return -errno;
}

const char *kfd_error(int error)
{
	switch (-error) {
	case ESRCH:
		return "no such process, or it does not use the GPU; 'gpreempt top' lists them";
	case ENOENT:
		return "no such compute queue; 'gpreempt top' lists them";
	case EPERM:
		return "not permitted: the process is another user's, or this is more than its "
		       "user may ask for; run as root (CAP_SYS_NICE)";
	case ENODEV:
		return "GPREEMPT is not enabled on the queue's GPU; try 'gpreempt set enable=1'";
	case EIO:
		return "GPREEMPT gave up on the queue's GPU; 'gpreempt status' says why";
	case EBUSY:
		return "the queue must stay where it is: it is being destroyed, or "
		       "uses global wave sync that the firmware cannot save";
	case ENOSPC:
		return "all processes together would be guaranteed more than 100 %";
	case ETIME:
		return "not done in time, and taken back; --wait sets the time";
	case EINVAL:
	case EOPNOTSUPP:
		return "the driver does not take this request: it is of another version than this "
		       "program, or the program is wrong";
	default:
		return strerror(-error);
	}
}
