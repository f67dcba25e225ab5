"""Formulas for several choices: hit rates, variances, the best sizes.

A person chose at most `most` (m) of `options` (d), and a report is a set of k of v = d + m points
(`privet.mechanisms.SetSubset`; Wang et al., PrivSet, INFOCOM 2018). With E = e^ε,
r = C(d, k)/C(v, k), the share of sets that do not meet the person's, and φ = E(1 − r) + r,

    g = Ea/φ,    h = (E(a − b) + b)/φ,    a = k/v,    b = rk/d

are the probabilities that a report holds an option of the person's and any other. Two options are
both in a report with probability u = Ea₂/φ if the person chose either or both, and else with
w = (E(a₂ − b₂) + b₂)/φ, a₂ = a(k − 1)/(v − 1), b₂ = b(k − 1)/(d − 1).

Everything is computed in q = e^-ε, where nothing overflows. Sizes k, shares and numbers of people
may be arrays.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import exp, expm1, fsum, inf, isfinite, log1p

from ..errors import InvalidArgument
from ..errors.arguments import is_finite, is_whole, positive, whole
from .broadcasting import broadcast
from .formulas import hit_rates

# g, h, u, w, g − h and u − w.
Rates = tuple[float, float, float, float, float, float]

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

_SHAPE = "options", "epsilon", "most"


def sets_holding(options: int, most: int, held: int = 0) -> int:
    """Return how many sets of at most `most` options contain all of `held` given options.

    >>> sets_holding(5, 2), sets_holding(5, 2, held=1), sets_holding(5, 2, held=2)
    (16, 5, 1)
    """
    others = options - held
    sets = of_size = int(held <= most)
    for size in range(1, most - held + 1):
        of_size = of_size * (others + 1 - size) // size
        sets += of_size
    return sets


@broadcast(float, float, fixed=_SHAPE)
def set_hit_rates(options: int, epsilon: float, most: int, k: int) -> tuple[float, float]:
    """Return (g, h), how likely a report holds an option of the person's and any other one.

    >>> print("{:.6f} {:.6f}".format(*set_hit_rates(100, 1.0, 5, k=5)))
    0.093897 0.045305
    """
    return _rates("set_hit_rates", options, epsilon, most, k)[:2]


@broadcast(float, float, fixed=_SHAPE)
def set_pair_rates(options: int, epsilon: float, most: int, k: int) -> tuple[float, float]:
    """Return (u, w), how likely a report holds two options of which the person chose any, or none.

    >>> print("{:.6f} {:.6f}".format(*set_pair_rates(100, 1.0, 5, k=5)))
    0.003611 0.001648
    """
    return _rates("set_pair_rates", options, epsilon, most, k)[2:4]


@broadcast(float, fixed=_SHAPE)
def set_item_variance(
    options: int, epsilon: float, most: int, k: int, theta: float, n: float
) -> float:
    """Return the variance of one option's estimated share where it is theta among n people.

    (θ g(1 − g) + (1 − θ) h(1 − h)) / (n (g − h)²)

    >>> print(f"{set_item_variance(100, 1.0, 5, k=5, theta=0.0, n=10_000):.6f}")
    0.001832
    """
    rates = _rates("set_item_variance", options, epsilon, most, k)
    theta, n = _people("set_item_variance", theta, n)
    return _item_variance(rates, theta) / n


def set_optimal_k(options: int, epsilon: float, most: int) -> int:
    """Return the k in [1, options] with the least variance of a rare option, h(1 − h)/(g − h)².

    >>> set_optimal_k(100, 1.0, 5), set_optimal_k(1000, 1.0, 3)
    (5, 86)
    """
    shape = _checked("set_optimal_k", options, epsilon, most)
    variances = [_item_variance(rates, 0) for rates in _all_rates(*shape)]
    return 1 + variances.index(min(variances))


@broadcast(float, fixed=(*_SHAPE, "shares"))
def set_pair_variance(
    options: int,
    epsilon: float,
    most: int,
    k: int,
    shares: tuple[float, float, float] = (0.0, 0.0, 0.0),
    n: float = 1,
) -> float:
    """Return the variance of the estimated share of n people who chose two options together.

    `shares` are of those who chose the first, the second, and both. With N the number of the two
    that a report holds, the one unbiased estimate from N is the mean of
    (N − 2h)/(g − h) − ([N = 2] − w)/(u − w).

    >>> print(f"{set_pair_variance(10, 1.0, 3, k=2):.2f}")
    43.12
    """
    rates = _rates("set_pair_variance", options, epsilon, most, k)
    if k < 2:
        raise InvalidArgument("set_pair_variance", "k", "2 or more: one point is no pair", k)
    return _pair_variance(rates, shares) / _people("set_pair_variance", 0, n)[1]


def set_pair_optimal_k(options: int, epsilon: float, most: int) -> int:
    """Return the k in [2, options] with the least variance of the share of a rare pair.

    >>> set_pair_optimal_k(10, 1.0, 3), set_pair_optimal_k(100, 1.0, 5)
    (3, 15)
    """
    shape = _checked("set_pair_optimal_k", options, epsilon, most)
    variances = [_pair_variance(rates, (0.0, 0.0, 0.0)) for rates in _all_rates(*shape)]
    return 1 + variances.index(min(variances[1:]), 1)


@broadcast(float, fixed=("options", "epsilon"))
def asked_item_variance(options: int, epsilon: float, theta: float, n: float) -> float:
    """Return the variance of an option's estimated share where each person is asked about one.

    (d E/(E − 1)² + (d − 1) θ(1 − θ)) / n, with n/d people asked (`privet.mechanisms.OneOption`).

    >>> print(f"{asked_item_variance(100, 1.0, theta=0.0, n=10_000):.6f}")
    0.009207
    """
    owner = "asked_item_variance"
    d, epsilon = whole(owner, "options", options, 2), positive(owner, "epsilon", epsilon)
    theta, n = _people(owner, theta, n)
    gap = expm1(-epsilon)
    return (d * exp(-epsilon) / gap / gap + (d - 1) * theta * (1 - theta)) / n


@broadcast(float, fixed=(*_SHAPE, "k"))
def listed_item_variance(
    options: int, epsilon: float, most: int, k: int, theta: float, n: float
) -> float:
    """Return the variance of an option's estimated share where all sets of options are listed.

    A report is k of these sets, and the share is a sum over those with the option
    (`privet.mechanisms.ListedSets`).

    >>> print(f"{listed_item_variance(5, 3.0, 2, k=1, theta=0.0, n=10_000):.6f}")
    0.000041
    """
    return _listed("listed_item_variance", (options, epsilon, most, k), 1, theta, n)


@broadcast(float, fixed=(*_SHAPE, "k"))
def listed_pair_variance(
    options: int, epsilon: float, most: int, k: int, theta: float = 0.0, n: float = 1
) -> float:
    """Return the variance of the estimated share of n people who chose two options together.

    theta is that share where all sets of options are listed; at least two may be chosen.

    >>> print(f"{listed_pair_variance(5, 3.0, 2, k=1):.2f}")
    0.09
    """
    whole("listed_pair_variance", "most", most, 2, options)
    return _listed("listed_pair_variance", (options, epsilon, most, k), 2, theta, n)


def _listed(
    owner: str, shape: tuple[int, float, int, int], held: int, theta: float, n: float
) -> float:
    """Return the variance of the share of the sets that hold a few options.

    Beyond the person's own, a report holds k − 1 of the other sets or k, all as likely.
    """
    options, epsilon, most, k = shape
    d, epsilon, m = _checked(owner, options, epsilon, most)
    sets, points = sets_holding(d, m, held), sets_holding(d, m)
    k = whole(owner, "k", k, 1, points - 1)
    theta, n = _people(owner, theta, n)
    g, _ = hit_rates(points, epsilon, k)
    q, others = exp(-epsilon), points - 1
    gain = k * (points - k) / others * -expm1(-epsilon) / (k + (points - k) * q)
    variance = 0.0
    for share, own in ((theta, 1), (1 - theta, 0)):
        rate = (sets - own) / others
        hit, miss = own + (k - 1) * rate, k * rate
        within = rate * (1 - rate) / (others - 1)  # of the hypergeometric laws
        spread = g * (k - 1) * (points - k) * within + (1 - g) * k * (points - 1 - k) * within
        variance += share * (spread + g * (1 - g) * (hit - miss) ** 2)
    return variance / gain**2 / n


def _item_variance(rates: Rates, theta: float) -> float:
    """Return n times the variance of a share; sets that nearly always meet tell nothing of it."""
    g, h, _, _, gain, _ = rates
    square = gain * gain
    return (theta * g * (1 - g) + (1 - theta) * h * (1 - h)) / square if square else inf


def _pair_variance(rates: Rates, shares: tuple[float, float, float]) -> float:
    """Return n times the variance of a pair's share; infinite where reports tell nothing of it."""
    g, h, u, w, single, pair = rates
    if not single or not pair:
        return inf
    first, second, both = shares
    worth = [w / pair - 2 * h / single]
    worth += [worth[0] + 1 / single, worth[0] + 2 / single - 1 / pair]
    variance = 0.0
    for share, one, two in (
        (1 - first - second + both, 2 * (h - w), w),
        (first + second - 2 * both, g + h - 2 * u, u),
        (both, 2 * (g - u), u),
    ):
        if share:
            chances = 1 - one - two, one, two
            mean = sum(p * x for p, x in zip(chances, worth, strict=True))
            spread = sum(p * (x - mean) * (x - mean) for p, x in zip(chances, worth, strict=True))
            variance += share * spread
    return variance if isfinite(variance) else inf


def _rates(owner: str, options: int, epsilon: float, most: int, k: int) -> Rates:
    """Return the rates of one size, checked; r is a product of as few factors as there are."""
    d, epsilon, m = _checked(owner, options, epsilon, most)
    if not is_whole(k) or not 1 <= k <= d:
        raise InvalidArgument(owner, "k", f"whole numbers in [1, {d}]", k)
    v = d + m
    logs = [log1p(-m / (v - i)) for i in range(k)]
    return _rates_of(d, epsilon, m, k, fsum(logs), fsum(logs[1:]), fsum(logs[2:]))


def _all_rates(d: int, epsilon: float, m: int) -> Iterator[Rates]:
    """Yield the rates of the sizes 1, …, d."""
    v = d + m
    total = first = second = 0.0
    for k in range(1, d + 1):
        factor = log1p(-m / (v - k + 1))
        total += factor
        first += factor if k > 1 else 0
        second += factor if k > 2 else 0
        yield _rates_of(d, epsilon, m, k, total, first, second)


def _rates_of(
    d: int, epsilon: float, m: int, k: int, apart: float, first: float, second: float
) -> Rates:
    """Return g, h, u and w from terms of one sign, and g − h and u − w to as many digits.

    Given are log r, log(b/a) and log(b₂/a₂): of all sets, of those with a point, with two points.
    r is the product of (d − i)/(v − i) for i < k, and the others lack its first factors.
    """
    v, q, excess = d + m, exp(-epsilon), -expm1(-epsilon)
    meets = -expm1(apart)
    g = k / v / (meets + (1 - meets) * q)
    u = g * (k - 1) / (v - 1)
    alone, together = exp(first), exp(second)
    h = g * (-expm1(first) + alone * q)
    w = u * (-expm1(second) + together * q)
    return g, h, u, w, g * alone * excess, u * together * excess


def _checked(owner: str, options: int, epsilon: float, most: int) -> tuple[int, float, int]:
    d, m = whole(owner, "options", options, 2), whole(owner, "most", most, 1, options)
    return d, positive(owner, "epsilon", epsilon), m


def _people(owner: str, theta: float, n: float) -> tuple[float, float]:
    """Return a share and a number of people as plain numbers, or raise."""
    if not is_finite(theta) or not 0 <= theta <= 1:
        raise InvalidArgument(owner, "theta", "a number in [0, 1]", theta)
    return float(theta), positive(owner, "n", n)
