"""The results of benchmarks.accuracy: what they were asked to reach, tables, and a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.mechanisms import KSubset
from privet.refine import shrink
from privet.simulate import counts

from .accuracy import DOUBTFUL, KINDS, LEVEL, LEVELS, MORE, PEOPLE, REPEATS, SIZES
from .accuracy_truths import SHAPES

if TYPE_CHECKING:
    from pathlib import Path

    from .accuracy import Cell, Measured
    from .accuracy_truths import Table

    Results = dict[Cell, Measured]

_INK = "#222222"
_SHOWN = 8
_ABOUT = f"""\
How far the shrunk estimate (`privet.refine.shrink`) is from the truth, as a ratio of squared ℓ2
errors to the projection onto the simplex from the same counts. People are drawn from the truth,
reports are made by the k-subset mechanism with the ℓ2-optimal k, and their counts are drawn from
the exact joint law. The truth is the population's.

    make accuracy

The grid: {len(SHAPES)} truths × d in {", ".join(f"{d:,}" for d in SIZES)} × ε in
{", ".join(f"{e:g}" for e in LEVELS)} × n in {", ".join(f"{n:,}" for n in PEOPLE)}, of which every
third cell is measured (every pair of sizes, levels and people occurs), and real columns at all ε
and n. {REPEATS} repeats a cell; a cell with a ratio above {DOUBTFUL:g} is measured again with
{MORE} repeats and other people, and only these count. “All”, “top three”, “giants” and “empty” are
all values, the three with the largest true shares, those at least five standard errors above 1/d,
and those that nobody holds. “Exact intervals” are Clopper and Pearson's for one share at a time."""
_HELD_OUT_ABOUT = """\
The few numbers in `refine/prior.py` were chosen with the grid in view. The same bars, for {} cells
of another third of the combinations, which nothing was chosen on:"""
_WORST_ABOUT = "“Stands out”: how many standard errors the largest share lies above 1/d."
_REAL_ABOUT = """\
One survey each, of as many people as the table has rows, drawn from it: shares in per cent, of the
largest values, the middle one and the last."""
_LARGE = 10  # values, from which on every cell counts
_CLEAR = 5.0  # standard errors above 1/d, from which on a share stands out


def bars(results: Results) -> tuple[list[str], bool]:
    """Return what was asked and what was measured, as a Markdown table; and whether all is met."""
    every = list(results.values())
    large = [seen for cell, seen in results.items() if cell.d >= _LARGE]
    clear = [s for cell, s in results.items() if cell.d < _LARGE and s.stands_out >= _CLEAR]
    bound, worst = max(s.lower_bound for s in large), max(s.ratio for s in large)
    lines = [
        ("d ≥ 10: geometric mean of the ratios", _geometric(large), "≤", 0.4),
        ("d ≥ 10: largest 99.9 % lower bound of a ratio", bound, "≤", 1.15),
        ("d ≥ 10: largest ratio", worst, "", 0.0),
        ("d < 10, a share stands out: largest ratio", max(s.ratio for s in clear), "≤", 1.15),
    ]
    for kind in KINDS:
        covered = np.mean([s.covered[kind] for s in every if kind in s.covered])
        name = f"{100 * LEVEL:g} % intervals cover: {kind}"
        lines.append((name, covered, "≥", 0.9))
        if kind != "empty":
            lines.append(("… but not all of them", covered, "≤", 0.99))
    width = np.median([s.width for s in every])
    left = np.mean([s.left for s in every])
    lines.append(("their width over that of exact intervals, median", width, "", 0.0))
    lines.append(("runs with a share outside its simultaneous interval", left, "≤", 0.05))
    rows, met = ["| | measured | asked | met |", "|---|--:|--:|---|"], True
    for name, value, sign, asked in lines:
        good = value <= asked if sign == "≤" else value >= asked
        met &= good
        goal = f"{sign} {asked:g} | {'yes' if good else 'no'}" if sign else " | "
        rows.append(f"| {name} | {value:.3f} | {goal} |")
    return rows, met


def markdown(results: Results, held_out: Results, real: dict[str, Table], picture: str) -> str:
    lines = ["# Accuracy", "", _ABOUT, "", f"{len(results):,} cells.", "", *bars(results)[0], ""]
    lines += ["## Held out", "", _HELD_OUT_ABOUT.format(len(held_out)), "", *bars(held_out)[0], ""]
    lines += [f"![the ratios]({picture})", "", "## By truth", "", *_by_truth(results, real), ""]
    lines += ["## The worst cells", "", _WORST_ABOUT, "", *_worst(results), ""]
    lines += ["## Real data", "", _REAL_ABOUT]
    for table in real.values():
        lines += ["", *_table(table)]
    return "\n".join(lines) + "\n"


def _by_truth(results: Results, real: dict[str, Table]) -> list[str]:
    lines = ["| truth | cells | d ≥ 10: mean | largest | d < 10: mean | covered | top three |"]
    lines += ["|---|--:|--:|--:|--:|--:|--:|"]
    for name in (*SHAPES, *real):
        own = {cell: seen for cell, seen in results.items() if cell.truth == name}
        large = [seen for cell, seen in own.items() if cell.d >= _LARGE]
        small = [seen for cell, seen in own.items() if cell.d < _LARGE]
        shown = f"{_geometric(large):.2f} | {max(s.ratio for s in large):.2f}" if large else " | "
        few = f"{_geometric(small):.2f}" if small else ""
        kinds = (np.mean([s.covered[kind] for s in own.values()]) for kind in KINDS[:2])
        covered = " | ".join(f"{part:.3f}" for part in kinds)
        lines.append(f"| {name} | {len(own)} | {shown} | {few} | {covered} |")
    return lines


def _worst(results: Results) -> list[str]:
    lines = ["| truth | d | ε | n | ratio | 99.9 % lower bound | stands out |"]
    lines += ["|---|--:|--:|--:|--:|--:|--:|"]
    for cell, seen in sorted(results.items(), key=lambda item: -item[1].ratio)[:15]:
        lines.append(
            f"| {cell.truth} | {cell.d:,} | {cell.epsilon:g} | {cell.n:,} | {seen.ratio:.2f} "
            f"| {seen.lower_bound:.2f} | {seen.stands_out:.1f} |"
        )
    return lines


def _table(table: Table) -> list[str]:
    n, d = int(table.rows.sum()), len(table.rows)
    theta, mechanism = table.rows / n, KSubset(d, table.epsilon)
    rng = np.random.default_rng(7)
    hits = counts(mechanism, rng.multinomial(n, theta), rng)
    shrunk = shrink(mechanism, hits, n)
    low, high = shrunk.interval(LEVEL)
    unbiased = mechanism.frequencies(hits, n)
    lines = [
        f"### {table.name} ({table.source}): {d:,} values, ε = {table.epsilon:g}, {n:,} people"
    ]
    if shrunk.remark:
        lines[0] += f" ({shrunk.remark})"
    lines += ["", "| value | truth | unbiased | shrunk | 95 % interval |", "|---|--:|--:|--:|:-:|"]
    shown = [*range(min(_SHOWN, d)), *([d // 2, d - 1] if d > _SHOWN + 2 else [])]
    for i in shown:
        lines.append(
            f"| {table.values[i]} | {100 * theta[i]:.2f} | {100 * unbiased[i]:.2f} "
            f"| {100 * shrunk.frequencies[i]:.2f} | {100 * low[i]:.2f} – {100 * high[i]:.2f} |"
        )
    return lines


def save_picture(results: Results, path: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(14, 5.2), dpi=110, layout="constrained")
    rng = np.random.default_rng(1)
    for at, d in enumerate(SIZES):
        ratios = np.array([s.ratio for cell, s in results.items() if cell.d == d])
        x = at + rng.uniform(-0.3, 0.3, len(ratios))
        axes[0].scatter(x, np.maximum(ratios, 1e-3), s=9, alpha=0.35, color="#2a6f97", linewidths=0)
        middle = np.exp(np.log(np.maximum(ratios, 1e-3)).mean())
        axes[0].plot([at - 0.35, at + 0.35], [middle] * 2, color=_INK, linewidth=2)
    axes[0].axhline(1, color="#c1121f", linewidth=1)
    axes[0].set_yscale("log")
    axes[0].set_xticks(range(len(SIZES)), [f"{d:,}" for d in SIZES])
    axes[0].set_xlabel("values d")
    axes[0].set_title("Squared error of shrunk over projected, every cell", loc="left", color=_INK)
    for at, kind in enumerate(KINDS):
        seen = np.array([s.covered[kind] for s in results.values() if kind in s.covered])
        x = at + rng.uniform(-0.3, 0.3, len(seen))
        axes[1].scatter(x, seen, s=9, alpha=0.2, color="#2a6f97", linewidths=0)
        axes[1].plot([at - 0.35, at + 0.35], [seen.mean()] * 2, color=_INK, linewidth=2)
    axes[1].axhline(LEVEL, color="#c1121f", linewidth=1)
    axes[1].set_xticks(range(len(KINDS)), KINDS)
    axes[1].set_title(
        f"Part of the shares in their {100 * LEVEL:g} % intervals", loc="left", color=_INK
    )
    for axis in axes:
        axis.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, facecolor="white")


def _geometric(seen: object) -> float:
    return float(np.exp(np.mean([np.log(max(s.ratio, 1e-6)) for s in seen])))
