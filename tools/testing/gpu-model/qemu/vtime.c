// SPDX-License-Identifier: GPL-2.0
/*
 * QEMU plugin: one clock for the guest and its GPU models (host/clock_shm.h).
 *
 * With -icount, QEMU's virtual clock counts the instructions that the guest
 * executes, and nothing else moves it. A timer on that clock runs every quantum
 * while a model has something to do: the models do what is due until then, and
 * interrupts that are due are raised. When all CPUs are idle the time to the
 * guest's next timer is jumped over; the models run ahead, but not past an
 * interrupt. At each trapped access to a GPU, in the CPU's thread and at the very
 * instruction, the model learns the guest's time, and the CPU pays for the way
 * over PCIe. A CPU that halted for long goes on late when it is woken.
 *
 * QEMU's own interface for plugins has none of this: functions and two variables
 * that the binary exports are used, each looked up by its name and checked. Without
 * one of them QEMU does not start.
 *
 * usage: qemu-system-x86_64 -accel tcg,thread=single -icount shift=0,sleep=off \
 *		-plugin vtime.so,clocks=FD[:FD...],control=PATH,quantum=NS,limit=S,hang=S
 * with a vfio-user-pci device for each clock, in their order, and a socket chardev for
 * each control=PATH.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <linux/sockios.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "host/clock_shm.h"

#define EXPORT		__attribute__((visibility("default")))
#define GPUS_MAX	8
#define CPUS_MAX	64
#define FDS_MAX		1024	/* of QEMU, when it starts; it has some 30 */

#define NS_PER_US	1000ll
#define NS_PER_MS	1000000ll

/* Linux begins at a multiple of this: far more than the firmware's time varies. */
#define BEGIN_NS	(100 * NS_PER_MS)
/* Where Linux has its code. */
#define KERNEL		0xffffffff80000000ull

/* Idle time passes at most so many times faster than the host's: its I/O needs some. */
#define IDLE_SPEED	50
/* The host's sleeps are worth it from this length on. */
#define SLEEP_NS	(100 * NS_PER_US)
/* The longest jump: what the host does for the guest meanwhile is not delayed further. */
#define IDLE_MAX_NS	NS_PER_MS
/* A tick comes after this time, whatever is or is not due. */
#define LAZY_NS		NS_PER_MS
/* How often the watchdog looks, on the host's clock, and how many looks are a second. */
#define WATCH_US	100000
#define LOOKS_S		(1000000 / WATCH_US)
/* How often it is looked whether an answer has come, and how long one may lie unread. */
#define ANSWER_US	20
#define UNREAD_NS	(1000 * NS_PER_MS)

/* ---- what QEMU has ---- */

#define CLOCK_VIRTUAL	1	/* QEMU_CLOCK_VIRTUAL */
#define ATTRIBUTES_ALL	(-1)

/* run_on_cpu_data */
union cpu_data {
	unsigned long as_long;
	void *as_pointer;
};

/* VFIODeviceIOOps of vfio-user: what an access to a device's region calls. */
struct io_ops {
	void *other[5];
	int (*read)(void *device, uint8_t region, off_t at, uint32_t size, void *data);
	int (*write)(void *device, uint8_t region, off_t at, uint32_t size, void *data, bool post);
};

/* TimersState, as far as it matters here. */
struct timers_state {
	char other[0x28];
	int64_t icount_bias;		/* added to the count of instructions: the clock's jumps */
	char more[0x60 - 0x30];
};

static struct {
	bool (*qemu_clock_run_timers)(int clock);
	void (*timer_init_full)(void *timer, void *list, int clock, int scale, int attributes,
				void (*cb)(void *opaque), void *opaque);
	void (*timer_mod_ns)(void *timer, int64_t expires);
	int64_t (*qemu_clock_get_ns)(int clock);
	int64_t (*qemu_clock_deadline_ns_all)(int clock, int attributes);
	int64_t (*icount_get_raw)(void);
	bool (*all_cpu_threads_idle)(void);
	bool (*runstate_is_running)(void);
	bool (*qemu_in_vcpu_thread)(void);
	void (*bql_lock_impl)(const char *file, int line);
	void (*bql_unlock)(void);
	void (*qemu_notify_event)(void);
	void (*cpu_exit)(void *cpu);
	void *(*qemu_get_cpu)(int index);
	bool (*cpu_has_work)(void *cpu);
	void (*async_run_on_cpu)(void *cpu, void (*f)(void *cpu, union cpu_data data),
				 union cpu_data data);
	void (*process_queued_cpu_work)(void *cpu);
	void *(*vfio_pci_from_vfio_device)(void *device);
	bool (*msi_enabled)(const void *device);
	void (*msi_notify)(void *device, unsigned int vector);
	size_t (*qemu_plugin_tb_n_insns)(const void *tb);
	void *(*qemu_plugin_tb_get_insn)(const void *tb, size_t i);
	size_t (*qemu_plugin_insn_data)(const void *insn, void *to, size_t len);
	uint64_t (*qemu_plugin_insn_vaddr)(const void *insn);
	void (*qemu_plugin_register_vcpu_insn_exec_cb)(void *insn, void *cb, int flags, void *opaque);
	void (*qemu_plugin_register_vcpu_tb_trans_cb)(uint64_t id, void *cb, void *opaque);
	void (*qemu_plugin_register_vcpu_init_cb)(uint64_t id, void *cb, void *opaque);
	void (*qemu_plugin_register_atexit_cb)(uint64_t id, void *cb, void *opaque);
	struct io_ops *vfio_user_device_io_ops_sock;
	struct timers_state *timers_state;
} qemu;

/* By their names; of a variable the size is checked as well. */
static const struct {
	const char *name;
	size_t at, size;
} symbols[] = {
#define FUNCTION(f)	{ #f, offsetof(__typeof__(qemu), f), 0 }
#define VARIABLE(v)	{ #v, offsetof(__typeof__(qemu), v), sizeof(*qemu.v) }
	FUNCTION(qemu_clock_run_timers), FUNCTION(timer_init_full), FUNCTION(timer_mod_ns),
	FUNCTION(qemu_clock_get_ns),
	FUNCTION(qemu_clock_deadline_ns_all), FUNCTION(icount_get_raw),
	FUNCTION(all_cpu_threads_idle), FUNCTION(runstate_is_running), FUNCTION(qemu_in_vcpu_thread),
	FUNCTION(bql_lock_impl), FUNCTION(bql_unlock), FUNCTION(qemu_notify_event), FUNCTION(cpu_exit),
	FUNCTION(qemu_get_cpu), FUNCTION(cpu_has_work), FUNCTION(async_run_on_cpu),
	FUNCTION(process_queued_cpu_work),
	FUNCTION(vfio_pci_from_vfio_device), FUNCTION(msi_enabled), FUNCTION(msi_notify),
	FUNCTION(qemu_plugin_tb_n_insns), FUNCTION(qemu_plugin_tb_get_insn),
	FUNCTION(qemu_plugin_insn_data), FUNCTION(qemu_plugin_insn_vaddr),
	FUNCTION(qemu_plugin_register_vcpu_insn_exec_cb),
	FUNCTION(qemu_plugin_register_vcpu_tb_trans_cb),
	FUNCTION(qemu_plugin_register_vcpu_init_cb), FUNCTION(qemu_plugin_register_atexit_cb),
	VARIABLE(vfio_user_device_io_ops_sock), VARIABLE(timers_state),
};

/* ---- state ---- */

/**
 * struct watched - what the watchdog remembers of something that is waited for
 * @since:	what is waited for now began then, on the host's clock; 0: nothing
 * @at:		how far it had got at the last look
 * @looks:	so often it had got no further
 */
struct watched {
	int64_t since;
	uint64_t at;
	unsigned int looks;
};

/**
 * struct gpu - one model
 * @shm:	what is shared with it
 * @pidfd:	readable when its process has ended
 * @device:	QEMU's VFIODevice, NULL before its first access
 * @asked:	number of the request under way
 * @asked_at: @accessed_at: since when, on the host's clock, it is waited for; 0: it is not
 * @watched: the watchdog's, of either
 */
struct gpu {
	struct clock_shm *shm;
	int pidfd;
	void *device;
	uint32_t asked;
	_Atomic int64_t asked_at, accessed_at;
	struct watched watched;
};

/**
 * struct port - a model's control socket, which the guest has as a port
 * @path:	where the model listens
 * @fd:		QEMU's end
 * @unread:	bytes of answers that the guest does not fetch
 */
struct port {
	struct sockaddr_un path;
	int fd, unread;
};

/**
 * struct sleeper - a CPU
 * @since:	it was first seen without work then, right after it halted; 0: it is awake
 * @ready:	something woke it, and it goes on then; 0: nothing did
 */
struct sleeper {
	int64_t since, ready;
};

static struct sleeper sleepers[CPUS_MAX];
static void *work_ops[32];		/* a copy of SysemuCPUOps, which begins with has_work() */
static bool (*really_has_work)(void *cpu);
static struct gpu gpus[GPUS_MAX];
static int ngpus;
static struct port ports[GPUS_MAX];
static int nports;
static _Atomic int64_t commanded_at;	/* since when an answer is waited for; 0: it is not */
static int64_t quantum = 10 * NS_PER_US;
static int64_t limit_s = INT64_MAX / 1000000000;	/* the guest's time is over then */
/* A model that does not answer for so long hangs. Less than vfio-user waits for an access. */
static int64_t hang_s = 15;
static char timer[256];			/* a QEMUTimer; larger than it is */
static int64_t expires;			/* when it does */
static bool queued, ticking, begun;
static int64_t linux_at;			/* when the guest left its firmware */
static int64_t owed;			/* host's time that idle time still has to last */
static struct io_ops real;		/* what the table held */

static struct {
	uint64_t ticks, requests, idle, interrupts, accesses, commands;
	int64_t idle_ns, waited_ns;
} count;

static int64_t host_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static int64_t guest_now(void)
{
	return qemu.qemu_clock_get_ns(CLOCK_VIRTUAL);
}

__attribute__((noreturn, format(printf, 1, 2)))
static void die(const char *fmt, ...)
{
	static atomic_flag dying = ATOMIC_FLAG_INIT;
	va_list ap;
	size_t size;
	char *text;
	FILE *to;
	int i;

	while (atomic_flag_test_and_set(&dying))
		pause();
	/* the guest's console goes to the same file: by one write() nothing gets into the lines */
	to = open_memstream(&text, &size);
	if (!to)
		_exit(1);
	fputs("\nvtime: error: ", to);
	va_start(ap, fmt);
	vfprintf(to, fmt, ap);
	va_end(ap);
	fprintf(to, "; the guest is at %.6f s\n", guest_now() / 1e9);
	for (i = 0; i < ngpus; i++) {
		const struct clock_shm *s = gpus[i].shm;

		fprintf(to, "vtime: GPU %d at %.6f s, ", i, s->now / 1e9);
		if (s->next == CLOCK_NEVER)
			fprintf(to, "no event to come");
		else
			fprintf(to, "next event at %.6f s", s->next / 1e9);
		fprintf(to, ", doing: %.31s, %llu runs since its clock moved; request %u, answer %u, "
			"to %.6f s%s\n", s->doing[0] ? s->doing : "nothing",
			(unsigned long long)s->runs, gpus[i].asked, s->answered, s->target / 1e9,
			gpus[i].accessed_at ? "; the guest waits for an access" : "");
	}
	if (!fclose(to))
		(void)!write(STDERR_FILENO, text, size);
	_exit(1);
}

/* ---- the models ---- */

static void ask(struct gpu *g, enum clock_order order, int64_t target)
{
	g->shm->order = order;
	g->shm->target = target;
	g->asked = atomic_load(&g->shm->asked) + 1;
	atomic_store(&g->asked_at, host_now());
	atomic_store(&g->shm->asked, g->asked);
	clock_wake(&g->shm->asked);
	count.requests++;
}

static void wait_for(struct gpu *g)
{
	_Atomic uint32_t *word = &g->shm->answered;
	int64_t begin = host_now();

	while (atomic_load(word) != g->asked)
		clock_wait(word, g->asked - 1, 0);
	atomic_store(&g->asked_at, 0);
	count.waited_ns += host_now() - begin;
}

static bool is_up(const struct gpu *g)
{
	uint32_t version = atomic_load(&g->shm->version);

	if (version && version != CLOCK_SHM_VERSION)
		die("the clock of GPU %d is of version %u, not %u", (int)(g - gpus), version,
		    CLOCK_SHM_VERSION);
	return version;
}

/* Have the models with something due until @target run, all at the same time. */
static void run_models(enum clock_order order, int64_t target)
{
	bool asked[GPUS_MAX] = {};
	int i;

	for (i = 0; i < ngpus; i++) {
		if (!is_up(&gpus[i]) || atomic_load(&gpus[i].shm->next) > (uint64_t)target)
			continue;
		ask(&gpus[i], order, target);
		asked[i] = true;
	}
	for (i = 0; i < ngpus; i++)
		if (asked[i])
			wait_for(&gpus[i]);
}

/* When the first interrupt is to be delivered, or @limit if that is before. */
static int64_t next_interrupt(int64_t limit)
{
	uint64_t t;
	int i;

	for (i = 0; i < ngpus; i++) {
		t = atomic_load(&gpus[i].shm->interrupt);
		if (t < (uint64_t)limit)
			limit = t;
	}
	return limit;
}

/* When a model has something to do, or @limit if that is before. */
static int64_t event_of(const struct gpu *g, int64_t limit)
{
	uint64_t t = atomic_load(&g->shm->next);

	return t < (uint64_t)limit ? (int64_t)t : limit;
}

/* The first of all. */
static int64_t next_event(int64_t limit)
{
	int i;

	for (i = 0; i < ngpus; i++)
		limit = event_of(&gpus[i], limit);
	return limit;
}

/*
 * Has it been waited for since @since, and got no further than @at, for hang_s? The watchdog's
 * own looks are counted: a host that stood still, with all that is on it, is no model's fault.
 */
static bool hangs(struct watched *w, int64_t since, uint64_t at)
{
	if (!since || since != w->since || at != w->at)
		w->looks = 0;
	w->since = since;
	w->at = at;
	return w->looks++ > hang_s * LOOKS_S;
}

/* Since when, on the host's clock, QEMU waits for this model; 0: it does not. */
static int64_t waited_since(const struct gpu *g)
{
	int64_t asked = atomic_load(&g->asked_at), accessed = atomic_load(&g->accessed_at);

	return !asked || (accessed && accessed < asked) ? accessed : asked;
}

/*
 * The watchdog, a thread: has a model died, or does one not answer? When the machine is
 * being switched off its models end.
 */
static void *watch(void *arg)
{
	struct pollfd end = { .events = POLLIN };
	struct watched command = {};
	struct gpu *g;

	(void)arg;
	for (;;) {
		usleep(WATCH_US);
		for (g = gpus; g < gpus + ngpus; g++) {
			end.fd = g->pidfd;
			if (poll(&end, 1, 0) == 1 && qemu.runstate_is_running())
				die("the model of GPU %td died", g - gpus);
			if (hangs(&g->watched, waited_since(g), atomic_load(&g->shm->now)))
				die("the model of GPU %td hangs", g - gpus);
		}
		if (hangs(&command, atomic_load(&commanded_at), 0))
			die("a model does not answer a command");
	}
	return NULL;
}

static int start_watch(void)
{
	sigset_t all, old;
	pthread_t thread;
	int err;

	if (!ngpus)
		return 0;
	/* Signals are QEMU's own threads'. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&thread, NULL, watch, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return err;
}

/* ---- the control ports ---- */

/*
 * Which descriptor of this process is connected to @path? -1: none. The socket's own name
 * is longer, by ".PID": the path is the name it got later (unix_listen()).
 */
static int connected_to(const struct sockaddr_un *path)
{
	size_t n = strlen(path->sun_path);
	struct sockaddr_un peer;
	socklen_t len;
	int fd;

	for (fd = 0; fd < FDS_MAX; fd++) {
		len = sizeof(peer);
		memset(&peer, 0, sizeof(peer));
		if (!getpeername(fd, (struct sockaddr *)&peer, &len) &&
		    peer.sun_family == AF_UNIX && !strncmp(peer.sun_path, path->sun_path, n) &&
		    (!peer.sun_path[n] || peer.sun_path[n] == '.'))
			return fd;
	}
	return -1;
}

/* A command that its model has not yet taken (which it does when it has answered). */
static bool is_unanswered(const struct port *p)
{
	int n = 0;

	return !ioctl(p->fd, SIOCOUTQ, &n) && n;
}

/* How much of answers the guest has not yet got. */
static int unread(const struct port *p)
{
	int n = 0;

	return ioctl(p->fd, SIOCINQ, &n) ? 0 : n;
}

static bool is_talking(void)
{
	int i;

	for (i = 0; i < nports; i++)
		if (is_unanswered(&ports[i]) || unread(&ports[i]) > ports[i].unread)
			return true;
	return false;
}

/* An answer that nobody fetches is waited for once. */
static void give_up_unread(void)
{
	int i;

	for (i = 0; i < nports; i++)
		ports[i].unread = unread(&ports[i]);
}

/* ---- the clock ---- */

/* BQL is held, or a CPU at work: the main loop, which alone moves the clock as well, does not. */
static void advance(int64_t ns)
{
	__atomic_fetch_add(&qemu.timers_state->icount_bias, ns, __ATOMIC_SEQ_CST);
}

static void expire_at(int64_t t)
{
	expires = t;
	qemu.timer_mod_ns(timer, t);
}

/*
 * No time passes between a command of the guest's to a model and its answer: the model's
 * thread and QEMU's main loop, which carry both, take the host's time. The main loop may
 * be asleep since before the guest opened the port, and would not look for an answer.
 */
static void await_answers(int64_t now)
{
	struct timespec t = { 0, ANSWER_US * NS_PER_US };
	int64_t begin;

	if (!is_talking())
		return;
	begin = host_now();
	atomic_store(&commanded_at, begin);
	/* Due: the main loop must not jump by itself. */
	expire_at(now);
	qemu.qemu_notify_event();
	do {
		qemu.bql_unlock();
		clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
		qemu.bql_lock_impl(__FILE__, __LINE__);
		if (host_now() - begin > UNREAD_NS)
			give_up_unread();
	} while (is_talking());
	atomic_store(&commanded_at, 0);
	count.commands++;
}

/*
 * When the first CPU that has been woken goes on, or @limit if that is before. One whose time
 * has come goes on with its next turn, which the other CPU's is not to keep it from.
 */
static int64_t next_ready(int64_t now, int64_t limit)
{
	int64_t t;
	int i;

	for (i = 0; i < CPUS_MAX; i++) {
		t = sleepers[i].ready > now ? sleepers[i].ready : now + NS_PER_US;
		if (sleepers[i].ready && t < limit)
			limit = t;
	}
	return limit;
}

/*
 * When a busy CPU's turn has to end for a tick: as rarely as can be, as the timer wakes all
 * of QEMU's threads. Before a model's next event nothing happens but for accesses, which
 * are seen.
 */
static int64_t next_tick(int64_t now)
{
	int64_t event = next_event(now + LAZY_NS);

	return next_ready(now, next_interrupt(event < now + quantum ? now + quantum : event));
}

/* Interrupts whose time has come. */
static void deliver(int64_t now)
{
	void *device;
	int i;

	for (i = 0; i < ngpus; i++) {
		if (atomic_load(&gpus[i].shm->interrupt) > (uint64_t)now)
			continue;
		atomic_store(&gpus[i].shm->interrupt, CLOCK_NEVER);
		device = gpus[i].device ? qemu.vfio_pci_from_vfio_device(gpus[i].device) : NULL;
		if (!device || !qemu.msi_enabled(device))
			continue;
		qemu.msi_notify(device, 0);
		count.interrupts++;
	}
}

/*
 * Are the guest's CPUs idle? The main loop gives them work to do nothing, to wake this
 * thread, at any moment: that alone does not count.
 */
static bool all_idle(void)
{
	void *cpu;
	int i;

	for (i = 0; (cpu = qemu.qemu_get_cpu(i)); i++)
		qemu.process_queued_cpu_work(cpu);
	return qemu.all_cpu_threads_idle();
}

/*
 * A step of idle time to @target; without BQL as long as it takes, so that the main loop
 * can work, and not much faster than the host's time, so that the host's I/O can.
 */
static void idle_step(int64_t now, int64_t target)
{
	int64_t begin = host_now();
	struct timespec t;

	/* Due: the main loop must not jump by itself. */
	expire_at(now);
	qemu.bql_unlock();
	run_models(CLOCK_RUN_IDLE, target);
	owed += (target - now) / IDLE_SPEED - (host_now() - begin);
	if (owed >= SLEEP_NS) {
		t = (struct timespec){ 0, owed };
		clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
		owed = 0;
	}
	if (owed < 0)
		owed = 0;
	qemu.bql_lock_impl(__FILE__, __LINE__);
}

/*
 * How far the models may run at once. One that alone has something to do stops at its
 * interrupt; of several, none runs further than a quantum past another one's, and no
 * interrupt comes before an event.
 */
static int64_t step_to(int64_t end)
{
	int64_t first = end, second = end, t;
	int i;

	for (i = 0; i < ngpus; i++) {
		t = event_of(&gpus[i], end);
		if (t < first) {
			second = first;
			first = t;
		} else if (t < second) {
			second = t;
		}
	}
	t = second > first + quantum ? second - 1 : first + quantum;
	return next_interrupt(second == end || t > end ? end : t);
}

/* All CPUs are idle: on, from one timer of the guest's to the next, until one is not. */
static void idle(int64_t now)
{
	int64_t d, end, target;

	do {
		/* The next timer is to be another's, if there is one. */
		expire_at(now + IDLE_MAX_NS);
		d = qemu.qemu_clock_deadline_ns_all(CLOCK_VIRTUAL, ATTRIBUTES_ALL);
		if (d < 0)	/* the machine is being stopped, and its clock with it */
			return;
		end = next_ready(now, now + d);
		target = step_to(end);
		idle_step(now, target);
		target = next_interrupt(target);
		if (target > now)
			advance(target - now);
		count.idle++;
		count.idle_ns += target - now;
		now = target;
		if (now >= end)
			qemu.qemu_clock_run_timers(CLOCK_VIRTUAL);
		deliver(now);
	} while (all_idle());
}

/* In the CPUs' thread, between two turns of theirs; BQL held. */
static void tick(void *opaque)
{
	int64_t now = guest_now();
	int i;

	(void)opaque;
	if (ticking)
		return;
	ticking = true;
	count.ticks++;
	for (i = 0; i < ngpus; i++)
		atomic_store(&gpus[i].shm->guest, now);
	if (now / 1000000000 >= limit_s)
		die("the guest did not end within %lld s of its time", (long long)limit_s);
	run_models(CLOCK_RUN, now);
	deliver(now);
	await_answers(now);
	if (all_idle())
		idle(now);
	expire_at(next_tick(guest_now()));
	ticking = false;
}

static void queued_tick(void *cpu, union cpu_data data)
{
	(void)cpu;
	(void)data;
	queued = false;
	tick(NULL);
}

/*
 * A CPU is about to halt, and may be the last one: a tick when its turn has ended, as work
 * that is queued for a CPU. With that none counts as idle, so that QEMU's main loop finds
 * no time to jump over by itself, which it would do at any moment that suits it, and this
 * thread does not go to sleep.
 */
static void halting(unsigned int cpu, void *opaque)
{
	(void)cpu;
	(void)opaque;
	if (queued)
		return;
	queued = true;
	qemu.async_run_on_cpu(qemu.qemu_get_cpu(0), queued_tick, (union cpu_data){ 0 });
}

/* The next tick is at @t: the CPUs' turns, given for longer, end now. */
static void end_turns(int64_t t)
{
	void *cpu;
	int i;

	if (t < expires)
		expire_at(t);
	for (i = 0; (cpu = qemu.qemu_get_cpu(i)); i++)
		qemu.cpu_exit(cpu);
}

static struct sleeper *sleeper_of(const void *cpu)
{
	const void *other;
	int i;

	for (i = 0; i < CPUS_MAX && (other = qemu.qemu_get_cpu(i)); i++)
		if (other == cpu)
			return &sleepers[i];
	return NULL;
}

/*
 * In the place of QEMU's: has a halted CPU something to do? One that slept for long has it
 * later; what the other CPUs do meanwhile takes its usual time. To the main loop, whose looks
 * come at the host's time, it has it at once, so that it leaves the clock alone.
 */
static bool has_work(void *cpu)
{
	struct sleeper *s = sleeper_of(cpu);
	bool work = really_has_work(cpu);
	int64_t now;

	if (!s || !begun || !qemu.qemu_in_vcpu_thread())
		return work;
	now = guest_now();
	if (!work) {
		s->ready = 0;
		s->since = s->since ?: now;
	}
	if (!work || !s->since)
		return work;
	if (!s->ready) {
		s->ready = now + (now - s->since < gpus[0].shm->sleep_ns ? 0 : gpus[0].shm->wake_ns);
		if (!ticking && s->ready > now && s->ready < expires)
			end_turns(s->ready);
	}
	if (now < s->ready)
		return false;
	*s = (struct sleeper){ 0 };
	return true;
}

/*
 * QEMU's cpu_has_work() calls the first function of the table that its CPU's class names. Where
 * these are its code says.
 */
static bool hook_work(void)
{
	static const int16_t code[] = {
		0xf3, 0x0f, 0x1e, 0xfa,			/* endbr64 */
		0x48, 0x8b, 0x87, -1, -1, -1, -1,	/* mov CLASS(%rdi),%rax */
		0x48, 0x8b, 0x80, -1, -1, -1, -1,	/* mov OPS(%rax),%rax */
		0xff, 0x20,				/* jmp *(%rax) */
	};
	uint8_t is[sizeof(code) / sizeof(code[0])];
	char *cpu = qemu.qemu_get_cpu(0);
	int32_t class, ops;
	void **named;
	size_t i;

	memcpy(is, *(void **)&qemu.cpu_has_work, sizeof(is));
	for (i = 0; i < sizeof(is); i++)
		if (code[i] >= 0 && code[i] != is[i])
			return false;
	memcpy(&class, is + 7, sizeof(class));
	memcpy(&ops, is + 14, sizeof(ops));
	named = (void **)(*(char **)(cpu + class) + ops);
	memcpy(work_ops, *named, sizeof(work_ops));
	*(void **)&really_has_work = work_ops[0];
	*(bool (**)(void *))&work_ops[0] = has_work;
	*named = work_ops;
	return true;
}

/*
 * A CPU waits in a loop: that takes it time, and so the host little. The other CPUs' turns
 * come after this instruction anyhow. No BQL: this CPU is at work, so the main loop leaves
 * the clock alone.
 */
static void pausing(unsigned int cpu, void *opaque)
{
	(void)cpu;
	(void)opaque;
	advance(gpus[0].shm->pause_ns);
}

/*
 * The firmware starts the second CPU and waits for it, and QEMU ends a CPU's turn at the
 * host's time now and then: how long that takes varies by some ns to us. Linux does not see
 * it, as its own time begins at a multiple of BEGIN_NS.
 */
static void begin_linux(void *cpu, union cpu_data data)
{
	(void)cpu;
	(void)data;
	advance(BEGIN_NS - guest_now() % BEGIN_NS);
	linux_at = guest_now();
}

static void translated(void *tb, void *opaque)
{
	size_t i, n = qemu.qemu_plugin_tb_n_insns(tb);
	const uint8_t hlt = 0xf4, rep_nop[] = { 0xf3, 0x90 };

	(void)opaque;
	/* It is to be executed, and is not before what is queued now. */
	if (!begun && n && qemu.qemu_plugin_insn_vaddr(qemu.qemu_plugin_tb_get_insn(tb, 0)) >= KERNEL) {
		begun = true;
		qemu.async_run_on_cpu(qemu.qemu_get_cpu(0), begin_linux, (union cpu_data){ 0 });
	}
	for (i = 0; i < n; i++) {
		void *insn = qemu.qemu_plugin_tb_get_insn(tb, i);
		uint8_t is[2];
		size_t len = qemu.qemu_plugin_insn_data(insn, is, sizeof(is));

		if (len == sizeof(hlt) && is[0] == hlt)
			qemu.qemu_plugin_register_vcpu_insn_exec_cb(insn, halting, 0, NULL);
		if (ngpus && len == sizeof(rep_nop) && !memcmp(is, rep_nop, len))
			qemu.qemu_plugin_register_vcpu_insn_exec_cb(insn, pausing, 0, NULL);
	}
}

/* ---- trapped accesses ---- */

static struct gpu *gpu_of(void *device)
{
	int i;

	for (i = 0; i < ngpus; i++) {
		if (!gpus[i].device)
			gpus[i].device = device;	/* they come in their order */
		if (gpus[i].device == device)
			return &gpus[i];
	}
	return NULL;
}

/* The model is to see the access at the guest's time; the main loop's have none. */
static void begin_access(struct gpu *g)
{
	if (!g)
		return;
	atomic_store(&g->shm->access, qemu.qemu_in_vcpu_thread() ? guest_now() : 0);
	atomic_store(&g->accessed_at, host_now());
}

/*
 * The guest's time goes on by what the access took. The CPU's turn ends with this
 * instruction: it was given for less time than has passed now, and the model may have
 * something to do sooner than it said.
 */
static void end_access(struct gpu *g, uint32_t took_ns)
{
	if (!g)
		return;
	atomic_store(&g->accessed_at, 0);
	if (!qemu.qemu_in_vcpu_thread())
		return;
	advance(took_ns);
	end_turns(next_tick(guest_now()));
	count.accesses++;
}

static int hooked_read(void *device, uint8_t region, off_t at, uint32_t size, void *data)
{
	struct gpu *g = gpu_of(device);
	int ret;

	begin_access(g);
	ret = real.read(device, region, at, size, data);
	end_access(g, g ? g->shm->read_ns : 0);
	return ret;
}

static int hooked_write(void *device, uint8_t region, off_t at, uint32_t size, void *data,
			bool post)
{
	struct gpu *g = gpu_of(device);
	int ret;

	(void)post;		/* it has reached the model before the guest goes on */
	begin_access(g);
	ret = real.write(device, region, at, size, data, false);
	end_access(g, g ? g->shm->write_ns : 0);
	return ret;
}

/* ---- begin and end ---- */

EXPORT int qemu_plugin_version = 7;

/* Does the clock, and nothing else, rise by what is added to the bias? */
static bool bias_is_right(void)
{
	int64_t clock = guest_now(), raw = qemu.icount_get_raw();
	const int64_t step = 12345;
	bool right;

	advance(step);
	right = guest_now() == clock + step && qemu.icount_get_raw() == raw;
	advance(-step);
	return right;
}

/* Called in the CPUs' thread with BQL, once for each CPU. */
static void vcpu_init(unsigned int index, void *opaque)
{
	int i;

	(void)opaque;
	if (index)
		return;
	if (!bias_is_right())
		die("this QEMU's clock is not moved by timers_state.qemu_icount_bias");
	if (ngpus && !hook_work())
		die("this QEMU's cpu_has_work() is not the one that is known");
	for (i = 0; i < nports; i++) {
		ports[i].fd = connected_to(&ports[i].path);
		if (ports[i].fd < 0)
			die("nothing is connected to '%s'", ports[i].path.sun_path);
	}
	qemu.timer_init_full(timer, NULL, CLOCK_VIRTUAL, 1, 0, tick, NULL);
	expire_at(guest_now() + LAZY_NS);
}

static void at_exit(void *opaque)
{
	(void)opaque;
	fprintf(stderr, "vtime: Linux at %.9f s, to %.3f s, %llu ticks, %llu requests (%.3f s), %llu idle (%.3f s), %llu "
		"interrupts, %llu accesses, %llu commands\n", linux_at / 1e9, guest_now() / 1e9,
		(unsigned long long)count.ticks,
		(unsigned long long)count.requests, count.waited_ns / 1e9,
		(unsigned long long)count.idle, count.idle_ns / 1e9,
		(unsigned long long)count.interrupts, (unsigned long long)count.accesses,
		(unsigned long long)count.commands);
}

static int add_gpu(int fd)
{
	struct gpu *g = &gpus[ngpus];
	const char *why = NULL;
	uint32_t version;

	if (ngpus == GPUS_MAX)
		return -1;
	g->shm = clock_map(fd);
	if (!g->shm) {
		fprintf(stderr, "vtime: error: descriptor %d is no sealed memory of a page: %s\n",
			fd, strerror(errno));
		return -1;
	}
	/* 0: its model is not up yet */
	version = atomic_load(&g->shm->version);
	g->pidfd = syscall(SYS_pidfd_open, g->shm->pid, 0);
	if (version && version != CLOCK_SHM_VERSION)
		why = "is of another version";
	else if (g->pidfd < 0)
		why = "has no model";
	if (why) {
		fprintf(stderr, "vtime: error: the clock of descriptor %d (version %u, wanted %u) "
			"%s\n", fd, version, CLOCK_SHM_VERSION, why);
		return -1;
	}
	ngpus++;
	return 0;
}

static int add_port(const char *path)
{
	struct sockaddr_un *addr = &ports[nports].path;

	if (nports == GPUS_MAX || !*path || strlen(path) >= sizeof(addr->sun_path))
		return -1;
	strcpy(addr->sun_path, path);
	nports++;
	return 0;
}

static int parse(const char *arg)
{
	char *end;

	if (!strncmp(arg, "quantum=", 8)) {
		quantum = strtoll(arg + 8, &end, 10);
		return *end || quantum < NS_PER_US ? -1 : 0;
	}
	if (!strncmp(arg, "limit=", 6)) {
		limit_s = strtoll(arg + 6, &end, 10);
		return *end || limit_s < 1 ? -1 : 0;
	}
	if (!strncmp(arg, "hang=", 5)) {
		hang_s = strtoll(arg + 5, &end, 10);
		return *end || hang_s < 1 ? -1 : 0;
	}
	if (!strncmp(arg, "control=", 8))
		return add_port(arg + 8);
	if (strncmp(arg, "clocks=", 7))
		return -1;
	for (arg += 7; *arg; arg = *end ? end + 1 : end)
		if (add_gpu(strtol(arg, &end, 10)) || (*end && *end != ':'))
			return -1;
	return 0;
}

static bool look_up(void)
{
	size_t i;

	for (i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		void *p = dlsym(RTLD_DEFAULT, symbols[i].name);
		const ElfW(Sym) *symbol = NULL;
		Dl_info info;

		if (!p) {
			fprintf(stderr, "vtime: error: this QEMU does not export %s\n", symbols[i].name);
			return false;
		}
		if (symbols[i].size &&
		    (!dladdr1(p, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol ||
		     symbol->st_size != symbols[i].size)) {
			fprintf(stderr, "vtime: error: this QEMU's %s has another size\n",
				symbols[i].name);
			return false;
		}
		*(void **)((char *)&qemu + symbols[i].at) = p;
	}
	return true;
}

EXPORT int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
	int i;

	(void)info;
	if (!look_up())
		return -1;
	for (i = 0; i < argc; i++) {
		if (parse(argv[i])) {
			fprintf(stderr, "vtime: error: bad argument '%s'\n", argv[i]);
			return -1;
		}
	}
	if (start_watch()) {
		fputs("vtime: error: no thread for the watchdog\n", stderr);
		return -1;
	}
	real = *qemu.vfio_user_device_io_ops_sock;
	qemu.vfio_user_device_io_ops_sock->read = hooked_read;
	qemu.vfio_user_device_io_ops_sock->write = hooked_write;
	qemu.qemu_plugin_register_vcpu_init_cb(id, vcpu_init, NULL);
	qemu.qemu_plugin_register_vcpu_tb_trans_cb(id, translated, NULL);
	qemu.qemu_plugin_register_atexit_cb(id, at_exit, NULL);
	return 0;
}
