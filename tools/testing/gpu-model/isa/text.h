/* SPDX-License-Identifier: GPL-2.0 */
/* For printers: text that is put together in a buffer. */
#ifndef GPU_MODEL_ISA_TEXT_H
#define GPU_MODEL_ISA_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

struct out {
	char *buf;
	size_t size, used;
	bool operands;		/* one was printed: the next needs a comma */
};

static void put(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static inline void put(struct out *o, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(o->buf + o->used, o->size - o->used, fmt, ap);
	va_end(ap);
	if (n > 0)
		o->used += (size_t)n < o->size - o->used ? (size_t)n : o->size - o->used - 1;
}

static inline void sep(struct out *o)
{
	put(o, o->operands ? ", " : " ");
	o->operands = true;
}

/* Registers @n on of a file. */
static inline void put_range(struct out *o, const char *file, unsigned int n, unsigned int dwords)
{
	if (dwords == 1)
		put(o, "%s%u", file, n);
	else
		put(o, "%s[%u:%u]", file, n, n + dwords - 1);
}

/* What has no name of its own of operand numbers from 108 on; false: neither is this one. */
static inline bool put_number(struct out *o, unsigned int op, unsigned int dwords)
{
	static const char *const floats[8] = {
		"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0",
	};

	if (op >= 108 && op < 124)
		put_range(o, "ttmp", op - 108, dwords);
	else if (op < 108)
		put_range(o, "s", op, dwords);
	else if (op >= 128 && op <= 192)
		put(o, "%u", op - 128);
	else if (op > 192 && op <= 208)
		put(o, "-%u", op - 192);
	else if (op >= 240 && op <= 247)
		put(o, "%s", floats[op - 240]);
	else
		return false;
	return true;
}

#endif
