// SPDX-License-Identifier: GPL-2.0
/*
 * Server side of vfio-user, as much as QEMU's vfio-user-pci asks for.
 *
 * One client at a time, one thread. A malformed message is answered with an
 * error; a message whose size cannot be believed ends the connection, because
 * the next one's start is unknown then.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "host/clock.h"
#include "host/fault.h"
#include "host/log.h"
#include "bus/memory.h"
#include "host/params.h"
#include "bus/pci.h"
#include "bus/unix_socket.h"
#include "bus/vfio_user.h"

#define DATA_MAX	65536		/* of a region access: QEMU reads the ROM in one */
#define MSG_MAX		(DATA_MAX + 4096)
#define FDS_MAX		8

enum {
	CMD_VERSION = 1,
	CMD_DMA_MAP,
	CMD_DMA_UNMAP,
	CMD_GET_INFO,
	CMD_GET_REGION_INFO,
	CMD_GET_REGION_IO_FDS,
	CMD_GET_IRQ_INFO,
	CMD_SET_IRQS,
	CMD_REGION_READ,
	CMD_REGION_WRITE,
	CMD_DMA_READ,
	CMD_DMA_WRITE,
	CMD_RESET,
};

#define FLAG_TYPE	0xf
#define FLAG_REPLY	1
#define FLAG_NO_REPLY	(1u << 4)
#define FLAG_ERROR	(1u << 5)

#define DMA_READ	1u
#define DMA_WRITE	2u
#define DMA_UNMAP_ALL	2u

#define DEVICE_RESET	1u
#define DEVICE_PCI	2u
#define REGION_READ	1u
#define REGION_WRITE	2u
#define REGION_MMAP	4u
#define IRQ_EVENTFD	1u
#define IRQ_NORESIZE	8u
#define IRQ_COUNT	5	/* INTx, MSI, MSI-X, error, request */
#define IRQ_MSI		1
#define SET_DATA_NONE	1u
#define SET_DATA_EVENTFD 4u
#define SET_TRIGGER	(1u << 5)

struct header {
	u16 id;
	u16 cmd;
	u32 size;
	u32 flags;
	u32 error;
};

struct version {
	u16 major, minor;
	char json[];
};

struct dma_map {
	u32 argsz, flags;
	u64 offset, iova, size;
};

struct dma_unmap {
	u32 argsz, flags;
	u64 iova, size;
};

struct device_info {
	u32 argsz, flags, regions, irqs;
};

struct region_info {
	u32 argsz, flags, index, caps;
	u64 size, offset;
};

struct irq_info {
	u32 argsz, flags, index, count;
};

struct irq_set {
	u32 argsz, flags, index, start, count;
};

struct region_access {
	u64 offset;
	u32 region, count;
};

/**
 * struct vfio_user - the server
 * @listener:	listening socket, -1 when serving a given descriptor
 * @stop_fd:	readable once the server shall end
 * @client:	connected socket
 * @path:	of @listener, unlinked at the end
 * @msi:	eventfd of the MSI, -1 when the client has not set one; under @msi_lock,
 *		as other threads write to it while the client replaces it
 * @fds: @nfds:	descriptors that came with the message under way
 */
struct vfio_user {
	int listener;
	int stop_fd;
	int client;
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	pthread_mutex_t msi_lock;
	int msi;
	int fds[FDS_MAX];
	unsigned int nfds;
};

static struct vfio_user *vfio_get(struct gpu *g)
{
	struct vfio_user *v = g->vfio;

	if (v)
		return v;
	v = calloc(1, sizeof(*v));
	if (!v)
		return NULL;
	v->listener = -1;
	v->client = -1;
	v->msi = -1;
	pthread_mutex_init(&v->msi_lock, NULL);
	v->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (v->stop_fd < 0) {
		free(v);
		return NULL;
	}
	g->vfio = v;
	return v;
}

int vfio_user_listen(struct gpu *g, const char *path)
{
	struct vfio_user *v = vfio_get(g);
	int fd;

	if (!v)
		return -ENOMEM;
	fd = unix_listen(path);
	if (fd < 0)
		return fd;
	strcpy(v->path, path);
	v->listener = fd;
	return 0;
}

void vfio_user_stop(struct gpu *g)
{
	u64 one = 1;

	if (g->vfio && write(g->vfio->stop_fd, &one, sizeof(one)) < 0)
		return;		/* already set: as good */
}

void vfio_user_irq(struct gpu *g)
{
	struct vfio_user *v = g->vfio;
	u64 one = 1;

	if (!v || clock_interrupt())
		return;
	pthread_mutex_lock(&v->msi_lock);
	if (v->msi >= 0 && write(v->msi, &one, sizeof(one)) < 0)
		log_warn("MSI lost: %s", strerror(errno));
	pthread_mutex_unlock(&v->msi_lock);
}

void vfio_user_free(struct gpu *g)
{
	struct vfio_user *v = g->vfio;

	if (!v)
		return;
	g->vfio = NULL;
	if (v->listener >= 0) {
		close(v->listener);
		unlink(v->path);
	}
	close(v->stop_fd);
	pthread_mutex_destroy(&v->msi_lock);
	free(v);
}

static void close_fds(struct vfio_user *v)
{
	while (v->nfds)
		close(v->fds[--v->nfds]);
}

/* The host's clock, ns: what a thread spends, not what the model models. */
static u64 host_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

/* Wait until @fd is readable. False: stop was asked for. */
static bool wait_readable(struct vfio_user *v, int fd)
{
	struct pollfd p[2] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = v->stop_fd, .events = POLLIN },
	};
	u64 until = host_now() + SOCKET_SPIN_NS;

	for (;;) {
		int n = poll(p, 2, host_now() < until ? 0 : -1);

		if (n < 0 && errno != EINTR)
			return false;
		if (n > 0)
			return !p[1].revents;
	}
}

/* Read exactly @len bytes and any descriptors. 0, -EPIPE at the end, -ECANCELED, -errno. */
static int recv_all(struct vfio_user *v, void *buf, size_t len)
{
	union {
		char buf[CMSG_SPACE(FDS_MAX * sizeof(int))];
		struct cmsghdr align;
	} control;
	size_t done = 0;

	while (done < len) {
		struct iovec iov = { (u8 *)buf + done, len - done };
		struct msghdr msg = {
			.msg_iov = &iov, .msg_iovlen = 1,
			.msg_control = control.buf, .msg_controllen = sizeof(control.buf),
		};
		struct cmsghdr *c;
		ssize_t n = recvmsg(v->client, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

		if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
			if (!wait_readable(v, v->client))
				return -ECANCELED;
			continue;
		}
		if (n < 0)
			return -errno;
		for (c = CMSG_FIRSTHDR(&msg); c; c = CMSG_NXTHDR(&msg, c)) {
			size_t i, fds = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

			if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
				continue;
			for (i = 0; i < fds; i++) {
				int fd;

				memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
				if (v->nfds < FDS_MAX)
					v->fds[v->nfds++] = fd;
				else
					close(fd);
			}
		}
		if (!n)
			return -EPIPE;
		done += n;
	}
	return 0;
}

/* Send a reply: the request's header, @err, and @len bytes of @data with @fd (or -1). */
static int reply(struct vfio_user *v, const struct header *req, int err,
		 const void *data, size_t len, int fd)
{
	struct header h = {
		.id = req->id, .cmd = req->cmd,
		.size = sizeof(h) + (err ? 0 : len),
		.flags = FLAG_REPLY | (err ? FLAG_ERROR : 0), .error = err,
	};
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { { 0 } };
	struct iovec iov[2] = { { &h, sizeof(h) }, { (void *)data, err ? 0 : len } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };

	if (fd >= 0 && !err) {
		msg.msg_control = control.buf;
		msg.msg_controllen = sizeof(control.buf);
		control.align.cmsg_level = SOL_SOCKET;
		control.align.cmsg_type = SCM_RIGHTS;
		control.align.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.align), &fd, sizeof(fd));
	}
	clock_publish();
	for (;;) {
		ssize_t n = sendmsg(v->client, &msg, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		/* Unix stream sockets take a message this small whole, or block. */
		return (size_t)n == h.size ? 0 : -EIO;
	}
}

static int do_version(struct vfio_user *v, const struct header *h, const u8 *p, size_t len)
{
	static const char json[] =
		"{\"capabilities\":{\"max_msg_fds\":8,\"max_data_xfer_size\":65536}}";
	struct {
		u16 major, minor;
		char json[sizeof(json)];
	} out = { 0, 0, "" };	/* QEMU 11.1 speaks 0.0 */
	const struct version *in = (const void *)p;

	if (len < sizeof(*in) || in->major != 0)
		return reply(v, h, EINVAL, NULL, 0, -1);
	memcpy(out.json, json, sizeof(json));
	return reply(v, h, 0, &out, 4 + sizeof(json), -1);
}

static int do_dma_map(struct gpu *g, const struct header *h, const u8 *p, size_t len)
{
	const struct dma_map *in = (const void *)p;
	struct vfio_user *v = g->vfio;
	int err;

	if (len < sizeof(*in) || in->argsz < sizeof(*in))
		return reply(v, h, EINVAL, NULL, 0, -1);
	err = mem_dma_map(g, in->iova, in->size, v->nfds ? v->fds[0] : -1, in->offset,
			  in->flags & DMA_WRITE);
	if (err)
		log_warn("DMA_MAP of %#llx+%#llx: %s", (unsigned long long)in->iova,
			 (unsigned long long)in->size, strerror(-err));
	return reply(v, h, -err, NULL, 0, -1);
}

static int do_dma_unmap(struct gpu *g, const struct header *h, const u8 *p, size_t len)
{
	const struct dma_unmap *in = (const void *)p;
	int err = 0;

	if (len < sizeof(*in) || in->argsz < sizeof(*in))
		return reply(g->vfio, h, EINVAL, NULL, 0, -1);
	if (in->flags & DMA_UNMAP_ALL)
		mem_dma_unmap_all(g);
	else
		err = mem_dma_unmap(g, in->iova, in->size);
	return reply(g->vfio, h, -err, in, sizeof(*in), -1);
}

static int do_region_info(struct gpu *g, const struct header *h, const u8 *p, size_t len)
{
	struct region_info out;

	if (len < sizeof(out))
		return reply(g->vfio, h, EINVAL, NULL, 0, -1);
	memcpy(&out, p, sizeof(out));
	if (out.argsz < sizeof(out) || out.index >= PCI_REGIONS)
		return reply(g->vfio, h, EINVAL, NULL, 0, -1);
	out.argsz = sizeof(out);
	out.caps = 0;
	out.offset = 0;
	out.size = pci_region_size(g, out.index);
	out.flags = out.size ? REGION_READ : 0;
	if (out.size && out.index != PCI_ROM)
		out.flags |= REGION_WRITE;
	if (out.index == PCI_BAR0)
		out.flags |= REGION_MMAP;
	return reply(g->vfio, h, 0, &out, sizeof(out),
		     out.index == PCI_BAR0 ? mem_vram_fd(g) : -1);
}

static int do_irq_info(struct vfio_user *v, const struct header *h, const u8 *p, size_t len)
{
	struct irq_info out;

	if (len < sizeof(out))
		return reply(v, h, EINVAL, NULL, 0, -1);
	memcpy(&out, p, sizeof(out));
	if (out.argsz < sizeof(out) || out.index >= IRQ_COUNT)
		return reply(v, h, EINVAL, NULL, 0, -1);
	out.argsz = sizeof(out);
	out.flags = out.index == IRQ_MSI ? IRQ_EVENTFD | IRQ_NORESIZE : 0;
	out.count = out.index == IRQ_MSI;
	return reply(v, h, 0, &out, sizeof(out), -1);
}

static void set_msi(struct vfio_user *v, int fd)
{
	int old;

	pthread_mutex_lock(&v->msi_lock);
	old = v->msi;
	v->msi = fd;
	pthread_mutex_unlock(&v->msi_lock);
	if (old >= 0)
		close(old);
}

static int do_set_irqs(struct vfio_user *v, const struct header *h, const u8 *p, size_t len)
{
	const struct irq_set *in = (const void *)p;

	if (len < sizeof(*in) || in->argsz < sizeof(*in) || in->index >= IRQ_COUNT)
		return reply(v, h, EINVAL, NULL, 0, -1);
	if (in->index != IRQ_MSI)	/* none of these interrupts exist: nothing to switch off */
		return reply(v, h, in->count ? EINVAL : 0, NULL, 0, -1);
	if (!(in->flags & SET_TRIGGER) || in->start || in->count > 1)
		return reply(v, h, EINVAL, NULL, 0, -1);
	if ((in->flags & SET_DATA_NONE) && !in->count)
		set_msi(v, -1);
	else if ((in->flags & SET_DATA_EVENTFD) && in->count == 1)
		set_msi(v, v->nfds ? v->fds[--v->nfds] : -1);
	else
		return reply(v, h, EINVAL, NULL, 0, -1);
	return reply(v, h, 0, NULL, 0, -1);
}

static int do_region_read(struct gpu *g, const struct header *h, const u8 *p, size_t len)
{
	const struct region_access *in = (const void *)p;
	struct {
		struct region_access a;
		u8 data[DATA_MAX];
	} out;

	if (len < sizeof(*in) || in->count > DATA_MAX)
		return reply(g->vfio, h, EINVAL, NULL, 0, -1);
	out.a = *in;
	if (pci_read(g, in->region, in->offset, out.data, in->count))
		return reply(g->vfio, h, EINVAL, NULL, 0, -1);
	return reply(g->vfio, h, 0, &out, sizeof(out.a) + in->count, -1);
}

static int do_region_write(struct gpu *g, const struct header *h, const u8 *p, size_t len)
{
	const struct region_access *in = (const void *)p;
	int err = 0;

	if (len < sizeof(*in) || in->count > len - sizeof(*in) ||
	    pci_write(g, in->region, in->offset, in + 1, in->count))
		err = EINVAL;
	if (h->flags & FLAG_NO_REPLY)
		return 0;
	return reply(g->vfio, h, err, in, sizeof(*in), -1);
}

static int dispatch(struct gpu *g, const struct header *h, const u8 *p, size_t len)
{
	static const struct device_info info = {
		sizeof(info), DEVICE_PCI | DEVICE_RESET, PCI_REGIONS, IRQ_COUNT,
	};

	switch (h->cmd) {
	case CMD_VERSION:
		return do_version(g->vfio, h, p, len);
	case CMD_DMA_MAP:
		return do_dma_map(g, h, p, len);
	case CMD_DMA_UNMAP:
		return do_dma_unmap(g, h, p, len);
	case CMD_GET_INFO:
		return reply(g->vfio, h, len < sizeof(info) ? EINVAL : 0, &info, sizeof(info), -1);
	case CMD_GET_REGION_INFO:
		return do_region_info(g, h, p, len);
	case CMD_GET_IRQ_INFO:
		return do_irq_info(g->vfio, h, p, len);
	case CMD_SET_IRQS:
		return do_set_irqs(g->vfio, h, p, len);
	case CMD_REGION_READ:
		return do_region_read(g, h, p, len);
	case CMD_REGION_WRITE:
		return do_region_write(g, h, p, len);
	case CMD_RESET:
		/*
		 * The machine's reset, also when it wakes from a sleep to memory. The
		 * card was without power, and its firmware has posted it.
		 */
		mem_lose_vram(g);
		pci_reset(g, !fault_hit(FAULT_RESET, NULL));
		return reply(g->vfio, h, 0, NULL, 0, -1);
	default:
		log_warn("vfio-user: command %u is not served", h->cmd);
		return reply(g->vfio, h, ENOTSUP, NULL, 0, -1);
	}
}

int vfio_user_serve_fd(struct gpu *g, int fd)
{
	_Alignas(8) u8 body[MSG_MAX];
	struct vfio_user *v = vfio_get(g);
	struct header h;
	int err;

	if (!v)
		return -ENOMEM;
	v->client = fd;
	for (;;) {
		err = recv_all(v, &h, sizeof(h));
		if (err)
			break;
		if (h.size < sizeof(h) || h.size - sizeof(h) > sizeof(body)) {
			log_warn("vfio-user: message of %u bytes, closing the connection", h.size);
			reply(v, &h, EINVAL, NULL, 0, -1);
			err = -EPROTO;
			break;
		}
		err = recv_all(v, body, h.size - sizeof(h));
		if (err)
			break;
		clock_enter(h.cmd == CMD_REGION_READ || h.cmd == CMD_REGION_WRITE);
		if ((h.flags & FLAG_TYPE) == FLAG_REPLY)	/* we never ask: nobody's answer */
			log_warn("vfio-user: unexpected reply to command %u", h.cmd);
		else
			err = dispatch(g, &h, body, h.size - sizeof(h));
		clock_leave();
		close_fds(v);
		if (err)
			break;
	}
	close_fds(v);
	set_msi(v, -1);
	v->client = -1;
	close(fd);
	mem_dma_unmap_all(g);
	return err == -EPIPE || err == -ECANCELED || err == -ECONNRESET ? 0 : err;
}

int vfio_user_serve(struct gpu *g)
{
	struct vfio_user *v = g->vfio;
	int fd;

	if (!wait_readable(v, v->listener))
		return 0;
	fd = accept(v->listener, NULL, NULL);
	if (fd < 0)
		return -errno;
	/* One device, one client: a second one is refused by connect(). */
	close(v->listener);
	unlink(v->path);
	v->listener = -1;
	return vfio_user_serve_fd(g, fd);
}
