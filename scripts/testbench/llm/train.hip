// SPDX-License-Identifier: GPL-2.0
/*
 * Trains a layer until told to stop: the job that keeps a machine busy beside a
 * service. Each work-item has one neuron, whose weights are in its registers,
 * and learns by gradient descent. A workgroup takes all registers of a compute
 * unit, as kernels do that use a machine well: nothing else runs beside it.
 *
 * The loss of each step depends, to the last bit, on all steps before it.
 */
#include <atomic>
#include <csignal>
#include <cstring>

#include "hip.h"

#define BLOCK		256	/* work-items of a workgroup: one wave on each SIMD */
#define GROUPS		8	/* workgroups of a step for each compute unit */
#define WEIGHTS		192	/* of a neuron */
#define SAMPLES		64
#define RATE		(1.0f / 4096)
#define DEPTH		2	/* steps in flight, so that there is always one */

/* Fused operations take the model of a GPU much longer than two each. */
#pragma clang fp contract(off)

static std::atomic<bool> stop;

static void on_term(int)
{
	stop = true;
}

/* From -1 to 1, always the same. */
__host__ __device__ static inline float noise(uint32_t x)
{
	x *= 0x9e3779b9u;
	x ^= x >> 15;
	x *= 0x85ebca6bu;
	x ^= x >> 13;
	return static_cast<int32_t>(x) / 2147483648.0f;
}

/* Workgroups differ in length by a quarter, as a layer's parts do: they end one by one. */
__global__ void __launch_bounds__(BLOCK, 1)
train(float *weights, const float *__restrict__ samples, float *losses, unsigned long *done,
      int iterations)
{
	const uint32_t neuron = blockIdx.x * BLOCK + threadIdx.x;
	const int rounds = iterations + iterations * static_cast<int>(blockIdx.x % 5 - 2) / 16;
	float *mine = weights + blockIdx.x * BLOCK * WEIGHTS + threadIdx.x;
	float w[WEIGHTS], loss = 0;

	/* the last of each kind, and so all: a SIMD has no registers left for other waves */
	asm volatile("" ::: "v255", "a255");
#pragma unroll
	for (int i = 0; i < WEIGHTS; i++)
		w[i] = mine[i * BLOCK];
	for (int n = 0; n < rounds; n++) {
		const float *x = samples + n % SAMPLES * WEIGHTS;
		float error = -noise(neuron * SAMPLES + n % SAMPLES);

#pragma unroll
		for (int i = 0; i < WEIGHTS; i++)
			error += w[i] * x[i];
		loss += error * error;
#pragma unroll
		for (int i = 0; i < WEIGHTS; i++)
			w[i] -= RATE * error * x[i];
	}
#pragma unroll
	for (int i = 0; i < WEIGHTS; i++)
		mine[i * BLOCK] = w[i];
	losses[neuron] = loss;
	if (threadIdx.x == 0)
		atomicAdd_system(done, 1);
}

struct job {
	hipStream_t stream;
	int groups, iterations;
	float *weights, *samples, *losses[DEPTH];
	unsigned long *done;	/* workgroups that ended */
	hipEvent_t ended[DEPTH];
};

static void launch(struct job *job, unsigned int step)
{
	LAUNCH(train, job->groups, BLOCK, job->stream, job->weights, job->samples,
	       job->losses[step % DEPTH], job->done, job->iterations);
	HIP(hipEventRecord(job->ended[step % DEPTH], job->stream));
}

/* Of all neurons, added up in their order: each bit of each counts. */
static float loss_of(const struct job *job, unsigned int step)
{
	const float *losses = job->losses[step % DEPTH];
	float sum = 0;

	for (int i = 0; i < job->groups * BLOCK; i++)
		sum += losses[i];
	return sum;
}

static void init(struct job *job, int iterations)
{
	int least, greatest, cus;

	HIP(hipDeviceGetStreamPriorityRange(&least, &greatest));
	HIP(hipDeviceGetAttribute(&cus, hipDeviceAttributeMultiprocessorCount, 0));
	HIP(hipStreamCreateWithPriority(&job->stream, hipStreamNonBlocking, least));
	job->groups = cus * GROUPS;
	job->iterations = iterations;
	job->weights = device_alloc<float>(job->groups * BLOCK * WEIGHTS);
	HIP(hipMemset(job->weights, 0, job->groups * BLOCK * WEIGHTS * sizeof(float)));
	HIP(hipHostMalloc(reinterpret_cast<void **>(&job->samples),
			  SAMPLES * WEIGHTS * sizeof(float)));
	for (int i = 0; i < SAMPLES * WEIGHTS; i++)
		job->samples[i] = noise(i);
	HIP(hipHostMalloc(reinterpret_cast<void **>(&job->done), sizeof(*job->done)));
	*job->done = 0;
	for (int i = 0; i < DEPTH; i++) {
		HIP(hipHostMalloc(reinterpret_cast<void **>(&job->losses[i]),
				  job->groups * BLOCK * sizeof(float)));
		HIP(hipEventCreateWithFlags(&job->ended[i], hipEventBlockingSync |
					    hipEventDisableTiming));
	}
}

int main(int argc, char **argv)
{
	unsigned int launched = 0, done = 0;
	struct job job = { };
	char *end;
	long iterations = argc == 2 ? strtol(argv[1], &end, 10) : 0;
	uint64_t begin;

	if (iterations < 1 || iterations > 1000000 || *end) {
		fputs("usage: train ITERATIONS: of a workgroup, from 1 to 1000000; until SIGTERM\n",
		      stderr);
		return 2;
	}
	signal(SIGTERM, on_term);
	HIP(hipSetDeviceFlags(hipDeviceScheduleBlockingSync));
	init(&job, iterations);
	HIP(hipDeviceSynchronize());
	begin = now_ns();
	while (launched < DEPTH)
		launch(&job, launched++);
	printf("running\n");
	fflush(stdout);
	while (done < launched) {
		float loss;
		uint32_t bits;

		HIP(hipEventSynchronize(job.ended[done % DEPTH]));
		loss = loss_of(&job, done++);
		memcpy(&bits, &loss, sizeof(bits));
		printf("step %u loss=%g bits=%08x\n", done, loss, bits);
		if (!stop)
			launch(&job, launched++);
	}
	printf("train groups=%lu seconds=%.6f\n", *job.done, (now_ns() - begin) / 1e9);
	return 0;
}
