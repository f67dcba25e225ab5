"""Compiled loops without the compiler: machine code that numba made earlier, called without numba.

To import numba and to set it up takes most of a second, also where nothing is left to compile. So
the machine code of a kernel is kept in a file (made by exporting.py), from which LLVM links it in
milliseconds (native.py); numba is imported to compile what is in no file yet. Whatever cannot be
had that way (other kinds of arguments, exceptions, a platform where it was not tried) is left to
numba, as if this did not exist.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from contextlib import suppress
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    Native = Callable[[list[Any]], tuple[Any, ...] | None]

# How far into an object its type's own fields begin.
HEAD = object.__basicsize__
# What code depends on in an array: contiguous in C's or in Fortran's order, aligned, writable.
_C, _F, _ALIGNED, _WRITABLE = 0x1, 0x2, 0x100, 0x400
_FLAGS = _C | _F | _ALIGNED | _WRITABLE
# Scalars as `struct` writes them, in eight bytes.
_SCALARS = {int: "q", bool: "q", float: "d", np.int64: "q", np.uint64: "Q", np.float64: "d"}
# Settings of numba that do not change code. Where there are others, numba does as it is told.
_HARMLESS = {"NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_THREADING_LAYER"}

_lock = RLock()


class Kernel:
    """The compiled function `module.name` of this package."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._natives: dict[tuple[Any, ...], Native] = {}

    def __repr__(self) -> str:
        return f"Kernel({self._path!r})"

    @cached_property
    def compiled(self) -> Any:
        """The function as numba has it."""
        module, name = self._path.split(".")
        return getattr(import_module(f"{__package__}.{module}"), name)

    def __call__(self, *args: Any) -> Any:
        """Return nothing, a number, or several, as the function does."""
        kinds: list[Any] = []
        values: list[Any] = []
        for arg in args:
            kind = type(arg)
            if kind is np.ndarray:
                kinds += arg.dtype, arg.ndim, arg.flags.num & _FLAGS
                values.append(id(arg))
            else:
                kinds.append(kind)
                values.append(arg)
        key = tuple(kinds)
        native = self._natives.get(key) or self._find(key, args)
        results = native(values)
        if results is None:
            return self.compiled(*args)
        return results if len(results) > 1 else results[0] if results else None

    def _find(self, key: tuple[Any, ...], args: tuple[Any, ...]) -> Native:
        """Return what takes such arguments' values and returns the results, or None."""
        with _lock:  # threads begin together
            if key not in self._natives:
                native: Native = _leave_to_numba
                if _tried():
                    with suppress(Exception):
                        native = self._load(args)
                self._natives[key] = native
            return self._natives[key]

    def _load(self, args: tuple[Any, ...]) -> Native:
        """Return machine code for such arguments, made now or earlier."""
        from .native import Code, File, Linked

        file = File(f"{self._path}({', '.join(map(_kind, args))})")
        code = file.read()
        if code is None:
            from .exporting import export

            function = self.compiled.py_func
            try:
                code = export(function, args)
            except (ImportError, MemoryError, OSError, Warning):
                raise
            except Exception:
                code = Code("", b"")  # kept, too: the next attempt would end the same way
            file.write(code)
        slots = "".join(_SCALARS.get(type(arg), "Q") for arg in args)
        return Linked(slots, code) if code.machine else _leave_to_numba


def _leave_to_numba(values: list[Any]) -> None:
    pass


def _kind(arg: Any) -> str:
    """Describe what code depends on; raise for what is left to numba."""
    if type(arg) is not np.ndarray:
        return f"{type(arg).__name__}:{_SCALARS[type(arg)]}"
    if arg.dtype.kind not in "biuf" or not arg.dtype.isnative:
        raise TypeError(f"{arg.dtype} is left to numba.")
    flags = arg.flags.num
    order = "C" if flags & _C else "F" if flags & _F else "A"
    return f"{arg.dtype.str}:{arg.ndim}:{order}:{flags & (_ALIGNED | _WRITABLE):x}"


@cache
def _tried() -> bool:
    """Tell if all this was tried where it runs (with a GIL), and numba has no other orders.

    Machine code takes arrays apart by numpy's C struct, which begins with the address of the data,
    the number of dimensions, and the addresses of the shape and of the strides.
    """
    known = sys.platform == "linux" and sys.byteorder == "little" and sys.maxsize == 2**63 - 1
    if not known or sys.implementation.name != "cpython" or sys.abiflags:
        return False
    orders = {name for name in os.environ if name.startswith("NUMBA_")} - _HARMLESS
    if orders or Path(".numba_config.yaml").exists():
        return False
    probe = np.zeros((3, 5), np.int16)
    data, dimensions, *lists = struct.unpack("=QQQQ", ctypes.string_at(id(probe) + HEAD, 32))
    if (data, dimensions & 0xFFFFFFFF) != (probe.ctypes.data, 2):
        return False
    return [(ctypes.c_int64 * 2).from_address(at)[:] for at in lists] == [[3, 5], [10, 2]]
