# SPDX-License-Identifier: GPL-2.0
# GPREEMPT: what the project can be told to do. Everything is done by scripts/bench.

# The version of Linux: 6.12 or 7.3
export BASE ?= 6.12
# Of check-random: with so many each policy makes more than a million scans
SEEDS ?= 700
MODEL := tools/testing/gpu-model

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1|/p' $(MAKEFILE_LIST) | \
		awk -F'|' '{ printf "  make %-14s %s\n", $$1, $$2 }'

demo: kernel ## [ASIC=mi300x|gfx1100] [FULL=1]: preempt a wave on the modelled GPU and measure it, from a bare machine
	@scripts/bench demo $(if $(ASIC),--asic $(ASIC)) $(if $(FULL),--size full)

check: ## every test, from a bare machine; ends with "N passed, N failed, N skipped"
	@scripts/bench setup
	@scripts/bench check

apply: ## TREE=path [PART=core]: patch a kernel tree, with all parts or up to one
	@scripts/bench apply $(if $(TREE),'$(TREE)',$(error apply needs TREE=path)) $(PART)

series: ## OUT=dir [BASE=6.12] [PART=core] [SIGNOFF='Name <mail>'] [REROLL=2]: the mailable patch series, or a part of it
	@scripts/bench series $(if $(OUT),'$(OUT)',$(error series needs OUT=dir)) $(if $(PART),--part $(PART)) \
		$(if $(SIGNOFF),--signoff '$(SIGNOFF)') $(if $(REROLL),-v $(REROLL))

kernel: ## build what the guest needs: kernel, modules, initramfs, the GPU model
	@scripts/bench kernel

shell: kernel ## a shell in a guest with the GPU
	@scripts/bench guest --name shell --shell

lint: ## checkpatch, sparse, W=1 with gcc and clang, kernel-doc, shellcheck
	@scripts/bench lint

check-metrics: ## gpreempt metrics with Debian's prometheus, node exporter and promtool, no GPU
	@scripts/bench check-metrics

deb: ## Debian packages, the driver's for DKMS among them: out/deb
	@scripts/bench deb

check-deb: ## the packages in a root of Debian, and its own kernel with them in the guest
	@scripts/bench check-deb

check-containers: ## levels of containers by Debian's runc, podman and containerd, in the guest
	@scripts/bench check-containers

check-slurm: ## levels of jobs by Debian's munge and Slurm, with the SPANK plugin, in the guest
	@scripts/bench check-slurm

check-series: ## every patch of the series builds by itself, with gcc and clang; each part boots and passes its tests
	@scripts/bench check-series

check-proof: ## [QUEUES=4]: prove what select promises, with CBMC, and find what is broken on purpose
	@scripts/bench check-proof

check-random: ## [SEEDS=700]: machines drawn at random, by each policy and by one that returns nonsense
	@mkdir -p out/build/random-$(SEEDS)
	@$(MAKE) -s -C scripts/testbench/pure O='$(CURDIR)/out/build/random-$(SEEDS)' SAN= \
		CFLAGS='-O2 -DSIM_SEEDS=$(SEEDS)' check

check-mutants: ## [GUEST=1] [NUMBER=300] [SEED=1]: do the tests find mistakes in the pure rooms, or in all?
	@scripts/bench check-mutants $(if $(GUEST),--guest) $(if $(NUMBER),--number $(NUMBER)) $(if $(SEED),--seed $(SEED))

check-debug: ## the tests on a kernel with lockdep, KASAN, UBSAN, kmemleak, failing allocations
	@KERNEL=debug scripts/bench check

check-kcsan: ## the tests on a kernel that looks for data races in amdkfd
	@KERNEL=kcsan scripts/bench check

check-cov: ## the tests on a kernel that counts the lines it runs: out/check/coverage.txt
	@mkdir -p out/check
	@KERNEL=cov scripts/bench check; status=$$?; \
	scripts/bench coverage out/check-cov out/guest-cov >out/check/coverage.txt || status=1; \
	tail -n 1 out/check/coverage.txt; exit $$status

bench: kernel ## [SHORT=1] [SENSITIVITY=1] [CORNERS=1] [ASIC=mi300x] [FULL=1]: HIGH beside LOW with GPREEMPT and by other means
	@scripts/bench benchmark $(if $(SHORT),--short) $(if $(SENSITIVITY),--sensitivity) $(if $(CORNERS),--corners) $(if $(ASIC),--asic $(ASIC)) \
		$(if $(FULL),--size full --short full)

check-rocm: kernel ## Debian's ROCm in the guest: rocminfo, HIP programs, latency of HIP streams
	@scripts/bench rocm
	@scripts/bench check rocm rocm-mi300x rocm-latency

rocm-suites: kernel ## [SUITES="rocprim rocrand ..."] [SEED=1]: ROCm's own tests while they are preempted, hours
	@scripts/bench rocm-suites $(addprefix --library ,$(SUITES)) $(if $(SEED),--seed $(SEED))

demo-llm: kernel ## llama.cpp's server beside training, both of HIP: is it as if it were alone?
	@scripts/bench demo-llm

demo-idle: kernel ## eight idle processes beside HIGH and LOW: what do they cost?
	@scripts/bench guest --name demo-idle -- /repo/out/build/kselftest/machine/idle_test -r idle.beside_work

check-wide: kernel ## what make check has no time for: variants of the device, a busy host, threads of the model
	@scripts/bench check queue-fetch harm-fetch queue-pipe queue-pipe-fetch queue-rotate harm-pipe harm-rotate \
		shares-pipe shares-rotate control-no-hws disturb-noise demo-engines-fetch demo-dies-fetch demo-loaded \
		fault-gfx1100 model-tsan model-fuzz model-figures virtual-time nvtop rocm-hip-mi300x pure disturb-others \
		exact-late unanswered-gfx1100
	@BASE=7.3 scripts/bench check suspend-never-ends exact-late unanswered-gfx1100

check-storm: kernel ## exact results over 10,000 preemptions; with MES over 100,000, 1 % of them late; 100 never answered
	@scripts/bench check exact-storm exact-late-storm unanswered-storm

soak: kernel ## [PREEMPTIONS=1000000] [MINUTES=N] [SEED=N] [PURE=1] [KERNEL=debug]: a random mixture of work and trouble
	@scripts/bench soak $(if $(PREEMPTIONS),--preemptions $(PREEMPTIONS)) $(if $(MINUTES),--minutes $(MINUTES)) \
		$(if $(SEED),--seed $(SEED)) $(if $(PURE),--pure)

check-hsakmt: kernel ## patches/rocm on Debian's ROCr: do priorities, hints, levels and preemptions arrive?
	@scripts/bench check-hsakmt --rocr

kfdtest: kernel ## AMD's kfdtest on stock, on GPREEMPT built and enabled: out/kfdtest/results.tsv
	@scripts/bench kfdtest

bench-model: ## how fast the GPU model executes code, beside an older one, and by host threads
	@scripts/bench bench-model

fuzz-model: ## [SECONDS=60]: feed the GPU model random input, so long to each of its fuzzers
	@$(MAKE) -s -C $(MODEL) O='$(CURDIR)/out/build/gpu-model-fuzz' fuzz

fuzz-driver: kernel ## [CALLS=10000000] [SEED=N] [KERNEL=debug]: nonsense for the driver's ioctl and sysfs
	@scripts/bench fuzz-driver $(if $(CALLS),--calls $(CALLS)) $(if $(SEED),--seed $(SEED))

clean: ## remove the results; the caches stay
	rm -rf out

.PHONY: help demo check apply series kernel shell lint check-metrics check-deb check-containers check-slurm \
	check-series check-proof \
	check-mutants check-random check-debug check-kcsan check-cov deb bench check-rocm \
	check-wide check-storm check-hsakmt rocm-suites demo-llm demo-idle soak \
	kfdtest bench-model fuzz-model fuzz-driver clean
