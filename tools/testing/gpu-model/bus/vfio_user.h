/* SPDX-License-Identifier: GPL-2.0 */
/* Server side of vfio-user (QEMU's docs/interop/vfio-user.rst). */
#ifndef GPU_MODEL_VFIO_USER_H
#define GPU_MODEL_VFIO_USER_H

#include "gpu.h"

/* Create the socket; 0 or a negative errno with a message on stderr. */
int vfio_user_listen(struct gpu *g, const char *path);

/* Take one client and serve it until it leaves or vfio_user_stop(); 0 or negative errno. */
int vfio_user_serve(struct gpu *g);

/* Serve a connected socket @fd; as vfio_user_serve(). */
int vfio_user_serve_fd(struct gpu *g, int fd);

/* End vfio_user_serve(); safe in a signal handler. */
void vfio_user_stop(struct gpu *g);

/* Raise the MSI, in virtual time when the guest gets there. Any thread. */
void vfio_user_irq(struct gpu *g);

void vfio_user_free(struct gpu *g);

#endif
