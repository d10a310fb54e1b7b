// SPDX-License-Identifier: GPL-2.0
/* Control socket and its client; see control.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/clock.h"
#include "bus/control.h"
#include "host/fault.h"
#include "host/log.h"
#include "bus/pci.h"
#include "bus/unix_socket.h"

#define CLIENTS		8
#define LINE		256

/**
 * struct client - one connection
 * @fd:		socket, -1 when free
 * @line: @len:	what came of a line
 * @skip:	the line is too long: ignore it up to its end
 */
struct client {
	int fd;
	char line[LINE];
	size_t len;
	bool skip;
};

/**
 * struct control - the socket and who is connected
 * @path:	of @listener
 * @stop_fd:	readable once the thread shall end
 */
struct control {
	const char *path;
	int listener, stop_fd;
	pthread_t thread;
	bool running;
	struct client client[CLIENTS];
};

int control_listen(struct gpu *g, const char *path)
{
	struct control *c = calloc(1, sizeof(*c));
	unsigned int i;

	if (!c)
		return -ENOMEM;
	c->stop_fd = -1;
	for (i = 0; i < CLIENTS; i++)
		c->client[i].fd = -1;
	c->listener = unix_listen(path);
	if (c->listener < 0) {
		int err = c->listener;

		free(c);
		return err;
	}
	c->path = path;
	g->control = c;
	return 0;
}

static void drop(struct client *cl)
{
	close(cl->fd);
	*cl = (struct client){ .fd = -1 };
}

/* Answer one line. */
static void obey(struct gpu *g, struct client *cl, const char *line)
{
	char answer[FAULT_ANSWER + 1] = "error: the line is too long";
	bool good = false;

	clock_enter(false);
	if (line)
		good = fault_command(line, answer);
	log_event("control", "command=\"%s\" ok=%d", line ? line : "", good);
	if (fault_hit(FAULT_RESET, NULL))
		pci_reset(g, false);
	clock_leave();
	strcat(answer, "\n");
	/* Who does not read its answers loses them and the connection. */
	if (send(cl->fd, answer, strlen(answer), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		drop(cl);
}

static void feed(struct gpu *g, struct client *cl, const char *data, size_t len)
{
	size_t i;

	for (i = 0; i < len && cl->fd >= 0; i++) {
		if (data[i] == '\n') {
			cl->line[cl->len] = '\0';
			if (cl->skip || cl->len)
				obey(g, cl, cl->skip ? NULL : cl->line);
			cl->len = 0;
			cl->skip = false;
		} else if (cl->len + 1 < LINE) {
			/* What is no text would tear the log's lines. */
			cl->line[cl->len++] = data[i] < ' ' || data[i] == '"' ? '?' : data[i];
		} else {
			cl->skip = true;
		}
	}
}

static void receive(struct gpu *g, struct client *cl)
{
	char data[LINE];
	ssize_t n = recv(cl->fd, data, sizeof(data), MSG_DONTWAIT | MSG_PEEK);

	/* A command is taken when it was answered: until then the other end sees it waiting. */
	if (n > 0) {
		feed(g, cl, data, n);
		if (cl->fd >= 0)
			recv(cl->fd, data, n, MSG_DONTWAIT);
	} else if (!n || (errno != EAGAIN && errno != EINTR)) {
		drop(cl);
	}
}

static void welcome(struct control *c)
{
	int fd = accept(c->listener, NULL, NULL);
	unsigned int i;

	if (fd < 0)
		return;
	for (i = 0; i < CLIENTS; i++)
		if (c->client[i].fd < 0) {
			c->client[i].fd = fd;
			return;
		}
	log_warn("control: more than %d clients", CLIENTS);
	close(fd);
}

static void *control_thread(void *arg)
{
	struct gpu *g = arg;
	struct control *c = g->control;
	struct pollfd p[2 + CLIENTS];
	unsigned int i;

	for (;;) {
		p[0] = (struct pollfd){ .fd = c->stop_fd, .events = POLLIN };
		p[1] = (struct pollfd){ .fd = c->listener, .events = POLLIN };
		for (i = 0; i < CLIENTS; i++)	/* poll() passes over those below 0 */
			p[2 + i] = (struct pollfd){ .fd = c->client[i].fd, .events = POLLIN };
		if (poll(p, 2 + CLIENTS, -1) < 0)
			continue;
		if (p[0].revents)
			return NULL;
		for (i = 0; i < CLIENTS; i++)
			if (p[2 + i].revents)
				receive(g, &c->client[i]);
		if (p[1].revents)
			welcome(c);
	}
}

int control_start(struct gpu *g)
{
	struct control *c = g->control;
	int err;

	if (!c)
		return 0;
	c->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (c->stop_fd < 0)
		return -errno;
	err = pthread_create(&c->thread, NULL, control_thread, g);
	if (err)
		return -err;
	pthread_setname_np(c->thread, "gpu-control");
	c->running = true;
	return 0;
}

void control_stop(struct gpu *g)
{
	struct control *c = g->control;
	u64 one = 1;
	unsigned int i;

	if (!c)
		return;
	if (c->running && write(c->stop_fd, &one, sizeof(one)) == sizeof(one))
		pthread_join(c->thread, NULL);
	for (i = 0; i < CLIENTS; i++)
		if (c->client[i].fd >= 0)
			close(c->client[i].fd);
	if (c->stop_fd >= 0)
		close(c->stop_fd);
	close(c->listener);
	unlink(c->path);
	free(c);
	g->control = NULL;
}

/* ---- the client ---- */

int control_main(int argc, char **argv)
{
	char *line = NULL;
	size_t room = 0;
	int fd, i, status = 0;
	FILE *f;

	if (argc < 3) {
		fputs("usage: gpu-model control PATH COMMAND...\n"
		      "\n"
		      "commands, each one argument, answered by a line each:\n"
		      "    NAME[=ARG][,COUNT]   arm a fault COUNT times (default 1), below\n"
		      "    status [NAME]        how often faults are armed and fired\n"
		      "    off                  disarm all\n"
		      "\n"
		      "faults:\n", stderr);
		fault_help(stderr);
		return 2;
	}
	/* A model that goes away, or has too many clients, is an error to tell. */
	signal(SIGPIPE, SIG_IGN);
	fd = unix_connect(argv[1]);
	if (fd < 0)
		return 1;
	f = fdopen(fd, "r+");
	if (!f) {
		close(fd);
		return 1;
	}
	for (i = 2; i < argc; i++) {
		if (dprintf(fd, "%s\n", argv[i]) < 0 || getline(&line, &room, f) < 0) {
			fprintf(stderr, "gpu-model: '%s' went away\n", argv[1]);
			status = 1;
			break;
		}
		fputs(line, stdout);
		if (strncmp(line, "ok", 2))
			status = 1;
	}
	free(line);
	fclose(f);
	return status;
}
