// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * GPREEMPT back end mes: the scheduler of gfx11 and later, which takes queues
 * one by one and saves their waves when one is removed.
 */

#include "priv.h"

static int mes_remove(struct device_queue_manager *dqm,
		      struct qcm_process_device *qpd, struct queue *q)
{
	return remove_queue_mes(dqm, q, qpd);
}

static int mes_add(struct device_queue_manager *dqm,
		   struct qcm_process_device *qpd, struct queue *q)
{
	return add_queue_mes(dqm, q, qpd);
}

const struct kfd_gpreempt_backend kfd_gpreempt_mes = {
	.name = "mes",
	.transact = kfd_gpreempt_single_transact,
	.give_back = kfd_gpreempt_single_give_back,
	.remove = mes_remove,
	.add = mes_add,
};
