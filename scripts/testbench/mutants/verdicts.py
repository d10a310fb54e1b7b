# SPDX-License-Identifier: GPL-2.0
"""What was found out about mutants is kept, by all that it depends on."""
import hashlib
import json
import os
from pathlib import Path

from testbench.paths import CACHE

VERDICTS = CACHE / "mutants"


def digest(*parts):
    """One hash of texts and of files' contents."""
    result = hashlib.sha256()
    for part in parts:
        data = part.read_bytes() if isinstance(part, Path) else str(part).encode()
        result.update(b"%d:" % len(data) + data)
    return result.hexdigest()


def read(name):
    """What was kept under a name, or nothing."""
    try:
        return json.loads((VERDICTS / f"{name}.json").read_text())
    except (OSError, ValueError):
        return {}


def write(name, **what):
    VERDICTS.mkdir(parents=True, exist_ok=True)
    part = VERDICTS / f"{name}.{os.getpid()}"
    part.write_text(json.dumps(what))
    part.replace(VERDICTS / f"{name}.json")
