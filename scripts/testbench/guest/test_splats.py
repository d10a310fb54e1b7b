# SPDX-License-Identifier: GPL-2.0
"""Tests that the reports of the kernel's checkers are found: one of each kind."""
import itertools
import unittest

from testbench import suites
from testbench.guest import splats

KASAN = """\
[   12.000001] ==================================================================
[   12.000002] BUG: KASAN: slab-use-after-free in kfd_gpreempt_wake+0x1f/0x90 [amdgpu]
[   12.000003] Write of size 1 at addr ffff888107c3a0d8 by task gpreempt/0/91
[   12.000004] Call Trace:
[   12.000005]  <TASK>
[   12.000006]  dump_stack_lvl+0x5d/0x80
[   12.000007]  </TASK>
[   12.000008] ==================================================================
"""
LOCKDEP = """\
[   13.000001][  T91] ======================================================
[   13.000002][  T91] WARNING: possible circular locking dependency detected
[   13.000003][  T91] 6.12.107 #1 Not tainted
[   13.000004][  T91] ------------------------------------------------------
[   13.000005][  T91] gpreempt/0/91 is trying to acquire lock:
[   13.000006][  T91] ffff8881 (&dqm->lock_hidden){+.+.}-{3:3}, at: kfd_gpreempt_commit+0x1
[   13.000007][  T91] Call Trace:
[   13.000008][  T91]  </TASK>
"""
WARN = """\
[   14.000001] ------------[ cut here ]------------
[   14.000002] WARNING: CPU: 1 PID: 91 at drivers/gpu/drm/amd/amdkfd/gpreempt/run/node.c:12 x+0x1/0x2
[   14.000003] Modules linked in: amdgpu
[   14.000004] Call Trace:
[   14.000005] ---[ end trace 0000000000000000 ]---
"""
QUIET = """\
[    0.000000] Linux version 6.12.107 (gpreempt@gpreempt)
[    0.000000] Kernel command line: console=ttyS0 panic=-1 oops=panic
[    1.000000] amdgpu 0000:00:03.0: amdgpu: Fetched VBIOS from ROM BAR
[    1.000000] kmemleak: Kernel memory leak detector initialized
[    1.000000] Lock dependency validator: Copyright (c) 2006 Red Hat, Inc.
[    1.000000] kasan: KernelAddressSanitizer initialized (generic)
"""
LEAKS = """\
unreferenced object 0xffff888107c3a000 (size 64):
  comm "cat", pid 91, jiffies 4294701234
  backtrace (crc 4d2f0b1a):
    [<00000000a1b2c3d4>] kfd_gpreempt_queue_init+0x60/0x200
unreferenced object 0xffff888107c3b000 (size 128):
  comm "cat", pid 91, jiffies 4294701235
"""
ONE_LINE = {
    "data race": "BUG: KCSAN: data-race in kfd_gpreempt_wake / kfd_gpreempt_monitor",
    "undefined behaviour": "UBSAN: array-index-out-of-bounds in drivers/gpu/x.c:5:1",
    "slab": "BUG kmalloc-64 (Not tainted): Right Redzone overwritten",
    "bug": "BUG: sleeping function called from invalid context at kernel/locking/mutex.c:585",
    "warning": "WARNING: suspicious RCU usage",
    "lockdep off": "INFO: trying to register non-static key.",
    "list": "list_add corruption. prev->next should be next (ffff), but was 0000.",
    "object": "ODEBUG: free active (active state 0) object: ffff object type: timer_list",
    "stall": "INFO: task gpreempt/0:91 blocked for more than 122 seconds.",
    "panic": "Kernel panic - not syncing: Fatal exception",
    "trace": "Call Trace:",
    "memory access": "BUG: KASAN: null-ptr-deref in x+0x1/0x2",
}


CHECKPOINT = """\
[   13.000001] WARNING: possible circular locking dependency detected
[   13.000002] 6.12.107 #1 Not tainted
[   13.000003] ------------------------------------------------------
[   13.000004] criu_test/118 is trying to acquire lock:
[   13.000005] ffffffffc0a8 (&topology_lock){++++}-{3:3}, at: kfd_topology_device_by_id+0x14/0x60
[   13.000006] Call Trace:
[   13.000007]  kfd_topology_device_by_id+0x14/0x60 [amdgpu]
[   13.000008]  get_queue_checkpoint_info+0x135/0x180 [amdgpu]
[   13.000009]  </TASK>
"""


class Reports(unittest.TestCase):
    def kinds(self, text):
        return [r.kind for r in splats.reports(text)]

    def test_a_report_counts_once(self):
        for text, kind in (KASAN, "memory access"), (LOCKDEP, "warning"), (WARN, "warning"):
            self.assertEqual(self.kinds(text), [kind])

    def test_one_after_another(self):
        self.assertEqual(self.kinds(QUIET + KASAN + QUIET + LOCKDEP + WARN),
                         ["memory access", "warning", "warning"])

    def test_each_kind_of_title(self):
        self.assertEqual(set(ONE_LINE), set(splats.TITLES))
        for kind, line in ONE_LINE.items():
            self.assertEqual(self.kinds(f"[    2.000000] {line}\n"), [kind])

    def test_a_regular_boot_has_none(self):
        self.assertEqual(self.kinds(QUIET), [])

    def test_the_body_belongs_to_the_report(self):
        text = splats.reports(LOCKDEP + QUIET)[0].text
        self.assertIn("lock_hidden", text)
        self.assertNotIn("Linux version", text)

    def test_title_without_the_time(self):
        self.assertTrue(splats.reports(KASAN)[0].title.startswith("BUG: KASAN"))

    def test_leaks(self):
        found = splats.leaks(LEAKS)
        self.assertEqual(len(found), 2)
        self.assertIn("kfd_gpreempt_queue_init", found[0].text)
        self.assertEqual(splats.leaks(""), [])

    def test_names_of_an_unloaded_module(self):
        """What only the addresses tell of is named as it was before: ours is ours, stock's let pass."""
        kallsyms = ("ffffffffc0003000 t kfd_gpreempt_node_init\t[amdgpu]\n"
                    "ffffffffc0001000 T amdgpu_ras_register_ras_block\t[amdgpu]\n"
                    "ffffffffc0002000 t amdgpu_device_init\t[amdgpu]\n")
        list_of = """unreferenced object 0xffff88800b20cc80 (size 32):
  backtrace (crc 4d2f0b1a):
    __kmalloc_cache_noprof+0x1b0/0x2f0
    {}
    0xffffffffc0002a83
"""
        stock, = splats.leaks(splats.named(list_of.format("0xffffffffc0001048"), kallsyms))
        ours, = splats.leaks(splats.named(list_of.format("0xffffffffc0003008"), kallsyms))
        self.assertIn("\n    kfd_gpreempt_node_init+0x8 [unloaded]\n"
                      "    amdgpu_device_init+0xa83 [unloaded]", ours.text)
        self.assertTrue(stock.known("debug", "unload").startswith("unbind"))
        self.assertTrue(ours.ours)
        self.assertIn("0xffffffffc0000fff", splats.named("    0xffffffffc0000fff", kallsyms))


class Likeness(unittest.TestCase):
    """What makes a report like another one."""

    def like(self, *texts):
        return len({(splats.leaks(text) or splats.reports(text))[0].likeness for text in texts}) == 1

    def test_numbers_do_not_count(self):
        self.assertTrue(self.like(KASAN, KASAN.replace("0x1f/0x90", "0x2a/0x91").replace("task gpreempt/0/91", "x")))
        self.assertTrue(self.like(CHECKPOINT, CHECKPOINT.replace("118", "7").replace("0x14/0x60", "0xf/0x5")))

    def test_the_title_counts(self):
        self.assertFalse(self.like(KASAN, KASAN.replace("slab-use-after-free", "slab-out-of-bounds")))
        self.assertFalse(self.like(*(f"{line}\n" for line in ("UBSAN: x in a.c:1", "UBSAN: x in b.c:1"))))

    def test_a_title_that_says_little(self):
        """Then it is where in amdgpu it was, and a guess of the kernel's is no place."""
        for of, function in (CHECKPOINT, "kfd_topology_device_by_id"), \
                (Known.STOCK, "amdgpu_ras_register_ras_block"), \
                ("Call Trace:\n mutex_lock+0x1/0x2\n kfd_a+0x1/0x2 [amdgpu]\n", "kfd_a"), \
                ("Call Trace:\n mutex_lock+0x1/0x2\n", "mutex_lock"):
            self.assertFalse(self.like(of, of.replace(function, "another_function")), function)
        self.assertTrue(self.like("Call Trace:\n ? x+0x1/0x2 [amdgpu]\n a+0x1/0x2 [amdgpu]\n",
                                  "Call Trace:\n ? y+0x1/0x2 [amdgpu]\n a+0x1/0x2 [amdgpu]\n"))
        # who asked for memory, not who gave it
        self.assertTrue(self.like(Known.STOCK, Known.STOCK.replace(
            "32):\n", "64):\n    __kmalloc_cache_noprof+0x1b0/0x2f0\n")))

    def test_two_that_race_in_either_order(self):
        stacks = " {}+0x1/0x2 [amdgpu]\n\nread to 0x1 of 4 bytes by task 2:\n {}+0x1/0x2 [amdgpu]\n"
        self.assertTrue(self.like(Known.READERS + stacks.format("a", "b"),
                                  Known.READERS + stacks.format("b", "a")))


class Known(unittest.TestCase):
    """What is let pass, and where."""
    STOCK = """unreferenced object 0xffff88800b20cc80 (size 32):
    amdgpu_ras_register_ras_block+0x48/0x100 [amdgpu]
    amdgpu_device_init+0x2983/0x4690 [amdgpu]
"""
    LATE = """WARNING: CPU: 1 PID: 35 at include/drm/ttm.h:384 amdgpu_preempt_mgr_fini+0xa1/0xc0
Call Trace:
 amdgpu_ttm_fini+0x118/0x1c0 [amdgpu]
 amdgpu_driver_release_kms+0x11/0x30 [amdgpu]
"""
    READERS = """BUG: KCSAN: data-race in node_show [amdgpu] / node_show [amdgpu]

write to 0xffff888008647840 of 4 bytes by task 201 on cpu 0:
"""
    TWICE = """WARNING: CPU: 0 PID: 25 at drivers/gpu/drm/amd/amdgpu/../amdkfd/kfd_device_queue_manager.c:1337 restore_process_queues_cpsch+0x1fa/0x210 [amdgpu]
Workqueue: kfd_restore_wq restore_process_worker [amdgpu]
Call Trace:
 kfd_process_restore_queues+0x6a/0xb0 [amdgpu]
 restore_process_worker+0x39/0x80 [amdgpu]
"""
    LINK = """unreferenced object 0xffff888011bf4d00 (size 128):
    kfd_parse_crat_table+0x1ff6/0x36c0 [amdgpu]
    aqua_vanjaram_switch_partition_mode+0x4a8/0x720 [amdgpu]
"""
    SAME_NAME = """Call Trace:
 sysfs_warn_dup+0x55/0x70
 sysfs_create_dir_ns+0xac/0xc0
 kobject_add_internal+0x9e/0x270
 kobject_init_and_add+0x7c/0xb0
 ? __mmu_notifier_register+0xda/0x1b0
 kfd_create_process+0x2cc/0xc40 [amdgpu]
"""
    # its beginning, the kernels, a suite it belongs to, and one it does not
    REPORTS = ((CHECKPOINT, "checkpoint", {"debug"}, "coexist", "queue"),
               (STOCK, "unbind", {"debug"}, "unload", "kfd"),
               (LATE, "unbind", {"debug"}, "unbind", "coexist"),
               (LINK, "partition", {"debug"}, "partition", "unbind"),
               (READERS, "topology", {"kcsan"}, "selftests-gpus", "queue"),
               (TWICE, "evicted", {"", "debug"}, "soak", "coexist"),
               (SAME_NAME, "executed", {"", "debug", "kcsan"}, "stock", "coexist"))

    def reports(self):
        for text, name, *where in self.REPORTS:
            found, = splats.leaks(text) or splats.reports(text)
            yield found, name, where

    def test_where_it_belongs(self):
        for found, name, (kernels, suite, _) in self.reports():
            for kernel in kernels:
                self.assertTrue(found.known(kernel, suite).startswith(name))
                self.assertTrue(found.known(kernel, "known").startswith(name))

    def test_in_no_other_suite(self):
        for found, _, (kernels, _, other) in self.reports():
            for kernel, suite in itertools.product(kernels, (other, "")):
                self.assertIsNone(found.known(kernel, suite))

    def test_on_no_other_kernel(self):
        for found, _, (kernels, suite, _) in self.reports():
            for other in {"debug", "kcsan", ""} - kernels:
                self.assertIsNone(found.known(other, suite))

    def test_never_with_ours_in_it(self):
        for found, _, ((kernel, *_), suite, _) in self.reports():
            for line in ("    kfd_gpreempt_init+0x60/0x200 [amdgpu]",
                         "CPU: 0 PID: 91 Comm: gpreempt/0 Not tainted"):
                ours = splats.Report(found.kind, f"{found.text}\n{line}")
                self.assertTrue(ours.ours)
                self.assertIsNone(ours.known(kernel, suite))

    def test_another_report(self):
        self.assertIsNone(splats.reports(LOCKDEP)[0].known("debug", "coexist"))
        text = self.READERS.replace("/ node_show", "/ hws_transact")
        self.assertIsNone(splats.reports(text)[0].known("kcsan", "selftests-gpus"))

    def test_names_of_suites(self):
        for known in splats.KNOWN:
            self.assertIn("known", known.suites)
            for suite in known.suites:
                # what checks itself does not run all that the others run
                self.assertTrue(suites.SUITES[suite].kernels & known.kernels, suite)
