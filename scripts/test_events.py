#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tests of events.py: a good log passes, and each kind of corruption is found."""
import tempfile
import unittest
from pathlib import Path

import events

DIS = """
SYMBOL TABLE:
0000000000002000 g     F .text	0000000000000020 .protected low
0000000000000f80 g     O .rodata	0000000000000040 .protected low.kd

0000000000002000 <low>:
	v_mov_b32_e32 v1, 0            // 000000002000: 7E020280
	v_add3_u32 v0, v0, v1, v2      // 000000002004: D1FF0000 04010C06
	s_cbranch_scc1 65533           // 00000000200C: BF85FFFD <low+0x4>
	s_branch 1                     // 000000002010: BF820001 <low+0x18>
	s_nop 0                        // 000000002014: BF800000
	s_endpgm                       // 000000002018: BF810000
"""

WAVE = "queue=0x40 pasid=1 disp=3 wg=0 wave=0"

# Loaded at 0x7000: the descriptor is at 0x7f80, the code at 0x9000.
GOOD = f"""
100 doorbell dw=0x40 value=0x3 slot=2
110 dispatch-begin queue=0x40 pasid=1 disp=3 wgs=1 waves=1 vgprs=8 lds=0 kernel=0x7f80
120 wave-start {WAVE} engine=0 cu=1 simd=0 slot=0 vmid=8 pc=0x9000 insns=0
200 wave-save {WAVE} pc=0x900c last=0x9004 insns=2
300 wave-restore {WAVE} engine=1 cu=0 simd=0 slot=0 vmid=9 pc=0x900c insns=2
310 wave-resume {WAVE} pc=0x900c insns=2
400 wave-save {WAVE} pc=0x9004 last=0x900c insns=3
500 wave-restore {WAVE} engine=0 cu=1 simd=0 slot=0 vmid=8 pc=0x9004 insns=3
510 wave-save {WAVE} pc=0x9004 last=0x0 insns=3
600 wave-restore {WAVE} engine=0 cu=1 simd=0 slot=0 vmid=8 pc=0x9004 insns=3
610 wave-resume {WAVE} pc=0x9004 insns=3
700 wave-end {WAVE} pc=0x9018 insns=9
710 dispatch-end queue=0x40 pasid=1 disp=3 us=0
"""


class EventsTest(unittest.TestCase):
    def log(self, text):
        with tempfile.TemporaryDirectory() as folder:
            dis, log = Path(folder, "dis"), Path(folder, "log")
            dis.write_text(DIS, encoding="utf-8")
            log.write_text(text.strip() + "\n", encoding="utf-8")
            return events.Log(events.read(log), events.Code(dis))

    def errors(self, old, new=""):
        self.assertEqual(GOOD.count(old), 1, old)
        return self.log(GOOD.replace(old, new)).errors

    def drop(self, start):
        line = next(l for l in GOOD.splitlines() if l.startswith(start))
        return self.errors(line + "\n")

    def test_good(self):
        log = self.log(GOOD)
        self.assertEqual(log.errors, [])
        self.assertEqual(len(log.preemptions), 3)
        self.assertEqual(log.counted(), 3)
        self.assertEqual(log.counted(0, 300), 1)
        self.assertEqual(log.latencies("low", 0, 1000), {3: 610})
        self.assertEqual([s.end - s.begin for s in log.spans], [80, 100, 10, 100])

    def test_occupancy(self):
        share = self.log(GOOD).occupancy("low", 120, 320)
        self.assertAlmostEqual(share[(0, 1)], 0.4)
        self.assertAlmostEqual(share[(1, 0)], 0.1)

    def test_saved_outside_the_loop_does_not_count(self):
        text = GOOD.replace("pc=0x900c last=0x9004 insns=2", "pc=0x9010 last=0x900c insns=3") \
                   .replace("vmid=9 pc=0x900c insns=2", "vmid=9 pc=0x9010 insns=3") \
                   .replace("310 wave-resume " + WAVE + " pc=0x900c insns=2",
                            "310 wave-resume " + WAVE + " pc=0x9010 insns=3")
        log = self.log(text)
        self.assertEqual(log.errors, [])
        self.assertEqual(log.counted(), 2)

    def test_restored_elsewhere(self):
        self.assertTrue(self.errors("vmid=9 pc=0x900c insns=2", "vmid=9 pc=0x9010 insns=2"))

    def test_resumed_elsewhere(self):
        self.assertTrue(self.errors(f"310 wave-resume {WAVE} pc=0x900c",
                                    f"310 wave-resume {WAVE} pc=0x9010"))

    def test_instruction_skipped(self):
        errors = self.errors("pc=0x900c last=0x9004", "pc=0x900c last=0x9000")
        self.assertTrue(any("last instruction" in e for e in errors))

    def test_count_of_instructions_lost(self):
        self.assertTrue(self.errors("vmid=9 pc=0x900c insns=2", "vmid=9 pc=0x900c insns=1"))

    def test_never_restored(self):
        self.assertTrue(self.drop("600"))

    def test_never_resumed(self):
        self.assertTrue(self.drop("610"))

    def test_wave_lost(self):
        errors = self.drop("700")
        self.assertTrue(any("lost" in e for e in errors))

    def test_wave_repeated(self):
        self.assertTrue(self.errors("300 wave-restore", "300 wave-start"))

    def test_restored_without_save(self):
        self.assertTrue(self.drop("200"))

    def test_moved_while_not_running(self):
        self.assertTrue(self.errors("pc=0x9004 last=0x0", "pc=0x900c last=0x0"))

    def test_dispatch_ends_twice(self):
        self.assertTrue(self.log(GOOD + "800 dispatch-end queue=0x40 pasid=1 disp=3 us=0").errors)

    def test_garbage_is_refused(self):
        with self.assertRaises(ValueError):
            self.log(GOOD + "what is this")


unittest.main()
