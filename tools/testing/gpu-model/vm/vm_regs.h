/* SPDX-License-Identifier: GPL-2.0 */
/* Registers of the memory hubs: VM contexts, invalidation, faults. */
#ifndef GPU_MODEL_VM_REGS_H
#define GPU_MODEL_VM_REGS_H

#define REG_ATC_PASID_UPDATE_STATUS	0x030ac
#define REG_SH_MEM_CONFIG		0x08c34
#define REG_VM_L2_FAULT_CNTL		0x0a11c
#define REG_VM_L2_FAULT_STATUS		0x0a12c
#define REG_VM_L2_FAULT_ADDR_LO		0x0a130
#define REG_VM_L2_FAULT_ADDR_HI		0x0a134
#define REG_VM_CONTEXT0_CNTL		0x0a200
#define REG_VM_INV_SEM			0x0a244
#define REG_VM_INV_REQ			0x0a28c
#define REG_VM_INV_ACK			0x0a2d4
#define REG_VM_CONTEXT0_BASE_LO		0x0a3ac
#define REG_VM_CONTEXT0_START_LO	0x0a42c
#define REG_VM_CONTEXT0_END_LO		0x0a4ac
#define REG_MC_VM_FB_LOCATION_BASE	0x0a600
#define REG_MC_VM_FB_LOCATION_TOP	0x0a604
#define REG_MMHUB_INV_SEM		0x6af44
#define REG_MMHUB_INV_REQ		0x6af8c
#define REG_MMHUB_INV_ACK		0x6afd4
#define REG_MMHUB_FB_LOCATION_BASE	0x6b300
#define REG_MMHUB_FB_LOCATION_TOP	0x6b304
#define VM_INV_ENGINES			18

#endif
