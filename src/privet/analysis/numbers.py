"""Numbers on a scale: means, variances, shares, quantiles and one distribution, from windows.

A scale from low to high has B cells of equal width. A number is the cell whose centre it is, or was
rounded to one of the two nearest centres by a coin with the right mean; its report is a window of
cells (`privet.mechanisms.Interval`). With u(z) a number for each window, (1/n) Σ u(z_i) estimates
Σ_x θ_x E[u(z) | x] without bias, whatever the shares θ of the cells are, and u is bounded. All that
is measured here is of this kind, with the intervals of `privet.analysis.bounded`:

- mean and variance, with y = z − (w − 1)/2 − (B − 1)/2 the centre of a window and t = x − (B − 1)/2
  that of a cell, counted in cells from the middle of the scale, and ρ the slope: E[y | x] = ρt,
  E[y² | x] = ρ(t² + (w² − 1)/12) + (1 − ρ)((B + w − 1)² − 1)/12;
- shares below a border between cells, by the linear estimate that is best for a flat truth.

Windows blur: where there are many cells for few people, the share below a border can hardly be
known, but a share below a *ramp* can (`privet.analysis.ramps`). The interval of a share goes from
the low end of the ramp that ends at the border to the high end of the one that starts there.

A coin blurs as well. Of the numbers between two centres some go up and some down, so that the share
of numbers below t lies between two shares of cells: those below the cell whose centre is at t or
before it, and those up to the cell whose centre is at t or after it. Intervals reach from one to
the other. Where no number was rounded, both are the same.

All values come from one distribution: the smooth one of `refine.smooth`, moved as little as
it takes for the share below each border to be within one standard error of what reports say, and
for each cell to have as much as its simultaneous interval says. So shares add up to 1, agree with
quantiles, and follow the reports wherever these refuse what is smooth.
"""

from __future__ import annotations

from functools import cached_property
from math import ceil, floor, isfinite, sqrt
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from ..device.mechanisms.scales.interval import Interval
from ..errors import InvalidArgument, NoReports
from .arrays import Floats
from .bounded import ends_between, lower_ends, lower_p_values, mean_ends
from .measured import ONE_SIGMA, Measured
from .ramps import Ramps, ramps_of, regression_of
from .refine.likelihood import maximum_likelihood
from .refine.smooth import smooth

Ends = tuple[float, float]

__all__ = ["Numbers"]

_ROUNDING = 1e-12
# Fewer reports than this are too few to show their own variance.
_FEW = 1000
# With what chance at most any cell's share is less than what it is moved up to.
_BY_CHANCE = 0.025


class Numbers:
    """What the reported windows reveal about people's numbers.

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
        self._shares = windows / n
        self._known: dict[float, tuple[Floats, Floats]] = {}

    # --- mean and variance --------------------------------------------------------------------

    def mean(self) -> Measured:
        """Return the mean of the numbers: low + (high − low)/B · (B/2 + ȳ/ρ), without bias.

        Its variance is that of the centres over nρ².
        """
        value, error = self._average(self._distances[:, None])
        middle = (self.low + self.high) / 2

        def ends(alpha: float) -> Ends:
            found = mean_ends(self._distances[:, None], self.windows, alpha)
            least, most = ((end - middle) / self._cell for end in self.within)
            low, high = _possible(*found, value, value, least, most)
            return middle + self._cell * float(low[0]), middle + self._cell * float(high[0])

        return Measured(middle + self._cell * float(value[0]), self._cell * float(error[0]), ends)

    def variance(self) -> Measured:
        """Return the variance of the numbers.

        With u = y/ρ, and v such that E[v | x] = (x − (B − 1)/2)², it is v̄ − (ū² − s²_u/n) squared
        cells, the mean of a kernel (v_i + v_j)/2 − u_i u_j over all pairs of people. It is unbiased
        for the variance of the cells, with the variance (Hoeffding 1948), exactly,

            (Var(v − 2μu) + 2 Var(u)²/(n − 1)) / n,    μ = E u.

        The interval is that of E[(x − c)²], the mean of v − 2cu + c², around the estimated mean c,
        less the square of how far c may be from the mean. Rounding a number to the nearest centres
        adds f(1 − f) squared cells to its variance, where f is its distance from the centre below:
        1/6 on average where numbers are spread smoothly over cells, which is taken off, and from 0
        to 1/4 in any case, which the interval allows for. If nothing was rounded, nothing is added.
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
        part = self.rounded / 6
        center = float(np.clip(mean, -(self._cells - 1) / 2, (self._cells - 1) / 2))
        around = np.stack([v - 2 * center * u + center**2, u], axis=1)

        def ends(alpha: float) -> Ends:
            (low, first), (high, last) = mean_ends(around, self.windows, alpha)
            low -= max((first - center) ** 2, (last - center) ** 2) + self.rounded / 4
            about = self._shares @ around[:, 0]
            low, high = _possible(low, high, about, about, 0.0, most / unit)
            return float(low) * unit, float(high) * unit

        return Measured((value - part) * unit, error * unit, ends)

    # --- shares and quantiles -----------------------------------------------------------------

    def share(self, low: float, high: float) -> Measured:
        """Return the share of numbers from one number up to another.

        The value is that of the `distribution`, with the numbers of a cell spread evenly over it.
        The interval holds wherever in a cell the numbers are, and whether or not numbers that equal
        an end are counted: from what is surely inside to what may be.
        """
        if not low <= high:
            raise InvalidArgument("Numbers.share", "high", f"a number >= low = {low}", high)
        start, end = self._place(low), self._place(high)
        (first, second), (third, last) = self._borders(start), self._borders(end)
        inner = self._ramps.between(second, third, inside=True)[:, None]
        outer = self._ramps.between(first, last, inside=False)[:, None]

        def value() -> float:
            return max(self._below(end) - self._below(start), 0.0)

        def ends(alpha: float) -> Ends:
            low, high = ends_between(inner, outer, self.windows, alpha / 2)
            found = _possible(low, high, self._shares @ inner, self._shares @ outer, 0.0, 1.0)
            least, most = (float(end[0]) for end in found)
            return min(least, most, here.value), max(least, most, here.value)

        here = Measured(value, lambda: _reach(here.value, ends(1 - ONE_SIGMA)), ends)
        return here

    def quantile(self, q: float) -> Measured:
        """Return the number that a share q of the numbers is below.

        The value is that of the `distribution`. The interval holds every number at which the share
        below might be q: where tests that it is more, and that it is less, both do not reject. Its
        ends are centres of cells, so that it holds wherever between them the numbers are, however
        smooth or not. Where no number was rounded, value and ends are centres that people can have.
        """
        if not isinstance(q, Real) or not 0 < q < 1:
            raise InvalidArgument("Numbers.quantile", "q", "a number in (0, 1)", q)
        share = float(q)

        def value() -> float:
            if self.rounded:
                return self._number(_first(self._cumulative, share))
            reached = self._cumulative[1:] >= share - _ROUNDING
            return self._number(int(np.argmax(reached)) + 0.5)

        def ends(alpha: float) -> Ends:
            lower, upper = self._curves(alpha)
            first = int(np.count_nonzero(upper < share)) - 1  # the last border with surely less
            last = len(lower) - int(np.count_nonzero(lower >= share))  # the first with surely more
            half = 0.5 if self.rounded else -0.5
            low, high = self._number(first - half), self._number(last + half)
            return min(low, here.value), max(high, here.value)

        here = Measured(value, lambda: _reach(here.value, ends(1 - ONE_SIGMA)), ends)
        return here

    def median(self) -> Measured:
        """Return the number that half of the numbers are below."""
        return self.quantile(0.5)

    # --- the distribution ---------------------------------------------------------------------

    def distribution(self, smooth: bool = True) -> Floats:
        """Return the shares of all cells, a distribution to show.

        The one that all values come from is as smooth as the reports allow; otherwise it is the
        likeliest of all distributions (`privet.refine.maximum_likelihood`), which has a few spikes
        rather than many small shares.
        """
        if smooth:
            return np.diff(self._cumulative)

        gap = 0.01 / self.n  # no distribution is likelier by more than 1 %
        return maximum_likelihood(self.mechanism, self.windows, tolerance=gap).frequencies

    def cells(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the ends of an interval for the share of each cell, after rounding."""
        inner, outer = self._ramps.cells
        low, high = ends_between(inner, outer, self.windows, alpha / 2)
        low, high = _possible(low, high, self._shares @ inner, self._shares @ outer, 0.0, 1.0)
        value = self.distribution()
        return np.minimum(np.minimum(low, high), value), np.maximum(np.maximum(low, high), value)

    def cell_errors(self) -> Floats:
        """Return how far each cell's interval of one standard deviation reaches from its value."""
        low, high = self.cells(1 - ONE_SIGMA)
        value = self.distribution()
        return np.maximum(value - low, high - value)

    def p_values(self) -> Floats:
        """Return, for each cell, the least α/2 at which its interval's lower end exceeds 0.

        It is 1 where the distribution has nobody, because the interval holds its value. An estimate
        above 1 is held against its excess over 1, by which its lower end is moved.
        """
        inner, _ = self._ramps.cells
        excess = np.maximum(self._shares @ inner - 1, 0)
        p_values = lower_p_values(inner, self.windows, excess)
        return np.where(self.distribution() > 0, p_values, 1.0)

    @cached_property
    def _cumulative(self) -> Floats:
        """The share below each border between cells: the smooth one, moved into its intervals."""
        below = np.concatenate(([0], np.cumsum(smooth(self.mechanism, self.windows))))
        lower, upper = self._curves(1 - ONE_SIGMA)
        below = np.clip(below, lower, upper)
        below[0], below[-1] = 0, 1
        below[1:-1] = np.cumsum(self._lifted(np.diff(below)))[:-1].clip(0, 1)
        return below

    def _lifted(self, cells: Floats) -> Floats:
        """Return shares that are no less than surely lies in each cell; the others give way."""
        chance = _BY_CHANCE / self._cells
        least = lower_ends(self._ramps.cells[0], self.windows, chance).clip(0)
        least /= max(least.sum(), 1)
        room, above = 1 - least.sum(), np.maximum(cells - least, 0)
        return least + above * (room / above.sum()) if room > 0 else least

    def _below(self, place: float) -> float:
        """Return the share of numbers below a place; rounded ones are spread evenly over cells."""
        if not self.rounded:
            place = self._borders(place)[0]
        return float(np.interp(place, np.arange(self._cells + 1), self._cumulative))

    def _curves(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the ends of intervals for the share of cells below each border.

        As shares below only rise, an end is no nearer than any further along.
        """
        if alpha in self._known:
            return self._known[alpha]
        ramps = self._ramps
        low, high = ends_between(ramps.lower, ramps.upper, self.windows, alpha / 2)
        low, high = _possible(
            low, high, self._shares @ ramps.lower, self._shares @ ramps.upper, 0.0, 1.0
        )
        low, high = np.minimum(low, high), np.maximum(low, high)
        low, high = np.minimum.accumulate(low[::-1])[::-1], np.maximum.accumulate(high)
        return self._known.setdefault(alpha, (low, high))

    @property
    def _ramps(self) -> Ramps:
        return ramps_of(self.mechanism, self.n)

    def _borders(self, place: float) -> tuple[int, int]:
        """Return two borders between which the share below a place lies."""
        if not self.rounded:
            border = _clip(ceil(place - 0.5), 0, self._cells)
            return border, border
        if not 0 < place < self._cells:
            return int(place), int(place)
        return max(floor(place - 0.5), 0), min(ceil(place + 0.5), self._cells)

    def _average(self, worth: Floats) -> tuple[Floats, Floats]:
        """Return the mean of what reports are worth about some quantities, and its standard error.

        If there are few, their variance may look too small by far: it is at least that of reports
        from the cell where it is least.
        """
        value = self._shares @ worth
        variance = (self._shares @ worth**2 - value**2) * self.n / max(self.n - 1, 1)
        if self.n < _FEW:
            chances = regression_of(self.mechanism).chances.T
            least = (chances @ worth**2 - (chances @ worth) ** 2).min(axis=0)
            variance = np.maximum(variance, least)
        return value, np.sqrt(variance.clip(0) / self.n)

    @cached_property
    def _distances(self) -> Floats:
        """y/ρ for each window."""
        windows = self.mechanism.numbers
        return np.linspace(-1, 1, windows) * ((windows - 1) / 2 / float(self.mechanism.slope))

    def _place(self, number: float) -> float:
        """Return how many cells lie below a number, in whole or half cells in spite of rounding."""
        halves = 2 * min(max((number - self.low) / self._cell, 0), self._cells)
        near = round(halves)
        return (near if abs(halves - near) < _ROUNDING * self._cells else halves) / 2

    def _number(self, place: float) -> float:
        """Return the number below which so many cells lie."""
        return min(max(self.low + place * self._cell, self.within[0]), self.within[1])


def _reach(value: float, ends: Ends) -> float:
    """Return how far an interval reaches from a value, to its further end."""
    return max(value - ends[0], ends[1] - value)


def _possible(
    low: Floats, high: Floats, about: Floats, above: Floats, least: float, most: float
) -> tuple[Floats, Floats]:
    """Return the ends within what is possible, never empty.

    `about` and `above` are the estimates that the ends belong to. Where one lies beyond what is
    possible, its end is moved by as much, as if it were the nearest possible one: this only makes
    intervals longer.
    """
    low = np.clip(low - np.maximum(about - most, 0), least, most)
    high = np.clip(high + np.maximum(least - above, 0), least, most)
    return low, high


def _clip(value: int, least: int, most: int) -> int:
    return min(max(value, least), most)


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
