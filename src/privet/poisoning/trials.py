"""Trials: a simulated crowd with liars in it, what they gain, and whether they are seen."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..analysis.incidence import blocks_of
from ..device.entropy import Entropy
from ..device.mechanisms.base import Mechanism
from ..device.mechanisms.subsets.design import Design
from ..device.mechanisms.subsets.k_subset import KSubset
from ..errors import InvalidArgument
from .diagnostics import Finding, check_counts, check_reports
from .gains import gain

Lie = Literal["same", "random"]

__all__ = ["Trial", "trial"]


class Trial(NamedTuple):
    """What liars did to a crowd, on average over several crowds."""

    expected: float  # what the theory says of the worst reports
    gain: float  # by how much the estimated total share of the targets was too large
    standard_error: float
    findings: list[list[Finding]]  # of each crowd


def trial(
    mechanism: Mechanism,
    targets: Sequence[int],
    theta: NDArray[np.float64],
    n: int,
    liars: int,
    *,
    lie: Lie = "same",
    repeats: int = 20,
    seed: int = 0,
) -> Trial:
    """Let liars send the worst report among n honest people, and see what they gain.

    All send the "same" report, or each draws a "random" one that holds the first target; for sets
    of k values and block designs.
    """
    if not isinstance(mechanism, KSubset | Design):
        rule = "one of sets of k values, or a block design"
        raise InvalidArgument("trial", "mechanism", rule, mechanism)
    rng = np.random.default_rng(seed)
    truth = float(theta[list(targets)].sum())
    gains, findings = [], []
    for _ in range(repeats):
        entropy = Entropy(rng.bytes(32))
        honest = mechanism.randomize(rng.choice(mechanism.d, size=n, p=theta), entropy=entropy)
        false = _false(mechanism, targets, liars, lie, rng)
        reports = np.concatenate((honest, false))
        together, aggregate = mechanism.aggregate(reports)
        shares = mechanism.frequencies(mechanism.counts(aggregate), together)
        gains.append(float(shares[list(targets)].sum()) - truth)
        findings.append(
            check_reports(mechanism, [reports])
            if isinstance(mechanism, KSubset)
            else check_counts(mechanism, together, aggregate)
        )
    expected = gain(mechanism, targets, liars / (n + liars), truth)
    error = float(np.std(gains, ddof=1)) / sqrt(repeats) if repeats > 1 else float("inf")
    return Trial(expected, float(np.mean(gains)), error, findings)


def _false(
    mechanism: KSubset | Design, targets: Sequence[int], liars: int, lie: Lie, rng: Any
) -> NDArray[np.uint8]:
    """Return the reports of liars."""
    if lie == "random":
        return _holding(mechanism, targets[0], liars, rng)
    if isinstance(mechanism, Design):
        marked = np.zeros(mechanism.d)
        marked[list(targets)] = 1
        best = int(np.argmax(np.rint(blocks_of(mechanism).forward(marked))))
        report = best.to_bytes(mechanism.report_bytes, "little")
    else:
        others = rng.permutation(np.setdiff1d(np.arange(mechanism.d), targets))
        report = mechanism.packed([int(x) for x in (*targets, *others)][: mechanism.k])
    return np.tile(np.frombuffer(report, np.uint8), (liars, 1))


def _holding(mechanism: KSubset | Design, target: int, count: int, rng: Any) -> NDArray[np.uint8]:
    """Draw reports evenly from all that hold a value: honest ones of it that hold it are."""
    held: list[NDArray[np.uint8]] = []
    while (have := sum(map(len, held))) < count:
        entropy = Entropy(rng.bytes(32))
        drawn = mechanism.randomize(np.full(2 * count + 16, target), entropy=entropy)
        held.append(drawn[[target in mechanism.members(row.tobytes()) for row in drawn]])
    return np.concatenate(held)[:count] if have else np.empty((0, mechanism.report_bytes), np.uint8)
