/* SPDX-License-Identifier: GPL-2.0 */
/* Doorbells of the compute queues, which the command processor looks at in its turns. */
#ifndef GPU_MODEL_DOORBELL_H
#define GPU_MODEL_DOORBELL_H

#include "gpu.h"

int doorbells_start(struct gpu *g);	/* no lock; 0 or -ENOMEM */
void doorbells_destroy(struct gpu *g);	/* no lock */
void doorbells_reset(struct gpu *g);	/* forget those that rang; mec_lock held */

/* A doorbell of the compute queues; all that are no other block's are. As struct block's. */
bool mec_doorbell(struct gpu *g, u32 dw, u64 value);

/* Tell the slots of those whose time has come; mec_lock held. */
void doorbells_look(struct gpu *g);

#endif
