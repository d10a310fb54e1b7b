/* SPDX-License-Identifier: GPL-2.0 */
/* How the device calls itself: AMD Instinct MI210 (pci.ids, amdgpu.ids). */
#ifndef GPU_MODEL_PCI_IDS_H
#define GPU_MODEL_PCI_IDS_H

#define PCI_VENDOR		0x1002
#define PCI_DEVICE		0x740f
#define PCI_REVISION		2
#define PCI_SUBSYSTEM		0x0c34
#define PCI_CLASS_BASE		0x03	/* display */
#define PCI_CLASS_SUB		0x80	/* other */

#endif
