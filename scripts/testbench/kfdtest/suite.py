# SPDX-License-Identifier: GPL-2.0
"""Some of AMD's kfdtest pass on stock, and with GPREEMPT enabled."""
import subprocess

from testbench.paths import RESULTS, bench

# What touches what GPREEMPT changes and takes seconds; `make kfdtest` runs all of it.
TESTS = ["KFDCWSRTest.InterruptRestore", "KFDMemoryTest.MemoryRegister",
         "KFDMemoryTest.MemoryAlloc", "KFDQMTest.AllQueues", "KFDQMTest.CpQueueWraparound",
         "KFDQMTest.CreateAqlCpQueue", "KFDQMTest.DisableCpQueueByUpdateWithZeroPercentage",
         "KFDQMTest.OverSubscribeCpQueues", "KFDQMTest.SimpleWriteDispatch"]


def run():
    done = subprocess.run(
        bench("kfdtest", "--name", f"{RESULTS.name}/kfdtest",
              "--driver", "stock", "--driver", "enabled", *TESTS),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    yield from ("# " + line for line in done.stdout.splitlines())
    table = RESULTS / "kfdtest" / "results.tsv"
    results = table.read_text().splitlines() if table.exists() else []
    for n, test in enumerate(TESTS, 1):
        good = f"{test}\tpass\t-\tpass" in results
        yield f"{'ok' if good else 'not ok'} {n} - {test}"
    yield f"{'not ok' if done.returncode else 'ok'} {n + 1} - nothing is worse than on stock"
    yield f"1..{n + 1}"
