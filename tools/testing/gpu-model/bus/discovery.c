// SPDX-License-Identifier: GPL-2.0
/*
 * An IP discovery table as amdgpu reads it: which blocks there are, of which
 * version, where their registers are, and the shape of the shader array.
 * Layouts: Linux' discovery.h.
 */
#include <string.h>

#include "asic.h"
#include "bus/discovery.h"
#include "host/params.h"
#include "bus/regs.h"

#define BINARY_SIGNATURE	0x28211407
#define TABLE_SIGNATURE		0x53445049	/* "IPDS" */
#define GC_SIGNATURE		0x4347		/* "GC" */
#define HARVEST_SIGNATURE	0x56524148	/* "HARV" */

enum { TABLE_IPS, TABLE_GC, TABLE_HARVEST, TABLES = 6 };

#define AT_CHECKSUM		8		/* of the binary, after itself */
#define AT_TABLES		12
#define HEADER_BYTES		(AT_TABLES + 8 * TABLES)
#define IPS_HEADER_BYTES	80
#define HARVEST_BYTES		(8 + 4 * 32)

static u8 *put16(u8 *p, u32 v)
{
	p[0] = v;
	p[1] = v >> 8;
	return p + 2;
}

static u8 *put32(u8 *p, u32 v)
{
	return put16(put16(p, v), v >> 16);
}

static u16 sum(const u8 *p, size_t len)
{
	u16 s = 0;

	while (len--)
		s += *p++;
	return s;
}

/* Enter a finished table of @len bytes at @t. */
static void enter(u8 *buf, unsigned int table, const u8 *t, size_t len)
{
	u8 *p = buf + AT_TABLES + 8 * table;

	p = put16(p, t - buf);
	p = put16(p, sum(t, len));
	put16(p, len);
}

static u8 *put_ip(u8 *p, const struct ip *ip)
{
	unsigned int i, n = BASES_MAX;

	while (n > 1 && !ip->base[n - 1])
		n--;
	p = put16(p, ip->id);
	*p++ = ip->instance;
	*p++ = n;
	memcpy(p, ip->version, 3);
	p += 4;				/* variant and sub-revision: 0 */
	for (i = 0; i < n; i++)
		p = put32(p, ip->base[i]);
	return p;
}

/* ip_discovery_header of version 3, one die */
static u8 *put_ips(const struct gpu_config *cfg, u8 *buf, u8 *t)
{
	const struct discovery *d = asics[cfg->asic]->discovery;
	unsigned int i;
	u8 *die = t + IPS_HEADER_BYTES, *end = die + 4;

	put16(die + 2, cfg->xccs + d->nips);
	for (i = 0; i < cfg->xccs; i++) {
		const u32 window = regs_of_xcc(i, 0) / 4;
		struct ip gc = d->gc;

		gc.instance = i;
		gc.base[0] += window;
		gc.base[1] += window;
		end = put_ip(end, &gc);
	}
	for (i = 0; i < d->nips; i++)
		end = put_ip(end, &d->ips[i]);
	put32(t, TABLE_SIGNATURE);
	put16(t + 4, 3);
	put16(t + 6, end - t);
	put16(t + 12, 1);
	put16(t + 16, die - buf);
	enter(buf, TABLE_IPS, t, end - t);
	return end;
}

/* The table at @t: what every version begins with, then @n dwords. */
static u8 *put_info(u8 *buf, u8 *t, unsigned int major, unsigned int minor, const u32 *info,
		    unsigned int n)
{
	u8 *p = t + 12;
	unsigned int i;

	for (i = 0; i < n; i++)
		p = put32(p, info[i]);
	put32(t, GC_SIGNATURE);
	put16(t + 4, major);
	put16(t + 6, minor);
	put32(t + 8, p - t);
	enter(buf, TABLE_GC, t, p - t);
	return p;
}

/* gc_info_v1_2 */
static u8 *put_gc_1_2(const struct gpu_config *cfg, u8 *buf, u8 *t)
{
	const struct cu_size *cu = asics[cfg->asic]->cu;
	const u32 info[] = {
		cfg->engines, cfg->cus_per_engine / 2, 0 /* WGPs of an array */,
		4 /* render backends */, 24 /* L2 channels */, 1536 /* general registers */,
		32 /* geometry threads */, 32 /* geometry table */, 1792 /* primitive buffer */,
		512 /* parameter cache */, 0 /* offchip LDS */, 32 /* lanes */, cu->waves,
		32 /* scratch slots a CU */, cu->lds / 1024, 1, 1 /* arrays an engine */, 1, 1,
		cfg->cus_per_engine, 16, gpu_die_cus(cfg),
		2, 16, 1, 32, 16 /* of a WGP: L0, instruction and scalar caches */,
		1, 256, 24,
	};

	return put_info(buf, t, 1, 2, info, sizeof(info) / sizeof(info[0]));
}

/* gc_info_v2_1 */
static u8 *put_gc_2_1(const struct gpu_config *cfg, u8 *buf, u8 *t)
{
	const struct cu_size *cu = asics[cfg->asic]->cu;
	const u32 info[] = {
		cfg->engines, cfg->cus_per_engine, 1 /* arrays an engine */,
		4 /* render backends */, 16 /* channel caches */, 256 /* general registers */,
		32 /* geometry threads */, 32 /* geometry table */, 1792 /* primitive buffer */,
		0, 0 /* offchip LDS */, 64 /* lanes */, cu->waves, 32 /* scratch slots a CU */,
		cu->lds / 1024, 1, 1,
		cfg->cus_per_engine, 32, 1, 2, 64, 16, 4096,
	};

	return put_info(buf, t, 2, 1, info, sizeof(info) / sizeof(info[0]));
}

static u8 *put_gc(const struct gpu_config *cfg, u8 *buf, u8 *t)
{
	return asics[cfg->asic]->discovery->gc_info == GC_INFO_1_2 ? put_gc_1_2(cfg, buf, t) :
								     put_gc_2_1(cfg, buf, t);
}

/* Nothing is harvested: an empty list. */
static u8 *put_harvest(u8 *buf, u8 *t)
{
	put32(t, HARVEST_SIGNATURE);
	enter(buf, TABLE_HARVEST, t, HARVEST_BYTES);
	return t + HARVEST_BYTES;
}

void discovery_build(const struct gpu_config *cfg, u8 *buf)
{
	u8 *end;

	memset(buf, 0, DISCOVERY_SIZE);
	end = put_ips(cfg, buf, buf + HEADER_BYTES);
	end = put_gc(cfg, buf, end);
	end = put_harvest(buf, end);
	put32(buf, BINARY_SIGNATURE);
	put16(buf + 4, 1);		/* version 2 has its list 4 bytes later */
	put16(buf + 10, end - buf);
	put16(buf + AT_CHECKSUM, sum(buf + AT_CHECKSUM + 2, end - buf - AT_CHECKSUM - 2));
}
