"""Maximum likelihood: the distribution under which the reports are likeliest.

With E the likelihood ratio and θ(z) the share of the values that report z holds, it maximises

    L(θ) = (1/n) Σ_i log(1 + (E − 1) θ(z_i))    over all distributions θ,

a concave function. It needs the reports themselves, not only how many hold each value; for k = 1,
for block designs and for windows a tally has them all.

The way there is the spectral projected gradient (Birgin, Martínez, Raydan 2000): a step along the
gradient, as long as the last two gradients suggest (Barzilai, Borwein 1988), back to the nearest
distribution. L is about equally curved in all directions, because any two values lie in equally
many reports, so that from the projected estimate on, some ten steps do at moderate ε. (Expectation
maximization, θ_j ← θ_j G_j, takes thousands to empty a category.) How far it is from the maximum is
known, not guessed: with

    G_j = (1/n) Σ_i (1 + (E − 1)[j in z_i]) / (1 + (E − 1) θ(z_i)),    Σ_j θ_j G_j = 1,

L(θ*) − L(θ) <= max_j G_j − 1 by concavity, and at the maximum both sides are 0.

Standard errors are from the observed information, H = (E − 1)² Σ_i 1_z 1_z' / (1 + (E − 1) θ(z_i))²
with z = z_i, along the directions that leave the sum at 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from math import lgamma, log, log1p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...device.mechanisms.scales.interval import Interval
from ...device.mechanisms.subsets.design import Design
from ...device.mechanisms.subsets.k_subset import KSubset
from ...errors import InvalidArgument, NoReports
from .. import incidence
from ..arrays import Floats
from ..incidence import Incidence
from ..tallied import Tallied
from .simplex import project_simplex

Progress = Callable[[int, float], None]
Reporting = KSubset | Design | Interval

__all__ = ["Likelihood", "maximum_likelihood"]

# A step may lose what an earlier one of so many has won; less than the slack is rounding.
_MEMORY, _SLACK = 10, 1e-14
_ENOUGH_RISE, _SHORTEST_STEP = 1e-4, 1e-6
_SINGULAR = 1e-12


@dataclass(frozen=True, eq=False)
class Likelihood:
    """The likeliest distribution, and how sure that is.

    Attributes
    ----------
    frequencies : float64 (d,)
        The distribution.
    gap : float
        No distribution has a log-likelihood that is higher by more than n times this.
    iterations : int
        How many steps it took.
    log_likelihood : float
        The log-probability of all the reports, with all constants.

    """

    frequencies: Floats
    gap: float
    iterations: int
    log_likelihood: float
    _climb: _Climb = field(repr=False)
    _n: float = field(repr=False)

    @cached_property
    def standard_errors(self) -> Floats:
        """The standard error of each frequency, as an estimate for the population, float64 (d,).

        As if 0 were no bound: of a category at or near 0 the true error is smaller. What such
        categories cannot lack, the others do, whose true error may then be larger. Infinite where
        the reports do not determine the distribution. Takes d passes over the reports, when first
        asked for.
        """
        d = len(self.frequencies)
        information = self._n * self._climb.information(self.frequencies)
        centred = information - information.mean(axis=0)
        centred -= centred.mean(axis=1, keepdims=True)
        # Across the simplex, where nothing is to be known, any curvature does.
        across = float(np.trace(centred)) / d
        values, vectors = np.linalg.eigh(centred + across / d)
        if values[0] <= _SINGULAR * values[-1]:
            return np.full(d, np.inf)
        variance = np.square(vectors) @ (1 / values) - 1 / (across * d)
        errors: Floats = np.sqrt(np.maximum(variance, 0))
        errors.flags.writeable = False
        return errors


def maximum_likelihood(
    mechanism: Reporting,
    reports: Any,
    *,
    tolerance: float = 1e-10,
    max_iterations: int = 10_000,
    progress: Progress | None = None,
) -> Likelihood:
    """Return the distribution under which the reports are likeliest.

    Parameters
    ----------
    mechanism : KSubset, a block design or Interval
        What the reports were made with.
    reports : reports, Tally, or aggregate
        What `Tally.update` takes; or, where it tells all of the reports (not for k > 1), a
        tally or its aggregate (an integer vector). Of a single report, or wherever several
        distributions are likeliest, one of them is returned: for a single one, uniform on its set.
    tolerance : float
        Stop at a gap of at most this.
    max_iterations : int
        Stop here at the latest; then the gap is what it is.
    progress : callable, optional
        Called with the iterations so far and the gap.

    References
    ----------
    Birgin, Martínez, Raydan: Nonmonotone spectral projected gradient methods on convex sets, 2000.
    Kairouz, Bonawitz, Ramage: Discrete distribution estimation under local privacy, 2016.

    >>> from privet.mechanisms import KSubset
    >>> maximum_likelihood(KSubset(4, 1.0, k=1), np.array([50, 30, 20, 0])).frequencies.round(3)
    array([0.77, 0.23, 0.  , 0.  ])

    """
    if not isinstance(mechanism, KSubset | Design | Interval):
        rule = "a KSubset, a block design or an Interval: of others no likelihood is known here"
        raise InvalidArgument("maximum_likelihood", "mechanism", rule, mechanism)
    if not (isinstance(tolerance, float) and tolerance > 0):
        raise InvalidArgument("maximum_likelihood", "tolerance", "a float > 0", tolerance)
    sets, times, start = _fold(mechanism, reports)
    n = times.sum()
    climb = _Climb(sets, times / n, float(mechanism.likelihood_ratio - 1))
    theta, value, gap, iterations = climb.run(start, tolerance, max_iterations, progress)
    theta.flags.writeable = False
    height = float(n * (value + _log_base(mechanism)))
    return Likelihood(theta, max(gap, 0.0), iterations, height, climb, float(n))


def _fold(mechanism: Reporting, reports: Any) -> tuple[Incidence, Floats, Floats]:
    """Return the sets that were reported, how often each, and a distribution to start from."""
    owner = "maximum_likelihood"
    if isinstance(reports, Tallied):
        if reports.survey.mechanism != mechanism:
            raise InvalidArgument(owner, "reports", f"a tally of {mechanism}", reports)
        _, reports = reports.aggregated()
    elif not (isinstance(reports, np.ndarray) and reports.ndim == 1):
        array = mechanism.analyst.counter.as_array(reports)
        _, aggregate = mechanism.aggregate(array)
        if isinstance(mechanism, KSubset) and mechanism.k > 1:
            return _fold_subsets(mechanism, array, aggregate)
        reports = aggregate
    if isinstance(mechanism, KSubset) and mechanism.k > 1:
        rule = f"the reports themselves: at k = {mechanism.k} their counts do not tell enough"
        raise InvalidArgument(owner, "reports", rule, reports)
    times = _check_aggregate(mechanism, reports)
    if isinstance(mechanism, KSubset):
        singles = incidence.Members(np.arange(mechanism.d, dtype=np.int32)[:, None], mechanism.d)
        return singles, times.astype(np.float64), _fill_water(mechanism, times)
    start = _project(mechanism, times, int(times.sum()))
    if isinstance(mechanism, Interval):
        return incidence.Windows(mechanism), times.astype(np.float64), start
    return incidence.blocks_of(mechanism), times.astype(np.float64), start


def _fold_subsets(
    mechanism: KSubset, reports: NDArray[np.uint8], aggregate: NDArray[np.int64]
) -> tuple[Incidence, Floats, Floats]:
    """Return the same for k > 1; equal reports become one where there must be many."""
    if len(reports) == 0:
        raise NoReports("There are no reports to maximise the likelihood of.")
    times, start = np.ones(len(reports)), _project(mechanism, aggregate, len(reports))
    size = mechanism.report_bytes
    if size <= 8 and _log_subsets(mechanism.d, mechanism.k) < log(len(reports)):
        words = np.zeros((len(reports), 8), dtype=np.uint8)
        words[:, :size] = reports
        different, repeats = np.unique(words.view("<u8"), return_counts=True)
        reports, times = different[:, None].view(np.uint8)[:, :size], repeats.astype(np.float64)
    return incidence.of_reports(mechanism, reports), times, start


def _check_aggregate(mechanism: Reporting, aggregate: NDArray[Any]) -> NDArray[np.int64]:
    size = mechanism.aggregate_size
    if aggregate.shape != (size,) or aggregate.dtype.kind not in "iu":
        rule = f"reports, a tally, or an aggregate of {size} integers"
        raise InvalidArgument("maximum_likelihood", "reports", rule, aggregate)
    checked = aggregate.astype(np.int64)
    problem = mechanism.check_aggregate(checked, int(checked.sum()))
    if problem is not None:
        raise InvalidArgument("maximum_likelihood", "reports", f"an aggregate: {problem}", checked)
    if not checked.any():
        raise NoReports("There are no reports to maximise the likelihood of.")
    return checked


def _project(mechanism: Reporting, aggregate: NDArray[np.int64], n: int) -> Floats:
    return project_simplex(mechanism.frequencies(mechanism.counts(aggregate), n))


def _fill_water(mechanism: KSubset, counts: NDArray[np.int64]) -> Floats:
    """Return the maximum for k = 1, θ_j = max(c_j/ν − 1/(E − 1), 0), with the one ν that fits.

    Where m categories are positive, with C of the counts, ν = C / (1 + m/(E − 1)).
    """
    excess = float(mechanism.likelihood_ratio - 1)
    descending = np.sort(counts)[::-1]
    total, m = np.cumsum(descending), np.arange(1, len(counts) + 1)
    # The m-th largest stays positive; in integers but for the excess.
    kept = np.count_nonzero(excess * descending > total - m * descending)
    share = counts * (kept + excess) - total[kept - 1]
    theta = np.maximum(share / (excess * total[kept - 1]), 0)
    water: Floats = theta / theta.sum()
    return water


class _Climb:
    """Spectral projected gradient ascent of Σ_z w_z log(1 + (E − 1) θ(z)) over the simplex."""

    def __init__(self, sets: Incidence, weights: Floats, excess: float) -> None:
        self.sets, self.weights, self.excess = sets, weights, excess

    def look(self, theta: Floats) -> tuple[float, Floats]:
        """Return L and G at theta. G is the gradient but for a constant, which moves no step."""
        odds = 1 + self.excess * self.sets.forward(theta)
        shares = self.weights / odds
        gradient = shares.sum() + self.excess * self.sets.adjoint(shares)
        return float(self.weights @ np.log(odds)), gradient

    def information(self, theta: Floats) -> Floats:
        """Return minus the second derivatives of L at theta, float64 (d, d)."""
        odds = 1 + self.excess * self.sets.forward(theta)
        curvature = self.weights * np.square(self.excess / odds)
        rows = [self.sets.adjoint(curvature * self.sets.forward(one)) for one in np.eye(len(theta))]
        return np.stack(rows)

    def run(
        self, theta: Floats, tolerance: float, max_iterations: int, progress: Progress | None
    ) -> tuple[Floats, float, float, int]:
        """Return where it ends, with L, the gap and the number of steps."""
        value, gradient = self.look(theta)
        recent = [value]
        length = 1 / max(float(np.abs(project_simplex(theta + gradient) - theta).max()), 1e-12)
        for iteration in range(max_iterations):
            gap = float(gradient.max()) - 1
            if progress is not None:
                progress(iteration, gap)
            if gap <= tolerance:
                return theta, value, gap, iteration
            toward = project_simplex(theta + length * gradient) - theta
            floor = min(recent) - _SLACK
            new, value, after = self._search(theta, toward, value, float(gradient @ toward), floor)
            moved, turned = new - theta, gradient - after
            curvature = float(moved @ turned)
            length = min(max(float(moved @ moved) / max(curvature, 1e-300), 1e-12), 1e12)
            theta, gradient = new, after
            recent = [*recent[1 - _MEMORY :], value]
        return theta, value, float(gradient.max()) - 1, max_iterations

    def _search(
        self, theta: Floats, toward: Floats, value: float, slope: float, floor: float
    ) -> tuple[Floats, float, Floats]:
        """Go all the way if that is high enough above the floor, or else part of it."""
        part = 1.0
        while True:
            new = theta + part * toward
            there, gradient = self.look(new)
            if there >= floor + _ENOUGH_RISE * part * slope or part < _SHORTEST_STEP:
                return new, there, gradient
            # The top of the parabola through what is known, within reason.
            fall = value + part * slope - there
            part = min(max(part * part * slope / (2 * fall), part / 10), part / 2)


def _log_subsets(d: int, k: int) -> float:
    """Return log C(d, k)."""
    return lgamma(d + 1) - lgamma(k + 1) - lgamma(d - k + 1)


def _log_base(mechanism: Reporting) -> float:
    """Return the log-probability of a report that does not contain the person's value."""
    if isinstance(mechanism, KSubset):
        share, log_sets = mechanism.k / mechanism.d, _log_subsets(mechanism.d, mechanism.k)
    else:
        share, log_sets = mechanism.holding / mechanism.numbers, log(mechanism.numbers)
    return -log_sets - log1p(share * float(mechanism.likelihood_ratio - 1))
