"""Several choices for analysts: rows of options, as arrays and as sequences, checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..device.mechanisms.choices import Choices
from ..errors import InvalidArgument
from . import kernels
from .batch import Batches, are_few, is_masked

C = TypeVar("C", bound=Choices)


class ChoiceBatches(Batches[C]):
    """Makes reports for rows of options, -1 for none."""

    def people(self, values: NDArray[np.int64]) -> list[Any]:
        """Return the options of each row."""
        return [[option for option in row if option >= 0] for row in values.tolist()]

    def as_values(self, values: Any) -> NDArray[np.int64]:
        """Return rows of options, with -1 for none, from an array or from sequences of them."""
        owner = type(self.mechanism).__name__
        if is_masked(values):
            raise InvalidArgument(owner, "values", "free of masked entries", "a masked array")
        if not isinstance(values, np.ndarray):
            return self._from_rows(owner, values)
        if values.ndim != 2 or values.dtype.kind not in "iu":
            rule = "two-dimensional integers, a row a person, with -1 for no option"
            given = f"{values.dtype} of shape {values.shape}"
            raise InvalidArgument(owner, "values", rule, given)
        if values.dtype.str[1:] == "u8":
            values = np.minimum(values, self.mechanism.d)  # before they become negative
        return np.ascontiguousarray(values, dtype=np.int64)

    def _from_rows(self, owner: str, values: Any) -> NDArray[np.int64]:
        if not isinstance(values, Sequence) or isinstance(values, str | bytes):
            rule = "an array of integers (n, most) or a sequence of sequences of options"
            raise InvalidArgument(owner, "values", rule, values)
        array = np.full((len(values), self.mechanism.most), -1)
        for row, options in enumerate(values):
            chosen = self.mechanism.checked(options, f"values[{row}]")
            array[row, : len(chosen)] = chosen
        return array

    def _check_range(self, values: NDArray[Any]) -> None:
        row = self._first_wrong(values)
        if row >= 0:
            options = self.people(values[row : row + 1])[0]
            below = [int(option) for option in values[row] if option < -1]
            self.mechanism.checked(options + below, f"values[{row}]")

    def _first_wrong(self, values: NDArray[np.int64]) -> int:
        """Return the first row that is not at most `most` different options, or -1."""
        d, most = self.mechanism.d, self.mechanism.most
        if not are_few(values):
            return int(kernels.option_draws.first_wrong_set(values, d, most))
        ordered = np.sort(values, axis=1)
        wrong = ((values < -1) | (values >= d)).any(axis=1) | ((values >= 0).sum(axis=1) > most)
        wrong |= ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).any(axis=1)
        return int(np.argmax(wrong)) if wrong.any() else -1
