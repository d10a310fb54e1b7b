# SPDX-License-Identifier: GPL-2.0
"""eventlog.py accepts a good log, and each kind of corrupted one fails for its reason."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import code_object  # noqa: E402
import eventlog  # noqa: E402

WAVE = "queue=0x800 pasid=32769 disp=0 wg={wg} wave={wave}"
PLACE = "xcc=0 engine={wg} cu=0 simd={wave} slot=0 vmid=8"

# Two workgroups of two waves on a unit each, taken off after 100 instructions
# and put back, crossing over to each other's unit.
HEAD = """\
100 start engines=2 cus_per_engine=1
200 queue-map queue=0x800 pasid=32769 mqd=0x1000 pipe=0 slot=2 vmid=8 pipe-priority=0 priority=0 aql=1 read=0 write=0
210 runlist processes=1 entries=1 mapped=1 rotates=0
300 doorbell dw=0x800 value=0x0 slot=2
310 dispatch-begin queue=0x800 pasid=32769 disp=0 wgs=2 waves=2 vgprs=8 lds=0 kernel=0xf00
"""
TAIL = """\
900 dispatch-end queue=0x800 pasid=32769 disp=0 us=1
950 machine-stop insns=1 max-lag-us=0 behind=0
"""


def four(ns, event, rest, cross=False):
    """One event for each of the four waves."""
    lines = []
    for wg in 0, 1:
        for wave in 0, 1:
            place = PLACE.format(wg=1 - wg if cross else wg, wave=wave)
            lines.append(f"{ns} {event} {WAVE.format(wg=wg, wave=wave)} "
                         + rest.format(place=place) + "\n")
    return "".join(lines)


START = four(320, "wave-start", "{place} pc=0x100 insns=0")
SAVE = four(405, "wave-save", "pc=0x204 last=0x200 insns=100")
UNMAP = ("400 preempt-begin queues=1\n" + SAVE +
         "410 queue-unmap queue=0x800 pasid=32769 mqd=0x1000 pipe=0 slot=2 vmid=8 read=1 fetch=1\n"
         "411 preempt-end queues=1 bytes=4096 us=11 stuck=0\n")
MAP = ("500 queue-map queue=0x800 pasid=32769 mqd=0x1000 pipe=1 slot=2 vmid=9 pipe-priority=0 "
       "priority=0 aql=1 read=1 write=1\n"
       "501 queue-restore queue=0x800 pasid=32769 bytes=4096 dispatches=1 us=1\n"
       "502 runlist processes=1 entries=1 mapped=1 rotates=0\n")
RESTORE = four(510, "wave-restore", "{place} pc=0x204 insns=100", cross=True)
RESUME = four(520, "wave-resume", "pc=0x204 insns=100")
END = four(800, "wave-end", "pc=0x300 insns=200")
GOOD = HEAD + START + UNMAP + MAP + RESTORE + RESUME + END + TAIL


def code(loop):
    """A kernel at 0x100 whose branch at 0x20c goes back to an address, " 0x..."."""
    text = ("0000000000000f00 g     O .rodata\t0000000000000040 .protected k.kd\n"
            "0000000000000100 <k>:\n"
            + "".join(f"\ts_nop 0   // {a:012X}: BF800000\n" for a in range(0x100, 0x20c, 4))
            + f"\ts_cbranch_scc1 1   // 00000000020C: BF850001 <k+{int(loop, 16) - 0x100:#x}>\n")
    with tempfile.NamedTemporaryFile("w") as f:
        f.write(text)
        f.flush()
        return code_object.CodeObject(f.name)


def read(text, kernels=None):
    return eventlog.EventLog(kernels).read(text.splitlines(keepends=True))


def without(text, line):
    """The text without its first line that contains this."""
    lines = text.splitlines(keepends=True)
    del lines[next(i for i, l in enumerate(lines) if line in l)]
    return "".join(lines)


def twice(text, line):
    found = next(l for l in text.splitlines(keepends=True) if line in l)
    return text.replace(found, found + found, 1)


class Good(unittest.TestCase):
    def test_good(self):
        log = read(GOOD)
        self.assertEqual(log.errors, [])
        self.assertEqual(len(log.midloop()), 1)
        self.assertEqual(len(log.preemptions), 1)
        self.assertEqual(log.preemptions[0].runlist, 502)
        self.assertEqual(log.saves, 4)
        self.assertEqual(log.queues[0].rings, {0: 300})
        # four waves, each with a part before and a part after
        self.assertEqual([(r.cu, r.begin, r.end) for r in log.runs if r.key == (0, 0)],
                         [((0, 0), 320, 400), ((1, 0), 520, 800)])

    def test_midloop_needs_the_loop(self):
        self.assertEqual(len(read(GOOD, code(" 0x100")).midloop()), 1)
        self.assertEqual(len(read(GOOD, code(" 0x208")).midloop()), 0)

    def test_saved_again_before_it_ran(self):
        again = UNMAP.replace("400 ", "512 ").replace("405 ", "513 ").replace("410 ", "514 ") \
            .replace("411 ", "515 ")
        remap = MAP.replace("50", "516", 1).replace("501 ", "517 ").replace("502 ", "518 ") \
            .replace("5160 ", "516 ")
        log = read(HEAD + START + UNMAP + MAP + RESTORE + again + remap
                   + RESTORE.replace("510 ", "519 ") + RESUME + END + TAIL)
        self.assertEqual(log.errors, [])
        self.assertEqual(len(log.midloop()), 1)

    def test_next_queue_at_the_same_doorbell(self):
        later = HEAD.split("\n", 1)[1] + START + END + TAIL
        for ns in "200", "210", "300", "310", "320", "800", "900", "950":
            later = later.replace(f"{ns} ", f"1{ns} ")
        log = read(GOOD.replace(TAIL.splitlines()[1] + "\n", "") + later)
        self.assertEqual(log.errors, [])
        self.assertEqual(len(log.queues), 2)


class Corrupted(unittest.TestCase):
    def fails(self, text, reason, kernels=None):
        errors = read(text, kernels).errors
        self.assertTrue(errors, f"accepted, but should fail: {reason}")
        self.assertRegex(errors[0], reason)

    def test_lost_wave(self):
        self.fails(without(GOOD, "wave-end"), "is running, its dispatch ended")

    def test_lost_workgroup(self):
        text = "".join(l for l in GOOD.splitlines(keepends=True) if " wg=1 " not in l)
        self.fails(text, "ended with 1 of 2 workgroups started")

    def test_never_restored(self):
        text = "".join(l for l in GOOD.splitlines(keepends=True)
                       if not ("wg=1 wave=1" in l and l.split()[1] in
                               ("wave-restore", "wave-resume", "wave-end")))
        self.fails(text, "is saved, its dispatch ended")

    def test_restored_twice(self):
        self.fails(twice(GOOD, "wave-restore"), "was restored while restored")

    def test_restored_without_save(self):
        self.fails(HEAD + START + MAP + RESTORE + RESUME + END + TAIL,
                   "was restored while running")

    def test_ran_without_restore(self):
        self.fails(without(GOOD, "wave-restore"), "resumed while saved")

    def test_ended_without_resuming(self):
        self.fails(without(GOOD, "wave-resume"), "ended while restored")

    def test_started_twice(self):
        self.fails(GOOD.replace(RESTORE, RESTORE + START.replace("320 ", "511 ")),
                   "was started twice")

    def test_other_pc(self):
        self.fails(GOOD.replace(RESTORE, RESTORE.replace("pc=0x204", "pc=0x208", 1)),
                   "was saved at pc 0x204 and restored at 0x208")

    def test_resumed_at_the_last_instruction_again(self):
        self.fails(GOOD.replace(RESUME, RESUME.replace("pc=0x204", "pc=0x200", 1)),
                   "was saved at pc 0x204 and resumed at 0x200")

    def test_instruction_skipped(self):
        skipped = GOOD.replace("last=0x200", "last=0x1fc")
        self.fails(skipped, "would go on at 0x204, which does not follow 0x1fc", code(" 0x100"))

    def test_instruction_count_jumps(self):
        self.fails(GOOD.replace(RESTORE, RESTORE.replace("insns=100", "insns=0", 1)),
                   "was saved after 100 instructions and restored after 0")

    def test_instructions_lost_at_end(self):
        self.fails(GOOD.replace(END, END.replace("insns=200", "insns=100", 1)),
                   "lost instructions")

    def test_slot_held_twice(self):
        self.fails(GOOD.replace("wg=1 wave=0 engine=1", "wg=1 wave=0 engine=0", 1),
                   "in a slot that another wave holds")

    def test_dispatch_twice(self):
        self.fails(twice(GOOD, "dispatch-begin"), "began twice")
        self.fails(twice(GOOD, "dispatch-end"), "ended twice")

    def test_dispatch_never_ends(self):
        self.fails(without(GOOD, "dispatch-end"), "never ended")

    def test_halted_wave(self):
        halt = "700 wave-halt queue=0x800 pasid=32769 disp=0 wg=0 wave=0 why=fault pc=0x1 va=0x0\n"
        self.fails(GOOD.replace(END, halt + END), r"a wave halted \(fault\)")

    def test_cut_off(self):
        self.fails(GOOD.replace(TAIL.splitlines()[1] + "\n", ""), "the log has no end")
        self.fails(GOOD[:-10], "damaged or was cut off")

    def test_empty(self):
        self.fails("", "the log has no end")

    def test_not_code(self):
        with self.assertRaises(code_object.Unreadable):
            code_object.CodeObject(__file__)

    def test_time_goes_back(self):
        self.fails(GOOD.replace("900 dispatch-end", "10 dispatch-end"), "time goes back")

    def test_value_missing(self):
        self.fails(GOOD.replace(" insns=200", "", 1), "a value is missing")


if __name__ == "__main__":
    unittest.main()
