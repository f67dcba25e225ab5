"""Numbers on a scale: means, variances, shares, quantiles and distributions from windows.

A scale from low to high has B cells of equal width. A number is the cell whose centre it is, or was
rounded to one of the two nearest centres by a coin with the right mean; its report is a window of
cells (`privet.mechanisms.Interval`). With u(z) a number for each window, (1/n) Σ u(z_i) estimates
Σ_x θ_x E[u(z) | x] without bias, whatever the shares θ of the cells are, and the plain variance of
the u(z_i) is that of one person's part in it. All that is measured here is of this kind:

- mean and variance, with y = z − (w − 1)/2 − (B − 1)/2 the centre of a window and t = x − (B − 1)/2
  that of a cell, counted in cells from the middle of the scale, and ρ the slope: E[y | x] = ρt,
  E[y² | x] = ρ(t² + (w² − 1)/12) + (1 − ρ)((B + w − 1)² − 1)/12;
- shares below a border between cells, by the linear estimate that is best for a flat truth.

Windows blur: where there are many cells for few people, the share below a border can hardly be
known. But a share below a *ramp*, which counts the cells near the border in part, can. The ramp
that ends at the border has less below it than the border has, the one that starts there has more:
the interval goes from the low end of the former to the high end of the latter, and holds for any
numbers. The length of ramps is the one that would give the shortest interval if the truth were
flat; with enough people it is 0, and the share exactly unbiased.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil, floor, isfinite, sqrt
from numbers import Real
from typing import TYPE_CHECKING, cast

import numpy as np

from ..arguments import alpha_of
from ..errors import InvalidArgument, NoReports

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ..mechanisms.scales.interval import Interval
    from .estimator import Floats
    from .scales import WindowRegression

    Ends = tuple[float, float]

__all__ = ["Measured", "Numbers"]

# At what level intervals are as short as they can be, and what is a standard error of a quantile.
_LEVEL, _ONE_SIGMA = 0.95, 0.6826894921370859
_ROUNDING = 1e-12
# Fewer reports than this are too few to show their own variance.
_FEW = 1000


@dataclass(frozen=True, eq=False, repr=False)
class Measured:
    """A number about the crowd, as an estimate for the population.

    Attributes
    ----------
    value : float
        The estimate.
    standard_error : float
        Its standard error.

    """

    _value: float | Callable[[], float]  # or what to do for it, the first time
    standard_error: float
    _ends: Callable[[float], Ends]

    def __repr__(self) -> str:
        return f"Measured(value={self.value!r}, standard_error={self.standard_error!r})"

    @cached_property
    def value(self) -> float:
        """The estimate."""
        return self._value() if callable(self._value) else self._value

    def interval(self, level: float = _LEVEL) -> tuple[float, float]:
        """Return the ends of a confidence interval, within what is possible at all."""
        return self._ends(alpha_of("Measured.interval", level))


class Numbers:
    """What the reported windows say of the numbers that people have.

    Parameters
    ----------
    mechanism : Interval
        What the reports were made with.
    windows : int64 (cells + window − 1,)
        How often each window was reported.
    n : int
        How many reports there are.
    low, high : float
        The ends of the first and of the last cell; cell x is centred at
        low + (x + ½)(high − low)/cells.
    rounded : bool
        Whether numbers off the centres were rounded to one of the two nearest ones, by a coin that
        leaves the mean as it is (for numbers beyond the outermost centres it cannot). If not, all
        numbers are centres.
    within : pair of float, optional
        Between which ends all numbers are known to be; by default from low to high.

    >>> from privet.mechanisms import Interval
    >>> mechanism = Interval(5, 1.0, window=2)
    >>> ratings = Numbers(mechanism, np.array([80, 150, 210, 260, 190, 110]), 1000, 0.5, 5.5, False)
    >>> mean = ratings.mean()
    >>> f"{mean.value:.2f} ± {mean.standard_error:.2f}"
    '3.44 ± 0.12'

    """

    def __init__(
        self,
        mechanism: Interval,
        windows: NDArray[np.int64],
        n: int,
        low: float,
        high: float,
        rounded: bool = True,
        within: Ends | None = None,
    ) -> None:
        windows = np.asarray(windows)
        if windows.shape != (mechanism.numbers,) or windows.dtype.kind not in "iu":
            rule = f"{mechanism.numbers} integers"
            raise InvalidArgument("Numbers", "windows", rule, windows)
        if (windows < 0).any() or windows.sum() != n:
            raise InvalidArgument("Numbers", "windows", f"counts that add up to {n}", windows)
        if n == 0:
            raise NoReports("There are no reports to measure numbers by.")
        if not (isfinite(low) and isfinite(high) and low < high):
            raise InvalidArgument("Numbers", "high", f"a finite number > low = {low}", high)
        self.mechanism, self.windows, self.n = mechanism, windows, n
        self.low, self.high, self.rounded = float(low), float(high), rounded
        self.within = within or (self.low, self.high)
        self._cells, self._cell = mechanism.d, (self.high - self.low) / mechanism.d
        self._regression = cast("WindowRegression", mechanism.analyst.estimator)
        self._shares = windows / n

    def mean(self) -> Measured:
        """Return the mean of the numbers: low + (high − low)/B · (B/2 + ȳ/ρ), without bias.

        Its variance is that of the centres over nρ²; the interval is Student's.
        """
        (value,), (error,) = self._average(self._distances[:, None])
        middle = (self.low + self.high) / 2
        return self._student(
            middle + self._cell * float(value), self._cell * float(error), *self.within
        )

    def variance(self) -> Measured:
        """Return the variance of the numbers.

        With u = y/ρ, and v such that E[v | x] = (x − (B − 1)/2)², it is v̄ − (ū² − s²_u/n) squared
        cells, the mean of a kernel (v_i + v_j)/2 − u_i u_j over all pairs of people. It is unbiased
        for the variance of the cells, with the variance (Hoeffding 1948), exactly,

            (Var(v − 2μu) + 2 Var(u)²/(n − 1)) / n,    μ = E u.

        Rounding a number to the nearest centres adds f(1 − f) squared cells to its variance, where
        f is its distance from the centre below: 1/6 on average where numbers are spread smoothly
        over cells, which is taken off, and from 0 to 1/4 in any case, which the interval allows
        for. If nothing was rounded, nothing is added.
        """
        width, slope = self.mechanism.window, float(self.mechanism.slope)
        u, near = self._distances, (width**2 - 1) / 12
        far = (self.mechanism.numbers**2 - 1) / 12
        v = slope * u**2 - (1 - slope) / slope * far - near
        others, mean, square = max(self.n - 1, 1), self._shares @ u, self._shares @ u**2
        value = float(self._shares @ v - mean**2 + (square - mean**2) / others)
        _, (of_mean, error) = self._average(np.stack([u, v - 2 * mean * u], axis=1))
        error = sqrt(error**2 + 2 * self.n * of_mean**4 / others)
        unit, most = self._cell**2, (self.within[1] - self.within[0]) ** 2 / 4
        least, usual, largest = (
            self._student((value - self.rounded * part) * unit, error * unit, 0.0, most)
            for part in (0, 1 / 6, 1 / 4)
        )

        def ends(alpha: float) -> Ends:
            return largest._ends(alpha)[0], least._ends(alpha)[1]

        return Measured(usual.value, usual.standard_error, ends)

    def share(self, low: float, high: float) -> Measured:
        """Return the share of numbers between two numbers.

        Whole cells count as they are, and of a cell that is cut as much as lies inside, as if its
        numbers were spread evenly over it; the interval allows for any part of it. If numbers were
        rounded, the share below a border is the mean of the shares below all numbers within half a
        cell of it. Where cells are many for so few people, the value counts more of them in part,
        and the interval allows for that as well. It is for a few hundred people or more: with
        fewer, a rare share may be missed too often where ε is large.
        """
        if not low <= high:
            raise InvalidArgument("Numbers.share", "high", f"a number >= low = {low}", high)
        start, end = self._place(low), self._place(high)
        lower, upper = self._ramps(self._length(start, end))
        worth = [
            lower[:, floor(end)] - upper[:, ceil(start)],
            upper[:, ceil(end)] - lower[:, floor(start)],
            _between(lower + upper, end) / 2 - _between(lower + upper, start) / 2,
        ]
        values, errors = map(np.ndarray.tolist, self._average(np.stack(worth, axis=1)))

        def ends(alpha: float) -> Ends:
            reach = self._reach(alpha)
            both = values[0] - reach * errors[0], values[1] + reach * errors[1]
            return _within(min(both), 0, 1), _within(max(both), 0, 1)

        return Measured(values[2], errors[2], ends)

    def quantile(self, q: float) -> Measured:
        """Return the number that a share q of the numbers is below.

        The value is that of the smooth `distribution`, or else the nearest number to it in the
        95 % interval. The interval holds every number at which the share below might be q: where
        tests that it is more, and that it is less, both do not reject. It ends at borders of cells,
        and half a cell further if numbers were rounded, so that it holds wherever in a cell the
        numbers are, however smooth or not. The standard error is half the length of such an
        interval, without that, at the level of one standard deviation.
        """
        if not isinstance(q, Real) or not 0 < q < 1:
            raise InvalidArgument("Numbers.quantile", "q", "a number in (0, 1)", q)
        border = _within(round(float(q) * self._cells), 1, self._cells - 1)
        lower, upper = self._ramps(self._length(0, border))
        (least, below), (most, above) = self._average(lower), self._average(upper)

        def places(alpha: float) -> Ends:
            reach = self._reach(alpha)
            first, last = self._crossings(least - reach * below, most + reach * above, q)
            return min(first, last), max(first, last)

        def ends(alpha: float) -> Ends:
            (first, last), more = places(alpha), self.rounded / 2
            return self._number(floor(first) - more), self._number(ceil(last) + more)

        def value() -> float:
            below = np.concatenate(([0], np.cumsum(self.smooth[0])))
            return _within(self._number(_first(below, q)), *ends(1 - _LEVEL))

        first, last = places(1 - _ONE_SIGMA)
        return Measured(value, (last - first) / 2 * self._cell, ends)

    def median(self) -> Measured:
        """Return the number that half of the numbers are below."""
        return self.quantile(0.5)

    def distribution(self, smooth: bool = True) -> Floats:
        """Return the shares of all cells, a distribution to show.

        Smooth is as smooth as the reports say (`privet.refine.smooth`); otherwise it is the
        likeliest of all distributions (`privet.refine.maximum_likelihood`), which has a few spikes
        rather than many small shares. For sums and tests use `share`.
        """
        if smooth:
            return self.smooth[0].copy()
        from ..refine import maximum_likelihood

        gap = 0.01 / self.n  # no distribution is likelier by more than 1 %
        return maximum_likelihood(self.mechanism, self.windows, tolerance=gap).frequencies

    @cached_property
    def smooth(self) -> tuple[Floats, Floats]:
        """The smooth distribution, which all quantiles share, and its standard errors."""
        from ..refine.smooth import smooth_with_errors

        return smooth_with_errors(self.mechanism, self.windows)

    # --- what reports are worth, and what the crowd's add up to -------------------------------

    def _average(self, worth: Floats) -> tuple[Floats, Floats]:
        """Return the mean of what reports are worth about some quantities, and its standard error.

        If there are few, their variance may look too small by far: it is at least that of reports
        from the cell where it is least.
        """
        value = self._shares @ worth
        variance = (self._shares @ worth**2 - value**2) * self.n / max(self.n - 1, 1)
        if self.n < _FEW:
            chances = self._regression.chances.T
            least = (chances @ worth**2 - (chances @ worth) ** 2).min(axis=0)
            variance = np.maximum(variance, least)
        return value, np.sqrt(variance.clip(0) / self.n)

    def _reach(self, alpha: float) -> float:
        """Return how many standard errors an interval reaches to either side."""
        from scipy.special import stdtrit

        return float(stdtrit(max(self.n - 1, 1), 1 - alpha / 2))

    def _student(self, value: float, error: float, least: float, most: float) -> Measured:
        def ends(alpha: float) -> Ends:
            reach = self._reach(alpha) * error
            return _within(value - reach, least, most), _within(value + reach, least, most)

        return Measured(value, error, ends)

    @cached_property
    def _distances(self) -> Floats:
        """y/ρ for each window."""
        windows = self.mechanism.numbers
        return np.linspace(-1, 1, windows) * ((windows - 1) / 2 / float(self.mechanism.slope))

    def _crossings(self, lower: Floats, upper: Floats, q: float) -> Ends:
        """Return where the upper curve first reaches a height, and the lower one does for good."""
        return _first(upper, q), self._cells - _first(1 - lower[::-1], 1 - q)

    def _place(self, number: float) -> float:
        """Return how many cells lie below a number, whole ones in spite of roundings."""
        place = _within((number - self.low) / self._cell, 0, self._cells)
        return round(place) if abs(place - round(place)) < _ROUNDING * self._cells else place

    def _number(self, place: float) -> float:
        """Return the number below which so many cells lie."""
        return _within(self.low + place * self._cell, *self.within)

    # --- ramps --------------------------------------------------------------------------------

    def _ramps(self, length: int) -> tuple[Floats, Floats]:
        """Return what windows are worth about the ramps that end and start at each border: [z, b].

        A ramp of length L is the mean of the L + 1 borders from its start to its end.
        """
        borders = self._regression.borders
        padding = np.zeros((len(borders), length + 1)), np.ones((len(borders), length))
        sums = np.cumsum(np.hstack([padding[0], borders, padding[1]]), axis=1)
        means = (sums[:, length + 1 :] - sums[:, : -length - 1]) / (length + 1)
        lower, upper = means[:, : self._cells + 1].copy(), means[:, length:].copy()
        for ramps in (lower, upper):
            ramps[:, 0], ramps[:, -1] = 0, 1
        return lower, upper

    def _length(self, start: float, end: float) -> int:
        """Return which length of ramps gives the shortest interval if the truth is flat."""
        start_lower, start_upper = self._slopes(start)
        end_lower, end_upper = self._slopes(end)
        lower, upper = end_lower - start_upper, end_upper - start_lower
        chances = self._regression.chances.mean(axis=1)
        low, high = chances @ lower, chances @ upper
        spread = np.sqrt((chances @ lower**2 - low**2).clip(0))
        spread += np.sqrt((chances @ upper**2 - high**2).clip(0))
        return int(np.argmin(high - low + self._reach(1 - _LEVEL) * spread / sqrt(self.n)))

    def _slopes(self, place: float) -> tuple[Floats, Floats]:
        """Return worths of the ramps that end and start at a place, by their length: [z, L]."""
        borders, lengths = self._regression.borders, np.arange(self._cells // 2 + 1)
        if not 0 < place < self._cells:
            lengths = 0 * lengths  # what is below the ends of the scale is known
        ends = (floor(place) - lengths).clip(0), (ceil(place) + lengths).clip(None, self._cells)
        lower, upper = (np.cumsum(borders[:, end], axis=1) for end in ends)
        sizes = np.arange(1, len(lengths) + 1)
        return lower / sizes, upper / sizes


def _within(value: float, least: float, most: float) -> float:
    return min(max(value, least), most)


def _between(columns: Floats, place: float) -> Floats:
    """Return a column, or what lies between two of them.

    >>> _between(np.array([[1.0, 2.0, 4.0]]), 1.25)
    array([2.5])
    """
    part = place - floor(place)
    between: Floats = (1 - part) * columns[:, floor(place)] + part * columns[:, ceil(place)]
    return between


def _first(curve: Floats, height: float) -> float:
    """Return where a curve, drawn through its values at 0, 1, 2, …, first reaches a height.

    >>> _first(np.array([0, 0.2, 0.6, 1.0]), 0.3)
    1.25
    """
    after = int(np.argmax(curve >= height))
    if after == 0:
        return 0.0 if curve[0] >= height else float(len(curve) - 1)
    before, there = curve[after - 1], curve[after]
    return float(after - 1 + (height - before) / (there - before))
