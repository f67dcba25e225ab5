"""Pictures of experiments: the errors of mechanisms, compared with the theory."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, sqrt
from typing import TYPE_CHECKING, Any

from ..simulate.experiment import Experiment, Row
from .canvas import HEDGE, TRUTH, new_figure, panels, set_suptitle, set_title

if TYPE_CHECKING:  # which takes long to import
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Mechanisms have to differ also for those who do not see colours.
_LINES = (HEDGE, "#e08e2b", "#2f5d9b", "#8e5aa8", TRUTH, "#5aa9b5", "#8c7b6b")
_MARKS = "osD^vP*"
_AXES = {"epsilon": "privacy level ε", "d": "values d", "n": "people n"}


def plot_experiment(experiment: Experiment) -> Figure:
    """Draw the squared ℓ2 errors against whichever of ε, d and n varies most; return the figure.

    There is a panel for every truth and for what else varies. Marks are simulated, with twice their
    standard errors either way; the thin lines are the theory of the unbiased estimate.
    """
    rows = experiment.rows
    varied = {name: len({getattr(row, name) for row in rows}) for name in ("truth", *_AXES)}
    across = max(_AXES, key=lambda name: varied[name])
    apart = [name for name in varied if varied[name] > 1 and name != across]
    parts: dict[str, list[Row]] = {}
    for row in rows:
        parts.setdefault(_describe(row, apart), []).append(row)
    width = len(parts) if len(parts) < 4 else ceil(sqrt(len(parts)))
    height = ceil(len(parts) / width)
    figure = new_figure(2.1 + 3 * max(width, 1.5), 0.9 + 2.7 * max(height, 1.3))
    grid = panels(figure, len(parts), width, _AXES[across])
    for ax, (title, part) in zip(grid, parts.items(), strict=True):
        _draw_errors(ax, across, part)
        set_title(ax, title, fontsize=10)
    for ax in grid[::width]:
        ax.set_ylabel("squared ℓ2 error")
    ticks = sorted({getattr(row, across) for row in rows})
    grid[0].set(xscale="log", yscale="log")
    if len(ticks) < 10:
        grid[0].set_xticks(ticks, [f"{tick:,g}" if tick < 1e6 else f"{tick:g}" for tick in ticks])
        grid[0].set_xticks([], minor=True)
    fixed = [name for name in varied if name not in (across, *apart)]
    said = _describe(rows[0], fixed, f"{experiment.repeats:,} repeats ± 2 s.e.")
    set_suptitle(figure, [said], 12)
    _explain(grid[0], rows)
    figure.legend(loc="outside right upper", frameon=False, fontsize=9)
    return figure


def _draw_errors(ax: Axes, across: str, rows: list[Row]) -> None:
    """Draw every mechanism in its colour, the first one on top."""
    for at, mechanism in reversed(list(enumerate(_distinct(rows, "mechanism")))):
        for which, estimator in enumerate(_distinct(rows, "estimator")):
            part = [row for row in rows if (row.mechanism, row.estimator) == (mechanism, estimator)]
            part.sort(key=lambda row: getattr(row, across))
            x = [getattr(row, across) for row in part]
            reach = [2 * row.squared_l2_se for row in part]
            ax.errorbar(
                x, [row.squared_l2 for row in part], reach, elinewidth=1, **_style(at, which)
            )
        ax.plot(x, [row.unbiased_theory for row in part], color=_style(at, 0)["color"], lw=0.8)
    ax.grid(axis="y", color="0.92", lw=0.6)


def _explain(ax: Axes, rows: tuple[Row, ...]) -> None:
    """Add entries for the legend: what colours are, and what marks and lines are."""
    for at, mechanism in enumerate(_distinct(rows, "mechanism")):
        ax.plot([], [], label=mechanism, **_style(at, 1))
    ax.plot([], [], label=" ", ls="")
    for which, estimator in enumerate(_distinct(rows, "estimator")):
        ax.plot([], [], label=estimator, **_style(0, which) | {"color": "grey"})
    ax.plot([], [], label="unbiased, theory", color="grey", lw=0.8)


def _style(mechanism: int, estimator: int) -> dict[str, Any]:
    look = {"color": _LINES[mechanism % len(_LINES)], "marker": _MARKS[mechanism % len(_MARKS)]}
    if estimator == 0:
        return {**look, "ms": 5, "mfc": "white", "ls": ""}
    return {**look, "ms": 5, "ls": ("-", "--", ":", "-.")[(estimator - 1) % 4], "lw": 1.6}


def _distinct(rows: Iterable[Row], name: str) -> list[str]:
    return list(dict.fromkeys(getattr(row, name) for row in rows))


def _describe(row: Row, names: list[str], *more: str) -> str:
    """Say in a few words what a row is about."""
    words = {
        "truth": row.truth,
        "epsilon": f"ε = {row.epsilon:g}",
        "d": f"d = {row.d:,}",
        "n": f"{row.n:,} people",
    }
    return " · ".join([*(words[name] for name in names), *more])
