// SPDX-License-Identifier: GPL-2.0
/*
 * gpreempt's timeline without a kernel. usage: timeline FILE
 * Reads lines of trace_pipe, and "sample US GPU PID QUEUE STATE HEX": a queue, "gone" or in
 * a state, and the name of its process. "end US" is the end.
 */
#include <stdlib.h>
#include <string.h>

#include "gpreempt.h"

static void sample(const char *line)
{
	unsigned long long us;
	struct queue q = { };
	char hex[64] = "";
	unsigned int i;

	/* a process may have no name */
	if (sscanf(line, "sample %llu %u %u %u %15s %62s", &us, &q.gpu_id, &q.folder, &q.id, q.state,
		   hex) < 5)
		exit(2);
	for (i = 0; i < strlen(hex) / 2; i++)
		if (sscanf(hex + 2 * i, "%2hhx", (unsigned char *)&q.command[i]) != 1)
			exit(2);
	if (!strcmp(q.state, "gone"))
		q.state[0] = '\0';
	timeline_sample(us, &q);
}

int main(int argc, char **argv)
{
	char *line = NULL;
	uint64_t end = 0;
	size_t size = 0;

	if (argc != 2)
		return 2;
	timeline_begin(1000000);
	while (getline(&line, &size, stdin) > 0) {
		if (!strncmp(line, "sample ", 7))
			sample(line);
		else if (!strncmp(line, "end ", 4))
			end = strtoull(line + 4, NULL, 10);
		else
			timeline_line(line);
	}
	timeline_write(output_open(argv[1]), end);
	output_close();
	return 0;
}
