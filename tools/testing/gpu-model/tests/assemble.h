/* SPDX-License-Identifier: GPL-2.0 */
/* Machine code for tests, from source that stands beside them. */
#ifndef GPU_MODEL_TESTS_ASSEMBLE_H
#define GPU_MODEL_TESTS_ASSEMBLE_H

#include <stdio.h>
#include <stdlib.h>

/*
 * Assemble @name of TEST_DIR for @cpu. @second: a file that it may include as
 * second.s, then it finds SECOND defined; or NULL. Return: bytes, 0: that failed.
 */
static inline size_t assemble_for(const char *cpu, const char *name, const char *second,
				  void *image, size_t size)
{
	char dir[] = "/tmp/assemble.XXXXXX", cmd[1024];
	size_t got = 0;
	FILE *f;

	if (!mkdtemp(dir))
		return 0;
	snprintf(cmd, sizeof(cmd),
		 "cd %s && %s%s%s $(command -v llvm-mc-15 || echo llvm-mc) -triple=amdgcn-amd-amdhsa "
		 "-mcpu=%s -filetype=obj -I. %s %s/%s -o o && "
		 "$(command -v llvm-objcopy-15 || echo llvm-objcopy) -O binary -j .text o bin", dir,
		 second ? "cp " : "", second ? second : "", second ? " second.s &&" : "",
		 cpu, second ? "-defsym SECOND=1" : "", TEST_DIR, name);
	if (!system(cmd)) {
		snprintf(cmd, sizeof(cmd), "%s/bin", dir);
		f = fopen(cmd, "rb");
		got = f ? fread(image, 1, size, f) : 0;
		if (f)
			fclose(f);
	}
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	return system(cmd) ? 0 : got;
}

static inline size_t assemble(const char *name, const char *second, void *image, size_t size)
{
	return assemble_for("gfx90a", name, second, image, size);
}

#endif
