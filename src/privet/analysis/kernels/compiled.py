"""The decorators of the loops: numba compiles them at the first call, to run without the GIL."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

from numba import config, njit, typeof
from numba.core.errors import NumbaError
from numba.core.event import Listener, register

from .keeping import Kept

log = logging.getLogger("privet.kernels")

_kernels: set[Callable[..., Any]] = set()
# Those that were compiled and have not returned since.
_fresh: set[Callable[..., Any]] = set()


def compiled(function: Callable[..., Any]) -> Any:
    """Compile a loop that only other loops call: it becomes a part of them."""
    return njit(nogil=True)(function)


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a loop that Python calls, and keep it for other processes.

    Numba raises whatever a bad file makes it raise, and does not call what it cannot save. So a
    kernel that fails before it ran is compiled once more, without a look at the disk.
    """
    if config.DISABLE_JIT:
        return function
    _kernels.add(function)
    kept = Kept(function)
    call = kept.call or compiled(function)

    @wraps(function)
    def checked(*args: Any) -> Any:
        nonlocal call
        try:
            result = call(*args)
        except NumbaError:
            raise
        except Exception as error:
            ready = tuple(map(typeof, args)) in call.signatures
            if ready and not isinstance(error, OSError):
                raise  # the loop's own
            if kept.call:
                kept.forget()
            call = compiled(function)
            return call(*args)
        if _fresh and function in _fresh:
            _fresh.discard(function)
            if call is kept.call:
                kept.seal()
        return result

    return checked


class _Listener(Listener):  # type: ignore[misc]
    """Hears of every function that numba compiles, and not of those that it finds on disk."""

    def on_start(self, event: Any) -> None:
        function = event.data["dispatcher"].py_func
        if function in _kernels:
            log.info("compiling, once: %s", function.__name__)  # as it takes seconds

    def on_end(self, event: Any) -> None:
        function = event.data["dispatcher"].py_func
        if function in _kernels:
            _fresh.add(function)


register("numba:compile", _Listener())
