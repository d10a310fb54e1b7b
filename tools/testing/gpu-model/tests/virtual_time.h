/* SPDX-License-Identifier: GPL-2.0 */
/* For tests in virtual time: a clock that they move themselves. */
#ifndef GPU_MODEL_TESTS_VIRTUAL_TIME_H
#define GPU_MODEL_TESTS_VIRTUAL_TIME_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host/clock.h"
#include "host/clock_shm.h"

/* To be called before the device starts. Return: what the model would share with QEMU. */
static inline struct clock_shm *virtual_time(void)
{
	int fd = memfd_create("clock", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	void *page;

	if (fd < 0 || ftruncate(fd, CLOCK_SHM_BYTES) ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) || clock_share(fd))
		goto fail;
	page = mmap(NULL, CLOCK_SHM_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (page != MAP_FAILED)
		return page;
fail:
	printf("Bail out! no clock\n");
	exit(1);
}

#endif
