"""Several choices: values are rows of positions among the options, with -1 for none."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...device.answers.several import Several
from ...device.mechanisms.base import Mechanism
from ...device.survey import Survey
from ...errors import InvalidAnswer
from ..cleaning import MISSING, UNKNOWN, Cleaning
from ..columns import is_list, number_values
from ..estimate import Estimate
from .base import Found, Kind, Values, spread_at

__all__ = ["SEPARATOR", "SeveralChoices"]

# What stands between the options of one cell of a table.
SEPARATOR = ";"
_LIST = f"a list of options, with {SEPARATOR!r} between them"


class SeveralChoices(Kind[Several, Estimate]):
    """Some of the options: lists of them, or text with a separator."""

    measured: ClassVar[str] = "option"
    row: ClassVar[str] = "option"
    rows: ClassVar[str] = "options"
    choices: ClassVar[str] = "'error', 'drop', or 'none' where the answer is missing"
    takes_lists: ClassVar[bool] = True

    def find(self, column: Any, cleaning: Cleaning) -> Found:
        """Return the options of every row; each different cell is looked up once."""
        answers = self.answers
        if is_list(column.type):
            rows, cells = _of_lists(column)
        else:
            rows, texts = number_values(column)
            cells = [_split(cleaning.text(text)) for text in texts]
        values = self._none(len(cells))
        states, errors = np.zeros(len(cells), dtype=np.int8), {}
        seen: set[int] = set()
        for i, cell in enumerate(cells):
            if cell is None:
                states[i], errors[i] = MISSING, InvalidAnswer(None, rule=_LIST)
                continue
            try:
                if not isinstance(cell, bytes):  # which are no text
                    cell = [cleaning.spelled(answers.names, one) for one in cell]
                chosen = answers.value(cell)
            except InvalidAnswer as error:
                states[i], errors[i] = UNKNOWN, error
                continue
            values[i, : len(chosen)] = chosen
            seen.update(chosen)
        return Found(values[rows], states[rows], lambda row: errors[int(rows[row])], seen)

    def values(self, given: list[Any] | NDArray[Any]) -> Values:
        """Return the positions of each answer's options."""
        rows = self.one_by_one(given)
        values = self._none(len(rows))
        for row, chosen in enumerate(rows):
            values[row, : len(chosen)] = chosen
        return values

    def spread(self, mechanism: Mechanism) -> float:
        """Return that of an option, when people choose half of the most on average."""
        return spread_at(mechanism, self.answers.most / (2 * mechanism.d))

    def may_become(self, parameter: str, choice: str) -> bool:
        """Say whether it is 'none' for a missing answer."""
        return (parameter, choice) == ("missing", "none")

    def value(self, answer: str) -> int:
        """Return no options, the only answer that can take the place of another."""
        return -1

    def estimate(self, survey: Survey[Estimate], n: int, aggregate: NDArray[np.int64]) -> Estimate:
        """Return the shares of options."""
        return Estimate(survey, n, survey.mechanism.counts(aggregate))

    def _none(self, rows: int) -> Values:
        return np.full((rows, self.answers.most), -1, dtype=np.int64)


def _split(text: Any) -> Any:
    """Return the options in a text; bytes and what is missing as they are."""
    if not isinstance(text, str):
        return text
    return [part for part in map(str.strip, text.split(SEPARATOR)) if part]


def _of_lists(column: Any) -> tuple[NDArray[np.int64], list[Any]]:
    """Return each row's number among the different lists of a column, and these."""
    different: dict[Any, int] = {}
    found = (None if one is None else tuple(one) for one in column.to_pylist())
    rows = [different.setdefault(one, len(different)) for one in found]
    return np.array(rows, dtype=np.int64), [*different]
