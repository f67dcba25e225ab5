"""One option asked of each: which one is drawn at random and known to all, the answer is noisy.

A person chose at most m of d options. The report is an option i, each as likely, and whether the
person chose it, by binary randomized response:

    Q(i, yes | S) = (E if i is in S else 1) / (d(E + 1)),    Q(i, no | S) = 1/d − Q(i, yes | S),

where E = odds / 2^scale is the largest such rational at or below e^ε. It is a hashed answer whose
functions are the questions "is it i?", and has the number 2i, or 2i + 1 for yes.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from ..base import Problem
from ..choices import Choices
from ..numbered import Shape
from .hashed import Hashed


class OneOption(Hashed, Choices):
    r"""Report an option that is drawn at random and, most likely, whether the person chose it.

    A value is a sequence of different options. The error does not depend on how many of them a
    person may choose; where those are many and ε is small, no other way has less.

    Parameters
    ----------
    options : int in [2, 4096]
        The number of options.
    epsilon : float
        The privacy level: no report is more than e^ε times likelier under one set than another,
        however many options they have.
    most : int in [1, options]
        The largest number of options that one person may choose.

    >>> mechanism = OneOption(20, 1.0, most=10)
    >>> mechanism, mechanism.report_bytes
    (OneOption(d=20, epsilon=1.0, most=10), 1)
    >>> yes, no = (mechanism.probability(b"\x07", value) for value in ([3, 5], [5]))
    >>> yes / no == mechanism.likelihood_ratio
    True

    """

    name: ClassVar[str] = "one-option"
    _shape: ClassVar[tuple[str, ...]] = ("most",)

    def __init__(self, options: int, epsilon: float, most: int) -> None:
        self._choose(*self._check_domain(options, epsilon), (most,))

    @classmethod
    def _problem(cls, d: int, shape: Shape) -> Problem | None:
        return cls._choices_problem(d, *shape)

    @property
    def functions(self) -> int:
        """One for every option."""
        return self.d

    def bucket(self, function: int, value: Sequence[int]) -> int:  # type: ignore[override]
        """Return 1 if the person chose the option, with as much work if not."""
        return sum([option == function for option in value])

    @cached_property
    def hit_rates(self) -> tuple[Fraction, Fraction]:
        """Exactly how likely an answer is yes, of someone who chose the option and who did not."""
        return self.response_rates

    def share_variance(self, theta: float) -> float:
        """Return n times the variance of an option's share that is theta among n given people.

        It is d·pq/(p − q)² + (d − 1)·θ(1 − θ), because n/d people are asked about each option.
        """
        p, q = self.response_rates
        noise = float(p * q / (p - q) ** 2)
        return self.d * noise + (self.d - 1) * theta * (1 - theta)

    @property
    def server_steps(self) -> tuple[float, float]:
        """A report is counted by its number."""
        return 1.0, self.d

    def members(self, report: bytes) -> list[int]:
        """Return the option that a report says yes to, if it does."""
        self._check_report(report)
        option, yes = divmod(int.from_bytes(report, "little"), 2)
        return [option] if yes else []
