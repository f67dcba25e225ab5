"""The same work in other libraries: their clients and aggregators take one report at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet import Survey
from privet.mechanisms import BinaryRR, KSubset, MultivariateRR

from . import peers
from .rows import Bar, Row, faster
from .timing import Scale, Work, seconds_a_unit, show_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from privet.mechanisms import Mechanism

EPSILON = 1.0
_REPORTS = 100_000


def randomizing(mechanism: Mechanism, n: int) -> Work:
    """Make n reports on one core; a unit is a report."""
    values = np.random.default_rng(1).integers(0, mechanism.d, n)
    return Work(lambda: mechanism.randomize(values, workers=1), n)


def counting(mechanism: Mechanism, n: int) -> Work:
    """Check and count n reports; a unit is a report."""
    reports = randomizing(mechanism, n).run()
    return Work(lambda: mechanism.tally(reports), n)


def _randomize(scale: Scale, work: str, mechanism: Mechanism, bar: Bar | None = None):
    mine = randomizing(mechanism, scale(_REPORTS))
    theirs = {
        peer.name: peer.randomizing(mechanism.d, EPSILON)
        for peer in peers.with_mechanism(mechanism.name, scale)
    }
    return _each(scale, work, mine, theirs, bar)


def _count(scale: Scale, work: str, mechanism: Mechanism, bar: Bar | None = None):
    mine = counting(mechanism, scale(_REPORTS))
    theirs = {
        peer.name: peer.counting(mechanism.d, EPSILON)
        for peer in peers.with_mechanism(mechanism.name, scale)
        if peer.count
    }
    return _each(scale, work, mine, theirs, bar)


def _each(
    scale: Scale, work: str, mine: Work, theirs: dict[str, Work], bar: Bar | None
) -> Iterator[Row]:
    """Yield a row for each peer, or one of privet alone where there is none."""
    for name, other in (theirs or {"peers": None}).items():
        yield faster(scale, work, mine, other, name, bar)


def randomize_k_subset(scale: Scale) -> Iterator[Row]:
    """Randomize by the k-subset mechanism, against a peer.

    Time for one report of 100,000 in one call on one core with secure randomness (AES-256-CTR),
    against one call of a compiled client, in a loop, which draws from a Mersenne Twister.
    """
    for d, bar in ((64, Bar(80, 140)), (1024, Bar(100, 150))):
        mechanism = KSubset(d, EPSILON)
        yield from _randomize(scale, f"randomize, d = {d:,}", mechanism, bar)


def count_k_subset(scale: Scale) -> Iterator[Row]:
    """Count k-subset reports, against a peer.

    Time for one report: checked and counted, against the peer's aggregator on what its own client
    made.
    """
    for d, bar in ((64, Bar(1000, 10_000)), (1024, Bar(3000, 10_000))):
        yield from _count(scale, f"tally, d = {d:,}", KSubset(d, EPSILON), bar)


def randomized_response(scale: Scale) -> Iterator[Row]:
    """Randomized response, against peers.

    Time for one report, as above. SUE is symmetric unary encoding, GRR and DE are generalized
    randomized response. opendp too draws securely, but has no aggregator for categories; the
    one-hot encoding that its bit vectors need is not timed.
    """
    for make in (BinaryRR, MultivariateRR):
        for d in (64, 1024):
            work = f"{make.__name__}, d = {d:,}"
            yield from _randomize(scale, f"{work}: randomize", make(d, EPSILON))
            yield from _count(scale, f"{work}: tally", make(d, EPSILON))


def one_report(scale: Scale) -> Iterator[Row]:
    """One report of one person.

    A call of Survey.randomize with the category's name, which returns the bytes to send; beside
    it, one call of each peer's client (of its mechanism nearest to k-subset) with a number.
    """
    for d in (16, 64, 100, 1000):
        survey = Survey("Which?", [f"c{i}" for i in range(d)], EPSILON)
        answers = [f"c{i % d}" for i in range(scale(5000))]

        def answer_all(randomize=survey.randomize, answers=answers) -> None:
            for answer in answers:
                randomize(answer)

        found = peers.nearest(scale)
        works = [Work(answer_all, len(answers))] + [p.randomizing(d, EPSILON) for p in found]
        own, *others = seconds_a_unit(scale.repeats, *works)
        beside = [
            f"{peer.name} {show_time(time)}" for peer, time in zip(found, others, strict=True)
        ]
        yield Row(
            f"Survey.randomize, d = {d:,}",
            show_time(own),
            ", ".join(beside) or "peers: not run",
            own * 1e6,
            "µs",
            Bar(5, at_most=True) if d == 64 else None,
        )
