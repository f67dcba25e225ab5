"""The decorators of the loops: numba compiles them at the first call, to run without the GIL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numba import njit

if TYPE_CHECKING:
    from collections.abc import Callable


def compiled(function: Callable[..., Any]) -> Any:
    """Compile a loop that only other loops call: it becomes a part of them."""
    return njit(nogil=True)(function)


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a loop that Python calls, and keep it for other processes.

    Where numba finds no folder for that, compile once a process instead.
    """
    try:
        return njit(nogil=True, cache=True)(function)
    except RuntimeError:
        return compiled(function)
