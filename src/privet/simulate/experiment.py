"""Experiments: the error of mechanisms and estimators over many repeats, compared with theory.

In each repeat, a truth θ is drawn (most are the same every time), n people are drawn from it, their
reports are simulated (`population.counts`), and every estimator works from the same counts. Each
repeat has its own random stream, derived from the seed, the cell of the grid and the number of the
repeat: it depends neither on threads nor on the other repeats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice, product
from math import sqrt
from secrets import randbits
from threading import Event
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ..analysis.arrays import Floats
from ..analysis.columns import arrow, frame
from ..analysis.progress import Progress, no_progress
from ..analysis.refine.simplex import project_simplex
from ..analysis.threads import cores
from ..device.mechanisms.base import Mechanism
from ..device.mechanisms.forwards import Target
from ..device.mechanisms.registry import for_one
from ..device.mechanisms.subsets.k_subset import KSubset
from ..errors import InvalidArgument
from ..errors.arguments import check_target, whole
from .population import MOST_PEOPLE, counts
from .truths import Truth, truth

if TYPE_CHECKING:  # which take long to import, or are not installed
    import pyarrow
    from matplotlib.figure import Figure
    from pandas import DataFrame

Factory: TypeAlias = Callable[[int, float], Mechanism]
Estimator: TypeAlias = Callable[[Mechanism, NDArray[np.int64], int], Floats]

__all__ = ["ESTIMATORS", "Experiment", "Row", "run"]

# Functions from a mechanism, the counts of its reports and their number to frequencies.
ESTIMATORS: dict[str, Estimator] = {
    "unbiased": lambda mechanism, hits, n: mechanism.frequencies(hits, n),
    "projected": lambda mechanism, hits, n: project_simplex(mechanism.frequencies(hits, n)),
}

# The mechanisms compared in the paper.
PAPERS = ("k-subset", "multivariate-rr", "binary-rr")

# The most pieces of work that a cell of the grid is split into.
_PIECES = 32


class Row(NamedTuple):
    """The errors of one estimator in one cell of the grid, as means over the repeats.

    `l1`, `squared_l2` and `l_infinity` are norms of estimate minus truth, each with the standard
    error of its mean; `unbiased_theory` is the expected `squared_l2` of the unbiased estimate.
    """

    mechanism: str
    d: int
    epsilon: float
    n: int
    truth: str
    estimator: str
    l1: float
    l1_se: float  # the standard error of the mean
    squared_l2: float
    squared_l2_se: float
    l_infinity: float
    l_infinity_se: float
    unbiased_theory: float  # the expected squared_l2 of the unbiased estimate


@dataclass(frozen=True)
class Experiment:
    """A tidy table of errors: one row for each mechanism, d, ε, n, truth and estimator."""

    rows: tuple[Row, ...] = field(repr=False)
    repeats: int
    target: Target
    seed: int

    def columns(self) -> dict[str, list[Any]]:
        """Return the table column by column; every output format is made from it."""
        return {name: [getattr(row, name) for row in self.rows] for name in Row._fields}

    def to_frame(self) -> DataFrame:
        """Return a pandas DataFrame."""
        return frame(self.columns())

    def to_arrow(self) -> pyarrow.Table:
        """Return a pyarrow Table."""
        return arrow().table(self.columns())

    def plot(self) -> Figure:
        """Draw the squared ℓ2 errors against ε, d or n; return the matplotlib figure."""
        from ..figures import plot_experiment

        return plot_experiment(self)


def run(
    *,
    d: int | Iterable[int],
    epsilon: float | Iterable[float],
    n: int | Iterable[int],
    mechanisms: str | Iterable[str] | Mapping[str, str | Factory] = PAPERS,
    truths: str | Iterable[str] | Mapping[str, Any] = "paper",
    estimators: Mapping[str, Estimator] = ESTIMATORS,
    repeats: int = 100,
    target: Target = "population",
    seed: int | None = None,
    workers: int | None = None,
    progress: Progress = no_progress,
) -> Experiment:
    """Simulate every mechanism at every d, ε, n and truth, and measure every estimator's error.

    Parameters
    ----------
    d : int or several
        The number of values.
    epsilon : float or several
        The privacy level.
    n : int or several
        The number of people.
    mechanisms : name or several, or a mapping
        Names from privet.mechanisms; "k-subset:information" or "k-subset:27" says how k is chosen.
        For your own mechanisms, a mapping from names to functions of (d, epsilon).
    truths : name or several, or a mapping
        What people are drawn from, such as "zipf:1.1"; see `truth`. For your own truths, a mapping
        from names to arrays of d shares, or to functions of (d, rng).
    estimators : mapping
        From names to functions of (mechanism, counts, n), by default ESTIMATORS.
    repeats : int >= 2
        How often each cell of the grid is simulated.
    target : "population" or "sample"
        What an estimate aims at: the truth, or the shares among the people drawn.
    seed : int >= 0
        The same seed gives the same table; by default a fresh one, kept in the result.
    workers : int >= 1
        The number of threads, by default one per core. The table does not depend on it.
    progress : Progress
        Shows how many repeats are done (privet.analysis.progress).

    >>> experiment = run(d=4, epsilon=1.0, n=100, mechanisms="k-subset", repeats=10, seed=1)
    >>> [(row.estimator, row.l1 > 0) for row in experiment.rows]
    [('unbiased', True), ('projected', True)]

    """
    repeats = whole("run", "repeats", repeats, 2)
    threads = cores() if workers is None else whole("run", "workers", workers, 1)
    seed = randbits(32) if seed is None else whole("run", "seed", seed, 0)
    check_target("run", target)
    cells = _grid(d, epsilon, n, mechanisms, truths)
    step = -(-repeats // _PIECES)
    pieces = [range(at, min(at + step, repeats)) for at in range(0, repeats, step)]
    over = Event()

    def simulate(piece: tuple[int, range]) -> Floats:
        index, numbers = piece
        measured = []
        for number in numbers:
            if over.is_set():
                break
            stream = np.random.SeedSequence(seed, spawn_key=(index, number))
            rng = np.random.default_rng(stream)
            measured.append(_repeat(cells[index], estimators, target, rng))
        return np.array(measured)

    rows: list[Row] = []
    pool = ThreadPoolExecutor(threads)
    try:
        done = pool.map(simulate, product(range(len(cells)), pieces))
        with progress("Simulating", total=repeats * len(cells)) as advance:
            for cell in cells:
                parts = []
                for part in islice(done, len(pieces)):
                    parts.append(part)
                    advance(len(part))
                rows += _summary(cell, estimators, np.concatenate(parts))
    finally:  # nobody waits for the repeat that a thread may be in, which can take hours
        over.set()
        pool.shutdown(wait=False, cancel_futures=True)
    return Experiment(tuple(rows), repeats, target, seed)


class _Cell(NamedTuple):
    """One place of the grid."""

    name: str
    mechanism: Mechanism
    n: int
    truth_name: str
    truth: Truth


def _repeat(
    cell: _Cell, estimators: Mapping[str, Estimator], target: Target, rng: Generator
) -> Floats:
    """Return the expected squared ℓ2 error, and each estimator's ℓ1, squared ℓ2 and ℓ∞ errors."""
    mechanism, n = cell.mechanism, cell.n
    theta = cell.truth(mechanism.d, rng)
    people = rng.multinomial(n, theta)
    hits = counts(mechanism, people, rng)
    goal = theta if target == "population" else people / n
    measured = [mechanism.variance(goal, n, target).sum()]
    for estimate in estimators.values():
        error = np.abs(estimate(mechanism, hits, n) - goal)
        measured += [error.sum(), np.square(error).sum(), error.max()]
    return np.array(measured)


def _summary(cell: _Cell, estimators: Mapping[str, Estimator], measured: Floats) -> Iterable[Row]:
    """Yield one row per estimator, from one line of measurements per repeat."""
    theory, *means = measured.mean(axis=0).tolist()
    _, *spreads = (measured.std(axis=0, ddof=1) / sqrt(len(measured))).tolist()
    mechanism = cell.mechanism
    for at, name in enumerate(estimators):
        l1, l2, top = means[3 * at : 3 * at + 3]
        l1_se, l2_se, top_se = spreads[3 * at : 3 * at + 3]
        yield Row(
            cell.name, mechanism.d, mechanism.epsilon, cell.n, cell.truth_name, name,
            l1, l1_se, l2, l2_se, top, top_se, theory,
        )  # fmt: skip


def _grid(d: Any, epsilon: Any, n: Any, mechanisms: Any, truths: Any) -> list[_Cell]:
    """Return the cells, after trying every mechanism and truth at every d."""
    factories = {name: _factory(form) for name, form in _named("mechanisms", mechanisms).items()}
    draws = {name: truth(form) for name, form in _named("truths", truths).items()}
    crowds = [whole("run", "n", people, 1, MOST_PEOPLE) for people in _several("n", n)]
    levels = _several("epsilon", epsilon)
    cells: list[_Cell] = []
    for (label, draw), size in product(draws.items(), _several("d", d)):
        choices = product(levels, factories.items())
        made = [(name, make(size, level)) for level, (name, make) in choices]
        draw(size, np.random.default_rng(0))
        cells += [
            _Cell(name, mechanism, people, label, draw)
            for people, (name, mechanism) in product(crowds, made)
        ]
    return cells


def _factory(form: str | Factory) -> Factory:
    if callable(form):
        return form
    name, colon, k = str(form).partition(":")
    if name not in for_one or (colon and name != KSubset.name):
        rule = f"one of {', '.join(for_one)}, k-subset:information, k-subset:K"
        raise InvalidArgument("run", "mechanisms", rule, form)
    make: Callable[..., Mechanism] = for_one[name]
    if not colon:
        return make
    size = int(k) if k.isascii() and k.isdecimal() else k
    return lambda d, epsilon: make(d, epsilon, size)


def _named(parameter: str, forms: Any) -> dict[str, Any]:
    """Return a mapping from names to what they stand for, by default themselves."""
    names = _several(parameter, [forms] if isinstance(forms, str) else forms)
    if not all(isinstance(name, str) for name in names):
        raise InvalidArgument("run", parameter, "names, or a mapping from names", forms)
    return dict(forms) if isinstance(forms, Mapping) else {name: name for name in names}


def _several(parameter: str, given: Any) -> list[Any]:
    """Return one or several as a list."""
    listed = list(given) if isinstance(given, Iterable) else [given]
    if not listed:
        raise InvalidArgument("run", parameter, "one or several", given)
    return listed
