"""The largest memory that this process has had [B], of what it runs now.

On Linux not `ru_maxrss`: a process that is started takes over that of the one that starts it, so that small structures
measured from a large one seemed to take nothing.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path

STATUS = Path("/proc/self/status")


def peak_memory() -> float:
    if STATUS.exists():
        (line,) = (line for line in STATUS.read_text().splitlines() if line.startswith("VmHWM:"))
        return float(line.split()[1]) * 1024.0
    unit = 1.0 if sys.platform == "darwin" else 1024.0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
