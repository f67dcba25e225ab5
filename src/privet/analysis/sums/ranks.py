"""Ranks: which categories surely have a larger share than others, and which may lead.

Whether i's share is larger than j's is told from how many reports support i alone, A, and j alone,
B. If the shares are equal, each of these A + B reports is as likely one as the other, whatever else
the mechanism does: A − B is a walk of A + B steps, up or down by a fair coin. A − B is known, the
difference of the two counts. A + B is the sum of the counts less twice the reports that support
both, which are expected to be `covariance.least_chances`; at k = 1 there are none, and the test is
exact. Elsewhere, A + B varies: a difference t makes some t²/(4m) steps more than the m expected
ones likely, and these are added. There are never more than the sum of the counts, so that without
an expectation the test is still valid.

Where a mechanism is not symmetric, a difference is compared with its standard error.

How many pairs are tested says how sure each must be (Bonferroni 1936, Holm 1979; for confidence
sets of ranks, Mogstad, Romano, Shaikh, Wilhelm, Inference for ranks, 2024).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...device.mechanisms.symmetric import Symmetric
from ...errors.arguments import alpha_of, whole
from ..arrays import Floats, Integers
from ..counted_shares import CountedShares
from ..refine.simplex import project_simplex
from ..tallied import Tallied
from .covariance import covariance, least_chances
from .totals import estimate_of

__all__ = ["Lead", "Top", "lead", "ranks", "top"]

# More categories than these are told apart by their own errors, which are never less than exact.
_MOST_EXACT = 300


@dataclass(frozen=True)
class Top:
    """Which categories are among the k largest, as far as can be told.

    Attributes
    ----------
    certain : tuple of str
        Those that are, the largest estimate first.
    possible : tuple of str
        Those that may be, the certain ones among them.

    """

    certain: tuple[str, ...]
    possible: tuple[str, ...]


@dataclass(frozen=True)
class Lead:
    """Who has the largest share, and how much larger it is.

    Attributes
    ----------
    contenders : int
        How many categories may lead; one, where that is certain.
    second : str
        The category with the second largest estimate.
    value : float
        By how much the largest estimate exceeds that.
    margin : float
        How far off that may be; it holds for all rivals together.

    """

    contenders: int
    second: str
    value: float
    margin: float
    _estimate: CountedShares = field(repr=False)
    _possible: NDArray[np.bool_] = field(repr=False, compare=False)

    @property
    def possible(self) -> tuple[str, ...]:
        """The categories that may lead, the largest estimate first."""
        return _names(self._estimate, self._possible)


def ranks(estimate: CountedShares | Tallied, level: float = 0.95) -> tuple[Integers, Integers]:
    """Return the lowest and the highest rank that each category may have; rank 1 is the largest.

    All ranks together lie between them with probability `level` or more. Categories whose shares
    are equal may have any of the ranks that they share. The ranks are those in the population;
    those among the people who took part lie between them as surely.

    >>> from privet import Estimate, Survey
    >>> drinks = ["tea", "coffee", "cocoa", "none"]
    >>> survey = Survey("Tea or coffee?", drinks, 1.0, mechanism="k-subset")
    >>> low, high = ranks(Estimate(survey, 1000, np.array([320, 270, 230, 180])))
    >>> low.tolist(), high.tolist()
    ([1, 1, 2, 3], [2, 3, 4, 4])
    """
    counted = estimate_of("ranks", "estimate", estimate)
    alpha, d = alpha_of("ranks", level), len(counted.counts)
    compare, pairs, found = _Comparison(counted), d * (d - 1), 0
    above, below = compare(alpha / pairs)
    # Holm's: what is found need not be tested again, so that the rest may be less sure.
    while below.sum() > found:
        found = int(below.sum())
        above, below = compare(alpha / (pairs - found))
    return 1 + above, d - below


def top(estimate: CountedShares | Tallied, k: int, level: float = 0.95) -> Top:
    """Return which categories are surely among the k largest, and which may be.

    With probability `level` or more, every category whose share is as large as the k-th largest is
    possible, also where several have the same share, and none with a smaller share is certain. If
    that fails, one of the t categories with these shares surely has a smaller share than another of
    the d, though it has not: for t(d − 1) such pairs, alpha is shared out. As t is not known, it is
    taken to be d; categories that are not possible then are left out, and the others tested again
    with their number for t, as long as any more are left out (a step-down test, as Holm's).

    >>> from privet import Estimate, Survey
    >>> drinks = ["tea", "coffee", "cocoa", "none"]
    >>> survey = Survey("Tea or coffee?", drinks, 1.0, mechanism="k-subset")
    >>> top(Estimate(survey, 1000, np.array([320, 270, 230, 180])), 2)
    Top(certain=('tea',), possible=('tea', 'coffee', 'cocoa'))
    """
    counted = estimate_of("top", "estimate", estimate)
    alpha, d = alpha_of("top", level), len(counted.counts)
    whole("top", "k", k, 1, d - 1)
    compare, many = _Comparison(counted), d + 1
    while True:
        above, below = compare(_shared_out(alpha, min(many, d), d))
        if (left := int((above < k).sum())) >= many or left <= k:
            return Top(_names(counted, below >= d - k), _names(counted, above < k))
        many = left


def lead(estimate: CountedShares | Tallied, level: float = 0.95) -> Lead:
    """Return which categories may have the largest share, and by how much the largest leads.

    As `top` with k = 1, so that with probability `level` or more all that have the largest share
    are possible; but all are compared with the largest estimate alone, which is quick for any
    number of categories.

    >>> from privet import Estimate, Survey
    >>> drinks = ["tea", "coffee", "cocoa", "none"]
    >>> survey = Survey("Tea or coffee?", drinks, 1.0, mechanism="k-subset")
    >>> found = lead(Estimate(survey, 1000, np.array([360, 270, 210, 160])))
    >>> f"{found.possible[0]} leads by {found.value:.2f} ± {found.margin:.2f}"
    'tea leads by 0.30 ± 0.20'
    """
    counted = estimate_of("lead", "estimate", estimate)
    alpha, d = alpha_of("lead", level), len(counted.counts)
    shares = counted.frequencies.copy()
    first = int(shares.argmax())
    largest, shares[first] = shares[first], -np.inf
    second = int(shares.argmax())
    mechanism, n, counts = counted.survey.mechanism, counted.n, counted.counts
    errors = np.zeros(d) if isinstance(mechanism, Symmetric) else _errors(counted, first)
    possible, many, chance = np.ones(d, dtype=np.bool_), d + 1, alpha
    while (left := int(possible.sum())) < many:
        many, chance = left, _shared_out(alpha, left, d)
        if isinstance(mechanism, Symmetric):
            possible = counts > _surely_less(mechanism, n, counts[[first]], chance)
        else:
            possible = shares + _quantile(chance) * errors > largest
        possible[first] = True
    error = errors[second]
    if isinstance(mechanism, Symmetric):
        steps = _steps(mechanism, n, counts[[first]], counts[[second]])[0]
        error = np.sqrt(max(steps, 1)) / n / (mechanism.g - mechanism.h)
    value, margin = float(largest - shares[second]), float(_quantile(chance) * error)
    name = counted.survey.categories[second]
    return Lead(left, name, value, margin, counted, possible)


def _shared_out(alpha: float, many: int, d: int) -> float:
    """Return alpha for each pair of one of so many categories and another of all d."""
    return alpha / (max(many, 2) * (d - 1))


def _names(estimate: CountedShares, which: NDArray[np.bool_]) -> tuple[str, ...]:
    some = np.flatnonzero(which)
    order = some[np.argsort(-estimate.frequencies[some], kind="stable")]
    return tuple(estimate.survey.categories[i] for i in order)


class _Comparison:
    """Tells how many categories are surely larger than each, and how many smaller.

    A category is taken for larger than another that is not smaller with probability alpha at most.
    """

    def __init__(self, estimate: CountedShares) -> None:
        self._estimate = estimate
        if not self._by_bounds:
            rows = range(len(estimate.counts))
            self._errors = np.array([_errors(estimate, i) for i in rows])

    @property
    def _by_bounds(self) -> bool:
        """Whether each category has a bound, and is larger than all whose value is not above it."""
        estimate = self._estimate
        symmetric = isinstance(estimate.survey.mechanism, Symmetric)
        return symmetric or len(estimate.counts) > _MOST_EXACT

    def __call__(self, alpha: float) -> tuple[Integers, Integers]:
        """Return the numbers of the larger and of the smaller."""
        if self._by_bounds:
            values, bounds = self._bounds(alpha)
            above = len(values) - np.searchsorted(np.sort(bounds), values)
            return above, np.searchsorted(np.sort(values), bounds, side="right")
        shares = self._estimate.frequencies
        larger = shares[:, None] - shares > _quantile(alpha) * self._errors
        return larger.sum(axis=0), larger.sum(axis=1)

    def _bounds(self, alpha: float) -> tuple[Any, Any]:
        estimate, mechanism = self._estimate, self._estimate.survey.mechanism
        if isinstance(mechanism, Symmetric):
            different, places = np.unique(estimate.counts, return_inverse=True)
            return estimate.counts, _surely_less(mechanism, estimate.n, different, alpha)[places]
        reach = _quantile(alpha) * estimate.standard_errors
        return estimate.frequencies + reach, estimate.frequencies - reach


# --- symmetric mechanisms: the walk of two counts -------------------------------------------------


def _surely_less(mechanism: Symmetric, n: int, counts: Integers, alpha: float) -> Integers:
    """Return the largest count of another category that is surely less than each; −1 if none is."""
    from scipy.special import betainc

    less, more = np.full(len(counts), -1), counts.astype(np.int64)
    while (apart := more - less > 1).any():
        middle = (less + more) // 2
        difference = np.where(apart, counts - middle, 1)
        down = (_steps(mechanism, n, counts, middle) - difference) / 2
        # The chance that a walk of so many steps ends so high, or higher.
        p_value = betainc(down + difference, down + 1, 0.5)
        less = np.where(apart & (p_value <= alpha), middle, less)
        more = np.where(apart & (p_value > alpha), middle, more)
    return less


def _steps(mechanism: Symmetric, n: int, first: Integers, second: Integers) -> Floats:
    """Return how many reports support one of two categories, and not the other; rounded up."""
    g, h = mechanism.g, mechanism.h
    own, other = least_chances(mechanism)
    together, difference = first + second, np.abs(first - second)
    shares = (together / n - 2 * h) / (g - h)
    expected = together - 2 * n * (own * shares + other * (1 - shares))
    expected = np.maximum(expected, difference)
    likely = expected + difference**2 / (4 * np.maximum(expected, 1))
    steps = np.clip(likely, difference, np.minimum(together, 2 * n - together))
    odd: Floats = difference + 2 * np.ceil((steps - difference) / 2 - 1e-9)
    return odd


# --- other mechanisms: the normal law -------------------------------------------------------------


def _errors(estimate: CountedShares, i: int) -> Floats:
    """Return the standard error of the difference between one category and each."""
    if len(estimate.counts) > _MOST_EXACT:
        return np.asarray(estimate.standard_errors + estimate.standard_errors[i])
    mechanism, theta = estimate.survey.mechanism, project_simplex(estimate.frequencies)
    one = np.zeros(len(theta))
    one[i] = 1
    variances = mechanism.variance(theta, 1)
    squares = variances + variances[i] - 2 * covariance(mechanism, theta)(one)
    return np.asarray(np.sqrt(np.maximum(squares, 0) / estimate.n))


def _quantile(alpha: float) -> float:
    from scipy.special import ndtri

    return float(-ndtri(alpha))
