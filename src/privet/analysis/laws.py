"""The joint law of counts, drawn for so many people of each value: a way for each kind.

The counts of a whole population are drawn without making a report. All respondents for whom the
same number of members remains to be drawn are alike, so their number is enough: the domain is
halved again and again, and the histogram of remaining members is split by multinomial and
hypergeometric draws. A billion respondents take two to three times as long as a hundred thousand.
Populations of up to a few ten thousand make their reports instead, because that is faster. Designs,
unary bits and noise have shorter ways of their own.

Where a mechanism has no shorter way, the reports are made and counted: local and cohort hashes, the
1-bit response, RAPPOR and sets that meet several choices.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import singledispatch
from typing import Any, cast

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ..device.entropy import Entropy
from ..device.mechanisms.base import Channel, Mechanism
from ..device.mechanisms.bits.unary import Unary
from ..device.mechanisms.flips import ONE
from ..device.mechanisms.hashes.one_option import OneOption
from ..device.mechanisms.noise.geometric import GeometricNoise
from ..device.mechanisms.noise.laplace import LaplaceNoise
from ..device.mechanisms.scales.interval import Interval
from ..device.mechanisms.subsets.design import Design
from ..device.mechanisms.subsets.k_subset import KSubset
from ..device.mechanisms.subsets.listed_sets import ListedSets
from ..device.mechanisms.subsets.set_subset import SetSubset
from ..device.mechanisms.subsets.subsets import Subsets
from . import kernels
from .arrays import Integers
from .choices import SetBatches
from .placed import PlacedBatches

__all__ = ["draw_counts", "makes_reports"]

_CHUNK_BYTES = 1 << 24
# Up to so many people, and so many times d, reports of sets are made faster than simulated.
_FEW_PEOPLE, _FEW_TIMES = 40_000, 64


@singledispatch
def draw_counts(channel: Channel, people: Any, rng: Generator) -> Any:
    """Draw how many reports support each value, for so many people of each, or of each set."""
    raise TypeError(f"The counts of {channel!r} cannot be drawn.")


@draw_counts.register(Mechanism)
def _from_reports(
    mechanism: Mechanism, people: Integers, rng: Generator, values: Integers | None = None
) -> Integers:
    """Make the reports of everyone, and count them; values are 0, 1, … unless others are given."""
    different = np.arange(mechanism.d) if values is None else values
    analyst, entropy = mechanism.analyst, Entropy(rng.bytes(32))
    total = np.zeros(analyst.counter.size, dtype=np.int64)
    rows = max(1, _CHUNK_BYTES // max(8, mechanism.report_bytes))
    ends = np.cumsum(people)
    for at in range(0, int(ends[-1]), rows):
        within = np.clip(ends, at, at + rows)
        within[1:] -= within[:-1].copy()
        within[0] -= at
        everyone = np.repeat(different, within, axis=0)
        analyst.counter.fold(analyst.batches.side_by_side(everyone, entropy), total)
    return analyst.counter.counts(total)


def makes_reports(mechanism: Mechanism) -> bool:
    """Return whether the reports of everyone are made, however many, as there is no shorter way."""
    return draw_counts.dispatch(type(mechanism)) is _from_reports


@draw_counts.register(SetSubset)
def _of_choices(
    mechanism: SetSubset, people: Mapping[tuple[int, ...], int], rng: Generator
) -> Integers:
    """Make the reports of so many people with each set of options."""
    sets = cast("SetBatches", mechanism.analyst.batches).as_values(list(people))
    return _from_reports(mechanism, np.array(list(people.values())), rng, sets)


@draw_counts.register(OneOption)
def _of_answers(
    mechanism: OneOption, people: Mapping[tuple[int, ...], int], rng: Generator
) -> Integers:
    """Draw how many people with each set are asked about each option, and how many say yes."""
    counts = np.zeros((mechanism.d, 2), dtype=np.int64)
    yes, no = map(float, mechanism.hit_rates)
    for options, n in people.items():
        asked = rng.multinomial(n, np.full(mechanism.d, 1 / mechanism.d))
        rates = np.full(mechanism.d, no)
        rates[list(options)] = yes
        counts += np.stack((rng.binomial(asked, rates), asked), axis=1)
    return counts


@draw_counts.register(ListedSets)
def _of_numbers(
    mechanism: ListedSets, people: Mapping[tuple[int, ...], int], rng: Generator
) -> Integers:
    """Draw how many reports hold each set."""
    holding = np.zeros(mechanism.points, dtype=np.int64)
    for options, n in people.items():
        holding[mechanism.number(options)] += n
    return mechanism.counts(draw_counts(mechanism.listed, holding, rng))


@draw_counts.register(KSubset)
def _of_sets(mechanism: KSubset, people: Integers, rng: Generator) -> Integers:
    """Draw from the joint law of the counts, where that is faster than making the reports."""
    if people.sum() <= min(_FEW_PEOPLE, _FEW_TIMES * mechanism.d):
        return _from_reports(mechanism, people, rng)

    marked = _marked(mechanism, people, rng)
    ignoring = people.sum() - marked.sum()
    counts: Integers = kernels.population_counts.draw_counts(rng, marked, ignoring, mechanism.k)
    return counts


@draw_counts.register(Design)
def _of_blocks(mechanism: Design, people: Integers, rng: Generator) -> Integers:
    """Draw how many report each block, where that is less work than making the reports."""
    n, holding = int(people.sum()), mechanism.holding
    if n <= mechanism.d * holding:
        return _from_reports(mechanism, people, rng)
    batches = cast("PlacedBatches[Design]", mechanism.analyst.batches)
    marked = _marked(mechanism, people, rng)
    total = rng.multinomial(n - marked.sum(), np.full(mechanism.blocks, 1 / mechanism.blocks))
    shares = np.full(holding, 1 / holding)
    for value in np.flatnonzero(marked):
        total[batches.holding(int(value))] += rng.multinomial(marked[value], shares)
    return mechanism.counts(total)


@draw_counts.register(Interval)
def _of_windows(mechanism: Interval, people: Integers, rng: Generator) -> Integers:
    """Draw how many report each window: any at all, or one of those that cover the value."""
    windows, width = mechanism.numbers, mechanism.window
    covering = rng.binomial(people, float(mechanism.slope))
    total = rng.multinomial(people.sum() - covering.sum(), np.full(windows, 1 / windows))
    for value in np.flatnonzero(covering):
        total[value : value + width] += rng.multinomial(covering[value], np.full(width, 1 / width))
    return mechanism.counts(total)


def _marked(mechanism: Subsets, people: Integers, rng: Generator) -> Integers:
    """Draw how many reports of each value hold it for sure; the others do not depend on it.

    A report is any set with probability v / D, and else any of those that hold the person's value.
    """
    share = mechanism.k * (mechanism.odds - (1 << mechanism.scale)) / mechanism.total
    return rng.binomial(people, share)


@draw_counts.register(Unary)
def _of_bits(mechanism: Unary, people: Integers, rng: Generator) -> Integers:
    """Draw bit by bit: given the people's values, bits are independent."""
    kept: Integers = rng.binomial(people, mechanism.g)
    kept += rng.binomial(people.sum() - people, mechanism.h)
    return kept


@draw_counts.register(GeometricNoise)
def _of_whole_noise(mechanism: GeometricNoise, people: Integers, rng: Generator) -> Integers:
    """Draw how many entries are above 0, and how many of them go each further step."""
    others = people.sum() - people
    f, alpha = mechanism.flip / ONE, float(mechanism.alpha)
    up = rng.binomial(people, 1 - f) + rng.binomial(others, f)
    still = np.stack([up, people.sum() - up])
    sums: Integers = up.copy()
    for _ in range(mechanism.limit):
        still = rng.binomial(still, alpha)
        if not still.any():
            break
        sums += still[0] - still[1]
    return sums


@draw_counts.register(LaplaceNoise)
def _of_real_noise(channel: LaplaceNoise, people: Integers, rng: Generator) -> NDArray[np.float64]:
    """Draw the sums of the noisy entries, which are no integers here.

    Laplace noise is the difference of two exponential variables, n of which add up to a Gamma.
    """
    up, down = rng.gamma(people.sum(), 2 / channel.epsilon, (2, channel.d))
    sums: NDArray[np.float64] = people + up - down
    return sums
