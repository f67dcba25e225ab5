"""Bodies of answers that take long to make: the ones used last are kept, in bounded memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, Protocol, TypeVar

__all__ = ["Recent"]


class _HasBody(Protocol):
    @property
    def body(self) -> bytes:
        """Return what is sent."""


B = TypeVar("B", bound=_HasBody)


class Recent(Generic[B]):
    """Values with a body, by a key, up to so many bytes of bodies; the ones used last are kept.

    The very last is kept even if it is larger, because others may be waiting for it.
    """

    def __init__(self, most: int) -> None:
        self._most, self._size = most, 0
        self._kept: OrderedDict[Hashable, B] = OrderedDict()

    def get(self, key: Hashable) -> B | None:
        """Return the value of a key, if it is still kept."""
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
        return found

    def keep(self, key: Hashable, value: B) -> None:
        """Keep a value in the place of the key's last one."""
        self.forget(key)
        self._kept[key] = value
        self._size += len(value.body)
        while self._size > self._most and len(self._kept) > 1:
            self.forget(next(iter(self._kept)))

    def forget(self, key: Hashable) -> None:
        """Keep nothing of a key."""
        if key in self._kept:
            self._size -= len(self._kept.pop(key).body)
