// SPDX-License-Identifier: GPL-2.0
/* The LOW kernel's result, computed by the CPU. */
#include "client.h"

/* A work-item's registers; the GPU's are in vector and accumulation registers. */
struct item {
	__u32 x;
	__u32 r[LOW_REGS], acc[LOW_ACC], scratch[LOW_PRIVATE];
};

static void item_init(struct item *it, __u32 group, __u32 item, __u32 banks)
{
	__u32 i;

	it->x = low_start(group, item);
	for (i = 0; i < banks * LOW_BANK_REGS; i++)
		it->r[i] = low_seed(it->x, i + 1);
	for (i = 0; i < banks; i++)
		it->acc[i] = low_seed(it->x, i + 1001);
	for (i = 0; i < LOW_PRIVATE; i++)
		it->scratch[i] = i;
}

static void item_bank(struct item *it, __u32 bank)
{
	__u32 *r = it->r + bank * LOW_BANK_REGS;
	__u32 i;

	for (i = 0; i < LOW_BANK_REGS; i++) {
		it->x = low_mix(it->x, r[i]);
		r[i] = it->x;
	}
	it->x = low_mix(it->acc[bank], it->x);
	it->acc[bank] = it->x;
}

static void item_fold(struct item *it, __u32 partner)
{
	__u32 *s;

	it->x = low_mix(it->x, partner);
	it->x = it->x & 1 ? low_odd(it->x) : low_even(it->x);
	s = &it->scratch[it->x >> 9 & (LOW_PRIVATE - 1)];
	it->x += *s;
	*s = it->x;
}

static __u32 item_result(const struct item *it, __u32 banks)
{
	__u32 i, x = it->x;

	for (i = 0; i < banks * LOW_BANK_REGS; i++)
		x = low_fold(x, it->r[i]);
	for (i = 0; i < banks; i++)
		x = low_fold(x, it->acc[i]);
	for (i = 0; i < LOW_PRIVATE; i++)
		x = low_fold(x, it->scratch[i]);
	return x;
}

void low_expect(__u32 *out, __u32 groups, __u32 iterations, __u32 banks)
{
	static struct item items[LOW_GROUP];
	__u32 lds[LOW_GROUP];
	__u32 group, i, n;

	for (group = 0; group < groups; group++) {
		for (i = 0; i < LOW_GROUP; i++)
			item_init(&items[i], group, i, banks);
		for (n = 0; n < iterations; n++) {
			for (i = 0; i < LOW_GROUP; i++) {
				item_bank(&items[i], n & (banks - 1));
				lds[i] = items[i].x;
			}
			for (i = 0; i < LOW_GROUP; i++)
				item_fold(&items[i], lds[low_partner(i, n)]);
		}
		for (i = 0; i < LOW_GROUP; i++)
			out[group * LOW_GROUP + i] = item_result(&items[i], banks);
	}
}
