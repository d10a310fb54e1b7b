/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's tracepoints: what happened between two moments, as text. */
#ifndef KFD_GPREEMPT_TEST_TRACE_H
#define KFD_GPREEMPT_TEST_TRACE_H

/*
 * From now on @event is traced, e.g. "kfd_gpreempt/kfd_gpreempt_scan", or a group of
 * them. @filter: as the kernel takes it, "0" for none. 0 or -errno.
 */
int trace_on(const char *event, const char *filter);
int trace_off(const char *event);

/* Forgets what was traced. 0 or -errno. */
int trace_clear(void);

/* What was traced, to be freed; NULL on failure, or if the buffer was too small. */
char *trace_read(void);

/*
 * The next line of a text, ended in place and without its newline; NULL at the
 * end. *@rest is the text at first.
 */
char *trace_line(char **rest);

/* The number behind " @name=" in a line; -1 if there is none. */
long long trace_field(const char *line, const char *name);

#endif
