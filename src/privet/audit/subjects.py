"""Whom an audit asks: a few answers, what the mechanism makes of each, and what they are called.

All answers where there are few; else the first, the last and others at random. Of sets, those with
nothing in common tell most; of questionnaires, people who answer every question differently.
"""

from __future__ import annotations

from functools import singledispatch
from os import urandom
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..analysis.paged import OnPages, draw_pages
from ..answers.scale import Scale
from ..answers.several import Several
from ..entropy import Stream
from ..mechanisms.base import Mechanism
from ..mechanisms.bits.two_level_unary import TwoLevelUnary
from ..mechanisms.choices import Choices
from ..mechanisms.paged import Paged
from ..questionnaire import Questionnaire
from ..survey import Survey

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from ..answers.base import Answers
    from ..entropy import Entropy

__all__ = ["Direct", "Probe", "claimed_of", "probes"]


class Probe(NamedTuple):
    """An answer, and what the mechanism randomizes of it."""

    answer: Any
    value: Any


class Direct:
    """A mechanism by itself as a client: its values are the answers."""

    def __init__(self, mechanism: Mechanism, entropy: Entropy | None = None) -> None:
        self.mechanism, self._entropy = mechanism, entropy

    def reports(self, answers: Sequence[Any]) -> NDArray[np.uint8]:
        """Return fresh reports, one a row."""
        rows = _rows(self.mechanism, answers, self._entropy)
        return self.mechanism.randomize(rows, entropy=self._entropy)

    def repeats(self, answer: Any, times: int) -> list[bytes]:
        """Return nothing: a mechanism has no secret, and promises nothing of repeats."""
        return []


def _rows(mechanism: Mechanism, values: Sequence[Any], entropy: Entropy | None) -> Any:
    """Return values as a batch takes them; many that are one and the same are looked at once."""
    if isinstance(mechanism, Paged):
        pages = draw_pages(mechanism, len(values), entropy)
        rows = [np.flatnonzero(pages == page) for page in range(len(mechanism.parts))]
        parts = [
            _rows(part, [values[row][page] for row in some.tolist()], entropy)
            for page, (part, some) in enumerate(zip(mechanism.parts, rows, strict=True))
        ]
        return OnPages(pages, tuple(parts))
    if values and all(one is values[0] for one in values):
        return np.repeat(mechanism.analyst.batches.as_values([values[0]]), len(values), axis=0)
    return mechanism.analyst.batches.as_values(values)


@singledispatch
def probes(subject: Any, most: int, rng: Generator) -> list[Probe]:
    """Return at most so many different answers, at least two."""
    raise TypeError(f"Not a mechanism, a survey or a questionnaire: {subject!r}.")


@probes.register(Mechanism)
def _(subject: Mechanism, most: int, rng: Generator) -> list[Probe]:
    return [Probe(value, value) for value in _values(subject, most, rng)]


@probes.register(Survey)
def _(subject: Survey, most: int, rng: Generator) -> list[Probe]:
    return _answered(subject.answers, subject.mechanism, most, rng)


@probes.register(Questionnaire)
def _(subject: Questionnaire, most: int, rng: Generator) -> list[Probe]:
    by_question = {
        one.id: _answered(one.answers, one.mechanism, most, rng) for one in subject.surveys
    }
    found: dict[Any, Probe] = {}
    for row in range(most):
        answers = {
            name: some[row if row < 2 else int(rng.integers(len(some)))].answer
            for name, some in by_question.items()
        }
        value = tuple(_settled(page.answers, page.value(answers)) for page in subject.pages)
        found.setdefault(value, Probe(answers, value))
    return list(found.values())


def _settled(answers: Answers, value: Any) -> Any:
    """Return what a mechanism randomizes of a value that lies on the centre of a cell."""
    return answers.settled(value, Stream(urandom, 8))


def _answered(answers: Answers, mechanism: Mechanism, most: int, rng: Generator) -> list[Probe]:
    """Return values of a question with the answers that they are of."""
    if isinstance(answers, Scale):
        numbers = [answers.low + answers.step * cell for cell in range(answers.cells)]
        usable = [i for i, one in enumerate(numbers) if not answers.whole or one.is_integer()]
        return [Probe(numbers[usable[i]], usable[i]) for i in _some(len(usable), most, rng)]
    names = answers.names
    if isinstance(answers, Several):
        sets = _values(mechanism, most, rng)
        return [Probe([names[option] for option in value], value) for value in sets]
    return [Probe(names[value], value) for value in _values(mechanism, most, rng)]


def _values(mechanism: Mechanism, most: int, rng: Generator) -> list[Any]:
    """Return different values: the first, the last, and others."""
    if isinstance(mechanism, Paged):
        columns = [_values(part, most, rng) for part in mechanism.parts]
        rows = [[one[0] for one in columns], [one[1] for one in columns]]
        rows += [[one[rng.integers(len(one))] for one in columns] for _ in range(most - 2)]
        return list(dict.fromkeys(map(tuple, rows)))
    if isinstance(mechanism, Choices):
        return _sets(mechanism.d, mechanism.most, most, rng)
    return _some(mechanism.d, most, rng)


def _some(size: int, most: int, rng: Generator) -> list[int]:
    """Return all of [0, size), or the ends and others at random; the ends come first."""
    if size <= most:
        return [0, size - 1, *range(1, size - 1)]
    inner = rng.choice(size - 2, most - 2, replace=False) + 1
    return [0, size - 1, *sorted(inner.tolist())]


def _sets(options: int, largest: int, most: int, rng: Generator) -> list[tuple[int, ...]]:
    """Return sets of options: of the first ones, of the last ones, none, and others at random."""
    ends = tuple(range(largest)), tuple(range(options - largest, options))
    found = dict.fromkeys([*ends, (), (0,)])
    for _ in range(4 * most):
        if len(found) >= most:
            break
        size = int(rng.integers(1, largest + 1))
        found[tuple(sorted(rng.choice(options, size, replace=False).tolist()))] = None
    return list(found)[:most]


def claimed_of(mechanism: Mechanism) -> float:
    """Return the privacy level that one report by itself must keep."""
    if isinstance(mechanism, Paged):
        return max(claimed_of(part) for part in mechanism.parts)
    return mechanism.report_epsilon if isinstance(mechanism, TwoLevelUnary) else mechanism.epsilon
