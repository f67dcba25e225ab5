"""Pictures of regressions: each coefficient with its interval, around zero."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from ..analysis.regression.fitted import Fitted
from . import canvas

if TYPE_CHECKING:  # which takes long to import
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_coefficients"]

_MOST_ROWS, _MOST_PANELS = 40, 12


def plot_coefficients(fitted: Fitted, *, level: float = 0.95) -> Figure:
    """Draw the coefficients of each column, a panel for each; return the figure.

    The intercepts are left out, and so are coefficients that are withheld. A line that ends with an
    arrow goes on without end. What is not found to differ from 0 is grey.
    """
    shape = len(fitted.names), -1
    low, high = (end.reshape(shape) for end in fitted.interval(level))
    values, p_values = fitted.coefficients.reshape(shape), fitted.p_values.reshape(shape)
    rows = (fitted.rows or ("mean",))[:_MOST_ROWS]
    names = fitted.names[1 : _MOST_PANELS + 1]
    width = max(1, min(len(names), 3))
    height = max(1, ceil(len(names) / width))
    tall = 0.26 * max(len(rows), 4)
    size = 8 if width == 1 else 2.2 + 3 * width, 1.5 + height * (0.6 + tall)
    figure = canvas.new_figure(*size)
    grid = figure.subplots(height, width, sharey=True, squeeze=False).ravel()
    for ax in grid[len(names) :]:
        ax.remove()
    for ax, name, i in zip(grid, names, range(1, len(names) + 1), strict=False):
        ax.axvline(0, color=canvas.INK, lw=0.9)
        for at in range(len(rows)):
            if not np.isnan(values[i, at]):
                found = p_values[i, at] <= 1 - level
                _draw(ax, at, values[i, at], low[i, at], high[i, at], found=bool(found))
        ax.tick_params(axis="y", length=0)
        ax.locator_params(axis="x", nbins=5)
        ax.grid(axis="x", color=canvas.PALE, alpha=0.35, lw=0.6)
        ax.set_axisbelow(True)
        ax.set_ylim(len(rows) - 0.4, -0.6)
        canvas.set_title(ax, canvas.shorten(name), fontsize=10)
        ax.spines["left"].set_visible(False)
    grid[0].set_yticks(range(len(rows)), canvas.labels(rows), parse_math=False)
    said = [fitted.title, f"{100 * level:g} % intervals"]
    if len(fitted.names) - 1 > len(names) or len(fitted.rows) > len(rows):
        said.append("not all are shown")
    canvas.set_suptitle(figure, said)
    return figure


def _draw(ax: Axes, at: int, value: float, low: float, high: float, *, found: bool) -> None:
    color = canvas.HEDGE if found else canvas.PALE
    known = [end for end in (low, high) if np.isfinite(end)]
    reach = max((abs(end - value) for end in known), default=1.0)
    ends = (end if np.isfinite(end) else value + sign * 1.5 * reach
            for end, sign in ((low, -1), (high, 1)))  # fmt: skip
    ax.hlines(at, *ends, color=color, lw=2)
    for end, sign, mark in ((low, -1, "<"), (high, 1, ">")):
        if not np.isfinite(end):
            ax.plot(value + sign * 1.5 * reach, at, mark, color=color, ms=5)
    ax.plot(value, at, "o", color=color, ms=6)
