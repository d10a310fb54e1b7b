// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT back end mes: the scheduler of gfx11 and later, which takes queues
 * one by one and saves their waves when one is removed.
 */

#include "gpreempt/run/commit.h"

const struct kfd_gpreempt_backend kfd_gpreempt_mes = {
	.name = "mes",
	.transact = kfd_gpreempt_single_transact,
	.give_back = kfd_gpreempt_single_give_back,
	.remove = remove_queue_mes,
	.add = add_queue_mes,
};
