"""Averaging: someone asks the same person again and again, and guesses from all the reports.

The likeliest answer is the one that most of the reports support: of every mechanism whose reports
support some values, the likelihood grows with that number, also where reports are fresh copies of
one permanent response. Where several values are supported equally often, one of them is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ..analysis.arrays import Integers
from ..analysis.progress import Progress, no_progress
from ..analysis.regression.supports import supports_of
from ..device.entropy import Entropy
from ..device.mechanisms.base import Mechanism
from ..device.mechanisms.bits.optimized_unary import OptimizedUnary
from ..device.mechanisms.bits.two_level_unary import TwoLevelUnary
from ..device.mechanisms.flips import ONE
from ..errors import InvalidArgument
from ..errors.arguments import whole

__all__ = ["Averaged", "averaging"]

MOST_REPORTS = 10**6
_MOST_ENTRIES, _ENTRIES_AT_ONCE = 10**8, 1 << 23  # of people by values


@dataclass(frozen=True)
class Averaged:
    """What part of the people was found out after so many reports of each, with standard errors."""

    mechanism: Mechanism
    keyed: bool
    people: int
    reports: tuple[int, ...]
    found: tuple[float, ...]
    standard_errors: tuple[float, ...]


def averaging(
    mechanism: Mechanism,
    reports: Iterable[int] = (1, 10, 25, 50, 100),
    *,
    keyed: bool = False,
    people: int = 2000,
    seed: int | None = None,
    progress: Progress = no_progress,
) -> Averaged:
    """Return how many answers are found by guessing the likeliest from repeated reports.

    Every value is held by as many people as another, but for one.

    Parameters
    ----------
    mechanism : Mechanism
        One whose reports support some of the values: sets, designs, bits or hashes.
    reports : iterable of int
        After how many reports of each person to guess.
    keyed : bool
        Whether people have a secret: then each repeats the same report or, if the mechanism has two
        levels, makes fresh copies of the same permanent response. Else each report is new.
    people : int
        How many people are asked.
    seed : int, optional
        Makes the result repeatable.
    progress : callable, optional
        Told how far it is (`privet.analysis.progress`).

    >>> from privet.mechanisms import KSubset
    >>> fresh = averaging(KSubset(100, 1.0), [1, 100], seed=1)
    >>> keyed = averaging(KSubset(100, 1.0), [1, 100], keyed=True, seed=1)
    >>> [round(share, 2) for share in (*fresh.found, *keyed.found)]
    [0.02, 0.99, 0.02, 0.02]

    """
    times = _check_reports(reports)
    people = whole("averaging", "people", people, 2, _MOST_ENTRIES // mechanism.d)
    own, rng = np.arange(people) % mechanism.d, np.random.default_rng(seed)
    with progress("Asking again", times[-1]) as advance:
        if keyed and isinstance(mechanism, TwoLevelUnary):
            seen = _renewed(mechanism, own, times, rng)
        elif keyed:
            once = next(_fresh(mechanism, own, [1], rng))
            seen = (once for _ in times)
        else:
            seen = _fresh(mechanism, own, times, rng, advance)
        scores = [_guessed(counts, own) for counts in seen]
    found = tuple(float(score.mean()) for score in scores)
    errors = tuple(float(score.std(ddof=1)) / people**0.5 for score in scores)
    return Averaged(mechanism, keyed, people, tuple(times), found, errors)


def _check_reports(reports: Iterable[int]) -> list[int]:
    times = sorted({whole("averaging", "reports", one, 1, MOST_REPORTS) for one in reports})
    if not times:
        raise InvalidArgument("averaging", "reports", "at least one number", reports)
    return times


def _guessed(counts: Integers, own: Integers) -> NDArray[np.float64]:
    """Return how likely each person's value is guessed, one of those with the highest count."""
    best = counts == counts.max(axis=1, keepdims=True)
    score: NDArray[np.float64] = best[np.arange(len(own)), own] / best.sum(axis=1)
    return score


def _fresh(
    mechanism: Mechanism,
    own: Integers,
    times: list[int],
    rng: Generator,
    advance: Callable[[int], object] = lambda n: None,
) -> Iterator[Integers]:
    """Yield how many of each person's first reports support each value, all of them fresh."""
    entropy, counts = Entropy(rng.bytes(32)), np.zeros((len(own), mechanism.d), dtype=np.int64)
    most, done = max(1, _ENTRIES_AT_ONCE // counts.size), 0
    for at in times:
        while done < at:
            more = min(at - done, most)
            made = mechanism.randomize(np.tile(own, more), entropy=entropy)
            held = supports_of("averaging", mechanism, made).held(slice(None))
            counts += held.reshape(more, *counts.shape).sum(axis=0)
            done += more
            advance(more)
        yield counts


def _renewed(
    mechanism: TwoLevelUnary, own: Integers, times: list[int], rng: Generator
) -> Iterator[Integers]:
    """Yield the same for fresh copies of permanent responses: their bits are independent coins."""
    parameters = {"flip": str(mechanism.flip)}
    permanent = OptimizedUnary.from_parameters(mechanism.d, mechanism.epsilon, parameters)
    set_bits = next(_fresh(permanent, own, [1], rng))
    noise = mechanism.noise / ONE
    chances = np.where(set_bits, 1 - noise, noise)
    counts, done = np.zeros_like(set_bits), 0
    for at in times:
        counts += rng.binomial(at - done, chances)
        done = at
        yield counts
