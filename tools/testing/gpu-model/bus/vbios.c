// SPDX-License-Identifier: GPL-2.0
/*
 * An AtomBIOS image with what amdgpu reads of it on the 9.4.2: clocks, the
 * shape of the shader array, the kind of memory, and the init table that marks
 * the card as posted. Table layouts: Linux' atomfirmware.h, atom.h.
 */
#include <string.h>

#include "asic.h"
#include "host/params.h"
#include "bus/nbio.h"
#include "bus/vbios.h"

/* Fixed places in the image. */
#define AT_SIGNATURE	0x030	/* " 761295520" */
#define AT_HEADER_PTR	0x048
#define AT_DATE		0x050
#define AT_STRINGS_PTR	0x06e
#define AT_PART_NUMBER	0x080
#define AT_PCIR		0x100
#define AT_HEADER	0x200
#define AT_CMD_LIST	0x240
#define AT_DATA_LIST	0x300
#define AT_FIRMWARE	0x400
#define AT_SMU		0x480
#define AT_GFX		0x4c0
#define AT_VRAM		0x540
#define AT_SMC_DPM	0x600
#define AT_ASIC_INIT	0xb00

/* Places in atom_master_list_of_data_tables_v2_1. */
#define DATA_SMC_DPM_INFO	2
#define DATA_FIRMWAREINFO	4
#define DATA_SMU_INFO		8
#define DATA_GFX_INFO		14
#define DATA_VRAM_INFO		28
#define SMC_DPM_BYTES		1024
#define DATA_LIST_BYTES		(4 + 70)
#define CMD_LIST_BYTES		(4 + 162)

#define X86_RETF		0xcb
#define ATOM_OP_MOVE_REG	0x01
#define ATOM_OP_EOT		0x5b
#define ATOM_SRC_IMM		0x05
#define VRAM_TYPE_HBM2E		0x61

static void put16(u8 *p, u32 v)
{
	p[0] = v;
	p[1] = v >> 8;
}

static void put32(u8 *p, u32 v)
{
	put16(p, v);
	put16(p + 2, v >> 16);
}

/* atom_common_table_header */
static u8 *table(u8 *rom, u32 at, u32 bytes, u8 format, u8 content)
{
	put16(rom + at, bytes);
	rom[at + 2] = format;
	rom[at + 3] = content;
	return rom + at;
}

static void data_table(u8 *rom, unsigned int index, u32 at)
{
	put16(rom + AT_DATA_LIST + 4 + 2 * index, at);
}

void vbios_build(const struct gpu_config *cfg, u8 *rom, size_t size)
{
	const struct asic *asic = asics[cfg->asic];
	u8 *t, sum = 0;
	size_t i;

	memset(rom, 0, size);
	rom[0] = 0x55;
	rom[1] = 0xaa;
	rom[2] = size / 512;
	rom[3] = X86_RETF;		/* a PC firmware calls here and wants to come back */
	put16(rom + 0x18, AT_PCIR);
	memcpy(rom + AT_SIGNATURE, " 761295520", 10);
	put16(rom + AT_HEADER_PTR, AT_HEADER);
	memcpy(rom + AT_DATE, "01/01/26 00:00", 14);
	put16(rom + AT_STRINGS_PTR, 0);
	strcpy((char *)rom + AT_PART_NUMBER, asic->part);

	t = rom + AT_PCIR;
	memcpy(t, "PCIR", 4);
	put16(t + 4, PCI_VENDOR);
	put16(t + 6, asic->device);
	put16(t + 10, 0x18);
	t[12] = 3;
	t[14] = asic->class;
	t[15] = asic->class >> 8;
	put16(t + 16, size / 512);
	t[21] = 0x80;			/* last image */

	t = table(rom, AT_HEADER, 40, 2, 2);
	memcpy(t + 4, "ATOM", 4);
	put16(t + 30, AT_CMD_LIST);
	put16(t + 32, AT_DATA_LIST);

	table(rom, AT_CMD_LIST, CMD_LIST_BYTES, 2, 1);
	put16(rom + AT_CMD_LIST + 4, AT_ASIC_INIT);
	table(rom, AT_DATA_LIST, DATA_LIST_BYTES, 2, 1);

	/* atom_firmware_info_v3_1: default clocks in 10 kHz */
	t = table(rom, AT_FIRMWARE, 72, 3, 1);
	put32(t + 8, SHADER_CLK_MHZ * 100);
	put32(t + 12, 160000);
	put32(t + 24, asic->reg[REG_BIOS_SCRATCH_0] / 4);
	data_table(rom, DATA_FIRMWAREINFO, AT_FIRMWARE);

	/* atom_smu_info_v3_1: reference clock in 10 kHz */
	t = table(rom, AT_SMU, 28, 3, 1);
	put32(t + 16, 100000 / GPU_CLOCK_NS);
	data_table(rom, DATA_SMU_INFO, AT_SMU);

	/* The board's values for the SMU: none. */
	if (asic->reg[REG_MP1_MESSAGE]) {
		table(rom, AT_SMC_DPM, 4 + SMC_DPM_BYTES, 4, 0);
		data_table(rom, DATA_SMC_DPM_INFO, AT_SMC_DPM);
	}

	/* atom_gfx_info_v2_4 */
	t = table(rom, AT_GFX, 72, 2, 4);
	t[6] = cfg->engines;
	t[8] = cfg->cus_per_engine;
	t[9] = 1;			/* arrays an engine */
	t[10] = 4;			/* render backends an engine */
	t[11] = 16;			/* texture channel caches */
	put32(t + 40, 100000 / GPU_CLOCK_NS);
	t[44] = cfg->cus_per_engine;
	t[45] = 4;
	put16(t + 48, 256);		/* general registers */
	put16(t + 50, 1792);		/* geometry primitive buffer */
	put16(t + 54, 64);		/* lanes */
	put16(t + 56, asic->cu->waves);
	put16(t + 58, asic->cu->lds / 1024);
	t[60] = 32;			/* geometry threads */
	t[61] = 32;			/* geometry table depth */
	t[62] = 1;
	t[63] = 32;			/* scratch slots a CU */
	data_table(rom, DATA_GFX_INFO, AT_GFX);

	/* atom_vram_info_header_v2_5 with one module: 32 channels of 2^7 bits */
	t = table(rom, AT_VRAM, 24 + 64, 2, 5);
	t[20] = 1;
	put16(t + 24 + 10, 64);
	t[24 + 13] = VRAM_TYPE_HBM2E;
	t[24 + 14] = 32;
	t[24 + 15] = 7;
	data_table(rom, DATA_VRAM_INFO, AT_VRAM);

	/*
	 * asic_init: MOVE_REG BIOS_SCRATCH_7, posted; EOT. Workspace and parameters: none. Where
	 * the driver posts by atomfirmware's call, it wants 2.1.
	 */
	t = table(rom, AT_ASIC_INIT, 6 + 9, asic->reg[REG_MP1_MESSAGE] ? 2 : 1, 1);
	t[6] = ATOM_OP_MOVE_REG;
	t[7] = ATOM_SRC_IMM;
	put16(t + 8, asic->reg[REG_BIOS_SCRATCH_7] / 4);
	put32(t + 10, BIOS_SCRATCH_7_POSTED);
	t[14] = ATOM_OP_EOT;

	for (i = 0; i < size; i++)
		sum += rom[i];
	rom[size - 1] = -sum;
}
