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

/* What is not ASCII may be no UTF-8 either: the name of a process is any bytes. */
void json_string(const char *key, const char *value)
{
	const unsigned char *p;

	item(key);
	putchar('"');
	for (p = (const unsigned char *)value; *p; p++) {
		if (*p == '"' || *p == '\\')
			printf("\\%c", *p);
		else if (isascii(*p) && isprint(*p))
			putchar(*p);
		else
			printf("\\u%04x", *p);
	}
	putchar('"');
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
