// SPDX-License-Identifier: GPL-2.0
/* Fault knobs of the GPU model; see gpu_model.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "gpu_model.h"

#define PORTS		"/sys/class/virtio-ports"
#define NAME		"gpu-model.0\n"		/* the first GPU's */
#define ANSWER_MS	10000
#define SAVE_US		72	/* gpreempt-hwtest's save_fixed_us, of the model */

/* Path of the device file of the port called NAME. */
static int find_port(char *path, size_t size)
{
	DIR *dir = opendir(PORTS);
	struct dirent *d;
	int ret = -ENODEV;

	while (dir && ret && (d = readdir(dir))) {
		char file[sizeof(PORTS) + sizeof(d->d_name) + sizeof("//name")];
		char name[64] = "";
		FILE *f;

		snprintf(file, sizeof(file), PORTS "/%s/name", d->d_name);
		f = fopen(file, "re");
		if (!f)
			continue;
		if (fgets(name, sizeof(name), f) && !strcmp(name, NAME)) {
			snprintf(path, size, "/dev/%s", d->d_name);
			ret = 0;
		}
		fclose(f);
	}
	if (dir)
		closedir(dir);
	return ret;
}

bool gpu_model_present(void)
{
	char path[300];

	return !find_port(path, sizeof(path));
}

bool gpu_model_figures(void)
{
	char text[4096];

	return !file_read("/proc/cmdline", text, sizeof(text)) &&
	       strstr(text, " gpreempt.figures=1");
}

unsigned int gpu_model_times(bool figures, bool model, const char *save_us)
{
	long us = save_us ? strtol(save_us, NULL, 10) : 0;

	if (figures)
		return 1;
	return model || us <= 0 ? 100 : 1 + us / SAVE_US;
}

static unsigned int times(void)
{
	return gpu_model_times(gpu_model_figures(), gpu_model_present(),
			       getenv("GPREEMPT_SAVE_US"));
}

unsigned int gpu_model_limit(unsigned int limit)
{
	return times() * limit;
}

unsigned int gpu_model_least(unsigned int least)
{
	return least / times();
}

unsigned int gpu_model_rounds(unsigned int n)
{
	return gpu_model_figures() ? n : (n + 9) / 10;
}

/* A line of at most @size - 1 characters, its end cut off. */
static int read_line(int fd, char *line, size_t size)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	size_t len = 0;

	while (len + 1 < size) {
		if (poll(&p, 1, ANSWER_MS) <= 0)
			return -ETIME;
		if (read(fd, line + len, 1) != 1)
			return -EIO;
		if (line[len] == '\n')
			break;
		len++;
	}
	line[len] = '\0';
	return 0;
}

int gpu_model_say(const char *command, char *answer, size_t size)
{
	char path[300], line[2048];
	int fd, ret = find_port(path, sizeof(path));

	if (ret)
		return ret;
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (dprintf(fd, "%s\n", command) < 0)
		ret = -errno;
	else
		ret = read_line(fd, line, sizeof(line));
	close(fd);
	if (ret)
		return ret;
	if (answer)
		snprintf(answer, size, "%s", line);
	if (!strncmp(line, "ok", 2))
		return 0;
	fprintf(stderr, "# gpu-model: %s: %s\n", command, line);
	return -EINVAL;
}

int gpu_model_fired(const char *name)
{
	char command[80], answer[200];
	const char *fired;
	int ret;

	snprintf(command, sizeof(command), "status %s", name);
	ret = gpu_model_say(command, answer, sizeof(answer));
	if (ret)
		return ret;
	fired = strstr(answer, "fired=");
	return fired ? atoi(fired + strlen("fired=")) : -EPROTO;
}

int gpu_model_wait_fired(const char *name, int times, unsigned int timeout_ms)
{
	unsigned int ms;

	for (ms = 0; ms < timeout_ms; ms += 10) {
		if (gpu_model_fired(name) >= times)
			return 0;
		usleep(10000);
	}
	return -ETIME;
}
