/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One clock for QEMU and a model: what the plugin (qemu/vtime.c) and the model
 * (clock.c) share, one page a model.
 *
 * QEMU's virtual clock leads. The plugin asks the model to run to a time, and
 * waits; while the model runs the guest stands still, and the other way round.
 * All times are QEMU_CLOCK_VIRTUAL, in ns.
 */
#ifndef GPU_MODEL_CLOCK_SHM_H
#define GPU_MODEL_CLOCK_SHM_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CLOCK_SHM_VERSION	4
#define CLOCK_SHM_BYTES		4096
#define CLOCK_NEVER		UINT64_MAX

/* What the plugin asks for. */
enum clock_order {
	CLOCK_RUN,	/* run to @target */
	CLOCK_RUN_IDLE,	/* the same, but stop where an interrupt is to be delivered */
};

/**
 * struct clock_shm - the shared page
 * @version:	CLOCK_SHM_VERSION, set by the model when it can be asked
 * @pid:	of the model
 * @read_ns: @write_ns: what the CPU waits for a trapped access (params.def)
 * @pause_ns:	what a PAUSE of the CPU takes (params.def)
 * @wake_ns:	how late a CPU goes on that is woken (params.def)
 * @sleep_ns:	if it slept for so long
 * @order: @target: of the request under way, set before @asked
 * @asked: @answered: numbers of the last request and of the last answer; futexes
 * @now:	the model's time: what was due until then is done
 * @next:	when the model has something to do by itself, or CLOCK_NEVER
 * @interrupt:	when an interrupt is to reach the guest, or CLOCK_NEVER; set by the model,
 *		taken by the plugin
 * @guest:	the guest's time when the plugin last looked, for a model that is left alone
 * @access:	the guest's time at the access under way, set before its message; 0: QEMU's own
 * @doing:	what the model is at, for the plugin's watchdog
 * @runs:	how often an actor ran since @now last changed, for the same
 */
struct clock_shm {
	_Atomic uint32_t version;
	uint32_t pid;
	uint32_t read_ns, write_ns, pause_ns, wake_ns, sleep_ns;
	uint32_t order;
	uint64_t target;
	_Atomic uint32_t asked, answered;
	_Atomic uint64_t now;
	_Atomic uint64_t next;
	_Atomic uint64_t interrupt;
	_Atomic uint64_t guest;
	_Atomic uint64_t access;
	char doing[32];
	_Atomic uint64_t runs;
};

/* Map the page of @fd, which nobody can take away again; NULL and errno if it is none such. */
static inline struct clock_shm *clock_map(int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct stat st;
	void *p;

	if (seals < 0 || fstat(fd, &st))
		return NULL;
	if (!(seals & F_SEAL_SHRINK) || st.st_size < CLOCK_SHM_BYTES) {
		errno = EINVAL;
		return NULL;
	}
	p = mmap(NULL, CLOCK_SHM_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return p == MAP_FAILED ? NULL : p;
}

/*
 * Look this often before sleeping: the other side mostly answers within some us. For longer
 * the core is somebody else's.
 */
#define CLOCK_LOOKS	100

/* Wait until *@word is not @old, or @ms passed on the host's clock (0: for ever). */
static inline int clock_wait(_Atomic uint32_t *word, uint32_t old, unsigned int ms)
{
	struct timespec limit = { ms / 1000, ms % 1000 * 1000000L };
	int i;

	for (i = 0; i < CLOCK_LOOKS; i++) {
		if (atomic_load(word) != old)
			return 0;
		__builtin_ia32_pause();
	}
	syscall(SYS_futex, word, FUTEX_WAIT, old, ms ? &limit : NULL, NULL, 0);
	return atomic_load(word) != old ? 0 : -1;
}

static inline void clock_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

#endif
