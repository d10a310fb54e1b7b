// SPDX-License-Identifier: GPL-2.0
/*
 * Two HIP streams of different priority, in one process or in two: the low one
 * keeps every compute unit busy, the high one has a short request in every
 * period, at a random phase of it, and is timed. All results are verified.
 */
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <getopt.h>
#include <thread>
#include <vector>

#include "hip.h"

#define BLOCK		256	/* work-items of a workgroup: one wave on each SIMD */
#define LOW_DEPTH	3	/* dispatches in flight, so that there is always one */
#define LOW_ROUNDS	2	/* workgroups of a dispatch for each compute unit */

/*
 * More than half a compute unit's: whoever holds the unit keeps the other out,
 * as kernels that use a machine well do.
 */
#define LDS_BYTES	(48 * 1024)

static std::atomic<bool> stop;

static void on_term(int)
{
	stop = true;
}

__host__ __device__ static inline uint32_t mix(uint32_t x, uint32_t y)
{
	x ^= y;
	x += x << 5;
	return (x >> 7 | x << 25) + 0x9e3779b9u;
}

/* Each step needs a neighbour's last one: a lost or repeated one spreads. */
__global__ void low_kernel(uint32_t *out, uint32_t dispatch, int iterations)
{
	extern __shared__ uint32_t word[];
	uint32_t me = threadIdx.x, x = mix(blockIdx.x, me);

	for (int n = 0; n < iterations; n++) {
		word[me] = x;
		__syncthreads();
		x = mix(x, word[(me + 1 + n % 128) % BLOCK]);
		__syncthreads();
	}
	out[blockIdx.x * BLOCK + me] = x + dispatch;
}

/* The same by the CPU, but for the number of the dispatch. */
static std::vector<uint32_t> low_expected(int groups, int iterations)
{
	std::vector<uint32_t> all;
	uint32_t x[BLOCK], last[BLOCK];

	for (int group = 0; group < groups; group++) {
		for (uint32_t me = 0; me < BLOCK; me++)
			x[me] = mix(group, me);
		for (int n = 0; n < iterations; n++) {
			std::copy(x, x + BLOCK, last);
			for (int me = 0; me < BLOCK; me++)
				x[me] = mix(last[me], last[(me + 1 + n % 128) % BLOCK]);
		}
		all.insert(all.end(), x, x + BLOCK);
	}
	return all;
}

/* One step for each word, which counts the kernels that ran. */
__global__ void high_kernel(uint32_t *words)
{
	uint32_t i = blockIdx.x * BLOCK + threadIdx.x;

	words[i] += i + 1;
}

struct low_work {
	hipStream_t stream;
	int groups, iterations;
	uint32_t *out[LOW_DEPTH];
	hipEvent_t done[LOW_DEPTH];
	std::vector<uint32_t> expected;
};

static float low_timed(struct low_work *low, int iterations)
{
	hipEvent_t begin, end;
	float ms;

	HIP(hipEventCreate(&begin));
	HIP(hipEventCreate(&end));
	HIP(hipEventRecord(begin, low->stream));
	LAUNCH_LDS(low_kernel, low->groups / LOW_ROUNDS, BLOCK, LDS_BYTES, low->stream,
		   low->out[0], 0, iterations);
	HIP(hipEventRecord(end, low->stream));
	HIP(hipEventSynchronize(end));
	HIP(hipEventElapsedTime(&ms, begin, end));
	HIP(hipEventDestroy(begin));
	HIP(hipEventDestroy(end));
	return ms;
}

/* What an iteration costs: the difference of two lengths, so no fixed part. */
static int low_calibrate(struct low_work *low, int ms)
{
	const int few = 50, many = 450;
	float each;

	low_timed(low, few);
	each = (low_timed(low, many) - low_timed(low, few)) / (many - few);
	if (each <= 0) {
		fprintf(stderr, "latency: a longer kernel took less time\n");
		exit(1);
	}
	return std::max(1, static_cast<int>(ms / each));
}

static void low_init(struct low_work *low, int cus, int priority, int ms, int iterations)
{
	low->groups = cus * LOW_ROUNDS;
	HIP(hipStreamCreateWithPriority(&low->stream, hipStreamNonBlocking, priority));
	for (int i = 0; i < LOW_DEPTH; i++) {
		HIP(hipHostMalloc(reinterpret_cast<void **>(&low->out[i]),
				  low->groups * BLOCK * sizeof(uint32_t)));
		HIP(hipEventCreateWithFlags(&low->done[i], hipEventBlockingSync |
					    hipEventDisableTiming));
	}
	low->iterations = iterations ? iterations : low_calibrate(low, ms);
	low->expected = low_expected(low->groups, low->iterations);
}

static void low_launch(struct low_work *low, unsigned int dispatch)
{
	int i = dispatch % LOW_DEPTH;

	LAUNCH_LDS(low_kernel, low->groups, BLOCK, LDS_BYTES, low->stream, low->out[i], dispatch,
		   low->iterations);
	HIP(hipEventRecord(low->done[i], low->stream));
}

static unsigned int low_wrong(const struct low_work *low, unsigned int dispatch)
{
	const uint32_t *out = low->out[dispatch % LOW_DEPTH];
	unsigned int wrong = 0;

	for (size_t i = 0; i < low->expected.size(); i++)
		wrong += out[i] != low->expected[i] + dispatch;
	return wrong;
}

/* Until told to stop. */
static void low_run(struct low_work *low, unsigned long *wrong)
{
	unsigned int launched = 0, done = 0;
	uint64_t begin = now_ns();

	while (launched < LOW_DEPTH)
		low_launch(low, launched++);
	printf("running\n");
	fflush(stdout);
	while (done < launched) {
		HIP(hipEventSynchronize(low->done[done % LOW_DEPTH]));
		*wrong += low_wrong(low, done++);
		if (!stop)
			low_launch(low, launched++);
	}
	printf("low iterations=%d dispatches=%u words=%zu wrong=%lu seconds=%.3f\n",
	       low->iterations, done, done * low->expected.size(), *wrong,
	       (now_ns() - begin) / 1e9);
}

static void sleep_until(uint64_t ns)
{
	struct timespec ts = { static_cast<time_t>(ns / 1000000000),
			       static_cast<long>(ns % 1000000000) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, nullptr) == EINTR)
		;
}

struct high_args {
	int samples, kernels, period_ms;
	bool after_low;
};

/* Returns the number of wrong words. */
static unsigned long high_run(const struct high_args *args, int cus, int priority,
			      hipStream_t low)
{
	const int items = cus * BLOCK;
	const uint64_t period = args->period_ms * 1000000ull;
	std::vector<uint32_t> got(items);
	uint32_t *words = device_alloc<uint32_t>(items);
	unsigned long wrong = 0;
	hipStream_t stream;
	hipEvent_t event;
	uint64_t slot;

	HIP(hipStreamCreateWithPriority(&stream, hipStreamNonBlocking, priority));
	HIP(hipEventCreateWithFlags(&event, hipEventDisableTiming));
	HIP(hipMemsetAsync(words, 0, items * sizeof(*words), stream));
	HIP(hipStreamSynchronize(stream));
	slot = now_ns();
	for (int s = 0; s < args->samples; s++) {
		/* a request that overran its period costs the periods it took */
		do {
			slot += period;
		} while (slot < now_ns());
		sleep_until(slot + drand48() * period * 0.9);
		uint64_t begin = now_ns();

		if (args->after_low) {
			HIP(hipEventRecord(event, low));
			HIP(hipStreamWaitEvent(stream, event, 0));
		}
		for (int k = 0; k < args->kernels; k++)
			LAUNCH_LDS(high_kernel, cus, BLOCK, LDS_BYTES, stream, words);
		HIP(hipStreamSynchronize(stream));
		printf("sample at=%lu ns=%lu\n", begin, now_ns() - begin);
		fflush(stdout);
	}
	HIP(hipMemcpy(got.data(), words, items * sizeof(*words), hipMemcpyDeviceToHost));
	for (int i = 0; i < items; i++)
		wrong += got[i] != static_cast<uint32_t>(i + 1) * args->samples * args->kernels;
	printf("high samples=%d kernels=%d wrong=%lu\n", args->samples, args->kernels, wrong);
	HIP(hipEventDestroy(event));
	HIP(hipStreamDestroy(stream));
	HIP(hipFree(words));
	return wrong;
}

static void usage(void)
{
	fputs("usage: latency [--low] [--high] [options]\n"
	      "  --low           keep a stream of the lowest priority busy, until the high one\n"
	      "                  is done, or SIGTERM\n"
	      "  --low-ms N      length of one of its workgroups, calibrated (default 20)\n"
	      "  --iterations N  of its kernel's loop, instead of --low-ms\n"
	      "  --high          requests in a stream of the highest priority\n"
	      "  --samples N     how many requests (default 50)\n"
	      "  --kernels N     of each request (default 1)\n"
	      "  --after-low     a request waits for what the low stream has by then\n"
	      "  --period-ms N   one request in each such period (default 50)\n"
	      "  --seed N        of the random phase (default 1)\n", stderr);
	exit(2);
}

static int number(const char *text)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (*end || end == text || n < 1 || n > 1000000) {
		fprintf(stderr, "latency: '%s' is not a number from 1 to 1000000\n", text);
		usage();
	}
	return n;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "low", no_argument, nullptr, 'l' },
		{ "low-ms", required_argument, nullptr, 'm' },
		{ "iterations", required_argument, nullptr, 'i' },
		{ "high", no_argument, nullptr, 'h' },
		{ "samples", required_argument, nullptr, 'n' },
		{ "kernels", required_argument, nullptr, 'k' },
		{ "after-low", no_argument, nullptr, 'a' },
		{ "period-ms", required_argument, nullptr, 'p' },
		{ "seed", required_argument, nullptr, 's' },
		{ }
	};
	struct high_args args = { 50, 1, 50, false };
	int opt, low_ms = 20, iterations = 0, least, greatest, cus;
	bool has_low = false, has_high = false;
	struct low_work low = { };
	unsigned long low_errors = 0, high_errors = 0;
	std::thread low_thread;

	srand48(1);
	while ((opt = getopt_long(argc, argv, "", options, nullptr)) != -1) {
		switch (opt) {
		case 'l':
			has_low = true;
			break;
		case 'm':
			low_ms = number(optarg);
			break;
		case 'i':
			iterations = number(optarg);
			break;
		case 'h':
			has_high = true;
			break;
		case 'n':
			args.samples = number(optarg);
			break;
		case 'k':
			args.kernels = number(optarg);
			break;
		case 'a':
			args.after_low = true;
			break;
		case 'p':
			args.period_ms = number(optarg);
			break;
		case 's':
			srand48(number(optarg));
			break;
		default:
			usage();
		}
	}
	if (optind < argc || !(has_low || has_high) || (args.after_low && !(has_low && has_high)))
		usage();
	signal(SIGTERM, on_term);

	/* who spins takes the CPUs that emulate the machine and model the GPU */
	HIP(hipSetDeviceFlags(hipDeviceScheduleBlockingSync));
	HIP(hipDeviceGetStreamPriorityRange(&least, &greatest));
	HIP(hipDeviceGetAttribute(&cus, hipDeviceAttributeMultiprocessorCount, 0));
	if (has_low) {
		low_init(&low, cus, least, low_ms, iterations);
		low_thread = std::thread(low_run, &low, &low_errors);
	}
	if (has_high) {
		high_errors = high_run(&args, cus, greatest, low.stream);
		stop = true;
	}
	if (has_low)
		low_thread.join();
	return low_errors || high_errors;
}
