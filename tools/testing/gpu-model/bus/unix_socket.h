/* SPDX-License-Identifier: GPL-2.0 */
/* Unix sockets by path, for the device and for its control. */
#ifndef GPU_MODEL_UNIX_SOCKET_H
#define GPU_MODEL_UNIX_SOCKET_H

/* A descriptor, or a negative errno with a message on stderr. */

/* Once @path exists, connecting to it succeeds. */
int unix_listen(const char *path);
int unix_connect(const char *path);

#endif
