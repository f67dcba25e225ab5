"""What the paper says about its Table 1 (section 5), checked against the numbers.

- "k-subset mechanism outperforms BRR and MRR for arbitrary domain size d and privacy level ε";
- in the intermediate region, "log 2 ≤ ε ≤ log(d − 1) or 1 < k# ≤ d/3 in the table", there is
  "averagely about 20% l2-error reduction and 10% l1-error reduction".
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt

import numpy as np

from .. import theory
from .protocol import NORMS
from .table1 import Table1

RIVALS = ("brr", "mrr")


@dataclass(frozen=True)
class Reduction:
    """How much less error k#-subset makes than the better of BRR and MRR, averaged over a region.

    Fractions of 1: as printed, by the paper's protocol, and with real reports.
    """

    region: str
    rows: int
    norm: str
    printed: float
    marginal: float
    joint: float


@dataclass(frozen=True)
class Loss:
    """A row where a k-subset mechanism makes more error than a rival, with real reports.

    `excess` is how much more, as a fraction of 1; `z` is the same in standard errors.
    """

    d: int
    epsilon: float
    mechanism: str
    norm: str
    rival: str
    excess: float
    z: float


def reductions(table: Table1) -> list[Reduction]:
    """Return the mean reduction in both of the paper's intermediate regions, for both norms."""
    regions = {
        "log 2 ≤ ε ≤ log(d − 1)": [r for r in table.rows if log(2) <= r[1] <= log(r[0] - 1)],
        "1 < k# ≤ d/3": [r for r in table.rows if 1 < theory.l2_optimal_k(*r) <= r[0] / 3],
    }
    return [
        Reduction(
            region,
            len(rows),
            norm,
            *(_mean_reduction(table, rows, norm, at) for at in ("printed", "marginal", "joint")),
        )
        for region, rows in regions.items()
        for norm in NORMS
    ]


def losses(table: Table1, mechanism: str, limit: float = 4) -> list[Loss]:
    """Return where a mechanism loses to BRR or MRR by more than `limit` standard errors."""
    found = []
    for d, epsilon in table.rows:
        for norm in NORMS:
            own = table.cell(d, epsilon, mechanism, norm)
            for rival in RIVALS:
                other = table.cell(d, epsilon, rival, norm)
                noise = sqrt(own.joint_se**2 + other.joint_se**2)
                z = (own.joint - other.joint) / noise
                if z > limit:
                    excess = own.joint / other.joint - 1
                    found.append(Loss(d, epsilon, mechanism, norm, rival, excess, z))
    return found


def _mean_reduction(table: Table1, rows: list[tuple[int, float]], norm: str, column: str) -> float:
    own, *rivals = (
        np.array([getattr(table.cell(*row, mechanism, norm), column) for row in rows])
        for mechanism in ("ksharp", *RIVALS)
    )
    return float(np.mean(1 - own / np.minimum(*rivals)))
