// SPDX-License-Identifier: GPL-2.0
/*
 * XSched's policy "highest priority first" at level 1, by XSched's description, for HIP programs
 * that know nothing of it: LD_PRELOAD=hpf.so. A launch into a stream of less than the highest
 * priority waits while one of the highest, of any process, has a request under way, which is
 * from its first launch until somebody has waited for that stream. What was launched runs to its
 * end: one kernel of a stream, the fewest that XSched can be told, and the best for HIGH. XSched has
 * a thread that launches for the program; here the thread that launches waits.
 *
 * HPF_PAGE: a file that all processes share.
 */
#include <atomic>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <hip/hip_runtime.h>

#define NEXT(name) static const auto real = reinterpret_cast<decltype(&name)>(dlsym(RTLD_NEXT, #name))

/* Streams of the highest priority that have a request under way. */
static std::atomic<int> *under_way;
static std::mutex lock;
static std::map<hipStream_t, bool> high;	/* those of this process: has it one? */

static void __attribute__((constructor)) share(void)
{
	const char *path = getenv("HPF_PAGE");
	int fd = path ? open(path, O_RDWR | O_CREAT, 0666) : -1;
	void *page = MAP_FAILED;

	if (fd >= 0 && !ftruncate(fd, sizeof(*under_way)))
		page = mmap(nullptr, sizeof(*under_way), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED) {
		fprintf(stderr, "hpf: HPF_PAGE cannot be shared\n");
		_exit(1);
	}
	close(fd);
	under_way = static_cast<std::atomic<int> *>(page);
}

static bool is_high(hipStream_t stream)
{
	std::lock_guard<std::mutex> guard(lock);

	return high.count(stream);
}

static void begin(hipStream_t stream)
{
	std::lock_guard<std::mutex> guard(lock);

	if (!high[stream])
		++*under_way;
	high[stream] = true;
}

static void end(hipStream_t stream)
{
	std::lock_guard<std::mutex> guard(lock);
	auto of = high.find(stream);

	if (of == high.end() || !of->second)
		return;
	of->second = false;
	if (!--*under_way)
		syscall(SYS_futex, under_way, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

static void __attribute__((destructor)) leave(void)
{
	for (auto &of : std::map<hipStream_t, bool>(high))
		end(of.first);
}

hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned int flags, int priority)
{
	NEXT(hipStreamCreateWithPriority);
	int least, greatest;
	hipError_t err = real(stream, flags, priority);

	if (!err && !hipDeviceGetStreamPriorityRange(&least, &greatest) && priority == greatest) {
		std::lock_guard<std::mutex> guard(lock);

		high[*stream] = false;
	}
	return err;
}

hipError_t hipStreamSynchronize(hipStream_t stream)
{
	NEXT(hipStreamSynchronize);
	hipError_t err = real(stream);

	end(stream);
	return err;
}

hipError_t hipStreamDestroy(hipStream_t stream)
{
	NEXT(hipStreamDestroy);

	end(stream);
	lock.lock();
	high.erase(stream);
	lock.unlock();
	return real(stream);
}

hipError_t hipLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t lds,
			   hipStream_t stream)
{
	NEXT(hipLaunchKernel);

	if (is_high(stream)) {
		begin(stream);
	} else {
		/* until the kernel before it has ended */
		hipError_t err = hipStreamSynchronize(stream);

		if (err)
			return err;
		while (int n = *under_way)
			syscall(SYS_futex, under_way, FUTEX_WAIT, n, nullptr, nullptr, 0);
	}
	return real(function, grid, block, args, lds, stream);
}
