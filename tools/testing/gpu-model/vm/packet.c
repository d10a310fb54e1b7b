// SPDX-License-Identifier: GPL-2.0
/* See packet.h. */
#include <errno.h>

#include "vm/vm.h"
#include "vm/packet.h"

int stream_read(struct gpu *g, const struct stream *s, u32 first, u32 n, u32 *out)
{
	while (n) {
		u32 at = (s->pos + first) & s->mask, run = n;

		if (s->mask != STREAM_LINEAR && run > s->mask + 1 - at)
			run = s->mask + 1 - at;
		if (vm_read(g, s->vmid, s->base + 4ull * at, out, 4ull * run))
			return -EFAULT;
		first += run;
		out += run;
		n -= run;
	}
	return 0;
}

bool packet_compare(unsigned int function, u32 val, u32 ref)
{
	switch (function) {
	case 0:
		return true;
	case 1:
		return val < ref;
	case 2:
		return val <= ref;
	case 3:
		return val == ref;
	case 4:
		return val != ref;
	case 5:
		return val >= ref;
	case 6:
		return val > ref;
	default:
		return false;
	}
}
