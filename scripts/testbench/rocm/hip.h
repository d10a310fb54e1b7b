/* SPDX-License-Identifier: GPL-2.0 */
/* What the HIP programs share: errors that say where, TAP, the clock. */
#ifndef ROCM_HIP_H
#define ROCM_HIP_H

#include <hip/hip_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

/* A call that fails ends the program: nothing after it would mean anything. */
#define HIP(call) do {							\
	hipError_t hip_err = (call);					\
									\
	if (hip_err != hipSuccess) {					\
		fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__,	\
			#call, hipGetErrorString(hip_err));		\
		exit(1);						\
	}								\
} while (0)

/* Launches report their errors only when asked. */
#define LAUNCH_LDS(kernel, grid, block, lds, stream, ...) do {		\
	kernel<<<grid, block, lds, stream>>>(__VA_ARGS__);		\
	HIP(hipGetLastError());						\
} while (0)
#define LAUNCH(kernel, grid, block, stream, ...)			\
	LAUNCH_LDS(kernel, grid, block, 0, stream, __VA_ARGS__)

template<typename T> static inline T *device_alloc(size_t count)
{
	void *p;

	HIP(hipMalloc(&p, count * sizeof(T)));
	return static_cast<T *>(p);
}

static inline uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

#endif
