// SPDX-License-Identifier: GPL-2.0
/* gpu-model: command line, start and end. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "blocks.h"
#include "asic.h"
#include "host/clock.h"
#include "bus/control.h"
#include "isa/exec.h"
#include "host/fault.h"
#include "host/log.h"
#include "host/params.h"
#include "bus/vfio_user.h"

#define MAX_VRAM_MB		(64 * 1024)
#define MAX_WORKERS		64
#define STOP_S			10

static struct gpu gpu = {
	.cfg = {
		.revision = 1,
		.xccs = 1,
		.engines = 2,
		.cus_per_engine = 2,
		.vram_mb = 1024,
		.workers = 1,
	},
};

static const char usage[] =
"usage: gpu-model --socket PATH [options]\n"
"       gpu-model exec FILE.co KERNEL [options]   (see gpu-model exec --help)\n"
"       gpu-model isa                              the instructions it executes\n"
"       gpu-model params                           what things cost, and why so much\n"
"       gpu-model control PATH COMMAND...         (see gpu-model control)\n"
"\n"
"An AMD Instinct MI210 or MI300X for QEMU's vfio-user-pci, or what is there of a\n"
"gfx1100. Listens on PATH, serves one QEMU, ends with it.\n"
"\n"
"  --socket PATH          unix socket to listen on\n"
"  --log FILE             event log, one line an event\n"
"  --asic mi210|mi300x|gfx1100\n"
"                         which GPU to be (default mi210)\n"
"  --revision N           of an MI300X: 1 is gfx942 (default), 0 gfx941\n"
"  --xccs N               compute dies of an MI300X, 1 to %u (default %u)\n"
"  --engines N            shader engines of each, 1 to %u (default %u)\n"
"  --cus-per-engine N     compute units in each, 1 to %u (default %u)\n"
"  --inactive-cus N       of each die's units so many do not work, one in an engine\n"
"                         (default 0; an MI300X has 2, in engines of 10)\n"
"  --vram-mb N            VRAM in MiB, a power of two, 256 to %u (default %u)\n"
"  --workers N            host threads that execute waves, 1 to %u (default %u)\n"
"  --rptr-at fetch|launch when the read index of an AQL queue moves: when a packet\n"
"                         is fetched, or when its last workgroup was launched\n"
"                         (default launch; hardware's way is not documented)\n"
"  --connect all|pipe|strict\n"
"                         whose packets are taken and workgroups launched: those of\n"
"                         all queues (default), or of one queue a pipe at a time, in\n"
"                         turn or by strict priority\n"
"  --slots spread|pack    queues get their slots over the pipes (default), or pipe\n"
"                         after pipe\n"
"  --rotate need|all      who leaves when an oversubscribed runlist rotates: as many\n"
"                         as wait (default), or all\n"
"  --status queues|busy|waves\n"
"                         the bits of SPI_CSQ_WF_ACTIVE_STATUS: one for each slot with\n"
"                         a queue (default), for each with waves, or for each wave\n"
"  --state-offset unmap|save\n"
"                         cp_hqd_wg_state_offset is right after each unmap (default),\n"
"                         or after each save of waves\n"
"  --cwsr native|handler|mixed\n"
"                         who saves and restores waves: the model (default), the\n"
"                         waves themselves by the driver's trap handler, or one\n"
"                         saves and the other restores\n"
"  --control PATH         unix socket for 'gpu-model control'\n"
"  --fault NAME[=ARG][,COUNT]\n"
"                         arm a fault COUNT times (default 1), below\n"
"  --param NAME=VALUE     change what something costs, see gpu-model params\n"
"  --clock FD             share the clock of a QEMU that runs the plugin qemu/vtime.c,\n"
"                         by this memory; without it the host's clock counts\n"
"\n"
"faults:\n";

static void print_usage(FILE *f)
{
	const struct gpu_config *c = &gpu.cfg;

	fprintf(f, usage, XCCS_MAX, c->xccs, ENGINES_MAX, c->engines, ENGINE_CUS_MAX,
		c->cus_per_engine, MAX_VRAM_MB, c->vram_mb, MAX_WORKERS, c->workers);
	fault_help(f);
	fprintf(f, "  --help\n");
}

static unsigned int number(const char *option, const char *s, unsigned int min, unsigned int max)
{
	char *end;
	unsigned long v;

	errno = 0;
	v = strtoul(s, &end, 10);
	if (errno || end == s || *end || *s == '-' || v < min || v > max) {
		fprintf(stderr, "gpu-model: --%s '%s': not a number from %u to %u\n",
			option, s, min, max);
		exit(2);
	}
	return v;
}

static unsigned int asic_number(const char *name)
{
	unsigned int i;

	for (i = 0; i < ASICS; i++)
		if (!strcmp(asics[i]->name, name))
			return i;
	fprintf(stderr, "gpu-model: --asic '%s': mi210, mi300x or gfx1100\n", name);
	exit(2);
}

/* Which of an option's values. */
static unsigned int one_of(const char *option, const char *s, const char *const *values,
			   unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (!strcmp(s, values[i]))
			return i;
	fprintf(stderr, "gpu-model: --%s '%s': ", option, s);
	for (i = 0; i < n; i++)
		fprintf(stderr, "%s%s", values[i], i + 1 == n ? "\n" : i + 2 == n ? " or " : ", ");
	exit(2);
}

#define ONE_OF(option, s, ...) ({						\
	static const char *const _values[] = { __VA_ARGS__ };			\
										\
	one_of(option, s, _values, sizeof(_values) / sizeof(_values[0]));	\
})

/* What this GPU can have. */
static void check_size(const struct gpu_config *c)
{
	const struct asic *a = asics[c->asic];

	if (c->xccs > a->xccs || c->engines > a->engines) {
		fprintf(stderr, "gpu-model: --asic %s: at most %u XCCs of %u shader engines\n",
			a->name, a->xccs, a->engines);
		exit(2);
	}
	if (a->wgps && (c->cus_per_engine % 2 || c->inactive_cus)) {
		fprintf(stderr, "gpu-model: --asic %s: units of an engine work in pairs\n", a->name);
		exit(2);
	}
	if (c->inactive_cus > (c->cus_per_engine > 1 ? c->engines : 0)) {
		fprintf(stderr,
			"gpu-model: --inactive-cus %u: an engine loses one, and not its last\n",
			c->inactive_cus);
		exit(2);
	}
}

static void arm_fault(const char *text)
{
	char answer[FAULT_ANSWER];

	if (!fault_command(text, answer)) {
		fprintf(stderr, "gpu-model: --fault '%s': %s\n", text, answer);
		exit(2);
	}
}

static void set_param(const char *text)
{
	char error[PARAM_ERROR];

	if (!param_set(text, error)) {
		fprintf(stderr, "gpu-model: --param '%s': %s\n", text, error);
		exit(2);
	}
}

static void share_clock(int fd)
{
	int err = fd < 0 ? 0 : clock_share(fd);

	if (!err)
		return;
	fprintf(stderr, "gpu-model: --clock %d: no sealed memory of a page to share time by: %s\n", fd,
		strerror(-err));
	exit(2);
}

/* Return: path of the device's socket. @control: out: of the control's, or NULL */
static const char *parse(int argc, char **argv, const char **control)
{
	enum { SOCKET, LOG, ASIC, REVISION, XCCS, ENGINES, CUS, INACTIVE, VRAM, WORKERS, RPTR,
	       CONNECT, SLOTS, ROTATE, STATUS, OFFSET, CWSR, CONTROL, FAULT, PARAM, CLOCK, HELP };
	static const struct option options[] = {
		{ "socket", required_argument, NULL, SOCKET },
		{ "log", required_argument, NULL, LOG },
		{ "asic", required_argument, NULL, ASIC },
		{ "revision", required_argument, NULL, REVISION },
		{ "xccs", required_argument, NULL, XCCS },
		{ "engines", required_argument, NULL, ENGINES },
		{ "cus-per-engine", required_argument, NULL, CUS },
		{ "inactive-cus", required_argument, NULL, INACTIVE },
		{ "vram-mb", required_argument, NULL, VRAM },
		{ "workers", required_argument, NULL, WORKERS },
		{ "rptr-at", required_argument, NULL, RPTR },
		{ "connect", required_argument, NULL, CONNECT },
		{ "slots", required_argument, NULL, SLOTS },
		{ "rotate", required_argument, NULL, ROTATE },
		{ "status", required_argument, NULL, STATUS },
		{ "state-offset", required_argument, NULL, OFFSET },
		{ "cwsr", required_argument, NULL, CWSR },
		{ "control", required_argument, NULL, CONTROL },
		{ "fault", required_argument, NULL, FAULT },
		{ "param", required_argument, NULL, PARAM },
		{ "clock", required_argument, NULL, CLOCK },
		{ "help", no_argument, NULL, HELP },
		{ NULL, 0, NULL, 0 },
	};
	struct gpu_config *c = &gpu.cfg;
	const char *socket = NULL;
	int o, clock_fd = -1;

	*control = NULL;

	while ((o = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (o) {
		case SOCKET:
			socket = optarg;
			break;
		case LOG:
			c->log_path = optarg;
			break;
		case ASIC:
			c->asic = asic_number(optarg);
			break;
		case REVISION:
			c->revision = number("revision", optarg, 0, 1);
			break;
		case XCCS:
			c->xccs = number("xccs", optarg, 1, XCCS_MAX);
			break;
		case ENGINES:
			c->engines = number("engines", optarg, 1, ENGINES_MAX);
			break;
		case CUS:
			c->cus_per_engine = number("cus-per-engine", optarg, 1, ENGINE_CUS_MAX);
			break;
		case INACTIVE:
			c->inactive_cus = number("inactive-cus", optarg, 0, ENGINES_MAX);
			break;
		case VRAM:
			c->vram_mb = number("vram-mb", optarg, 256, MAX_VRAM_MB);
			if (c->vram_mb & (c->vram_mb - 1)) {
				fprintf(stderr, "gpu-model: --vram-mb %s: not a power of two\n", optarg);
				exit(2);
			}
			break;
		case WORKERS:
			c->workers = number("workers", optarg, 1, MAX_WORKERS);
			break;
		case RPTR:
			c->rptr_at_fetch = !ONE_OF("rptr-at", optarg, "fetch", "launch");
			break;
		case CONNECT:
			c->connect = ONE_OF("connect", optarg, "all", "pipe", "strict");
			break;
		case SLOTS:
			c->pack_slots = ONE_OF("slots", optarg, "spread", "pack");
			break;
		case ROTATE:
			c->rotate_all = ONE_OF("rotate", optarg, "need", "all");
			break;
		case STATUS:
			c->status = ONE_OF("status", optarg, "queues", "busy", "waves");
			break;
		case OFFSET:
			c->offset_stays = ONE_OF("state-offset", optarg, "unmap", "save");
			break;
		case CWSR:
			c->cwsr = ONE_OF("cwsr", optarg, "native", "handler", "mixed");
			break;
		case CONTROL:
			*control = optarg;
			break;
		case FAULT:
			arm_fault(optarg);
			break;
		case PARAM:
			set_param(optarg);
			break;
		case CLOCK:
			clock_fd = number("clock", optarg, 0, INT_MAX);
			break;
		case HELP:
			print_usage(stdout);
			exit(0);
		default:
			fprintf(stderr, "gpu-model: see --help\n");
			exit(2);
		}
	}
	if (optind < argc) {
		fprintf(stderr, "gpu-model: '%s' is not an option, see --help\n", argv[optind]);
		exit(2);
	}
	if (!socket) {
		fprintf(stderr, "gpu-model: --socket is missing, see --help\n");
		exit(2);
	}
	check_size(c);
	share_clock(clock_fd);
	return socket;
}

static void on_signal(int sig)
{
	(void)sig;
	alarm(STOP_S);		/* ends what hangs */
	vfio_user_stop(&gpu);
}

static int start(void)
{
	const char *failed;
	int err = blocks_start(&gpu, &failed);

	if (err) {
		fprintf(stderr, "gpu-model: %s: %s\n", failed, strerror(-err));
		return err;
	}
	return clock_start() || control_start(&gpu);
}

static void stop(void)
{
	control_stop(&gpu);
	clock_stop();
	blocks_stop(&gpu);
	log_close();
	vfio_user_free(&gpu);
}

int main(int argc, char **argv)
{
	static const char *const connect[] = { "", " connect=pipe", " connect=strict" };
	static const char *const status[] = { "", " status=busy", " status=waves" };
	struct sigaction sa = { .sa_handler = on_signal };
	sigset_t stops;
	pid_t parent = getppid();
	const char *socket, *control;
	int err;

	if (argc > 1 && !strcmp(argv[1], "exec"))
		return exec_main(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "isa"))
		return isa_doc_main();
	if (argc > 1 && !strcmp(argv[1], "params")) {
		params_print();
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "control"))
		return control_main(argc - 1, argv + 1);
	socket = parse(argc, argv, &control);

	/* Ended before it serves, it ends as it does then, and leaves nothing. */
	sigemptyset(&stops);
	sigaddset(&stops, SIGTERM);
	sigaddset(&stops, SIGINT);
	sigprocmask(SIG_BLOCK, &stops, NULL);
	/* Never outlive whoever started us, also when it is killed. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		return 1;
	if (gpu.cfg.log_path) {
		err = log_open(gpu.cfg.log_path);
		if (err) {
			fprintf(stderr, "gpu-model: event log '%s': %s\n", gpu.cfg.log_path,
				strerror(-err));
			return 1;
		}
	}
	/* The ways of firmware that are not documented, where they are not the default ones. */
	log_event("start", "asic=%s xccs=%u engines=%u cus_per_engine=%u inactive_cus=%u"
		  " vram_mb=%u workers=%u rptr_at=%s%s%s%s%s%s", asics[gpu.cfg.asic]->name, gpu.cfg.xccs,
		  gpu.cfg.engines, gpu.cfg.cus_per_engine, gpu.cfg.inactive_cus, gpu.cfg.vram_mb,
		  gpu.cfg.workers, gpu.cfg.rptr_at_fetch ? "fetch" : "launch",
		  connect[gpu.cfg.connect], gpu.cfg.pack_slots ? " slots=pack" : "",
		  gpu.cfg.rotate_all ? " rotate=all" : "", status[gpu.cfg.status],
		  gpu.cfg.offset_stays ? " state_offset=save" : "");
	params_log();
	pthread_mutex_init(&gpu.mec_lock, NULL);
	pthread_cond_init(&gpu.copied, NULL);
	/* Who sees the device's socket finds the control's there, too. */
	if (control && control_listen(&gpu, control))
		return 1;
	if (vfio_user_listen(&gpu, socket) || start()) {
		control_stop(&gpu);
		vfio_user_free(&gpu);
		return 1;
	}
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGINT, &sa, NULL);
	sigprocmask(SIG_UNBLOCK, &stops, NULL);
	err = vfio_user_serve(&gpu);
	if (err)
		fprintf(stderr, "gpu-model: connection lost: %s\n", strerror(-err));
	stop();
	return err ? 1 : 0;
}
