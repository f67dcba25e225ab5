"""What a table is made of."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import getdoc
from typing import TYPE_CHECKING, NamedTuple

from .timing import Scale, Work, seconds_a_unit, show_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Bar(NamedTuple):
    """What a result must reach, and what would be better still."""

    goal: float
    stretch: float | None = None
    at_most: bool = False

    def met_by(self, result: float) -> str:
        if self.at_most:
            return "yes" if result <= self.goal else "no"
        if self.stretch is not None and result >= self.stretch:
            return "yes, stretch"
        return "yes" if result >= self.goal else "no"


@dataclass(frozen=True)
class Row:
    """One measurement: `result` is None where there was nothing to compare with."""

    work: str
    privet: str
    against: str
    result: float | None
    unit: str = "×"
    bar: Bar | None = None

    @property
    def shown_result(self) -> str:
        return "—" if self.result is None else show(self.result, self.unit)

    @property
    def shown_bar(self) -> str:
        if self.bar is None:
            return ""
        sign = "≤" if self.bar.at_most else "≥"
        goal = f"{sign} {show(self.bar.goal, self.unit)}"
        if self.bar.stretch is None:
            return goal
        return f"{goal} (stretch {show(self.bar.stretch, self.unit)})"

    @property
    def met(self) -> str:
        if self.bar is None or self.result is None:
            return ""
        return self.bar.met_by(self.result)


@dataclass(frozen=True)
class Table:
    """The rows that one function yields; its docstring has the title, and what to know of it."""

    measure: Callable[[Scale], Iterator[Row]]

    @property
    def title(self) -> str:
        return (getdoc(self.measure) or "").partition("\n")[0].removesuffix(".")

    @property
    def about(self) -> str:
        return " ".join((getdoc(self.measure) or "").partition("\n")[2].split())


def show(number: float, unit: str) -> str:
    digits = f"{number:,.0f}" if number >= 100 else f"{number:.3g}"
    return f"{digits} {unit}"


def faster(
    scale: Scale, work: str, mine: Work, theirs: Work | None, name: str, bar: Bar | None = None
) -> Row:
    """Return how many times as fast as theirs mine is, for each unit."""
    if theirs is None:
        (own,) = seconds_a_unit(scale.repeats, mine)
        return Row(work, show_time(own), f"{name}: not run", None, bar=bar)
    own, other = seconds_a_unit(scale.repeats, mine, theirs)
    return Row(work, show_time(own), f"{name} {show_time(other)}", other / own, bar=bar)
