/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For mutants: a lock that is released and was not taken is reported at once, as the debug
 * kernel's lockdep does. The other kernel would not notice until two meet.
 */
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>

#define mutex_unlock(lock) ({ \
	WARN_ON_ONCE(!mutex_is_locked(lock)); \
	(mutex_unlock)(lock); \
})
#define spin_unlock(lock) ({ \
	WARN_ON_ONCE(!spin_is_locked(lock)); \
	(spin_unlock)(lock); \
})
#define up_read(sem) ({ \
	WARN_ON_ONCE(!rwsem_is_locked(sem)); \
	(up_read)(sem); \
})
