# SPDX-License-Identifier: GPL-2.0
"""What the kernel's own checkers report, found in a console log.

A report is its first line and what belongs to it, up to the mark that ends it.
"""
import bisect
import re
from dataclasses import dataclass

# The first line of a report, by who writes it. What a debug kernel can say is
# in lib/Kconfig.debug; each pattern has an example in test_splats.py.
TITLES = {
    "memory access": r"BUG: KASAN: ",
    "data race": r"BUG: KCSAN: ",
    "undefined behaviour": r"UBSAN: ",
    "slab": r"BUG [^ :]+ \(.*\): ",
    "bug": r"BUG: |kernel BUG at |Oops: |general protection fault",
    # WARN_ON(), and all that lockdep and RCU find
    "warning": r"WARNING: ",
    "lockdep off": r"turning off the locking correctness validator|INFO: lockdep is turned off|"
                   r"INFO: trying to register non-static key",
    "list": r"list_(add|del) corruption",
    "object": r"ODEBUG: ",
    "stall": r"INFO: task .* blocked for more than|rcu: INFO: |soft lockup|hard LOCKUP",
    "panic": r"Kernel panic",
    # what none of these announced
    "trace": r"Call Trace:",
}
TITLE = re.compile("|".join(f"(?P<t{n}>{p})" for n, p in enumerate(TITLES.values())))
STAMP = re.compile(r"^\[ *\d+\.\d+\](?:\[ *[CT]\d+\])? ?")
END = re.compile(r"---\[ end |^={20,}$|^-{20,}$|^ *</TASK>$")
LONGEST = 120


@dataclass(frozen=True)
class Known:
    """What stock amdgpu is reported for as well, on kernels, in the suites that do such things."""
    name: str
    kernels: frozenset
    suites: frozenset
    pattern: str


# The suite "known" shows each of these on the stock module.
KNOWN = (
    Known("checkpoint: topology_lock inside the DQM lock",
          frozenset({"debug"}), frozenset({"known", "coexist", "selftests-mi300x-2"}),
          r"circular locking dependency.*kfd_topology_device_by_id.*get_queue_checkpoint_info"),
    Known("unbind: a process's buffers outlive KFD's DRM client", frozenset({"debug"}),
          frozenset({"known", "unbind"}),
          r"KASAN: slab-use-after-free.*drm_gem_handle_delete.*"
          r"kfd_process_free_outstanding_kfd_bos|"
          # seldom, the DRM device goes first
          r"WARNING: [^\n]* amdgpu_preempt_mgr_fini\+.*amdgpu_driver_release_kms"),
    Known("unbind: amdgpu does not free all that it allocated when it was probed",
          frozenset({"debug"}), frozenset({"known", "unbind", "unload"}),
          r"unreferenced object.*(amdgpu_ras_register_ras_block|amdgpu_fence_driver_init_ring|"
          r"drm_sched_init|kfd_parse_crat_table)\+.*amdgpu_device_init"),
    Known("partition: amdkfd does not free all that it allocated for a node that goes",
          frozenset({"debug"}), frozenset({"known", "partition"}),
          r"unreferenced object.*kfd_parse_crat_table\+.*(amdgpu_device_init|switch_partition_mode)"),
    Known("topology: amdkfd completes a node's properties in place whenever they are read",
          frozenset({"kcsan"}), frozenset({"known", "selftests-gpus", "control-tenants", "suspend"}),
          r"data-race in node_show \[amdgpu\] / node_show \[amdgpu\]"),
    # It counts the process as restored all the same, and tries again. soak knows when that may be.
    Known("evicted: a process whose restore failed in a hang is restored twice",
          frozenset({"", "debug"}), frozenset({"known", "soak"}),
          r"WARNING: [^\n]* restore_process_queues_cpsch\+.*restore_process_worker"),
    # A process that executes a program while another one keeps its memory. sysfs says so, and goes on.
    Known("executed: two of KFD's processes have one pid, and want folders of one name",
          frozenset({"", "debug", "kcsan"}), frozenset({"known", "stock"}),
          r"sysfs_warn_dup\+[^\n]*\n *sysfs_create_dir_ns\+[^\n]*\n *kobject_add_internal\+[^\n]*\n"
          r" *kobject_init_and_add\+[^\n]*\n(?: *\?[^\n]*\n)* *kfd_create_process"),
)
OURS = re.compile("gpreempt", re.I)
NUMBER = re.compile(r"0x[0-9a-f]+|\d+")
# A function in a backtrace; one behind a question mark is a guess of the kernel's.
FUNCTION = re.compile(r"^(?!\s*\?).*?\b(\w+)\+0x[0-9a-f]+(?:/0x[0-9a-f]+)?"
                      r"(?P<ours> \[(?:amdgpu|unloaded)\])?", re.M)
LEAK = re.compile(r"^unreferenced object 0x")
NAMELESS = re.compile(r"^ +0x([0-9a-f]+)$", re.M)


@dataclass
class Report:
    kind: str
    text: str

    @property
    def title(self):
        return self.text.partition("\n")[0]

    @property
    def ours(self):
        """It names what is GPREEMPT's."""
        return bool(OURS.search(self.text))

    @property
    def likeness(self):
        """
        What two reports of one fault have in common, in a line: the title without its numbers, and
        the innermost function of amdgpu's, or of any. Of two functions that race the title has both.
        """
        title = NUMBER.sub("#", self.title)
        found = [] if self.kind == "data race" else list(FUNCTION.finditer(self.text))
        inner = next((m for m in found if m["ours"]), found[0] if found else None)
        return f"{title}: {inner[1]}" if inner else title

    def known(self, kernel, suite):
        """The name of its entry in KNOWN, or None: then it is a failure. What is ours has none."""
        if self.ours:
            return None
        return next((k.name for k in KNOWN if kernel in k.kernels and suite in k.suites
                     and re.search(k.pattern, self.text, re.S)), None)


def kind_of(line):
    """Which checker's report begins with this line, or None."""
    m = TITLE.search(line)
    return list(TITLES)[int(m.lastgroup[1:])] if m else None


def reports(console):
    """The reports in the text of a console, in order."""
    found, body = [], None
    for line in console.splitlines():
        line = STAMP.sub("", line.rstrip())
        if body is not None and len(body) < LONGEST:
            body.append(line)
            # The rule after a title opens the report, another one ends it.
            if END.search(line) and len(body) > 3:
                found[-1].text = "\n".join(body)
                body = None
            continue
        if body is not None:
            found[-1].text = "\n".join(body)
            body = None
        kind = kind_of(line)
        if kind:
            found.append(Report(kind, line))
            body = [line]
    if body:
        found[-1].text = "\n".join(body)
    return found


def leaks(text):
    """The objects that kmemleak lists (debugfs: kmemleak)."""
    found = []
    for line in text.splitlines():
        if LEAK.match(line):
            found.append(Report("leak", line))
        elif found:
            found[-1].text += "\n" + line
    return found


def named(text, kallsyms):
    """kmemleak's list with the names of functions of a module that is unloaded since."""
    symbols = sorted((int(line.split()[0], 16), line.split()[2]) for line in kallsyms.splitlines())

    def name(match):
        address = int(match[1], 16)
        n = bisect.bisect(symbols, (address, "~")) - 1
        if n < 0:
            return match[0]
        start, function = symbols[n]
        return f"    {function}+{address - start:#x} [unloaded]"

    return NAMELESS.sub(name, text)


def of_guest(out):
    """Both, of the guest whose results are in a folder; init leaves kmemleak's list."""
    console, left, kallsyms = out / "console.log", out / "kmemleak", out / "kallsyms"
    text = left.read_text(errors="replace") if left.exists() else ""
    if kallsyms.exists():
        text = named(text, kallsyms.read_text())
    return reports(console.read_text(errors="replace")) + leaks(text)


def beyond(found, stock):
    """What is not like a report of stock's, which stand in a file; and what is ours, which never is."""
    like = set(stock.read_text().splitlines()) if stock.exists() else set()
    return [r for r in found if r.ours or r.likeness not in like]
