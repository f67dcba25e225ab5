"""Pictures of estimates: a bar with its interval for each category, of all people or by group."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..analysis.shown import Shown, Sort, in_order
from ..device.mechanisms.forwards import Target
from ..errors import InvalidArgument
from ..errors.arguments import whole
from . import canvas

if TYPE_CHECKING:  # which takes long to import
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Ends = tuple[NDArray[np.float64], NDArray[np.float64]]

_MOST_BARS, _MOST_BARS_EVER = 40, 1000  # by default, and such that the picture can be written
_MOST_PANELS, _MOST_BARS_OF_A_GROUP = 12, 15
_SHARES = "share of people, %"


def plot_estimate(
    estimate: Shown,
    ax: Axes | None = None,
    *,
    level: float = 0.95,
    target: Target = "population",
    truth: ArrayLike | None = None,
    simultaneous: bool = True,
    top: int = _MOST_BARS,
    sort: Sort = "share",
) -> Axes:
    """Draw a bar for each category, and its interval; return the axes.

    Bars are shrunk shares, where the mechanism allows it: the closest to the truth as a whole. The
    line across is the interval, and the mark on it the unbiased share. The intervals hold together,
    unless simultaneous=False. Bars of categories that cannot be distinguished from zero are pale.
    `truth`, where it is known, is a red mark. The `top` largest categories are drawn, sorted by
    "share", by "name", or as in the "survey". A title that the axes have already is kept.
    """
    whole("plot_estimate", "top", top, 1, _MOST_BARS_EVER)
    order = estimate.order(top, sort)[::-1]  # from the bottom up
    ax = ax or canvas.shown_figure(8, _height(len(order))).gca()
    ends = estimate.interval(level, target=target, simultaneous=simultaneous)
    together = ", all at once" if simultaneous else ""
    _draw_bars(ax, estimate, order, ends, f"{100 * level:g} % interval{together}")
    if truth is not None:
        shares = np.asarray(truth, dtype=np.float64)
        if shares.shape != estimate.frequencies.shape:
            rule = f"one share a category ({len(estimate.counts)})"
            raise InvalidArgument("plot_estimate", "truth", rule, shares.shape)
        look: dict[str, Any] = {"color": canvas.TRUTH, "ms": 5, "clip_on": False, "label": "truth"}
        ax.plot(100 * shares[order], range(len(order)), "D", **look)
    names = _name_bars(ax, estimate, order)
    ax.set_xlabel(_SHARES)
    letters = 8 * canvas.LETTERS_AN_INCH - max(map(len, names))  # it begins where the names end
    canvas.set_title(ax, fill(estimate.survey.question, letters), pad=20, fontsize=12)
    omitted = len(estimate.counts) - len(order)
    left_out = f" · {omitted:,} smaller categories not shown" if omitted else ""
    note = f"{estimate.n:,} reports · ε = {estimate.survey.epsilon:g}{left_out}"
    canvas.add_note(ax, note, 6)
    # Below the axis and its name, where no bar can be.
    below: dict[str, Any] = {"loc": "upper right", "bbox_to_anchor": (1, 0), "borderaxespad": 4.8}
    ax.legend(frameon=False, ncols=2, fontsize=8, **below)
    return ax


def save_estimate(estimate: Shown, path: Path, **options: Any) -> None:
    """Write the picture in the format that the path's ending names; options as plot_estimate's."""
    bars = min(len(estimate.counts), options.get("top", _MOST_BARS))
    figure = canvas.new_figure(8, _height(bars))
    plot_estimate(estimate, figure.gca(), **options)
    canvas.save(figure, path)


def _height(bars: int) -> float:
    return 1.4 + 0.33 * max(bars, 3)


def plot_groups(
    groups: Mapping[str, Shown],
    *,
    level: float = 0.95,
    target: Target = "population",
    simultaneous: bool = True,
    top: int = _MOST_BARS_OF_A_GROUP,
    sort: Sort = "share",
    shrunk: Mapping[str, NDArray[np.float64] | None] | None = None,
) -> Figure:
    """Draw a panel for each of the largest groups, categories in one order; return the figure.

    The options are those of `plot_estimate`; the categories that are largest in all groups together
    are drawn. Other shares than their own may be the `shrunk` ones of groups.
    """
    whole("plot_groups", "top", top, 1, _MOST_BARS_EVER)
    largest = sorted(groups, key=lambda name: -groups[name].n)[:_MOST_PANELS]
    names = [name for name in groups if name in largest]
    some = groups[names[0]]
    together = np.sum([groups[name].n * groups[name].frequencies for name in names], axis=0)
    order = in_order(together, some.survey.categories, top, sort)[::-1]
    width = min(len(names), 4)
    height = ceil(len(names) / width)
    figure = canvas.new_figure(2 + 2.4 * width, 0.9 + height * (0.7 + 0.22 * max(len(order), 4)))
    grid = canvas.panels(figure, len(names), width, _SHARES)
    for ax, name in zip(grid, names, strict=True):
        ends = groups[name].interval(level, target=target, simultaneous=simultaneous)
        _draw_bars(ax, groups[name], order, ends, shrunk=(shrunk or {}).get(name))
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
    canvas.set_suptitle(figure, [*said, *left_out])
    return figure


def _draw_bars(
    ax: Axes,
    estimate: Shown,
    order: NDArray[np.intp],
    ends: Ends,
    interval: str = "interval",
    shrunk: NDArray[np.float64] | None = None,
) -> None:
    """Draw bars and intervals; those of categories that are not found are pale."""
    unbiased = 100 * np.clip(estimate.frequencies, 0, None)[order]
    shown = unbiased
    if estimate.can_shrink:
        shown = 100 * (estimate.shrink() if shrunk is None else shrunk)[order]
    kind = "shrunk share" if estimate.can_shrink else "share"
    at, found = np.arange(len(order)), estimate.found()[order]
    for some, alpha, label in (
        (found, 0.8, kind),
        (~found, 0.25, f"{kind} that cannot be distinguished from zero"),
    ):
        if some.any():
            look: dict[str, Any] = {"height": 0.62, "color": canvas.HEDGE, "alpha": alpha}
            ax.barh(at[some], shown[some], label=label, **look)
    low, high = (100 * end[order] for end in ends)
    ax.hlines(at, low, high, color=canvas.INK, lw=1.1, label=interval)
    ax.plot(unbiased, at, "|", color=canvas.INK, ms=8, mew=1.6, label="unbiased share")
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.grid(axis="x", color="#dddddd", lw=0.6)
    ax.set_axisbelow(True)
    ax.set_ylim(-0.6, len(order) - 0.4)


def _name_bars(ax: Axes, estimate: Shown, order: NDArray[np.intp]) -> list[str]:
    names = canvas.labels([estimate.survey.categories[i] for i in order])
    ax.set_yticks(range(len(order)), names, parse_math=False)
    ax.set_xlim(left=0)
    return names
