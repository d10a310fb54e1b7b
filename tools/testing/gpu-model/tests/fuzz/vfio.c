// SPDX-License-Identifier: GPL-2.0
/*
 * Messages of any content to the vfio-user server, of a client that reads its
 * answers, and through them accesses to the device with all its threads.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../device.h"
#include "fuzz.h"
#include "bus/vfio_user.h"

/* A record is a message: in its kind the command and what is special about it. */
#define KIND_COMMAND(k)	((k) & 31)
#define KIND_FD		(1u << 5)	/* a file comes with it */
#define KIND_NO_REPLY	(1u << 6)
#define KIND_RAW	(1u << 7)	/* the words are all there is, header included */

enum { VERSION = 1, DMA_MAP, DMA_UNMAP, INFO, REGION_INFO, IRQ_INFO = 7, SET_IRQS, READ, WRITE,
       RESET = 13 };

struct header {
	u16 id, cmd;
	u32 size, flags, error;
};

struct client {
	int fd;
	const u8 *data;
	size_t size;
};

static int ram_fd;

static void fuzz_start(void)
{
	fuzz_tick = 50000;		/* the server looks for messages by this clock */
	fuzz_guard(DEVICE_VRAM_MB);
	device_start(&gpu);
	ram_fd = memfd_create("ram", 0);
	if (ram_fd < 0 || ftruncate(ram_fd, 1 << 20))
		abort();
}

/* Read what there is; false when the server hung up. */
static bool drain(int fd)
{
	static u8 answers[1 << 16];
	ssize_t n;

	do {
		n = recv(fd, answers, sizeof(answers), MSG_DONTWAIT);
	} while (n > 0);
	return n < 0 && errno == EAGAIN;
}

static bool send_message(int sock, const struct record *r)
{
	const u32 cmd = KIND_COMMAND(r->kind);
	struct header h = { 7, cmd, sizeof(h) + 4 * r->n, r->kind & KIND_NO_REPLY ? 1 << 4 : 0, 0 };
	struct iovec iov[2] = { { &h, sizeof(h) }, { (void *)(uintptr_t)r->word, 4 * r->n } };
	union {
		char space[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { { 0 } };
	struct msghdr msg = {
		.msg_iov = iov + !!(r->kind & KIND_RAW), .msg_iovlen = r->kind & KIND_RAW ? 1 : 2,
	};
	int fd = cmd == SET_IRQS ? eventfd(0, EFD_NONBLOCK) : dup(ram_fd);
	ssize_t n;

	if (r->kind & KIND_FD) {
		msg.msg_control = control.space;
		msg.msg_controllen = sizeof(control.space);
		control.align.cmsg_level = SOL_SOCKET;
		control.align.cmsg_type = SCM_RIGHTS;
		control.align.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.align), &fd, sizeof(int));
	}
	while ((n = sendmsg(sock, &msg, MSG_NOSIGNAL)) < 0 && errno == EAGAIN) {
		struct pollfd p = { .fd = sock, .events = POLLIN | POLLOUT };

		poll(&p, 1, -1);
		drain(sock);
	}
	close(fd);
	return n >= 0 && drain(sock);
}

static void *run_client(void *arg)
{
	struct client *c = arg;
	struct record r;
	struct pollfd p = { .fd = c->fd, .events = POLLIN };

	while (record_next(&c->data, &c->size, &r) && send_message(c->fd, &r))
		;
	shutdown(c->fd, SHUT_WR);
	while (drain(c->fd))
		poll(&p, 1, -1);
	return NULL;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct client c = { .data = data, .size = size };
	pthread_t thread;
	int pair[2];

	pci_reset(&gpu, true);
	pci_init(&gpu);
	fuzz_clear_vram();
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		abort();
	fcntl(pair[1], F_SETFL, O_NONBLOCK);
	c.fd = pair[1];
	if (pthread_create(&thread, NULL, run_client, &c))
		abort();
	vfio_user_serve_fd(&gpu, pair[0]);
	pthread_join(thread, NULL);
	close(pair[1]);
	return 0;
}

#define QWORD(v)		(u32)(v), (u32)((u64)(v) >> 32)
#define ACCESS(off, region, n)	QWORD(off), region, n
#define REG(off, val)		SEED(WRITE, ACCESS(off, PCI_BAR5, 4), val)

static bool seed(unsigned int n)
{
	switch (n) {
	case 0:		/* what QEMU says at first */
		SEED(VERSION, 0, 0x7b, 0x7d);
		SEED(INFO, 16, 0, 0, 0);
		SEED(REGION_INFO, 32, 0, 0, 0, 0, 0, 0, 0);
		SEED(REGION_INFO, 32, 0, 7, 0, 0, 0, 0, 0);
		SEED(IRQ_INFO, 16, 0, 1, 0);
		SEED(READ, ACCESS(0, PCI_CONFIG, 64));
		SEED(READ, ACCESS(0, PCI_ROM, PCI_ROM_SIZE));
		SEED(WRITE, ACCESS(4, PCI_CONFIG, 4), 6);
		SEED(SET_IRQS | KIND_FD, 20, 0x24, 1, 0, 1);
		SEED(DMA_MAP | KIND_FD, 32, 3, QWORD(0), QWORD(0), QWORD(0x100000));
		SEED(DMA_MAP, 32, 3, QWORD(0), QWORD(0x100000), QWORD(0x1000));
		SEED(DMA_UNMAP, 24, 0, QWORD(0), QWORD(0x100000));
		SEED(SET_IRQS, 20, 0x21, 1, 0, 0);
		SEED(RESET, 0);
		return true;
	case 1:		/* what a driver does: memory, registers, doorbells */
		SEED(DMA_MAP | KIND_FD, 32, 3, QWORD(0), QWORD(0), QWORD(0x100000));
		SEED(SET_IRQS | KIND_FD, 20, 0x24, 1, 0, 1);
		SEED(WRITE, ACCESS(0x1000, PCI_BAR0, 16), 1, 2, 3, 4);
		SEED(READ, ACCESS(0x1000, PCI_BAR0, 16));
		SEED(READ, ACCESS(REG_AT(REG_RCC_CONFIG_MEMSIZE), PCI_BAR5, 4));
		REG(REG_AT(REG_MM_INDEX), 1u << 31 | 0x1000);
		REG(REG_AT(REG_MM_DATA), 9);
		REG(REG_AT(REG_IH_RB_BASE), 0x80);
		REG(REG_AT(REG_IH_DOORBELL_RPTR), 1u << 28 | 0x1e8);
		REG(REG_AT(REG_IH_RB_CNTL), 1 | 9 << 1 | 1 << 17 | 1 << 28);
		REG(REG_AT(REG_GRBM_GFX_CNTL), 2 << 2);
		REG(0xc914 + 4 * 8, 0x80000100);
		REG(0xc914 + 4 * 15, 1u << 30 | 0x10 << 2);
		REG(0xc914 + 4 * 17, 9);
		REG(0xc914 + 4 * 2, 1);
		SEED(WRITE | KIND_NO_REPLY, ACCESS(0x40, PCI_BAR2, 8), 4, 0);
		SEED(WRITE, ACCESS(0x1e8 * 4, PCI_BAR2, 4), 0x20);
		REG(REG_AT(REG_SQ_CMD), 3 | 1 << 4);
		REG(REG_AT(REG_VM_INV_REQ), 0xff);
		SEED(WRITE, ACCESS(0x6c, PCI_CONFIG, 2), 0x8000);	/* FLR */
		return true;
	case 2:		/* what cannot be */
		SEED(READ, ACCESS(~0ull - 1, PCI_BAR5, 4));
		SEED(READ, ACCESS(0, 77, 4));
		SEED(WRITE, ACCESS(0, PCI_BAR5, 64), 1);
		SEED(31);
		SEED(DMA_MAP | KIND_FD, 32, 3, QWORD(0), QWORD(0), QWORD(0x10000000));
		SEED(KIND_RAW, 7 | READ << 16, 3, 0, 0);
		return true;
	default:
		return false;
	}
}
