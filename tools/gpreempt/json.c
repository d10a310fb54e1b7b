// SPDX-License-Identifier: GPL-2.0
/* JSON to standard output, one value a line. */
#include <ctype.h>

#include "gpreempt.h"

static unsigned int depth;
static bool first = true;

/* What stands before each value. */
static void item(const char *key)
{
	if (depth)
		printf("%s\n%*s", first ? "" : ",", 2 * (int)depth, "");
	if (key)
		printf("\"%s\": ", key);
	first = false;
}

void json_open(const char *key, char bracket)
{
	item(key);
	putchar(bracket);
	depth++;
	first = true;
}

void json_close(char bracket)
{
	depth--;
	if (!first)
		printf("\n%*s", 2 * (int)depth, "");
	putchar(bracket);
	first = false;
	if (!depth)
		putchar('\n');
}

void json_text(FILE *f, const char *text)
{
	unsigned int n;

	putc('"', f);
	for (; *text; text += n ?: 1) {
		n = utf8_length(text);
		if (*text == '"' || *text == '\\')
			fprintf(f, "\\%c", *text);
		else if (iscntrl((unsigned char)*text))
			fprintf(f, "\\u%04x", *text);
		else
			fprintf(f, "%.*s", n ?: 3, n ? text : REPLACEMENT);
	}
	putc('"', f);
}

void json_string(const char *key, const char *value)
{
	item(key);
	json_text(stdout, value);
}

void json_number(const char *key, uint64_t value)
{
	item(key);
	printf("%llu", (unsigned long long)value);
}

void json_real(const char *key, double value, bool known)
{
	item(key);
	if (known)
		printf("%.4f", value);
	else
		printf("null");
}
