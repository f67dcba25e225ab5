"""The results of benchmarks.accuracy: what they were asked to reach, tables, and a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .accuracy import LEVEL, LEVELS, PAPER, PEOPLE, SIZES, TRUTHS, Cell

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes

    from .accuracy import Measured

    Results = dict[Cell, Measured]

_INK = "#222222"
_ABOUT = f"""\
How far the shrunk estimate (`privet.refine.shrink`) is from the truth, as a ratio to the projection
onto the simplex and to the unbiased estimate, all from the same counts: {PEOPLE:,} people drawn
from the truth, reports by the k-subset mechanism with the ℓ2-optimal k, their counts from the exact
joint law. Errors are mean squared ℓ2 distances from the truth that people were drawn from (the
population); “sample” is the same from the shares among these people themselves. Those are something
else where privacy costs little: with 4 equal values at ε = 5, shrinking finds that they are equal,
which the shares among the people drawn are not. That is the largest ratio to the sample below.

    python -m benchmarks.accuracy"""
_PAPER_ABOUT = f"""\
The truth is drawn anew for every repeat: uniform numbers, made to sum to 1. “covered” is how many
of the shares lie in their {100 * LEVEL:g} % posterior intervals. “oracle” is the ratio of the
posterior mean for someone who knows that law, about the least error that is possible."""
_GRID_ABOUT = """\
Ratio to the projection, and after the stroke to the unbiased estimate. Two-level: a tenth of the
values has nine tenths of the people."""


def bars(results: Results) -> list[str]:
    """Return what was asked and what was measured, as a Markdown table."""
    table = {cell: found for cell, found in results.items() if cell.truth == PAPER}
    large = [found for cell, found in table.items() if cell.d >= 64]
    grid = [found for cell, found in results.items() if cell.truth != PAPER]
    ratios = np.array([found.ratio("projected") for found in grid])
    absolute = np.array([found.ratio("projected", norm=1) for found in grid])
    sample = np.array([found.ratio("projected", target=1) for found in grid])
    middle = np.median([found.ratio("projected") for found in large])
    least = np.median([found.ratio("projected", of="oracle") for found in large])
    covered = [found.covered for found in table.values()]
    lines = [
        ("Table 1, the largest ratio", max(f.ratio("projected") for f in table.values()), 1.02),
        ("Table 1, d ≥ 64, the median ratio", middle, 0.4),
        ("… of the oracle, who knows the law", least, None),
        ("Table 1, (64, 0.1)", table[Cell(PAPER, 64, 0.1)].ratio("projected"), 0.1),
        ("Table 1, (256, 1)", table[Cell(PAPER, 256, 1.0)].ratio("projected"), 0.1),
        ("six truths, the part of the cells beyond 1.05", np.mean(ratios > 1.05), 0.05),
        ("six truths, the largest ratio", ratios.max(), 1.25),
        ("six truths, the geometric mean of the ratios", _geometric_mean(ratios), 0.6),
        ("six truths, ℓ1: the mean ratio", absolute.mean(), 1.0),
        ("six truths, sample target: the largest ratio", sample.max(), None),
        ("six truths, sample target: the geometric mean", _geometric_mean(sample), None),
        ("Table 1, posterior intervals: the least coverage", min(covered), None),
        ("Table 1, posterior intervals: the mean coverage", np.mean(covered), None),
    ]
    rows = ["| | measured | bar | met |", "|---|--:|--:|---|"]
    for name, value, bar in lines:
        goal = ("", "") if bar is None else (f"≤ {bar:g}", "yes" if value <= bar else "no")
        rows.append(f"| {name} | {value:.3f} | {goal[0]} | {goal[1]} |")
    return rows


def markdown(results: Results, repeats: int, picture: str) -> str:
    lines = ["# Accuracy", "", _ABOUT, "", f"{repeats} repeats a cell.", ""]
    lines += [f"![the ratios in all cells]({picture})", "", *bars(results), ""]
    lines += ["## The cells of Table 1", "", _PAPER_ABOUT, "", *_paper_table(results), ""]
    lines += ["## Six truths", "", _GRID_ABOUT]
    for name in TRUTHS:
        lines += ["", f"### {name}", "", *_grid_table(results, name)]
    return "\n".join(lines) + "\n"


def _paper_table(results: Results) -> list[str]:
    lines = [
        "| d | ε | to projection | ± s.e. | ℓ1 | sample | to unbiased | oracle | covered |",
        "|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for cell, found in results.items():
        if cell.truth == PAPER:
            numbers = (
                found.ratio("projected"), found.ratio_error("projected"),
                found.ratio("projected", norm=1), found.ratio("projected", target=1),
                found.ratio("unbiased"), found.ratio("projected", of="oracle"), found.covered,
            )  # fmt: skip
            shown = " | ".join("—" if np.isnan(number) else f"{number:.3f}" for number in numbers)
            lines.append(f"| {cell.d} | {cell.epsilon:g} | {shown} |")
    return lines


def _grid_table(results: Results, name: str) -> list[str]:
    lines = ["| d | " + " | ".join(f"ε = {level:g}" for level in LEVELS) + " |"]
    lines.append("|--:|" + "--:|" * len(LEVELS))
    for d in SIZES:
        row = [results[Cell(name, d, level)] for level in LEVELS]
        shown = [f"{f.ratio('projected'):.3f} / {f.ratio('unbiased'):.3f}" for f in row]
        lines.append(f"| {d} | " + " | ".join(shown) + " |")
    return lines


def _geometric_mean(ratios: np.ndarray) -> float:
    return float(np.exp(np.log(ratios).mean()))


def save_picture(results: Results, path: Path) -> None:
    """Draw a coloured table of ratios a truth."""
    import matplotlib as mpl
    from matplotlib.colors import TwoSlopeNorm
    from matplotlib.figure import Figure

    mpl.use("Agg")
    figure = Figure(figsize=(13, 7.4), dpi=130, layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=[1.05, 2])
    norm = TwoSlopeNorm(0, np.log(1 / 32), np.log(2))
    paper = [cell for cell in results if cell.truth == PAPER]
    axis = left.subplots()
    _draw(
        axis, results, PAPER, sorted({c.d for c in paper}), sorted({c.epsilon for c in paper}), norm
    )
    axis.set_title("the paper's: uniform numbers", loc="left", fontsize=11, color=_INK)
    for axis, name in zip(right.subplots(2, 3).ravel(), TRUTHS, strict=True):
        image = _draw(axis, results, name, SIZES, LEVELS, norm)
        axis.set_title(name, loc="left", fontsize=11, color=_INK)
    bar = right.colorbar(image, ax=right.axes, shrink=0.7, aspect=35, pad=0.02)
    ticks = {
        "1/32": 1 / 32,
        "1/16": 1 / 16,
        "1/8": 1 / 8,
        "1/4": 1 / 4,
        "1/2": 1 / 2,
        "1": 1,
        "2": 2,
    }
    bar.set_ticks([np.log(tick) for tick in ticks.values()], labels=list(ticks))
    bar.outline.set_visible(False)
    figure.suptitle(
        f"Squared error after shrinking, as a part of what projecting the same counts leaves "
        f"({PEOPLE:,} people, k-subset)",
        x=0.01, ha="left", fontsize=13, color=_INK,
    )  # fmt: skip
    figure.savefig(path, facecolor="white")


def _draw(axis: Axes, results: Results, name: str, sizes: object, levels: object, norm: object):
    sizes, levels = list(sizes), list(levels)
    ratios = np.full((len(sizes), len(levels)), np.nan)
    for cell, found in results.items():
        if cell.truth == name:
            ratios[sizes.index(cell.d), levels.index(cell.epsilon)] = found.ratio("projected")
    image = axis.imshow(np.log(ratios), cmap="RdBu_r", norm=norm, aspect="auto")
    for (row, column), ratio in np.ndenumerate(ratios):
        if not np.isnan(ratio):
            text = f"{ratio:.2f}" if ratio >= 0.095 else f"{ratio:.3f}"
            ink = "white" if ratio < 0.15 or ratio > 1.7 else _INK
            place = {"ha": "center", "va": "center", "fontsize": 8, "color": ink}
            axis.text(column, row, text.removeprefix("0"), **place)
    axis.set_xticks(range(len(levels)), [f"{level:g}" for level in levels], fontsize=8.5)
    axis.set_yticks(range(len(sizes)), [f"{size:,}" for size in sizes], fontsize=8.5)
    axis.set_xlabel("privacy level ε", fontsize=9)
    axis.set_ylabel("values d", fontsize=9)
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)
    return image
