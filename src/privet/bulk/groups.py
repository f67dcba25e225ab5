"""Groups of rows by the values of some columns, such as a country, numbered as they appear."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..analysis.columns import arrow, number_values
from ..device.values import is_number, plain
from ..errors import InvalidArgument, InvalidFile

Group = tuple[str | None, ...]

__all__ = ["Groups", "check_apart", "check_by", "in_text"]

# A column with more values identifies people rather than groups.
MOST_GROUPS = 10_000
_MOST_KINDS = 1 << 20


def check_by(owner: str, by: Sequence[str]) -> None:
    """Refuse anything but the names of different columns, none of them that of the reports."""
    names = [] if isinstance(by, str) else [name for name in by if _is_name(name)]
    if isinstance(by, str) or len({*names, "report"}) <= len(by):
        rule = "names of different columns in UTF-8, and none of them 'report'"
        raise InvalidArgument(owner, "by", rule, by if isinstance(by, str) else list(by))


def check_apart(answers: Iterable[str], by: Sequence[str]) -> None:
    """Refuse to keep a column of answers beside their reports."""
    for name in answers:
        if name in by:
            rule = f"other columns than {name!r}: the answers would be in the clear"
            raise InvalidArgument("randomize", "by", rule, list(by))


def _is_name(name: object) -> bool:
    return isinstance(name, str) and name == name.encode("utf-8", "ignore").decode()


class Groups:
    """The groups seen so far: each has a number, its columns' values as text, and its size."""

    def __init__(self, by: Sequence[str]) -> None:
        self.by = list(by)
        self.seen: dict[Group, int] = {}
        self.sizes: NDArray[np.int64] = np.zeros(0, dtype=np.int64)

    def number(
        self, batch: Any, path: object, people: NDArray[np.int64] | None = None
    ) -> NDArray[np.int32]:
        """Return the number of each row's group; groups not seen before get the next ones.

        `path` is where the Arrow batch comes from, and `people` how many each row stands for.
        """
        if not self.by:  # which is as frequent as it is simple
            self.seen[()] = 0
            return np.zeros(len(batch), dtype=np.int32)
        columns = [in_text(path, name, batch.column(name)) for name in self.by]
        kinds, size = np.zeros(len(batch), dtype=np.int64), 1
        for rows, texts in columns:
            kinds, size = kinds * len(texts) + rows, size * len(texts)
            if size > _MOST_KINDS:
                different, kinds = np.unique(kinds, return_inverse=True)
                size = len(different)
        a_row = np.full(size, -1, dtype=np.int64)
        a_row[kinds] = np.arange(len(batch))
        numbers = np.zeros(size, dtype=np.int32)
        for kind in np.flatnonzero(a_row >= 0):
            group = tuple(texts[rows[a_row[kind]]] for rows, texts in columns)
            numbers[kind] = self.seen.setdefault(group, len(self.seen))
        if len(self.seen) > MOST_GROUPS:
            names = ", ".join(map(repr, self.by))
            raise InvalidFile(
                f"{path}: the values of {names} make more than {MOST_GROUPS:,} groups; each is "
                "estimated by itself, and takes many reports."
            )
        found: NDArray[np.int32] = numbers[kinds]
        sizes = np.bincount(found, people, len(self.seen)).astype(np.int64)
        sizes[: len(self.sizes)] += self.sizes
        self.sizes = sizes
        return found

    def columns(self, numbers: NDArray[np.int32]) -> list[Any]:
        """Return the columns of rows that belong to these groups, as Arrow text."""
        pa = arrow()
        places = pa.array(numbers)
        columns = list(zip(*self.seen, strict=True)) or [()] * len(self.by)
        # Encoded anew, because a dictionary that is written must not hold a missing value.
        return [pa.array(texts, pa.string()).take(places).dictionary_encode() for texts in columns]


def in_text(path: object, name: str, column: Any) -> tuple[NDArray[np.int64], list[str | None]]:
    """Return the number of each row's value, and the values as text: 1.0 is "1" in all formats."""
    try:
        rows, texts = number_values(column)
    except arrow().ArrowException as error:
        raise InvalidFile(f"{path}: the column {name!r} is not text: {error}.") from None
    if any(isinstance(text, bytes) for text in texts):
        raise InvalidFile(f"{path}: the column {name!r} is not text in UTF-8.")
    return rows, [plain(text) if text and is_number(text) else text for text in texts]
