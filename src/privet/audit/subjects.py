"""The answers that an audit asks for, and what the mechanism randomizes of each.

Which answers these are, their kind says (`asking`). People who answer a questionnaire answer each
question in as many ways as there is room for.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ..analysis.paged import OnPages, draw_pages
from ..device.contract import Contract
from ..device.entropy import Entropy
from ..device.mechanisms.base import Mechanism, Randomizer
from ..device.mechanisms.bits.two_level_unary import TwoLevelUnary
from ..device.mechanisms.paged import Paged
from ..errors import Clamped
from .asking import asking_of, values_of

__all__ = ["Direct", "Probe", "claimed_of", "probes"]


class Probe(NamedTuple):
    """An answer, and what the mechanism randomizes of it, for a scale a cell or `Between` two."""

    answer: Any
    value: Any


class Direct:
    """A mechanism by itself as a client: its values are the answers."""

    def __init__(self, mechanism: Randomizer, entropy: Entropy | None = None) -> None:
        self.mechanism, self._entropy = mechanism, entropy

    def reports(self, answers: Sequence[Any]) -> NDArray[np.uint8]:
        """Return fresh reports, one a row."""
        rows = _rows(self.mechanism, answers, self._entropy)
        return self.mechanism.randomize(rows, entropy=self._entropy)

    def repeats(self, answer: Any, times: int) -> list[bytes]:
        """Return nothing: a mechanism has no secret, and promises nothing of repeats."""
        return []


@singledispatch
def _rows(mechanism: Randomizer, values: Sequence[Any], entropy: Entropy | None) -> Any:
    """Return values as a batch takes them; many that are one and the same are looked at once."""
    raise TypeError(f"{mechanism!r} takes no rows of values.")


@_rows.register
def _(mechanism: Mechanism, values: Sequence[Any], entropy: Entropy | None) -> Any:
    if values and all(one is values[0] for one in values):
        return np.repeat(mechanism.analyst.batches.as_values([values[0]]), len(values), axis=0)
    return mechanism.analyst.batches.as_values(values)


@_rows.register
def _(mechanism: Paged, values: Sequence[Any], entropy: Entropy | None) -> Any:
    pages = draw_pages(mechanism.weights, len(values), entropy)
    rows = [np.flatnonzero(pages == page) for page in range(len(mechanism.parts))]
    parts = [
        _rows(part, [values[row][page] for row in some.tolist()], entropy)
        for page, (part, some) in enumerate(zip(mechanism.parts, rows, strict=True))
    ]
    return OnPages(pages, tuple(parts))


@singledispatch
def probes(subject: Any, most: int, rng: Generator, *, beyond: bool = True) -> list[Probe]:
    """Return at most so many different answers, at least two.

    Forms refuse numbers beyond the ends of a scale; other clients take them for the ends.
    """
    raise TypeError(f"Not a mechanism, a survey or a questionnaire: {subject!r}.")


@probes.register
def _(subject: Randomizer, most: int, rng: Generator, *, beyond: bool = True) -> list[Probe]:
    return [Probe(value, value) for value in values_of(subject, most, rng)]


@probes.register
def _(subject: Contract, most: int, rng: Generator, *, beyond: bool = True) -> list[Probe]:
    joint = {name for page in subject.pages if len(page.asks) > 1 for name in page.asks}
    columns = {
        one.id: asking_of(one.answers).answers(
            one.mechanism, most, rng, in_tables=one.id in joint, beyond=beyond
        )
        for one in subject.surveys
    }
    if subject.only is not None:
        (answers,) = columns.values()
        return [Probe(one, _on_pages(subject, one)[0]) for one in answers]
    turns = {name: _in_turn(some, rng) for name, some in columns.items()}
    found: dict[str, Probe] = {}
    for _ in range(4 * most):
        person = {name: next(turn) for name, turn in turns.items()}
        found.setdefault(repr(person), Probe(person, _on_pages(subject, person)))
        if len(found) == most:
            break
    return list(found.values())


def _in_turn(answers: list[Any], rng: Generator) -> Iterator[Any]:
    """Yield the first two answers, the others, and then all of them again, in random orders."""
    yield from answers
    while True:
        yield from (answers[i] for i in rng.permutation(len(answers)))


def _on_pages(subject: Contract, answer: Any) -> tuple[Any, ...]:
    """Return what each page's mechanism randomizes of a person's answer."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Clamped)  # numbers beyond the ends are asked on purpose
        return tuple(
            asking_of(page.answers).randomized(subject.value(answer, page))
            for page in subject.pages
        )


@singledispatch
def claimed_of(mechanism: Randomizer) -> float:
    """Return the privacy level that one report by itself must keep."""
    return mechanism.epsilon


@claimed_of.register
def _(mechanism: Paged) -> float:
    return max(claimed_of(part) for part in mechanism.parts)


@claimed_of.register
def _(mechanism: TwoLevelUnary) -> float:
    return mechanism.report_epsilon
