"""Pictures of comparisons: how much each share or figure differs, with its interval, around 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..analysis.sums.changes import Changes
from . import canvas

if TYPE_CHECKING:  # which takes long to import
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_ROWS, _MOST_ROWS_OF_A_PANEL, _MOST_PANELS = 40, 15, 12
_POINTS = "difference, percentage points"


def plot_changes(changes: Mapping[str, Changes], *, title: str) -> Figure:
    """Draw how much the shares of each group differ from one, a panel a group; return the figure.

    The largest rise is at the top, the largest fall at the bottom. What is not found is pale. Where
    there are too many categories, those that differ least are left out.
    """
    shown = dict(list(changes.items())[:_MOST_PANELS])
    one = next(iter(shown.values()))
    values = np.array([each.values for each in shown.values()])
    most = _MOST_ROWS if len(shown) == 1 else _MOST_ROWS_OF_A_PANEL
    largest = np.argsort(-np.abs(values).max(axis=0), kind="stable")[:most]
    order = largest[np.argsort(values.mean(axis=0)[largest], kind="stable")]
    width = min(len(shown), 3)
    height = ceil(len(shown) / width)
    rows = 0.26 * max(len(order), 4)
    figure = canvas.new_figure(8 if width == 1 else 2.2 + 3 * width, 1.5 + height * (0.6 + rows))
    grid = canvas.panels(figure, len(shown), width, _POINTS)
    for ax, (name, each) in zip(grid, shown.items(), strict=True):
        _draw(ax, each, order, 100)
        canvas.set_title(ax, canvas.shorten(name), fontsize=10)
    _label(grid[0], [one.names[i] for i in order])
    said = [title, f"{100 * one.level:g} % intervals, all at once"]
    if not all(each.found[order].all() for each in shown.values()):
        said.append("grey: not found to differ")
    if omitted := len(one.names) - len(order):
        said.append(f"{omitted:,} categories that differ less not shown")
    if len(changes) > len(shown):
        said.append(f"{len(changes) - len(shown)} more groups not shown")
    canvas.set_suptitle(figure, said)
    return figure


def plot_scale_changes(changes: Mapping[str, Changes], *, title: str, unit: str = "") -> Figure:
    """Draw how much figures of a scale differ, a row of panels for each group; return the figure.

    The mean and the quantiles are on the left, in the scale's unit; the shares of bands on the
    right, in percentage points. What is not found is pale.
    """
    shown = dict(list(changes.items())[: _MOST_PANELS // 2])
    one = next(iter(shown.values()))
    shares = np.array([name.startswith("share") for name in one.names])
    parts = [(np.flatnonzero(~shares)[::-1], 1, f"difference{unit and ', '}{unit}")]
    parts += [(np.flatnonzero(shares)[::-1], 100, _POINTS)]
    parts = [part for part in parts if len(part[0])]
    most = max(len(order) for order, _, _ in parts)
    height = len(shown) * (0.6 + 0.3 * max(most, 3))
    figure = canvas.new_figure(4.8 * len(parts) if len(parts) > 1 else 8, 1.3 + height)
    grid = figure.subplots(len(shown), len(parts), sharex="col", sharey="col", squeeze=False)
    for axes, (name, each) in zip(grid, shown.items(), strict=True):
        for ax, (order, scale, _) in zip(axes, parts, strict=True):
            _draw(ax, each, order, scale)
            _label(ax, [one.names[i].removeprefix("share of ") for i in order])
            # A title for the row, above the first of its panels.
            canvas.set_title(ax, canvas.shorten(name) if ax is axes[0] else " ", fontsize=10)
    for ax, (_, _, across) in zip(grid[-1], parts, strict=True):
        ax.set_xlabel(across)
    alone = "the mean's by itself, others " if "mean" in one.names and len(one.names) > 1 else ""
    said = [title, f"{100 * one.level:g} % intervals, {alone}all at once"]
    if not all(each.found.all() for each in shown.values()):
        said.append("grey: not found to differ")
    if len(changes) > len(shown):
        said.append(f"{len(changes) - len(shown)} more groups not shown")
    canvas.set_suptitle(figure, said)
    return figure


def _label(ax: Axes, names: Sequence[str]) -> None:
    ax.set_yticks(range(len(names)), canvas.labels(names), parse_math=False)


def _draw(ax: Axes, one: Changes, order: NDArray[np.intp], scale: int) -> None:
    at, found = np.arange(len(order)), one.found[order]
    ax.axvline(0, color=canvas.INK, lw=0.9)
    for which, color in ((~found, canvas.PALE), (found, canvas.HEDGE)):
        rows = order[which]
        ax.hlines(at[which], scale * one.low[rows], scale * one.high[rows], color=color, lw=2)
        ax.plot(scale * one.values[rows], at[which], "o", color=color, ms=6)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", color=canvas.PALE, alpha=0.35, lw=0.6)
    ax.set_axisbelow(True)
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:+g}".replace("-", "−") if value else "0")
    ax.set_ylim(-0.6, len(order) - 0.4)
    ax.spines["left"].set_visible(False)
