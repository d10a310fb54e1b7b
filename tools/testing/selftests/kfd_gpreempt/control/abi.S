/* SPDX-License-Identifier: GPL-2.0 */
/* The description of the files in sysfs, as the kernel has it. */
	.section .rodata
	.global abi_begin, abi_end
abi_begin:
	.incbin ABI
abi_end:
	.section .note.GNU-stack, "", @progbits
