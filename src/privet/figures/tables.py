"""Pictures of tables: a cell for each pair of answers, with its share and how sure that is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..analysis.tables.ratios import shown
from ..analysis.tables.surplus import surplus
from ..analysis.tables.table import Table
from ..errors import InvalidArgument
from ..errors.arguments import alpha_of
from . import canvas

if TYPE_CHECKING:  # which takes long to import
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap

_MOST_ANSWERS = 20
_WIDTH, _HEIGHT = 0.95, 0.5  # of a cell, in inches
_UNSURE = "#71776d"


def plot_table(table: Table, ax: Axes | None = None, *, level: float = 0.95) -> Axes:
    """Draw a table of two questions, the first downwards; return the axes.

    A cell has its share, and the ends of its interval below it, in percent. The fuller its green,
    the larger is the share. ▲ and ▼ are pairs of answers that are found more or less often than if
    the answers were independent, all at once at the level; the others are grey.
    """
    alpha = alpha_of("plot_table", level)
    if table.frequencies.ndim != 2 or max(table.frequencies.shape) > _MOST_ANSWERS:
        rule = f"a table of two questions, with {_MOST_ANSWERS} answers each at most"
        raise InvalidArgument("plot_table", "table", rule, table)
    rows, columns = table.frequencies.shape
    names = [canvas.labels(each) for each in table.categories]
    ax = ax or canvas.shown_figure(*_size(table)).gca()
    ax.imshow(np.clip(table.frequencies, 0, None), cmap=_greens(), vmin=0, aspect="auto")
    low, high = (100 * end for end in table.interval(level))
    values, p_values = surplus(table)
    certain = p_values <= alpha / values.size
    for (row, column), share in np.ndenumerate(100 * shown(table.frequencies)):
        place = row, column
        mark = ("▲ " if values[place] > 0 else "▼ ") if certain[place] else ""
        said = f"{mark}{share:.1f}\n{low[place]:.1f}–{high[place]:.1f}"
        color = canvas.INK if certain[place] else _UNSURE
        ax.text(column, row, said, ha="center", va="center", fontsize=8, color=color)
    ax.set_xticks(range(columns), names[1], parse_math=False)
    ax.set_yticks(range(rows), names[0], parse_math=False)
    if sum(map(len, names[1])) > 9 * columns:
        ax.tick_params(axis="x", rotation=30)
    ax.tick_params(length=0)
    ax.set_ylabel(canvas.shorten(table.names[0]), parse_math=False)
    ax.set_xlabel(canvas.shorten(table.names[1]), parse_math=False)
    said = f"Share of people, %, and {100 * level:g} % interval"
    canvas.set_title(ax, f"{said}\n▲ ▼ more, less often than if independent", fontsize=9)
    ax.spines[:].set_visible(False)
    return ax


def save_table(table: Table, path: Path, **options: Any) -> None:
    """Write the picture in the format that the path's ending names; the rest as plot_table's."""
    figure = canvas.new_figure(*_size(table))
    plot_table(table, figure.gca(), **options)
    canvas.save(figure, path)


def _size(table: Table) -> tuple[float, float]:
    rows, columns = table.frequencies.shape
    return 2.2 + _WIDTH * columns, 1.4 + _HEIGHT * rows


def _greens() -> Colormap:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("privet", ["#ffffff", "#a9c99a"])
