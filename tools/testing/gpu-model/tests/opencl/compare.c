// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the kernels of an OpenCL C file on the host's OpenCL and, compiled for
 * gfx90a, with "gpu-model exec", on the same inputs, and compares all memory.
 *
 *   compare MODEL FILE.cl FILE.co KEEP_DIR [KERNEL...]
 *
 * A kernel says all there is to know by its signature:
 *
 *   reqd_work_group_size	the workgroup, else 64; the grid is four in x
 *				and two in each other dimension of more than 1
 *   TYPE *			PER_ITEM elements a work-item, read and written.
 *				Integers have any bits, floats moderate values;
 *				"any..." all bits, "zero..." zeros, "pos..." no sign
 *   out_4ulp			floats that may differ: each side may be off by 4
 *				units in the last place (OpenCL's limit of a
 *				function); without such a name every bit counts
 *   __local TYPE *		PER_ITEM elements a work-item of the workgroup
 *   TYPE n			the number of work-items; other values are any bits
 *
 * Then the model runs it again with waves cut into slices and moved to new
 * memory after each: the same bits have to come out. What failed stays in KEEP_DIR.
 */
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../tap.h"

#define OPTIONS		"-cl-std=CL1.2 -cl-kernel-arg-info -cl-fp32-correctly-rounded-divide-sqrt"
#define PER_ITEM	4
#define MAX_ARGS	16
#define PATH_LEN	160
#define SPEC		(2 * PATH_LEN + 64)
#define SHOWN		4	/* differences of a kernel that are printed */

/* How the bits of an element are made and compared. */
enum base { SINT, UINT, FLOAT };

/**
 * struct arg - one argument of a kernel
 * @name:	as written
 * @base: @bytes: of one component
 * @width:	components of an element
 * @ulps:	difference allowed to each side
 * @data:	what goes in; NULL for local memory
 * @size:	bytes of the memory, or of the value
 * @mem:	the host's OpenCL object, NULL for values and local memory
 */
struct arg {
	char name[64];
	enum base base;
	unsigned int bytes, width;
	unsigned int ulps;
	bool pointer, local;
	uint8_t *data;
	size_t size;
	cl_mem mem;
};

/**
 * struct run - one kernel and what it is run on
 * @local: @global: sizes in @dims dimensions, 1 in the others
 * @items:	work-items in all
 */
struct run {
	cl_kernel kernel;
	char name[128];
	size_t local[3], global[3];
	size_t items;
	cl_uint dims;
	struct arg arg[MAX_ARGS];
	cl_uint nargs;
};

static const char *model, *code, *keep;
static cl_context context;
static cl_command_queue queue;
static cl_device_id device;

static void die(const char *what, cl_int err)
{
	printf("# %s: OpenCL error %d\nBail out!\n", what, err);
	exit(1);
}

static void need(cl_int err, const char *what)
{
	if (err != CL_SUCCESS)
		die(what, err);
}

/* ---- inputs ---- */

static uint64_t seed;

static uint64_t rnd(void)
{
	uint64_t z = seed += 0x9e3779b97f4a7c15ull;	/* splitmix64 */

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static bool named(const struct arg *a, const char *prefix)
{
	return !strncmp(a->name, prefix, strlen(prefix));
}

/* Edges of the type, one time in four; else any bits. */
static uint64_t any_bits(const struct arg *a)
{
	static const double edges[] = { 0.0, -0.0, 1.0, -1.0, 0.5, INFINITY, -INFINITY, NAN };
	uint64_t v = rnd(), pick = rnd();
	double d = edges[pick >> 8 & 7];
	float f = (float)d;

	if (pick & 3)
		return v;
	if (a->base == FLOAT) {
		v = 0;
		memcpy(&v, a->bytes == 8 ? (void *)&d : (void *)&f, a->bytes);
		return v;
	}
	switch (pick >> 8 & 7) {
	case 0:
		return 0;
	case 1:
		return ~0ull;
	case 2:
		return 1ull << (8 * a->bytes - 1);
	case 3:
		return ~(1ull << (8 * a->bytes - 1));
	default:
		return v & 0xf;
	}
}

/* Values of 2^-8 to 2^8, one in eight a small whole number. */
static uint64_t moderate(const struct arg *a)
{
	uint64_t v = rnd(), bits = 0;
	double d = ldexp(1.0 + (double)(v >> 12) * 0x1p-52, (int)(v % 17) - 8);
	float f;

	if (!(rnd() & 7))
		d = (double)(v >> 60);
	if (!named(a, "pos") && v >> 11 & 1)
		d = -d;
	f = (float)d;
	memcpy(&bits, a->bytes == 8 ? (void *)&d : (void *)&f, a->bytes);
	return bits;
}

static void fill(struct arg *a)
{
	for (size_t at = 0; at + a->bytes <= a->size; at += a->bytes) {
		uint64_t v = 0;

		if (!named(a, "zero"))
			v = a->base == FLOAT && !named(a, "any") ? moderate(a) : any_bits(a);
		memcpy(a->data + at, &v, a->bytes);
	}
}

/* "uint4*": base, size and width of the type; false if there is no such one. */
static bool parse_type(struct arg *a, const char *type)
{
	static const struct {
		const char *name;
		enum base base;
		unsigned int bytes;
	} types[] = {
		{ "char", SINT, 1 }, { "uchar", UINT, 1 }, { "short", SINT, 2 },
		{ "ushort", UINT, 2 }, { "int", SINT, 4 }, { "uint", UINT, 4 },
		{ "long", SINT, 8 }, { "ulong", UINT, 8 }, { "float", FLOAT, 4 },
		{ "double", FLOAT, 8 },
	};
	size_t len = strcspn(type, "0123456789* ");

	for (unsigned int n = 0; n < sizeof(types) / sizeof(types[0]); n++) {
		if (strlen(types[n].name) != len || strncmp(types[n].name, type, len))
			continue;
		a->base = types[n].base;
		a->bytes = types[n].bytes;
		a->width = strtoul(type + len, NULL, 10);
		if (!a->width)
			a->width = 1;
		a->pointer = strchr(type, '*');
		return true;
	}
	return false;
}

static void describe(struct run *r, cl_uint n)
{
	cl_kernel_arg_address_qualifier space;
	struct arg *a = &r->arg[n];
	unsigned int stored;
	const char *ulps;
	char type[64];

	need(clGetKernelArgInfo(r->kernel, n, CL_KERNEL_ARG_TYPE_NAME, sizeof(type), type, NULL),
	     "type of an argument");
	need(clGetKernelArgInfo(r->kernel, n, CL_KERNEL_ARG_NAME, sizeof(a->name), a->name, NULL),
	     "name of an argument");
	need(clGetKernelArgInfo(r->kernel, n, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof(space),
				&space, NULL), "address space of an argument");
	if (!parse_type(a, type)) {
		printf("# %s: %s %s: not a type this program knows\nBail out!\n", r->name, type,
		       a->name);
		exit(1);
	}
	a->local = space == CL_KERNEL_ARG_ADDRESS_LOCAL;
	ulps = strrchr(a->name, '_');
	if (ulps && strstr(ulps, "ulp"))
		a->ulps = strtoul(ulps + 1, NULL, 10);
	stored = a->bytes * (a->width == 3 ? 4 : a->width);
	a->size = stored;
	if (a->local)
		a->size *= PER_ITEM * r->local[0] * r->local[1] * r->local[2];
	else if (a->pointer)
		a->size *= PER_ITEM * r->items;
	if (a->local)
		return;
	a->data = malloc(a->size);
	if (!a->data)
		die("memory", CL_OUT_OF_HOST_MEMORY);
	fill(a);
	if (!a->pointer && !strcmp(a->name, "n"))
		memcpy(a->data, &r->items, a->bytes);
}

static void prepare(struct run *r)
{
	need(clGetKernelInfo(r->kernel, CL_KERNEL_FUNCTION_NAME, sizeof(r->name), r->name, NULL),
	     "name of a kernel");
	need(clGetKernelInfo(r->kernel, CL_KERNEL_NUM_ARGS, sizeof(r->nargs), &r->nargs, NULL),
	     "arguments of a kernel");
	need(clGetKernelWorkGroupInfo(r->kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
				      sizeof(r->local), r->local, NULL), "workgroup of a kernel");
	if (!r->local[0]) {
		r->local[0] = 64;
		r->local[1] = r->local[2] = 1;
	}
	r->items = 1;
	for (unsigned int d = 0; d < 3; d++) {
		r->global[d] = r->local[d] * (d == 0 ? 4 : r->local[d] > 1 ? 2 : 1);
		r->items *= r->global[d];
		if (r->global[d] > 1)
			r->dims = d + 1;
	}
	if (r->nargs > MAX_ARGS)
		die(r->name, CL_INVALID_ARG_INDEX);
	seed = 0;
	for (const char *p = r->name; *p; p++)
		seed = seed * 31 + *p;
	for (cl_uint n = 0; n < r->nargs; n++)
		describe(r, n);
}

/* ---- the host's OpenCL ---- */

/* Its results replace the buffers' contents in @out. */
static void run_host(struct run *r, uint8_t *out[])
{
	for (cl_uint n = 0; n < r->nargs; n++) {
		struct arg *a = &r->arg[n];
		cl_int err = CL_SUCCESS;

		if (a->pointer && !a->local)
			a->mem = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
						a->size, a->data, &err);
		need(err, "buffer");
		if (a->mem)
			need(clSetKernelArg(r->kernel, n, sizeof(a->mem), &a->mem), a->name);
		else
			need(clSetKernelArg(r->kernel, n, a->size, a->data), a->name);
	}
	need(clEnqueueNDRangeKernel(queue, r->kernel, r->dims, NULL, r->global, r->local, 0, NULL,
				    NULL), r->name);
	need(clFinish(queue), r->name);
	for (cl_uint n = 0; n < r->nargs; n++) {
		struct arg *a = &r->arg[n];

		if (!a->mem)
			continue;
		out[n] = malloc(a->size);
		if (!out[n])
			die("memory", CL_OUT_OF_HOST_MEMORY);
		need(clEnqueueReadBuffer(queue, a->mem, CL_TRUE, 0, a->size, out[n], 0, NULL,
					 NULL), a->name);
		clReleaseMemObject(a->mem);
	}
}

/* ---- the model ---- */

static void path(const struct run *r, cl_uint n, const char *what, char *buf)
{
	snprintf(buf, PATH_LEN, "%s/%s.%u.%s", keep, r->name, n, what);
}

static bool write_file(const char *name, const void *data, size_t size)
{
	FILE *f = fopen(name, "wb");
	bool good = f && fwrite(data, 1, size, f) == size;

	return f && !fclose(f) && good;
}

static uint8_t *read_file(const char *name, size_t size)
{
	uint8_t *data = malloc(size);
	FILE *f = fopen(name, "rb");

	if (!f || !data || fread(data, 1, size, f) != size) {
		free(data);
		data = NULL;
	}
	if (f)
		fclose(f);
	return data;
}

/* --arg's value for argument @n, with file @out for a buffer. */
static bool spec(const struct run *r, cl_uint n, const char *out, char *buf)
{
	const struct arg *a = &r->arg[n];
	char in[PATH_LEN], result[PATH_LEN];
	uint64_t v = 0;
	double d;
	float f;

	if (a->local)
		return snprintf(buf, SPEC, "lds:%zu", a->size) > 0;
	path(r, n, "in", in);
	path(r, n, out, result);
	if (a->pointer) {
		snprintf(buf, SPEC, "buf:%zu:%s:%s", a->size, in, result);
		return write_file(in, a->data, a->size);
	}
	if (a->width != 1)
		return false;
	memcpy(&v, a->data, a->bytes);
	memcpy(&f, a->data, sizeof(f));
	memcpy(&d, a->data, a->bytes == 8 ? sizeof(d) : 0);
	if (a->base == FLOAT)
		snprintf(buf, SPEC, "f%u:%a", 8 * a->bytes, a->bytes == 8 ? d : (double)f);
	else
		snprintf(buf, SPEC, "u%u:%llu", 8 * a->bytes, (unsigned long long)v);
	return true;
}

/* "gpu-model exec" with results in files named @out; its exit status. */
static int run_model(const struct run *r, const char *out, bool migrate)
{
	static char specs[MAX_ARGS][SPEC];
	char grid[64], wg[64];
	char *argv[16 + 2 * MAX_ARGS] = {
		(char *)model, "exec", (char *)code, (char *)r->name,
		"--grid", grid, "--workgroup", wg,
	};
	unsigned int at = 8;
	int status;
	pid_t pid;

	snprintf(grid, sizeof(grid), "%zu,%zu,%zu", r->global[0], r->global[1], r->global[2]);
	snprintf(wg, sizeof(wg), "%zu,%zu,%zu", r->local[0], r->local[1], r->local[2]);
	for (cl_uint n = 0; n < r->nargs; n++) {
		if (!spec(r, n, out, specs[n])) {
			printf("# %s: argument %u cannot be given to the model\n", r->name, n);
			return -1;
		}
		argv[at++] = "--arg";
		argv[at++] = specs[n];
	}
	if (migrate) {
		argv[at++] = "--migrate";
		argv[at++] = "--slice";
		argv[at++] = "61";
	}
	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (!freopen("/dev/null", "w", stdout))
			_exit(99);
		execv(model, argv);
		_exit(99);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/* ---- comparison ---- */

static int64_t ordered(const uint8_t *p, unsigned int bytes)
{
	int32_t v32;
	int64_t v;

	memcpy(&v, p, bytes == 8 ? 8 : 0);
	memcpy(&v32, p, 4);
	if (bytes == 8)
		return v < 0 ? INT64_MIN - v : v;
	return v32 < 0 ? (int64_t)INT32_MIN - v32 : v32;
}

static double value(const uint8_t *p, unsigned int bytes)
{
	double d = 0;
	float f;

	memcpy(&d, p, bytes == 8 ? 8 : 0);
	memcpy(&f, p, 4);
	return bytes == 8 ? d : (double)f;
}

/* One component: NaNs are all the same, and a zero's sign counts only where bits do. */
static bool same(const struct arg *a, const uint8_t *x, const uint8_t *y)
{
	int64_t ox, oy;

	if (!memcmp(x, y, a->bytes))
		return true;
	if (a->base != FLOAT)
		return false;
	if (isnan(value(x, a->bytes)) || isnan(value(y, a->bytes)))
		return isnan(value(x, a->bytes)) && isnan(value(y, a->bytes));
	if (!a->ulps)
		return false;
	ox = ordered(x, a->bytes);
	oy = ordered(y, a->bytes);
	return (ox > oy ? (uint64_t)ox - (uint64_t)oy : (uint64_t)oy - (uint64_t)ox) <=
	       2 * a->ulps;
}

static void show(const struct arg *a, const uint8_t *p)
{
	uint64_t v = 0;

	memcpy(&v, p, a->bytes);
	if (a->base == FLOAT)
		printf(" %.17g", value(p, a->bytes));
	printf(" %#llx", (unsigned long long)v);
}

static bool agree(const struct run *r, cl_uint n, const uint8_t *got, const uint8_t *want)
{
	const struct arg *a = &r->arg[n];
	unsigned int wrong = 0;

	for (size_t at = 0; at < a->size; at += a->bytes) {
		if (a->width == 3 && at / a->bytes % 4 == 3)
			continue;	/* padding */
		if (same(a, got + at, want + at))
			continue;
		if (wrong++ < SHOWN) {
			printf("# %s: %s[%zu]: model", r->name, a->name, at / a->bytes);
			show(a, got + at);
			printf(", host");
			show(a, want + at);
			printf("\n");
		}
	}
	if (wrong > SHOWN)
		printf("# %s: %s: %u differences\n", r->name, a->name, wrong);
	return !wrong;
}

static bool compare(const struct run *r, uint8_t *want[])
{
	char name[PATH_LEN];
	bool good = true;

	if (run_model(r, "model", false)) {
		printf("# %s: the model failed\n", r->name);
		return false;
	}
	if (run_model(r, "moved", true)) {
		printf("# %s: the model failed with --migrate\n", r->name);
		return false;
	}
	for (cl_uint n = 0; n < r->nargs; n++) {
		const struct arg *a = &r->arg[n];
		uint8_t *got, *moved;

		if (!want[n])
			continue;
		path(r, n, "model", name);
		got = read_file(name, a->size);
		path(r, n, "moved", name);
		moved = read_file(name, a->size);
		if (!got || !moved) {
			good = false;
		} else {
			good &= agree(r, n, got, want[n]);
			if (memcmp(got, moved, a->size)) {
				printf("# %s: %s is another after moves\n", r->name, a->name);
				good = false;
			}
		}
		free(got);
		free(moved);
	}
	return good;
}

static void clean_up(const struct run *r)
{
	static const char *const files[] = { "in", "model", "moved" };
	char name[PATH_LEN];

	for (cl_uint n = 0; n < r->nargs; n++)
		for (unsigned int k = 0; k < sizeof(files) / sizeof(files[0]); k++) {
			path(r, n, files[k], name);
			unlink(name);
		}
}

static void test(cl_kernel kernel, int nwanted, char **wanted)
{
	uint8_t *want[MAX_ARGS] = { NULL };
	struct run r = { .kernel = kernel };
	bool good, chosen = !nwanted;

	prepare(&r);
	for (int n = 0; n < nwanted; n++)
		chosen |= !strcmp(wanted[n], r.name);
	if (chosen) {
		run_host(&r, want);
		good = compare(&r, want);
		if (good)
			clean_up(&r);
		else
			printf("# %s: inputs and the model's results are in %s\n", r.name, keep);
		ok(good, r.name);
	}
	for (cl_uint n = 0; n < r.nargs; n++) {
		free(want[n]);
		free(r.arg[n].data);
	}
}

/* ---- start ---- */

static cl_program build(const char *file)
{
	const char *source;
	cl_program program;
	struct stat st;
	cl_int err;

	if (stat(file, &st))
		die(file, CL_INVALID_VALUE);
	source = (const char *)read_file(file, st.st_size);
	if (!source)
		die(file, CL_INVALID_VALUE);
	program = clCreateProgramWithSource(context, 1, &source, &(size_t){ st.st_size }, &err);
	need(err, file);
	if (clBuildProgram(program, 1, &device, OPTIONS, NULL, NULL) != CL_SUCCESS) {
		static char log[65536];

		clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof(log) - 1, log,
				      NULL);
		printf("%s\nBail out! %s does not build\n", log, file);
		exit(1);
	}
	free((void *)source);
	return program;
}

int main(int argc, char **argv)
{
	cl_kernel kernels[512];
	cl_platform_id platform;
	cl_program program;
	char name[128];
	cl_uint n;
	cl_int err;

	if (argc < 5) {
		fprintf(stderr, "usage: compare MODEL FILE.cl FILE.co KEEP_DIR [KERNEL...]\n");
		return 2;
	}
	model = argv[1];
	code = argv[3];
	keep = argv[4];
	mkdir(keep, 0777);
	need(clGetPlatformIDs(1, &platform, NULL), "no OpenCL platform");
	need(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL), "no CPU device");
	clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof(name), name, NULL);
	printf("# %s on %s\n", argv[2], name);
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
	need(err, "context");
	queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
	need(err, "queue");
	program = build(argv[2]);
	need(clCreateKernelsInProgram(program, sizeof(kernels) / sizeof(kernels[0]), kernels, &n),
	     "kernels");
	for (cl_uint k = 0; k < n; k++)
		test(kernels[k], argc - 5, argv + 5);
	return tap_done();
}
