"""A certified bound on δ: the expected excess of a sum of n independent numbers, rounded outwards.

Of n shuffled reports, about γn are of the blanket, and those alone hide a person (Balle, Bell,
Gascón and Nissim, The privacy blanket of the shuffle model, 2019, Lemma 5.3):

    δ(ε) <= E[(Y_1 + … + Y_n)_+] / n,    Y_i = a − e^ε b with probability γ, and else 0,

where (a, b) is the blanket's atom of report i. (As every L of the lemma is γ(a − e^ε b), γ cancels;
and that M ~ Binomial(n, γ) of the Y count is written as zeros, so that no tail of M is cut off.)

**How it is computed.** Each Y is split between the two nearest points of a grid of step h, so that
its mean stays: by convexity the expectation can only grow. With the tilted law P_t ∝ P e^{tY},

    E[S_+] = e^{nΛ(t)} · E_t[f(S)],    f(s) = s_+ e^{−ts},    Λ(t) = log E[e^{tY}],

for any t > 0. At the saddle point, where E_t[Y] = 0, the bulk of P_t lies where f is large, so that
errors are relative to δ, however small that is. S is taken modulo N grid steps, and E_t[f(S)] is a
sum over N frequencies of φ^n, φ being the discrete Fourier transform of one Y.

**The budget.** Every error is bounded and added, or moved to the safe side:

1. e^ε, E, a − e^ε b: the atoms are moved up by 2^-49 of their terms, and 2^-49 of h.
2. Rounded chances and weights: with j atoms, none is too small by more than 16 + j + 4 max|tY|
   units u = 2^-53, relative to itself. The result is multiplied by e to n times that.
3. Aliasing: the N steps reach so far that S is above them with a probability of about e^−36, which
   Chernoff's bound says; f is at most 1/(et) there, which is added. What lies below them is counted
   as if it were in them, and f is at least 0, so that this only adds.
4. φ: frequencies with |φ|^n <= e^−36 are found by a transform that is off by less than 7 log2(N) u
   √N (Higham, Accuracy and Stability of Numerical Algorithms, Theorem 24.2); they are left out, and
   their largest possible part is added. The others are summed anew from the few points of the grid
   that Y has, with integer phases: of p points, φ^n is off by (40 + 2p)·n·u·max(|φ|, ½)^{n−1}.
5. The transform of f: 7 log2(N) u, relative to its norm, times that of φ^n (Cauchy–Schwarz).
"""

from __future__ import annotations

from math import e, exp, floor, log, log1p, log2, sqrt
from sys import float_info
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..analysis.arrays import Floats
from .blankets import Blanket

__all__ = ["FINE", "certified_delta"]

# The most steps of a grid: for a million people, an answer to five digits.
FINE = 2**20
_UNIT = 2.0**-53
_ABOVE = 2.0**-49
_NEVER = 36.0  # what has the probability e^-36 is bounded instead of computed
_SPLIT = 1e-4  # by how much splitting may raise the variance, if there are steps enough
_TILTS: Floats = np.exp2(np.arange(-4, 7, dtype=np.float64))


class _Law(NamedTuple):
    """One person's Y: a few numbers and how likely they are."""

    values: Floats
    chances: Floats

    def cumulants(self, t: float) -> tuple[float, float, float]:
        """Return Λ(t) and its first two derivatives."""
        grown = self.chances * np.exp(t * self.values)
        total = grown.sum()
        mean = grown @ self.values / total
        spread = grown @ (self.values - mean) ** 2 / total
        return self.log_moment(t), float(mean), float(spread)

    def log_moment(self, t: float) -> float:
        """Return Λ(t), infinite where it is too large for a float."""
        with np.errstate(over="ignore"):
            return log1p(float(self.chances @ np.expm1(t * self.values)))


def certified_delta(blanket: Blanket, n: int, epsilon: float, steps: int = FINE) -> float:
    """Return a δ for which n shuffled reports are (ε, δ)-private, never below the least one."""
    law = _law(blanket, epsilon)
    t = _saddle(law, n)
    spread = law.cumulants(t)[2]
    largest = float(law.values.max())
    tilts = np.concatenate((_TILTS * sqrt(2 * _NEVER / (n * spread)), _TILTS / largest))
    low, high = -_reach(law, t, n, -np.minimum(tilts, t)), _reach(law, t, n, tilts)
    step, size = _grid(largest, high - low, sqrt(4 * _SPLIT * spread), steps)
    places, chances = _split(law, step)
    split = _Law(np.multiply(places, step, dtype=np.float64), chances)
    growth = split.log_moment(t)
    tilted = chances * np.exp(t * split.values - growth)
    top = size + floor(low / step) - 1
    part = _mean_of_f(places, tilted, t, step, size, top, n)
    part += _chance_above(split, t, n, top * step, tilts) / (e * t)
    units = 16 + len(law.values) + 4 * t * float(np.abs(split.values).max())
    logarithm = n * growth + n * units * _UNIT + log(part) - log(n)
    return min(1.0, exp(min(logarithm, 0.0)) * (1 + 1e-12) + float_info.min)


def _law(blanket: Blanket, epsilon: float) -> _Law:
    """Return the numbers a − e^ε b, rounded up, and 0 for reports outside the blanket."""
    gamma, factor = float(blanket.gamma), exp(epsilon)
    rows = [(float(a), factor * float(b), float(p)) for (a, b), p in blanket.atoms.items()]
    values = [a - b + _ABOVE * (a + b) for a, b, _ in rows]
    chances = [gamma * p for _, _, p in rows]
    return _Law(np.array([*values, 0.0]), np.array([*chances, float(1 - blanket.gamma)]))


def _saddle(law: _Law, n: int) -> float:
    """Return about the t at which the tilted mean is 0, but one that sees the spread of the sum."""
    _, mean, spread = law.cumulants(0.0)
    low, high = 0.0, 1 / float(law.values.max())
    if mean < 0:
        while law.cumulants(high)[1] < 0:
            low, high = high, 2 * high
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (middle, high) if law.cumulants(middle)[1] < 0 else (low, middle)
    return max(low, 1 / sqrt(n * spread))


def _reach(law: _Law, t: float, n: int, tilts: Floats) -> float:
    """Return how far, at least 0, a tilted sum reaches on a side, but for a probability e^-36."""
    return max(0.0, float(((_NEVER + _growths(law, t, n, tilts)) / np.abs(tilts)).min()))


def _chance_above(law: _Law, t: float, n: int, edge: float, tilts: Floats) -> float:
    """Return a bound on the probability that a tilted sum is above an edge (Chernoff)."""
    return exp(min(0.0, float((_growths(law, t, n, tilts) - tilts * edge).min())))


def _growths(law: _Law, t: float, n: int, tilts: Floats) -> Floats:
    """Return by how much the logarithm of a sum's moment grows where it is tilted further."""
    return np.array([n * (law.log_moment(t + tilt) - law.log_moment(t)) for tilt in tilts.tolist()])


def _grid(largest: float, width: float, wanted: float, most: int) -> tuple[float, int]:
    """Return a step, and a power of two of them in which the width lies.

    Where steps are shorter than that, the largest number is on the grid.
    """
    size = min(1 << int(width / wanted + 8).bit_length(), most)
    step = width / (size - 8)
    return largest / floor(largest / step) if step < largest else step, size


def _split(law: _Law, step: float) -> tuple[NDArray[np.int64], Floats]:
    """Return places on the grid and their chances, with the mean of the law or a larger one."""
    at = law.values / step
    at[:-1] += _ABOVE * (1 + np.abs(at[:-1]))  # the last is 0, and exact
    below = np.floor(at)
    part = at - below
    places = np.concatenate((below, below + 1)).astype(np.int64)
    chances = np.concatenate((law.chances * (1 - part), law.chances * part))
    places, where = np.unique(places[chances > 0], return_inverse=True)
    return places, np.bincount(where, chances[chances > 0]).astype(np.float64)


def _mean_of_f(
    places: NDArray[np.int64], tilted: Floats, t: float, step: float, size: int, top: int, n: int
) -> float:
    """Return at least E_t[f(S)] for S modulo the grid, whose last place is `top`."""
    steps = np.arange(1, top + 1) * step
    f = np.zeros(size)
    f[1 : top + 1] = steps * np.exp(-t * steps)
    transformed = np.fft.rfft(f)
    once = np.bincount(places % size, tilted, minlength=size)
    rounding = 7 * log2(size) * _UNIT
    near = np.abs(np.fft.rfft(once)) + rounding * sqrt(size)
    counted = np.flatnonzero(near > exp(-_NEVER / n))
    twice = np.full(size // 2 + 1, 2.0)
    twice[[0, -1]] = 1.0
    sizes = twice * np.abs(transformed)
    left_out = (sizes.sum() - sizes[counted].sum()) * exp(-_NEVER)
    phi = _transform(places, tilted, counted, size)
    lengths = np.abs(phi)
    power = np.exp(n * np.log(np.maximum(lengths, float_info.min)) + 1j * (n * np.angle(phi)))
    value = (twice[counted] * (power * transformed[counted].conj()).real).sum()
    units = (40 + 2 * len(places)) * n * np.maximum(lengths, 0.5) ** (n - 1) + 64 * np.abs(power)
    norms = np.linalg.norm(np.sqrt(twice) * np.abs(transformed)) * sqrt(2) * np.linalg.norm(power)
    errors = left_out + sizes[counted] @ units * _UNIT + 2 * rounding * norms
    return float(value + errors) / size


def _transform(
    places: NDArray[np.int64], chances: Floats, frequencies: NDArray[np.int64], size: int
) -> NDArray[np.complex128]:
    """Return Σ_j p_j e^{−2πi·jk/N} for some frequencies k, to a few units."""
    phi = np.zeros(len(frequencies), dtype=np.complex128)
    for place, chance in zip(places.tolist(), chances.tolist(), strict=True):
        turns = frequencies * (place % size) % size
        phi += chance * np.exp(-2j * np.pi / size * turns)
    return phi
