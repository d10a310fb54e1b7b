# SPDX-License-Identifier: GPL-2.0
"""The description for syzkaller is the interface, as the compiler knows it."""
import re
import unittest

from testbench.fuzz import syzkaller
from testbench.fuzz.syzkaller import CONSTANTS, DESCRIPTION, HEADER, Description, Wrong

TEXT = DESCRIPTION.read_text()
# What the kernel answers and is never told.
TOLD = re.compile("KFD_GPREEMPT_(VERSION|CAP_|NODE_|QUEUE_)")


class Interface(unittest.TestCase):
    def test_constants(self):
        """The file of constants is what the compiler says; layouts are checked besides."""
        self.assertEqual(CONSTANTS.read_text(), Description(TEXT).const_file(),
                         "run scripts/bench syzkaller")

    def test_all_constants_of_the_header(self):
        header = set(re.findall(r"^(?:#define\s|\t)(KFD_GPREEMPT_[A-Z_]+)\b",
                                HEADER.read_text(), re.M))
        self.assertGreater(len(header), 20)
        self.assertEqual({name for name in header if not TOLD.match(name)},
                         {name for name in Description(TEXT).constants()
                          if name.startswith("KFD_GPREEMPT_")})

    def test_all_operations_have_a_call(self):
        operations = re.findall(r"^\tKFD_GPREEMPT_OP_(\w+)\b", HEADER.read_text(), re.M)
        calls = [c for c in Description(TEXT).calls if c.startswith("ioctl$KFD_GPREEMPT_")]
        self.assertEqual(calls, [f"ioctl$KFD_GPREEMPT_{name}" for name in operations])

    def test_all_structures_of_the_header(self):
        header = set(re.findall(r"^struct (\w+) \{", HEADER.read_text(), re.M))
        self.assertLessEqual(header, {syzkaller.SUFFIX.sub("", name)
                                      for name in Description(TEXT).structs})


class Wrongs(unittest.TestCase):
    """What differs from the header is noticed."""

    def changed(self, old, new):
        self.assertIn(old, TEXT)
        with self.assertRaises(Wrong) as caught:
            Description(TEXT.replace(old, new)).const_file()
        return str(caught.exception)

    def test_fields_in_another_order(self):
        said = self.changed("\tstate\t\tint32\n\tlevels\t\tint32\n",
                            "\tlevels\t\tint32\n\tstate\t\tint32\n")
        self.assertIn("kfd_gpreempt_query.levels", said)

    def test_a_field_of_another_size(self):
        said = self.changed("hold_ms\tflags[gpreempt_holds, int32]",
                            "hold_ms\tflags[gpreempt_holds, int64]")
        self.assertIn("kfd_gpreempt_preempt", said)

    def test_another_size_of_all(self):
        self.assertIn("args_hint", self.changed("hint\t\tkfd_gpreempt_hint\n} [size[104]]",
                                                "hint\t\tkfd_gpreempt_hint\n}"))

    def test_no_such_constant(self):
        self.assertIn("KFD_GPREEMPT_OP_HINTS", self.changed("const[KFD_GPREEMPT_OP_HINT,",
                                                            "const[KFD_GPREEMPT_OP_HINTS,"))

    def test_no_such_flags(self):
        self.assertIn("gpreempt_hint, int32", self.changed("flags[gpreempt_hints,",
                                                           "flags[gpreempt_hint,"))


if __name__ == "__main__":
    unittest.main()
