"""Progress: how long work reports how far it is."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

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
