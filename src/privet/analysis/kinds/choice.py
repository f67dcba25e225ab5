"""One choice: values are positions among the categories."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...device.answers.choice import Choice
from ...device.mechanisms.base import Mechanism
from ...device.survey import Survey
from ...errors import InvalidAnswer
from ..cleaning import MISSING, UNKNOWN, Cleaning
from ..columns import number_values
from ..estimate import Estimate
from .base import Found, Kind, Values, spread_at

__all__ = ["OneChoice"]


class OneChoice(Kind[Choice, Estimate]):
    """One of the categories."""

    measured: ClassVar[str] = "share"
    choices: ClassVar[str] = "'error', 'drop' or a category of the survey"

    def find(self, column: Any, cleaning: Cleaning) -> Found:
        """Return the position of every row's category; each different text is looked up once."""
        rows, texts = number_values(column)
        names = self.answers.names
        places = np.array([cleaning.place(names, text) for text in texts], dtype=np.int64)
        found, seen = places[rows], {*places.tolist()} - {MISSING, UNKNOWN}
        states = np.minimum(found, 0).astype(np.int8)

        def error(row: int) -> InvalidAnswer:
            answer = texts[rows[row]]
            return InvalidAnswer(answer, nearest=names.nearest(answer))

        return Found(found, states, error, seen)

    def values(self, given: list[Any] | NDArray[Any]) -> Values:
        """Return the positions of categories, by a table of their names where that is enough."""
        places = self.answers.names.positions
        try:
            return np.array([places[one] for one in given], dtype=np.int64)
        except (KeyError, TypeError):
            return np.array(self.one_by_one(given), dtype=np.int64)

    def spread(self, mechanism: Mechanism) -> float:
        """Return that of a share, when all are alike."""
        return spread_at(mechanism, 1 / mechanism.d)

    def may_become(self, parameter: str, choice: str) -> bool:
        """Say whether it is a category."""
        return self.answers.names.place(choice) >= 0

    def estimate(self, survey: Survey[Estimate], n: int, aggregate: NDArray[np.int64]) -> Estimate:
        """Return the shares of categories."""
        return Estimate(survey, n, survey.mechanism.counts(aggregate))
