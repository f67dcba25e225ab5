"""What an audit asks for: answers by their kind, and values of a mechanism by its class.

All values are asked where there are few, otherwise the first, the last and others at random. Of
sets, two full ones tell most, and then one of each size, because smaller sets are padded. Numbers
on a scale lie at centres, between them and beyond the ends (`between`).

`asking_of` finds what to do by the class of the answers. Where they are of a kind that is not
registered, an answer is the name at the position that is its value. A kind whose answers are
something else has a class of its own: `asking_of.register(Dates, AskingForDates)`.
"""

from __future__ import annotations

from functools import singledispatch
from itertools import chain
from typing import Any, Generic, TypeVar

from numpy.random import Generator

from ..device.answers.base import Answers
from ..device.answers.scale import Scale
from ..device.answers.several import Several
from ..device.mechanisms.base import Randomizer
from ..device.mechanisms.choices import Choices
from ..device.mechanisms.paged import Paged
from .between import Between, numbers_of, place_of

__all__ = ["Asking", "asking_of", "values_of"]

A = TypeVar("A", bound=Answers[Any])


# --- values of a mechanism ----------------------------------------------------------------------


@singledispatch
def values_of(mechanism: Randomizer, most: int, rng: Generator) -> list[Any]:
    """Return at most `most` different values, among them the first and the last."""
    size = mechanism.d
    if size <= most:
        return [0, size - 1, *range(1, size - 1)]
    inner = rng.choice(size - 2, most - 2, replace=False) + 1
    return [0, size - 1, *sorted(inner.tolist())]


@values_of.register
def _(mechanism: Paged, most: int, rng: Generator) -> list[Any]:
    columns = [values_of(part, most, rng) for part in mechanism.parts]
    rows = [[one[0] for one in columns], [one[1] for one in columns]]
    rows += [[one[rng.integers(len(one))] for one in columns] for _ in range(most - 2)]
    return list(dict.fromkeys(map(tuple, rows)))


@values_of.register
def _(mechanism: Choices, most: int, rng: Generator) -> list[Any]:
    """Return sets of options: the first ones, the last ones, none, and others of every size.

    Where there is no room for every size, sizes are spread evenly.
    """
    options, largest = mechanism.d, mechanism.most
    ends = tuple(range(largest)), tuple(range(options - largest, options))
    found = dict.fromkeys([*ends, ()])
    between = largest - 1
    room = min(between, max(most - len(found), 0))
    spread = [1 + (2 * i + 1) * between // (2 * room) for i in range(room)]
    others = (int(rng.integers(1, largest + 1)) for _ in range(4 * most))
    for size in chain(spread, others):
        if len(found) >= most:
            break
        found[tuple(sorted(rng.choice(options, size, replace=False).tolist()))] = None
    return list(found)[:most]


# --- answers of a kind --------------------------------------------------------------------------


class Asking(Generic[A]):
    """Asks for some answers: for one of their names, if no other class is registered."""

    def __init__(self, answers: A) -> None:
        self.of = answers

    def answers(
        self,
        mechanism: Randomizer,
        most: int,
        rng: Generator,
        *,
        in_tables: bool = False,
        beyond: bool = True,
    ) -> list[Any]:
        """Return at least two and at most `most` different answers, the most telling ones first.

        Parameters
        ----------
        mechanism : Mechanism
            What randomizes the answers.
        most : int
            How many answers to return at most.
        rng : Generator
            Chooses among answers.
        in_tables : bool
            Whether a page asks for the answer jointly with others.
        beyond : bool
            Whether to include answers that clients take and forms refuse.

        """
        return [self.answer(value) for value in values_of(mechanism, most, rng)]

    def answer(self, value: Any) -> Any:
        """Return the answer that a value is of."""
        return self.of.names[value]

    def randomized(self, value: Any) -> Any:
        """Return what the mechanism randomizes of a value."""
        return value

    def fill(self, group: Any, answer: Any) -> None:
        """Answer the question in a browser as a person does, in the group of its inputs."""
        if (typed := group.get_by_role("combobox")).count():
            typed.fill(answer)
        else:
            group.get_by_role("radio", name=answer, exact=True).check()


class _AskingForSets(Asking[Several]):
    """Asks for lists of options."""

    def answer(self, value: tuple[int, ...]) -> list[str]:
        """Return the names of the options."""
        return [self.of.names[option] for option in value]

    def fill(self, group: Any, answer: list[str]) -> None:
        """Check the boxes of the options."""
        for one in answer:
            group.get_by_role("checkbox", name=one, exact=True).check()


class _AskingForNumbers(Asking[Scale]):
    """Asks for numbers at centres, between them and beyond the ends."""

    def answers(
        self,
        mechanism: Randomizer,
        most: int,
        rng: Generator,
        *,
        in_tables: bool = False,
        beyond: bool = True,
    ) -> list[Any]:
        """Return numbers; where they are in tables, also on either side of a border of bands."""
        return numbers_of(self.of, most, rng, in_bands=in_tables, beyond=beyond)

    def randomized(self, value: int) -> int | Between:
        """Return the cell, or between which cells the number lies."""
        return place_of(value)

    def fill(self, group: Any, answer: float) -> None:
        """Type the number."""
        group.get_by_role("spinbutton").fill(str(answer))


@singledispatch
def asking_of(answers: Answers[Any]) -> Asking[Any]:
    """Return how to ask for answers of this kind."""
    return Asking(answers)


asking_of.register(Several, _AskingForSets)
asking_of.register(Scale, _AskingForNumbers)
