"""Compiled kernels on disk. Numba keeps them, where that is safe (trust.py), and leaves two gaps.

- It compiles a kernel again when the kernel's own file changes, and does not look at the files of
  the loops that are part of it. So a kernel is kept under a name with a digest of all of them.
- It runs what it finds, also if a crash or a bad disk has damaged it. So what is kept of a kernel
  has a seal, its digest, and is forgotten where that does not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import Any

from numba import njit

from .trust import CODE, SEAL, is_safe, warn

_SOURCES = Path(__file__).parent


class Kept:
    """The files of one kernel; `call` is the kernel, or None if it is not kept."""

    def __init__(self, function: Callable[..., Any]) -> None:
        name = function.__qualname__
        function.__qualname__ = f"{name}-{_version()}"  # which numba calls the files after
        try:
            self.call = njit(nogil=True, cache=True)(function)
        except RuntimeError:
            self.call = None
            warn("numba finds no folder that it can write to")
            return
        finally:
            function.__qualname__ = name
        self._folder = Path(self.call.stats.cache_path)
        self._name = f"{function.__module__.rpartition('.')[2]}.{name}-{_version()}"
        self._seal = self._folder / (self._name + SEAL)
        if not is_safe(self._folder):
            self.call = None
        elif not self._is_whole():
            self.forget()

    def _files(self) -> list[Path]:
        return sorted(f for f in self._folder.glob(f"{self._name}*") if f.suffix in CODE)

    def _is_whole(self) -> bool:
        files = self._files()
        try:
            return not files or self._seal.read_text() == _digest(files)
        except (OSError, ValueError):
            return False

    def seal(self) -> None:
        """Mark the files as whole, after numba wrote them."""
        temporary = self._seal.with_suffix(f".{token_hex(8)}")
        with suppress(OSError):  # without a seal, they are forgotten
            try:
                temporary.write_text(_digest(self._files()))
                temporary.replace(self._seal)
            finally:
                temporary.unlink(missing_ok=True)

    def forget(self) -> None:
        """Remove the files, so that the next process compiles the kernel again."""
        for file in self._files():
            with suppress(OSError):
                file.unlink()


def _digest(files: Iterable[Path]) -> str:
    digest = sha256()
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()


@cache
def _version() -> str:
    return _digest(sorted(_SOURCES.glob("*.py")))[:16]
