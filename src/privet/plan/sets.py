"""Mechanisms for several choices side by side.

Which has the least error depends on how many options there are, on how many of them one may
choose, and on ε: asking about one option where one may choose many and ε is small, listing all sets
where they are few and ε is large, and in between the k-subset mechanism for sets.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..device.mechanisms.base import Mechanism
from ..device.mechanisms.choosing import compared_for_sets

__all__ = ["SetComparison", "compare_for_sets"]


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
