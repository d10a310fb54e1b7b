// SPDX-License-Identifier: GPL-2.0
/*
 * A program of the tool's tests: its one queue, of priority 6, never has work, but it says by
 * libgpreempt that some comes, twice, and lasts for half a second. usage: served
 */
#include <stdio.h>
#include <unistd.h>

#include "client.h"
#include "../../../tools/gpreempt/lib/libgpreempt.h"

#define PRIORITY	6
#define LASTS_US	500000

int main(void)
{
	struct gpreempt *g = gpreempt_open(gpreempt_gpu(0));
	struct aql_queue q;
	struct client c;
	int i, r = gpreempt_hint(g, 0, LASTS_US);

	printf("without a queue: %s\n", gpreempt_strerror(r));
	if (client_open(&c) || aql_create(&q, &c.dev, 64, PRIORITY))
		return 1;
	for (i = 0; i < 2; i++) {
		r = gpreempt_hint(g, 0, LASTS_US);
		if (r)
			return printf("hint: %s\n", gpreempt_strerror(r));
		usleep(2 * LASTS_US);
	}
	puts("hinted");
	gpreempt_close(g);
	return aql_destroy(&q);
}
