/* SPDX-License-Identifier: GPL-2.0 */
/* Small files of sysfs, debugfs and procfs: one value, one system call. */
#ifndef KFD_GPREEMPT_FILE_H
#define KFD_GPREEMPT_FILE_H

#include <stddef.h>

/* One write() of exactly @text, as the shell's >. 0 or -errno. */
int file_write(const char *path, const char *text);

/* What one read() gives. 0 or -errno. */
int file_read(const char *path, char *text, size_t size);

#endif
