/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fault knobs of a GPU that is a model, reached through a virtio port of the guest.
 * A real GPU has none: tests of faults skip there.
 */
#ifndef KFD_GPREEMPT_GPU_MODEL_H
#define KFD_GPREEMPT_GPU_MODEL_H

#include <stdbool.h>
#include <stddef.h>

/* True when the GPU is a model that can be told to fail. */
bool gpu_model_present(void);

/*
 * Do times on the model count? Its host says so: in virtual time, with a kernel that does
 * not check itself meanwhile.
 */
bool gpu_model_figures(void);

/*
 * So many times a limit of the model's may something take: 1 where times count (@figures). On a
 * real GPU it depends on how much longer a save takes there than on the model, which the variable
 * GPREEMPT_SAVE_US in the environment says (@save_us): gpreempt-hwtest's save_fixed_us. 100 where
 * that was not measured, and on a model where times do not count.
 */
unsigned int gpu_model_times(bool figures, bool model, const char *save_us);

/* No more than @limit, or than as many times that. */
unsigned int gpu_model_limit(unsigned int limit);

/* No less than @least, or than such a part of it. */
unsigned int gpu_model_least(unsigned int least);

/* @n rounds of what is measured, or a tenth of them where times do not count. */
unsigned int gpu_model_rounds(unsigned int n);

/*
 * One command, as of 'gpu-model control': arms a fault, or asks for its status.
 * Return: 0, -ENODEV without a model, -EINVAL when it refused, -errno. The
 * answer is in @answer if that is not NULL.
 */
int gpu_model_say(const char *command, char *answer, size_t size);

/* How often a fault has happened; negative errno. */
int gpu_model_fired(const char *name);

/* Wait until it has happened @times; 0 or -ETIME. */
int gpu_model_wait_fired(const char *name, int times, unsigned int timeout_ms);

#endif
