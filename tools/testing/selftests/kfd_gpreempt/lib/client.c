// SPDX-License-Identifier: GPL-2.0
/* What tests and demo programs share. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <drm/amdgpu_drm.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "client.h"

/* Results start on the second page of a job's memory; signal and arguments before. */
#define ARGS_OFFSET	64
#define RESULTS_OFFSET	KFD_PAGE

pid_t client_fork(void)
{
	pid_t pid = fork();

	if (!pid)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

void *client_shared_page(void)
{
	void *p = mmap(NULL, KFD_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

int client_take_vram(int drm_fd, size_t size, unsigned int ms)
{
	union drm_amdgpu_gem_create gem = {
		.in.bo_size = size,
		.in.alignment = KFD_PAGE,
		.in.domains = AMDGPU_GEM_DOMAIN_VRAM,
	};
	char path[32];
	int fd;

	/* an open file of our own */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", drm_fd);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return 1;
	if (ioctl(fd, DRM_IOCTL_AMDGPU_GEM_CREATE, &gem))
		return 2;
	usleep(ms * 1000);
	return 0;
}

int client_open(struct client *c)
{
	static const char *const names[] = {
		"store", "read_clock", "high", "until", "meet", "low", "low_full", "hold",
		"steps", "agree_init", "agree",
	};
	struct aql_kernel *kernels[] = {
		&c->store, &c->read_clock, &c->high, &c->until, &c->meet, &c->low,
		&c->low_full, &c->hold, &c->steps, &c->agree_init, &c->agree,
	};
	unsigned int i;
	int ret;

	memset(c, 0, sizeof(*c));
	ret = kfd_open(&c->dev);
	if (ret)
		return ret;
	ret = code_load(&c->code, &c->dev);
	for (i = 0; !ret && i < sizeof(names) / sizeof(names[0]); i++)
		ret = code_kernel(&c->code, names[i], kernels[i]);
	if (ret)
		kfd_close(&c->dev);
	c->high.group_bytes = CLIENT_LDS_BYTES;
	c->until.group_bytes = CLIENT_LDS_BYTES;
	c->meet.group_bytes = CLIENT_LDS_BYTES;
	c->steps.group_bytes = CLIENT_LDS_BYTES;
	c->agree.group_bytes = CLIENT_LDS_BYTES;
	return ret;
}

int client_open_pair(struct client *c, struct aql_queue *low, struct aql_queue *high)
{
	int ret = client_open(c);

	ret = ret ?: aql_create(low, &c->dev, 64, PRIORITY_LOW);
	return ret ?: aql_create(high, &c->dev, 64, PRIORITY_HIGH);
}

void client_close(struct client *c)
{
	kfd_free(&c->dev, &c->code.mem);
	kfd_close(&c->dev);
}

/*
 * struct reading - s_memtime and the GPU's clock, read by one short kernel,
 * and the GPU's clock with the host's, read by the driver
 */
struct reading {
	__u64 ticks, kernel_clock;
	__u64 gpu_clock, host_ns;
};

static int read_clocks(struct client *c, struct aql_queue *q, struct kfd_mem *mem,
		       struct reading *r)
{
	struct aql_signal *signal = mem->ptr;
	__u64 *args = (__u64 *)((char *)mem->ptr + ARGS_OFFSET);
	volatile __u64 *ticks = args + 1;
	int ret;

	args[0] = (uintptr_t)ticks;
	aql_signal_init(signal, 1, NULL);
	aql_dispatch(q, &c->read_clock, 64, 64, args, signal);
	ret = aql_signal_wait(&c->dev, signal, CLIENT_TIMEOUT_MS);
	r->ticks = *ticks;
	r->kernel_clock = signal->end_ts;
	r->gpu_clock = kfd_gpu_clock(&c->dev);
	r->host_ns = kfd_now();
	return ret;
}

/*
 * Through the GPU's clock, which completion signals carry: how long the
 * kernels had to wait for a busy GPU then does not matter.
 */
int client_calibrate(struct client *c, struct aql_queue *q)
{
	struct reading first, second;
	struct kfd_mem mem;
	int ret;

	ret = kfd_alloc(&c->dev, &mem, KFD_PAGE, KFD_MEM_HOST);
	if (ret)
		return ret;
	ret = read_clocks(c, q, &mem, &first);
	if (!ret) {
		/* long beside the error of either reading */
		usleep(300000);
		ret = read_clocks(c, q, &mem, &second);
	}
	kfd_free(&c->dev, &mem);
	if (ret)
		return ret;
	if (second.kernel_clock <= first.kernel_clock || second.gpu_clock <= first.gpu_clock)
		return -EIO;
	c->ticks_per_us = (double)(second.ticks - first.ticks) /
			  (second.kernel_clock - first.kernel_clock) *
			  (second.gpu_clock - first.gpu_clock) /
			  (second.host_ns - first.host_ns) * 1000;
	return 0;
}

/* Memory, event, and signal of a job with @results bytes of results. */
static int job_alloc(struct client *c, struct kfd_mem *mem, struct kfd_event *event,
		     size_t results)
{
	int ret;

	ret = kfd_alloc(&c->dev, mem, RESULTS_OFFSET + results, KFD_MEM_HOST);
	if (ret || !event)
		return ret;
	ret = kfd_event_create(&c->dev, event);
	if (ret)
		kfd_free(&c->dev, mem);
	return ret;
}

/* As low_job_init(), but nobody has computed @expect. */
static int low_job_alloc(struct client *c, struct low_job *job, __u32 groups, __u32 iterations)
{
	size_t bytes = (size_t)groups * LOW_GROUP * sizeof(__u32);
	int ret;

	memset(job, 0, sizeof(*job));
	job->groups = groups;
	job->iterations = iterations;
	job->expect = malloc(bytes);
	if (!job->expect)
		return -ENOMEM;
	ret = job_alloc(c, &job->mem, &job->event, 2 * bytes);
	if (ret) {
		free(job->expect);
		return ret;
	}
	job->signal = job->mem.ptr;
	job->args = (void *)((char *)job->mem.ptr + ARGS_OFFSET);
	job->out = (__u32 *)((char *)job->mem.ptr + RESULTS_OFFSET);
	job->count = job->out + groups * LOW_GROUP;
	job->args->out = (uintptr_t)job->out;
	job->args->count = (uintptr_t)job->count;
	job->args->iterations = iterations;
	return 0;
}

int low_job_init(struct client *c, struct low_job *job, __u32 groups, __u32 iterations)
{
	int ret = low_job_alloc(c, job, groups, iterations);

	if (!ret)
		low_expect(job->expect, groups, iterations, c->full ? LOW_FULL_BANKS : LOW_BANKS);
	return ret;
}

int low_job_init_as(struct client *c, struct low_job *job, const struct low_job *as)
{
	int ret = low_job_alloc(c, job, as->groups, as->iterations);

	if (!ret)
		memcpy(job->expect, as->expect, as->groups * LOW_GROUP * sizeof(__u32));
	return ret;
}

void low_job_free(struct client *c, struct low_job *job)
{
	kfd_event_destroy(&c->dev, &job->event);
	kfd_free(&c->dev, &job->mem);
	free(job->expect);
}

void low_job_start(struct client *c, struct low_job *job, struct aql_queue *q)
{
	memset(job->out, 0, 2 * job->groups * LOW_GROUP * sizeof(__u32));
	aql_signal_init(job->signal, 1, &job->event);
	aql_dispatch(q, c->full ? &c->low_full : &c->low, job->groups * LOW_GROUP, LOW_GROUP,
		     job->args, job->signal);
}

int low_job_wait(struct client *c, struct low_job *job, unsigned int timeout_ms)
{
	return aql_signal_wait(&c->dev, job->signal, timeout_ms);
}

unsigned int low_job_wrong(const struct low_job *job)
{
	unsigned int i, n = 0, items = job->groups * LOW_GROUP;
	const __u32 *count = job->count;

	/* The usual case by memcmp(), which takes little of the CPU from others. */
	if (!memcmp(job->out, job->expect, items * sizeof(*count)) &&
	    count[0] == job->iterations && !memcmp(count, count + 1, (items - 1) * sizeof(*count)))
		return 0;
	for (i = 0; i < items; i++)
		n += job->out[i] != job->expect[i] || job->count[i] != job->iterations;
	return n;
}

__u32 low_groups(const struct client *c)
{
	return c->dev.cus * (c->full ? LOW_FULL_GROUPS : 1);
}

/* How long as many workgroups take as the machine holds; negative errno on failure. */
static __s64 low_time(struct client *c, struct aql_queue *q, __u32 iterations)
{
	struct low_job job;
	__s64 start, ret;

	ret = low_job_init(c, &job, low_groups(c), iterations);
	if (ret)
		return ret;
	start = kfd_now();
	low_job_start(c, &job, q);
	ret = low_job_wait(c, &job, CLIENT_TIMEOUT_MS);
	if (!ret && low_job_wrong(&job))
		ret = -EILSEQ;
	if (!ret)
		ret = kfd_now() - start;
	low_job_free(c, &job);
	return ret;
}

__u32 low_calibrate(struct client *c, struct aql_queue *q, unsigned int ms)
{
	__u32 banks = c->full ? LOW_FULL_BANKS : LOW_BANKS, n = 2 * banks;
	__s64 few = low_time(c, q, banks), many, target = ms * 1000000LL, more;

	if (few < 0)
		return 0;
	/* the difference of two runs is what the iterations cost */
	for (;;) {
		many = low_time(c, q, n);
		if (many < 0)
			return 0;
		if (many > target / 2 || n >= 1u << 24)
			break;
		n *= 2;
	}
	if (many <= few)
		return n;
	more = (target - many) * (__s64)(n - banks) / (many - few);
	/* either run may have been disturbed */
	return more > -(__s64)n / 2 ? n + more : n / 2;
}

int high_job_init(struct client *c, struct high_job *job, unsigned int us)
{
	int ret;

	memset(job, 0, sizeof(*job));
	ret = job_alloc(c, &job->mem, &job->event, KFD_PAGE);
	if (ret)
		return ret;
	job->signal = job->mem.ptr;
	job->args = (void *)((char *)job->mem.ptr + ARGS_OFFSET);
	job->done = (__u32 *)((char *)job->mem.ptr + RESULTS_OFFSET);
	job->args->done = (uintptr_t)job->done;
	job->args->ticks = us * c->ticks_per_us;
	return 0;
}

void high_job_free(struct client *c, struct high_job *job)
{
	kfd_event_destroy(&c->dev, &job->event);
	kfd_free(&c->dev, &job->mem);
}

void high_job_start(struct client *c, struct high_job *job, struct aql_queue *q)
{
	aql_signal_init(job->signal, 1, &job->event);
	job->packet = aql_dispatch(q, &c->high, c->dev.cus * 64, 64, job->args, job->signal);
}

int high_job_wait(struct client *c, struct high_job *job, unsigned int timeout_ms)
{
	return aql_signal_wait(&c->dev, job->signal, timeout_ms);
}

int high_job_run(struct client *c, struct high_job *job, struct aql_queue *q,
		 unsigned int timeout_ms, __u64 *ns)
{
	int ret;

	job->submitted = kfd_now();
	high_job_start(c, job, q);
	ret = high_job_wait(c, job, timeout_ms);
	*ns = kfd_now() - job->submitted;
	return ret;
}

int until_job_init(struct client *c, struct until_job *job)
{
	int ret;

	memset(job, 0, sizeof(*job));
	ret = job_alloc(c, &job->mem, NULL, KFD_PAGE);
	if (ret)
		return ret;
	job->signal = job->mem.ptr;
	job->args = (void *)((char *)job->mem.ptr + ARGS_OFFSET);
	job->stop = (__u32 *)((char *)job->mem.ptr + RESULTS_OFFSET);
	job->rounds = job->stop + 1;
	job->args->stop = (uintptr_t)job->stop;
	job->args->rounds = (uintptr_t)job->rounds;
	return 0;
}

void until_job_free(struct client *c, struct until_job *job)
{
	kfd_free(&c->dev, &job->mem);
}

void until_job_start(struct client *c, struct until_job *job, struct aql_queue *q)
{
	__u32 groups = c->dev.cus;

	*job->stop = 0;
	*job->rounds = 0;
	aql_signal_init(job->signal, 1, NULL);
	/* twice as many as fit: with all its waves in flight it would keep nobody off */
	if (q->priority == PRIORITY_HIGH)
		groups *= 2;
	aql_dispatch(q, &c->until, groups * 64, 64, job->args, job->signal);
}

void until_job_stop(struct until_job *job)
{
	__atomic_store_n(job->stop, 1, __ATOMIC_RELEASE);
}

int until_job_wait(struct client *c, struct until_job *job, unsigned int timeout_ms)
{
	return aql_signal_wait(&c->dev, job->signal, timeout_ms);
}

/* What client_other_works() does in its process. */
static int client_use(void)
{
	struct low_job job;
	struct aql_queue q;
	struct client c;

	if (client_open(&c))
		return 1;
	if (aql_create(&q, &c.dev, 64, 7))
		return 2;
	if (low_job_init(&c, &job, 16, 16))
		return 3;
	low_job_start(&c, &job, &q);
	if (low_job_wait(&c, &job, CLIENT_TIMEOUT_MS))
		return 4;
	if (low_job_wrong(&job))
		return 5;
	return aql_destroy(&q) ? 6 : 0;
}

int client_other_works(void)
{
	pid_t pid = client_fork();
	int status;

	if (pid < 0)
		return -errno;
	if (!pid)
		_exit(client_use());
	if (waitpid(pid, &status, 0) != pid)
		return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -EINTR;
}

int until_job_moves(const struct until_job *job)
{
	__u64 end = kfd_now() + CLIENT_TIMEOUT_MS * 1000000ULL;
	__u32 before = job->rounds[0];

	while (job->rounds[0] - before < 3) {
		if (kfd_now() > end)
			return -ETIME;
		usleep(1000);
	}
	return 0;
}

int hold_job_start(struct client *c, struct hold_job *job, struct aql_queue *q, __u32 items,
		   __u16 group, __u32 tag)
{
	int ret;

	memset(job, 0, sizeof(*job));
	ret = kfd_alloc(&c->dev, &job->mem, RESULTS_OFFSET + items * 3 * sizeof(__u32),
			KFD_MEM_HOST);
	if (ret)
		return ret;
	job->items = items;
	job->signal = job->mem.ptr;
	job->args = (void *)((char *)job->mem.ptr + ARGS_OFFSET);
	job->stop = (__u32 *)(job->args + 1);
	job->beats = job->stop + 1;
	job->out = (__u32 *)((char *)job->mem.ptr + RESULTS_OFFSET);
	job->args->stop = (uintptr_t)job->stop;
	job->args->out = (uintptr_t)job->out;
	job->args->beats = (uintptr_t)job->beats;
	job->args->tag = tag;
	aql_signal_init(job->signal, 1, NULL);
	aql_dispatch(q, &c->hold, items, group, job->args, job->signal);
	return 0;
}

int hold_job_end(struct client *c, struct hold_job *job)
{
	*job->stop = 1;
	return aql_signal_wait(&c->dev, job->signal, CLIENT_TIMEOUT_MS);
}

unsigned int hold_job_wrong(const struct hold_job *job)
{
	unsigned int i, n = 0;
	__u32 x;

	for (i = 0; i < job->items; i++) {
		x = job->args->tag + i;
		n += (job->out[3 * i] != x) + (job->out[3 * i + 2] != ~x);
	}
	return n;
}

static int gws(struct kfd_dev *dev, const struct aql_queue *q, __u32 count)
{
	struct kfd_ioctl_alloc_queue_gws_args args = { .queue_id = q->id, .num_gws = count };

	return kfd_ioctl(dev, AMDKFD_IOC_ALLOC_QUEUE_GWS, &args);
}

int gws_alloc(struct kfd_dev *dev, const struct aql_queue *q)
{
	return gws(dev, q, 64);
}

int gws_free(struct kfd_dev *dev, const struct aql_queue *q)
{
	return gws(dev, q, 0);
}

int agree_job_start(struct client *c, struct agree_job *job, struct aql_queue *q, __u32 rounds,
		    unsigned int us)
{
	__u32 groups = c->dev.cus, i;
	__u32 *others;
	int ret;

	memset(job, 0, sizeof(*job));
	ret = kfd_alloc(&c->dev, &job->mem, RESULTS_OFFSET + 2 * groups * sizeof(__u32),
			KFD_MEM_HOST);
	if (ret)
		return ret;
	job->groups = groups;
	job->rounds = rounds;
	job->signal = job->mem.ptr;
	job->args = (void *)((char *)job->mem.ptr + ARGS_OFFSET);
	job->word = (__u32 *)((char *)job->mem.ptr + RESULTS_OFFSET);
	for (i = 0; i < groups; i++)
		job->word[i] = i + 1;
	others = (__u32 *)job->args;
	*others = groups - 1;
	aql_signal_init(job->signal, 1, NULL);
	aql_dispatch(q, &c->agree_init, 64, 64, others, job->signal);
	ret = aql_signal_wait(&c->dev, job->signal, CLIENT_TIMEOUT_MS);
	if (ret)
		return ret;
	job->args->words = (uintptr_t)job->word;
	job->args->rounds = rounds;
	job->args->groups = groups;
	job->args->ticks = us * c->ticks_per_us;
	aql_signal_init(job->signal, 1, NULL);
	aql_dispatch(q, &c->agree, groups * 64, 64, job->args, job->signal);
	return 0;
}

int agree_job_wait(struct client *c, struct agree_job *job, unsigned int timeout_ms)
{
	return aql_signal_wait(&c->dev, job->signal, timeout_ms);
}

unsigned int agree_job_wrong(const struct agree_job *job)
{
	__u32 word[2][job->groups], i, n, wrong = 0;

	for (i = 0; i < job->groups; i++)
		word[0][i] = i + 1;
	for (n = 0; n < job->rounds; n++)
		for (i = 0; i < job->groups; i++)
			word[~n & 1][i] = word[n & 1][i] + word[n & 1][(i + 1) % job->groups];
	for (i = 0; i < job->groups; i++)
		wrong += job->word[(n & 1) * job->groups + i] != word[n & 1][i];
	return wrong;
}
