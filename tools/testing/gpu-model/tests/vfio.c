// SPDX-License-Identifier: GPL-2.0
/* Unit tests of the vfio-user server: a client that sends what it should not. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tap.h"
#include "device.h"
#include "bus/unix_socket.h"
#include "bus/vfio_user.h"

enum { VERSION = 1, DMA_MAP, DMA_UNMAP, INFO, REGION_INFO, IRQ_INFO = 7, SET_IRQS, READ, WRITE,
       RESET = 13 };

struct header {
	u16 id, cmd;
	u32 size, flags, error;
};

struct access {
	u64 offset;
	u32 region, count;
	u8 data[64];
};

static struct gpu gpu;
static int client;
static u8 answer[70000];

static void *serve(void *arg)
{
	return (void *)(intptr_t)vfio_user_serve_fd(&gpu, (int)(intptr_t)arg);
}

static pthread_t connect_client(void)
{
	pthread_t thread;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) ||
	    pthread_create(&thread, NULL, serve, (void *)(intptr_t)pair[0])) {
		printf("Bail out! no socket or thread\n");
		exit(1);
	}
	client = pair[1];
	return thread;
}

static void send_message(u16 cmd, u32 flags, const void *data, u32 len, int fd)
{
	struct header h = { 7, cmd, sizeof(h) + len, flags, 0 };
	union {
		char space[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec iov[2] = { { &h, sizeof(h) }, { (void *)(uintptr_t)data, len } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };
	struct cmsghdr *c;

	if (fd >= 0) {
		msg.msg_control = control.space;
		msg.msg_controllen = sizeof(control.space);
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &fd, sizeof(int));
	}
	if (sendmsg(client, &msg, MSG_NOSIGNAL) != (ssize_t)(sizeof(h) + len))
		printf("# short send\n");
}

/* The reply's error, -1 if the connection ended, -2 if it is no reply to us. */
static int reply(void)
{
	struct header h;

	if (recv(client, &h, sizeof(h), MSG_WAITALL) != sizeof(h))
		return -1;
	if (h.size > sizeof(h) && h.size - sizeof(h) <= sizeof(answer) &&
	    recv(client, answer, h.size - sizeof(h), MSG_WAITALL) < 0)
		return -1;
	if (h.id != 7 || (h.flags & 0xf) != 1)
		return -2;
	return h.flags & 0x20 ? (int)h.error : 0;
}

static int call(u16 cmd, const void *data, u32 len, int fd)
{
	send_message(cmd, 0, data, len, fd);
	return reply();
}

static int access_region(u16 cmd, u32 region, u64 off, u32 count, u32 sent)
{
	struct access a = { off, region, count, { 0 } };

	return call(cmd, &a, 16 + sent, -1);
}

static void requests(void)
{
	static const char version[] = "\0\0\0\0{\"capabilities\":{}}";
	u32 info[4] = { 16, 0, 0, 0 }, region[8] = { 32, 0, 0, 0 }, irq[6] = { 20, 0x24, 1, 0, 1 };
	u64 one;
	int fd = eventfd(0, 0);

	ok(!call(VERSION, version, sizeof(version), -1) && !answer[0] && !answer[1],
	   "version 0 is agreed");
	ok(!call(INFO, info, 16, -1) && ((u32 *)answer)[2] == PCI_REGIONS, "device info");
	ok(!call(REGION_INFO, region, 32, -1) &&
	   *(u64 *)(answer + 16) == (u64)DEVICE_VRAM_MB << 20, "region 0 is VRAM");
	ok(!access_region(READ, PCI_CONFIG, 0, 4, 0) && *(u32 *)(answer + 16) == 0x740f1002,
	   "config space says MI210");
	ok(!access_region(READ, PCI_ROM, 0, PCI_ROM_SIZE, 0) && answer[16] == 0x55,
	   "the ROM is read in one piece");
	ok(!call(SET_IRQS, irq, 20, fd), "an eventfd for the MSI");
	vfio_user_irq(&gpu);
	ok(read(fd, &one, 8) == 8 && one == 1, "the MSI arrives");
	close(fd);
	*(u32 *)mem_ptr(&gpu, 0x1000, 4, false) = 0x5a5a5a5a;
	ok(!call(RESET, NULL, 0, -1) && !*(u32 *)mem_ptr(&gpu, 0x1000, 4, false) &&
	   regs_get(&gpu, REG_AT(REG_BIOS_SCRATCH_7)), "a reset leaves an empty card, posted");
}

static void bad_requests(void)
{
	u64 map[4] = { 32 | 3ull << 32, 0, 0x1000, 0x1000 };	/* argsz, flags | offset | addr | size */
	u32 region[8] = { 32, 0, 77, 0 }, irq[5] = { 20, 0x24, 1, 5, 1 };
	int ram = memfd_create("ram", 0);
	u16 cmd, bad = 0;

	for (cmd = 1; cmd < 40; cmd++)		/* an empty payload */
		if (cmd != RESET && call(cmd, NULL, 0, -1) <= 0)
			printf("# command %u with no payload: no error\n", cmd), bad++;
	ok(!bad, "empty and unknown messages get an error reply");
	ok(call(REGION_INFO, region, 32, -1) > 0, "so does region 77");
	ok(call(SET_IRQS, irq, 20, -1) > 0, "and vector 5");
	ok(access_region(READ, PCI_BAR5, REGS_SIZE - 2, 4, 0) > 0 &&
	   access_region(READ, PCI_BAR5, ~0ull - 1, 4, 0) > 0 &&
	   access_region(READ, 3, 0, 4, 0) > 0 && access_region(READ, 4000000000u, 0, 4, 0) > 0 &&
	   access_region(READ, PCI_BAR0, 0, ~0u, 0) > 0, "reads outside of a region");
	ok(access_region(WRITE, PCI_BAR5, 0, 64, 4) > 0, "a write with less data than it says");
	ok(access_region(WRITE, PCI_BAR0, (u64)DEVICE_VRAM_MB << 20, 4, 4) > 0,
	   "a write behind VRAM");
	if (ftruncate(ram, 0x1000))
		printf("# ftruncate failed\n");
	ok(!call(DMA_MAP, map, 32, ram), "map a page");
	ok(call(DMA_MAP, map, 32, ram) > 0, "map it twice");
	map[2] = 0x10000;
	map[3] = 0x10000;
	ok(call(DMA_MAP, map, 32, ram) > 0, "map more than its file has");
	map[0] = 24;				/* addr 0x10000, size 0x10000 of DMA_UNMAP */
	map[1] = 0x10000;
	map[2] = 0x10000;
	ok(call(DMA_UNMAP, map, 24, -1) > 0, "unmap what is not mapped");
	send_message(READ, 1, map, 16, -1);	/* a reply to nothing */
	ok(!access_region(READ, PCI_CONFIG, 0, 4, 0) && *(u32 *)(answer + 16) == 0x740f1002,
	   "after all that the device still answers");
	close(ram);
}

/* A header whose size cannot be: the stream is lost, the process is not. */
static void broken_stream(u32 size, const char *name)
{
	struct header h = { 7, READ, size, 0, 0 };
	pthread_t thread = connect_client();
	struct timeval limit = { .tv_sec = 5 };
	ssize_t n;
	void *ret;
	char c;

	setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	send(client, &h, sizeof(h), MSG_NOSIGNAL);
	do {
		n = recv(client, &c, 1, 0);
	} while (n > 0);
	shutdown(client, SHUT_RDWR);
	pthread_join(thread, &ret);
	ok(n == 0 && (intptr_t)ret == -EPROTO, name);
	close(client);
}

static void *listen_thread(void *arg)
{
	(void)arg;
	return (void *)(intptr_t)vfio_user_serve(&gpu);
}

static void second_client(void)
{
	char path[] = "/tmp/gpu-model-XXXXXX/socket";
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	int first = socket(AF_UNIX, SOCK_STREAM, 0), second = socket(AF_UNIX, SOCK_STREAM, 0);
	struct gpu other = { 0 };
	struct pollfd p;
	pthread_t thread;
	void *ret;
	u32 info[4] = { 16, 0, 0, 0 };

	path[21] = 0;
	if (!mkdtemp(path))
		printf("# no folder\n");
	path[21] = '/';
	strcpy(sa.sun_path, path);
	ok(!vfio_user_listen(&gpu, path), "listen");
	ok(vfio_user_listen(&other, path) == -EEXIST, "a socket in use is refused");
	vfio_user_free(&other);
	pthread_create(&thread, NULL, listen_thread, NULL);
	ok(!connect(first, (struct sockaddr *)&sa, sizeof(sa)), "one client connects");
	client = first;
	send_message(INFO, 0, info, 16, -1);
	p = (struct pollfd){ .fd = first, .events = POLLIN };
	poll(&p, 1, 5000);		/* served, so the listener is gone */
	ok(connect(second, (struct sockaddr *)&sa, sizeof(sa)) == -1, "a second one is refused");
	close(first);
	pthread_join(thread, &ret);
	ok(!ret, "the server ends with its client, without error");
	close(second);
	path[21] = 0;
	rmdir(path);
}

/* Connects as soon as the path is there; the descriptor, or -1. */
static void *connect_at_sight(void *arg)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	strcpy(sa.sun_path, arg);
	while (access(sa.sun_path, F_OK))
		;
	if (connect(fd, (struct sockaddr *)&sa, sizeof(sa))) {
		close(fd);
		fd = -1;
	}
	return (void *)(intptr_t)fd;
}

static void seen_is_listening(void)
{
	char path[] = "/tmp/gpu-model-XXXXXX/socket";
	int i, refused = 0;

	path[21] = 0;
	if (!mkdtemp(path))
		printf("# no folder\n");
	path[21] = '/';
	for (i = 0; i < 500; i++) {
		pthread_t thread;
		void *ret;
		int fd;

		pthread_create(&thread, NULL, connect_at_sight, path);
		fd = unix_listen(path);
		pthread_join(thread, &ret);
		refused += (intptr_t)ret < 0;
		close((int)(intptr_t)ret);
		close(fd);
		unlink(path);
	}
	ok(!refused, "a socket that is there answers");
	path[21] = 0;
	ok(!rmdir(path), "and nothing is beside it");
}

int main(void)
{
	pthread_t thread;
	void *ret;

	device_start(&gpu);
	thread = connect_client();
	requests();
	bad_requests();
	close(client);
	pthread_join(thread, &ret);
	ok(!ret, "the server ends with its client");
	broken_stream(3, "a message shorter than its header");
	broken_stream(0xfffffff0, "a message of four gigabytes");
	second_client();
	seen_is_listening();
	device_stop(&gpu);
	vfio_user_free(&gpu);
	return tap_done();
}
