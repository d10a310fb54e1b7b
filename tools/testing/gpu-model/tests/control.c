// SPDX-License-Identifier: GPL-2.0
/* Unit tests of the fault knobs and of the control socket. */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tap.h"
#include "device.h"
#include "bus/control.h"
#include "host/fault.h"
#include "bus/unix_socket.h"

static struct gpu gpu;

static bool answers(const char *command, const char *answer)
{
	char got[FAULT_ANSWER];

	fault_command(command, got);
	if (strcmp(got, answer))
		printf("# %s: %s\n", command, got);
	return !strcmp(got, answer);
}

static void commands(void)
{
	u64 arg = 0;

	ok(!fault_hit(FAULT_LOSE_FENCE, NULL), "nothing fails by itself");
	ok(answers("lose-fence", "ok") && fault_hit(FAULT_LOSE_FENCE, NULL) &&
	   !fault_hit(FAULT_LOSE_FENCE, NULL), "a fault happens once");
	ok(answers("delay-preemption=70,2", "ok") &&
	   answers("status delay-preemption", "ok delay-preemption armed=2 fired=0") &&
	   fault_hit(FAULT_DELAY_PREEMPTION, &arg) && arg == 70 &&
	   answers("status delay-preemption", "ok delay-preemption armed=1 fired=1") &&
	   fault_hit(FAULT_DELAY_PREEMPTION, &arg) && !fault_hit(FAULT_DELAY_PREEMPTION, &arg),
	   "or as often as wanted, with its argument");
	ok(answers("stall-wave", "ok") && fault_hit(FAULT_STALL_WAVE, &arg) && arg == FAULT_NO_ARG,
	   "an optional argument");
	ok(answers("lose-interrupt=181", "ok") && !fault_hit_on(FAULT_LOSE_INTERRUPT, 224) &&
	   fault_hit_on(FAULT_LOSE_INTERRUPT, 181), "an argument that picks the occasion");
	ok(answers("lose-fence,5", "ok") && answers("lose-fence,0", "ok") &&
	   !fault_hit(FAULT_LOSE_FENCE, NULL), "a count of 0 disarms");
	ok(answers("lose-fence,5", "ok") && answers("off", "ok") &&
	   !fault_hit(FAULT_LOSE_FENCE, NULL), "so does off");
	ok(answers("lose", "error: no fault 'lose'") && answers("", "error: no fault ''") &&
	   answers("status x", "error: no fault 'x'"), "unknown names are refused");
	ok(answers("lose-fence=1", "error: lose-fence takes no argument") &&
	   answers("delay-preemption", "error: delay-preemption needs =US") &&
	   answers("delay-preemption=", "error: delay-preemption: US is not a number") &&
	   answers("delay-preemption=-1", "error: delay-preemption: US is not a number") &&
	   answers("delay-preemption=99999999999", "error: delay-preemption: US is not a number") &&
	   answers("slow-save=99999999999", "ok") &&
	   answers("slow-save=18446744073709551615", "error: slow-save: RING is not a number") &&
	   answers("delay-preemption=1 ", "error: delay-preemption: ' ' is too much") &&
	   answers("lose-fence,x", "error: lose-fence: COUNT is not a number"),
	   "so are bad arguments, by name");
}

/* One answer of the control socket, or "" when it hung up. */
static void read_answer(int fd, char *line, size_t size)
{
	size_t len = 0;

	while (len + 1 < size && read(fd, line + len, 1) == 1 && line[len] != '\n')
		len++;
	line[len] = '\0';
}

static bool asks(int fd, const char *text, const char *answer)
{
	char line[FAULT_ANSWER + 2];

	/* To one that was sent away it may fail: that shall not end the test. */
	if (send(fd, text, strlen(text), MSG_NOSIGNAL) < 0)
		return false;
	read_answer(fd, line, sizeof(line));
	if (strcmp(line, answer))
		printf("# %s\n", line);
	return !strcmp(line, answer);
}

/* A client that is connected and served: it has had an answer. */
static int client(const char *path)
{
	int fd = unix_connect(path);

	if (fd >= 0 && !asks(fd, "off\n", "ok")) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static void connections(const char *path)
{
	int fd[9], i, connected = 0;
	char line[4096];

	ok(!control_listen(&gpu, path) && !control_start(&gpu), "the socket is there");
	for (i = 0; i < 9; i++) {
		fd[i] = client(path);
		connected += fd[i] >= 0;
	}
	ok(connected == 8, "eight clients, the ninth is sent away");
	ok(asks(fd[0], "lose-fence\n", "ok") &&
	   asks(fd[1], "status lose-fence\n", "ok lose-fence armed=1 fired=1"),
	   "all speak to one device");
	memset(line, 'x', sizeof(line) - 2);
	strcpy(line + sizeof(line) - 2, "\n");
	ok(asks(fd[0], line, "error: the line is too long") && asks(fd[0], "off\n", "ok"),
	   "a line without end is refused, the next one is not");
	ok(write(fd[0], "o", 1) == 1 && write(fd[0], "f", 1) == 1 && asks(fd[0], "f\n\n", "ok"),
	   "a line may come in pieces");
	regs_set(&gpu, REG_AT(REG_SCRATCH_REG0), 1);
	ok(asks(fd[0], "reset\n", "ok") && !regs_get(&gpu, REG_AT(REG_SCRATCH_REG0)) &&
	   !regs_get(&gpu, REG_AT(REG_BIOS_SCRATCH_7)), "reset resets, and leaves the card unposted");
	for (i = 0; i < 9; i++)
		if (fd[i] >= 0)
			close(fd[i]);
	control_stop(&gpu);
	ok(access(path, F_OK), "it takes its socket with it");
}

int main(void)
{
	char dir[] = "/tmp/control-test.XXXXXX", path[64];

	if (!mkdtemp(dir)) {
		printf("Bail out! no temporary folder\n");
		return 1;
	}
	snprintf(path, sizeof(path), "%s/socket", dir);
	device_start(&gpu);
	commands();
	connections(path);
	device_stop(&gpu);
	rmdir(dir);
	return tap_done();
}
