"""Changes of numbers on a scale: of their mean, of quantiles, and of the shares of bands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from ...device.answers.scale import Scale
from ...errors import InvalidArgument, NoReports, SurveyMismatch
from ...errors.arguments import alpha_of, whole
from ..arrays import Floats
from ..figures import QUANTILES, known_figures, quantile_name, quantile_of
from ..shown import Shown
from ..tallied import Tallied
from .changes import Changes
from .independent import Change, Known, Uncertain

if TYPE_CHECKING:
    from ..scale_estimate import ScaleEstimate

__all__ = ["ScaleChanges", "scale_changes"]

_SIDES = "before", "after"


class ScaleChanges:
    """How much what people say on a scale differs from what others said, or from what is known.

    Every difference is a `Change`, with `value`, `standard_error`, `interval(level)` and `p_value`.
    `figures` returns those that tables show, and `table` the same with intervals that allow for
    their number.
    """

    def __init__(self, before: ScaleEstimate | Mapping[str, float], after: ScaleEstimate) -> None:
        self.after = after
        self._before: ScaleEstimate | None = None
        self._known: dict[str, float] = {}
        if isinstance(before, Mapping):
            self._known = known_figures(before, after.scale)
        else:
            self._before = before

    def mean(self) -> Change:
        """Return by how much the mean is larger."""
        then = None if self._before is None else self._before.mean()
        return self._numbers("mean", self.after.mean(), then)

    def quantile(self, q: float) -> Change:
        """Return by how much the number that a share q of the numbers is below is larger."""
        then = None if self._before is None else self._before.quantile(q)
        return self._numbers(quantile_name(q), self.after.quantile(q), then)

    def median(self) -> Change:
        """Return by how much the median is larger."""
        return self.quantile(0.5)

    def share(self, low: float, high: float) -> Change:
        """Return by how much the share of numbers between two numbers is larger."""
        if self._before is None:
            rule = "an estimate: known shares are compared band by band"
            raise InvalidArgument("ScaleChanges.share", "before", rule, self._known)
        return Change(self._before.share(low, high), self.after.share(low, high))

    def bands(self) -> list[tuple[str, Change]]:
        """Return by how much the shares of the scale's bands are larger, with their names.

        If shares are known, only those of known bands.
        """
        now = self.after.bands()
        if self._before is None:
            known = self._known
            return [(name, Change(Known(known[name]), one)) for name, one in now if name in known]
        then = dict(self._before.bands())
        return [(name, Change(then[name], one)) for name, one in now]

    def figures(self, quantiles: Sequence[float] | None = None) -> dict[str, Change]:
        """Return the changes of the mean, of quantiles and of bands, by what they are called.

        By default, quantiles are those of an estimate's own table, or those that are known.
        """
        numbers: dict[str, Change] = {}
        if self._before is not None or "mean" in self._known:
            numbers["mean"] = self.mean()
        for q in self._quantiles if quantiles is None else quantiles:
            numbers[quantile_name(q)] = self.quantile(q)
        return numbers | {f"share of {name}": one for name, one in self.bands()}

    def table(
        self,
        level: float = 0.95,
        *,
        quantiles: Sequence[float] | None = None,
        times: int = 1,
    ) -> Changes:
        """Return all figures, with intervals and p-values that allow for their number.

        Those of the mean hold by themselves, because whether the mean changed is one question.
        Those of all other figures hold together (Bonferroni). `times` is the number of comparisons
        with the same people, for which both allow.
        """
        alpha = alpha_of("ScaleChanges.table", level) / whole(
            "ScaleChanges.table", "times", times, 1
        )
        rows = self.figures(quantiles)
        others = len([name for name in rows if name != "mean"])
        tests = {name: 1 if name == "mean" else others for name in rows}
        ends = [one.interval(1 - alpha / tests[name]) for name, one in rows.items()]
        before, after = ([getattr(one, side).value for one in rows.values()] for side in _SIDES)
        low, high = zip(*ends, strict=True)

        def p_values() -> Floats:
            return np.array([one.adjusted(times * tests[name]) for name, one in rows.items()])

        was, now, lows, highs = map(np.array, (before, after, low, high))
        return Changes(tuple(rows), was, now, lows, highs, level, p_values)

    @property
    def _quantiles(self) -> list[float]:
        if self._before is not None:
            return [*QUANTILES]
        named = (quantile_of(name) for name in self._known)
        return sorted(q for q in named if q is not None)

    def _numbers(self, name: str, now: Uncertain, then: Uncertain | None) -> Change:
        if then is None:
            if name not in self._known:
                raise InvalidArgument(
                    "ScaleChanges", "before", f"numbers with {name!r}", self._known
                )
            then = Known(self._known[name])
        scale = self.after.scale
        return Change(then, now, scale.high - scale.low)


def scale_changes(
    before: ScaleEstimate | Tallied | Mapping[str, float], after: ScaleEstimate | Tallied
) -> ScaleChanges:
    """Return how much what people say on a scale differs from an earlier survey, or what is known.

    The surveys must have asked different people, drawn independently; ε and the number of cells may
    differ. Known are numbers by the names that figures have in tables: "mean", "median",
    "10 % are below", and the shares of bands by their names.

    >>> from privet import Scale, Survey
    >>> survey = Survey("How old are you?", Scale(0, 120, unit="years", bands=[18, 65]), 4.0)
    >>> tally = survey.tally()
    >>> tally.update(survey.randomize_batch([35] * 1000))
    >>> found = scale_changes({"mean": 55, "18 to 65": 0.6}, tally)
    >>> found.mean().p_value < 0.01, [*found.figures()]
    (True, ['mean', 'share of 18 to 65'])
    """
    now = _estimate("after", after)
    if isinstance(before, Mapping):
        return ScaleChanges(before, now)
    then = _estimate("before", before)
    if then is now:
        raise InvalidArgument("change", "before", "another estimate", then.survey.id)
    _check_alike(then, now)
    return ScaleChanges(then, now)


def _estimate(name: str, counted: object) -> ScaleEstimate:
    if isinstance(counted, Tallied):
        counted = counted.estimate()
    if not isinstance(counted, Shown) or not isinstance(counted.survey.answers, Scale):
        raise InvalidArgument("change", name, "the estimate of a scale, or its tally", counted)
    if counted.n == 0:
        raise NoReports(f"The estimate of survey {counted.survey.id!r} has no reports.")
    return cast("ScaleEstimate", counted)


def _check_alike(one: ScaleEstimate, other: ScaleEstimate) -> None:
    """Raise SurveyMismatch unless both scales have the same ends, unit and bands."""
    for what, first, second in (
        ("ends", (one.scale.low, one.scale.high), (other.scale.low, other.scale.high)),
        ("unit", one.scale.unit, other.scale.unit),
        ("bands", one.scale.bands, other.scale.bands),
        ("whole numbers", one.scale.whole, other.scale.whole),
    ):
        if first != second:
            raise SurveyMismatch(
                f"The scales of the surveys {one.survey.id!r} and {other.survey.id!r} do not have "
                f"the same {what}: {first} and {second}."
            )
