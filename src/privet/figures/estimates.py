"""Pictures of estimates: a bar with its interval for each category, of all people or by group."""

from __future__ import annotations

from math import ceil
from textwrap import fill
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ..errors import InvalidArgument
from . import canvas

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import ArrayLike, NDArray

    from ..analysis.estimate import Estimate
    from ..mechanisms.forwards import Target
    from ..sums.strata import Poststratified

    Shown: TypeAlias = Estimate | Poststratified

    Ends = tuple[NDArray[np.float64], NDArray[np.float64]]

_MOST_BARS = 40
_MOST_PANELS, _MOST_BARS_OF_A_GROUP = 12, 15
_SHARES = "share of people, %"


def plot_estimate(
    estimate: Shown,
    ax: Any = None,
    *,
    level: float = 0.95,
    target: Target = "population",
    truth: ArrayLike | None = None,
    simultaneous: bool = True,
) -> Any:
    """Draw a bar for each category with its interval, the largest at the top; return the axes.

    The intervals hold together, unless simultaneous=False. The bars of categories that cannot be
    told from none are pale. `truth`, where it is known, is marked on each bar. Beyond 40 categories
    only the largest 40 are drawn.
    """
    if ax is None:
        bars = min(len(estimate.counts), _MOST_BARS)
        ax = canvas.new_figure(8, 1.4 + 0.33 * max(bars, 3)).gca()
    order = np.argsort(estimate.frequencies, kind="stable")[-_MOST_BARS:]
    ends = estimate.interval(level, target=target, simultaneous=simultaneous)
    together = ", all at once" if simultaneous else ""
    _draw_bars(ax, estimate, order, ends, f"{100 * level:g} % interval{together}")
    if truth is not None:
        shares = np.asarray(truth, dtype=np.float64)
        if shares.shape != estimate.frequencies.shape:
            rule = f"one share a category ({len(estimate.counts)})"
            raise InvalidArgument("plot_estimate", "truth", rule, shares.shape)
        look = {"color": canvas.TRUTH, "ms": 5, "clip_on": False, "label": "truth"}
        ax.plot(100 * shares[order], range(len(order)), "D", **look)
    names = _name_bars(ax, estimate, order)
    ax.set_xlabel(_SHARES)
    letters = 8 * canvas.LETTERS_AN_INCH - max(map(len, names))  # it begins where the names end
    canvas.set_title(ax, fill(estimate.survey.question, letters), pad=20, fontsize=12)
    omitted = len(estimate.counts) - len(order)
    left_out = f" · {omitted} smaller categories not shown" if omitted else ""
    ax.annotate(
        f"{estimate.n:,} reports · ε = {estimate.survey.epsilon:g}{left_out}",
        (0, 1), (0, 6), xycoords="axes fraction", textcoords="offset points",
        ha="left", va="bottom", fontsize=8, color="grey",
    )  # fmt: skip
    # Below the axis and its name, where no bar can be.
    below = {"loc": "upper right", "bbox_to_anchor": (1, 0), "borderaxespad": 4.8}
    ax.legend(frameon=False, ncols=2, fontsize=8, **below)
    return ax


def save_estimate(estimate: Shown, path: Path, **options: Any) -> None:
    """Write the picture in the format that the path's ending names; options as plot_estimate's."""
    canvas.save(plot_estimate(estimate, **options).figure, path)


def plot_groups(
    groups: Mapping[str, Shown],
    *,
    level: float = 0.95,
    target: Target = "population",
    simultaneous: bool = True,
) -> Any:
    """Draw a panel for each of the largest groups, categories in one order; return the figure.

    The intervals of a group hold together, unless simultaneous=False.
    """
    largest = sorted(groups, key=lambda name: -groups[name].n)[:_MOST_PANELS]
    names = [name for name in groups if name in largest]
    some = groups[names[0]]
    together = sum(groups[name].n * groups[name].frequencies for name in names)
    order = np.argsort(together, kind="stable")[-_MOST_BARS_OF_A_GROUP:]
    width = min(len(names), 4)
    height = ceil(len(names) / width)
    figure = canvas.new_figure(2 + 2.4 * width, 0.9 + height * (0.7 + 0.22 * max(len(order), 4)))
    grid = canvas.panels(figure, len(names), width, _SHARES)
    for ax, name in zip(grid, names, strict=True):
        ends = groups[name].interval(level, target=target, simultaneous=simultaneous)
        _draw_bars(ax, groups[name], order, ends)
        canvas.set_title(ax, f"{canvas.shorten(name)} ({groups[name].n:,})", fontsize=10)
    _name_bars(grid[0], some, order)  # all share them, and a scale that ends with the longest bar
    left_out = [
        f"{count} smaller {what} not shown"
        for count, what in (
            (len(groups) - len(names), "groups"),
            (len(some.counts) - len(order), "categories"),
        )
        if count
    ]
    intervals = f"{100 * level:g} % intervals{', all of a group at once' if simultaneous else ''}"
    said = [some.survey.question, f"ε = {some.survey.epsilon:g}", intervals]
    letters = int(figure.get_figwidth() * canvas.LETTERS_AN_INCH)
    canvas.set_suptitle(figure, fill(" · ".join([*said, *left_out]), letters), 11)
    return figure


def save_groups(groups: Mapping[str, Shown], path: Path, **options: Any) -> None:
    """Write the picture in the format that the path's ending names; options as plot_groups'."""
    canvas.save(plot_groups(groups, **options), path)


def _draw_bars(
    ax: Any, estimate: Shown, order: NDArray[np.intp], ends: Ends, interval: str = "interval"
) -> None:
    """Draw bars and intervals; those of categories that are not found are pale."""
    shares = 100 * np.clip(estimate.frequencies, 0, None)[order]
    at, found = np.arange(len(order)), estimate.found()[order]
    for some, alpha, label in (
        (found, 0.75, "estimate"),
        (~found, 0.2, "estimate that cannot be told from none"),
    ):
        if some.any():
            look = {"height": 0.72, "color": canvas.HEDGE, "alpha": alpha}
            ax.barh(at[some], shares[some], label=label, **look)
    low, high = (100 * end[order] for end in ends)
    ax.hlines(at, low, high, color=canvas.INK, lw=1.6, label=interval)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(-0.6, len(order) - 0.4)


def _name_bars(ax: Any, estimate: Shown, order: NDArray[np.intp]) -> list[str]:
    names = canvas.labels([estimate.survey.categories[i] for i in order])
    ax.set_yticks(range(len(order)), names, parse_math=False)
    ax.set_xlim(left=0)
    return names
