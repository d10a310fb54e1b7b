// SPDX-License-Identifier: GPL-2.0
/* The semantic functions of one build, by their numbers. */
#include "isa.h"

extern const isa_fn isa_fns[ISA_FNS] NAMED(isa_fns);

#define F(fn)	fn,
const isa_fn isa_fns[ISA_FNS] = {
#include "fns.def"
};
