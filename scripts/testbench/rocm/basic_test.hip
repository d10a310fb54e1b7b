// SPDX-License-Identifier: GPL-2.0
/*
 * What an ordinary HIP program does, each part compared word by word with what
 * the CPU computes. Sizes are small: the modelled GPU is slow.
 * usage: basic_test ISA, the name of the GPU's as gfx90a
 */
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "hip.h"

#define BLOCK		256
#define TILE		16

/* Not a multiple of the block: the last one is partly switched off. */
#define ITEMS		5003
#define BLOCKS		((ITEMS + BLOCK - 1) / BLOCK)

static unsigned int tests;
static bool failed;

static void result(bool good, const char *what)
{
	printf("%sok %u - %s\n", good ? "" : "not ", ++tests, what);
	fflush(stdout);
	failed |= !good;
}

/* Numbers that a float holds exactly, so that "equal" is what is meant. */
static std::vector<float> numbers(size_t count, unsigned int seed)
{
	std::vector<float> v(count);

	for (float &x : v) {
		seed = seed * 1664525u + 1013904223u;
		x = static_cast<int>(seed >> 24) - 128;
	}
	return v;
}

template<typename T> static T *upload(const std::vector<T> &v)
{
	T *p = device_alloc<T>(v.size());

	HIP(hipMemcpy(p, v.data(), v.size() * sizeof(T), hipMemcpyHostToDevice));
	return p;
}

template<typename T> static std::vector<T> download(const T *p, size_t count)
{
	std::vector<T> v(count);

	HIP(hipMemcpy(v.data(), p, count * sizeof(T), hipMemcpyDeviceToHost));
	return v;
}

__global__ void vector_add(const float *a, const float *b, float *sum, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		sum[i] = a[i] + b[i];
}

__global__ void saxpy(float a, const float *x, float *y, int n)
{
	int stride = gridDim.x * blockDim.x;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
		y[i] = a * x[i] + y[i];
}

__global__ void reduce(const int *in, int *sum, int n)
{
	__shared__ int part[BLOCK];
	int i = blockIdx.x * BLOCK + threadIdx.x;

	part[threadIdx.x] = i < n ? in[i] : 0;
	__syncthreads();
	for (int half = BLOCK / 2; half; half /= 2) {
		if (static_cast<int>(threadIdx.x) < half)
			part[threadIdx.x] += part[threadIdx.x + half];
		__syncthreads();
	}
	if (!threadIdx.x)
		atomicAdd(sum, part[0]);
}

/* c = a * b, all n by n, n a multiple of TILE. */
__global__ void matrix_product(const float *a, const float *b, float *c, int n)
{
	__shared__ float ta[TILE][TILE], tb[TILE][TILE];
	int row = blockIdx.y * TILE + threadIdx.y;
	int col = blockIdx.x * TILE + threadIdx.x;
	float sum = 0;

	for (int t = 0; t < n; t += TILE) {
		ta[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
		tb[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + col];
		__syncthreads();
		for (int k = 0; k < TILE; k++)
			sum += ta[threadIdx.y][k] * tb[k][threadIdx.x];
		__syncthreads();
	}
	c[row * n + col] = sum;
}

/* Each word is worked on @rounds times; carries any lost step on. */
__global__ void churn(uint32_t *words, int n, int rounds)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	uint32_t x = words[i];

	for (int r = 0; r < rounds; r++)
		x = (x << 7 | x >> 25) * 2654435761u + r;
	words[i] = x;
}

static uint32_t churned(uint32_t x, int rounds)
{
	for (int r = 0; r < rounds; r++)
		x = (x << 7 | x >> 25) * 2654435761u + r;
	return x;
}

static void test_device(const char *isa)
{
	hipDeviceProp_t prop;
	int count, least, greatest;

	HIP(hipGetDeviceCount(&count));
	HIP(hipGetDeviceProperties(&prop, 0));
	HIP(hipDeviceGetStreamPriorityRange(&least, &greatest));
	printf("# %s, %s, %d compute units, %zu MiB, priorities %d to %d\n", prop.name,
	       prop.gcnArchName, prop.multiProcessorCount, prop.totalGlobalMem >> 20, least,
	       greatest);
	result(count == 1 && !strncmp(prop.gcnArchName, isa, strlen(isa)) && prop.warpSize == 64 &&
	       least > greatest, "the device and its properties");
}

static void test_vector_add(void)
{
	std::vector<float> a = numbers(ITEMS, 1), b = numbers(ITEMS, 2), sum(ITEMS);
	float *da = upload(a), *db = upload(b), *dsum = device_alloc<float>(ITEMS);

	for (int i = 0; i < ITEMS; i++)
		sum[i] = a[i] + b[i];
	LAUNCH(vector_add, BLOCKS, BLOCK, 0, da, db, dsum, ITEMS);
	result(download(dsum, ITEMS) == sum, "vector add");
	HIP(hipFree(da));
	HIP(hipFree(db));
	HIP(hipFree(dsum));
}

static void test_saxpy(void)
{
	std::vector<float> x = numbers(ITEMS, 3), y = numbers(ITEMS, 4);
	float *dx = upload(x), *dy = upload(y);

	for (int i = 0; i < ITEMS; i++)
		y[i] = 2.5f * x[i] + y[i];
	LAUNCH(saxpy, 4, BLOCK, 0, 2.5f, dx, dy, ITEMS);
	result(download(dy, ITEMS) == y, "SAXPY, several items a thread");
	HIP(hipFree(dx));
	HIP(hipFree(dy));
}

static void test_reduction(void)
{
	std::vector<int> in(ITEMS);
	int *din, *dsum;

	std::iota(in.begin(), in.end(), -700);
	din = upload(in);
	dsum = upload(std::vector<int>{ 0 });
	LAUNCH(reduce, BLOCKS, BLOCK, 0, din, dsum, ITEMS);
	result(download(dsum, 1)[0] == std::accumulate(in.begin(), in.end(), 0),
	       "reduction over LDS and an atomic");
	HIP(hipFree(din));
	HIP(hipFree(dsum));
}

static void test_matrix_product(void)
{
	const int n = 48;
	std::vector<float> a = numbers(n * n, 5), b = numbers(n * n, 6), c(n * n);
	float *da = upload(a), *db = upload(b), *dc = device_alloc<float>(n * n);

	for (int row = 0; row < n; row++)
		for (int col = 0; col < n; col++)
			for (int k = 0; k < n; k++)
				c[row * n + col] += a[row * n + k] * b[k * n + col];
	LAUNCH(matrix_product, dim3(n / TILE, n / TILE), dim3(TILE, TILE), 0, da, db, dc, n);
	result(download(dc, n * n) == c, "tiled matrix product through LDS");
	HIP(hipFree(da));
	HIP(hipFree(db));
	HIP(hipFree(dc));
}

static void test_memset(void)
{
	const size_t bytes = 70001, from = 13, count = 40007;
	std::vector<uint8_t> expected(bytes, 0x11);
	uint8_t *p = upload(expected);

	std::fill_n(expected.begin() + from, count, 0xa5);
	HIP(hipMemset(p + from, 0xa5, count));
	result(download(p, bytes) == expected, "memset, neither begin nor length aligned");

	std::vector<uint32_t> words(1000, 0xdeadbeef);
	HIP(hipMemsetD32(p, 0xdeadbeef, words.size()));
	result(download(reinterpret_cast<uint32_t *>(p), words.size()) == words,
	       "memset of 32-bit words");
	HIP(hipFree(p));
}

/* To the device, within it, and back, of pageable or pinned memory. */
static bool round_trip(size_t bytes, bool pinned)
{
	uint8_t *a = device_alloc<uint8_t>(bytes), *b = device_alloc<uint8_t>(bytes);
	std::vector<uint8_t> expected(bytes), pageable(bytes);
	uint8_t *host = pageable.data();
	bool good;

	if (pinned)
		HIP(hipHostMalloc(reinterpret_cast<void **>(&host), bytes));
	for (size_t i = 0; i < bytes; i++)
		host[i] = expected[i] = (i * 2654435761u) >> 13;
	HIP(hipMemcpy(a, host, bytes, hipMemcpyHostToDevice));
	HIP(hipMemcpy(b, a, bytes, hipMemcpyDeviceToDevice));
	memset(host, 0, bytes);
	HIP(hipMemcpy(host, b, bytes, hipMemcpyDeviceToHost));
	good = !memcmp(host, expected.data(), bytes);
	if (pinned)
		HIP(hipHostFree(host));
	HIP(hipFree(a));
	HIP(hipFree(b));
	return good;
}

static void test_memcpy(void)
{
	result(round_trip(4099, false), "memcpy of 4 KiB: to, within and from the device");
	result(round_trip(100003, true), "memcpy of 100 KB, pinned");
	result(round_trip((5 << 20) + 1, false), "memcpy of 5 MiB");
}

static void test_streams(void)
{
	const int streams = 6, n = 500, launches = 5;
	std::vector<hipStream_t> stream(streams);
	std::vector<uint32_t *> words(streams);
	bool good = true;

	for (int s = 0; s < streams; s++) {
		std::vector<uint32_t> start(n);

		std::iota(start.begin(), start.end(), s * 1000);
		words[s] = upload(start);
		HIP(hipStreamCreate(&stream[s]));
	}
	/* launches of one stream are in order; those of others come between */
	for (int l = 0; l < launches; l++)
		for (int s = 0; s < streams; s++)
			LAUNCH(churn, 2, BLOCK, stream[s], words[s], n, 3 + l);
	for (int s = 0; s < streams; s++) {
		HIP(hipStreamSynchronize(stream[s]));
		std::vector<uint32_t> got = download(words[s], n);

		for (int i = 0; i < n; i++) {
			uint32_t x = s * 1000 + i;

			for (int l = 0; l < launches; l++)
				x = churned(x, 3 + l);
			good &= got[i] == x;
		}
		HIP(hipStreamDestroy(stream[s]));
		HIP(hipFree(words[s]));
	}
	result(good, "six streams at once, each in order");
}

static void test_events(void)
{
	const int n = 256, rounds = 100;
	hipEvent_t begin, middle, end;
	hipStream_t first, second;
	uint32_t *words = upload(std::vector<uint32_t>(n, 7));
	float ms, part;

	HIP(hipStreamCreate(&first));
	HIP(hipStreamCreate(&second));
	HIP(hipEventCreate(&begin));
	HIP(hipEventCreate(&middle));
	HIP(hipEventCreate(&end));
	HIP(hipEventRecord(begin, first));
	LAUNCH(churn, 1, BLOCK, first, words, n, rounds);
	HIP(hipEventRecord(middle, first));
	/* would begin at once, on words that the first one has not written yet */
	HIP(hipStreamWaitEvent(second, middle, 0));
	LAUNCH(churn, 1, BLOCK, second, words, n, 1);
	HIP(hipEventRecord(end, second));
	HIP(hipEventSynchronize(end));
	HIP(hipEventElapsedTime(&part, begin, middle));
	HIP(hipEventElapsedTime(&ms, begin, end));
	printf("# %.3f ms to the first event, %.3f ms to the second\n", part, ms);
	result(hipEventQuery(end) == hipSuccess && part > 0 && ms > part && ms < 60000,
	       "events: recorded, timed, queried");
	std::vector<uint32_t> got = download(words, n);
	uint32_t x = churned(churned(7, rounds), 1);

	result(std::all_of(got.begin(), got.end(), [x](uint32_t w) { return w == x; }),
	       "a stream waits for another one's event");
	HIP(hipEventDestroy(begin));
	HIP(hipEventDestroy(middle));
	HIP(hipEventDestroy(end));
	HIP(hipStreamDestroy(first));
	HIP(hipStreamDestroy(second));
	HIP(hipFree(words));
}

static void test_priorities(void)
{
	const int n = 256;
	bool good = true;
	int least, greatest, got;

	HIP(hipDeviceGetStreamPriorityRange(&least, &greatest));
	for (int priority = greatest; priority <= least; priority++) {
		uint32_t *words = upload(std::vector<uint32_t>(n, 9));
		hipStream_t stream;

		HIP(hipStreamCreateWithPriority(&stream, hipStreamNonBlocking, priority));
		HIP(hipStreamGetPriority(stream, &got));
		LAUNCH(churn, 1, BLOCK, stream, words, n, 10);
		HIP(hipStreamSynchronize(stream));
		good &= got == priority && download(words, n)[n - 1] == churned(9, 10);
		HIP(hipStreamDestroy(stream));
		HIP(hipFree(words));
	}
	result(good, "a stream of each priority");
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: basic_test ISA\n");
		return 2;
	}
	printf("TAP version 13\n");
	test_device(argv[1]);
	test_vector_add();
	test_saxpy();
	test_reduction();
	test_matrix_product();
	test_memset();
	test_memcpy();
	test_streams();
	test_events();
	test_priorities();
	printf("1..%u\n", tests);
	return failed;
}
