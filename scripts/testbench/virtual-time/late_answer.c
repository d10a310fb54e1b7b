// SPDX-License-Identifier: GPL-2.0
/* Preloaded to a gpu-model: its answers to commands are late by LATE_MS of the host's time. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

ssize_t send(int fd, const void *data, size_t len, int flags)
{
	ssize_t (*real)(int fd, const void *data, size_t len, int flags) = dlsym(RTLD_NEXT, "send");

	if (len > 2 && !memcmp(data, "ok", 2))
		usleep(1000 * atoi(getenv("LATE_MS")));
	return real(fd, data, len, flags);
}
