/* SPDX-License-Identifier: GPL-2.0 */
/* The compiled kernels as read-only data of each program. */
	.section .rodata
	.macro	code name, file
	.global \name, \name\()_end
	.balign 64
\name:
	.incbin "\file"
\name\()_end:
	.endm
	code	kernels_gfx900, GFX900
	code	kernels_gfx908, GFX908
	code	kernels_gfx90a, GFX90A
	code	kernels_gfx942, GFX942
	code	kernels_gfx1100, GFX1100
	.section .note.GNU-stack, "", %progbits
