"""Page: what one person of a questionnaire is asked, one question or a few of them jointly.

How likely each page is drawn is an integer, its weight.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import product
from math import gcd, prod
from typing import TYPE_CHECKING, Any

from ..errors import InvalidAnswer, InvalidArgument
from .answers.base import Answers
from .answers.choice import Choice
from .answers.names import Names
from .frozen import Frozen
from .mechanisms.base import Mechanism

if TYPE_CHECKING:  # a survey's tally needs the pages of questionnaires
    from .survey import Survey

# A question's id, or those of a table.
Asked = str | Sequence[str]

__all__ = ["Page", "weights_of"]

# Given shares of people become integers that add up to this.
_FINENESS = 10_000


class Page(Frozen):
    """What one person is asked: a question of a contract, or a few of them jointly.

    Attributes
    ----------
    number : int
        Its place among the pages, which a report begins with.
    questions : tuple of Survey
        What is asked.
    weight : int
        How likely it is drawn, out of the sum of all pages' weights.
    mechanism : Mechanism
        How the answers are randomized together.

    """

    number: int
    questions: tuple[Survey, ...]
    weight: int
    share: float
    mechanism: Mechanism

    def __init__(
        self,
        number: int,
        questions: tuple[Survey, ...],
        weight: int,
        share: float,
        mechanism: Mechanism,
    ) -> None:
        self._freeze(
            number=number, questions=questions, weight=weight, share=share, mechanism=mechanism
        )

    def __repr__(self) -> str:
        return f"Page({self.number}: {' × '.join(self.asks)}, {100 * self.share:.3g} %)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Page) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[object, ...]:
        asked = tuple((one.id, one.question, one.answers) for one in self.questions)
        return self.number, asked, self.weight, self.mechanism

    @property
    def asks(self) -> tuple[str, ...]:
        """The ids of its questions."""
        return tuple(one.id for one in self.questions)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many answers each question has here, of a scale that is asked jointly its bands."""
        if len(self.questions) == 1:
            return (self.questions[0].answers.size,)
        return tuple(len(one.answers.table_names) for one in self.questions)

    @cached_property
    def answers(self) -> Answers:
        """The kind of answer, which is the question's own or one choice of all combinations."""
        return self.joined(self.questions)

    @staticmethod
    def joined(questions: Sequence[Survey]) -> Answers:
        """Return a question's own kind of answer, or a choice of all combinations of several.

        They are in the order of a table's rows: the first question's answers vary slowest.
        """
        if len(questions) == 1:
            return questions[0].answers
        return _Product([one.answers.table_names for one in questions])

    def value(self, answers: Mapping[str, object]) -> Any:
        """Return what a report depends on, or raise InvalidAnswer, which names the question."""
        places = [self._place(one, answers.get(one.id)) for one in self.questions]
        if len(places) == 1:
            return places[0]
        value = 0
        for place, size in zip(places, self.sizes, strict=True):
            value = value * size + place
        return value

    def context(self, value: Any) -> bytes:
        """Return page and value as bytes, which a keyed report depends on."""
        return self.number.to_bytes(8, "big") + self.answers.context(value)

    def _place(self, question: Survey, answer: object) -> Any:
        kind = question.answers
        try:
            return kind.value(answer) if len(self.questions) == 1 else kind.table_place(answer)
        except InvalidAnswer as error:
            raise error.at(None, question.id) from None


class _Product(Choice):
    """One choice of all combinations of several questions' answers."""

    parts: tuple[Sequence[str], ...]

    def __init__(self, names: Sequence[Sequence[str]]) -> None:
        self._freeze(parts=tuple(names))

    @property
    def size(self) -> int:
        """How many combinations there are."""
        return prod(len(part) for part in self.parts)

    @cached_property
    def names(self) -> Names:  # type: ignore[override]
        """All combinations."""
        return Names(map(" × ".join, product(*self.parts)))

    def described(self) -> str:
        """Return how many combinations there are."""
        return f"{self.size:,} combinations"


def weights_of(asked: Sequence[tuple[str, ...]], shares: Mapping[Any, float]) -> list[int]:
    """Return an integer for each page, 0 for one that nobody is to draw."""
    owner = "Questionnaire"
    if not isinstance(shares, Mapping):
        raise InvalidArgument(owner, "shares", "a mapping of pages to shares", shares)
    given = dict.fromkeys(asked, 0.0)
    for page, share in shares.items():
        ids = page if isinstance(page, tuple) else (page,)
        if ids not in given:
            rule = f"of pages: {', '.join(' × '.join(one) for one in asked)}"
            raise InvalidArgument(owner, "shares", rule, page)
        if not isinstance(share, int | float) or not 0 <= share <= 1:
            raise InvalidArgument(owner, f"shares[{page!r}]", "a number in [0, 1]", share)
        given[ids] = float(share)
    if abs(sum(given.values()) - 1) > 1e-6:
        rule = "shares that add up to 1"
        raise InvalidArgument(owner, "shares", rule, sum(given.values()))
    return _in_whole_numbers([*given.values()])


def _in_whole_numbers(shares: Sequence[float]) -> list[int]:
    """Return shares as small integers in proportion, none below 1 unless its share is 0.

    >>> _in_whole_numbers([0.5, 0.25, 0.25]), _in_whole_numbers([1 / 3, 1 / 3, 1 / 3, 0.0])
    ([2, 1, 1], [1, 1, 1, 0])
    """
    weights = [max(1, round(share * _FINENESS)) if share > 0 else 0 for share in shares]
    common = gcd(*weights)
    return [weight // common for weight in weights]
