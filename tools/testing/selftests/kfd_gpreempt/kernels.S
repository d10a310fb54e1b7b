/* SPDX-License-Identifier: GPL-2.0 */
/* The compiled kernels as read-only data of each program. */
	.section .rodata
	.global kernels_start, kernels_end
	.balign 64
kernels_start:
	.incbin KERNELS
kernels_end:
	.section .note.GNU-stack, "", %progbits
