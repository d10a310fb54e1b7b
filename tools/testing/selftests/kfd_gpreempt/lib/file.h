/* SPDX-License-Identifier: GPL-2.0 */
/* Small files of sysfs, debugfs and procfs: one value, one system call. */
#ifndef KFD_GPREEMPT_FILE_H
#define KFD_GPREEMPT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* One write() of exactly @text, as the shell's >. 0 or -errno. */
int file_write(const char *path, const char *text);

/* What one read() gives. 0 or -errno. */
int file_read(const char *path, char *text, size_t size);

/*
 * Both for the time of this program: whatever becomes of its tests, @path holds at its
 * end what it held at the first call, and has the mode that it had. Of a file that
 * shows a choice, "a [b] c", what is in brackets.
 */
void file_keep(const char *path);
int file_chmod(const char *path, mode_t mode);

/* Does that before the end, where the program began; true if each holds it again. */
bool file_put_back(void);

#endif
