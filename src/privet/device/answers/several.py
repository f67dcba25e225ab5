"""Several choices: a person's answer is a set of options, of a bounded size, and may be none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ...errors import InvalidAnswer, InvalidArgument
from ...errors.arguments import whole
from ..mechanisms.base import Mechanism
from ..mechanisms.choices import Choices
from ..mechanisms.choosing import choose_for_sets
from ..mechanisms.registry import for_several
from ..wording import check_names
from .base import Answers
from .names import Names

if TYPE_CHECKING:
    from ...analysis.estimate import Estimate  # noqa: F401, in the base

__all__ = ["Several"]


class Several(Answers["Estimate"]):
    """All that apply: at most so many of these options, none allowed.

    Parameters
    ----------
    options : sequence of str
        What can be chosen, at least two.
    most : int
        The largest number of options that one person may choose. The more, the noisier.
    pairs : bool
        Take a mechanism whose reports tell how often two options are chosen together
        (`privet.sums.pair_shares`), at some cost for the single ones.

    >>> drinks = Several(["tea", "coffee", "milk", "juice"], most=2)
    >>> drinks.value(["milk", "tea"]), drinks.value([])
    ((0, 2), ())

    """

    kind: ClassVar[str] = "several"
    in_tables: ClassVar[bool] = False
    told_by_tables: ClassVar[bool] = False
    field_types: ClassVar[dict[str, str]] = {"kind": "text", "options": "array", "most": "integer"}
    most: int
    pairs: bool

    def __init__(self, options: Sequence[str], most: int = 3, *, pairs: bool = False) -> None:
        names = Names(check_names("Several", "options", options))
        most = whole("Several", "most", most, 1, len(names))
        if not isinstance(pairs, bool):
            raise InvalidArgument("Several", "pairs", "True or False", pairs)
        self._freeze(names=names, most=most, pairs=pairs)

    def __repr__(self) -> str:
        return f"Several({len(self.names)} options, most={self.most})"

    def fields(self) -> dict[str, Any]:
        """Return the options, and how many of them one may choose."""
        return {"kind": self.kind, "options": list(self.names), "most": self.most}

    @classmethod
    def from_fields(cls, fields: dict[str, Any]) -> Self:
        """Rebuild from the options and how many of them one may choose."""
        return cls(fields["options"], fields["most"])

    def described(self) -> str:
        """Return how many options there are."""
        return f"at most {self.most:,} of {len(self.names):,} options"

    def fitting(self) -> Iterable[str]:
        """Return the mechanisms of sets."""
        return for_several

    def choose(self, epsilon: float) -> Mechanism:
        """Return the mechanism with the least error of options that some choose, or of pairs."""
        return choose_for_sets(self.size, epsilon, self.most, pairs=self.pairs)

    def made(self, kind: type[Mechanism], epsilon: float) -> Mechanism:
        """Return the best mechanism of a kind."""
        return for_several[kind.name](self.size, epsilon, self.most)

    def fits(self, mechanism: Mechanism) -> bool:
        """Tell whether a mechanism is for just these options, and as many a person."""
        of_sets = isinstance(mechanism, Choices) and mechanism.most == self.most
        return of_sets and super().fits(mechanism)

    def value(self, answer: object) -> tuple[int, ...]:
        """Return the positions of the options that were chosen, in order."""
        if isinstance(answer, str | bytes) or not isinstance(answer, Iterable):
            rule = f"a list of at most {self.most} options of this survey"
            raise InvalidAnswer(answer, rule=rule)
        chosen = [self.names.index_of(option) for option in answer]
        if len(chosen) > self.most:
            rule = f"at most {self.most} options: it has {len(chosen)}"
            raise InvalidAnswer(answer, rule=rule)
        if len(set(chosen)) < len(chosen):
            raise InvalidAnswer(answer, rule="a list of different options")
        return tuple(sorted(chosen))

    def context(self, value: tuple[int, ...]) -> bytes:
        """Return the positions, in eight bytes each."""
        return b"".join(place.to_bytes(8, "big") for place in value)
