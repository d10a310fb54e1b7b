/* SPDX-License-Identifier: GPL-2.0 */
/*
 * As much of KUnit as the tests of the pure rooms use, in user space. An expectation that
 * fails is printed and the case goes on; an assertion ends it. See kunit.c.
 */
#ifndef GPREEMPT_NATIVE_KUNIT_TEST_H
#define GPREEMPT_NATIVE_KUNIT_TEST_H

#include <setjmp.h>
#include <stdio.h>

#include "shim.h"

#define GFP_KERNEL		0
#define KUNIT_PARAM_DESC_SIZE	128

/**
 * struct kunit - a case that runs
 * @param_value: its parameter
 * @failed: an expectation failed
 * @memory: what it allocated, a list
 * @end: where it ends if it cannot go on
 */
struct kunit {
	const void *param_value;
	bool failed;
	void *memory;
	jmp_buf end;
};

struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
	const void *(*generate_params)(const void *prev, char *desc);
};

struct kunit_suite {
	const char *name;
	struct kunit_case *test_cases;
	struct kunit_suite *next;
};

void *kunit_kcalloc(struct kunit *test, size_t n, size_t size, int flags);
void kunit_add_suite(struct kunit_suite *suite);
__attribute__((format(printf, 4, 5)))
void kunit_fail(struct kunit *test, const char *file, int line, const char *format, ...);

#define kunit_kzalloc(test, size, flags) kunit_kcalloc(test, 1, size, flags)
#define kunit_info(test, ...)	printf("    # " __VA_ARGS__)

#define KUNIT_CASE(f)		{ .run_case = f, .name = #f }
#define KUNIT_CASE_SLOW(f)	KUNIT_CASE(f)
#define KUNIT_CASE_PARAM(f, g)	{ .run_case = f, .name = #f, .generate_params = g }

#define KUNIT_ARRAY_PARAM(name, array, get_desc)				\
	static const void *name##_gen_params(const void *prev, char *desc)	\
	{									\
		__auto_type next = prev ? (__typeof__(&(array)[0]))prev + 1 :	\
					  &(array)[0];				\
										\
		if (next - (array) >= (ptrdiff_t)ARRAY_SIZE(array))		\
			return NULL;						\
		get_desc(next, desc);						\
		return next;							\
	}

#define KUNIT_ARRAY_PARAM_DESC(name, array, member)				\
	static void name##_desc(__typeof__(&(array)[0]) from, char *desc)	\
	{									\
		snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", from->member);	\
	}									\
	KUNIT_ARRAY_PARAM(name, array, name##_desc)

#define kunit_test_suite(suite)							\
	__attribute__((constructor)) static void suite##_add(void)		\
	{									\
		kunit_add_suite(&(suite));					\
	}

#define MODULE_DESCRIPTION(text)
#define MODULE_LICENSE(text)

#define KUNIT_FAIL(test, ...)	kunit_fail(test, __FILE__, __LINE__, __VA_ARGS__)

/* Of two values, with text to say what they are of, or none. */
#define KUNIT_COMPARE(test, a, op, b, ...) do {					\
	__auto_type a_ = (a);							\
	__auto_type b_ = (b);							\
										\
	if (!(a_ op b_)) {							\
		KUNIT_FAIL(test, "%s %s %s: %lld, %lld", #a, #op, #b,		\
			   (long long)a_, (long long)b_);			\
		printf("    # " __VA_ARGS__);					\
		putchar('\n');							\
	}									\
} while (0)

#define KUNIT_EXPECT_EQ_MSG(test, a, b, ...)	KUNIT_COMPARE(test, a, ==, b, __VA_ARGS__)
#define KUNIT_EXPECT_LE_MSG(test, a, b, ...)	KUNIT_COMPARE(test, a, <=, b, __VA_ARGS__)
#define KUNIT_EXPECT_GE_MSG(test, a, b, ...)	KUNIT_COMPARE(test, a, >=, b, __VA_ARGS__)
#define KUNIT_EXPECT_EQ(test, a, b)		KUNIT_COMPARE(test, a, ==, b, "")
#define KUNIT_EXPECT_NE(test, a, b)		KUNIT_COMPARE(test, a, !=, b, "")
#define KUNIT_EXPECT_LT(test, a, b)		KUNIT_COMPARE(test, a, <, b, "")
#define KUNIT_EXPECT_LE(test, a, b)		KUNIT_COMPARE(test, a, <=, b, "")
#define KUNIT_EXPECT_GT(test, a, b)		KUNIT_COMPARE(test, a, >, b, "")
#define KUNIT_EXPECT_GE(test, a, b)		KUNIT_COMPARE(test, a, >=, b, "")
#define KUNIT_EXPECT_TRUE_MSG(test, v, ...)	KUNIT_COMPARE(test, !!(v), ==, true, __VA_ARGS__)
#define KUNIT_EXPECT_TRUE(test, v)		KUNIT_EXPECT_TRUE_MSG(test, v, "")
#define KUNIT_EXPECT_FALSE_MSG(test, v, ...)	KUNIT_COMPARE(test, !!(v), ==, false, __VA_ARGS__)
#define KUNIT_EXPECT_FALSE(test, v)		KUNIT_EXPECT_FALSE_MSG(test, v, "")
#define KUNIT_EXPECT_NULL(test, p)		KUNIT_EXPECT_TRUE(test, !(p))
#define KUNIT_EXPECT_NOT_NULL(test, p)		KUNIT_EXPECT_FALSE(test, !(p))
#define KUNIT_EXPECT_PTR_EQ(test, a, b)		KUNIT_EXPECT_TRUE(test, (a) == (b))
#define KUNIT_EXPECT_STREQ(test, a, b)		KUNIT_EXPECT_TRUE(test, !strcmp(a, b))
#define KUNIT_EXPECT_MEMEQ(test, a, b, n)	KUNIT_EXPECT_TRUE(test, !memcmp(a, b, n))

#define KUNIT_ASSERT_NOT_NULL(test, p) do {					\
	if (!(p)) {								\
		KUNIT_FAIL(test, "%s is NULL", #p);				\
		longjmp((test)->end, 1);					\
	}									\
} while (0)

#endif
