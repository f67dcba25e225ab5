"""python -m benchmarks.scales: how often intervals of a scale cover, how near distributions are.

Numbers are drawn from a truth on [0, 1] and rounded to one of the two nearest centres of cells, as
surveys do; windows are drawn from their exact joint law. What is covered is the truth before
rounding, but for shares of spikes, which rounding spreads over two cells.
"""

from __future__ import annotations

import argparse
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import betainc
from scipy.stats import lognorm

from privet import Scale, Survey
from privet.analysis.numbers import Numbers
from privet.analysis.scale_estimate import ScaleEstimate
from privet.mechanisms import Interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.analysis.measured import Measured

    Floats = NDArray[np.float64]

LEVELS, CELLS, PEOPLE = (0.5, 1.0, 2.0), (16, 64), (1000, 10_000)
SHARES = (0, 0.25), (0, 0.5), (0.25, 0.75), (0.5, 0.8), (0.7, 1), (0.4375, 0.5)
QUANTILES = 0.1, 0.25, 0.5, 0.75, 0.9
_FINE = np.linspace(0, 1, 61_441)
_SPIKES = {0.1: 0.25, 0.33: 0.3, 0.5: 0.2, 0.7512: 0.25}
_CURVE = lognorm(s=0.5, scale=0.25)

# What is below each number, on a fine grid.
BELOW = {
    "Beta(5, 2)": betainc(5, 2, _FINE),
    "two modes": 0.6 * betainc(20, 60, _FINE) + 0.4 * betainc(40, 15, _FINE),
    "log-normal": _CURVE.cdf(_FINE) / _CURVE.cdf(1),
    "spikes": np.add.reduce([share * (place <= _FINE) for place, share in _SPIKES.items()]),
}


def cells_of(below: Floats, cells: int) -> Floats:
    """Return the shares of cells that fill [0, 1]."""
    return rounded_to(below, (np.arange(cells) + 0.5) / cells)


def rounded_to(below: Floats, centres: Floats) -> Floats:
    """Return the shares of centres: below a border is the mean of what is below numbers near it."""
    areas = np.concatenate(([0], np.cumsum((below[1:] + below[:-1]) / 2))) / (len(below) - 1)
    borders = np.diff(np.interp(centres, _FINE, areas)) / (centres[1] - centres[0])
    return np.diff(np.concatenate(([0], borders, [1])))


def measured(estimate: ScaleEstimate) -> list[Measured]:
    """Return all that is measured."""
    shares = [estimate.share(*ends) for ends in SHARES]
    quantiles = [estimate.quantile(q) for q in QUANTILES]
    return [estimate.mean(), estimate.variance(), *shares, *quantiles]


def truths_of(name: str, theta: Floats, edges: tuple[float, float]) -> list[float]:
    """Return the true values of all that is measured."""
    below, grid, places = BELOW[name], _FINE, _FINE - 0.5 / (len(_FINE) - 1)
    weights = np.diff(below, prepend=0)
    quantiles = _FINE[np.searchsorted(below, np.array(QUANTILES) - 1e-12)]
    if name == "spikes":
        below, grid, places = np.cumsum([0, *theta]), np.linspace(*edges, len(theta) + 1), _FINE
    mean = weights @ places
    shares = [_below(high, grid, below) - _below(low, grid, below) for low, high in SHARES]
    return [mean, weights @ (places - mean) ** 2, *shares, *quantiles]


def _below(number: float, grid: Floats, below: Floats) -> float:
    return number if number in (0, 1) else float(np.interp(number, grid, below))


def coverage(repeats: int, sizes: list[int]) -> None:
    """Print how often intervals cover, the least of each kind."""
    print("| cells | ε | people | truth | mean | variance | shares | quantiles |")
    print("|---|---|---|---|---|---|---|---|")
    for cells, epsilon, n in product(sizes, LEVELS, PEOPLE):
        rng = np.random.default_rng([cells, int(10 * epsilon), n])
        survey = Survey("How much?", Scale(0, 1, cells), epsilon)
        chances = survey.mechanism.analyst.estimator.chances
        for name in ("Beta(5, 2)", "two modes", "spikes"):
            theta = rounded_to(BELOW[name], np.linspace(0, 1, cells))
            values = truths_of(name, theta, survey.answers.edges)
            hits = np.zeros(len(values))
            for windows in rng.multinomial(n, chances @ theta, size=repeats):
                estimate = ScaleEstimate(survey, n, windows)
                ends = np.array([one.interval() for one in measured(estimate)])
                hits += (ends[:, 0] <= values) & (values <= ends[:, 1])
            shares, quantiles = hits[2 : 2 + len(SHARES)].min(), hits[-len(QUANTILES) :].min()
            least = np.array([*hits[:2], shares, quantiles]) / repeats
            shown = " | ".join(f"{value:.3f}" for value in least)
            print(f"| {cells} | {epsilon} | {n:,} | {name} | {shown} |", flush=True)


def distances(repeats: int) -> None:
    """Print how far the smooth distributions are from the truth, as a part of the scale."""
    cells, n, rng = 1024, 100_000, np.random.default_rng(1)
    mechanism = Interval(cells, 1.0)
    for name, below in BELOW.items():
        theta = cells_of(below, cells)
        crowds = rng.multinomial(n, mechanism.analyst.estimator.chances @ theta, size=repeats)
        found = [Numbers(mechanism, windows, n, 0, 1).distribution() for windows in crowds]
        errors = np.abs(np.cumsum(np.array(found) - theta, axis=1)).mean(axis=1)
        print(f"{name}: {errors.mean():.4f} ± {errors.std() / repeats**0.5:.4f}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scales", description=__doc__)
    parser.add_argument("--repeats", type=int, default=2000, help="crowds for each row")
    parser.add_argument("--cells", type=int, nargs="+", default=CELLS, help="of the scales")
    options = parser.parse_args()
    distances(max(options.repeats // 40, 2))
    coverage(options.repeats, options.cells)
