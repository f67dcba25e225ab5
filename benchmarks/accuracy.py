"""python -m benchmarks.accuracy: how far from the truth the shrunk estimate is, beside others.

People are drawn from a truth, their reports' counts from the exact joint law of the k-subset
mechanism with the least squared error, and every estimator sees the same counts.
"""

from __future__ import annotations

import argparse
import os
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from rich.progress import track

from privet.mechanisms import KSubset
from privet.paper.table import read_printed
from privet.refine import project_simplex, shrink
from privet.simulate import counts
from privet.simulate.truths import truth

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

PEOPLE = 10_000
LEVEL = 0.95
TRUTHS = {
    "Zipf 1.1": "zipf:1.1",
    "geometric ½": "geometric:0.5",
    "3 spikes": "spikes:3",
    "1 spike": "spikes:1",
    "flat": "flat",
    "two-level": "two-level:0.1,0.9",
}
SIZES, LEVELS = (4, 8, 16, 64, 256, 1024), (0.1, 0.5, 1.0, 3.0, 5.0)
PAPER = "paper"
ESTIMATORS = ("unbiased", "projected", "shrunk", "oracle")
_HERE = Path(__file__).parent


class Cell(NamedTuple):
    """What is measured: a truth, the number of values, the privacy level."""

    truth: str
    d: int
    epsilon: float


class Measured(NamedTuple):
    """Errors by target (population, sample), norm (squared ℓ2, ℓ1), estimator and repeat."""

    errors: Floats
    covered: float

    def ratio(self, beside: str, norm: int = 0, target: int = 0, of: str = "shrunk") -> float:
        means = self.errors[target, norm].mean(axis=1)
        return float(means[ESTIMATORS.index(of)] / means[ESTIMATORS.index(beside)])

    def ratio_error(self, beside: str) -> float:
        """Return the standard error of the ratio of squared ℓ2 errors."""
        above, below = (self.errors[0, 0, ESTIMATORS.index(of)] for of in ("shrunk", beside))
        residual = above - self.ratio(beside) * below
        return float(residual.std(ddof=1) / below.mean() / np.sqrt(len(below)))


def cells() -> list[Cell]:
    table = [Cell(PAPER, int(row["d"]), float(row["epsilon"])) for row in read_printed()]
    return table + [Cell(name, d, level) for name in TRUTHS for d in SIZES for level in LEVELS]


def measure(cell: Cell, repeats: int) -> Measured:
    mechanism = KSubset(cell.d, cell.epsilon)
    draw = truth(TRUTHS.get(cell.truth, cell.truth))
    errors = np.empty((2, 2, len(ESTIMATORS), repeats))
    covered = 0.0
    for repeat in range(repeats):
        rng = np.random.default_rng(
            [repeat, cell.d, int(1000 * cell.epsilon), *cell.truth.encode()]
        )
        theta = draw(cell.d, rng)
        people = rng.multinomial(PEOPLE, theta)
        hits = counts(mechanism, people, rng)
        unbiased = mechanism.frequencies(hits, PEOPLE)
        shrunk = shrink(mechanism, hits, PEOPLE)
        known = cell.truth == PAPER and cell.d >= 64
        informed = oracle(mechanism, hits) if known else np.full(cell.d, np.nan)
        estimates = np.stack([unbiased, project_simplex(unbiased), shrunk.frequencies, informed])
        for target, goal in enumerate((theta, people / PEOPLE)):
            wrong = estimates - goal
            errors[target, 0, :, repeat] = np.square(wrong).sum(axis=1)
            errors[target, 1, :, repeat] = np.abs(wrong).sum(axis=1)
        low, high = shrunk.interval(LEVEL)
        covered += float(np.mean((low <= theta) & (theta <= high))) / repeats
    return Measured(errors, covered)


def oracle(mechanism: KSubset, hits: NDArray[np.int64]) -> Floats:
    """Return the posterior mean for someone who knows that the shares are uniform on [0, 2/d]."""
    d, places = mechanism.d, 400
    theta = (np.arange(places) + 0.5) / places * 2 / d
    y = mechanism.frequencies(hits, PEOPLE)[:, None]
    variance = mechanism.variance(theta, PEOPLE) * d / (d - 1)
    likelihood = -np.square(y - theta) / (2 * variance) - np.log(variance) / 2
    low, high = -1e9, 1e9
    for _ in range(70):  # the tilt that makes the means sum to 1
        tilt = (low + high) / 2
        logs = likelihood + tilt * theta
        mass = np.exp(logs - logs.max(axis=1, keepdims=True))
        mean: Floats = mass @ theta / mass.sum(axis=1)
        low, high = (low, tilt) if mean.sum() > 1 else (tilt, high)
    return mean


def measure_all(repeats: int) -> dict[Cell, Measured]:
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # one thread in each of the processes to come
    everything = cells()
    found = {}
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        by_size = sorted(everything, key=lambda cell: -cell.d)
        futures = {pool.submit(measure, cell, repeats): cell for cell in by_size}
        for done in track(as_completed(futures), "accuracy", total=len(futures)):
            found[futures[done]] = done.result()
    return {cell: found[cell] for cell in everything}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few repeats, and nothing is written")
    quick = parser.parse_args().quick
    repeats = 4 if quick else 300
    results = measure_all(repeats)

    from . import accuracy_report

    print("\n".join(accuracy_report.bars(results)))
    if not quick:
        accuracy_report.save_picture(results, _HERE / "accuracy.png")
        text = accuracy_report.markdown(results, repeats, "accuracy.png")
        (_HERE / "ACCURACY.md").write_text(text, encoding="utf-8")
        print("written: benchmarks/ACCURACY.md, benchmarks/accuracy.png")


if __name__ == "__main__":
    main()
