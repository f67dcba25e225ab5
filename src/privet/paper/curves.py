"""How much a report can reveal: the paper's information bounds as curves over ε."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from math import log

import numpy as np

from .. import theory
from ..errors import InvalidArgument

__all__ = ["Information", "Point", "Threshold", "information"]

DOMAINS = (4, 16, 64, 256)
EPSILONS = tuple(np.geomspace(0.05, 10, 70).tolist())


@dataclass(frozen=True)
class Point:
    """How much a report reveals about a uniform answer, in nats, at one d and ε.

    `k_subset` is the paper's exact bound (Theorem 2.1), which the k*-subset mechanism attains;
    `any_d` is the bound for every d, I_β; `quadratic` is the simpler bound ε²/8 (paper, section 4).
    """

    d: int
    epsilon: float
    k_star: int
    k_sharp: int
    k_subset: float
    mrr: float
    brr: float
    any_d: float
    quadratic: float


@dataclass(frozen=True)
class Threshold:
    """The ε from which on a single value is the best report, which makes it randomized response.

    `information` is where I_1 >= I_2 begins. `sufficient` is the end of the paper's condition
    (E - 1)² / (εE - E + 1) <= d/2, which proves that MRR is not optimal below it. `l2` is like
    `information` for the squared error, ½ log((d - 1)(d - 2)/2). All are 0 if a single value is
    best at every ε.
    """

    d: int
    information: float
    sufficient: float
    l2: float


@dataclass(frozen=True)
class Information:
    """The curves, and the ε from which on randomized response is optimal."""

    points: tuple[Point, ...]
    thresholds: tuple[Threshold, ...]

    def to_dict(self) -> dict[str, list[dict[str, float]]]:
        """Return what `privet paper information --json` prints."""
        return {
            "points": [asdict(point) for point in self.points],
            "thresholds": [asdict(threshold) for threshold in self.thresholds],
        }


def information(d: Iterable[int] = DOMAINS, epsilon: Iterable[float] = EPSILONS) -> Information:
    """Return the paper's information curves (sections 2 and 4) for every d and ε, in nats.

    >>> (point,) = information([16], [1.0]).points
    >>> point.k_star, round(point.k_subset, 6), round(point.mrr, 6), round(point.brr, 6)
    (5, 0.122881, 0.051409, 0.114464)
    >>> print(f"{information([16], [1.0]).thresholds[0].information:.3f}")
    3.370
    """
    domains, levels = list(d), list(epsilon)
    for name, values in (("d", domains), ("epsilon", levels)):
        if not values:
            raise InvalidArgument("information", name, "at least one value", values)
    points = [point for size in domains for point in _points(size, levels)]
    return Information(tuple(points), tuple(find_threshold(size) for size in domains))


def _points(d: int, levels: list[float]) -> list[Point]:
    epsilon = np.asarray(levels, dtype=np.float64)
    columns = (
        epsilon,
        theory.information_optimal_k(d, epsilon),
        theory.l2_optimal_k(d, epsilon),
        theory.information_bound(d, epsilon),
        theory.multivariate_mutual_information(d, epsilon),
        theory.binary_mutual_information(d, epsilon),
        theory.universal_information_bound(epsilon),
        epsilon**2 / 8,
    )
    return [Point(int(d), *row) for row in zip(*(c.tolist() for c in columns), strict=True)]


def find_threshold(d: int) -> Threshold:
    """Return the ε from which on a single value is the best report."""
    return Threshold(
        int(d),
        information=_end(d, lambda epsilon: theory.mrr_is_suboptimal(d, epsilon)),
        sufficient=_end(d, lambda epsilon: theory.information_beta(d, epsilon) >= 2),
        l2=_end(d, lambda epsilon: theory.l2_optimal_k(d, epsilon) > 1),
    )


def _end(d: int, holds: Callable[[float], object]) -> float:
    """Return where a condition that holds for small ε ends, by bisection; 0 if it never holds."""
    low, high = 1e-6, 10 + 2 * log(d)
    if not holds(low):
        return 0.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
