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
and n. {REPEATS} repeats a cell; a cell with a ratio above {DOUBTFUL:g} is measured again with {MORE}
repeats and other people, and only these count."""
_LARGE = 10  # values, from which on all cells must do well
_CLEAR = 5.0  # standard errors above 1/d, from which on a largest share stands out


def bars(results: Results) -> tuple[list[str], bool]:
    """Return what was asked and what was measured, as a Markdown table; and whether all is met."""
    large = {cell: seen for cell, seen in results.items() if cell.d >= _LARGE}
    clear = [s for cell, s in results.items() if cell.d < _LARGE and s.stands_out >= _CLEAR]
    lines = [
        ("d ≥ 10: geometric mean of the ratios", _geometric(large.values()), None, 0.4),
        (
            "d ≥ 10: largest 99.9 % lower bound",
            max(s.lower_bound for s in large.values()),
            None,
            1.15,
        ),
        ("d ≥ 10: largest ratio", max(s.ratio for s in large.values()), None, None),
        ("d < 10, a share stands out: largest ratio", max(s.ratio for s in clear), None, 1.15),
    ]
    for kind in KINDS:
        seen = [s.covered[kind] for s in results.values() if kind in s.covered]
        most = None if kind == "empty" else 0.99
        lines.append((f"{100 * LEVEL:g} % intervals cover: {kind}", np.mean(seen), 0.9, most))
    width = np.exp(np.mean([np.log(s.width) for s in results.values()]))
    lines += [
        ("width compared with exact intervals", width, None, None),
        ("runs with a share outside its simultaneous interval",
         np.mean([s.left for s in results.values()]), None, 0.05),
    ]  # fmt: skip
    rows, met = ["| | measured | asked | met |", "|---|--:|--:|---|"], True
    for name, value, least, most in lines:
        good = (least is None or value >= least) and (most is None or value <= most)
        met = met and good
        asked = " to ".join(f"{bound:g}" for bound in (least, most) if bound is not None)
        asked = (
            f"≥ {asked}"
            if most is None and asked
            else f"≤ {asked}"
            if least is None and asked
            else asked
        )
        rows.append(
            f"| {name} | {value:.3f} | {asked} | {'' if not asked else 'yes' if good else 'no'} |"
        )
    return rows, met


def markdown(results: Results, real: dict[str, Table], picture: str) -> str:
    lines = ["# Accuracy", "", _ABOUT, "", f"{len(results):,} cells.", "", *bars(results)[0], ""]
    lines += [f"![the ratios]({picture})", "", "## By truth", ""]
    lines += ["| truth | cells | geometric mean, d ≥ 10 | largest | d < 10 | covered | top three |",
              "|---|--:|--:|--:|--:|--:|--:|"]  # fmt: skip
    for name in (*SHAPES, *real):
        own = {cell: seen for cell, seen in results.items() if cell.truth == name}
        large = [seen for cell, seen in own.items() if cell.d >= _LARGE]
        small = [seen for cell, seen in own.items() if cell.d < _LARGE]
        cells = [name, f"{len(own)}"]
        cells += (
            [f"{_geometric(large):.2f}", f"{max(s.ratio for s in large):.2f}"]
            if large
            else ["", ""]
        )
        cells += [f"{_geometric(small):.2f}" if small else ""]
        cells += [f"{np.mean([s.covered[kind] for s in own.values()]):.3f}" for kind in KINDS[:2]]
        lines.append(f"| {' | '.join(cells)} |")
    worst = sorted(results.items(), key=lambda item: -item[1].ratio)[:15]
    lines += ["", "## The worst cells", "", "“Stands out” is how many standard errors the largest share lies above 1/d.", "",
              "| truth | d | ε | n | ratio | 99.9 % lower bound | stands out |", "|---|--:|--:|--:|--:|--:|--:|"]  # fmt: skip
    for cell, seen in worst:
        lines.append(
            f"| {cell.truth} | {cell.d:,} | {cell.epsilon:g} | {cell.n:,} | {seen.ratio:.2f} "
            f"| {seen.lower_bound:.2f} | {seen.stands_out:.1f} |"
        )
    lines += [
        "",
        "## Real data",
        "",
        "One survey each, of as many people as there are rows: shares in per cent.",
        "",
    ]
    for table in real.values():
        lines += [*_table(table), ""]
    return "\n".join(lines).rstrip() + "\n"


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
