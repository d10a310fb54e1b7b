// SPDX-License-Identifier: GPL-2.0
/*
 * The argument of AMDKFD_IOC_GPREEMPT has the same layout for every program,
 * whatever the size and alignment of its long. A compile test: scripts that
 * check this tree compile it for 32 bit targets as well.
 */
#include <stddef.h>
#include <linux/kfd_gpreempt.h>

#define SIZE(type, bytes)							\
	_Static_assert(sizeof(struct type) == (bytes), "size of " #type)
#define AT(type, field, bytes)							\
	_Static_assert(offsetof(struct type, field) == (bytes), #type "." #field)

SIZE(kfd_gpreempt_query, 20);
AT(kfd_gpreempt_query, version, 0);
AT(kfd_gpreempt_query, capabilities, 4);
AT(kfd_gpreempt_query, state, 8);
AT(kfd_gpreempt_query, levels, 12);
AT(kfd_gpreempt_query, priority_cap, 16);

SIZE(kfd_gpreempt_queue_info, 112);
_Static_assert(KFD_GPREEMPT_QUEUE_INFO_SIZE_1 == 112, "what LIST takes since version 1");
AT(kfd_gpreempt_queue_info, queue_id, 0);
AT(kfd_gpreempt_queue_info, gpu_id, 4);
AT(kfd_gpreempt_queue_info, priority, 8);
AT(kfd_gpreempt_queue_info, permitted, 12);
AT(kfd_gpreempt_queue_info, effective, 16);
AT(kfd_gpreempt_queue_info, state, 20);
AT(kfd_gpreempt_queue_info, flags, 24);
AT(kfd_gpreempt_queue_info, timeslice_us, 28);
AT(kfd_gpreempt_queue_info, running_ns, 32);
AT(kfd_gpreempt_queue_info, waiting_ns, 40);
AT(kfd_gpreempt_queue_info, preempted_ns, 48);
AT(kfd_gpreempt_queue_info, preemptions, 56);
AT(kfd_gpreempt_queue_info, pid, 64);
AT(kfd_gpreempt_queue_info, context_id, 68);
AT(kfd_gpreempt_queue_info, backlog, 72);
AT(kfd_gpreempt_queue_info, waves, 76);
AT(kfd_gpreempt_queue_info, save_ns, 80);
AT(kfd_gpreempt_queue_info, seen_ns, 88);
AT(kfd_gpreempt_queue_info, resumes, 96);
AT(kfd_gpreempt_queue_info, resumed_ns, 104);

SIZE(kfd_gpreempt_list, 16);
AT(kfd_gpreempt_list, queues, 0);
AT(kfd_gpreempt_list, count, 8);
AT(kfd_gpreempt_list, entry_size, 12);

SIZE(kfd_gpreempt_priority, 8);
AT(kfd_gpreempt_priority, priority, 0);
AT(kfd_gpreempt_priority, permitted, 4);

SIZE(kfd_gpreempt_process_default, 32);
AT(kfd_gpreempt_process_default, priority, 0);
AT(kfd_gpreempt_process_default, ceiling, 4);
AT(kfd_gpreempt_process_default, timeslice_us, 8);
AT(kfd_gpreempt_process_default, weight, 12);
AT(kfd_gpreempt_process_default, min_percent, 16);
AT(kfd_gpreempt_process_default, cap_percent, 20);
AT(kfd_gpreempt_process_default, grant, 24);

SIZE(kfd_gpreempt_preempt, 16);
AT(kfd_gpreempt_preempt, wait_ms, 0);
AT(kfd_gpreempt_preempt, hold_ms, 4);
AT(kfd_gpreempt_preempt, queues, 8);
AT(kfd_gpreempt_preempt, refused, 12);

SIZE(kfd_gpreempt_hint, 8);
AT(kfd_gpreempt_hint, arrival_us, 0);
AT(kfd_gpreempt_hint, duration_us, 4);

SIZE(kfd_ioctl_gpreempt_args, 104);
AT(kfd_ioctl_gpreempt_args, op, 0);
AT(kfd_ioctl_gpreempt_args, flags, 4);
AT(kfd_ioctl_gpreempt_args, pid, 8);
AT(kfd_ioctl_gpreempt_args, pidfd, 12);
AT(kfd_ioctl_gpreempt_args, cgroup_fd, 16);
AT(kfd_ioctl_gpreempt_args, context_id, 20);
AT(kfd_ioctl_gpreempt_args, gpu_id, 24);
AT(kfd_ioctl_gpreempt_args, queue_id, 28);
AT(kfd_ioctl_gpreempt_args, level, 32);
AT(kfd_ioctl_gpreempt_args, pad, 36);
AT(kfd_ioctl_gpreempt_args, query, 40);
AT(kfd_ioctl_gpreempt_args, list, 40);
AT(kfd_ioctl_gpreempt_args, priority, 40);
AT(kfd_ioctl_gpreempt_args, timeslice_us, 40);
AT(kfd_ioctl_gpreempt_args, process_default, 40);
AT(kfd_ioctl_gpreempt_args, preempt, 40);
AT(kfd_ioctl_gpreempt_args, hint, 40);
AT(kfd_ioctl_gpreempt_args, reserved, 40);

/* The size is part of the number. */
_Static_assert(AMDKFD_IOC_GPREEMPT == 0xc0684b70, "AMDKFD_IOC_GPREEMPT");
