"""How much memory a process has, as Linux says."""

from __future__ import annotations

import re
from pathlib import Path


def memory(field: str, process: object = "self") -> float:
    """Return what a process has now (VmRSS) or had at most (VmHWM), in MB.

    It is 0 for a process that has ended, and on other systems than Linux.
    """
    status = Path("/proc", str(process), "status")
    if not status.exists():
        return 0.0
    found = re.search(rf"{field}:\s*(\d+) kB", status.read_text(errors="replace"))
    return int(found[1]) * 1024 / 1e6 if found else 0.0
