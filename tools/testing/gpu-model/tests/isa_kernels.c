// SPDX-License-Identifier: GPL-2.0
/*
 * Compiles tests/kernels.cl for gfx90a and gfx942, runs each kernel and compares
 * it, bit for bit, with the same computation on the host. Then again with waves
 * cut into slices of 1 to 7 instructions, and moved to new memory after each.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "isa/exec.h"
#include "isa/f16.h"
#include "tap.h"

#define ITEMS	512		/* of input */
static u64 in[ITEMS];
static char dir[] = "/tmp/isa_kernels.XXXXXX";
/* ---- the kernels, on the host ---- */

static u32 mul_hi32(u32 a, u32 b)
{
	return (u64)a * b >> 32;
}

static s32 mul_his32(s32 a, s32 b)
{
	return (s64)a * b >> 32;
}

static u64 mul_hi64(u64 a, u64 b)
{
	return (__uint128_t)a * b >> 64;
}

static s64 mul_his64(s64 a, s64 b)
{
	return (__int128_t)a * b >> 64;
}

static s64 sat(s64 v, s64 lo, s64 hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}

static u32 rotl(u32 v, unsigned int n)
{
	return v << (n & 31) | v >> (-n & 31);
}

static u64 host_ints(u32 g)
{
	u64 a = in[2 * g % ITEMS], b = in[(2 * g + 1) % ITEMS], r = 0;
	int8_t ca = a, cb = b;
	u8 ua = a >> 8, ub = b >> 8;
	int16_t sa = a >> 16, sb = b >> 16;
	u16 ta = a >> 24, tb = b >> 24;
	s32 ia = a >> 3, ib = b >> 5;
	u32 xa = a >> 7, xb = b >> 9;
	s64 la = a, lb = b;

	r += (u8)(ca * cb + ca) ^ (u8)(ca >> (cb & 7)) ^ (ua / (ub | 1)) ^ (ua % (ub | 1));
	r = r * 31 + (u16)(sa * sb - sa) + (u16)(sa / (sb | 1)) + (u16)(ta % (tb | 1));
	r = r * 31 + (u32)ia * (u32)ib + (u32)(ia / (ib | 1)) + (u32)(ia % (ib | 1));
	r = r * 31 + xa / (xb | 1) + xa % (xb | 1) + mul_hi32(xa, xb) + (u32)mul_his32(ia, ib);
	r = r * 31 + a * b + (u64)(la / (lb | 1)) + (u64)(la % (lb | 1));
	r = r * 31 + a / (b | 1) + a % (b >> 32 | 1) + mul_hi64(a, b) + (u64)mul_his64(la, lb);
	r ^= (a << (b & 63)) + (a >> (b & 63)) + (u64)(la >> (b & 63));
	r += (xa ? (u32)__builtin_clz(xa) : 32) + (u64)__builtin_popcountll(a) +
	     (u64)__builtin_clzll(a | 1) + rotl(ia, xb & 31);
	r += (la < lb) + 2 * (a < b) + 4 * (sa < sb) + 8 * (ta < tb) + 16 * (ca < cb);
	r += (u32)(ia > ib ? ia : ib) + (xa < xb ? xa : xb) + (u64)(la > lb ? la : lb) +
	     (u32)(ia > ib ? (u32)ia - (u32)ib : (u32)ib - (u32)ia);
	r += (u64)sat((s64)ia + ib, -0x80000000ll, 0x7fffffff) + (xa > xb ? xa - xb : 0) +
	     (u16)sat(sa + sb, -0x8000, 0x7fff) + (u64)sat(ta - tb, 0, 0xffff);
	return r;
}

static u64 host_packed(u32 g)
{
	u64 va = in[2 * g % ITEMS], vb = in[(2 * g + 1) % ITEMS], out = 0;
	u16 r[4], bytes[4];

	for (unsigned int n = 0; n < 4; n++) {
		u16 ua = va >> 16 * n, ub = vb >> 16 * n;
		int16_t a = ua, b = ub;
		u32 t = (u32)ua * ub + (ua >> 2) + (ua < ub ? ua : ub);

		r[n] = (u16)(a * b + (a >> 3) - (a > b ? a : b)) ^ (u16)t;
		r[n] += sat(a + b, -0x8000, 0x7fff) - sat(ua - ub, 0, 0xffff);
		bytes[n] = 0;
		for (unsigned int k = 0; k < 2; k++) {
			u8 x = ua >> 8 * k, y = ub >> 8 * k;

			bytes[n] |= (u16)(u8)(x * y + (x << 1) + (x > y ? x : y)) << 8 * k;
		}
	}
	for (unsigned int n = 0; n < 4; n++)
		out |= (u64)(u16)(r[3 - n] + bytes[n]) << 16 * n;
	return out;
}

static u64 host_f32(u32 g)
{
	u64 va = in[2 * g % ITEMS], vb = in[(2 * g + 1) % ITEMS];
	float a = (float)(s32)va * 0x1p-16f, b = (float)(u32)vb * 0x1p-20f;
	float r = fmaf(a, b, 1.5f), s = a / b;
	u32 bits = f2u(r) ^ f2u(s) ^ f2u(sqrtf(fabsf(a))) ^ f2u(a + b) ^ f2u(fminf(a, b)) ^
		   f2u(floorf(a)) ^ f2u(truncf(b)) ^ f2u(rintf(a)) ^ f2u(ldexpf(a, 7));

	bits += (u32)(s32)a + (u32)b + (a < b) + !!isnan(s) + (u32)ilogbf(b);
	a = u2f(va);
	b = u2f(vb >> 13);
	r = a * b;
	return (u64)bits << 32 | ((isnan(r) ? 0x7fc00000u : f2u(r)) ^
	       ((u32)!!isinf(a) << 7 | (u32)(a > b) << 3 | (u32)!!isnormal(b)));
}

static u64 host_f64(u32 g)
{
	u64 va = in[2 * g % ITEMS], vb = in[(2 * g + 1) % ITEMS];
	double a = (double)(s64)va * 0x1p-40, b = (double)vb * 0x1p-44;
	double r = fma(a, b, 1.5), s = a / b, x = u2d(va), y;
	u64 bits = d2u(r) ^ d2u(s) ^ d2u(sqrt(fabs(a))) ^ d2u(a + b) ^ d2u(fmax(a, b)) ^
		   d2u(ceil(a)) ^ d2u(trunc(b)) ^ d2u(rint(a)) ^ d2u(ldexp(a, -7)) ^
		   d2u((double)(float)a);

	bits += (u64)(s64)a + (u64)b + (u32)(s32)(a * 0x1p-20) + (a < b);
	y = x * u2d(vb);
	bits += isnan(y) ? 0x7ff8 : d2u(y);
	y = x / u2d(vb);
	return bits + (isnan(y) ? 0x7ff8 : d2u(y));
}

static u64 host_diverge(u32 g)
{
	u64 v = in[g], r = g;
	u32 n = v & 63;

	for (u32 k = 0; k < n; k++) {
		if (v >> k & 1) {
			r = r * 3 + k;
			if ((r & 0xff) == 0x77)
				continue;
			if ((r & 0x3fff) == 0x1234)
				break;
		} else if (k & 1) {
			r ^= v >> (k & 31);
		}
		switch (r >> 5 & 7) {
		case 0:
			r += 17;
			break;
		case 1:
			r ^= 0x5555;
			break;
		case 3:
			r = r << 1 | r >> 63;
			break;
		case 6:
			r -= k;
			break;
		default:
			r++;
		}
	}
	return r;
}

static u64 host_reduce(u32 g)
{
	u64 part[256];

	memcpy(part, in + (g & ~255u), sizeof(part));
	for (u32 n = 128; n; n /= 2)
		for (u32 l = 0; l < n; l++)
			part[l] += part[l + n] * 3;
	return part[0] + (g & 255);
}

static u64 host_atomics(u32 g)
{
	u32 count[4] = { 0 };

	for (u32 l = 0; l < 256; l++) {
		u32 v = in[(g & ~255u) + l];

		count[v & 3] += v;
		count[3] -= 1;
		count[3] ^= v >> 31 << 31;	/* commutes: only the top bit */
	}
	return (u64)count[1] << 32 | (count[0] ^ count[2] ^ count[3]);
}

static u64 host_scratch(u32 g)
{
	u64 v = in[g], r = 0;
	u32 t[48];
	u8 bytes[40];

	for (u32 k = 0; k < 48; k++)
		t[k] = (u32)(v >> (k & 31)) + k;
	for (u32 k = 0; k < 40; k++)
		bytes[k] = t[(v + k * 7) % 48];
	for (u32 k = 0; k < 64; k++) {
		u32 at = (v >> (k & 7)) % 48;

		t[at] = t[at] * 5 + t[(at + k) % 48] + bytes[(at * k) % 40];
		bytes[at % 40] ^= k;
	}
	for (u32 k = 0; k < 48; k++)
		r = r * 33 + t[k] + bytes[k % 40];
	return r;
}

static u64 mix(u64 a, u32 b)
{
	return (a ^ a >> 29) * 0xbf58476d1ce4e5b9ull + b;
}

static u64 host_calls(u32 g)
{
	u64 v = in[g], a, b;

	for (u32 k = 0; k < (g & 7); k++) {
		u64 save[6];
		u32 n = k + g;

		for (u32 m = 0; m < 6; m++)
			save[m] = mix(v, m + n);
		v = save[n % 6] ^ save[(n + 1) % 6];
	}
	a = v;
	b = mix(v, v & 15);
	for (u32 k = 0; k < (v & 15); k++) {
		u64 t = mix(a + b, k);

		a = b;
		b = t;
	}
	return v + b;
}

#define N 176
static u64 host_registers(u32 g)
{
	u32 t[N];
	u64 r = 0;

	for (u32 k = 0; k < N; k++)
		t[k] = (u32)(in[(g + k) & 255] >> (k & 31)) * (k + 3);
	for (u32 n = 0; n < 4; n++)
		for (u32 k = 0; k < N; k++)
			t[k] = t[k] * 5 + (t[(k + 61) % N] ^ t[(k + 127) % N]);
	for (u32 k = 0; k < N; k++)
		r = r * 31 + t[k];
	return r;
}

/* All 64 lanes at once: the last grid row is full here. */
static u64 host_lanes(u32 g)
{
	u32 wave = g & ~63u, me = g & 63, v[64], r[64];
	u64 below = 0;

	for (u32 l = 0; l < 64; l++)
		v[l] = in[wave + l];
	for (u32 l = 0; l < 64; l++) {
		u32 row = l & 15;

		r[l] = v[l] + v[(l & ~3u) + (3 - (l & 3))];
		r[l] = r[l] * 3 + (row ? v[l - 1] : 0);
		r[l] = r[l] * 3 + (row + 4 < 16 ? v[l + 4] : r[l]);
		r[l] = r[l] * 3 + (l / 16 & 1 ? v[(l & ~15u) - 1] : r[l]);
		r[l] = r[l] * 3 + v[(l & ~15u) + 15 - row];
		r[l] = r[l] * 3 + v[l ^ 2];
		r[l] = r[l] * 3 + v[(l * 7) & 63];
		for (u32 s = 0; s < 64; s++)
			if (((s * 5 + 3) & 63) == l) {
				r[l] = r[l] * 3 + v[s];
				break;
			}
		r[l] += v[0] + v[13] + l;
		below |= (u64)(v[l] < 0x80000000u) << l;
	}
	return r[me] + (below << 8);
}

static u64 host_flat(u32 g)
{
	u32 wg = g & ~255u, l = g & 255, own[4] = { 1, 2, 3, 4 };
	u64 v = in[g];
	u32 p;

	own[v & 3] += l;
	if (v & 4)
		p = in[wg + ((l + 1) & 255)];
	else
		p = v & 8 ? own[v >> 4 & 3] : (u32)v;
	return (u64)p + own[v >> 6 & 3];
}

static u64 host_vectors(u32 g)
{
	u64 v = in[g];
	u32 t[16];

	for (u32 k = 0; k < 16; k++)
		t[k] = v >> k * 3;
	for (u32 k = 0; k < 40; k++)
		t[in[k] & 15] += t[((in[k] >> 4) + k) & 15] * 3 + k;
	for (u32 k = 0; k < 16; k++)
		v = v * 7 + t[k];
	return v;
}

#define HALF(d)	f64_to_f16(d, ROUND_NEAREST)

static u64 host_halves(u32 g)
{
	u32 v = in[g];
	u16 ha = v & 0xbfff, hb = v >> 16 & 0xbfff, larger;
	double a = f16_to_f32(ha), b = f16_to_f32(hb);
	u64 r = HALF(a * b) | (u64)HALF(a + b) << 16 |
		(u64)HALF(a * b + a) << 32 | (u64)HALF(sqrt(fabs(a))) << 48;

	larger = a > b ? ha : hb;
	r += (u64)(HALF(a + b) | (u32)HALF(b + b) << 16) << 9;
	r += (u64)(larger | (u32)larger << 16) << 13;
	return r + (u32)(s32)((float)a * 1000.0f) + HALF((float)b * 1.1f);
}

/* ---- the runs ---- */

#define F_LOCAL	1	/* takes local memory */
#define F_SUM	2	/* and a buffer of sums */

static const struct kernel {
	const char *name;
	u64 (*host)(u32 g);
	u32 items, wg, flags;
} kernels[] = {
	{ "ints", host_ints, 250, 64, 0 },
	{ "packed", host_packed, 250, 64, 0 },
	{ "f32", host_f32, 250, 64, 0 },
	{ "f64", host_f64, 250, 64, 0 },
	{ "diverge", host_diverge, 250, 64, 0 },
	{ "reduce", host_reduce, 512, 256, F_LOCAL },
	{ "atomics", host_atomics, 512, 256, F_LOCAL | F_SUM },
	{ "scratch", host_scratch, 150, 64, 0 },
	{ "calls", host_calls, 150, 64, 0 },
	{ "registers", host_registers, 128, 64, 0 },
	{ "lanes", host_lanes, 256, 64, 0 },
	{ "flat", host_flat, 512, 256, 0 },
	{ "vectors", host_vectors, 150, 64, 0 },
	{ "halves", host_halves, 250, 64, 0 },
};

static const char *path(const char *name)
{
	static char buf[4][128];
	static unsigned int n;
	char *p = buf[n++ & 3];

	snprintf(p, sizeof(buf[0]), "%s/%s", dir, name);
	return p;
}

static bool write_file(const char *name, const void *data, size_t bytes)
{
	FILE *f = fopen(path(name), "wb");
	bool good = f && fwrite(data, 1, bytes, f) == bytes;

	return f && !fclose(f) && good;
}

static bool read_words(const char *name, u64 *data, size_t words)
{
	FILE *f = fopen(path(name), "rb");
	bool good = f && fread(data, 8, words, f) == words;

	if (f)
		fclose(f);
	return good;
}

/* exec_main() in a child, its errors to a file if @err. Returns its exit status, or -1. */
static int run(char **argv, const char *err)
{
	int argc = 0, status;
	pid_t pid;

	while (argv[argc])
		argc++;
	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (!freopen("/dev/null", "w", stdout) ||
		    (err && !freopen(path(err), "w", stderr)))
			_exit(99);
		exit(exec_main(argc, argv));
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static bool check_sums(void)
{
	static const u64 start[6] = { 5, 0, ~0ull, 0, 0, 7 };
	u64 want[6], got[6];

	memcpy(want, start, sizeof(want));
	for (unsigned int g = 0; g < 512; g++) {
		u32 v = in[g];

		want[0] += (u64)v * v;
		want[1] = in[g] > want[1] ? in[g] : want[1];
		want[2] = in[g] < want[2] ? in[g] : want[2];
		want[3] |= 1u << (v & 31);
		if ((s32)v > (s32)want[4])
			want[4] = v;
		want[5]++;
	}
	return read_words("sum.out", got, 6) && !memcmp(got, want, sizeof(want));
}

static bool run_kernel(const struct kernel *k, const char *co, u32 slice, bool migrate)
{
	static const u64 sums[6] = { 5, 0, ~0ull, 0, 0, 7 };
	char grid[16], wg[16], n[16], out[192], input[192], sum[192];
	char *argv[32];
	u64 got[ITEMS];
	int a = 0, status;

	snprintf(grid, sizeof(grid), "%u", k->items);
	snprintf(wg, sizeof(wg), "%u", k->wg);
	snprintf(n, sizeof(n), "%u", slice);
	snprintf(input, sizeof(input), "buf:%zu:%s", sizeof(in), path("in"));
	snprintf(out, sizeof(out), "buf:%u::%s", k->items * 8, path("out"));
	snprintf(sum, sizeof(sum), "buf:48:%s:%s", path("sum.in"), path("sum.out"));
	write_file("sum.in", sums, sizeof(sums));
	unlink(path("out"));

	argv[a++] = "exec";
	argv[a++] = (char *)path(co);
	argv[a++] = (char *)k->name;
	argv[a++] = "--grid";
	argv[a++] = grid;
	argv[a++] = "--workgroup";
	argv[a++] = wg;
	argv[a++] = "--slice";
	argv[a++] = n;
	argv[a++] = "--arg";
	argv[a++] = input;
	argv[a++] = "--arg";
	argv[a++] = out;
	if (k->flags & F_SUM) {
		argv[a++] = "--arg";
		argv[a++] = sum;
	}
	if (k->flags & F_LOCAL) {
		argv[a++] = "--arg";
		argv[a++] = "lds:2048";
	}
	if (migrate)
		argv[a++] = "--migrate";
	argv[a] = NULL;

	status = run(argv, NULL);
	if (status || !read_words("out", got, k->items)) {
		printf("# %s: exit status %d\n", k->name, status);
		return false;
	}
	for (u32 g = 0; g < k->items; g++) {
		u64 want = k->host(g);

		if (got[g] == want)
			continue;
		printf("# %s: item %u: %#llx, expected %#llx\n", k->name, g,
		       (unsigned long long)got[g], (unsigned long long)want);
		return false;
	}
	return !(k->flags & F_SUM) || check_sums();
}

/* It ends with status 1 and an error that says so. */
static void refused(char **argv, const char *says)
{
	char text[4096] = "", what[128];
	int status = run(argv, "err");
	FILE *f = fopen(path("err"), "r");

	if (f && !fread(text, 1, sizeof(text) - 1, f))
		printf("# it says nothing\n");
	if (f)
		fclose(f);
	snprintf(what, sizeof(what), "exec refuses: %s", says);
	if (status != 1 || !strstr(text, says))
		printf("# status %d: %s\n", status, text);
	ok(status == 1 && strstr(text, says), what);
}

/* A wrong use of exec: one word of a right command is another. */
static void bad_input(void)
{
	static const struct {
		unsigned int at;
		char *value;
		const char *says;
	} cases[] = {
		{ 1, "/nonexistent.co", "/nonexistent.co: cannot read it" },
		{ 1, "/dev/null", "not an ELF file" },
		{ 2, "nosuch", "nosuch: no such kernel" },
		{ 3, "--size", "--size: unknown option" },
		{ 4, "0", "--grid 0: want X[,Y,Z]" },
		{ 4, "1,2,3,4", "--grid 1,2,3,4: want X[,Y,Z]" },
		{ 4, "1024", "page fault at" },
		{ 6, "2048", "at most 1024 work-items" },
		{ 7, NULL, "takes more than the 0 arguments" },
		{ 8, NULL, "--arg: unknown option, or no value given" },
		{ 8, "7", "--arg 7: want TYPE:VALUE" },
		{ 8, "u128:7", "--arg u128: unknown type" },
		{ 8, "u32:7", "takes global_buffer of 8 bytes here" },
		{ 8, "u8:300", "--arg u8:300: not a value of that type" },
		{ 8, "i16:0x1000x", "not a value of that type" },
		{ 8, "buf:x", "--arg buf:x: not a size" },
		{ 8, "buf:64:/nonexistent", "/nonexistent: cannot read it" },
		{ 8, "buf:1:/etc/passwd", "bytes, the buffer 1" },
		{ 8, "buf:4096::/nonexistent/out", "/nonexistent/out: cannot write it" },
		{ 8, "lds:64", "--arg lds:64: the kernel takes global_buffer of 8 bytes here" },
		{ 8, "lds:70000", "above 65536 bytes" },
		{ 9, NULL, "takes more than the 1 arguments" },
	};
	static u8 image[1 << 20];
	char co[128], cut[128];
	char *good[] = { "exec", co, "ints", "--grid", "64", "--workgroup", "64",
			 "--arg", "buf:4096", "--arg", "buf:4096", NULL };
	char *local[] = { "exec", cut, "reduce", "--grid", "64", "--workgroup", "64", "--arg",
			  "buf:4096", "--arg", "buf:4096", "--arg", "lds:64", NULL };
	char *argv[12];
	u8 *kind;
	size_t size;
	FILE *f;
	bool survived;

	snprintf(co, sizeof(co), "%s", path("O2.co"));
	snprintf(cut, sizeof(cut), "%s", path("cut.co"));
	f = fopen(co, "rb");
	size = f ? fread(image, 1, sizeof(image), f) : 0;
	survived = size > 0;
	if (f)
		fclose(f);
	ok(run(good, NULL) == 0, "exec: right arguments");
	for (unsigned int n = 0; n < sizeof(cases) / sizeof(cases[0]); n++) {
		memcpy(argv, good, sizeof(good));
		argv[cases[n].at] = cases[n].value;
		refused(argv, cases[n].says);
	}

	/* Truncated anywhere, it is refused or runs to its end; it never crashes. */
	for (size_t n = 0; n < size && survived; n += 1 + n / 7) {
		write_file("cut.co", image, n);
		memcpy(argv, good, sizeof(good));
		argv[1] = cut;
		survived = run(argv, "err") == 1;
	}
	ok(survived, "exec: truncated code objects are refused");
	/* A local pointer of two bytes, with which exec would write four. */
	kind = memmem(image, size, "dynamic_shared_pointer", 22);
	while (kind && kind > image + 6 && memcmp(kind - 6, "\245.size", 6))
		kind--;
	if (kind)
		*kind = 2;
	write_file("cut.co", image, size);
	refused(local, "the kernel takes dynamic_shared_pointer of 2 bytes here");
	image[48] = 0x30;	/* e_flags: another GPU */
	write_file("cut.co", image, size);
	memcpy(argv, good, sizeof(good));
	argv[1] = cut;
	refused(argv, "for another GPU than gfx90a, gfx940 and gfx942");
}

int main(void)
{
	const unsigned int nkernels = sizeof(kernels) / sizeof(kernels[0]);
	char cmd[1024];
	u64 x = 88172645463325252ull;

	if (!mkdtemp(dir)) {
		printf("Bail out! no temporary directory\n");
		return 1;
	}
	for (unsigned int n = 0; n < ITEMS; n++) {	/* xorshift64 */
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		in[n] = x;
	}
	write_file("in", in, sizeof(in));
	for (unsigned int n = 0; n < 4; n++) {
		static const struct {
			const char *file, *options, *what;
		} builds[4] = {
			{ "O2", "-O2", "clang compiles the kernels" },
			{ "O0", "-O0", "clang compiles the kernels unoptimised" },
			{ "942-O2", "-O2 -mcpu=gfx940", "clang compiles the kernels for gfx940" },
			{ "942-O0", "-O0 -mcpu=gfx940",
			  "clang compiles the kernels for gfx940 unoptimised" },
		};

		snprintf(cmd, sizeof(cmd), GFXCC " -cl-std=CL2.0 %s %s/kernels.cl -o %s/%s.co",
			 builds[n].options, TEST_DIR, dir, builds[n].file);
		ok(!system(cmd), builds[n].what);
	}

	for (unsigned int n = 0; n < nkernels; n++) {
		const struct kernel *k = &kernels[n];
		char what[64];
		bool same = true;

		snprintf(what, sizeof(what), "%s: as on the host", k->name);
		ok(run_kernel(k, "O2.co", 4096, false), what);
		snprintf(what, sizeof(what), "%s: unoptimised", k->name);
		ok(run_kernel(k, "O0.co", 4096, false), what);
		for (u32 slice = 1; slice <= 7; slice++)
			same &= run_kernel(k, "O2.co", slice, false);
		snprintf(what, sizeof(what), "%s: in slices of 1 to 7 instructions", k->name);
		ok(same, what);
		snprintf(what, sizeof(what), "%s: on gfx942", k->name);
		ok(run_kernel(k, "942-O2.co", 4096, false) && run_kernel(k, "942-O0.co", 5, true),
		   what);
		snprintf(what, sizeof(what), "%s: moved after each 5 instructions", k->name);
		ok(run_kernel(k, "O2.co", 5, true), what);
	}
	bad_input();
	snprintf(cmd, sizeof(cmd), "rm -r %s", dir);
	if (system(cmd))
		return 1;
	return tap_done();
}
