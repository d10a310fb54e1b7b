# SPDX-License-Identifier: GPL-2.0
"""eventlog.py accepts a good log, and each kind of corrupted one fails for its reason."""
import re
import tempfile
import unittest

from testbench.events import code_object, eventlog
from testbench.paths import MODEL

WAVE = "queue=0x800 pasid=32769 disp=0 wg={wg} wave={wave}"
PLACE = "xcc=0 engine={wg} cu=0 simd={wave} slot=0 vmid=8"

# Two workgroups of two waves on a unit each, taken off after 100 instructions
# and put back, crossing over to each other's unit.
HEAD = """\
100 start engines=2 cus_per_engine=1
200 queue-map queue=0x800 pasid=32769 mqd=0x1000 xcc=0 pipe=0 slot=2 vmid=8 pipe-priority=0 priority=0 aql=1 read=0 write=0
210 runlist xcc=0 processes=1 entries=1 mapped=1 rotates=0
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
UNMAP = ("400 preempt-begin xcc=0 queues=1\n" + SAVE +
         "410 queue-unmap queue=0x800 pasid=32769 mqd=0x1000 pipe=0 slot=2 vmid=8 read=1 fetch=1\n"
         "411 preempt-end xcc=0 queues=1 bytes=4096 us=11 stuck=0\n")
MAP = ("500 queue-map queue=0x800 pasid=32769 mqd=0x1000 xcc=0 pipe=1 slot=2 vmid=9 pipe-priority=0 "
       "priority=0 aql=1 read=1 write=1\n"
       "501 queue-restore queue=0x800 pasid=32769 bytes=4096 dispatches=1 us=1\n"
       "502 runlist xcc=0 processes=1 entries=1 mapped=1 rotates=0\n")
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


def read(text, kernels=None, clean=True):
    return eventlog.EventLog(kernels, clean).read(text.splitlines(keepends=True))


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
                         [((0, 0, 0), 320, 400), ((0, 1, 0), 520, 800)])

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

    def test_partitions(self):
        """Another one has the same slots, and what is taken off there is its own."""
        other = OTHER.format(pipe=0).replace("xcc=0", "xcc=1")
        both = ("399 preempt-begin xcc=1 queues=0\n" + UNMAP.replace(
            "411 ", "412 preempt-stop xcc=1 us=13\n413 ")
            + "414 preempt-end xcc=1 queues=0 bytes=5 us=15 stuck=0\n"
            "415 runlist xcc=1 processes=0 entries=0 mapped=0 rotates=0\n")
        log = read(HEAD + START + other.replace("505", "330") + both + MAP + RESTORE + RESUME
                   + END + TAIL)
        self.assertEqual(log.errors, [])
        self.assertEqual([(len(p.saved), p.bytes, p.runlist) for p in log.preemptions],
                         [(0, 5, 415), (4, 4096, 502)])


QUEUE = "queue=0x800 pasid=32769"
# The two workgroups are taken off, and what then becomes of them.
GONE = HEAD + START + UNMAP
STOP = "950 machine-stop insns=1 max-lag-us=0 behind=0\n"
AGAIN = MAP.replace("read=1", "read=0")
KILL = four(600, "wave-kill", "pc=0x250 insns=150")
OTHER = ("505 queue-map queue=0x900 pasid=32769 mqd=0x2000 xcc=0 pipe={pipe} slot=2 vmid=9 "
         "pipe-priority=0 priority=0 aql=1 read=0 write=0\n")
HIGH = ("506 queue-unmap queue=0x800 pasid=32769 mqd=0x1000 pipe=1 slot=2 vmid=9 read=1 "
        "fetch=1\n")


class Mishaps(unittest.TestCase):
    """What takes work away is an error in a clean log alone."""

    def mishap(self, text, *reasons):
        log = read(text, clean=False)
        self.assertEqual(log.errors, [])
        self.assertEqual(len(log.mishaps), len(reasons), log.mishaps)
        for mishap, reason in zip(log.mishaps, reasons):
            self.assertRegex(mishap, reason)
        self.assertEqual(len(read(text).errors), len(reasons))

    def test_checkpoint(self):
        """A process is restored from the image of another one, which goes on as well."""
        ring = " ring=0x7000"
        moved = [part.replace("pasid=32769", "pasid=32770").replace("0x800", "0x900")
                 for part in (MAP, RESTORE, RESUME, END, TAIL.splitlines(keepends=True)[0])]
        moved[1:2] = [moved[1].replace("slot=0", "slot=1")]
        restored = "".join(moved).replace("pipe=1 slot=2", "pipe=0 slot=3")
        both = "".join(sorted(((HEAD + START + UNMAP + MAP + RESTORE + RESUME + END + TAIL) +
                               restored).splitlines(keepends=True),
                              key=lambda line: int(line.split()[0])))
        text = re.sub(r"(queue-map.*)", rf"\1{ring}", both)
        self.assertEqual([], read(text).errors)
        handled = re.sub(r"(.*) (queue-restore (queue=\S+ pasid=32770))",
                         r"\1 trap-handler \3 disp=0 wg=0 waves=1 restored=1\n\1 \2", text)
        self.assertNotEqual(handled, text)
        self.assertEqual([], read(handled).errors)
        # another ring: nobody knows what it came from
        other = re.sub("(queue-map.*32770.*) ring=0x7000", r"\1 ring=0x8000", text)
        self.assertRegex(read(other).errors[0], "came back with 1 dispatches, 0 had not ended")

    def test_queue_reset(self):
        # the units' slots and the queue's are free for others
        self.mishap(HEAD + START + f"600 queue-reset {QUEUE}\n"
                    + OTHER.format(pipe=0).replace("505", "610")
                    + START.replace("320", "620").replace("0x800", "0x900").replace(
                        "620 wave-start", "620 dispatch-begin queue=0x900 pasid=32769 disp=0 wgs=2 "
                        "waves=2 vgprs=8 lds=0 kernel=0xf00\n620 wave-start", 1)
                    + END.replace("0x800", "0x900")
                    + TAIL.replace("0x800", "0x900"),
                    "0x800 .* was reset", "lost in its queue's reset: 4 waves started, 4 did not")

    def test_machine_reset(self):
        self.mishap(HEAD + START + "600 machine-reset queues=1\n" + STOP, "lost in a reset")
        self.mishap(GONE + MAP + RESTORE + "600 machine-reset queues=1\n" + STOP,
                    "lost in a reset")
        # saved before, and restored after it: as in a sleep
        self.mishap(GOOD.replace(MAP, "450 machine-reset queues=0\n" + MAP))

    def test_killed(self):
        self.mishap(HEAD + START + KILL + TAIL, *["was killed"] * 4)
        self.mishap(GONE + MAP + RESTORE + KILL + TAIL, *["was killed"] * 4)

    def test_process_ended(self):
        self.mishap(GONE + STOP, "never ended: 4 waves started, 4 did not end, .* is saved")
        # another queue with the same doorbell: nothing comes back to it
        again = AGAIN.replace("501 queue-restore", "501 warn text=\"no queue-restore\"")
        later = "".join(l.replace("3", "5", 1) for l in (
            HEAD.splitlines(keepends=True)[-1] + START).splitlines(keepends=True))
        self.mishap(GONE.replace("read=1", "read=0") + again + later + END + TAIL,
                    "was given up with its queue")

    def test_its_own_read_index(self):
        self.mishap(GONE + MAP.replace("read=1", "read=77") + RESTORE + RESUME + END + TAIL,
                    "left at packet 1 and came back at 77")

    def test_halted(self):
        halt = f"700 wave-halt {WAVE.format(wg=0, wave=0)} why=fault pc=0x1 va=0x0\n"
        self.mishap(GOOD.replace(END, halt + END), r"halted \(fault\)")

    def test_trap(self):
        trap = f"700 wave-trap {WAVE.format(wg=0, wave=0)} why=trap id=3 pc=0x1\n"
        self.mishap(GOOD.replace(END, trap + END))

    def test_stuck(self):
        self.mishap(HEAD + START + "400 preempt-begin xcc=0 queues=1\n"
                    f"410 preempt-fail {QUEUE}\n411 preempt-end xcc=0 queues=1 bytes=0 us=11 stuck=1\n"
                    + END + TAIL, "could not be saved")

    def test_handler(self):
        text = f"520 trap-handler {QUEUE} disp=0 wg=1 waves=2 restored={{}} insns=900\n"
        self.mishap(GOOD.replace(RESUME, text.format(1) + RESUME))
        self.mishap(GOOD.replace(RESUME, text.format(0) + RESUME), "handler went astray")

    def test_errors(self):
        for text, reason in ((f"850 error {QUEUE} packet=1 code=0x20", "stopped with an error"),
                             ("850 page-fault vmid=8 va=0x1000 write=1", "page fault of vmid 8"),
                             ("850 hiq-hang header=0x55555555", "scheduler hangs")):
            self.mishap(GOOD.replace(TAIL, text + "\n" + TAIL), reason)

    def test_texts(self):
        self.mishap(GOOD.replace(TAIL, '850 control command="off, please" ok=0\n' + TAIL))


class Complete(unittest.TestCase):
    """The model, its document and the checker know the same events."""

    def test_events(self):
        written = set()
        for source in MODEL.rglob("*.c"):
            text = source.read_text()
            written |= set(re.findall(r'log_event\("([^"]+)"', text))
            written |= set(re.findall(r'"((?:wave|queue)-[a-z]+)"', text))
        table = (MODEL / "events.rst").read_text().split("\n===============  ")[1]
        described = set(re.findall(r"^([a-z][a-z-]+) ", table, re.M))
        self.assertEqual(written, described)
        self.assertEqual(described, set(eventlog.EventLog.handlers) | eventlog.PEOPLE)


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
        self.fails(HEAD + START + RESTORE + RESUME + END + TAIL, "was restored while running")

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
        self.fails(GOOD.replace("wg=1 wave=0 xcc=0 engine=1",
                                "wg=1 wave=0 xcc=0 engine=0", 1),
                   "in a slot that another wave holds")

    def test_queue_slots(self):
        self.fails(GOOD.replace(RESTORE, MAP.replace("50", "51") + RESTORE), "was mapped twice")
        self.fails(GOOD.replace(RESTORE, OTHER.format(pipe=1) + RESTORE),
                   "0x900 .* got the slot that queue 0x800 .* holds")
        self.fails(GOOD.replace(RESUME, RESUME + HIGH.replace("506", "521")),
                   "is running, its queue left")
        self.fails(GOOD.replace(RESTORE, HIGH + HIGH + RESTORE), "left without having been mapped")

    def test_dispatches_lost_at_restore(self):
        self.fails(GOOD.replace("dispatches=1", "dispatches=0"),
                   "came back with 0 dispatches, 1 had not ended")

    def test_packets(self):
        taken = f"311 packet {QUEUE} packet={{}} type=dispatch\n"
        one, two = taken.format(0), taken.format(1)
        self.assertEqual(read(GOOD.replace(START, one + two + START)).errors, [])
        self.fails(GOOD.replace(START, one + one + START), "took packet 0 after 0")
        self.fails(GOOD.replace(START, one + taken.format(2) + START), "took packet 2 after 0")
        self.fails(GOOD.replace(MAP, one.replace("311", "420") + MAP),
                   "took packet 0 without a slot")

    def test_pipes(self):
        """Where one queue of a pipe is connected, it alone launches; it loses the pipe as it leaves."""
        some = GOOD.replace("100 start", "100 start connect=pipe")
        first = some.replace(START, f"315 pipe-connect {QUEUE} xcc=0 pipe=0\n" + START)
        again = first.replace(RESTORE, f"508 pipe-connect {QUEUE} xcc=0 pipe=1\n" + RESTORE)
        self.assertEqual(read(again).errors, [])
        self.fails(some, "launched a wave without its pipe")
        self.fails(first, "restored a wave without its pipe")
        self.fails(first.replace("xcc=0 pipe=1 slot", "xcc=0 pipe=0 slot"),
                   "restored a wave without its pipe")
        self.fails(some.replace(START, f"311 packet {QUEUE} packet=0 type=dispatch\n" + START),
                   "took packet 0 without its pipe")

    def test_began_without_a_slot(self):
        self.fails(GOOD.replace(MAP, HEAD.splitlines(keepends=True)[-1]
                                .replace("310", "420").replace("disp=0", "disp=1") + MAP),
                   "began dispatch 1 without a slot")

    def test_unknown(self):
        self.fails(GOOD.replace(TAIL, "850 wave-lost queue=0x800\n" + TAIL),
                   "wave-lost: no such event")
        self.fails(GOOD.replace(TAIL, "850 packet queue=0x700 pasid=1 packet=0\n" + TAIL),
                   "queue 0x700 pasid 1 was never mapped")

    def test_trapped_when_saved(self):
        trap = f"420 wave-trap {WAVE.format(wg=0, wave=0)} why=trap id=3 pc=0x1\n"
        self.fails(GONE + trap + STOP, "trapped while saved")

    def test_killed_when_saved(self):
        self.fails(GONE + KILL.replace("600", "420") + STOP, "was killed while saved")

    def test_dispatch_twice(self):
        self.fails(twice(GOOD, "dispatch-begin"), "began twice")
        self.fails(twice(GOOD, "dispatch-end"), "ended twice")

    def test_dispatch_never_ends(self):
        self.fails(without(GOOD, "dispatch-end"), "never ended")

    def test_halted_wave(self):
        halt = "700 wave-halt queue=0x800 pasid=32769 disp=0 wg=0 wave=0 why=fault pc=0x1 va=0x0\n"
        self.fails(GOOD.replace(END, halt + END), r"wave 0 halted \(fault\)")

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
