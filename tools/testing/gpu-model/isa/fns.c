// SPDX-License-Identifier: GPL-2.0
/* The semantic functions of one build, by row. */
#include "isa.h"

extern const isa_fn isa_fns[] NAMED(isa_fns);

#define I(fmt, op, name, fn, ...)	fn,
const isa_fn isa_fns[] = {
#include "table.def"
};
