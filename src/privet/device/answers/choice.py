"""One choice: a person's answer is one of the categories."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ..mechanisms.base import Mechanism
from ..mechanisms.choosing import choose
from ..mechanisms.registry import for_one
from ..wording import check_names
from .base import Answers
from .names import Names

if TYPE_CHECKING:
    from ...analysis.estimate import Estimate  # noqa: F401, in the base

__all__ = ["Choice"]


class Choice(Answers["Estimate"]):
    """One of these categories, at least two; their order is part of the contract.

    >>> tea = Choice(["tea", "coffee", "neither"])
    >>> tea.value("coffee"), tea.described()
    (1, '3 categories')
    """

    kind: ClassVar[str] = "choice"
    field_types: ClassVar[dict[str, str]] = {"categories": "array"}

    def __init__(self, categories: Sequence[str]) -> None:
        self._freeze(names=Names(check_names("Survey", "categories", categories)))

    def __repr__(self) -> str:
        return f"Choice({list(self.names)!r:.60})"

    def fields(self) -> dict[str, Any]:
        """Return the categories."""
        return {"categories": list(self.names)}

    @classmethod
    def from_fields(cls, fields: dict[str, Any]) -> Self:
        """Rebuild from the categories."""
        return cls(fields["categories"])

    def described(self) -> str:
        """Return how many categories there are."""
        return f"{len(self.names):,} categories"

    def fitting(self) -> Iterable[str]:
        """Return all mechanisms of one value a person."""
        return for_one

    def choose(self, epsilon: float) -> Mechanism:
        """Return the mechanism with the least error, and of those the shortest report."""
        return choose(self.size, epsilon)

    def made(self, kind: type[Mechanism], epsilon: float) -> Mechanism:
        """Return the best mechanism of a kind."""
        return kind(self.size, epsilon)

    def value(self, answer: object) -> int:
        """Return the position of an answer among the categories."""
        place = self.names.positions.get(answer) if type(answer) is str else None
        return self.names.index_of(answer) if place is None else place

    def context(self, value: int) -> bytes:
        """Return the position in eight bytes."""
        return value.to_bytes(8, "big")
