# SPDX-License-Identifier: GPL-2.0
"""The steps of a preemption, of a trace and an event log made up here."""
import unittest
from dataclasses import dataclass

from testbench.demo import steps

US = 1000
# After the submission: the fault, the monitor, the decision, the request, its begin in firmware, the
# end of the grace period, of the save, the answer, the runlist, the first wave. The trace has no
# halves: it is cut off to a microsecond.
AFTER_US = [0, 2.5, 7.5, 15.5, 16.5, 19, 58, 87, 91.5, 103, 108]
TRACE = """\
# tracer: nop
            high-97      [001] .....    10.000002: page_fault_user: address=0x7f ip=0x4 error_code=0x7
          <idle>-0       [000] d..2.    10.000007: sched_switch: prev_comm=swapper/0 ==> next_comm=gpreempt/7
      gpreempt/7-88      [000] .....    10.000015: kfd_gpreempt_scan: gpu_id=7 queues=2 registers=0 ns=8000
      gpreempt/7-88      [000] .....    10.000016: kfd_gpreempt_preempt_begin: gpu_id=7 pid=9 queue=0
      gpreempt/7-88      [000] .....    10.000091: kfd_gpreempt_preempt_end: gpu_id=7 pid=9 queue=0
"""


@dataclass
class Preemption:
    begin: int
    stop: int
    end: int
    runlist: int


def log_time(ns):
    return ns - 9 * 10**9


SUBMITTED = 10**9
TIMES = [SUBMITTED + int(us * US) for us in AFTER_US]


class Steps(unittest.TestCase):
    def setUp(self):
        self.trace = steps.read_trace(TRACE, log_time)
        self.preemption = Preemption(TIMES[5], TIMES[6], TIMES[7], TIMES[9])
        self.waves = {3: TIMES[10]}

    def evaluate(self):
        return steps.evaluate([(3, SUBMITTED)], self.waves, [self.preemption], self.trace)

    def test_each_step_has_its_time(self):
        result = self.evaluate()
        self.assertEqual((1, 1), (result["kernels"], result["of"]))
        for i, (name, _) in enumerate(steps.STEPS):
            self.assertEqual(AFTER_US[i + 1] - AFTER_US[i], result[name]["mean_us"], name)
        self.assertEqual(AFTER_US[-1], result["all"]["longest_us"])

    def test_the_steps_make_up_all(self):
        result = self.evaluate()
        self.assertAlmostEqual(result["all"]["mean_us"],
                               sum(result[name]["mean_us"] for name, _ in steps.STEPS))

    def test_a_kernel_that_lacks_an_event_is_left_out(self):
        for name in vars(self.trace):
            with self.subTest(name):
                self.setUp()
                setattr(self.trace, name, [])
                self.assertEqual(0, self.evaluate()["kernels"])
        self.setUp()
        self.preemption.stop = None
        self.assertEqual(0, self.evaluate()["kernels"])

    def test_a_fault_that_seems_to_come_first_takes_no_time(self):
        kernels = [(3, TIMES[1] + 400)]
        result = steps.evaluate(kernels, self.waves, [self.preemption], self.trace)
        self.assertEqual((0, 4.6), (result["submitted"]["mean_us"], result["faulted"]["mean_us"]))

    def test_nor_is_one_counted_that_does_come_first(self):
        kernels = [(3, TIMES[1] + 2 * US)]
        self.assertEqual(0, steps.evaluate(kernels, self.waves, [self.preemption], self.trace)["kernels"])

    def test_one_without_a_preemption_is_left_out(self):
        self.waves[3] = TIMES[5] - 1
        self.assertEqual(0, self.evaluate()["kernels"])

    def test_the_table_names_each_step(self):
        text = steps.table(self.evaluate(), [9 * US])
        lines = text.splitlines()
        self.assertEqual(len(steps.STEPS) + 6, len(lines))
        self.assertIn("grace period", text)
        self.assertIn("39.0", lines[3 + [name for name, _ in steps.STEPS].index("begun")])
        self.assertTrue(lines[-2].startswith("without LOW"))


if __name__ == "__main__":
    unittest.main()
