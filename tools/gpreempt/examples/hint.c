// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Example: tell GPREEMPT of work before it comes, so that the GPU is free by then.
 *
 * A filter in front of a program that serves requests on the GPU: it passes lines on, and
 * hints at each of them to all compute queues of that program.
 *
 *	receive | hint PID | ...
 *
 * A program can do the same for itself, with gpreempt_open(): hint when a request has been
 * read, and launch kernels when it has been understood.
 *
 * cc hint.c $(pkg-config --cflags --libs libgpreempt)
 */
#include <stdio.h>
#include <stdlib.h>
#include <libgpreempt.h>

/* Kernels come this long after their request, and last about so long. */
#define ARRIVAL_US	1000
#define DURATION_US	5000

int main(int argc, char **argv)
{
	struct gpreempt *g;
	char line[4096];
	int r, told = 0;

	if (argc > 2 || (argc == 2 && atoi(argv[1]) <= 0)) {
		fprintf(stderr, "usage: hint [PID]\n");
		return 2;
	}
	g = gpreempt_open_pid(GPREEMPT_ALL_GPUS, argc == 2 ? atoi(argv[1]) : 0);
	while (fgets(line, sizeof(line), stdin)) {
		/* A request is served without, only later. */
		r = gpreempt_hint(g, ARRIVAL_US, DURATION_US);
		if (r != told && r)
			fprintf(stderr, "hint: %s\n", gpreempt_strerror(r));
		told = r;
		fputs(line, stdout);
		fflush(stdout);
	}
	gpreempt_close(g);
	return 0;
}
