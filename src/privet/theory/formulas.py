"""The paper's theorems as functions: hit rates, variances, mutual information, optimal sizes.

"The paper" is Wang et al., Mutual Information Optimally Local Private Discrete Distribution
Estimation (2016). Its notation is kept: d values, privacy level ε, E = e^ε, reports of k values
each, n people; g and h are the probabilities that a report contains the person's value and any
given other value. Information is in nats; variances are those of the unbiased estimate
(Algorithm 2).

Every function takes numbers and returns plain ones; given arrays, it broadcasts over them and
returns arrays. Formulas are computed in q = e^-ε from terms of one sign, so that nothing cancels
and nothing overflows: results are accurate to a relative error of about 1e-14 for ε from 1e-6 to 50
and d from 2 to 1e9, and stay finite well beyond.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, exp, expm1, factorial, floor, fsum, inf, lgamma, log, pi, sqrt

from ..errors import InvalidArgument
from ..errors.arguments import is_finite
from .broadcasting import broadcast

__all__ = [
    "binary_hit_rates",
    "binary_mutual_information",
    "binary_total_variance",
    "hit_rates",
    "information_beta",
    "information_bound",
    "information_optimal_k",
    "item_variance",
    "l2_optimal_k",
    "mrr_is_suboptimal",
    "multivariate_mutual_information",
    "mutual_information",
    "total_variance",
    "universal_information_bound",
]


@broadcast(float, float)
def hit_rates(d: float, epsilon: float, k: float) -> tuple[float, float]:
    """Return (g, h), the probabilities that a report contains the person's value and another one.

    g = kE / (kE + d - k), h = (k - g) / (d - 1)    (paper, above eq. 9)

    >>> print("{:.6f} {:.6f}".format(*hit_rates(100, 1.0, 27)))
    0.501344 0.267663
    """
    d, epsilon, k = _checked("hit_rates", d=d, epsilon=epsilon, k=k)
    q = exp(-epsilon)
    weight = k + (d - k) * q
    return k / weight, k * (k - 1 + (d - k) * q) / ((d - 1) * weight)


@broadcast(float)
def total_variance(d: float, epsilon: float, k: float, n: float) -> float:
    """Return the expected squared ℓ2 error of the frequencies of n given people.

    (g(1 - g) + (d - 1) h(1 - h)) / (n (g - h)²)    (paper, above Theorem 3.1), whatever θ is.
    People drawn at random from θ add the sampling variance (1 - Σ θ²) / n.

    >>> print(f"{total_variance(100, 1.0, 27, n=10_000):.6f}")
    0.035995
    """
    d, epsilon, k, n = _checked("total_variance", d=d, epsilon=epsilon, k=k, n=n)
    own, other = item_variances(d, epsilon, k)
    return (own + (d - 1) * other) / n


@broadcast(float)
def item_variance(d: float, epsilon: float, k: float, theta: float, n: float) -> float:
    """Return the variance of one estimated frequency whose true value among n people is theta.

    (θ g(1 - g) + (1 - θ) h(1 - h)) / (n (g - h)²)    (paper, above Theorem 3.1)

    >>> print(f"{item_variance(100, 1.0, 27, theta=0.1, n=10_000):.6f}")
    0.000369
    """
    d, epsilon, k, theta, n = _checked("item_variance", d=d, epsilon=epsilon, k=k, theta=theta, n=n)
    own, other = item_variances(d, epsilon, k)
    return (theta * own + (1 - theta) * other) / n


@broadcast(int)
def l2_optimal_k(d: float, epsilon: float) -> int:
    """Return the k in [1, d - 1] with the least total variance, the smaller of two equals.

    floor or ceil of d / (1 + E)    (paper, Theorem 3.1): the ceil if
    k(k + 1) E² < (d - k)(d - k - 1) at k = floor, which means that k + 1 does better.

    >>> print(l2_optimal_k([4, 16, 100, 1000], [1, 1, 1, 2]))
    [  1   4  27 119]
    """
    d, epsilon = _checked("l2_optimal_k", d=d, epsilon=epsilon)
    q = exp(-epsilon)
    k = max(floor(d * q / (1 + q)), 1)
    return k + 1 if k * (k + 1.0) < (d - k) * (d - k - 1) * q * q else k


@broadcast(float)
def mutual_information(d: float, epsilon: float, k: float) -> float:
    """Return I_k, the information between a uniformly distributed answer and its report.

    I_k = (kE log(dE/D) + (d - k) log(d/D)) / D, D = kE + d - k    (paper, Theorem 2.1)

    >>> print(f"{mutual_information(100, 1.0, 34):.6f}")
    0.123301
    """
    return _information(*_checked("mutual_information", d=d, epsilon=epsilon, k=k))


@broadcast(float)
def information_beta(d: float, epsilon: float) -> float:
    """Return β, where I_k is largest if k may be any real number.

    β = (εE - E + 1) d / (E - 1)²    (paper, Theorem 2.1); always below d/2.

    >>> print(f"{information_beta(100, 1.0):.6f}")
    33.869689
    """
    return _beta(*_checked("information_beta", d=d, epsilon=epsilon))


@broadcast(int)
def information_optimal_k(d: float, epsilon: float) -> int:
    """Return the k in [1, d - 1] with the most mutual information, the smaller of two equals.

    floor or ceil of β    (paper, Theorem 2.1): the ceil if β - k > ψ(u)/u² at k = floor, with
    u = (E - 1)/D and ψ(u) = (1 + u) log(1 + u) - u, which is I_{k+1} > I_k rearranged.

    >>> print(information_optimal_k([4, 16, 100, 1000], [1, 1, 1, 2]))
    [  1   5  34 206]
    """
    return _best_k(*_checked("information_optimal_k", d=d, epsilon=epsilon))


@broadcast(float)
def information_bound(d: float, epsilon: float) -> float:
    """Return the most information that any ε-private report can reveal about a uniform answer.

    I_k at the best integer k    (paper, Theorem 2.1)

    >>> print(f"{information_bound(16, 1.0):.6f}")
    0.122881
    """
    d, epsilon = _checked("information_bound", d=d, epsilon=epsilon)
    return _information(d, epsilon, _best_k(d, epsilon))


@broadcast(float)
def universal_information_bound(epsilon: float) -> float:
    """Return an upper bound on the information for every d and every distribution of answers.

    I_β = log((E - 1)/ε) + ε/(E - 1) - 1 ≤ ε²/8    (paper, below Theorem 2.1, for uniform answers)

    It holds for other answers too: given a report, the likelihood ratios have mean 1 and lie within
    a factor of E, and the mean of t log t, which is convex, is then largest on the two end points.

    >>> print(f"{universal_information_bound(1.0):.6f}")
    0.123302
    """
    (epsilon,) = _checked("universal_information_bound", epsilon=epsilon)
    if epsilon < 1:
        excess = epsilon * _exp_remainder(epsilon)
        return _psi(excess) / (1 + excess)
    q, gap = exp(-epsilon), -expm1(-epsilon)
    return epsilon - 1 - log(epsilon) + log(gap) + epsilon * q / gap


@broadcast(float)
def multivariate_mutual_information(d: float, epsilon: float) -> float:
    """Return the information of multivariate randomized response.

    I_1    (paper, below eq. 6, where its first logarithm should read e^ε + d - 1)

    >>> print(f"{multivariate_mutual_information(100, 1.0):.6f}")
    0.009687
    """
    d, epsilon = _checked("multivariate_mutual_information", d=d, epsilon=epsilon)
    return _information(d, epsilon, 1)


@broadcast(bool)
def mrr_is_suboptimal(d: float, epsilon: float) -> bool:
    """Return whether some k-subset report reveals more information than randomized response.

    I_2 > I_1. The paper (below eq. 6) has the sufficient condition
    (E - 1)² / (εE - E + 1) ≤ d/2, that is β ≥ 2.

    >>> print(mrr_is_suboptimal(100, [1.0, 3.0, 9.0]))
    [ True  True False]
    """
    return _best_k(*_checked("mrr_is_suboptimal", d=d, epsilon=epsilon)) > 1


@broadcast(float, float)
def binary_hit_rates(epsilon: float) -> tuple[float, float]:
    """Return (g, h) of binary randomized response, which flips each of d bits with probability h.

    g = e^(ε/2) / (e^(ε/2) + 1), h = 1 - g    (paper, eq. 7)

    >>> print("{:.6f} {:.6f}".format(*binary_hit_rates(1.0)))
    0.622459 0.377541
    """
    (epsilon,) = _checked("binary_hit_rates", epsilon=epsilon)
    q = exp(-epsilon / 2)
    return 1 / (1 + q), q / (1 + q)


@broadcast(float)
def binary_total_variance(d: float, epsilon: float, n: float) -> float:
    """Return the expected squared ℓ2 error of binary randomized response for n given people.

    d g h / (n (g - h)²), as every bit has the same variance

    >>> print(f"{binary_total_variance(100, 1.0, n=10_000):.6f}")
    0.039177
    """
    d, epsilon, n = _checked("binary_total_variance", d=d, epsilon=epsilon, n=n)
    gap = expm1(-epsilon / 2)
    return d * exp(-epsilon / 2) / gap / gap / n


@broadcast(float)
def binary_mutual_information(d: float, epsilon: float) -> float:
    """Return the information between a uniformly distributed answer and its d noisy bits.

    Σ_k P(k bits are set) I_k, with I_0 = I_d = 0    (paper, eq. 8). The number of bits set is
    Bernoulli(g) + Binomial(d - 1, h); the cost of computing this does not grow with d.

    >>> print(f"{binary_mutual_information(100, 1.0):.6f}")
    0.121183
    """
    return _binary_information(*_checked("binary_mutual_information", d=d, epsilon=epsilon))


def item_variances(d: float, epsilon: float, k: float) -> tuple[float, float]:
    """Return g(1 - g)/(g - h)² and h(1 - h)/(g - h)² of valid arguments, which may be reals."""
    q, gap = exp(-epsilon), -expm1(-epsilon)
    scale = 1 / (k * (d - k)) / gap / gap
    return scale * q * (d - 1) ** 2, scale * (k - 1 + (d - k) * q) * (k + (d - k - 1) * q)


def _information(d: float, epsilon: float, k: float) -> float:
    """Return I_k for real k in (0, d), as the mean of ψ over the likelihood ratios dE/D and d/D."""
    q, gap = exp(-epsilon), -expm1(-epsilon)
    ratio = d / (k + (d - k) * q)
    inside, outside = k / d, (d - k) / d
    return inside * _psi(outside * gap * ratio) + outside * _psi(-inside * gap * ratio)


def _beta(d: float, epsilon: float) -> float:
    scale = epsilon / -expm1(-epsilon)
    return d * exp(-epsilon) * _exp_remainder(-epsilon) * scale * scale


def _best_k(d: float, epsilon: float) -> int:
    beta = _beta(d, epsilon)
    k = max(floor(beta), 1)
    u = -expm1(-epsilon) / (k + (d - k) * exp(-epsilon))
    return k + 1 if (beta - k) * u * u > _psi(u) else k


def _binary_information(d: float, epsilon: float) -> float:
    """Sum g I_{j+1} + h I_j over j ~ Binomial(n = d - 1, h).

    Where the binomial is wide, the sum over every stride-th j is the same to the last digit (the
    trapezoidal rule on a smooth bell), so a few thousand terms are enough for any d.
    """
    n, flip = d - 1, exp(-epsilon / 2)
    g, h = 1 / (1 + flip), max(flip / (1 + flip), 1e-300)  # anything smaller changes nothing
    mean, deviation = n * h, sqrt(n * g * h)
    reach = 20 * deviation + 60
    low, high = max(floor(mean - reach), 0), min(ceil(mean + reach), int(n))

    def information(k: int) -> float:
        return _information(d, epsilon, k) if 0 < k < d else 0

    weights, terms = [], []
    for j in range(low, high + 1, max(int(deviation // 16), 1)):
        deviance = mean * _psi((j - mean) / mean) + n * g * _psi((mean - j) / (n * g))
        weight = exp(-deviance - _stirling(j) - _stirling(n - j))
        weights.append(weight)
        terms.append(weight * (g * information(j + 1) + h * information(j)))
    return fsum(terms) / fsum(weights)


def _polynomial(coefficients: Sequence[float], x: float) -> float:
    """Return a polynomial's value, the highest coefficient first."""
    value = 0.0
    for coefficient in coefficients:
        value = value * x + coefficient
    return value


_ATANH = [1 / (2 * i + 3) for i in reversed(range(9))]  # (atanh s - s) / s³, in s²


def _psi(x: float) -> float:
    """Return ψ(x) = (1 + x) log(1 + x) - x for x ≥ -1, by the series of atanh near 0."""
    if -0.25 <= x <= 0.25:
        s = x / (2 + x)
        return x * x / (2 + x) * (1 + s * (1 + s) * _polynomial(_ATANH, s * s))
    return (1 + x) * log(1 + x) - x if x > -1 else 1.0


_EXP = [1 / factorial(i + 2) for i in reversed(range(14))]


def _exp_remainder(x: float) -> float:
    """Return (e^x - 1 - x) / x², by its series near 0."""
    return _polynomial(_EXP, x) if abs(x) < 0.5 else (expm1(x) - x) / x / x


_STIRLING = [lgamma(x + 1) - x * log(x or 1) + x for x in range(64)]


def _stirling(x: float) -> float:
    """Return log(x!) - x log x + x for whole x ≥ 0."""
    if x < len(_STIRLING):
        return _STIRLING[int(x)]
    return log(2 * pi * x) / 2 + (1 / 12 - (1 / 360 - 1 / 1260 / x**2) / x**2) / x


_RULES: dict[str, tuple[str, Callable[[float, float], bool]]] = {
    "d": ("an int in [2, 2**53]", lambda d, _: 2 <= d <= 2**53 and d % 1 == 0),
    "epsilon": ("a finite number > 0", lambda epsilon, _: epsilon > 0),
    "k": ("an int in [1, d - 1]", lambda k, d: 1 <= k <= d - 1 and k % 1 == 0),
    "theta": ("a number in [0, 1]", lambda theta, _: 0 <= theta <= 1),
    "n": ("a finite number > 0", lambda n, _: n > 0),
}


def _checked(owner: str, **arguments: float) -> list[float]:
    """Return the arguments as floats, or raise an error that names the first invalid one."""
    d = arguments.get("d", inf)
    for name, value in arguments.items():
        rule, holds = _RULES[name]
        if not is_finite(value) or not holds(value, d):
            raise InvalidArgument(owner, name, rule, value)
    return [float(value) for value in arguments.values()]
