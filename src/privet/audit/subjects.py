"""The answers that an audit asks for, and what the mechanism randomizes of each.

All answers are asked where there are few, otherwise the first, the last and others at random. Of
sets, two full ones tell most, and then one of each size, because smaller sets are padded. Numbers
on a scale lie at centres, between them and beyond the ends (`between`). People who answer a
questionnaire answer each question in as many ways as there is room for.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import singledispatch
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ..analysis.paged import OnPages, draw_pages
from ..device.answers.base import Answers
from ..device.answers.scale import Scale
from ..device.answers.several import Several
from ..device.entropy import Entropy
from ..device.mechanisms.base import Mechanism, Randomizer
from ..device.mechanisms.bits.two_level_unary import TwoLevelUnary
from ..device.mechanisms.choices import Choices
from ..device.mechanisms.paged import Paged
from ..device.questionnaire import Questionnaire
from ..device.survey import Survey
from ..errors import Clamped
from .between import numbers_of, place_of

__all__ = ["Direct", "Probe", "claimed_of", "probes"]


class Probe(NamedTuple):
    """An answer, and what the mechanism randomizes of it, for a scale a cell or `Between` two."""

    answer: Any
    value: Any


class Direct:
    """A mechanism by itself as a client: its values are the answers."""

    def __init__(self, mechanism: Mechanism | Paged, entropy: Entropy | None = None) -> None:
        self.mechanism, self._entropy = mechanism, entropy

    def reports(self, answers: Sequence[Any]) -> NDArray[np.uint8]:
        """Return fresh reports, one a row."""
        rows = _rows(self.mechanism, answers, self._entropy)
        return self.mechanism.randomize(rows, entropy=self._entropy)

    def repeats(self, answer: Any, times: int) -> list[bytes]:
        """Return nothing: a mechanism has no secret, and promises nothing of repeats."""
        return []


def _rows(mechanism: Mechanism | Paged, values: Sequence[Any], entropy: Entropy | None) -> Any:
    """Return values as a batch takes them; many that are one and the same are looked at once."""
    if isinstance(mechanism, Paged):
        pages = draw_pages(mechanism.weights, len(values), entropy)
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
def probes(subject: Any, most: int, rng: Generator, *, beyond: bool = True) -> list[Probe]:
    """Return at most so many different answers, at least two.

    Forms refuse numbers beyond the ends of a scale; other clients take them for the ends.
    """
    raise TypeError(f"Not a mechanism, a survey or a questionnaire: {subject!r}.")


@probes.register(Randomizer)
def _(subject: Randomizer, most: int, rng: Generator, *, beyond: bool = True) -> list[Probe]:
    return [Probe(value, value) for value in _values(subject, most, rng)]


@probes.register(Survey)
def _(subject: Survey, most: int, rng: Generator, *, beyond: bool = True) -> list[Probe]:
    answers = subject.answers
    if isinstance(answers, Scale):
        numbers = numbers_of(answers, most, rng, beyond=beyond)
        with _clamping():
            return [Probe(one, place_of(answers.value(one))) for one in numbers]
    values = _values(subject.mechanism, most, rng)
    return [Probe(_named(answers, value), value) for value in values]


@probes.register(Questionnaire)
def _(subject: Questionnaire, most: int, rng: Generator, *, beyond: bool = True) -> list[Probe]:
    joint = {name for page in subject.pages if len(page.asks) > 1 for name in page.asks}
    columns = {}
    for one in subject.surveys:
        if isinstance(one.answers, Scale):
            in_bands = one.id in joint
            some: list[Any] = numbers_of(one.answers, most, rng, in_bands=in_bands, beyond=beyond)
        else:
            some = [_named(one.answers, value) for value in _values(one.mechanism, most, rng)]
        columns[one.id] = _in_turn(some, rng)
    found: dict[str, Probe] = {}
    for _ in range(4 * most):
        answers = {name: next(column) for name, column in columns.items()}
        found.setdefault(repr(answers), Probe(answers, _on_pages(subject, answers)))
        if len(found) == most:
            break
    return list(found.values())


def _in_turn(answers: list[Any], rng: Generator) -> Iterator[Any]:
    """Yield the first two answers, the others, and then all of them again, in random orders."""
    yield from answers
    while True:
        yield from (answers[i] for i in rng.permutation(len(answers)))


def _on_pages(subject: Questionnaire, answers: dict[str, Any]) -> tuple[Any, ...]:
    """Return what each page's mechanism randomizes of a person's answers."""
    with _clamping():
        values = [(page.answers, page.value(answers)) for page in subject.pages]
    return tuple(place_of(one) if isinstance(kind, Scale) else one for kind, one in values)


@contextmanager
def _clamping() -> Iterator[None]:
    """Do not warn of numbers beyond the ends, which are asked on purpose."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Clamped)
        yield


def _named(answers: Answers, value: Any) -> Any:
    """Return the answer that a value is of."""
    names = answers.names
    return [names[option] for option in value] if isinstance(answers, Several) else names[value]


def _values(mechanism: Randomizer, most: int, rng: Generator) -> list[Any]:
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
    """Return sets of options: the first ones, the last ones, none, and others of every size.

    Where there is no room for every size, sizes are spread evenly.
    """
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


def claimed_of(mechanism: Randomizer) -> float:
    """Return the privacy level that one report by itself must keep."""
    if isinstance(mechanism, Paged):
        return max(claimed_of(part) for part in mechanism.parts)
    return mechanism.report_epsilon if isinstance(mechanism, TwoLevelUnary) else mechanism.epsilon
