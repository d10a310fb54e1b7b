# SPDX-License-Identifier: GPL-2.0
"""The GPUs to measure on: each with four compute units, which a small host can execute."""
from dataclasses import dataclass

from testbench.paths import KSELFTEST


@dataclass(frozen=True)
class Gpu:
    """A GPU by the options of gpu-model, and what the kselftests' kernels for it are called."""
    name: str
    isa: str
    options: str
    kernels: str

    def disassembly(self):
        """Of those kernels: what the build leaves beside the programs."""
        return KSELFTEST / f"lib/kernels-{self.kernels}.dis"


# The MI300X has its units on two dies, which are one partition.
GPUS = {
    "mi210": Gpu("MI210", "gfx90a", "--asic mi210", "gfx90a"),
    "mi300x": Gpu("MI300X", "gfx942", "--asic mi300x --xccs 2 --cus-per-engine 1", "gfx940"),
}
