"""Several choices for analysts: mechanisms by which a person holds a set of options.

Three families: the k-subset mechanism for sets, whose counters have one for every blank too and
whose shares are estimated as those of any symmetric mechanism; lists of sets; and one option asked
of each person.

With f the number of sets with an option in all n reports of listed sets, M the number of such sets,
and g and h the hit rates of the k-subset mechanism over N sets, f/n has the mean Mh + θ(g − h). So

    (f/n − Mh) / (g − h)

estimates θ without bias. How many of M points a report holds depends on its k, on whether it holds
the person's own, and on whether that is one of the M: two hypergeometric laws, mixed. At k = 1, the
number is 0 or 1, and everything is as for a symmetric mechanism.

Where one option is asked of each, who is asked what does not depend on anyone's choices. So given
the number a of people who were asked about an option, of share θ in the population, how many say
yes is exactly Binomial(a, q + θ(p − q)), where p and q = 1 − p are the chances of a yes from those
who chose it and those who did not. Everything is as for a symmetric mechanism and these a people, a
random part of all n. Counts are two for each option, (d, 2): how many said yes, and how many were
asked. Nothing is known of an option that nobody was asked about. Its share is then estimated by ½,
in the middle of all that it may be: a bias of at most (1 − 1/d)^n / 2, below 2·10⁻⁹ for n = 20d.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..device.mechanisms.choices import Choices
from ..device.mechanisms.forwards import Target
from ..device.mechanisms.hashes.one_option import OneOption
from ..device.mechanisms.subsets.listed_sets import ListedSets
from ..device.mechanisms.subsets.set_subset import SetSubset
from ..errors import InvalidArgument
from ..theory.set_formulas import sets_holding
from . import kernels
from .analyst import Analyst, half_of
from .arrays import Floats, Integers
from .batch import WORD, Batches, Drawn, Rows, Words, are_few, is_masked
from .counter import NumberCounter
from .estimator import Averages, Estimator, HitRates
from .subsets import BitmapCounter, IndexCounter, SubsetBatches, counter_of

__all__ = ["held_together"]

C = TypeVar("C", bound=Choices)


class ChoiceBatches(Batches[C]):
    """Makes reports for rows of options, -1 for none."""

    def people(self, values: NDArray[np.int64]) -> list[Any]:
        """Return the options of each row."""
        return [[option for option in row if option >= 0] for row in values.tolist()]

    def as_values(self, values: Any) -> NDArray[np.int64]:
        """Return rows of options, with -1 for none, from an array or from sequences of them."""
        owner = type(self.mechanism).__name__
        if is_masked(values):
            raise InvalidArgument(owner, "values", "free of masked entries", "a masked array")
        if not isinstance(values, np.ndarray):
            return self._from_rows(owner, values)
        if values.ndim != 2 or values.dtype.kind not in "iu":
            rule = "two-dimensional integers, a row a person, with -1 for no option"
            given = f"{values.dtype} of shape {values.shape}"
            raise InvalidArgument(owner, "values", rule, given)
        if values.dtype.str[1:] == "u8":
            values = np.minimum(values, self.mechanism.d)  # before they become negative
        return np.ascontiguousarray(values, dtype=np.int64)

    def _from_rows(self, owner: str, values: Any) -> NDArray[np.int64]:
        if not isinstance(values, Sequence) or isinstance(values, str | bytes):
            rule = "an array of integers (n, most) or a sequence of sequences of options"
            raise InvalidArgument(owner, "values", rule, values)
        array = np.full((len(values), self.mechanism.most), -1)
        for row, options in enumerate(values):
            chosen = self.mechanism.checked(options, f"values[{row}]")
            array[row, : len(chosen)] = chosen
        return array

    def _check_range(self, values: NDArray[Any]) -> None:
        row = self._first_wrong(values)
        if row >= 0:
            options = self.people(values[row : row + 1])[0]
            below = [int(option) for option in values[row] if option < -1]
            self.mechanism.checked(options + below, f"values[{row}]")

    def _first_wrong(self, values: NDArray[np.int64]) -> int:
        """Return the first row that is not at most `most` different options, or -1."""
        d, most = self.mechanism.d, self.mechanism.most
        if not are_few(values):
            return int(kernels.option_draws.first_wrong_set(values, d, most))
        ordered = np.sort(values, axis=1)
        wrong = ((values < -1) | (values >= d)).any(axis=1) | ((values >= 0).sum(axis=1) > most)
        wrong |= ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).any(axis=1)
        return int(np.argmax(wrong)) if wrong.any() else -1


@half_of.register(SetSubset)
def _(mechanism: SetSubset) -> Analyst:
    return Analyst(HitRates(mechanism), SetBatches(mechanism), counter_of(mechanism))


class SetBatches(ChoiceBatches[SetSubset]):
    """Makes sets that meet those of rows of options."""

    def draw(self, rows: int, words: Words) -> Drawn:
        """Draw how many of the person's points each report holds: none where it does not meet."""
        overlaps = self.mechanism.overlaps
        coins, picks = words.take(8 * rows, 8 * rows if overlaps[0] else 0)
        drawn = words.pick(picks, overlaps) if overlaps[0] else np.zeros(rows, np.int64)
        drawn += 1
        drawn *= coins.view("<u8") < np.uint64(self.mechanism.meet)
        return (drawn,)

    def fill(self, rows: Rows, tail: NDArray[np.uint8], first: int) -> tuple[int, int]:
        """Write reports until the tail of positions runs out."""
        m = self.mechanism
        size = 1 if m.d <= 1 << 8 else 2
        positions = tail[: len(tail) // size * size].view(f"<u{size}")
        integers = first, m.d, m.most, m.k, m.index_bits
        few = m.points + m.most < 2 * WORD and m.k * m.index_bits <= WORD
        fill = kernels.option_draws.fill_small_sets if few else kernels.option_draws.fill_sets
        done, used = fill(rows.values, *rows.words, positions, rows.out, *integers)
        return done, size * used


@half_of.register(ListedSets)
def _(mechanism: ListedSets) -> Analyst:
    counter = ListedIndices if mechanism.index_bits else ListedBitmaps
    estimator = HitRates(mechanism) if mechanism.k == 1 else SetShares(mechanism)
    return Analyst(estimator, ListedBatches(mechanism), counter(mechanism))


def held_together(mechanism: ListedSets, aggregate: Integers) -> Integers:
    """Return how many sets with each pair of options there are in all reports, int64 (d, d).

    On the diagonal are the sets with an option.
    """
    total = np.zeros((mechanism.d, mechanism.d), dtype=np.int64)
    for options, count in zip(mechanism.sets, aggregate.tolist(), strict=True):
        total[np.ix_(options, options)] += count
    return total


class ListedBatches(ChoiceBatches[ListedSets]):
    """Numbers the sets of rows of options, and makes reports of these numbers."""

    def __init__(self, mechanism: ListedSets) -> None:
        super().__init__(mechanism)
        self._numbered = SubsetBatches(mechanism.listed)

    @property
    def rows(self) -> int:
        """As many as numbers."""
        return self._numbered.rows

    def draw(self, rows: int, words: Words) -> Drawn:
        """Draw the words for numbers."""
        return self._numbered.draw(rows, words)

    def fill(self, rows: Rows, tail: NDArray[np.uint8], first: int) -> tuple[int, int]:
        """Write reports of numbers until the tail runs out."""
        return self._numbered.fill(rows, tail, first)

    def coded(self, values: NDArray[np.int64]) -> Integers:
        """Return the numbers of sets."""
        numbers: Integers = kernels.option_draws.number_sets(values, np.array(self.mechanism.below))
        return numbers


class ListedBitmaps(BitmapCounter):
    """Counts sets, and from them options."""

    @cached_property
    def _incidence(self) -> tuple[Integers, Integers]:
        """All options of all sets, and the numbers of these sets."""
        mechanism: Any = self.mechanism  # ListedSets
        sizes = [len(options) for options in mechanism.sets]
        options = [option for options in mechanism.sets for option in options]
        return np.array(options), np.repeat(np.arange(len(sizes)), sizes)

    def counts(self, aggregate: Integers) -> Integers:
        """Return how many sets with each option there are in all reports."""
        options, numbers = self._incidence
        counts = np.zeros(self.mechanism.d, dtype=np.int64)
        np.add.at(counts, options, aggregate[numbers])
        return counts


class ListedIndices(ListedBitmaps, IndexCounter):
    """Counts the same of reports that are lists."""


class SetShares(Averages):
    """Estimates the share of each option from how many sets with it are reported."""

    def __init__(self, mechanism: ListedSets, held: int = 1) -> None:
        g, h = mechanism.listed.hit_rates
        sets = sets_holding(mechanism.d, mechanism.most, held)
        super().__init__(sets * h, g - h, *mechanism.spreads(sets))


@half_of.register(OneOption)
def _(mechanism: OneOption) -> Analyst:
    return Analyst(AskedRates(mechanism), AskedBatches(mechanism), AskedCounter(mechanism))


class AskedBatches(ChoiceBatches[OneOption]):
    """Draws an option for each row, and answers whether it is there."""

    def draw(self, rows: int, words: Words) -> Drawn:
        """Draw whether each row is true, and its option."""
        truths, options = words.take_tossed(rows, self.mechanism.coin, 8 * rows)
        return truths, words.below(options, self.mechanism.d)

    def fill(self, rows: Rows, tail: NDArray[np.uint8], first: int) -> tuple[int, int]:
        """Write all reports, which needs no tail."""
        kernels.option_draws.fill_asked(rows.values, *rows.words, rows.out)
        return len(rows.values), 0


class AskedCounter(NumberCounter[OneOption]):
    """Counts options and answers."""

    def counts(self, aggregate: Integers) -> Integers:
        """Return how many said yes to each option, and how many were asked: (d, 2)."""
        no, yes = aggregate.reshape(-1, 2).T
        return np.stack((yes, no + yes), axis=1)


class AskedRates(Estimator):
    """Estimates the share of each option from the people who were asked about it."""

    def __init__(self, mechanism: OneOption) -> None:
        self._d, self._answers = mechanism.d, HitRates(mechanism)

    def frequencies(self, counts: Integers, n: int) -> Floats:
        """Return (yes/asked − q)/(p − q), which is unbiased, and ½ where nobody was asked."""
        yes, asked = counts.T
        shares = self._answers.frequencies(yes, np.maximum(asked, 1))
        return np.where(asked > 0, shares, 0.5)

    def noise(self, theta: Floats) -> Floats:
        """Return d·pq/(p − q)² + (d − 1)·θ(1 − θ), with n/d people asked about each option."""
        return self._d * self._answers.noise(theta) + (self._d - 1) * theta * (1 - theta)

    def spreads(self, shares: Floats) -> tuple[float, float]:
        """Return what the noise is if everybody chose an option, or nobody."""
        inside, outside = self._answers.spreads(shares)
        return self._d * inside, self._d * outside

    def standard_errors(self, counts: Integers, n: int) -> Floats:
        """Return the standard error of each share, by how many people were asked about it.

        Of an option that nobody was asked about, it is ½, for a share of ½.
        """
        _, asked = counts.T
        theta = np.clip(self.frequencies(counts, n), 0, 1)
        variance = self._answers.variance(theta, 1) / np.maximum(asked, 1)
        return np.where(asked > 0, np.sqrt(variance), 0.5)

    def interval(
        self, counts: Integers, n: int, alpha: float, target: Target
    ) -> tuple[Floats, Floats]:
        """Return the ends of an interval for each share, which misses with probability alpha.

        Those who were asked are a random part of the n people, as these are of all others.
        """
        people = n if target == "sample" else target
        ends = np.array([self._ends(yes, asked, alpha, people) for yes, asked in counts.tolist()])
        low, high = ends.T
        return low, high

    def _ends(self, yes: int, asked: int, alpha: float, people: Target) -> tuple[float, float]:
        if not asked:
            return 0.0, 1.0
        low, high = self._answers.interval(np.array([yes]), asked, alpha, people)
        return float(low[0]), float(high[0])

    def p_values(self, counts: Integers, n: int) -> Floats:
        """Return the chance of as many a yes if nobody chose the option, exactly."""
        return self._answers.p_values(*counts.T)
