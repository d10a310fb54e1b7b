// SPDX-License-Identifier: GPL-2.0
/*
 * The whole program with clients that come, misbehave and die: what it says, its
 * exit status, and that nothing is left behind.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "tap.h"
#include "bus/unix_socket.h"

int model_main(int argc, char **argv);
#define main model_main
#include "main.c"
#undef main

#define PATIENCE_MS	20000
#define FOLDER		"/tmp/process-test.XXXXXX"

static char dir[] = FOLDER;
static char sock[sizeof(FOLDER) + 16], ctl[sizeof(FOLDER) + 16], events[sizeof(FOLDER) + 16],
	    said[sizeof(FOLDER) + 16];

/* The model with @argv, in a child; what it says goes to the file @said. */
static pid_t start_model(char **argv)
{
	int fd, argc = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid)
		return pid;
	while (argv[argc])
		argc++;
	fd = open(said, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	dup2(fd, 1);
	dup2(fd, 2);
	exit(model_main(argc, argv));
}

static pid_t start_on(char *path)
{
	char *argv[] = { "gpu-model", "--socket", path, "--control", ctl, "--log", events,
			 "--vram-mb", "256", NULL };

	return start_model(argv);
}

/* Its exit status; -1: a signal, or it does not end. */
static int status_of(pid_t pid)
{
	int status, ms;

	for (ms = 0; waitpid(pid, &status, WNOHANG) != pid; ms++) {
		if (ms == PATIENCE_MS) {
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
			return -1;
		}
		usleep(1000);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool says(const char *text)
{
	char got[8192] = "";
	FILE *f = fopen(said, "r");
	bool found;

	if (f && !fread(got, 1, sizeof(got) - 1, f))
		got[0] = 0;
	if (f)
		fclose(f);
	found = strstr(got, text);
	if (!found)
		printf("# '%s' is not in: %s\n", text, got);
	return found;
}

/* Until the model listens. */
static void listening(void)
{
	int ms;

	for (ms = 0; ms < PATIENCE_MS && access(sock, F_OK); ms++)
		usleep(1000);
}

/* Connected once the model listens; -1: it does not. */
static int client(void)
{
	listening();
	return unix_connect(sock);
}

/* One message that is answered: then the model serves us. */
static bool served(int fd)
{
	const u32 info[8] = { 7 | 4 << 16, 32, 0, 0, 16, 0, 0, 0 };
	u32 answer[8];

	return send(fd, info, sizeof(info), MSG_NOSIGNAL) == sizeof(info) &&
	       recv(fd, answer, sizeof(answer), MSG_WAITALL) == sizeof(answer);
}

/* No socket is left, and the log ends with a whole line. */
static bool clean(void)
{
	char last = 0;
	int fd = open(events, O_RDONLY);

	if (fd < 0 || lseek(fd, -1, SEEK_END) < 0 || read(fd, &last, 1) != 1)
		last = 0;
	close(fd);
	return access(sock, F_OK) && access(ctl, F_OK) && last == '\n';
}

static void options(void)
{
	static const struct {
		const char *option, *value, *says;
	} bad[] = {
		{ "--socket", NULL, "requires an argument" },
		{ "--engines", "0", "--engines '0': not a number from 1 to 8" },
		{ "--workers", "99999999999999999999", "not a number from 1 to 64" },
		{ "--vram-mb", "300", "--vram-mb 300: not a power of two" },
		{ "--vram-mb", "-256", "--vram-mb '-256': not a number" },
		{ "--asic", "h100", "--asic 'h100': mi210, mi300x or gfx1100" },
		{ "--rptr-at", "end", "--rptr-at 'end': fetch or launch" },
		{ "--cwsr", "no", "--cwsr 'no': native, handler or mixed" },
		{ "--fault", "fire", "--fault 'fire': error: no fault 'fire'" },
		{ "stray", NULL, "'stray' is not an option" },
		{ NULL, NULL, "--socket is missing" },
	};
	unsigned int i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char *argv[] = { "gpu-model", (char *)bad[i].option, (char *)bad[i].value, NULL };

		ok(status_of(start_model(argv)) == 2 && says(bad[i].says), bad[i].says);
	}
}

static void no_place(void)
{
	char *nowhere[] = { "gpu-model", "--socket", "/nonexistent/socket", NULL };
	char *log[] = { "gpu-model", "--socket", sock, "--log", "/nonexistent/log", NULL };
	char name[200] = "", *longest[] = { "gpu-model", "--socket", name, NULL };

	memset(name, 'x', sizeof(name) - 1);
	ok(status_of(start_model(nowhere)) == 1 && says("/nonexistent/socket"),
	   "a socket where none can be");
	ok(status_of(start_model(log)) == 1 && says("event log '/nonexistent/log'") &&
	   access(sock, F_OK), "a log where none can be");
	ok(status_of(start_model(longest)) == 1 && says("xxx"), "a path that is too long");
}

static void leaving(void)
{
	pid_t pid = start_on(sock);
	int fd = client();

	ok(fd >= 0 && served(fd), "a client is served");
	close(fd);
	ok(!status_of(pid) && clean(), "it leaves: status 0, nothing is left");

	pid = start_on(sock);
	fd = client();
	ok(fd >= 0 && send(fd, "half", 4, MSG_NOSIGNAL) == 4, "one that hangs up in a message");
	close(fd);
	ok(!status_of(pid) && clean(), "status 0, nothing is left");

	pid = start_on(sock);
	fd = client();
	served(fd);
	kill(pid, SIGTERM);
	ok(!status_of(pid) && clean(), "SIGTERM with a client: status 0, nothing is left");
	close(fd);

	pid = start_on(sock);
	client();
	kill(pid, SIGINT);
	ok(!status_of(pid) && clean(), "SIGINT: status 0, nothing is left");
}

/* As QEMU does when the guest's machine is killed: in the middle of work. */
static void killed_client(void)
{
	pid_t pid = start_on(sock), guest;
	int gone[2];
	char c;

	if (pipe(gone))
		return;
	guest = fork();
	if (!guest) {
		int fd = client();

		if (fd >= 0 && served(fd) && write(gone[1], "x", 1) == 1)
			while (served(fd))
				;
		_exit(1);
	}
	close(gone[1]);			/* else nobody would see that it failed */
	ok(read(gone[0], &c, 1) == 1, "a client in another process");
	kill(guest, SIGKILL);
	waitpid(guest, NULL, 0);
	ok(!status_of(pid) && clean(), "it is killed: status 0, nothing is left");
	close(gone[0]);
}

static void malformed(void)
{
	const u32 header[4] = { 7 | 9 << 16, 0xfffffff0, 0, 0 };
	pid_t pid = start_on(sock);
	int fd = client();

	ok(fd >= 0 && send(fd, header, sizeof(header), MSG_NOSIGNAL) == sizeof(header),
	   "a message of four gigabytes");
	ok(status_of(pid) == 1 && says("message of 4294967280 bytes") && says("connection lost") &&
	   clean(), "status 1 with the reason, nothing is left");
	close(fd);
}

static void second(void)
{
	pid_t pid = start_on(sock), other;
	int fd;

	listening();
	other = start_on(sock);
	ok(status_of(other) == 1 && says(ctl), "a second model on its sockets: status 1, says which");
	fd = client();
	ok(fd >= 0 && served(fd), "the first one is as it was");
	ok(unix_connect(sock) < 0, "a second client is refused");
	ok(served(fd), "the first one is served on");
	close(fd);
	ok(!status_of(pid) && clean(), "and leaves nothing");

	/* What a killed model left may be another's: that is for the user to say. */
	pid = start_on(sock);
	listening();
	kill(pid, SIGKILL);
	status_of(pid);
	ok(status_of(start_on(sock)) == 1 && says("left behind: remove it"),
	   "on the sockets of one that was killed: status 1, what to do");
	unlink(sock);
	unlink(ctl);
}

/* Killed by the system call that gives it its name: it has no other one left by then. */
static void killed_early(void)
{
	struct dirent *entry;
	int status, strays = 0;
	bool named;
	DIR *folder;
	pid_t pid = start_on(sock);

	ptrace(PTRACE_SEIZE, pid, NULL, PTRACE_O_EXITKILL);
	ptrace(PTRACE_INTERRUPT, pid, NULL, NULL);
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status) && access(ctl, F_OK))
		ptrace(PTRACE_SYSCALL, pid, NULL, NULL);
	named = !access(ctl, F_OK);
	kill(pid, SIGKILL);
	status_of(pid);
	folder = opendir(dir);
	while (folder && (entry = readdir(folder)))
		strays += entry->d_name[0] != '.' && strchr(entry->d_name, '.');
	if (folder)
		closedir(folder);
	ok(named && !unlink(ctl) && !strays, "killed as it gets its name: it has no other");
}

/* It cannot have its VRAM. */
static void no_memory(void)
{
	const struct rlimit little = { 1 << 20, 1 << 20 };
	pid_t pid = fork();

	if (!pid) {
		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &little);
		exit(status_of(start_on(sock)));
	}
	ok(status_of(pid) == 1 && says("gpu-model: memory: File too large") &&
	   access(sock, F_OK) && access(ctl, F_OK), "no VRAM: status 1, says so, nothing is left");
}

/* Whoever started it is gone: so is the model. */
static void parent(void)
{
	int from[2];
	pid_t middle, model = 0;

	prctl(PR_SET_CHILD_SUBREAPER, 1);	/* to see it end */
	if (pipe(from))
		return;
	middle = fork();
	if (!middle) {
		model = start_on(sock);
		if (write(from[1], &model, sizeof(model)) != sizeof(model))
			_exit(1);
		pause();
	}
	close(from[1]);
	ok(read(from[0], &model, sizeof(model)) == sizeof(model) && model, "started by another");
	listening();
	kill(middle, SIGKILL);
	waitpid(middle, NULL, 0);
	ok(!status_of(model) && clean(), "which is killed: it ends, nothing is left");
}

int main(void)
{
	if (!mkdtemp(dir)) {
		printf("Bail out! no temporary folder\n");
		return 1;
	}
	snprintf(sock, sizeof(sock), "%s/socket", dir);
	snprintf(ctl, sizeof(ctl), "%s/control", dir);
	snprintf(events, sizeof(events), "%s/events", dir);
	snprintf(said, sizeof(said), "%s/said", dir);
	options();
	no_place();
	leaving();
	killed_client();
	malformed();
	second();
	killed_early();
	no_memory();
	parent();
	unlink(events);
	unlink(said);
	ok(!rmdir(dir), "the folder is empty");
	return tap_done();
}
