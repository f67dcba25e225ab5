"""Reports that are the number of a block: made, counted and decoded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import privet
from privet import Survey
from privet.analysis.lookup import values_of
from privet.analysis.questions import randomize
from privet.mechanisms import Cyclotomic, Hadamard, LocalHash, Projective

from . import peers
from .against_peers import counting, randomizing
from .rows import Bar, Row, faster
from .timing import Scale, Work, seconds_a_unit, show_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from privet.mechanisms import Mechanism

_SIZES = ((1000, 1.0, 50.0), (65_536, 3.0, 1000.0), (1_000_000, 1.0, 5000.0))


def make(scale: Scale) -> Iterator[Row]:
    """Short reports, made.

    Reports a second on one core with secure randomness, in one call for a million; and one report
    of one person.
    """
    for d, epsilon, _ in ((100, 1.0, 0.0), *_SIZES):
        for kind in (Cyclotomic, Projective):
            mechanism = kind(scale(d), epsilon)
            (one,) = seconds_a_unit(scale.repeats, randomizing(mechanism, scale(1_000_000)))
            work = f"{kind.__name__}, d = {mechanism.d:,}, ε = {epsilon:g}"
            size = f"{mechanism.report_bytes} B each"
            yield Row(work, show_time(one), size, 1e-6 / one, "M/s", Bar(20))
    yield _from_numbers(scale)
    survey = Survey("Which?", [str(i) for i in range(1000)], 1.0, mechanism=Cyclotomic(1000, 1.0))
    calls = range(scale(20_000))
    (one,) = seconds_a_unit(
        scale.repeats, Work(lambda: [survey.randomize("7") for _ in calls], len(calls))
    )
    shown = show_time(one)
    yield Row("Survey.randomize, d = 1,000", shown, "", 1e6 * one, "µs", Bar(3, at_most=True))


def _from_numbers(scale: Scale) -> Row:
    """Return how fast floats become reports: each is checked, rounded by a coin, and randomized."""
    survey = Survey("How many?", privet.Scale(0, 1, cells=64), 1.0)
    numbers = np.random.default_rng(1).random(scale(1_000_000))
    mine = Work(lambda: randomize(survey, values_of(survey, numbers), workers=1), len(numbers))
    (one,) = seconds_a_unit(scale.repeats, mine)
    size = f"{survey.mechanism.report_bytes} B each"
    return Row("Scale, 64 cells, from floats", show_time(one), size, 1e-6 / one, "M/s", Bar(20))


def decode(scale: Scale) -> Iterator[Row]:
    """Short reports, counted and decoded.

    A million reports, from bytes to the counts of all values, and the bare Fourier transforms
    that the cyclotomic design comes down to (m of p points each, and back).
    """
    for d, epsilon, most in _SIZES:
        mechanism = Cyclotomic(scale(d), epsilon)
        reports = randomizing(mechanism, scale(1_000_000)).run()
        mine = Work(lambda m=mechanism, r=reports: m.tally(r))
        own, bare = seconds_a_unit(scale.repeats, mine, _transforms(mechanism))
        work = f"tally, d = {mechanism.d:,}, ε = {epsilon:g}"
        beside = f"FFTs alone {show_time(bare)}"
        yield Row(work, show_time(own), beside, 1e3 * own, "ms", Bar(most, at_most=True))


def short_against_peers(scale: Scale) -> Iterator[Row]:
    """Short reports, against peers.

    Time for one report of its own kind at d = 1,000. HR is Hadamard response, LH optimized local
    hashing, whose aggregator hashes every value for every report.
    """
    for mechanism, name in (
        (Hadamard(1000, 1.0), "hadamard"),
        (LocalHash(1000, 1.0), "local-hash"),
    ):
        for peer in peers.with_mechanism(name, scale):
            for what, mine, theirs in (
                ("randomize", randomizing(mechanism, 100_000), peer.randomizing(1000, 1.0)),
                ("tally", counting(mechanism, 10_000), peer.counting(1000, 1.0)),
            ):
                yield faster(scale, f"{type(mechanism).__name__}: {what}", mine, theirs, peer.name)


def _transforms(mechanism: Mechanism) -> Work:
    """Transform as many series of as many points as the design has classes and residues."""
    from scipy.fft import irfft, next_fast_len, rfft

    points = next_fast_len(2 * mechanism.p, real=True)
    series = np.random.default_rng(1).random((mechanism.m, points))
    return Work(lambda: [irfft(rfft(one), points) for one in series])
