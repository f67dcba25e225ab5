"""Pictures, with matplotlib imported late."""

from __future__ import annotations

import re
import warnings
from math import ceil, sqrt
from os.path import commonprefix
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidArgument, MissingExtra

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import ArrayLike

    from ..analysis.estimate import Estimate
    from ..mechanisms.base import Target
    from ..plan.planning import Plan
    from ..simulate.experiment import Experiment, Row

__all__ = [
    "plot_estimate",
    "plot_experiment",
    "plot_groups",
    "plot_plan",
    "save_estimate",
    "save_experiment",
    "save_groups",
    "save_plan",
]

_HEDGE = "#4f7942"
_TRUTH = "#d1495b"
_INK = "#2b2d2f"
# Of mechanisms, told apart also without seeing colours.
_LINES = (_HEDGE, "#e08e2b", "#2f5d9b", "#8e5aa8", _TRUTH, "#5aa9b5", "#8c7b6b")
_MARKS = "osD^vP*"
_AXES = {"epsilon": "privacy level ε", "d": "values d", "n": "people n"}
_MOST_BARS = 40
_MOST_PANELS, _MOST_BARS_OF_A_GROUP = 12, 15
_FORMATS = (".png", ".svg", ".pdf")
_MOST_LETTERS = 32
_LETTERS_AN_INCH = 11  # of a title
_NO_GLYPH = re.compile(r"Glyph (\d+) .*missing")


def plot_estimate(
    estimate: Estimate,
    ax: Any = None,
    *,
    level: float = 0.95,
    target: Target = "population",
    truth: ArrayLike | None = None,
) -> Any:
    """Draw a bar a category with its interval, the largest at the top; return the axes.

    `truth`, where it is known, is marked on each bar. Beyond 40 categories only the largest 40 are
    drawn.
    """
    if ax is None:
        bars = min(len(estimate.counts), _MOST_BARS)
        ax = _figure(8, 1.4 + 0.33 * max(bars, 3)).gca()
    order = np.argsort(estimate.frequencies, kind="stable")[-_MOST_BARS:]
    low, high = estimate.interval(level, target=target)
    shares = np.clip(estimate.frequencies, 0, None)
    at = np.arange(len(order))
    ax.barh(at, 100 * shares[order], height=0.72, color=_HEDGE, alpha=0.75, label="estimate")
    name = f"{100 * level:g} % interval"
    ax.hlines(at, 100 * low[order], 100 * high[order], color=_INK, lw=1.6, label=name)
    if truth is not None:
        shares = np.asarray(truth, dtype=np.float64)
        if shares.shape != estimate.frequencies.shape:
            rule = f"one share a category ({len(estimate.counts)})"
            raise InvalidArgument("plot_estimate", "truth", rule, shares.shape)
        ax.plot(100 * shares[order], at, "D", color=_TRUTH, ms=5, label="truth")
    names = _labels([estimate.survey.categories[i] for i in order])
    ax.set_yticks(at, names, parse_math=False)  # a $ is a dollar
    ax.set_xlabel("share of people, %")
    ax.set_xlim(left=0)
    letters = 8 * _LETTERS_AN_INCH - max(map(len, names))  # it begins where the names end
    question = fill(estimate.survey.question, letters)
    ax.set_title(question, loc="left", pad=20, fontsize=12, color=_INK, parse_math=False)
    omitted = len(estimate.counts) - len(order)
    left_out = f" · {omitted} smaller categories not shown" if omitted else ""
    ax.annotate(
        f"{estimate.n:,} reports · ε = {estimate.survey.epsilon:g}{left_out}",
        (0, 1), (0, 6), xycoords="axes fraction", textcoords="offset points",
        ha="left", va="bottom", fontsize=8, color="grey",
    )  # fmt: skip
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.legend(frameon=False, loc="lower right")
    return ax


def save_estimate(estimate: Estimate, path: Path, **options: Any) -> None:
    """Write the picture in the format that the path's ending names; options as plot_estimate's."""
    _save(plot_estimate(estimate, **options).figure, path)


def plot_groups(
    groups: Mapping[str, Estimate], *, level: float = 0.95, target: Target = "population"
) -> Any:
    """Draw a panel for each of the largest groups, categories in one order; return the figure."""
    largest = sorted(groups, key=lambda name: -groups[name].n)[:_MOST_PANELS]
    names = [name for name in groups if name in largest]
    some = groups[names[0]]
    together = sum(groups[name].n * groups[name].frequencies for name in names)
    order = np.argsort(together, kind="stable")[-_MOST_BARS_OF_A_GROUP:]
    width = min(len(names), 4)
    height = ceil(len(names) / width)
    figure = _figure(2 + 2.4 * width, 0.9 + height * (0.7 + 0.22 * max(len(order), 4)))
    grid = figure.subplots(height, width, sharex=True, sharey=True, squeeze=False).ravel()
    at = np.arange(len(order))
    for place, (ax, name) in enumerate(zip(grid, names, strict=False)):
        low, high = groups[name].interval(level, target=target)
        shares = np.clip(groups[name].frequencies, 0, None)
        ax.barh(at, 100 * shares[order], height=0.72, color=_HEDGE, alpha=0.75)
        ax.hlines(at, 100 * low[order], 100 * high[order], color=_INK, lw=1.4)
        title = f"{_shorten(name)} ({groups[name].n:,})"
        ax.set_title(title, loc="left", fontsize=10, color=_INK, parse_math=False)
        ax.spines[["top", "right"]].set_visible(False)
        ax.tick_params(axis="y", length=0)
        if place + width >= len(names):
            ax.set_xlabel("share of people, %")
            ax.tick_params(labelbottom=True)
    for ax in grid[len(names) :]:
        ax.remove()
    labels = _labels([some.survey.categories[i] for i in order])
    grid[0].set_xlim(left=0)  # all share it, and it ends where the longest bar does
    grid[0].set_yticks(at, labels, parse_math=False)
    left_out = [
        f"{count} smaller {what} not shown"
        for count, what in (
            (len(groups) - len(names), "groups"),
            (len(some.counts) - len(order), "categories"),
        )
        if count
    ]
    said = [some.survey.question, f"ε = {some.survey.epsilon:g}", f"{100 * level:g} % intervals"]
    title = fill(" · ".join([*said, *left_out]), int(figure.get_figwidth() * _LETTERS_AN_INCH))
    figure.suptitle(title, x=0.01, ha="left", fontsize=11, color=_INK, parse_math=False)
    return figure


def save_groups(groups: Mapping[str, Estimate], path: Path, **options: Any) -> None:
    """Write the picture in the format that the path's ending names; options as plot_groups'."""
    _save(plot_groups(groups, **options), path)


def plot_experiment(experiment: Experiment) -> Any:
    """Draw the squared ℓ2 errors against whichever of ε, d and n varies most; return the figure.

    There is a panel for every truth and for what else varies. Marks are simulated, with twice their
    standard errors either way; the thin lines are the theory of the unbiased estimate.
    """
    rows = experiment.rows
    varied = {name: len({getattr(row, name) for row in rows}) for name in ("truth", *_AXES)}
    across = max(_AXES, key=lambda name: varied[name])
    apart = [name for name in varied if varied[name] > 1 and name != across]
    panels: dict[str, list[Row]] = {}
    for row in rows:
        panels.setdefault(_describe(row, apart), []).append(row)
    width = len(panels) if len(panels) < 4 else ceil(sqrt(len(panels)))
    height = ceil(len(panels) / width)
    figure = _figure(2.1 + 3 * max(width, 1.5), 0.9 + 2.7 * max(height, 1.3))
    grid = figure.subplots(height, width, sharex=True, sharey=True, squeeze=False).ravel()
    for at, (ax, (title, part)) in enumerate(zip(grid, panels.items(), strict=False)):
        _draw_errors(ax, across, part)
        ax.set_title(title, loc="left", fontsize=10, color=_INK, parse_math=False)
        if at % width == 0:
            ax.set_ylabel("squared ℓ2 error")
        if at + width >= len(panels):
            ax.set_xlabel(_AXES[across])
            ax.tick_params(labelbottom=True)
    for ax in grid[len(panels) :]:
        ax.remove()
    ticks = sorted({getattr(row, across) for row in rows})
    grid[0].set(xscale="log", yscale="log")
    if len(ticks) < 10:
        grid[0].set_xticks(ticks, [f"{tick:,g}" if tick < 1e6 else f"{tick:g}" for tick in ticks])
        grid[0].set_xticks([], minor=True)
    fixed = [name for name in varied if name not in (across, *apart)]
    title = _describe(rows[0], fixed, f"{experiment.repeats:,} repeats ± 2 s.e.")
    figure.suptitle(title, x=0.01, ha="left", fontsize=12, color=_INK, parse_math=False)
    _explain(grid[0], rows)
    figure.legend(loc="outside right upper", frameon=False, fontsize=9)
    return figure


def _draw_errors(ax: Any, across: str, rows: list[Row]) -> None:
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
    ax.spines[["top", "right"]].set_visible(False)


def _explain(ax: Any, rows: tuple[Row, ...]) -> None:
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


def save_experiment(experiment: Experiment, path: Path) -> None:
    """Write the picture in the format that the path's ending names."""
    _save(plot_experiment(experiment), path)


def plot_plan(plan: Plan) -> Any:
    """Draw the margin of error against ε, for so many people and others; return the figure."""
    from .. import theory

    figure = _figure(7, 4.5)
    ax = figure.gca()
    levels = np.geomspace(min(0.1, plan.epsilon / 2), max(6.0, 2 * plan.epsilon), 200)
    k = theory.l2_optimal_k(plan.d, levels)
    one = np.sqrt(theory.item_variance(plan.d, levels, k, 0.0, plan.n))
    scale = plan.margin / np.interp(plan.epsilon, levels, one)
    for times, style in ((0.1, ":"), (1, "-"), (10, "--")):
        people = f"{plan.n * times:,.0f} people"
        ax.plot(levels, 100 * scale * one / times**0.5, style, color=_HEDGE, lw=1.8, label=people)
    ax.plot(plan.epsilon, 100 * plan.margin, "D", color=_TRUTH, ms=8, label="this plan")
    ax.set(xscale="log", yscale="log", xlabel=_AXES["epsilon"])
    ax.set_ylabel(f"{100 * plan.level:g} % margin for a rare category, ± %")
    ticks = [tick for tick in (0.1, 0.2, 0.5, 1, 2, 5, 10) if levels[0] <= tick <= levels[-1]]
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.minorticks_off()
    low, high = ax.get_ylim()
    marks = [m * 10.0**e for e in range(-6, 4) for m in (1, 2, 5) if low <= m * 10.0**e <= high]
    ax.set_yticks(marks, [f"{mark:g}" for mark in marks])
    ax.grid(axis="y", color="0.92")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False)
    title = f"{plan.d:,} categories · {plan.n:,} people · ε = {plan.epsilon:g}"
    ax.set_title(title, loc="left", fontsize=12, color=_INK)
    return figure


def save_plan(plan: Plan, path: Path) -> None:
    """Write the picture in the format that the path's ending names."""
    _save(plot_plan(plan), path)


def _save(figure: Any, path: Path) -> None:
    ending = path.suffix.lower()
    if ending not in _FORMATS:
        rule = f"a file name that ends in one of {', '.join(_FORMATS)}"
        raise InvalidArgument("figures", "path", rule, path.name)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        figure.savefig(path)
    absent = {}  # once each, in their order; matplotlib warns of every one by itself
    for warning in caught:
        if found := _NO_GLYPH.match(str(warning.message)):
            absent[chr(int(found[1]))] = True
        else:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, 0)
    if absent:
        warnings.warn(
            f"The picture's font lacks {_shorten(' '.join(absent))}: name one that has them as "
            "font.family in a matplotlibrc file.",
            stacklevel=3,
        )


def _figure(width: float, height: float) -> Any:
    """Return a figure of its own, outside pyplot's global state, so that nothing leaks."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("A picture", "matplotlib", "privet[plot]") from None
    return Figure(figsize=(width, height), dpi=150, layout="constrained")


def _labels(names: Sequence[str]) -> list[str]:
    """Return short names; long ones that begin alike are shown from where they differ.

    >>> _labels(["tea", "How I travel to my work: by bicycle", "How I travel to my work: by train"])
    ['tea', 'How I travel…bicycle', 'How I travel…train']
    """
    shown = {name: name for name in names if len(name) <= _MOST_LETTERS}
    alike: dict[str, list[str]] = {}
    for name in names:
        if name not in shown:
            alike.setdefault(name[: _MOST_LETTERS // 2], []).append(name)
    for some in alike.values():
        same = commonprefix(some) if len(some) > 1 else ""  # noqa: RUF071
        start = same.rfind(" ") + 1 or len(same)
        for name in some:
            own = f"{name[: _MOST_LETTERS // 2 - 4]}…{name[start:]}" if start else name
            shown[name] = _shorten(own)
    return [shown[name] for name in names]


def _shorten(name: str) -> str:
    return name if len(name) <= _MOST_LETTERS else name[: _MOST_LETTERS - 1] + "…"
