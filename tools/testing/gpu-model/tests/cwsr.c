// SPDX-License-Identifier: GPL-2.0
/* Unit tests of the save area: is it what a debugger reads? */
#include "fake/machine.c"

#define READ_WGS	3
#define READ_VGPRS	16	/* of which the stand-in calls half accumulation registers */
#define READ_LDS	600

/* One wave's record whose registers begin at @vgpr; see read_state(). */
static bool record_good(const u32 (*vgpr)[LANES], const u32 *sgpr, const u32 *regs,
			const u32 *lds)
{
	const u32 *ttmp = regs + 16;
	u32 wg = ttmp[8], index = ttmp[11] & 0x3f, mode = 0, j, l, v;
	bool good = wg < READ_WGS && !ttmp[9] && !ttmp[10] && (ttmp[6] & 0x1ffffff) == 1;

	for (j = 0; j < READ_VGPRS; j++)
		for (l = 0; l < LANES; l++) {
			v = stir(wg * 7919 + index * 131 + j * 17 + l);
			good &= vgpr[j][l] == v;
			mode = v;
		}
	good &= sgpr[0] == wg && sgpr[4] == (u32)CODE_VA && sgpr[5] == index;
	good &= regs[1] == CODE_VA + 4 && !regs[2];	/* pc */
	good &= (regs[5] & 1) && regs[9] == mode;	/* SCC of STATUS, MODE */
	return good && (!lds || lds[0] == mode);	/* the first wave's word */
}

/*
 * Reads a saved queue as debuggers do (ROCdbgapi, gfx9_architecture_t): resources
 * from the states of the control stack, records from the top of the area down.
 * Return: waves that were as they must be, or 0 if the area makes no sense.
 */
static unsigned int read_state(const struct queue *q)
{
	const u32 *m = q->mqd, *stack = arena_ptr(0, MQD_VA(q->mqd_slot) + 4096 +
						  m[MQD_CNTL_STACK_OFFSET]);
	u32 words = (m[MQD_CNTL_STACK_SIZE] - m[MQD_CNTL_STACK_OFFSET]) / 4, i;
	u8 *area = at(q, AREA(q)), *top = area + m[MQD_WG_STATE_OFFSET];
	u32 vgprs = 0, sgprs = 0, lds = 0, waves = 0, open = 0;

	if (stack[0] >> 30 != 3 || (stack[0] >> 16 & 0x3fff) + 2 != words)
		return 0;
	for (i = 2; i < words; i++) {
		u8 *end = top - 64, *regs, *sgpr, *vgpr;

		if (stack[i] >> 30 & 1)
			continue;
		if (stack[i] >> 31) {
			vgprs = ((stack[i] & 0x3f) + 1) * 8;
			sgprs = (stack[i] >> 6 & 7) * 16;
			lds = (stack[i] >> 9 & 0xff) * 512;
			if ((stack[i] >> 24 & 0x3f) * 4 + 4 != READ_VGPRS / 2)
				return 0;
			continue;
		}
		if (stack[i] >> 17 & 1) {
			if (open++)
				return 0;
			end -= lds;
		}
		regs = end - 128;
		sgpr = regs - sgprs * 4;
		vgpr = sgpr - vgprs * 256;
		if (vgprs != READ_VGPRS || vgpr < area + STACK_BYTES || !open)
			return 0;
		waves += record_good((void *)vgpr, (u32 *)sgpr, (u32 *)regs,
				     stack[i] >> 17 & 1 ? (u32 *)end : NULL);
		if (stack[i] >> 16 & 1)
			open = 0;
		top = vgpr;
	}
	return top == area + STACK_BYTES && !open ? waves : 0;
}

static void test_layout(void)
{
	unsigned int i;
	struct queue q;

	device_start(2, 2, false);
	set_resources(0xfcfcfcfc);
	PROGRAM(1, READ_VGPRS, READ_LDS, TOY(TOY_MIX, 0), TOY(TOY_WAIT, 0), TOY(TOY_END, 0));
	q = queue_make(1, 16, 0);
	map(&q, 1);
	go_on(&q);
	dispatch(&q, 1, 64, 0, false);
	ring(&q);
	run_until(done(&q, 0), 1000);
	*(u32 *)at(&q, OUT(&q) - 8) = 0;
	dispatch(&q, READ_WGS, 200, 1, false);
	ring(&q);
	/* A wave on a busy host may not have come to TOY_WAIT when it is saved. */
	for (i = 0; i < 100 && read_state(&q) != READ_WGS * 4; i++) {
		map(&q, 1);
		run_for(2000);
		unmap_all();
	}
	ok(q.mqd[MQD_WG_STATE_OFFSET] - STACK_BYTES ==
	   READ_WGS * (4 * (READ_VGPRS * 256 + 448 + 128 + 64) + 1024), "bytes of wave state");
	ok(read_state(&q) == READ_WGS * 4, "a debugger finds each wave with all it holds");
	map(&q, 1);
	go_on(&q);
	ok(run_until(done(&q, 1), 1000), "and the waves go on");
	device_stop();
}

#define FORGED_VGPRS	128
#define FORGED_BYTES	(FORGED_VGPRS * 256 + 448 + 128 + 64)

/* A stack of the same events, and of @n workgroups: copies of the first wave, which ends each. */
static void forge(const struct queue *q, unsigned int n)
{
	u32 *m = q->mqd, *stack = arena_ptr(0, MQD_VA(q->mqd_slot) + 4096), old[1024];
	u8 *area = at(q, AREA(q)), copy[FORGED_BYTES];
	u32 begin = m[MQD_CNTL_STACK_OFFSET] / 4, i = begin + 2, end = STACK_BYTES / 4;

	memcpy(old, stack, STACK_BYTES);
	while (old[i] >> 30 & 1)
		i++;
	m[MQD_CNTL_STACK_OFFSET] = STACK_BYTES - 4 * (++i - begin + n);
	memcpy(stack + m[MQD_CNTL_STACK_OFFSET] / 4, old + begin, 4 * (i - begin));
	for (i = 0; i < n; i++)
		stack[end - 1 - i] = 1u << 17 | 1u << 16;
	memcpy(copy, area + m[MQD_WG_STATE_OFFSET] - FORGED_BYTES, FORGED_BYTES);
	for (i = 0; i < n; i++)
		memcpy(area + STACK_BYTES + i * FORGED_BYTES, copy, FORGED_BYTES);
	m[MQD_WG_STATE_OFFSET] = STACK_BYTES + n * FORGED_BYTES;
}

/* Four units, each full with one workgroup. More of them no queue can have had. */
static void test_forged(void)
{
	struct queue q;

	device_start(2, 2, false);
	set_resources(0xfcfcfcfc);
	PROGRAM(1, FORGED_VGPRS, 0, TOY(TOY_WAIT, 0), TOY(TOY_END, 0));
	q = queue_make(1, 16, 0);
	dispatch(&q, 8, 1024, 0, false);
	map(&q, 1);
	run_until(waves(&q) == 64, 1000);
	unmap_all();
	forge(&q, 4);
	map(&q, 1);
	ok(run_until(waves(&q) == 4, 1000) && !log_count("error", NULL),
	   "as many workgroups as the machine holds come back");
	unmap_all();
	forge(&q, 5);
	map(&q, 1);
	run_for(1000);
	ok(log_count("error", "restore=-22") == 1 && !waves(&q), "one more is refused");
	device_stop();
}

int main(void)
{
	test_layout();
	test_forged();
	return tap_done();
}
