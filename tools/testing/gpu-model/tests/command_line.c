// SPDX-License-Identifier: GPL-2.0
/* The program itself: every fault armed from the command line, and bad ones refused. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"
#include "host/fault.h"

static char model[4096], dir[] = "/tmp/command-line.XXXXXX";

/* Output of a command, its end cut off if it is longer; its exit status. */
static int run(const char *command, char *output, size_t size)
{
	char line[8192];
	size_t n;
	FILE *f;
	int status;

	snprintf(line, sizeof(line), "cd %s && %s %s 2>&1", dir, model, command);
	f = popen(line, "r");
	if (!f)
		return -1;
	n = fread(output, 1, size - 1, f);
	output[n] = '\0';
	status = pclose(f);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A model that runs until it is told to stop. */
static pid_t start(char *const *args)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	if (chdir(dir))
		_exit(127);
	execv(model, args);
	_exit(127);
}

/* Until it listens, five seconds at most. */
static bool listens(void)
{
	char path[64];
	unsigned int i;

	snprintf(path, sizeof(path), "%s/socket", dir);
	for (i = 0; i < 500 && access(path, F_OK); i++)
		usleep(10000);
	return i < 500;
}

static void faults(void)
{
	static char *const args[] = {
		"gpu-model", "--socket", "socket", "--control", "control",
		"--fault", "hang-preemption", "--fault", "delay-preemption=700,2",
		"--fault", "lose-fence,3", "--fault", "refuse-restore,4",
		"--fault", "lose-interrupt=181,5", "--fault", "corrupt-packet,6",
		"--fault", "corrupt-hiq-packet,7", "--fault", "stall-wave=50,8",
		"--fault", "reset,9", "--fault", "slow-save=3,10",
		"--fault", "corrupt-save,11", NULL,
	};
	static const char *const armed[] = {
		" hang-preemption armed=1 ", " delay-preemption armed=2 ", " lose-fence armed=3 ",
		" refuse-restore armed=4 ", " lose-interrupt armed=5 ", " corrupt-packet armed=6 ",
		" corrupt-hiq-packet armed=7 ", " stall-wave armed=8 ", " reset armed=9 ",
		" slow-save armed=10 ", " corrupt-save armed=11 ",
	};
	char output[4096] = "";
	unsigned int i, found = 0;
	pid_t pid = start(args);
	int status;

	ok(listens(), "it starts");
	/* 'status' itself is the occasion at which the control socket resets. */
	ok(!run("control control status", output, sizeof(output)), "and answers");
	for (i = 0; i < sizeof(armed) / sizeof(armed[0]); i++)
		found += !!strstr(output, armed[i]);
	ok(found == FAULTS && sizeof(armed) / sizeof(armed[0]) == FAULTS, "all faults are armed");
	if (found != FAULTS)
		printf("# %s", output);
	kill(pid, SIGTERM);
	ok(waitpid(pid, &status, 0) == pid && !status, "it ends when told to");
}

static void refused(void)
{
	static const struct { const char *args, *says; } bad[] = {
		{ "", "--socket is missing" },
		{ "--socket s --fault lose", "--fault 'lose': error: no fault 'lose'" },
		{ "--socket s --fault delay-preemption", "delay-preemption needs =US" },
		{ "--socket s --fault reset=1", "reset takes no argument" },
		{ "--socket s --engines 9", "--engines '9': not a number from 1 to 8" },
		{ "--socket s --inactive-cus 9", "--inactive-cus '9': not a number from 0 to 8" },
		{ "--socket s --inactive-cus 3", "--inactive-cus 3: an engine loses one" },
		{ "--socket s --cus-per-engine 1 --inactive-cus 1",
		  "--inactive-cus 1: an engine loses one, and not its last" },
		{ "--socket s --asic gfx1100 --cus-per-engine 3", "units of an engine work in pairs" },
		{ "--socket s --asic gfx1100 --inactive-cus 1", "units of an engine work in pairs" },
		{ "--socket s --vram-mb 300", "--vram-mb 300: not a power of two" },
		{ "--socket s --asic mi25", "--asic 'mi25'" },
		{ "--socket s --cwsr no", "--cwsr 'no': native, handler or mixed" },
		{ "--socket s --rptr-at end", "--rptr-at 'end': fetch or launch" },
		{ "--socket s --connect one", "--connect 'one': all, pipe or strict" },
		{ "--socket s --slots any", "--slots 'any': spread or pack" },
		{ "--socket s --rotate some", "--rotate 'some': need or all" },
		{ "--socket s --status some", "--status 'some': queues, busy or waves" },
		{ "--socket s --state-offset 0", "--state-offset '0': unmap or save" },
		{ "--socket s --param launch", "--param 'launch': no parameter 'launch', see" },
		{ "--socket s --param launch_ns", "launch_ns needs =VALUE" },
		{ "--socket s --param launch_ns=", "'' is not a whole number" },
		{ "--socket s --param launch_ns=-1", "'-1' is not a whole number" },
		{ "--socket s --param launch_ns=1e3", "'1e3' is not a whole number" },
		{ "--socket s --param launch_ns=499", "launch_ns is from 500 to 4000 ns" },
		{ "--socket s --param launch_ns=4001", "launch_ns is from 500 to 4000 ns" },
		{ "--socket s --param launch_ns=99999999999999999999",
		  "launch_ns is from 500 to 4000 ns" },
		{ "--socket s more", "'more' is not an option" },
	};
	char output[4096];
	unsigned int i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ok(run(bad[i].args, output, sizeof(output)) == 2 && strstr(output, bad[i].says),
		   bad[i].says);
}

/* Changed at either end of its range; the log tells, and of no other. */
static void params(void)
{
	static char *const args[] = {
		"gpu-model", "--socket", "socket", "--log", "log", "--param", "launch_ns=500",
		"--param", "cwsr_cu_bytes_per_us=15400", "--param", "fault_ns=2000", NULL,
	};
	char output[8192] = "", path[64], *line;
	pid_t pid = start(args);
	FILE *f;

	snprintf(path, sizeof(path), "%s/log", dir);
	listens();
	kill(pid, SIGTERM);
	waitpid(pid, NULL, 0);
	f = fopen(path, "r");
	if (f) {
		output[fread(output, 1, sizeof(output) - 1, f)] = '\0';
		fclose(f);
	}
	unlink(path);
	line = strstr(output, " params ");
	ok(line && !strncmp(line, " params launch_ns=500 cwsr_cu_bytes_per_us=15400\n", 49),
	   "the log has the parameters that were changed");
	ok(!run("params", output, sizeof(output)) &&
	   strstr(output, "\nlaunch_ns 1000 ns 500 4000 guess from a dispatch's packet"),
	   "all of them are printed");
}

int main(int argc, char **argv)
{
	char *folder = realpath(argv[0], NULL);

	(void)argc;
	/* .../tests/command_line: the program is in the folder above. */
	if (!folder || !mkdtemp(dir)) {
		printf("Bail out! no temporary folder\n");
		return 1;
	}
	*strrchr(folder, '/') = '\0';
	snprintf(model, sizeof(model), "%s/../gpu-model", folder);
	free(folder);
	faults();
	refused();
	params();
	ok(!rmdir(dir), "nothing is left behind");
	return tap_done();
}
