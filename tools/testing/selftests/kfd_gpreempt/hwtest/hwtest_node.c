// SPDX-License-Identifier: GPL-2.0
/* What gpreempt-hwtest reads: may it run here, what is here, what does the kernel say? */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/utsname.h>

#include "file.h"
#include "hwtest.h"

/* How long a reset may take, at most. */
#define RESET_MS	60000

/* A small file's first line; "" if there is none. */
static const char *line_of(const char *path, char *text, size_t size)
{
	if (file_read(path, text, size))
		text[0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return text;
}

/* ---- may it run here? ---- */

/* Of the first GPU in the topology, whatever it is; 0: none. */
static unsigned int first_gfx_version(void)
{
	unsigned int n, version = 0;

	for (n = 0; !version && n < 64; n++)
		version = kfd_property(n, "gfx_target_version");
	return version;
}

/* 90010 is gfx90a */
static void isa_name(unsigned int version, char *name, size_t size)
{
	snprintf(name, size, "gfx%u%u%x", version / 10000, version / 100 % 100, version % 100);
}

/* Why it cannot run at all; NULL if it can. */
const char *refuse_gpu(char *why, size_t size)
{
	char isa[16], state[16], unsupported[128] = "";
	unsigned int node;
	__u32 gpu_id;
	int ret;

	isa_name(first_gfx_version(), isa, sizeof(isa));
	/* For gfx1100 there are kernels, but nothing here was made for it. */
	if (kfd_find_gpu(&gpu_id, &node) ||
	    kfd_property(node, "gfx_target_version") >= 100000) {
		if (first_gfx_version())
			snprintf(why, size, "no GPU that there are kernels for (gfx900 to gfx942): "
				 "the first here is %s", isa);
		else
			snprintf(why, size, "KFD has no GPU here: is amdgpu loaded?");
		return why;
	}
	ret = gpreempt_read("state", state, sizeof(state));
	gpreempt_read("unsupported", unsupported, sizeof(unsupported));
	if (ret)
		snprintf(why, size, "no GPREEMPT in this kernel, or in this amdgpu");
	else if (geteuid())
		snprintf(why, size, "it sets GPREEMPT's files in sysfs: root is needed");
	else if (unsupported[0])
		snprintf(why, size, "GPREEMPT cannot be enabled on this %s: %s", isa, unsupported);
	else if (!strcmp(state, "bypassed"))
		snprintf(why, size,
			 "GPREEMPT has given up on this node before: see stats/bypass_reason");
	else
		return NULL;
	return why;
}

/* A display that is connected to the GPU. */
static bool drives_display(const char *pci, char *why, size_t size)
{
	char pattern[128], text[32];
	glob_t found = {};
	bool drives = false;
	unsigned int i;

	snprintf(pattern, sizeof(pattern), "/sys/bus/pci/devices/%s/drm/card*/card*-*/status",
		 pci);
	glob(pattern, 0, NULL, &found);
	for (i = 0; !drives && i < found.gl_pathc; i++) {
		drives = !strcmp(line_of(found.gl_pathv[i], text, sizeof(text)), "connected");
		if (drives)
			snprintf(why, size, "the GPU drives a display (%s); see --force",
				 strstr(found.gl_pathv[i], "/drm/") + strlen("/drm/"));
	}
	globfree(&found);
	return drives;
}

/* Who else has the GPU's device open; 0: nobody. */
static pid_t other_user(const char *render)
{
	glob_t found = {};
	char target[64];
	pid_t pid = 0, p;
	unsigned int i;
	ssize_t n;

	glob("/proc/[0-9]*/fd/*", 0, NULL, &found);
	for (i = 0; !pid && i < found.gl_pathc; i++) {
		n = readlink(found.gl_pathv[i], target, sizeof(target) - 1);
		target[n < 0 ? 0 : n] = '\0';
		p = atoi(found.gl_pathv[i] + strlen("/proc/"));
		if (p != getpid() && !strcmp(target, render))
			pid = p;
	}
	globfree(&found);
	return pid;
}

/* Why it should not run: others have the GPU; NULL if they do not. */
const char *refuse_busy(char *why, size_t size)
{
	char pci[64], render[32], path[64], comm[32];
	unsigned int node;
	__u32 gpu_id;
	pid_t pid;

	if (kfd_find_gpu(&gpu_id, &node) || kfd_pci_address(pci, sizeof(pci)))
		return NULL;
	if (drives_display(pci, why, size))
		return why;
	snprintf(render, sizeof(render), "/dev/dri/renderD%llu",
		 kfd_property(node, "drm_render_minor"));
	pid = other_user(render);
	if (!pid)
		return NULL;
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	snprintf(why, size, "process %d (%s) uses the GPU; see --force", pid,
		 line_of(path, comm, sizeof(comm)));
	return why;
}

/* ---- what is here ---- */

/* Of the GPU's PCI device; no serial number, no unique id. */
static const struct {
	const char *name, *file;
} device_files[] = {
	{ "pci_device", "device" }, { "pci_revision", "revision" },
	{ "product", "product_name" }, { "vbios", "vbios_version" },
	{ "link_speed", "current_link_speed" }, { "link_width", "current_link_width" },
	{ "firmware_mec", "fw_version/mec_fw_version" },
	{ "firmware_mec2", "fw_version/mec2_fw_version" },
	{ "firmware_rlc", "fw_version/rlc_fw_version" },
	{ "firmware_sdma", "fw_version/sdma_fw_version" },
	{ "firmware_smc", "fw_version/smc_fw_version" },
	{ "vram_bytes", "mem_info_vram_total" },
};

static const char *const properties[] = {
	"simd_count", "simd_per_cu", "array_count", "simd_arrays_per_engine", "num_xcc",
	"max_waves_per_simd", "lds_size_in_kb", "max_engine_clk_fcompute", "fw_version",
	"num_cp_queues", "cwsr_size", "ctl_stack_size",
};

/* Parameters of amdgpu that change what is measured. */
static const char *const parameters[] = {
	"sched_policy", "cwsr_enable", "gpreempt_untested", "hws_max_conc_proc",
	"queue_preemption_timeout_ms", "gpu_recovery", "reset_method", "noretry",
};

static void read_files(struct report *r, const char *pci)
{
	char path[128], text[64];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(device_files); i++) {
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/%s", pci,
			 device_files[i].file);
		if (*line_of(path, text, sizeof(text)))
			report_text(r, device_files[i].name, "%s", text);
	}
	for (i = 0; i < ARRAY_SIZE(parameters); i++) {
		snprintf(path, sizeof(path), "/sys/module/amdgpu/parameters/%s", parameters[i]);
		if (*line_of(path, text, sizeof(text)))
			report_text(r, parameters[i], "%s", text);
	}
}

int step_read(struct hwtest *t)
{
	char isa[16], pci[64], backend[16] = "";
	struct report *r = t->report;
	struct utsname kernel;
	unsigned int node, i;
	__u32 gpu_id;
	int ret;

	ret = kfd_find_gpu(&gpu_id, &node) ?: kfd_pci_address(pci, sizeof(pci));
	ret = ret ?: gpreempt_read("backend", backend, sizeof(backend));
	if (ret)
		return must(t, ret, "read the node");
	uname(&kernel);
	isa_name(kfd_property(node, "gfx_target_version"), isa, sizeof(isa));
	report_text(r, "isa", "%s", isa);
	report_text(r, "kernel", "%s %s", kernel.release, kernel.machine);
	report_text(r, "backend", "%s", backend);
	for (i = 0; i < ARRAY_SIZE(properties); i++)
		report_figure(r, properties[i], kfd_property(node, properties[i]));
	read_files(r, pci);
	report_says(r, "%s, back end %s, MEC firmware %llu, Linux %s", isa, backend,
		    kfd_property(node, "fw_version"), kernel.release);
	return 0;
}

/* ---- what the kernel says ---- */

int kernel_log_open(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		lseek(fd, 0, SEEK_END);
	return fd;
}

/* More of its lines that are about the GPU; the last ones stay. */
static void kernel_log_read(int fd, struct report *r)
{
	char record[1024], *text;
	ssize_t n;

	/* EPIPE: some were lost, others follow */
	while (fd >= 0 && ((n = read(fd, record, sizeof(record) - 1)) > 0 || errno == EPIPE)) {
		record[n < 0 ? 0 : n] = '\0';
		text = strchr(record, ';');
		if (!text || !(strstr(text, "amdgpu") || strstr(text, "kfd")))
			continue;
		text[strcspn(text, "\n")] = '\0';
		if (r->lines == REPORT_LINES)
			memmove(r->line, r->line + 1, sizeof(r->line) - sizeof(r->line[0]));
		else
			r->lines++;
		snprintf(r->line[r->lines - 1], sizeof(r->line[0]), "%s", text + 1);
	}
}

/* Has a reset of this GPU begun, and not of another one; has it ended? */
static bool reset_begun(const struct report *r, const char *pci, bool *ended)
{
	bool begun = false;
	unsigned int i;

	*ended = true;
	for (i = 0; i < r->lines; i++) {
		if (!strstr(r->line[i], pci))
			continue;
		if (strstr(r->line[i], "GPU reset begin")) {
			begun = true;
			*ended = false;
		} else if (strstr(r->line[i], "GPU reset(")) {
			*ended = true;
		}
	}
	return begun;
}

bool kernel_log_reset(int fd, struct report *r)
{
	__u64 end = kfd_now() + RESET_MS * 1000000ULL;
	char pci[64] = "";
	bool begun, ended;

	/* without its address any reset may be its own */
	kfd_pci_address(pci, sizeof(pci));
	for (;;) {
		kernel_log_read(fd, r);
		begun = reset_begun(r, pci, &ended);
		if (ended || kfd_now() > end)
			return begun;
		usleep(10000);
	}
}
