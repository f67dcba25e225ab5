"""Mechanisms side by side: their error, their reports, and the cost of counting.

Mechanisms for several choices side by side.

Which has the least error depends on how many options there are, on how many of them one may
choose, and on ε: asking about one option where one may choose many and ε is small, listing all sets
where they are few and ε is large, and in between the k-subset mechanism for sets.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..device.mechanisms.base import Mechanism
from ..device.mechanisms.choosing import available, compared_for_sets, squared_error
from ..device.mechanisms.registry import for_one
from ..device.mechanisms.subsets.k_subset import KSubset
from ..device.mechanisms.symmetric import Shrinkable
from ..errors.arguments import whole

__all__ = ["Comparison", "SetComparison", "compare", "compare_for_sets"]


@dataclass(frozen=True)
class Comparison:
    """The costs of one mechanism, for n people among whom every value has the same share.

    `squared_error` is the expected squared ℓ2 error of the unbiased frequencies of these people,
    and `relative_error` is its ratio to the optimum, that of the k-subset mechanism. `random_bytes`
    is enough for nearly every report. Steps are roughly those of a processor: `counting_steps` for
    each report, `decoding_steps` once at the end.
    """

    mechanism: Mechanism
    squared_error: float
    relative_error: float
    report_bytes: int
    random_bytes: int
    counting_steps: float
    decoding_steps: float


def compare(d: int, epsilon: float, n: int) -> list[Comparison]:
    """Return every mechanism that is available for d values and ε, the least error first.

    >>> best = compare(100, 1.0, 10_000)[0]
    >>> best.mechanism.name, round(best.squared_error, 6)
    ('k-subset', 0.035995)
    """
    n = whole("compare", "n", n, 1)
    optimum = _error(KSubset(d, epsilon))
    made = [available(kind, d, epsilon) for kind in for_one.values()]
    compared = [_compare(mechanism, n, optimum) for mechanism in made if mechanism is not None]
    return sorted(compared, key=lambda c: (c.squared_error, c.report_bytes))


def _compare(mechanism: Mechanism, n: int, optimum: float) -> Comparison:
    error = _error(mechanism)
    return Comparison(
        mechanism,
        error / n,
        error / optimum,
        mechanism.report_bytes,
        mechanism.stream_bytes,
        *mechanism.server_steps,
    )


def _error(mechanism: Mechanism) -> float:
    if isinstance(mechanism, Shrinkable):
        return squared_error(mechanism)
    flat = np.full(mechanism.d, 1 / mechanism.d)
    return float(mechanism.variance(flat, 1, "sample").mean()) * mechanism.d


@dataclass(frozen=True)
class SetComparison:
    """The costs of one mechanism for several choices.

    `deviation` is √n times the standard deviation of an option's estimated share, for n people who
    chose half as many options as they may: each option has the share most / (2 · options).
    """

    mechanism: Mechanism
    deviation: float
    report_bytes: int


def compare_for_sets(options: int, epsilon: float, most: int) -> list[SetComparison]:
    """Return every mechanism for at most `most` of the options, the least error first.

    >>> for row in compare_for_sets(20, 1.0, most=5):
    ...     print(f"{row.mechanism.name:12} {row.deviation:.2f} {row.report_bytes}")
    set-subset   3.63 1
    one-option   4.53 1
    """
    rows = compared_for_sets("compare_for_sets", options, epsilon, most)
    return [SetComparison(one, deviation, one.report_bytes) for one, deviation in rows]
