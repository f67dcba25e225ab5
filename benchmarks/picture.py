"""The results that have a bar, as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

    from .rows import Row, Table

    Results = Sequence[tuple[Table, Sequence[Row]]]
    # A row, or the title of a table before its rows.
    Line = Row | str

_COLOURS = {"yes, stretch": "#2f5f8a", "yes": "#7fa8cc", "no": "#cf8a72"}
_NAMES = {"yes, stretch": "beyond the stretch", "yes": "bar met", "no": "bar missed"}
_INK, _FAINT = "#222222", "#e2e2e2"
_GOAL = {"color": _INK, "lw": 2}
_STRETCH = {"color": _INK, "lw": 1.3, "ls": (0, (1, 1))}
_LINE_INCHES = 0.25


def save(results: Results, path: Path) -> None:
    panels = {
        "times as fast": _lines(results, lambda row: row.unit == "×" and not row.bar.at_most),
        "% of the machine's limit": _lines(results, lambda row: row.unit == "%"),
        "% of what is allowed (less is better)": _lines(results, lambda row: row.bar.at_most),
    }
    panels = {label: lines for label, lines in panels.items() if lines}
    heights = [len(lines) + 2.4 for lines in panels.values()]
    figure, axes = plt.subplots(
        len(panels),
        squeeze=False,
        figsize=(9, _LINE_INCHES * sum(heights) + 0.6),
        height_ratios=heights,
        layout="constrained",
    )
    for (label, lines), axis in zip(panels.items(), axes[:, 0], strict=True):
        _draw(axis, label, lines)
    shown = {line.met for lines in panels.values() for line in lines if not isinstance(line, str)}
    figure.legend(
        handles=[
            *(Patch(color=_COLOURS[met], label=_NAMES[met]) for met in _COLOURS if met in shown),
            Line2D([], [], label="bar", **_GOAL),
            Line2D([], [], label="stretch", **_STRETCH),
        ],
        loc="outside upper center",
        ncols=5,
        frameon=False,
        fontsize=9,
    )
    figure.savefig(path, dpi=130, facecolor="white")
    plt.close(figure)


def _lines(results: Results, wanted: Callable[[Row], bool]) -> list[Line]:
    lines: list[Line] = []
    for table, rows in results:
        shown = [row for row in rows if row.bar and row.result is not None and wanted(row)]
        lines += [table.title, *shown] if shown else []
    return lines


def _draw(axis: Axes, label: str, lines: list[Line]) -> None:
    start, ends = 0.0, []
    if label.startswith("times"):
        start = 1.0
        axis.set_xscale("log")
        axis.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f} ×")
    for place, line in enumerate(lines):
        if isinstance(line, str):
            white = {"facecolor": "white", "edgecolor": "none", "pad": 1}
            at = {"transform": axis.get_yaxis_transform(), "va": "center", "bbox": white}
            axis.text(0.004, place + 0.1, line, fontsize=9, fontweight="bold", color=_INK, **at)
        else:
            ends += _draw_row(axis, place, line, start)
    places = [place for place, line in enumerate(lines) if not isinstance(line, str)]
    axis.set_yticks(places, [lines[place].work for place in places], fontsize=9)
    axis.set_ylim(len(lines) - 0.4, -0.6)
    if start:
        axis.set_xlim(min(0.9, 0.9 * min(ends)), 3 * max(ends))
    else:
        axis.set_xlim(0, 1.1 * max(ends))
    axis.set_xlabel(label, fontsize=9)
    axis.tick_params(axis="y", length=0)
    axis.tick_params(axis="x", which="both", labelsize=8.5, color=_FAINT)
    axis.minorticks_off()
    axis.grid(axis="x", color=_FAINT, lw=0.7)
    axis.set_axisbelow(True)
    axis.spines[["top", "right", "left"]].set_visible(False)


def _draw_row(axis: Axes, place: int, row: Row, start: float) -> tuple[float, float]:
    """Return the least and the greatest number drawn."""
    unit = 100 / row.bar.goal if row.bar.at_most else 1
    marks = [(row.bar.goal * unit, _GOAL), (row.bar.stretch, _STRETCH)]
    end, reach = row.result * unit, max(row.result, row.bar.goal, row.bar.stretch or 0) * unit
    axis.barh(place, end - start, left=start, height=0.64, color=_COLOURS[row.met], zorder=2)
    for at, style in marks:
        if at is not None:
            axis.plot([at, at], [place - 0.4, place + 0.4], zorder=3, **style)
    beside = {"textcoords": "offset points", "va": "center", "fontsize": 8.5, "color": _INK}
    axis.annotate(row.shown_result, (reach, place), (5, 0), **beside)
    return end, reach
