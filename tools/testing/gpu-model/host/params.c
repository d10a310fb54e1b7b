// SPDX-License-Identifier: GPL-2.0
/* The costs that the command line may change; see params.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/log.h"
#include "host/params.h"

struct params param = {
#define PARAM(name, value, unit, low, high, kind, text) .name = (value),
#include "host/params.def"
#undef PARAM
};

/* A guess can be halved and doubled, to see what it weighs. */
enum { IS_source, IS_chosen = IS_source, IS_guess };

#define PARAM(name, value, unit, low, high, kind, text) \
	_Static_assert((low) > 0 && (low) <= (value) && (value) <= (high), #name); \
	_Static_assert(!IS_##kind || ((low) * 2 <= (value) && (value) * 2 <= (high)), #name);
#include "host/params.def"
#undef PARAM

static const struct row {
	const char *name, *unit, *kind, *text;
	u64 *at, value, low, high;
} rows[] = {
#define PARAM(name, value, unit, low, high, kind, text) \
	{ #name, unit, #kind, text, &param.name, value, low, high },
#include "host/params.def"
#undef PARAM
};

#define ROWS	(sizeof(rows) / sizeof(rows[0]))

static const struct row *find(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < ROWS; i++)
		if (strlen(rows[i].name) == len && !memcmp(rows[i].name, name, len))
			return &rows[i];
	return NULL;
}

bool param_set(const char *text, char error[PARAM_ERROR])
{
	size_t len = strcspn(text, "=");
	const struct row *r = find(text, len);
	const char *s = text + len + 1;
	char *end;
	u64 v;

	if (!r) {
		snprintf(error, PARAM_ERROR, "no parameter '%.*s', see gpu-model params",
			 (int)len, text);
		return false;
	}
	if (text[len] != '=') {
		snprintf(error, PARAM_ERROR, "%s needs =VALUE", r->name);
		return false;
	}
	errno = 0;
	v = strtoull(s, &end, 10);
	if (*s < '0' || *s > '9' || *end) {
		snprintf(error, PARAM_ERROR, "'%s' is not a whole number", s);
		return false;
	}
	if (errno || v < r->low || v > r->high) {
		snprintf(error, PARAM_ERROR, "%s is from %" PRIu64 " to %" PRIu64 " %s", r->name,
			 r->low, r->high, r->unit);
		return false;
	}
	*r->at = v;
	return true;
}

void params_print(void)
{
	size_t i;

	for (i = 0; i < ROWS; i++)
		printf("%s %" PRIu64 " %s %" PRIu64 " %" PRIu64 " %s %s\n", rows[i].name,
		       rows[i].value, rows[i].unit, rows[i].low, rows[i].high, rows[i].kind,
		       rows[i].text);
}

void params_log(void)
{
	char text[64 * ROWS] = "";
	size_t i, n = 0;

	for (i = 0; i < ROWS; i++)
		if (*rows[i].at != rows[i].value)
			n += snprintf(text + n, sizeof(text) - n, "%s%s=%" PRIu64, n ? " " : "",
				      rows[i].name, *rows[i].at);
	if (n)
		log_event("params", "%s", text);
}
