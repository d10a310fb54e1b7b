// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the suites that are linked in, as KUnit would, and prints what it prints: nested TAP.
 * With arguments only cases whose names contain one of them. -l lists the cases' names; with
 * -x the first one that fails is the last one that runs.
 */
#include <stdarg.h>
#include <unistd.h>

#include <kunit/test.h>

static struct kunit_suite *suites;

/* An allocation, with the list of those before it. */
struct block {
	struct block *next;
	_Alignas(max_align_t) char memory[];
};

void *kunit_kcalloc(struct kunit *test, size_t n, size_t size, int flags)
{
	struct block *block = calloc(1, sizeof(*block) + n * size);

	(void)flags;
	if (!block)
		abort();
	block->next = test->memory;
	test->memory = block;
	return block->memory;
}

void kunit_add_suite(struct kunit_suite *suite)
{
	suite->next = suites;
	suites = suite;
}

void kunit_fail(struct kunit *test, const char *file, int line, const char *format, ...)
{
	va_list args;

	test->failed = true;
	printf("    # %s:%d: ", file, line);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

/* True if it passed. */
static bool run(const struct kunit_case *c, const void *param)
{
	struct kunit test = { .param_value = param };
	struct block *block, *next;

	if (!setjmp(test.end))
		c->run_case(&test);
	for (block = test.memory; block; block = next) {
		next = block->next;
		free(block);
	}
	return !test.failed;
}

static bool run_params(const struct kunit_case *c)
{
	char desc[KUNIT_PARAM_DESC_SIZE];
	const void *param = NULL;
	bool good = true, passed;
	int n = 0;

	if (!c->generate_params)
		return run(c, NULL);
	while ((param = c->generate_params(param, desc))) {
		passed = run(c, param);
		good &= passed;
		printf("        %sok %d %s\n", passed ? "" : "not ", ++n, desc);
	}
	printf("        1..%d\n", n);
	return good;
}

static bool wanted(const char *name, char **names)
{
	if (!*names)
		return true;
	for (; *names; names++)
		if (strstr(name, *names))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	const struct kunit_case *c;
	const struct kunit_suite *s;
	bool all = true, list = false, one = false;
	int n, nr_suites = 0;

	while ((n = getopt(argc, argv, "lx")) != -1) {
		if (n == '?')
			return 2;
		list |= n == 'l';
		one |= n == 'x';
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (s = suites; s; s = s->next) {
		bool good = true, passed;

		n = 0;
		for (c = s->test_cases; c->name; c++) {
			if (!wanted(c->name, argv + optind))
				continue;
			if (list) {
				puts(c->name);
				continue;
			}
			passed = run_params(c);
			good &= passed;
			printf("    %sok %d %s\n", passed ? "" : "not ", ++n, c->name);
			if (one && !passed)
				return 1;
		}
		if (list)
			continue;
		printf("    1..%d\n", n);
		printf("%sok %d %s\n", good ? "" : "not ", ++nr_suites, s->name);
		all &= good;
	}
	if (!list)
		printf("1..%d\n", nr_suites);
	return !all;
}
