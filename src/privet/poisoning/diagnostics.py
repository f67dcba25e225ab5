"""Diagnostics: reports that no honest crowd sends, whatever its shares are.

Each test is of a quantity whose mean is exactly 0 for honest reports, whatever the people answered:

- *canaries*: a design has v points, and values are the first d. Nobody holds the others, so that
  their estimates must be 0 up to noise, whose covariance is known. Their length by its inverse is
  χ² with as many degrees of freedom as there are canaries.
- *blocks*: the expected counts of blocks depend on the shares through the values that blocks hold.
  What is left of the counts, once everything that shares could explain is projected out, is noise.
- *pairs*: of sets of k values, the counts of all pairs of values are expected to be a sum of a
  number for each value. What is left of them is noise again.

The last two measure the square of what is left by U = Σ_{i ≠ j} q(z_i, z_j) over all pairs of
reports. As E q(z, z') = 0 for either report by itself, E U = 0 and Var U = 2n(n − 1)·E q², exactly
so for any shares; these enter E q² alone, where estimates of them will do. Repeated reports make it
large. It is compared with a χ² of the same mean and variance, which holds once there are pairs
enough; below that, the test is left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import comb, sqrt
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..analysis.arrays import Floats, Integers
from ..analysis.incidence import Incidence, blocks_of
from ..analysis.refine.simplex import project_simplex
from ..analysis.sums.pairs import points_together
from ..analysis.tally import Tally
from ..device.mechanisms.subsets.design import Design
from ..device.mechanisms.subsets.k_subset import KSubset
from ..errors import InvalidArgument

__all__ = ["Finding", "check", "check_counts", "check_reports"]

# What takes about a second: so many blocks, or canaries with a transform of all blocks each.
_MOST_BLOCKS, _MOST_CANARIES, _MOST_WORK = 2**18, 1024, 2**22
# The fewest reports of a canary that are expected, or reports in all, and pairs of equal reports.
_FEWEST_REPORTS, _FEWEST_PAIRS = 20, 50
_PROBED = 2**13  # blocks, with several probes of few


class Finding(NamedTuple):
    """What a test of reports found."""

    test: Literal["canaries", "blocks", "pairs"]
    statistic: float  # χ², or about
    degrees: float  # its degrees of freedom
    p_value: float  # how likely honest reports are to be as far off


def check(tally: Tally) -> list[Finding]:
    """Return what the tests of a tally find: those of block designs, and none for others.

    >>> from privet import Survey
    >>> from privet.entropy import seeded
    >>> survey = Survey("?", [f"c{i}" for i in range(100)], 1.0, mechanism="projective")
    >>> tally = survey.tally()
    >>> tally.update(survey.randomize_batch(["c7"] * 5000, entropy=seeded(1)))
    >>> (honest,) = check(tally)
    >>> honest.test, honest.degrees, honest.p_value > 0.01
    ('canaries', 241, True)
    >>> tally.update([(3).to_bytes(2, "little")] * 200)  # one block, again and again
    >>> check(tally)[0].p_value < 1e-6
    True
    """
    mechanism = tally.survey.mechanism
    return check_counts(mechanism, *tally.aggregated()) if isinstance(mechanism, Design) else []


def check_counts(design: Design, n: int, counted: Integers) -> list[Finding]:
    """Return what the tests find in how often each block was reported, of at most 2^18 blocks."""
    if design.blocks > _MOST_BLOCKS:
        return []
    found = _canaries(design, n, counted), _blocks(design, n, counted)
    return [one for one in found if one is not None]


def check_reports(mechanism: KSubset, reports: Iterable[NDArray[np.uint8]]) -> list[Finding]:
    """Return what the test of pairs finds in reports of the k-subset mechanism, in chunks."""
    if not isinstance(mechanism, KSubset):
        raise InvalidArgument("check_reports", "mechanism", "a KSubset", mechanism)
    d = mechanism.d
    if not 2 <= mechanism.k <= d - 2 or d > _MOST_CANARIES:
        return []
    pairs, n = np.zeros((d, d)), 0
    for rows in reports:
        pairs += points_together(mechanism, rows)
        n += len(rows)
    found = _pairs(mechanism, n, pairs)
    return [] if found is None else [found]


# --- designs --------------------------------------------------------------------------------------


def _canaries(design: Design, n: int, counted: Integers) -> Finding | None:
    """Test whether the points that no value is are estimated to be 0."""
    d, v = design.d, design.points
    many = min(v - d, _MOST_CANARIES, _MOST_WORK // design.blocks)
    if many < 1 or n * design.h < max(_FEWEST_REPORTS, many):
        return None
    whole = blocks_of(type(design).from_parameters(v, design.epsilon, design.parameters))
    inside = np.rint([whole.forward(np.eye(1, v, d + i)[0]) for i in range(many)])
    excess = inside @ counted - n * design.h
    of_one = (inside * _chances(design, n, counted)) @ inside.T - design.h**2
    statistic = float(excess @ np.linalg.solve(of_one, excess)) / n
    return Finding("canaries", statistic, many, _upper_tail(statistic, many))


def _chances(design: Design, n: int, counted: Integers) -> Floats:
    """Return how likely each block is, from people with the shares that are estimated."""
    shares = project_simplex(design.frequencies(design.counts(counted), n))
    weights = 1 + (float(design.likelihood_ratio) - 1) * blocks_of(design).forward(shares)
    chances: Floats = weights / weights.sum()
    return chances


def _blocks(design: Design, n: int, counted: Integers) -> Finding | None:
    """Test whether blocks come more or less often than any shares could explain."""
    d, v, blocks = design.d, design.points, design.blocks
    if blocks == v or n * (n - 1) < 2 * _FEWEST_PAIRS * blocks:
        return None
    sets, often = blocks_of(design), design.holding
    apart = often * (v - design.k) / (v - 1)  # r − λ, in how many blocks one of two values lies
    together = often - apart - often * often / blocks

    def left(weights: Floats) -> Floats:
        """Project out a constant and what depends on the values that blocks hold."""
        centred = weights - weights.mean()
        held = sets.adjoint(centred)
        mean = held.mean() if d < v else 0.0  # of all points, the sum is constant
        total = d * mean / (apart + d * together) if d < v else 0.0
        fitted = sets.forward((held - together * total) / apart)
        rest: Floats = centred - fitted + fitted.mean()
        return rest

    chances = _chances(design, n, counted)
    own = _leverage(design, sets, apart, together)
    rest = left(counted.astype(np.float64))
    statistic = float(rest @ rest) - float(counted @ own)
    signs = np.random.default_rng(0).choice([-1.0, 1.0], (4 + _PROBED // blocks, blocks))
    # tr(QDQD), on average over signs, for the projection Q and D = diag(chances).
    square = np.mean([probe @ left(chances * left(chances * probe)) for probe in signs])
    return _compared("blocks", statistic, n, float(chances @ own), float(square))


def _leverage(design: Design, sets: Incidence, apart: float, together: float) -> Floats:
    """Return q(B, B) for every block B: what of a single report no shares explain."""
    d, v, blocks = design.d, design.points, design.blocks
    held = sets.forward(np.ones(d))
    mean = design.holding / blocks
    length = held * (1 - mean) ** 2 + (d - held) * mean**2
    total = held - d * mean
    inverse = 0.0 if d == v else together / (apart + d * together)
    return 1 - 1 / blocks - (length - inverse * total**2) / apart


# --- sets of k values -----------------------------------------------------------------------------


def _pairs(mechanism: KSubset, n: int, counted: Floats) -> Finding | None:
    """Test whether pairs of values come together as some shares could explain."""
    d, k = mechanism.d, mechanism.k
    if n < _FEWEST_REPORTS:
        return None
    rest = counted - np.diag(np.diag(counted))
    rows = rest.sum(axis=1)
    whole = rows.sum()
    each = (rows - whole / d) / (d - 2)
    rest -= each[:, None] + each[None, :] + whole / (d * (d - 1))
    np.fill_diagonal(rest, 0)
    own = _overlap(d, k, k)
    statistic = float((rest**2).sum()) / 2 - n * own
    shares = mechanism.frequencies(np.diag(counted).astype(np.int64), n)
    alike = float((shares**2 - mechanism.variance(np.clip(shares, 0, 1), n, "sample")).sum())
    square = _mean_square(mechanism, min(max(alike, 1 / d), 1.0))
    return _compared("pairs", statistic, n, own, square)


def _overlap(d: int, k: int, common: int) -> float:
    """Return q of two sets of k values with so many in common."""
    pairs = comb(common, 2)
    single = (k - 1) ** 2 * (common - k * k / d) / (d - 2)
    return pairs - single - comb(k, 2) ** 2 / comb(d, 2)


def _mean_square(mechanism: KSubset, alike: float) -> float:
    """Return E q² of two reports whose people have the same value with probability `alike`.

    A report is any set, or with probability `marked` any that holds the person's value.
    """
    d, k = mechanism.d, mechanism.k
    marked = float(1 - mechanism.points * (1 << mechanism.scale) / mechanism.total)
    squares = [_overlap(d, k, s) ** 2 for s in range(k + 1)]

    def over(values: int, first: int, second: int, more: int = 0) -> float:
        """Return the mean where so many others of some values are drawn twice, and more common."""
        ways = [comb(first, s) * comb(values - first, second - s) for s in range(first + 1)]
        total = comb(values, second)
        return sum(way * squares[s + more] for s, way in enumerate(ways) if way) / total

    any_two, same = over(d, k, k), over(d - 1, k - 1, k - 1, 1)
    inside = (k - 1) / (d - 1)
    # Of two different values: each set holds both of them, or one set does, or neither.
    other = (
        inside**2 * over(d - 2, k - 2, k - 2, 2)
        + 2 * inside * (1 - inside) * over(d - 2, k - 2, k - 1, 1)
        + (1 - inside) ** 2 * over(d - 2, k - 1, k - 1)
    )
    return (1 - marked**2) * any_two + marked**2 * (alike * same + (1 - alike) * other)


# --- what both have -------------------------------------------------------------------------------


def _compared(
    test: Literal["blocks", "pairs"], statistic: float, n: int, own: float, square: float
) -> Finding:
    """Return where a sum over pairs of reports lies among those of honest ones.

    With the means of q(z, z) and of q(z, z')², as many degrees of freedom have the same spread.
    """
    degrees = own**2 / square
    chi = degrees + sqrt(2 * degrees) * statistic / sqrt(2 * n * (n - 1) * square)
    return Finding(test, chi, degrees, _upper_tail(chi, degrees))


def _upper_tail(statistic: float, degrees: float) -> float:
    from scipy.special import chdtrc

    return float(chdtrc(degrees, max(statistic, 0.0)))
