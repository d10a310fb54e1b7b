# SPDX-License-Identifier: GPL-2.0
"""The GPUs to measure on, and how much of each the model has."""
from dataclasses import dataclass

from testbench.paths import KSELFTEST


@dataclass(frozen=True)
class Gpu:
    """A GPU by the options of gpu-model, and what the kselftests' kernels for it are called.

    It has four compute units, which a small host can execute; with @engines all its shader
    engines, of one unit each; with @full all its units.
    """
    name: str
    isa: str
    options: str
    engines: str
    full: str
    kernels: str
    append: str = ""        # to the guest's command line

    def sized(self, size):
        """The options of one of SIZES."""
        return {"small": self.options, "engines": self.engines, "full": self.full}[size]

    def disassembly(self):
        """Of those kernels: what the build leaves beside the programs."""
        return KSELFTEST / f"lib/kernels-{self.kernels}.dis"


SIZES = ("small", "engines", "full")
DIES = "--asic mi300x --xccs 8 --engines 4 --cus-per-engine"

# Block 5 is the SMU, which resets that GPU, and 8 is MES.
RDNA = "--asic gfx1100 --param issue_ns=1000"
MES = "amdgpu.ip_block_mask=0x13f amdgpu.dpm=1"

# The MI300X has its units on two dies, which are one partition; at other sizes on all eight. Of
# the 40 units of a die 38 work.
GPUS = {
    "mi210": Gpu("MI210", "gfx90a", "--asic mi210", "--asic mi210 --engines 8 --cus-per-engine 1",
                 "--asic mi210 --engines 8 --cus-per-engine 13", "gfx90a"),
    "mi300x": Gpu("MI300X", "gfx942", "--asic mi300x --xccs 2 --cus-per-engine 1", f"{DIES} 1",
                  f"{DIES} 10 --inactive-cus 2", "gfx940"),
    # A SIMD there issues at each clock, on GCN at each fourth, and the clock is half as fast again.
    "gfx1100": Gpu("RX 7900", "gfx1100", RDNA, f"{RDNA} --engines 6", f"{RDNA} --engines 6 --cus-per-engine 16",
                   "gfx1100", f"{MES} amdgpu.gpreempt_untested=1"),
}
