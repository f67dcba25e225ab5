"""The decorators of the loops: numba compiles them at the first call, to run without the GIL."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

from numba import njit
from numba.core.event import Listener, register  # "Event API" in numba's documentation

log = logging.getLogger("privet.kernels")

_kernels: set[Callable[..., Any]] = set()

# Loops that only other loops call: they are compiled as a part of those.
loop = njit(nogil=True)


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a loop that Python calls, and let numba cache it for other processes.

    The cache is in `NUMBA_CACHE_DIR`, or next to the package, or in the user's cache folder. Where
    numba can write to none of them, or the disk is full, every process compiles for itself.
    """
    _kernels.add(function)
    uncached = njit(nogil=True)(function)
    try:
        cached = njit(nogil=True, cache=True)(function)
    except RuntimeError:  # numba found no folder
        return uncached

    @wraps(function)
    def call(*args: Any) -> Any:
        try:
            return cached(*args)
        except OSError:  # from writing the cache; a loop has no files
            return uncached(*args)

    return call


class _Announcer(Listener):  # type: ignore[misc]
    """Logs that a kernel is being compiled, because this takes seconds."""

    def on_start(self, event: Any) -> None:
        function = event.data["dispatcher"].py_func
        if function in _kernels:
            log.info("compiling, once: %s", function.__name__)

    def on_end(self, event: Any) -> None:
        pass


register("numba:compile", _Announcer())
