"""A kind of answer from elsewhere: dates, of which the month is the value.

Nothing in the package knows it. `install` registers what it needs in Python, and `months.js` what a
browser needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privet.analysis import kinds
from privet.analysis.cleaning import MISSING, UNKNOWN
from privet.analysis.columns import number_values
from privet.analysis.estimate import Estimate
from privet.analysis.kinds.base import Found, Kind, spread_at
from privet.audit.asking import Asking, asking_of
from privet.device.answers.base import Answers
from privet.device.answers.fields import register
from privet.device.answers.names import Names
from privet.device.mechanisms.choosing import choose
from privet.device.mechanisms.registry import for_one
from privet.errors import InvalidAnswer, InvalidArgument

if TYPE_CHECKING:
    from privet.analysis.estimate import Estimate as Shares  # noqa: F401, in the base


class Months(Answers["Shares"]):
    """A date in one of these months, as in "2026-11-19"."""

    kind: ClassVar[str] = "months"
    field_types: ClassVar[dict[str, str]] = {"kind": "text", "first": "text", "count": "integer"}

    def __init__(self, first, count):
        year, month = map(int, first.split("-"))
        if not 2 <= count <= 1200:
            raise InvalidArgument("Months", "count", "in [2, 1200]", count)
        numbers = range(12 * year + month - 1, 12 * year + month - 1 + count)
        names = Names(f"{one // 12:04}-{one % 12 + 1:02}" for one in numbers)
        self._freeze(first=first, count=count, names=names)

    def fields(self):
        return {"kind": self.kind, "first": self.first, "count": self.count}

    @classmethod
    def from_fields(cls, fields):
        return cls(fields["first"], fields["count"])

    def described(self):
        return f"a date in {self.count} months"

    def fitting(self):
        return for_one

    def choose(self, epsilon):
        return choose(self.size, epsilon)

    def made(self, kind, epsilon):
        return kind(self.size, epsilon)

    def value(self, answer):
        place = self.names.positions.get(str(answer)[:7], -1)
        if place < 0 or len(str(answer)) != len("2026-11-19"):
            raise InvalidAnswer(answer, rule=self.described())
        return place

    def context(self, value):
        return value.to_bytes(8, "big")


class MonthsInColumns(Kind[Months, Estimate]):
    """What an analyst does with dates."""

    measured = "share"
    choices = "'error' or 'drop'"

    def find(self, column, cleaning):
        rows, texts = number_values(column)
        places = []
        for text in texts:
            try:
                places.append(self.answers.value(text) if text else MISSING)
            except InvalidAnswer:
                places.append(UNKNOWN)
        found = np.array(places, dtype=np.int64)[rows]
        states = np.minimum(found, 0).astype(np.int8)

        def error(row):
            return InvalidAnswer(texts[rows[row]], rule=self.answers.described())

        return Found(found, states, error, {*found[found >= 0].tolist()})

    def values(self, given):
        return np.array(self.one_by_one(given), dtype=np.int64)

    def estimate(self, survey, n, aggregate):
        return Estimate(survey, n, survey.mechanism.counts(aggregate))

    def spread(self, mechanism):
        return spread_at(mechanism, 1 / mechanism.d)

    def may_become(self, parameter, choice):
        return False


class AskingForDates(Asking[Months]):
    """Asks for the nineteenth of each month."""

    def answer(self, value):
        return f"{self.of.names[value]}-19"

    def fill(self, group, answer):
        group.locator("input[type=date]").fill(answer)


def install():
    """Let the package ask for dates; a second import of this file must not do so by itself."""
    register(Months)
    kinds.register(Months, MonthsInColumns)
    asking_of.register(Months, AskingForDates)
