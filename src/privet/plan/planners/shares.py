"""Shares: of categories, of which people choose one, or of anything else that answers may be."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ...analysis.estimate import Estimate
from ...analysis.presence import detectable_share
from ...device.answers.base import Answers
from ...device.answers.choice import Choice
from ...device.mechanisms.base import Mechanism
from ...device.mechanisms.choosing import choose
from ...device.mechanisms.subsets.k_subset import KSubset
from ...device.mechanisms.symmetric import Symmetric
from ...errors import InvalidArgument
from ..comparison import compare
from ..margins import common_margin, rare_margin, rated
from ..plans import Plan
from .base import PERCENT, Alternative, Draft, Planner

__all__ = ["CATEGORIES", "DETECTABLE", "AnswersPlanner", "CountPlanner", "SharePlanner"]

DETECTABLE = "smallest share distinguishable from zero"


class SharePlanner(Planner[Plan]):
    """Plans for shares, all of them alike if nothing else is known."""

    # What the two margins are of.
    rare: ClassVar[str] = "a rare category"
    common: ClassVar[str] = "a category chosen by half"

    def __init__(self, answers: int | Answers[Estimate], described: str) -> None:
        self.answers, self.described = answers, described
        self.label = f"for {self.rare}, ± %"

    @abstractmethod
    def best(self, epsilon: float) -> Mechanism:
        """Return the mechanism of the least error, however long its reports are."""

    def usual(self, d: int) -> float:
        """Return the share of each of d categories if all are alike."""
        return 1 / d

    def check(self, margin: float) -> None:
        """Raise InvalidArgument unless the margin is a share."""
        if not (isinstance(margin, float) and 0 < margin < 1):
            raise InvalidArgument("plan", "margin", "a float in (0, 1)", margin)

    def reach(self, mechanism: Mechanism, n: int, alpha: float) -> float:
        """Return the margin of a rare category."""
        return rare_margin(rated(mechanism), n, alpha)

    def plan(self, mechanism: Mechanism, n: int, level: float) -> Plan:
        """Return how accurate the shares of n people's answers would be."""
        alpha, d, rates = 1 - level, mechanism.d, rated(mechanism)
        usual = np.array([self.usual(d)])
        return Plan(
            self.answers,
            mechanism.epsilon,
            n,
            level,
            mechanism,
            rare_margin(rates, n, alpha),
            common_margin(rates, n, alpha),
            detectable_share(mechanism, n),
            d * float(mechanism.variance(usual, n, "sample")[0]),
        )

    def lines(self, plan: Plan) -> dict[str, str]:
        """Return both margins, and the least share that is detected if that is known."""
        margin, share = f"{100 * plan.level:g} % margin", plan.detectable
        lines = {
            f"{margin}, {self.rare}": PERCENT.reach(plan.margin),
            f"{margin}, {self.common}": PERCENT.reach(plan.common_margin),
        }
        if isinstance(plan.mechanism, Symmetric):
            lines[DETECTABLE] = "none" if share is None else f"{100 * share:.3g} %"
        return lines


class CountPlanner(SharePlanner):
    """One choice among a number of categories, whose names do not matter."""

    def __init__(self, d: int) -> None:
        super().__init__(d, f"{d:,} categories")
        self.fields = {"d": d}
        self._d = d

    def choose(self, epsilon: float) -> Mechanism:
        """Return the mechanism with the least error, and of those the shortest report."""
        return choose(self._d, epsilon)

    def best(self, epsilon: float) -> Mechanism:
        """Return the k-subset mechanism."""
        return KSubset(self._d, epsilon)

    def compared(self, plan: Plan) -> Sequence[Alternative]:
        """Return all mechanisms of one value a person."""
        return compare(self._d, plan.epsilon, plan.n)


class AnswersPlanner(SharePlanner):
    """Answers of any kind of which shares are estimated."""

    def __init__(self, answers: Answers[Estimate]) -> None:
        super().__init__(answers, answers.described())
        self._answers = answers
        self.fields = {"answers": self.described}

    def choose(self, epsilon: float) -> Mechanism:
        """Return the mechanism that the answers choose."""
        return self._answers.choose(epsilon)

    def best(self, epsilon: float) -> Mechanism:
        """Return the k-subset mechanism if it fits, or else the one that the answers choose."""
        fits = KSubset.name in self._answers.fitting()
        return self._answers.made(KSubset, epsilon) if fits else self.choose(epsilon)

    def compared(self, plan: Plan) -> Sequence[Alternative]:
        """Return those mechanisms of one value a person that fit."""
        fitting = {*self._answers.fitting()}
        rows = compare(self._answers.size, plan.epsilon, plan.n)
        return [row for row in rows if row.mechanism.name in fitting]


def _read(fields: dict[str, Any]) -> Choice:
    return Choice(fields["categories"])


CATEGORIES = Draft("categories", frozenset({"mechanism"}), _read)
