"""What is known of several choices: hit rates, variances, the best sizes.

A person chose at most `most` (m) of `options` (d), and a report is a set of k of v = d + m points
(`privet.mechanisms.SetSubset`; Wang et al., PrivSet, INFOCOM 2018). With E = e^ε,
r = C(d, k)/C(v, k), the share of sets that do not meet the person's, and φ = E(1 − r) + r,

    g = Ea/φ,    h = (E(a − b) + b)/φ,    a = k/v,    b = rk/d

are the probabilities that a report holds an option of the person's and any other. Two options are
both in a report with probability u = Ea₂/φ if the person chose either or both, and else with
w = (E(a₂ − b₂) + b₂)/φ, a₂ = a(k − 1)/(v − 1), b₂ = b(k − 1)/(d − 1).

Everything is computed in q = e^-ε, where nothing overflows; sizes k may be arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..arguments import positive, whole
from ..errors import InvalidArgument
from ..mechanisms.subsets.listed_sets import sets_holding
from .formulas import hit_rates

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from .formulas import Floats, Real

__all__ = [
    "asked_item_variance",
    "listed_item_variance",
    "listed_pair_variance",
    "set_hit_rates",
    "set_item_variance",
    "set_optimal_k",
    "set_pair_optimal_k",
    "set_pair_rates",
    "set_pair_variance",
]


def set_hit_rates(options: int, epsilon: float, most: int, k: ArrayLike) -> tuple[Real, Real]:
    """Return (g, h), how likely a report holds an option of the person's and any other one.

    >>> print("{:.6f} {:.6f}".format(*set_hit_rates(100, 1.0, 5, k=5)))
    0.093897 0.045305
    """
    return _rates("set_hit_rates", options, epsilon, most, k)[:2]


def set_pair_rates(options: int, epsilon: float, most: int, k: ArrayLike) -> tuple[Real, Real]:
    """Return (u, w), how likely a report holds two options of which the person chose any, or none.

    >>> print("{:.6f} {:.6f}".format(*set_pair_rates(100, 1.0, 5, k=5)))
    0.003611 0.001648
    """
    return _rates("set_pair_rates", options, epsilon, most, k)[2:4]


def set_item_variance(
    options: int, epsilon: float, most: int, k: ArrayLike, theta: ArrayLike, n: ArrayLike
) -> Real:
    """Return the variance of one option's estimated share where it is theta among n people.

    (θ g(1 − g) + (1 − θ) h(1 − h)) / (n (g − h)²)

    >>> print(f"{set_item_variance(100, 1.0, 5, k=5, theta=0.0, n=10_000):.6f}")
    0.001832
    """
    g, h, _, _, gain, _ = _rates("set_item_variance", options, epsilon, most, k)
    shares, people = np.asarray(theta, np.float64), np.asarray(n, np.float64)
    return (shares * g * (1 - g) + (1 - shares) * h * (1 - h)) / gain**2 / people


def set_optimal_k(options: int, epsilon: float, most: int) -> int:
    """Return the k in [1, options] with the least variance of a rare option, h(1 − h)/(g − h)².

    >>> set_optimal_k(100, 1.0, 5), set_optimal_k(1000, 1.0, 3)
    (5, 86)
    """
    sizes = 1 + np.arange(whole("set_optimal_k", "options", options, 2), dtype=np.int64)
    with np.errstate(all="ignore"):
        variances = set_item_variance(options, epsilon, most, sizes, 0.0, 1)
    return _least(sizes, variances)


def set_pair_variance(
    options: int,
    epsilon: float,
    most: int,
    k: ArrayLike,
    shares: tuple[float, float, float] = (0.0, 0.0, 0.0),
    n: ArrayLike = 1,
) -> Real:
    """Return the variance of the estimated share of n people who chose two options together.

    `shares` are of those who chose the first, the second, and both. With N the number of the two
    that a report holds, the one unbiased estimate from N is the mean of
    (N − 2h)/(g − h) − ([N = 2] − w)/(u − w).

    >>> print(f"{set_pair_variance(10, 1.0, 3, k=2):.2f}")
    43.12
    """
    g, h, u, w, single, pair = _rates("set_pair_variance", options, epsilon, most, k)
    if np.any(np.asarray(k) < 2):
        raise InvalidArgument("set_pair_variance", "k", "2 or more: one point is no pair", k)
    first, second, both = shares
    worth = [w / pair - 2 * h / single]
    worth += [worth[0] + 1 / single, worth[0] + 2 / single - 1 / pair]
    variance: Real = np.float64(0)
    for share, one, two in (
        (1 - first - second + both, 2 * (h - w), w),
        (first + second - 2 * both, g + h - 2 * u, u),
        (both, 2 * (g - u), u),
    ):
        chances = 1 - one - two, one, two
        mean = sum(p * x for p, x in zip(chances, worth, strict=True))
        spread = sum(p * (x - mean) ** 2 for p, x in zip(chances, worth, strict=True))
        variance = variance + share * np.asarray(spread)
    return variance / np.asarray(n, np.float64)


def set_pair_optimal_k(options: int, epsilon: float, most: int) -> int:
    """Return the k in [2, options] with the least variance of the share of a rare pair.

    >>> set_pair_optimal_k(10, 1.0, 3), set_pair_optimal_k(100, 1.0, 5)
    (3, 15)
    """
    sizes = 2 + np.arange(whole("set_pair_optimal_k", "options", options, 2) - 1, dtype=np.int64)
    with np.errstate(all="ignore"):
        variances = set_pair_variance(options, epsilon, most, sizes)
    return _least(sizes, variances)


def asked_item_variance(options: int, epsilon: float, theta: ArrayLike, n: ArrayLike) -> Real:
    """Return the variance of an option's estimated share where each person is asked about one.

    (d E/(E − 1)² + (d − 1) θ(1 − θ)) / n, with n/d people asked (`privet.mechanisms.OneOption`).

    >>> print(f"{asked_item_variance(100, 1.0, theta=0.0, n=10_000):.6f}")
    0.009207
    """
    d = whole("asked_item_variance", "options", options, 2)
    epsilon = positive("asked_item_variance", "epsilon", epsilon)
    shares, people = np.asarray(theta, np.float64), np.asarray(n, np.float64)
    noise = d * np.exp(-epsilon) / np.expm1(-epsilon) ** 2
    variance: Real = (noise + (d - 1) * shares * (1 - shares)) / people
    return variance


def listed_item_variance(
    options: int, epsilon: float, most: int, k: int, theta: ArrayLike, n: ArrayLike
) -> Real:
    """Return the variance of an option's estimated share where all sets of options are listed.

    A report is k of these sets, and the share is a sum over those with the option
    (`privet.mechanisms.ListedSets`).

    >>> print(f"{listed_item_variance(5, 3.0, 2, k=1, theta=0.0, n=10_000):.6f}")
    0.000041
    """
    return _listed("listed_item_variance", (options, epsilon, most, k), 1, theta, n)


def listed_pair_variance(
    options: int, epsilon: float, most: int, k: int, theta: ArrayLike = 0.0, n: ArrayLike = 1
) -> Real:
    """Return the variance of the estimated share of n people who chose two options together.

    theta is that share where all sets of options are listed; at least two may be chosen.

    >>> print(f"{listed_pair_variance(5, 3.0, 2, k=1):.2f}")
    0.09
    """
    whole("listed_pair_variance", "most", most, 2, options)
    return _listed("listed_pair_variance", (options, epsilon, most, k), 2, theta, n)


def _listed(
    owner: str, shape: tuple[int, float, int, int], held: int, theta: ArrayLike, n: ArrayLike
) -> Real:
    """Return the variance of the share of the sets that hold a few options.

    Beyond the person's own, a report holds k − 1 of the other sets or k, all as likely.
    """
    options, epsilon, most, k = shape
    d, m = whole(owner, "options", options, 2), whole(owner, "most", most, 1, options)
    sets, points = sets_holding(d, m, held), sets_holding(d, m)
    k = whole(owner, "k", k, 1, points - 1)
    g, _ = hit_rates(points, positive(owner, "epsilon", epsilon), k)
    q, others = np.exp(-epsilon), points - 1
    gain = k * (points - k) / others * -np.expm1(-epsilon) / (k + (points - k) * q)
    shares = np.asarray(theta, np.float64)
    variance: Real = np.zeros(shares.shape)
    for share, own in ((shares, 1), (1 - shares, 0)):
        rate = (sets - own) / others
        hit, miss = own + (k - 1) * rate, k * rate
        within = rate * (1 - rate) / (others - 1)  # of the hypergeometric laws
        spread = g * (k - 1) * (points - k) * within + (1 - g) * k * (points - 1 - k) * within
        variance = variance + share * (spread + g * (1 - g) * (hit - miss) ** 2)
    scaled: Real = variance / gain**2 / np.asarray(n, np.float64)
    return scaled


def _least(sizes: NDArray[np.int64], variances: Real) -> int:
    """Return the size of least variance; sets that nearly always meet have none."""
    return int(sizes[np.argmin(np.where(np.isfinite(variances), variances, np.inf))])


def _rates(
    owner: str, options: int, epsilon: float, most: int, k: ArrayLike
) -> tuple[Real, Real, Real, Real, Real, Real]:
    """Return g, h, u and w from terms of one sign, and g − h and u − w to as many digits."""
    d, m = whole(owner, "options", options, 2), whole(owner, "most", most, 1, options)
    sizes = np.asarray(k)
    if sizes.dtype.kind not in "iu" or np.any((sizes < 1) | (sizes > d)):
        raise InvalidArgument(owner, "k", f"whole numbers in [1, {d}]", k)
    epsilon, v = positive(owner, "epsilon", epsilon), d + m
    meets, apart, apart_pairs = _shares(d, m, sizes)
    q, excess = np.exp(-epsilon), -np.expm1(-epsilon)
    g = sizes / v / (meets + (1 - meets) * q)
    u = g * (sizes - 1) / (v - 1)
    h = g * (-np.expm1(apart) + np.exp(apart) * q)
    w = u * (-np.expm1(apart_pairs) + np.exp(apart_pairs) * q)
    return g, h, u, w, g * np.exp(apart) * excess, u * np.exp(apart_pairs) * excess


def _shares(d: int, m: int, k: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Return 1 − r, log(b/a) and log(b₂/a₂): of all sets, of those with a point, with two points.

    r is the product of (d − i)/(v − i) for i < k, and the others lack its first factors.
    """
    sizes, v = np.asarray(k), d + m
    logs = np.log1p(-m / (v - np.arange(int(sizes.max()), dtype=np.float64)))
    sums = np.concatenate(([0.0], np.cumsum(logs)))
    first = np.concatenate(([0.0, 0.0], np.cumsum(logs[1:])))
    second = np.concatenate(([0.0, 0.0, 0.0], np.cumsum(logs[2:])))
    return -np.expm1(sums[sizes]), first[sizes], second[sizes]
