"""Progress: how long work reports how far it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

__all__ = ["Progress", "no_progress"]


class Progress(Protocol):
    """Called with what is being done and how much of it there is, if that is known."""

    def __call__(
        self, what: str, total: int | None = None
    ) -> AbstractContextManager[Callable[[int], object]]:
        """Return a context that yields `advance(n)`, to be called from any thread."""


@contextmanager
def no_progress(what: str, total: int | None = None) -> Iterator[Callable[[int], object]]:
    """Show nothing."""
    yield lambda n: None
