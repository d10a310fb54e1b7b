# SPDX-License-Identifier: GPL-2.0
"""QEMU's command line, and its clock."""
import subprocess

from testbench.guest.process import die_with_parent
from testbench.paths import BUILD, QEMU

PLUGIN = BUILD / "gpu-model" / "vtime.so"

# What brings amdgpu up without the parts that the model does not have: power
# management, video, display and audio (IP blocks 5 and up), the PSP.
AMDGPU = ("fw_load_type=0 ip_block_mask=0x1f dpm=0 ras_enable=0 audio=0 "
          "discovery=0").split()
# Besides, in real time, where a busy host may not run a model for a tenth of a second, which
# is how long amdgpu waits for a GPU: for one that is emulated it waits ten times as long.
EMULATED = ["emu_mode=1"]


def clock_trouble():
    """Why this QEMU cannot share its clock, or None: it is asked to begin, and to quit."""
    done = subprocess.run(
        [QEMU, "-M", "pc", "-S", "-nodefaults", "-no-user-config", "-display", "none",
         "-accel", "tcg,thread=single", "-icount", "shift=0,sleep=off",
         "-plugin", PLUGIN, "-qmp", "stdio"],
        input='{"execute":"qmp_capabilities"}{"execute":"quit"}', stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True, errors="replace", check=False,
        preexec_fn=die_with_parent)
    if not done.returncode:
        return None
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    return lines[0] if lines else f"it ended with status {done.returncode}"


def clock_options(args, models):
    """QEMU's options for the clock of the guest, which is the models', too."""
    if args.real_time:
        return ["-accel", "tcg,thread=multi"]
    clocks = ":".join(str(model.clock) for model in models)
    return ["-accel", "tcg,thread=single", "-icount", f"shift={args.shift},sleep=off",
            "-rtc", "clock=vm,base=2026-01-01", "-seed", str(args.seed),
            "-plugin", f"{PLUGIN},quantum={round(args.quantum_us * 1000)},limit={args.timeout}"
            + (f",clocks={clocks}" if clocks else "")
            + "".join(f",control={model.control}" for model in models)]


def qemu_command(args, out, guest, root, models, monitor):
    load = models and not (args.no_load or args.module == "none")
    append = ["console=ttyS0", "panic=-1", "oops=panic", "loglevel=7", "kunit.enable=0",
              # A busy host is late with the ticks that this check counts.
              "no_timer_check",
              # Or the second CPU counts its loops for a second, which is wrong beside another.
              "lpj=1000000",
              "maxcpus=1",      # init starts the others
              f"gpreempt.module={args.module}", f"gpreempt.load={int(bool(load))}",
              # To the tests: times count.
              f"gpreempt.figures={int(not (args.real_time or args.kernel))}",
              *("amdgpu." + a for a in AMDGPU + EMULATED * args.real_time), args.append]
    ninep = "local,security_model=none,multidevs=remap"
    command = [
        QEMU, "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none",
        "-chardev", f"socket,id=qmp,fd={monitor}", "-mon", "chardev=qmp,mode=control",
        # With mon: Ctrl-C reaches the guest's shell; Ctrl-A X ends it.
        "-serial", "mon:stdio" if args.shell else "stdio",
        "-m", str(args.memory), "-smp", str(args.cpus),
        "-object", f"memory-backend-memfd,id=ram,size={args.memory}M,share=on",
        "-M", "q35,memory-backend=ram",
        # Emulated: inside a virtual machine /dev/kvm often cannot run a guest.
        *clock_options(args, models),
        # A hypervisor bit would make amdgpu believe in a passed-through device.
        "-cpu", "qemu64,-hypervisor",
        "-kernel", guest / "bzImage", "-initrd", f"/proc/self/fd/{root}",
        "-append", " ".join(append),
        "-virtfs", f"{ninep},path={out},mount_tag=out",
        # What is written to a port is written before the guest goes on.
        "-device", "virtio-serial-pci,ioeventfd=off",
        "-chardev", f"file,id=output,path={out / 'output'}",
        "-device", "virtserialport,chardev=output,name=output",
    ]
    if args.root:
        command += ["-virtfs", f"{ninep},path={args.root.resolve()},mount_tag=root,readonly=on"]
    for model in models:
        command += model.devices()
    return command
