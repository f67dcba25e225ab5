"""What reports say of numbers on a scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from math import ceil, floor
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..device.answers.scale import Scale
from ..device.mechanisms.forwards import Target
from ..device.survey import Survey
from ..errors import InvalidArgument
from ..errors.arguments import alpha_of
from .arrays import Floats
from .figures import QUANTILES
from .measured import Measured
from .notebook import of_scale
from .numbers import Numbers
from .shown import Shown
from .sums.scale_changes import ScaleChanges, scale_changes
from .tallied import Tallied

if TYPE_CHECKING:  # which take long to import, or are not installed
    from matplotlib.axes import Axes

__all__ = ["ScaleEstimate"]


class ScaleEstimate(Shown):
    """The mean, the spread, quantiles and shares of numbers, each with its error.

    `windows` says how often each report was given. What has an error is an object with `value`,
    `standard_error` and `interval(level)`. Shares, bands and quantiles come from one distribution,
    so that they agree. The shares of single cells (`frequencies`) are those of it, too, and known
    much less well than that of a stretch of the scale: use `share` or `bands`.

    >>> from privet import Scale, Survey
    >>> survey = Survey("How old are you?", Scale(0, 120, 61, "years"), 1.0)
    >>> tally = survey.tally()
    >>> tally.update(survey.randomize_batch([35] * 1000))
    >>> 0 <= tally.estimate().mean().value <= 120
    True
    """

    def __init__(self, survey: Survey, n: int, windows: NDArray[np.int64]) -> None:
        super().__init__(survey, n, survey.mechanism.counts(windows))
        self.windows = windows

    # --- the shares of cells ------------------------------------------------------------------

    @cached_property
    def frequencies(self) -> Floats:
        """The share of each cell after rounding; together they are a distribution."""
        return self.numbers.distribution()

    @cached_property
    def standard_errors(self) -> Floats:
        """How far each cell's interval of one standard deviation reaches from its share."""
        return self.numbers.cell_errors()

    @cached_property
    def p_values(self) -> Floats:
        """The least α/2 at which a cell's interval at the level 1 − α does not hold 0."""
        return self.numbers.p_values()

    def interval(
        self, level: float = 0.95, *, target: Target = "population", simultaneous: bool = False
    ) -> tuple[Floats, Floats]:
        """Return the ends of an interval for the share of each cell, after rounding.

        It is for the population, and so covers the share among the people who took part, or any
        number between, more often than it says.
        """
        alpha = alpha_of("ScaleEstimate.interval", level)
        self.whose("ScaleEstimate.interval", target)
        return self.numbers.cells(alpha / (self.scale.cells if simultaneous else 1))

    @property
    def can_shrink(self) -> bool:
        """The distribution is smooth already."""
        return False

    def shrink(self) -> Floats:
        """Return the distribution."""
        return self.numbers.distribution()

    # --- numbers ------------------------------------------------------------------------------

    @property
    def scale(self) -> Scale:
        """The scale."""
        return self.survey.answers  # type: ignore[return-value]

    @cached_property
    def numbers(self) -> Numbers:
        """All that is known of the numbers."""
        scale = self.scale
        ends = scale.low, scale.high
        mechanism: Any = self.survey.mechanism
        return Numbers(mechanism, self.windows, self.n, *scale.edges, scale.rounded, ends)

    def mean(self) -> Measured:
        """Return the mean of the numbers, without bias."""
        return self.numbers.mean()

    def variance(self) -> Measured:
        """Return the variance of the numbers."""
        return self.numbers.variance()

    def share(self, low: float, high: float) -> Measured:
        """Return the share of numbers between two numbers.

        Of whole numbers, both ends are included. Otherwise those at an end of the scale are,
        because nothing lies beyond it.
        """
        if not low <= high:
            raise InvalidArgument("ScaleEstimate.share", "high", f"a number >= low = {low}", high)
        scale, (first, last) = self.scale, self.scale.edges
        if scale.whole:
            low, high = ceil(low) - 0.5, floor(high) + 0.5
            high = max(low, high)
        low = first if low <= scale.low else last if low > scale.high else low
        high = last if high >= scale.high else first if high < scale.low else high
        return self.numbers.share(low, high)

    def quantile(self, q: float) -> Measured:
        """Return the number that a share q of the numbers is below."""
        return self.numbers.quantile(q)

    def median(self) -> Measured:
        """Return the number that half of the numbers are below."""
        return self.numbers.median()

    def distribution(self, smooth: bool = True) -> NDArray[np.float64]:
        """Return the shares of all cells, to show: smooth as the reports say, or the likeliest."""
        return self.numbers.distribution(smooth)

    def curve(self) -> tuple[Floats, Floats]:
        """Return the centres of cells and their shares, to draw."""
        return np.linspace(self.scale.low, self.scale.high, self.scale.cells), self.frequencies

    @property
    def band_edges(self) -> tuple[float, ...]:
        """Where bands begin and end, half-way between whole numbers and else at their borders."""
        scale = self.scale
        if not scale.whole:
            return scale.low, *scale.bands, scale.high
        return scale.low - 0.5, *(ceil(one) - 0.5 for one in scale.bands), scale.high + 0.5

    def bands(self) -> list[tuple[str, Measured]]:
        """Return the shares of the scale's bands, with their names; a border begins a band."""
        first, *inner, last = self.band_edges
        ends = min(first, self.scale.edges[0]), *inner, max(last, self.scale.edges[1])
        shares = (self.numbers.share(low, high) for low, high in pairwise(ends))
        return [*zip(self.scale.band_names, shares, strict=True)]

    def figures(self, quantiles: Sequence[float] = QUANTILES) -> dict[str, Measured]:
        """Return the mean, the quantiles and the shares of bands, by what they are called."""
        rows = {"mean": self.mean()}
        for q in quantiles:
            rows["median" if 2 * q == 1 else f"{100 * q:g} % are below"] = self.quantile(q)
        return rows | {f"share of {name}": share for name, share in self.bands()}

    def columns(self, level: float = 0.95, **options: Any) -> dict[str, Any]:
        """Return the table of figures, column by column; `quantiles` says which there are."""
        rows = self.figures(options.get("quantiles") or QUANTILES)
        ends = [one.interval(level) for one in rows.values()]
        return {
            "figure": list(rows),
            "value": [one.value for one in rows.values()],
            "standard_error": [one.standard_error for one in rows.values()],
            "low": [low for low, _ in ends],
            "high": [high for _, high in ends],
        }

    def change(self, before: ScaleEstimate | Tallied | Mapping[str, float]) -> ScaleChanges:
        """Return how much the mean, quantiles and shares differ from those of another survey.

        Or from numbers that are known: {"mean": 41.3, "0 to 29": 0.35}, by the names of figures.
        """
        return scale_changes(before, self)

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw how the numbers are spread; return the matplotlib axes."""
        from ..figures import plot_scale

        return plot_scale(self, ax, **options)

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        return of_scale(self)

    def __repr__(self) -> str:
        unit = f" {self.scale.unit}" if self.scale.unit else ""
        lines = [
            f"Estimate from {self.n:,} reports: {self.survey.question}",
            f"{self.survey.mechanism!r}",
        ]
        for name, one in self.figures().items():
            low, high = one.interval()
            if name.startswith("share"):
                said = f"{100 * one.value:.1f} %  [{100 * low:.1f}, {100 * high:.1f}]"
            else:
                said = f"{one.value:.4g}{unit}  [{low:.4g}, {high:.4g}]"
            lines.append(f"  {name:<20}  {said}")
        return "\n".join(lines)
