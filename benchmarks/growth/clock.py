"""A clock that also says how much memory the work added, on Linux."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

from ..memory import memory

_PEAK = Path("/proc/self/clear_refs")


class Clock:
    """`with clock:` is what counts: its seconds add up, and of the memory the most is kept."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget what was measured."""
        self.seconds, self.megabytes = 0.0, 0.0

    def __enter__(self) -> None:
        if _PEAK.exists():
            _PEAK.write_text("5")  # the peak begins anew: proc(5)
        self._before = memory("VmRSS")
        self._began = perf_counter()

    def __exit__(self, *error: object) -> None:
        self.seconds += perf_counter() - self._began
        self.megabytes = max(self.megabytes, memory("VmHWM") - self._before)
