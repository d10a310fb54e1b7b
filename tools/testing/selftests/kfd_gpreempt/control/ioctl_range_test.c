// SPDX-License-Identifier: GPL-2.0
/* AMDKFD_IOC_GPREEMPT: every number out of its range, alone. */
#include "ioctl_fixture.h"

FIXTURE_VARIANT(ioctl) {
	struct kfd_ioctl_gpreempt_args args;	/* the queue comes at run time */
	int error;
};

#define WRONG(name, operation, ...)						\
	FIXTURE_VARIANT_ADD(ioctl, name) {					\
		.args = { .op = KFD_GPREEMPT_OP_##operation, __VA_ARGS__ },	\
		.error = -EINVAL,						\
	}

FIXTURE_VARIANT_ADD(ioctl, query_no_node) {
	.args = { .op = KFD_GPREEMPT_OP_QUERY },
	.error = -ENODEV,
};

FIXTURE_VARIANT_ADD(ioctl, query_unknown_node) {
	.args = { .op = KFD_GPREEMPT_OP_QUERY, .gpu_id = ~0 },
	.error = -ENODEV,
};

WRONG(list_entries_of_0, LIST, .list.entry_size = 0);
WRONG(list_entries_too_small, LIST,
      .list.entry_size = KFD_GPREEMPT_QUEUE_INFO_SIZE_1 - 1);
WRONG(priority_16, SET_PRIORITY, .priority.priority = 16);
WRONG(priority_sign_bit, SET_PRIORITY, .priority.priority = 0x80000000);
WRONG(priority_minus_2, SET_PRIORITY, .priority.priority = -2);
WRONG(timeslice_1, SET_TIMESLICE, .timeslice_us = 1);
WRONG(timeslice_too_short, SET_TIMESLICE, .timeslice_us = KFD_GPREEMPT_TIMESLICE_US_MIN - 1);
WRONG(timeslice_too_long, SET_TIMESLICE, .timeslice_us = KFD_GPREEMPT_TIMESLICE_US_MAX + 1);
WRONG(timeslice_minus_1, SET_TIMESLICE, .timeslice_us = -1);
WRONG(default_16, SET_PROCESS_DEFAULT, .process_default = { 16, 0 });
WRONG(default_minus_2, SET_PROCESS_DEFAULT, .process_default = { -2, 0 });
WRONG(ceiling_16, SET_PROCESS_DEFAULT, .process_default = { 0, 16 });
WRONG(ceiling_minus_2, SET_PROCESS_DEFAULT, .process_default = { 0, -2 });
WRONG(default_timeslice_1, SET_PROCESS_DEFAULT, .process_default.timeslice_us = 1);
WRONG(default_timeslice_too_short, SET_PROCESS_DEFAULT,
      .process_default.timeslice_us = KFD_GPREEMPT_TIMESLICE_US_MIN - 1);
WRONG(default_timeslice_too_long, SET_PROCESS_DEFAULT,
      .process_default.timeslice_us = KFD_GPREEMPT_TIMESLICE_US_MAX + 1);
#define SHARE(name, set, ...)							\
	WRONG(share_##name, SET_PROCESS_DEFAULT, .flags = set, .process_default = __VA_ARGS__)

SHARE(weight_0, KFD_GPREEMPT_SET_WEIGHT, { .weight = 0 });
SHARE(weight_1001, KFD_GPREEMPT_SET_WEIGHT, { .weight = 1001 });
SHARE(weight_minus_1, KFD_GPREEMPT_SET_WEIGHT, { .weight = -1 });
SHARE(weight_not_set, 0, { .weight = 100 });
SHARE(min_101, KFD_GPREEMPT_SET_MIN, { .min_percent = 101 });
SHARE(min_not_set, KFD_GPREEMPT_SET_CAP, { .min_percent = 1 });
SHARE(cap_101, KFD_GPREEMPT_SET_CAP, { .cap_percent = 101 });
SHARE(cap_not_set, KFD_GPREEMPT_SET_MIN, { .cap_percent = 1 });
SHARE(cap_below_min, KFD_GPREEMPT_SET_MIN | KFD_GPREEMPT_SET_CAP,
      { .min_percent = 50, .cap_percent = 49 });
WRONG(default_timeslice_minus_1, SET_PROCESS_DEFAULT, .process_default.timeslice_us = -1);
WRONG(preempt_wait_for_no_time, PREEMPT, .flags = KFD_GPREEMPT_WAIT);
WRONG(preempt_wait_too_long, PREEMPT, .flags = KFD_GPREEMPT_WAIT,
      .preempt.wait_ms = KFD_GPREEMPT_WAIT_MS_MAX + 1);
WRONG(preempt_wait_minus_1, PREEMPT, .flags = KFD_GPREEMPT_WAIT, .preempt.wait_ms = -1);
WRONG(preempt_time_without_wait, PREEMPT, .preempt.wait_ms = 1);
WRONG(preempt_hold_too_long, PREEMPT, .flags = KFD_GPREEMPT_HOLD,
      .preempt.hold_ms = KFD_GPREEMPT_HOLD_MS_MAX + 1);
WRONG(preempt_hold_minus_1, PREEMPT, .flags = KFD_GPREEMPT_HOLD, .preempt.hold_ms = -1);
WRONG(preempt_time_without_hold, PREEMPT, .preempt.hold_ms = 1);
WRONG(resume_wait_for_no_time, RESUME, .flags = KFD_GPREEMPT_WAIT);
WRONG(resume_wait_too_long, RESUME, .flags = KFD_GPREEMPT_WAIT,
      .preempt.wait_ms = KFD_GPREEMPT_WAIT_MS_MAX + 1);
WRONG(resume_time_without_wait, RESUME, .preempt.wait_ms = 1);
WRONG(resume_for_a_time, RESUME, .preempt.hold_ms = 1);
WRONG(hint_too_far, HINT, .hint = { KFD_GPREEMPT_HINT_US_MAX + 1, 1 });
WRONG(hint_minus_1, HINT, .hint = { -1, 1 });
WRONG(hint_too_long, HINT, .hint = { 0, KFD_GPREEMPT_HINT_US_MAX + 1 });
WRONG(hint_lasts_minus_1, HINT, .hint = { 0, -1 });
WRONG(hint_of_nothing, HINT, .hint = { 1, 0 });

/* Which queues: one choice, and no number of a queue with it. */
#define CHOICES		(KFD_GPREEMPT_ALL | KFD_GPREEMPT_AT_LEAST | KFD_GPREEMPT_BELOW)
#define CHOICE(name, which, ...)						\
	WRONG(choice_##name, HINT, .flags = which, .hint = { 1000, 1000 }, ##__VA_ARGS__)

CHOICE(of_two_kinds, KFD_GPREEMPT_ALL | KFD_GPREEMPT_BELOW);
CHOICE(of_two_levels, KFD_GPREEMPT_AT_LEAST | KFD_GPREEMPT_BELOW);
CHOICE(of_three_kinds, CHOICES);
CHOICE(everybodys_one, KFD_GPREEMPT_EVERYBODY);
CHOICE(everybody_and_one, KFD_GPREEMPT_EVERYBODY | KFD_GPREEMPT_ALL, .pid = 1);
CHOICE(everybody_of_a_pidfd, KFD_GPREEMPT_EVERYBODY | KFD_GPREEMPT_ALL | KFD_GPREEMPT_PIDFD);
CHOICE(everybody_of_a_context, KFD_GPREEMPT_EVERYBODY | KFD_GPREEMPT_ALL | KFD_GPREEMPT_CONTEXT);
CHOICE(all_and_one, KFD_GPREEMPT_ALL, .queue_id = 1);
CHOICE(level_16, KFD_GPREEMPT_AT_LEAST, .level = 16);
CHOICE(below_16, KFD_GPREEMPT_BELOW, .level = 16);
CHOICE(below_minus_1, KFD_GPREEMPT_BELOW, .level = -1);
CHOICE(level_of_one, 0, .level = 1);
CHOICE(level_of_all, KFD_GPREEMPT_ALL, .level = 1);
CHOICE(node_of_one, 0, .gpu_id = 1);
CHOICE(context_not_given, 0, .context_id = KFD_GPREEMPT_CONTEXT_PRIMARY);
CHOICE(context_too_great, KFD_GPREEMPT_CONTEXT, .context_id = KFD_GPREEMPT_CONTEXT_PRIMARY + 1);
WRONG(list_node_of_one, LIST, .gpu_id = 1,
      .list.entry_size = sizeof(struct kfd_gpreempt_queue_info));

/* A process by its number or its pidfd, or a cgroup; the fields of the others are 0. */
CHOICE(pidfd_not_given, 0, .pidfd = 1);
CHOICE(pidfd_and_pid, KFD_GPREEMPT_PIDFD, .pid = 1);
CHOICE(pidfd_and_everybody, KFD_GPREEMPT_EVERYBODY | KFD_GPREEMPT_ALL, .pidfd = 1);
CHOICE(no_cgroup, KFD_GPREEMPT_CGROUP, .cgroup_fd = 1);
#define OF(name, which, ...)	WRONG(of_##name, GET_DEFAULT, .flags = which, ##__VA_ARGS__)
OF(cgroup_not_given, 0, .cgroup_fd = 1);
OF(cgroup_and_pid, KFD_GPREEMPT_CGROUP, .pid = 1);
OF(cgroup_and_pidfd_number, KFD_GPREEMPT_CGROUP, .pidfd = 1);
OF(pidfd_and_cgroup_number, KFD_GPREEMPT_PIDFD, .cgroup_fd = 1);
OF(cgroup_and_pidfd, KFD_GPREEMPT_CGROUP | KFD_GPREEMPT_PIDFD);

/* Refused, and nothing changed: neither the queue nor the process's default. */
TEST_F(ioctl, refused)
{
	struct kfd_ioctl_gpreempt_args args = variant->args;
	struct kfd_gpreempt_queue_info before, after;

	if (op_uses[args.op].queue && !(args.flags & (CHOICES | KFD_GPREEMPT_EVERYBODY)))
		args.queue_id = self->low.id;
	ASSERT_EQ(0, gpreempt_set("enable", 1));
	ASSERT_EQ(0, gpreempt_get(&self->c.dev, 0, self->low.id, &before));
	EXPECT_EQ(variant->error, gpreempt_call(&self->c.dev, &args));
	ASSERT_EQ(0, gpreempt_get(&self->c.dev, 0, self->low.id, &after));
	EXPECT_EQ(before.permitted, after.permitted);
	EXPECT_EQ(before.timeslice_us, after.timeslice_us);
	EXPECT_EQ(0, after.flags);
	EXPECT_EQ(PRIORITY_HIGH, gpreempt_permitted(&self->high));
}

TEST_HARNESS_MAIN
