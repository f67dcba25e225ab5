"""A clock that also says how much memory the work added."""

from __future__ import annotations

import re
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

_SELF = Path("/proc/self")


class Clock:
    """`with clock:` is what counts: its seconds add up, and of the memory the most is kept."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget what was measured."""
        self.seconds, self.megabytes = 0.0, 0.0

    def __enter__(self) -> None:
        (_SELF / "clear_refs").write_text("5")  # the peak begins anew (Linux's proc(5))
        self._before = memory("VmRSS")
        self._began = perf_counter()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.seconds += perf_counter() - self._began
        self.megabytes = max(self.megabytes, memory("VmHWM") - self._before)


def memory(field: str, process: str = "self") -> float:
    """Return what Linux says of a process's memory now (VmRSS) or at most (VmHWM), in MB."""
    text = Path("/proc", process, "status").read_text(encoding="ascii", errors="replace")
    found = re.search(rf"{field}:\s*(\d+) kB", text)
    return int(found[1]) * 1024 / 1e6 if found else 0.0  # a process that has ended has none
