"""Plans: how accurate a survey would be, of one kind of estimate each."""

from __future__ import annotations

from dataclasses import dataclass

from ..analysis.estimate import Estimate
from ..device.answers.base import Answers
from ..device.answers.scale import Scale
from ..device.mechanisms.base import Mechanism
from ..device.mechanisms.scales.interval import Interval

__all__ = ["Plan", "ScalePlan", "SurveyPlan"]


@dataclass(frozen=True)
class SurveyPlan:
    """What the plans of all kinds of answers have.

    Attributes
    ----------
    answers : int or Answers
        What people answer; a number is that of the categories, of which they choose one.
    epsilon : float
        The privacy level of one report.
    n : int
        The number of people.
    level : float
        The confidence level of the intervals.
    mechanism : Mechanism
        The mechanism such a survey uses.
    margin : float
        What the survey is planned for: how far an interval reaches.

    """

    answers: int | Answers
    epsilon: float
    n: int
    level: float
    mechanism: Mechanism
    margin: float

    @property
    def report_bytes(self) -> int:
        """The size of a report."""
        return self.mechanism.report_bytes


@dataclass(frozen=True)
class Plan(SurveyPlan):
    """How accurate a survey of shares would be: of one choice, say, or of several.

    Attributes
    ----------
    answers : int or Answers
        The number of categories, or the options.
    epsilon : float
        The privacy level of one report.
    n : int
        The number of people.
    level : float
        The confidence level of the intervals.
    mechanism : Mechanism
        The mechanism such a survey uses.
    margin : float
        How far the interval of a rare category will reach beyond its estimate, on average: its
        upper end, for a category that nobody holds.
    common_margin : float
        Half the width of the interval of a category that half of the crowd holds, on average.
    detectable : float or None
        The smallest share whose count reaches, nineteen times out of twenty, a threshold that any
        of d categories nobody holds reaches at most one time in twenty; exactly, by binomial tails.
        None where not even a category that everybody holds would reach it, and for mechanisms of
        several choices that are not symmetric.
    squared_error : float
        The expected squared ℓ2 error of all frequencies, for these people: if all categories have
        the same share, or if people chose half as many options as they may.

    """

    answers: int | Answers[Estimate]
    common_margin: float
    detectable: float | None
    squared_error: float

    @property
    def d(self) -> int:
        """The number of categories or options."""
        return self.mechanism.d


@dataclass(frozen=True)
class ScalePlan(SurveyPlan):
    """How accurate a survey of numbers would be, if they were spread evenly over the scale.

    Where ε or n is so small that intervals reach beyond the ends of what is possible, they are cut
    off there and are shorter than planned.

    Attributes
    ----------
    answers : Scale
        The scale.
    epsilon : float
        The privacy level of one report.
    n : int
        The number of people.
    level : float
        The confidence level of the intervals.
    mechanism : Interval
        The mechanism such a survey uses.
    margin : float
        Half the width of the interval of the mean, in the scale's units.
    share_margin : float
        Half the width of the interval of the share of numbers in the lower half of the scale; the
        middle one of an odd number of cells counts with the upper half.

    """

    answers: Scale
    mechanism: Interval
    share_margin: float
