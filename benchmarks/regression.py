"""python -m benchmarks.regression: how often intervals of coefficients cover, and what ε costs.

People have a number and one of two groups; answers are drawn from a multinomial logit of them, or
numbers on a scale from a linear model, and reported by the mechanism. Beside the intervals of
`privet.regression.fit` are those of the usual regression of reports that are taken for answers, a
supported value at random, which is what noise does to whoever forgets about it.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privet import Survey
from privet.analysis.regression.linear import least_squares, stand_ins
from privet.analysis.regression.logit import LogitLikelihood, maximize, softmax
from privet.analysis.regression.supports import Supports
from privet.entropy import seeded
from privet.mechanisms import Interval, by_name
from privet.regression import fit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.mechanisms import Mechanism

    Floats = NDArray[np.float64]

LEVELS = (0.5, 1.0, 2.0, 4.0)


class Row(NamedTuple):
    """What is measured."""

    mechanism: str
    d: int
    epsilon: float
    n: int


ROWS = (
    Row("k-subset", 2, 0.5, 5000),
    Row("k-subset", 3, 1.0, 5000),
    Row("k-subset", 4, 2.0, 1000),
    Row("k-subset", 6, 3.0, 1000),
    Row("binary-rr", 4, 2.0, 2000),
    Row("local-hash", 4, 2.0, 2000),
    Row("interval", 5, 2.0, 2000),
)
SCALES = (Row("interval", 64, 1.0, 500), Row("interval", 64, 4.0, 300))


def people(n: int, rng: np.random.Generator) -> Floats:
    """Return an intercept, a number and a group for each of n people."""
    return np.stack([np.ones(n), rng.normal(size=n), rng.random(n) < 0.4], axis=1)


def coefficients(d: int) -> Floats:
    """Return true coefficients (3, d − 1), some of them 0."""
    j = np.arange(1, d)
    return np.stack([0.2 * (-1.0) ** j, 0.6 * (j == 1) - 0.3 * (j > 2), 0.5 * (j != 1)])


def answers(columns: Floats, truth: Floats, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return everybody's answer, drawn from the shares of people like them."""
    below = softmax(columns @ truth).cumsum(axis=1)[:, :-1]
    drawn: NDArray[np.int64] = (rng.random((len(columns), 1)) > below).sum(axis=1)
    return drawn


def taken_for_answers(mechanism: Mechanism, reports: NDArray[np.uint8], columns: Floats) -> Floats:
    """Return the interval's ends as if the answer were surely one that the report supports."""
    supports = Supports(mechanism, reports)
    supports.excess = 1e9
    start = np.zeros((columns.shape[1], mechanism.d - 1))
    found = maximize(LogitLikelihood.of_people(columns, supports), start)
    reach = 1.96 * np.sqrt(np.diagonal(found.inverse)).reshape(start.shape)
    return np.array([found.coefficients - reach, found.coefficients + reach])


def cover_logit(row: Row, repeats: int) -> tuple[Floats, Floats]:
    """Return how often each coefficient is covered, and how often by what forgets the noise."""
    mechanism = by_name[row.mechanism](row.d, row.epsilon)
    survey = Survey("Q", [str(j) for j in range(row.d)], row.epsilon, mechanism=mechanism)
    truth, rng = coefficients(row.d), np.random.default_rng(row.n)
    hits, naive = np.zeros(truth.shape), np.zeros(truth.shape)
    for repeat in range(repeats):
        columns = people(row.n, rng)
        reports = mechanism.randomize(answers(columns, truth, rng), entropy=seeded(repeat))
        low, high = fit(survey, reports, columns[:, 1:]).interval()
        hits += (low < truth) & (truth < high)
        low, high = taken_for_answers(mechanism, reports, columns)
        naive += (low < truth) & (truth < high)
    return hits / repeats, naive / repeats


def cover_scale(row: Row, repeats: int) -> tuple[Floats, Floats]:
    """Return the same for numbers on [0, 1], from their windows' centres."""
    mechanism, rng = Interval(row.d, row.epsilon, "mean"), np.random.default_rng(row.n)
    truth, hits, naive = np.array([0.3, 0.05, 0.2]), np.zeros(3), np.zeros(3)
    for repeat in range(repeats):
        columns = people(row.n, rng)
        means = (columns @ truth).clip(0.02, 0.98)
        truth_here = least_squares(columns, means).coefficients
        cells = means * row.d - 0.5
        cells = np.floor(cells + rng.random(row.n)).astype(np.int64).clip(0, row.d - 1)
        reports = mechanism.randomize(cells, entropy=seeded(repeat))
        found = stand_ins(mechanism, reports, 0.0, 1.0)
        for total, numbers in (
            (hits, found),
            (naive, 0.5 + (found - 0.5) * float(mechanism.slope)),
        ):
            b, covariance, _ = least_squares(columns, numbers)
            total += np.abs(b - truth_here) < 1.96 * np.sqrt(np.diagonal(covariance))
    return hits / repeats, naive / repeats


def costs(n: int = 20_000) -> None:
    """Print how many times larger the standard errors of slopes are than those of answers."""
    rng, truth = np.random.default_rng(1), coefficients(4)
    columns = people(n, rng)
    held = answers(columns, truth, rng)

    def errors(epsilon: float) -> Floats:
        mechanism = by_name["k-subset"](4, epsilon)
        survey = Survey("Q", list("abcd"), epsilon, mechanism=mechanism)
        reports = mechanism.randomize(held, entropy=seeded(1))
        return fit(survey, reports, columns[:, 1:]).standard_errors[1:]

    plain = errors(30.0)
    for epsilon in LEVELS:
        print(f"ε = {epsilon}: × {float((errors(epsilon) / plain).mean()):.1f}")


def main() -> None:
    """Print a row for each kind of reports."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.regression", description=__doc__)
    parser.add_argument("--repeats", type=int, default=2000, help="crowds for each row")
    repeats = parser.parse_args().repeats
    costs()
    print("| reports | d | ε | people | least | all | least, noise forgotten |")
    print("|---|---|---|---|---|---|---|")
    for row, cover in [*((row, cover_logit) for row in ROWS), *((s, cover_scale) for s in SCALES)]:
        hits, naive = cover(row, repeats)
        name = f"{row.mechanism}, mean" if cover is cover_scale else row.mechanism
        shown = f"{hits.min():.3f} | {hits.mean():.3f} | {naive.min():.3f}"
        print(f"| {name} | {row.d} | {row.epsilon} | {row.n:,} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
