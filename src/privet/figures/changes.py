"""Pictures of comparisons: how much each share differs, with its interval, around zero."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from . import canvas

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ..sums.changes import Changes

_MOST_ROWS, _MOST_ROWS_OF_A_PANEL, _MOST_PANELS = 40, 15, 12
_POINTS = "difference, percentage points"


def plot_changes(
    changes: Mapping[str, Changes],
    found: Mapping[str, NDArray[np.bool_]],
    categories: Sequence[str],
    *,
    title: str,
    level: float = 0.95,
) -> Any:
    """Draw how much the shares of each group differ from one, a panel a group; return the figure.

    The largest rise is at the top, the largest fall at the bottom. What is not found is pale. Where
    there are too many categories, those that differ least are left out.
    """
    names = list(changes)[:_MOST_PANELS]
    values = np.array([changes[name].values for name in names])
    most = _MOST_ROWS if len(names) == 1 else _MOST_ROWS_OF_A_PANEL
    largest = np.argsort(-np.abs(values).max(axis=0), kind="stable")[:most]
    order = largest[np.argsort(values.mean(axis=0)[largest], kind="stable")]
    width = min(len(names), 3)
    height = ceil(len(names) / width)
    rows = 0.26 * max(len(order), 4)
    figure = canvas.new_figure(8 if width == 1 else 2.2 + 3 * width, 1.5 + height * (0.6 + rows))
    grid = canvas.panels(figure, len(names), width, _POINTS)
    for ax, name in zip(grid, names, strict=True):
        _draw(ax, changes[name], found[name], order)
        canvas.set_title(ax, canvas.shorten(name), fontsize=10)
        ax.spines["left"].set_visible(False)
    shown = canvas.labels([categories[i] for i in order])
    grid[0].set_yticks(range(len(order)), shown, parse_math=False)
    said = [title, f"{100 * level:g} % intervals, all at once"]
    if not all(found[name][order].all() for name in names):
        said.append("grey: not found to differ")
    if omitted := len(categories) - len(order):
        said.append(f"{omitted:,} categories that differ less not shown")
    if len(changes) > len(names):
        said.append(f"{len(changes) - len(names)} more groups not shown")
    canvas.set_suptitle(figure, said)
    return figure


def _draw(ax: Any, one: Changes, found: NDArray[np.bool_], order: NDArray[np.intp]) -> None:
    at = np.arange(len(order))
    ax.axvline(0, color=canvas.INK, lw=0.9)
    for which, color in ((~found[order], canvas.PALE), (found[order], canvas.HEDGE)):
        rows = order[which]
        ax.hlines(at[which], 100 * one.low[rows], 100 * one.high[rows], color=color, lw=2)
        ax.plot(100 * one.values[rows], at[which], "o", color=color, ms=6)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", color=canvas.PALE, alpha=0.35, lw=0.6)
    ax.set_axisbelow(True)
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:+g}".replace("-", "−") if value else "0")
    ax.set_ylim(-0.6, len(order) - 0.4)
