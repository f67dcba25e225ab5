"""Time and memory against people and categories, on logarithms of both."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt

from . import MACHINE, ONE_WORKER, SERIES, SERVICE, TWO_WORKERS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

    from . import Point

_TITLES = {
    "people": "people (d = 64, bitmaps)",
    "bitmaps": "categories (bitmaps, n = 10,000)",
    "numbers": "categories (numbers, n = 1,000,000)",
}
_STYLES = {MACHINE: "-", SERVICE: ":", ONE_WORKER: "--", TWO_WORKERS: "-."}
_COLOURS = (*(f"C{number}" for number in range(10)), "black")
_LEAST = {"seconds": 0.0, "megabytes": 1.0}
_LEGEND = {"fontsize": 8, "frameon": False, "loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}


def save(points: Sequence[Point], path: Path) -> None:
    """Draw one column a series, time above memory; what is beyond one machine is broken."""
    figure, axes = plt.subplots(2, len(SERIES), figsize=(15, 8), layout="constrained", sharex="col")
    shown = [point for point in points if not point.stage.endswith("CPU")]
    stages = list(dict.fromkeys(point.stage for point in shown))
    for column, name in zip(axes.T, SERIES, strict=True):
        lines: dict[tuple[str, str], list[Point]] = {}
        for point in shown:
            if point.series == name:
                lines.setdefault((point.where, point.stage), []).append(point)
        for axis, field in zip(column, ("seconds", "megabytes"), strict=True):
            for (where, stage), line in lines.items():
                style = {"color": _COLOURS[stages.index(stage)], "linestyle": _STYLES[where]}
                label = stage if where == MACHINE else f"{stage}: {where}"
                at = [getattr(point, SERIES[name].grows) for point in line]
                taken = [max(getattr(point, field), _LEAST[field]) for point in line]
                axis.plot(at, taken, marker="o", ms=3, lw=1.4, label=label, **style)
            _tidy(axis)
        column[-1].set_xlabel(_TITLES[name])
    axes[0, 0].set_ylabel("seconds")
    axes[1, 0].set_ylabel("MB, at least 1")
    axes[0, -1].legend(*axes[0, 0].get_legend_handles_labels(), **_LEGEND)
    figure.savefig(path, dpi=120, facecolor="white")
    plt.close(figure)


def _tidy(axis: Axes) -> None:
    axis.set(xscale="log", yscale="log")
    axis.grid(color="#e6e6e6", lw=0.7)
    axis.spines[["top", "right"]].set_visible(False)
