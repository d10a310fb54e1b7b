/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the pure rooms of the driver, and their tests, use of the kernel's headers. Every
 * <linux/...> that one of them includes is this file: see the Makefile.
 */
#ifndef GPREEMPT_NATIVE_SHIM_H
#define GPREEMPT_NATIVE_SHIM_H

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
/* As the kernel's: printf's %llu fits on each machine. */
typedef unsigned long long u64;
typedef long long s64;

#define U8_MAX		UINT8_MAX
#define U32_MAX		UINT32_MAX
#define U64_MAX		(~0ULL)
#define S64_MAX		((s64)(U64_MAX >> 1))

#define NSEC_PER_USEC	1000L
#define NSEC_PER_MSEC	1000000L
#define NSEC_PER_SEC	1000000000L

#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define BIT(n)			(1UL << (n))
#define BIT_ULL(n)		(1ULL << (n))

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define sizeof_field(type, member) sizeof(((type *)0)->member)
#define container_of(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))
#define swap(a, b) do { __auto_type swapped = (a); (a) = (b); (b) = swapped; } while (0)

#define min(a, b) ({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); a_ < b_ ? a_ : b_; })
#define max(a, b) ({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); a_ > b_ ? a_ : b_; })
#define min_not_zero(a, b)	((a) && (!(b) || (a) < (b)) ? (a) : (b))
#define min3(a, b, c)	min(min(a, b), c)
#define max3(a, b, c)	max(max(a, b), c)
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define max_t(type, a, b)	max((type)(a), (type)(b))
#define clamp(v, low, high)	min(max(v, low), high)
#define clamp_t(type, v, low, high)	clamp((type)(v), (type)(low), (type)(high))

/* No option of the kernel is set. */
#define IS_ENABLED(CONFIG_option)	0

#define READ_ONCE(v)	(v)
#define WRITE_ONCE(v, to)	((v) = (to))
#define smp_load_acquire(p)	(*(p))		/* there is one thread */
#define smp_store_release(p, v)	(*(p) = (v))	/* likewise */
#define WARN_ON_ONCE(v)	(v)

#define hweight32(v)		__builtin_popcount(v)

static inline int fls64(u64 v)
{
	return v ? 64 - __builtin_clzll(v) : 0;
}

static inline u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}

/* A moving average: each new value counts for one in @weight. */
#define DECLARE_EWMA(name, precision, weight)					\
	struct ewma_##name {							\
		unsigned long internal;						\
	};									\
										\
	static inline unsigned long ewma_##name##_read(struct ewma_##name *e)		\
	{									\
		return e->internal >> (precision);				\
	}									\
										\
	static inline void ewma_##name##_add(struct ewma_##name *e, unsigned long v)	\
	{									\
		unsigned long new = v << (precision);				\
										\
		e->internal = e->internal ?					\
			((weight) * e->internal - e->internal + new) / (weight) : new;	\
	}

static inline u64 ktime_get_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
}

static inline long strscpy(char *to, const char *from, size_t size)
{
	return snprintf(to, size, "%s", from);
}

static inline bool sysfs_streq(const char *a, const char *b)
{
	size_t n = strcspn(a, "\n");

	return n == strcspn(b, "\n") && !strncmp(a, b, n);
}

/* A number, a newline or none, and nothing else. */
static inline int kstrtou32(const char *s, unsigned int base, u32 *v)
{
	unsigned long long n;
	char *end;

	if (*s == '+')
		s++;
	if (!isdigit(*s))
		return -EINVAL;
	errno = 0;
	n = strtoull(s, &end, base);
	if (errno || n > U32_MAX)
		return -ERANGE;
	if (*end == '\n')
		end++;
	if (*end)
		return -EINVAL;
	*v = n;
	return 0;
}

/* LFSR113 (L'Ecuyer 1999), seeded as in the kernel: random runs are the same here and there. */
struct rnd_state {
	u32 s[4];
};

static inline void prandom_seed_state(struct rnd_state *r, u64 seed)
{
	static const u32 least[] = { 2, 8, 16, 128 };
	u32 v = (seed >> 32) ^ (seed << 10) ^ seed;
	unsigned int i;

	for (i = 0; i < 4; i++)
		r->s[i] = v < least[i] ? v + least[i] : v;
}

static inline u32 prandom_u32_state(struct rnd_state *r)
{
	static const struct { u8 keep, left, right, up; } step[] = {
		{ 1, 6, 13, 18 }, { 3, 2, 27, 2 }, { 4, 13, 21, 7 }, { 7, 3, 12, 13 },
	};
	u32 v = 0;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		u32 high = r->s[i] >> step[i].keep << step[i].keep;

		r->s[i] = high << step[i].up ^ (r->s[i] << step[i].left ^ r->s[i]) >> step[i].right;
		v ^= r->s[i];
	}
	return v;
}

#endif
