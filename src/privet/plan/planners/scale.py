"""Numbers on a scale: the margin is that of their mean, if they are spread evenly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ...device.answers.scale import Scale
from ...device.mechanisms.base import Mechanism
from ...device.mechanisms.scales.interval import Interval
from ...errors import InvalidArgument, InvalidSurvey
from ...errors.arguments import is_finite
from ..margins import mean_margin, share_margin
from ..plans import ScalePlan
from .base import PERCENT, Draft, Planner, Unit

__all__ = ["SCALE", "ScalePlanner"]


class ScalePlanner(Planner[ScalePlan]):
    """Plans for numbers, with the windows that either aim takes."""

    worth: ClassVar[str] = ", at the end of the scale"

    def __init__(self, scale: Scale) -> None:
        self.described = scale.described()
        self.fields = {"answers": self.described}
        self.label = f"of the mean, ± {scale.unit}".rstrip()
        self.unit = Unit(1, scale.unit, 3)
        self.half = (scale.high - scale.low) / 2
        self._scale = scale

    def check(self, margin: float) -> None:
        """Raise InvalidArgument unless the margin is less than half of the scale."""
        if not is_finite(margin) or not 0 < margin < self.half:
            rule = f"a number in (0, {self.half:g}), in the scale's units"
            raise InvalidArgument("plan", "margin", rule, margin)

    def choose(self, epsilon: float) -> Mechanism:
        """Return the mechanism of ordered cells, with the window that the aim asks for."""
        return self._scale.choose(epsilon)

    def reach(self, mechanism: Mechanism, n: int, alpha: float) -> float:
        """Return the margin of the mean."""
        return mean_margin(self._scale, self._windows(mechanism), n, alpha)

    def plan(self, mechanism: Mechanism, n: int, level: float) -> ScalePlan:
        """Return how accurate the mean and the share of the lower half would be."""
        scale, windows, alpha = self._scale, self._windows(mechanism), 1 - level
        mean = mean_margin(scale, windows, n, alpha)
        share = share_margin(scale, windows, n, alpha)
        return ScalePlan(scale, windows.epsilon, n, level, windows, mean, share)

    def lines(self, plan: ScalePlan) -> dict[str, str]:
        """Return both margins."""
        margin = f"{100 * plan.level:g} % margin"
        return {
            f"{margin}, the mean": self.unit.reach(plan.margin),
            f"{margin}, the share of the lower half": PERCENT.reach(plan.share_margin),
        }

    def compared(self, plan: ScalePlan) -> Sequence[ScalePlan]:
        """Return the plans of both aims, each with the window that it takes."""
        scale = self._scale
        shape = scale.low, scale.high, scale.cells, scale.unit
        aims = (Scale(*shape, "shape", scale.whole), Scale(*shape, "mean", scale.whole))
        planners = map(ScalePlanner, aims)
        return [one.plan(one.choose(plan.epsilon), plan.n, plan.level) for one in planners]

    def shape(self, mechanism: Mechanism) -> dict[str, int]:
        """Return the window."""
        return {"window": self._windows(mechanism).window}

    def _windows(self, mechanism: Mechanism) -> Interval:
        """Return a mechanism that is one of windows on this scale, or raise InvalidArgument."""
        if not isinstance(mechanism, Interval) or mechanism.d != self._scale.cells:
            rule = f"one of windows of {self._scale.cells:,} cells"
            raise InvalidArgument("plan", "mechanism", rule, mechanism)
        return mechanism


def _read(fields: dict[str, Any]) -> Scale:
    ends = fields.pop("scale")
    if not isinstance(ends, list):
        raise InvalidSurvey(f"scale is an array. Got {ends!r:.60}.")
    if len(ends) != 2:
        raise InvalidSurvey(f"a scale is [low, high]. Got {ends!r:.60}.")
    return Scale(*ends, **fields)


SCALE = Draft("scale", frozenset({"cells", "unit", "aim", "whole", "bands"}), _read)
