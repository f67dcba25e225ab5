"""Pictures of made-up answers, one class a kind: they show how far intervals would reach.

`made_up_of` finds the class by the kind of answers. Kinds that are not registered are drawn as one
choice is, by the shares that are estimated of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import singledispatch
from typing import Any, ClassVar, Literal

import numpy as np

from ..analysis.estimate import Estimate
from ..analysis.ramps import regression_of
from ..analysis.scale_estimate import ScaleEstimate
from ..device.answers.base import Answers
from ..device.answers.scale import Scale
from ..device.answers.several import Several
from ..device.mechanisms.scales.interval import Interval
from ..device.survey import Survey
from ..plan.margins import expected_interval, rated
from ..plan.planning import plan_with
from .estimates import LEVEL, described
from .messages import Planned

__all__ = ["MadeUp", "made_up_of"]

# Of a picture: the most bars and cells, and how much rarer each answer is than the one before.
_BARS, _CELLS, _RARER = 8, 64, 0.72


class MadeUp(ABC):
    """Made-up answers to a question, and what people would tell of it."""

    @abstractmethod
    def alone(self, n: int) -> Planned:
        """Return what n people tell who are asked nothing else."""

    @abstractmethod
    def among(self, n: int, people: float, margin: float) -> Planned:
        """Return what those of n people tell who are asked it among other questions."""


class MadeUpShares(MadeUp):
    """Shares that fall from answer to answer, as a distribution does."""

    of: ClassVar[Literal["share", "option"]] = "share"

    def __init__(self, answers: Answers[Estimate], survey: Survey) -> None:
        self._answers, self._survey = answers, survey
        bars = min(answers.size, _BARS)
        self._shares = [self.first(answers.size) * _RARER**i for i in range(bars)]

    def first(self, d: int) -> float:
        """Return the largest of d shares."""
        return (1 - _RARER) / (1 - _RARER**d)

    def alone(self, n: int) -> Planned:
        """Return the plan of the survey, and the intervals to expect."""
        mechanism = self._survey.mechanism
        plan, rates = plan_with(self._answers, mechanism, n, LEVEL), rated(mechanism)
        ends = [expected_interval(rates, one, n, 1 - LEVEL) for one in self._shares]
        picture = self._bars(n, ends)
        return self._planned(n, plan.common_margin, plan.detectable, picture)

    def among(self, n: int, people: float, margin: float) -> Planned:
        """Return intervals that all reach as far."""
        ends = [(max(one - margin, 0.0), min(one + margin, 1.0)) for one in self._shares]
        return self._planned(people, margin, None, self._bars(n, ends))

    def _planned(
        self, people: float, margin: float, detectable: float | None, picture: dict[str, Any]
    ) -> Planned:
        return Planned([self._survey.id], self.of, people, margin, detectable, picture)

    def _bars(self, n: int, ends: list[tuple[float, float]]) -> dict[str, Any]:
        """Return a picture as an estimate describes it."""
        low, high = (list(side) for side in zip(*ends, strict=True))
        return {
            "kind": self._answers.kind,
            "n": n,
            "categories": list(self._answers.names[: len(ends)]),
            "frequencies": self._shares,
            "low": low,
            "high": high,
            "found": [end > 0 for end in low],
        }


class MadeUpSets(MadeUpShares):
    """Shares of options, which are no distribution."""

    of: ClassVar[Literal["share", "option"]] = "option"

    def first(self, d: int) -> float:
        """Return the share of the option that most people choose."""
        return 0.6


class MadeUpNumbers(MadeUp):
    """Numbers that lie about the middle of their scale."""

    def __init__(self, scale: Scale, survey: Survey) -> None:
        self._scale, self._survey = scale, survey

    def alone(self, n: int) -> Planned:
        """Return the margin of the mean, and a picture."""
        margin = plan_with(self._scale, self._survey.mechanism, n, LEVEL).margin
        return self.among(n, n, margin)

    def among(self, n: int, people: float, margin: float) -> Planned:
        """Return the margin of the mean, and a picture if anyone is asked."""
        picture = self._curve(round(people)) if people >= 1 else None
        return Planned([self._survey.id], "mean", people, margin, None, picture)

    def _curve(self, people: int) -> dict[str, Any]:
        """Return the estimate of reports that are spread as one expects."""
        scale, epsilon = self._scale, self._survey.epsilon
        cells = min(scale.cells, _CELLS)
        shape = Scale(scale.low, scale.high, cells, scale.unit, bands=scale.bands)
        windows = Interval(shape.cells, epsilon)
        bell = np.exp(-(np.linspace(-3, 2.5, shape.cells) ** 2))
        chances = regression_of(windows).chances @ (bell / bell.sum())
        below = np.rint(people * np.minimum(np.cumsum(chances), 1)).astype(np.int64)
        below[-1] = people
        question, id = self._survey.question, self._survey.id
        coarse = Survey(question, shape, epsilon, mechanism=windows, id=id)
        return described(ScaleEstimate(coarse, people, np.diff(below, prepend=0)))


@singledispatch
def made_up_of(answers: Answers[Any], survey: Survey) -> MadeUp:
    """Return made-up answers to a survey whose answers these are."""
    return MadeUpShares(answers, survey)


made_up_of.register(Several, MadeUpSets)
made_up_of.register(Scale, MadeUpNumbers)
