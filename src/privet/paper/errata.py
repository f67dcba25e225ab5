"""Errors in the paper's text, each with the numbers that show it.

None of them overturns a theorem, and all but the one on Table 1 are slips of the pen.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import comb, exp, floor, isclose, log

import numpy as np

from .. import theory
from ..device.mechanisms.bits.binary_rr import BinaryRR
from ..device.mechanisms.subsets.k_subset import KSubset
from .table1 import Table1


@dataclass(frozen=True)
class Erratum:
    """A place in the paper, what it says, what it should say, and what the numbers show.

    ^ and _ mean what they mean in LaTeX.
    """

    where: str
    says: str
    should_say: str
    evidence: str
    confirmed: bool


def errata(table: Table1) -> list[Erratum]:
    """Return the errata; those on Table 1 are checked by its reproduction."""
    return [
        _table_1(table),
        _equal_mechanisms(table),
        _uniform_prior(),
        _concavity(),
        _sizes(table),
        _derivative(),
        _hybrid_mechanisms(),
        _binary_bound(),
        _exponential_mechanism(),
        _first_logarithm(),
        _number_of_patterns(),
        _total_variation(),
    ]


def _table_1(table: Table1) -> Erratum:
    cell = table.cell(2, 1.0, "mrr", "l2")
    low = cell.joint - 4 * cell.joint_se
    return Erratum(
        "Table 1, MRR and k-SS",
        "errors of simulated reports",
        "errors of counts drawn independently, too small by up to 1/d",
        f"d = 2, ε = 1, MRR, in units of 10⁻⁵: printed {1e5 * cell.printed:.2f}, by that protocol "
        f"{1e5 * cell.marginal:.2f}, with real reports {1e5 * cell.joint:.2f} "
        f"± {1e5 * cell.joint_se:.2f}.",
        cell.printed < low and cell.marginal < low and abs(cell.z()) < 4,
    )


def _equal_mechanisms(table: Table1) -> Erratum:
    names = ("mrr", "kstar", "ksharp")
    rows = [row for row in table.rows if theory.information_optimal_k(*row) == 1]
    spread = {row: [table.cell(*row, name, "l2").printed for name in names] for row in rows}
    (d, epsilon), values = max(spread.items(), key=lambda item: max(item[1]) / min(item[1]))
    return Erratum(
        "Table 1, rows with k* = k# = 1",
        "one of MRR, k*-SS and k#-SS in bold, as the best",
        "the three are one mechanism there; their differences are noise",
        f"{len(rows)} rows; at d = {d}, ε = {epsilon:g}, in units of 10⁻⁵, the three are printed "
        f"as {', '.join(f'{1e5 * value:.2f}' for value in values)}.",
        all(theory.l2_optimal_k(*row) == 1 for row in rows),
    )


def _uniform_prior() -> Erratum:
    epsilon = 0.01
    two, three = (float(theory.information_bound(d, epsilon)) / epsilon**2 for d in (2, 3))
    limit = float(theory.universal_information_bound(epsilon)) / epsilon**2
    return Erratum(
        "Abstract, section 1",
        "the exact bound of the information between a person's data and its private view",
        "… of uniform data; for other priors, only the bound for any d holds",
        f"At ε = {epsilon}, d = 3: {three:.4f} ε² for a uniform X, and {two:.4f} ε² for the prior "
        "(½, ½, 0), by randomized response on the first two values.",
        three < two < limit,
    )


def _concavity() -> Erratum:
    from scipy.optimize import brentq

    limit = brentq(lambda epsilon: np.expm1(epsilon) - 2 * epsilon, 1, 2)
    d, k = 1000, np.arange(1, 1000)
    bends = {e: float(np.diff(theory.mutual_information(d, e, k), 2).max()) for e in (1.25, 1.27)}
    steps = np.sign(np.diff(theory.mutual_information(d, 5.0, k)))
    return Erratum(
        "Section 2.2",
        "I_k is concave in k",
        f"only up to ε = {limit:.4f}, where e^ε − 1 = 2ε; but it has a single peak for all ε, "
        "which is enough for the proof",
        f"d = {d}: the largest second difference is {1e9 * bends[1.25]:.1f} · 10⁻⁹ at "
        f"ε = 1.25 and {1e9 * bends[1.27]:.1f} · 10⁻⁹ at ε = 1.27; at ε = 5 the differences "
        "change sign once.",
        bends[1.25] < 0 < bends[1.27] and np.count_nonzero(np.diff(steps)) == 1,
    )


def _sizes(table: Table1) -> Erratum:
    zero = [
        (d, epsilon)
        for d, epsilon in table.rows
        if floor(theory.information_beta(d, epsilon)) == 0 or floor(d / (1 + exp(epsilon))) == 0
    ]
    d, epsilon = zero[-1]
    return Erratum(
        "Theorems 2.1 and 3.1, Algorithm 1",
        "k is the floor or ceiling of β, or of d/(1 + e^ε); k in [0, n], k in [1, d]",
        "… but at least 1 and at most d − 1: an empty report reveals nothing, nor does a full one, "
        "for which g − h = 0",
        f"A floor is 0 in {len(zero)} of the table's {len(table.rows)} rows: at d = {d}, "
        f"ε = {epsilon:g}, d/(1 + e^ε) = {d / (1 + exp(epsilon)):.2f}.",
        len(zero) > 0,
    )


def _derivative() -> Erratum:
    d, epsilon, k = 16, 1.0, 6.0
    E = exp(epsilon)

    def f(k: float) -> float:
        g = k * E / (k * E + d - k)
        h = (k - g) / (d - 1)
        return (g * (1 - g) + (d - 1) * h * (1 - h)) / (g - h) ** 2

    slope = (f(k + 1e-5) - f(k - 1e-5)) / 2e-5
    scale = (d - 1) ** 2 / (E - 1) ** 2 / k / (d - k)
    right = scale * (E**2 * k**2 - (d - k) ** 2) / k / (d - k)
    printed = scale * ((d - k) ** 2 - E**2 * k**2)
    return Erratum(
        "Appendix D",
        "f′(k) = (d−1)²((d−k)² − e^2ε k²) / ((e^ε−1)² (d−k) k)",
        "(d−1)²(e^2ε k² − (d−k)²) / (n (e^ε−1)² (d−k)² k²)",
        f"d = {d}, ε = {epsilon:g}, k = {k:g}, n = 1: the slope is {slope:.3f}, the corrected "
        f"formula gives {right:.3f}, the printed one {printed:.1f}.",
        isclose(slope, right, rel_tol=1e-6) and not isclose(slope, printed, rel_tol=0.1),
    )


def _hybrid_mechanisms() -> Erratum:
    d, k, n, C, E = 4, 2, 1, Fraction(2), Fraction(exp(1))
    weights = {z: C if 0 in z else Fraction(1) for z in combinations(range(d), k)}
    total = sum(weights.values())
    g = sum(weight for z, weight in weights.items() if 0 in z) / total
    h = (k - g) / (d - 1)
    error = sum(
        weight / total * sum((((j in z) - h) / (g - h) - (j == 0)) ** 2 for j in range(d))
        for z, weight in weights.items()
    )
    right = (g * (1 - g) + (d - 1) * h * (1 - h)) / (n * (g - h) ** 2)
    printed = (g * (1 - g) + d * h * (1 - h)) / (g - h) ** 2
    hit = k * C / (k * C + d - k), k * C / (k * E + d - k)
    return Erratum(
        "Appendix E",
        "g′ and h′ over k e^ε + d − k; error (g(1−g) + d h(1−h)) / (g−h)²",
        "over k C_k + d − k; error (g(1−g) + (d−1) h(1−h)) / (n (g−h)²)",
        f"All reports at d = {d}, k = {k}, C_k = 2, ε = 1: the hit rate is {float(g):.4f} "
        f"(corrected {float(hit[0]):.4f}, printed {float(hit[1]):.4f}); one person's error is "
        f"{float(error):.2f} (corrected {float(right):.2f}, printed {float(printed):.2f}).",
        g == hit[0] != hit[1] and error == right != printed,
    )


def _binary_bound() -> Erratum:
    d, epsilon = 3, 2.0
    mechanism = BinaryRR(d, epsilon)
    found = float(sum(mechanism.probability(report, 0) for report in (b"\x00", b"\x07")))
    root = exp(epsilon / 2)
    right, printed = ((root ** (d - 1) + root**sign) / (root + 1) ** d for sign in (1, -1))
    return Erratum(
        "Section 2.3.2, last bound on BRR",
        "1 − (e^{ε(d−1)/2} + e^{−ε/2}) / (e^{ε/2} + 1)^d",
        "1 − (e^{ε(d−1)/2} + e^{ε/2}) / (e^{ε/2} + 1)^d, which is tighter",
        f"d = {d}, ε = {epsilon:g}: no bit or every bit is set with probability {found:.5f} "
        f"(corrected {right:.5f}, printed {printed:.5f}).",
        isclose(found, right, rel_tol=1e-9) and not isclose(found, printed, rel_tol=0.1),
    )


def _exponential_mechanism() -> Erratum:
    mechanism = KSubset(4, 2.0, k=2)
    inside, outside = (mechanism.probability(b"\x03", value) for value in (0, 3))
    return Erratum(
        "Section 3.1, on the exponential mechanism",
        "Q(z|x) ∝ exp(u(z))",
        "Q(z|x) ∝ exp(ε u(z))",
        f"ε = 2: a report with the person's value is {float(inside / outside):.4f} = e^2 times as "
        f"likely as one without; the printed formula says {exp(1):.4f} whatever ε is.",
        isclose(inside / outside, exp(2), rel_tol=1e-9),
    )


def _first_logarithm() -> Erratum:
    d, E = 8, exp(1)
    own, other = E / (E + d - 1), 1 / (E + d - 1)
    found = own * log(d * own) + (d - 1) * other * log(d * other)
    right = (E * log(d * E / (E + d - 1)) + (d - 1) * log(d / (E + d - 1))) / (E + d - 1)
    return Erratum(
        "Section 2.3.1, I_1",
        "e^ε log(d e^ε / (e^ε + d − k)) + …",
        "e^ε log(d e^ε / (e^ε + d − 1)) + …; there is no k",
        f"d = {d}, ε = 1: by definition {found:.6f} nats, corrected {right:.6f}.",
        isclose(found, right) and isclose(found, theory.multivariate_mutual_information(d, 1.0)),
    )


def _number_of_patterns() -> Erratum:
    d, k = 5, 2
    patterns = sum(sum(column) == k for column in product((0, 1), repeat=d))
    return Erratum(
        "Section 2.2 and appendix A",
        "C(n, k) patterns with k entries e^ε",
        "C(d, k); n is the number of people",
        f"d = {d}: of the 2^{d} patterns, {patterns} have {k} such entries; "
        f"C({d}, {k}) = {comb(d, k)}.",
        patterns == comb(d, k),
    )


def _total_variation() -> Erratum:
    theta, other = np.array([0.6, 0.4]), np.array([0.5, 0.5])
    variation, squared = np.abs(theta - other).sum() / 2, np.square(theta - other).sum()
    return Erratum(
        "Theorem 3.1, appendix D",
        "total variation distance E‖θ̂ − θ‖₂²",
        "total variance; total variation is half the ℓ1 distance",
        f"Between (0.6, 0.4) and (0.5, 0.5) the one is {variation:.2g}, the other {squared:.2g}.",
        not isclose(variation, squared),
    )
