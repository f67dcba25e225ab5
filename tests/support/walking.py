"""Run a command of privet, and write down the modules that its calls enter.

    python walking.py TRACE privet's arguments

TRACE gets a line per change of module, such as `analysis/tally.py`, by any thread. Calls that a
module makes while it is imported do not count.
"""

import sys
import threading
from pathlib import Path

import privet
from privet.__main__ import main

ROOT = f"{Path(privet.__file__).parent}/"


def follow(trace):
    """Return a profiler that writes to a file."""
    importing, last = threading.local(), None

    def profiler(frame, event, _):
        nonlocal last
        code = frame.f_code
        if not code.co_filename.startswith(ROOT):
            return
        if code.co_name == "<module>":
            importing.depth = getattr(importing, "depth", 0) + {"call": 1, "return": -1}.get(
                event, 0
            )
        elif event == "call" and not getattr(importing, "depth", 0) and code.co_filename != last:
            last = code.co_filename
            trace.write(f"{last.removeprefix(ROOT)}\n")

    return profiler


if __name__ == "__main__":
    _, place, *arguments = sys.argv
    sys.argv = ["privet", *arguments]
    with Path(place).open("w", buffering=1) as trace:
        profiler = follow(trace)
        threading.setprofile(profiler)
        sys.setprofile(profiler)
        try:
            main()
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
