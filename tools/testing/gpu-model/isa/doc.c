// SPDX-License-Identifier: GPL-2.0
/* gpu-model isa: the instruction table as a document. */
#include <stdio.h>
#include "isa/exec.h"
#include "isa.h"

static const struct {
	const char *name, *what;
} formats[ISA_FMTS] = {
	[SOP1] = { "SOP1", "scalar, one source" },
	[SOP2] = { "SOP2", "scalar, two sources" },
	[SOPK] = { "SOPK", "scalar, with a 16-bit constant" },
	[SOPC] = { "SOPC", "scalar comparisons" },
	[SOPP] = { "SOPP", "program control" },
	[SMEM] = { "SMEM", "scalar memory" },
	[VOP1] = { "VOP1", "vector, one source; also as VOP3, SDWA and DPP" },
	[VOP2] = { "VOP2", "vector, two sources; also as VOP3, SDWA and DPP" },
	[VOPC] = { "VOPC", "vector comparisons; also as VOP3 and SDWA" },
	[VOP3] = { "VOP3", "vector, up to three sources" },
	[VOP3P] = { "VOP3P", "vector, packed and matrix" },
	[DS] = { "DS", "local and global data share" },
	[FLAT] = { "FLAT", "memory through the apertures" },
	[GLOBAL] = { "GLOBAL", "global memory" },
	[SCRATCH] = { "SCRATCH", "private memory" },
	[MUBUF] = { "MUBUF", "memory through a buffer descriptor" },
	[VOPD] = { "VOPD", "two instructions on vectors" },
	[MTBUF] = { "MTBUF", "the same, with formats of the instruction's" },
};

static const char *const types[ISA_TYPES] = {
	"", "b16", "i16", "u16", "f16", "b32", "i32", "u32", "f32", "2 x f16", "2 x i16",
	"b64", "i64", "u64", "f64", "2 x f32", "b96", "b128", "b256", "b512", "b1024",
};

#define RULE	"====== ================================ ======== =========================== ==============\n"

static void heading(const char *text, char line)
{
	printf("\n%s\n", text);
	for (; *text; text++)
		putchar(line);
	printf("\n\n");
}

static void print_row(const struct isa_row *r)
{
	char sources[32] = "";
	const char *result = types[r->dst];
	char op[8];
	size_t at = 0;

	snprintf(op, sizeof(op), "0x%02x", r->op);
	if (r->flags & (F_STORE | F_SDATA)) {	/* the data of a store is a source */
		at = snprintf(sources, sizeof(sources), "%s%s", types[r->dst],
			      r->src[0] ? ", " : "");
		if (!(r->flags & F_ATOMIC))
			result = "";
	}
	for (unsigned int n = 0; n < 3 && r->src[n]; n++)
		at += snprintf(sources + at, sizeof(sources) - at, "%s%s", n ? ", " : "",
			       types[r->src[n]]);
	printf("%-6s %-32s %-8s %-27s %s%s\n", op, r->name, result, sources,
	       r->fn == FN_x_unsupported ? "illegal " : "",
	       r->flags & F_90A ? "gfx90a" : r->flags & F_942 ? "gfx942" : "");
}

int isa_doc_main(void)
{
	const struct isa *isa = &isa_gfx90a;
	unsigned int executed = 0;
	char title[96];

	for (unsigned int n = 0; n < isa->nrows; n++)
		executed += isa->rows[n].fn != FN_x_unsupported;
	heading("Instructions of gfx90a and gfx942 in gpu-model", '=');
	printf("Printed by ``gpu-model isa`` from the table that drives the decoder. Of %u\n"
	       "instructions %u are executed. The others, marked illegal, are decoded and stop\n"
	       "the wave with the illegal-instruction exception, as unknown encodings do; the\n"
	       "log names them. Those that only one of the two has are marked with its name.\n",
	       isa->nrows, executed);
	for (unsigned int f = 0; f < ISA_FMTS; f++) {
		snprintf(title, sizeof(title), "%s: %s", formats[f].name, formats[f].what);
		heading(title, '-');
		printf(RULE "%-6s %-32s %-8s %-27s %s\n" RULE, "opcode", "mnemonic",
		       "result", "sources", "");
		for (unsigned int n = 0; n < isa->nrows; n++)
			if (isa->rows[n].fmt == f)
				print_row(&isa->rows[n]);
		printf(RULE);
	}
	return 0;
}
