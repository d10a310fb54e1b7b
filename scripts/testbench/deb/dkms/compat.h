/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sources are of the newest release of a series. Between 6.12.107 and 6.12.117 the
 * arguments of drm_sched_init() became a struct; for an older kernel they are taken apart
 * again. Kbuild includes this before amdgpu_device.c, the only caller, where that is needed.
 */
#include <drm/gpu_scheduler.h>

struct drm_sched_init_args {
	const struct drm_sched_backend_ops *ops;
	struct workqueue_struct *submit_wq;
	struct workqueue_struct *timeout_wq;
	u32 num_rqs;
	u32 credit_limit;
	unsigned int hang_limit;
	long timeout;
	atomic_t *score;
	const char *name;
	struct device *dev;
};

#define drm_sched_init(sched, args)							\
	drm_sched_init(sched, (args)->ops, (args)->submit_wq, (args)->num_rqs,		\
		       (args)->credit_limit, (args)->hang_limit, (args)->timeout,	\
		       (args)->timeout_wq, (args)->score, (args)->name, (args)->dev)
