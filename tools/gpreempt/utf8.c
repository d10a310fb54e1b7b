// SPDX-License-Identifier: GPL-2.0
/* The name of a process or a cgroup is any bytes, and cut off where it gets too long. */
#include <ctype.h>
#include <string.h>

#include "gpreempt.h"

/* Bytes of the character in UTF-8 that it begins with, 0 if it is none. */
static unsigned int length(const char *text)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *p = (const unsigned char *)text;
	unsigned int n = *p < 0x80 ? 1 : *p < 0xc0 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4, i;
	uint32_t c = *p & (0xff >> (n + 1));

	if (n < 2)
		return n;
	if (*p > 0xf7)
		return 0;
	for (i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	return c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0 : n;
}

void utf8_text(char *buf, size_t size, const char *text)
{
	char *end = buf;

	while (*text && end + 4 < buf + size) {
		unsigned int n = length(text);

		end = mempcpy(end, n ? text : REPLACEMENT, n ?: strlen(REPLACEMENT));
		text += n ?: 1;
	}
	*end = '\0';
}

void utf8_shown(char *buf, size_t size, const char *name)
{
	const char *p;

	utf8_text(buf, size, name);
	for (p = buf; *p; p++) {
		/* in UTF-8 those from U+0080 to U+009f are control characters, too */
		bool control = *p == '\302' && (p[1] & 0xe0) == 0x80;
		bool bad = !strncmp(p, REPLACEMENT, 3);

		*buf++ = iscntrl((unsigned char)*p) || control || bad ? '?' : *p;
		p += bad ? 2 : control;
	}
	*buf = '\0';
}
