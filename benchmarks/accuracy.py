"""python -m benchmarks.accuracy: how far from the truth the shrunk estimate is, and its intervals.

People are drawn from a truth, their reports' counts from the exact joint law of the k-subset
mechanism with the least squared error. Every cell of the grid is a truth, d, ε and n; the ratio of
a cell is the squared ℓ2 error of the shrunk shares over that of the projected ones, both averaged
over the repeats, against the population that the people were drawn from.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from rich.progress import track
from scipy.stats import t as student

from privet.mechanisms import KSubset
from privet.refine import project_simplex, shrink
from privet.simulate import counts

from .accuracy_truths import SHAPES, Table, tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LEVEL = 0.95
SIZES = (2, 3, 5, 10, 30, 100, 500, 2000, 5000)
LEVELS = (0.2, 0.5, 1.0, 2.0, 4.0, 6.0)
PEOPLE = (500, 5000, 50_000, 1_000_000)
REPEATS, MORE = 8, 400
# A cell that looks worse than this is measured again, with more and other people.
DOUBTFUL = 1.05
KINDS = ("all", "top three", "giants", "empty")
_HERE = Path(__file__).parent


class Cell(NamedTuple):
    """What is measured."""

    truth: str
    d: int
    epsilon: float
    n: int

    def shares(self, rng: np.random.Generator, real: dict[str, Table]) -> Floats:
        if self.truth in real:
            rows = real[self.truth].rows
            return rows / rows.sum()
        return SHAPES[self.truth](self.d, rng)


class Measured(NamedTuple):
    """Of a cell: squared errors by repeat, coverage by kind, and how often a share left its box."""

    shrunk: Floats
    projected: Floats
    covered: dict[str, float]
    width: float
    left: float
    stands_out: float

    @property
    def ratio(self) -> float:
        return float(self.shrunk.mean() / max(self.projected.mean(), 1e-300))

    @property
    def lower_bound(self) -> float:
        """The 99.9 % lower bound of the ratio."""
        repeats = len(self.shrunk)
        residual = (self.shrunk - self.ratio * self.projected).std(ddof=1)
        error = residual / max(self.projected.mean(), 1e-300) / np.sqrt(repeats)
        return float(self.ratio - student.ppf(0.999, repeats - 1) * error)


def grid(third: int = 0) -> Iterator[Cell]:
    """Return a third of all combinations, so that every pair of sizes, levels and people occurs."""
    for a, name in enumerate(SHAPES):
        for b, d in enumerate(SIZES):
            for c, epsilon in enumerate(LEVELS):
                for e, n in enumerate(PEOPLE):
                    if (a + b + c + e) % 3 == third:
                        yield Cell(name, d, epsilon, n)


def real_cells(real: dict[str, Table]) -> Iterator[Cell]:
    for table in real.values():
        for epsilon in LEVELS:
            for n in PEOPLE:
                yield Cell(table.name, len(table.rows), epsilon, n)


def measure(cell: Cell, repeats: int, stage: int = 0, real: dict[str, Table] | None = None):
    mechanism = KSubset(cell.d, cell.epsilon)
    errors = np.empty((2, repeats))
    covered: dict[str, list[float]] = {kind: [] for kind in KINDS}
    widths, left = [], []
    for repeat in range(repeats):
        seed = [repeat, stage, cell.d, int(10 * cell.epsilon), cell.n, *cell.truth.encode()]
        rng = np.random.default_rng(seed)
        theta = cell.shares(rng, real or {})
        hits = counts(mechanism, rng.multinomial(cell.n, theta), rng)
        shrunk = shrink(mechanism, hits, cell.n)
        projected = project_simplex(mechanism.frequencies(hits, cell.n))
        errors[:, repeat] = [np.square(e - theta).sum() for e in (shrunk.frequencies, projected)]
        low, high = shrunk.interval(LEVEL)
        inside = (low <= theta + 1e-12) & (theta <= high + 1e-12)
        out = theta >= 1 / cell.d + 5 * np.sqrt(mechanism.variance(theta, cell.n))
        top = np.argsort(-theta, kind="stable")[:3]
        for kind, which in zip(KINDS, (slice(None), top, out, theta == 0), strict=True):
            if inside[which].size:
                covered[kind].append(float(inside[which].mean()))
        plain = np.clip(mechanism.interval(hits, cell.n, 1 - LEVEL, "population"), 0, 1)
        widths.append([(high - low).sum(), np.ptp(plain, axis=0).sum()])
        least, most = mechanism.interval(hits, cell.n, (1 - LEVEL) / cell.d, "population")
        below, above = shrunk.frequencies < least - 1e-9, shrunk.frequencies > most + 1e-9
        left.append(np.any(below | above))
    top_share = theta.max()
    error = float(np.sqrt(mechanism.variance(np.array([top_share]), cell.n))[0])
    means = {kind: float(np.mean(seen)) for kind, seen in covered.items() if seen}
    stands_out = float(top_share - 1 / cell.d) / error
    ours, exact = np.sum(widths, axis=0)
    width = float(ours / max(exact, 1e-300))
    return Measured(*errors, means, width, float(np.mean(left)), stands_out)


def measure_all(cells: list[Cell], repeats: int, more: int, real: dict[str, Table]):
    found = {cell: measure(cell, repeats, 0, real) for cell in track(cells, "cells")}
    doubtful = [cell for cell, seen in found.items() if seen.ratio > DOUBTFUL]
    for cell in track(doubtful, "again"):
        # Other people, so that a cell that was chosen for its bad luck is measured without it.
        again = measure(cell, more, 1, real)
        found[cell] = again
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few cells; nothing is written")
    quick = parser.parse_args().quick

    from . import accuracy_report

    if quick:
        results = measure_all(list(grid())[::18], 4, 40, {})
    else:
        real = {table.name: table for table in tables()}
        cells = [*grid(), *real_cells(real)]
        results = measure_all(cells, REPEATS, MORE, real)
        held_out = measure_all(list(grid(third=1))[::5], REPEATS, MORE, {})
        accuracy_report.save_picture(results, _HERE / "accuracy.png")
        text = accuracy_report.markdown(results, held_out, real, "accuracy.png")
        (_HERE / "ACCURACY.md").write_text(text, encoding="utf-8")
    lines, met = accuracy_report.bars(results)
    print("\n".join(lines))
    if not quick:
        print("written: benchmarks/ACCURACY.md, benchmarks/accuracy.png")
    sys.exit(0 if met else 1)


if __name__ == "__main__":
    main()
