"""Estimates of numbers on a scale: the mean, quantiles, and the shares of bands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import floor, log10
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ... import figures
from ...analysis.arrays import Floats
from ...analysis.scale_estimate import ScaleEstimate
from ...analysis.sums.changes import Changes
from ...bulk.known import read_figures
from ...device.answers.scale import Scale
from ...device.survey import Survey
from ..output import rows_of
from ..terminal import console, print_table
from .base import OF_CATEGORIES, Compared, Looks, Pair, Rendering, TestOfAll
from .differing import PERCENT, add_row, p_in_text, pair_table, signed, what_differs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["ScaleRendering"]


class ScaleRendering(Rendering[ScaleEstimate]):
    """A row for each figure: the mean, quantiles and bands."""

    names: ClassVar[tuple[str, str]] = ("figure", "value")
    differing: ClassVar[tuple[str, str]] = ("figure", "value")
    rows: ClassVar[str] = "figures"
    of: ClassVar[str] = "numbers on a scale"
    has_top: ClassVar[bool] = False

    unfit: ClassVar[Sequence[str]] = OF_CATEGORIES

    def __init__(self, survey: Survey[ScaleEstimate]) -> None:
        super().__init__(survey)
        scale: Scale = survey.answers  # type: ignore[assignment]
        self._unit = scale.unit and f" {scale.unit}"

    def table(
        self, one: ScaleEstimate, looks: Looks, shrunk: Floats | None = None
    ) -> dict[str, list[Any]]:
        """Return a row for each figure."""
        return one.columns(looks.level, quantiles=looks.quantiles)

    def document(
        self, one: ScaleEstimate, looks: Looks, shrunk: Floats | None = None
    ) -> dict[str, Any]:
        """Return an object for each figure."""
        return {"n": one.n, "figures": rows_of(self.table(one, looks))}

    def show(
        self,
        one: ScaleEstimate,
        looks: Looks,
        title: str | None,
        rows: int,
        shrunk: Floats | None = None,
    ) -> None:
        """Print the mean of numbers, their quantiles, and the shares of bands."""
        found = one.figures(looks.quantiles) if looks.quantiles else one.figures()
        shown = []
        for name, figure in found.items():
            low, high = figure.interval(looks.level)
            numbers = figure.value, figure.standard_error, low, high
            if name.startswith("share"):
                value, error, least, most = (f"{100 * number:z.2f} %" for number in numbers)
            else:
                digits = _digits(high - low)
                value, error, least, most = (f"{number:z.{digits}f}" for number in numbers)
                value += self._unit
            shown.append((name, value, error, f"{least} – {most}"))
        heads = ("estimate", "± s.e.", f"{100 * looks.level:g} % interval")
        print_table([""], heads, shown, title or self.survey.question, no_wrap=True)

    def save(self, one: ScaleEstimate, path: Path, looks: Looks) -> None:
        """Write a picture of bands."""
        figures.save(one, path, level=looks.level)

    def draw(
        self, groups: Mapping[str, ScaleEstimate], looks: Looks, shrunk: Mapping[str, Floats]
    ) -> Figure:
        """Return a picture with the bands of each group."""
        return figures.plot_scale_groups(groups, level=looks.level)

    # --- comparisons ------------------------------------------------------------------------------

    def changes(
        self, first: ScaleEstimate, second: ScaleEstimate, level: float, times: int
    ) -> Changes:
        """Return how much each figure grew."""
        return second.change(first).table(level, times=times)

    def since(self, known: Path, estimate: ScaleEstimate, level: float) -> Changes:
        """Return how much each figure is above that of a file."""
        return estimate.change(read_figures(known, estimate.scale)).table(level)

    def test(
        self, estimates: Sequence[ScaleEstimate], pairs: Sequence[Pair], known: Any
    ) -> TestOfAll:
        """Return the test of the mean, or of the least p-value where the mean is not compared."""
        what = "mean" if "mean" in pairs[0].changes.names else "any"
        p_values = [p for pair in pairs for p in pair.p_values_of(what)]
        return TestOfAll(what, min(p_values), None, None, "intervals")

    def show_pair(self, pair: Pair, title: str, top: int) -> None:
        """Print the difference of every figure."""
        one = pair.changes
        table = pair_table(pair, title, "", f"{PERCENT * one.level:g} % interval")
        for i, name in enumerate(one.names):
            share = name.startswith("share")
            scale = PERCENT if share else 1
            width = scale * float(one.high[i] - one.low[i])
            digits = 2 if share else _digits(width)
            of = " %" if share else self._unit
            parts = [f"{scale * part[i]:z.{digits}f}{of}" for part in (one.before, one.after)]
            numbers = (scale * float(part[i]) for part in (one.values, one.low, one.high))
            add_row(table, pair, i, parts, *signed(numbers, digits))
        console().print(table)
        named = [name for name, differs in zip(one.names, one.found, strict=True) if differs]
        console().print(what_differs(named, len(one.names), "figure", "figures"))

    def draw_pairs(self, titled: Mapping[str, Changes]) -> Figure:
        """Return a picture of differences around 0."""
        unit = self._unit.strip()
        return figures.plot_scale_changes(titled, title=self.survey.question, unit=unit)

    def notes(self, pairs: Sequence[Pair]) -> Iterator[str]:
        """Yield what the numbers are in."""
        yield "Differences of shares are in percentage points; * is found."
        if len(pairs[0].changes.names) > 1:
            several = " (of each group)" if len(pairs) > 1 else ""
            yield (
                f"The mean's interval and p{several} hold by themselves, the others all at once."
            )

    def verdict(self, found: Compared[ScaleEstimate], *, differs: bool) -> Iterator[str]:
        """Yield whether the means differ."""
        if found.test.what != "mean":
            return
        said = [self._of_means(pair) for pair in found.pairs]
        if len(said) == 1:
            yield f"{found.asked} {said[0]}"
            return
        yield found.asked
        for pair, words in zip(found.pairs, said, strict=True):
            yield f"{pair.second} and {pair.first}: {words[0].lower()}{words[1:]}"

    def _of_means(self, pair: Pair) -> str:
        """Return whether the means differ, and by how much they may."""
        one, i = pair.changes, pair.changes.names.index("mean")
        value, low, high = (float(part[i]) for part in (one.values, one.low, one.high))
        digits = _digits(high - low)
        ends = f"{low:+z.{digits}f} to {high:+z.{digits}f}"
        said = f"{PERCENT * one.level:g} % interval"
        p = p_in_text(float(one.p_values[i]))
        if one.found[i]:
            more = "higher" if value > 0 else "lower"
            by = f"{abs(value):.{digits}f}{self._unit}"
            return f"Yes, it is {by} {more} in {pair.second} ({said} {ends}, {p})."
        return f"Not found: the difference may be {ends}{self._unit} ({said}, {p})."


def _digits(width: float) -> int:
    """Return how many decimals show an interval of this width.

    >>> _digits(0.5), _digits(40.0)
    (3, 1)
    """
    return max(0, 2 - floor(log10(max(abs(width), 1e-9))))
