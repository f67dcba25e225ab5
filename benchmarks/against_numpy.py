"""The natural way in numpy, and more than one core."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.mechanisms import KSubset
from privet.refine import project_simplex

from .against_peers import EPSILON, randomizing
from .rows import Bar, Row, faster
from .timing import Scale, Work, seconds_a_unit, show_time

if TYPE_CHECKING:
    from collections.abc import Iterator

_CHUNK_KEYS = 1 << 20


def argpartition(scale: Scale) -> Iterator[Row]:
    """Randomize, against argpartition.

    Time for one packed report, against numpy's PCG64 (not secure): a random key for each value, the
    own one below or above all others, the k smallest keys of each row, and their bitmap, in chunks.
    """
    for d, n, fewer, goal in (
        (64, 1_000_000, 50_000, 40),
        (1024, 100_000, 3000, 100),
        (65_536, 2000, 100, 150),
    ):
        mechanism = KSubset(d, EPSILON)
        mine = randomizing(mechanism, scale(n))
        theirs = _subsets_by_argpartition(mechanism, scale(fewer))
        yield faster(scale, f"randomize, d = {d:,}", mine, theirs, "numpy", Bar(goal))


def _subsets_by_argpartition(mechanism: KSubset, n: int) -> Work:
    d, k = mechanism.d, mechanism.k
    rng = np.random.default_rng(1)
    values = rng.integers(0, d, n)
    rows = max(1, _CHUNK_KEYS // d)

    def run() -> None:
        for at in range(0, n, rows):
            own = values[at : at + rows]
            keys = rng.random((len(own), d))
            keys[np.arange(len(own)), own] = np.where(rng.random(len(own)) < mechanism.g, -1, 2)
            chosen = np.argpartition(keys, k - 1, axis=1)[:, :k]
            bits = np.zeros(keys.shape, dtype=np.bool_)
            np.put_along_axis(bits, chosen, True, axis=1)
            np.packbits(bits, axis=1, bitorder="little")

    return Work(run, n)


def two_workers(scale: Scale) -> Iterator[Row]:
    """Randomize with two workers, against one.

    As many reports in one call as take a tenth of a second.
    """
    for d, n in ((64, 10_000_000), (1024, 1_000_000)):
        mechanism = KSubset(d, EPSILON)
        values = np.random.default_rng(1).integers(0, d, scale(n))
        one, two = (
            Work(lambda m=mechanism, v=values, w=w: m.randomize(v, workers=w), len(values))
            for w in (1, 2)
        )
        yield faster(scale, f"randomize, d = {d:,}, workers=2", two, one, "workers=1", Bar(1.7))


def simplex(scale: Scale) -> Iterator[Row]:
    """Project onto the simplex, against sorting.

    The nearest distribution, at d = 1,000,000, to what a million reports say (few categories stay
    above 0) and to a distribution with hardly any noise (most do).
    """
    rng = np.random.default_rng(1)
    d = scale(1_000_000)
    truth = rng.permutation(1 / np.arange(1, d + 1))
    truth /= truth.sum()
    inputs = {
        "noisy": truth + rng.normal(0, 2e-3, d),
        "almost exact": truth + rng.normal(0, 1e-3 / d, d),
    }
    for name, v in inputs.items():
        np.testing.assert_allclose(project_simplex(v), _project_by_sorting(v), atol=1e-12)
        own, other = seconds_a_unit(
            scale.repeats,
            Work(lambda v=v: project_simplex(v)),
            Work(lambda v=v: _project_by_sorting(v)),
        )
        yield Row(
            f"project_simplex, {name}",
            show_time(own),
            f"sorting {show_time(other)}",
            other / own,
            bar=Bar(5),
        )


def _project_by_sorting(v: np.ndarray) -> np.ndarray:
    """Duchi, Shalev-Shwartz, Singer, Chandra 2008, figure 1."""
    descending = np.sort(v)[::-1]
    surplus = np.cumsum(descending) - 1
    rho = np.flatnonzero(descending * np.arange(1, v.size + 1) > surplus)[-1]
    return np.maximum(v - surplus[rho] / (rho + 1), 0)
