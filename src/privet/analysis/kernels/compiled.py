"""The one decorator of every kernel: compiled by numba, without the GIL, cached if possible."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numba import njit

if TYPE_CHECKING:
    from collections.abc import Callable


def compiled(function: Callable[..., Any]) -> Any:
    """Compile on first use; cache beside the package or in the user's cache folder.

    Where neither folder can be written, compile once a process instead.
    """
    try:
        return njit(nogil=True, cache=True)(function)
    except RuntimeError:  # numba found no folder for the cache
        return njit(nogil=True)(function)
