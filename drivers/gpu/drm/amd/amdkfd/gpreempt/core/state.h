/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * GPREEMPT state of a node: pure functions without locks or
 * I/O, and without an amdgpu header, so that KUnit builds them as they are.
 */
#ifndef GPREEMPT_STATE_H_INCLUDED
#define GPREEMPT_STATE_H_INCLUDED

#include <linux/types.h>

/**
 * enum gpreempt_state - what a node's monitor does
 * @GPREEMPT_DISABLED: nothing, there is none
 * @GPREEMPT_PARKED: sleeps without a timer: nothing could be arbitrated
 * @GPREEMPT_ACTIVE: scans once in a poll interval
 * @GPREEMPT_BYPASSED: sleeps after an error; every queue was resumed
 */
enum gpreempt_state {
	GPREEMPT_DISABLED,
	GPREEMPT_PARKED,
	GPREEMPT_ACTIVE,
	GPREEMPT_BYPASSED,
};

/**
 * enum gpreempt_bypass - why the monitor gave up
 * @GPREEMPT_BYPASS_NONE: it did not
 * @GPREEMPT_BYPASS_LATE: a preemption took longer than preempt_timeout_ms, and no queue can be
 *	blamed
 * @GPREEMPT_BYPASS_HANG: a preemption never answered; stock resets the GPU
 * @GPREEMPT_BYPASS_MAP: the queues could not be mapped again at once
 *
 * A tenant may have a part in all but a hang: these end by themselves.
 */
enum gpreempt_bypass {
	GPREEMPT_BYPASS_NONE,
	GPREEMPT_BYPASS_LATE,
	GPREEMPT_BYPASS_HANG,
	GPREEMPT_BYPASS_MAP,
};

/**
 * enum gpreempt_event - what changes the state
 * @GPREEMPT_EV_ENABLE: the administrator enables; forgives all but a hang
 * @GPREEMPT_EV_DISABLE: the administrator disables
 * @GPREEMPT_EV_WORK: something may have to be arbitrated
 * @GPREEMPT_EV_IDLE: nothing could be arbitrated
 * @GPREEMPT_EV_STOP: the scheduler stops: reset, suspend, teardown
 * @GPREEMPT_EV_START: the scheduler has come up anew; forgives everything
 * @GPREEMPT_EV_LATE: see GPREEMPT_BYPASS_LATE
 * @GPREEMPT_EV_SAVED: a preemption was in time
 * @GPREEMPT_EV_REARM: gpreempt_rearm_ms() are over
 * @GPREEMPT_EV_HANG: see GPREEMPT_BYPASS_HANG
 * @GPREEMPT_EV_MAP: see GPREEMPT_BYPASS_MAP
 */
enum gpreempt_event {
	GPREEMPT_EV_ENABLE,
	GPREEMPT_EV_DISABLE,
	GPREEMPT_EV_WORK,
	GPREEMPT_EV_IDLE,
	GPREEMPT_EV_STOP,
	GPREEMPT_EV_START,
	GPREEMPT_EV_LATE,
	GPREEMPT_EV_SAVED,
	GPREEMPT_EV_REARM,
	GPREEMPT_EV_HANG,
	GPREEMPT_EV_MAP,
};

/**
 * struct gpreempt_facts - what the state follows from
 * @enabled:	by the administrator
 * @stopped:	the scheduler is down
 * @idle:	nothing could be arbitrated
 * @bypass:	why the monitor gave up
 * @row:	how often it did, but for hangs, with no preemption in time since
 *
 * All zero is a disabled monitor of a running scheduler.
 */
struct gpreempt_facts {
	bool enabled;
	bool stopped;
	bool idle;
	enum gpreempt_bypass bypass;
	unsigned int row;
};

/**
 * struct gpreempt_platform - what decides whether a node is supported
 * @gfx_version: graphics core, as KFD's topology has it: 90010 is gfx90a
 * @mes:	the scheduler is MES
 * @cwsr:	compute wave save/restore is enabled
 * @vf:		the GPU is a virtual function
 * @owner_dares: it may be of a kind on which GPREEMPT has not run yet
 */
struct gpreempt_platform {
	u32 gfx_version;
	bool mes;
	bool cwsr;
	bool vf;
	bool owner_dares;
};

enum gpreempt_state gpreempt_state(const struct gpreempt_facts *m);
unsigned int gpreempt_rearm_ms(const struct gpreempt_facts *m);
void gpreempt_event(struct gpreempt_facts *m, enum gpreempt_event event);
extern const char *const gpreempt_state_names[];
extern const char *const gpreempt_bypass_names[];
const char *gpreempt_unsupported(const struct gpreempt_platform *p);
bool gpreempt_gws_stays(u64 back_ns, u64 now_ns, u32 starvation_ms);

#endif /* GPREEMPT_STATE_H_INCLUDED */
