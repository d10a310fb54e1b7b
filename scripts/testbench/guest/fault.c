// SPDX-License-Identifier: GPL-2.0
/* fault COMMAND...: fault knobs of the GPU model, for scripts in the guest. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "gpu_model.h"

int main(int argc, char **argv)
{
	char answer[2048];
	int i, ret;

	if (argc < 2) {
		fprintf(stderr, "usage: fault COMMAND... (see 'gpu-model control')\n");
		return 2;
	}
	for (i = 1; i < argc; i++) {
		ret = gpu_model_say(argv[i], answer, sizeof(answer));
		if (ret == -ENODEV) {
			fprintf(stderr, "fault: this GPU is no model\n");
			return 4;
		}
		if (ret) {
			fprintf(stderr, "fault: %s: %s\n", argv[i], strerror(-ret));
			return 1;
		}
		puts(answer);
	}
	return 0;
}
