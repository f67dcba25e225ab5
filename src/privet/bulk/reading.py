"""What is wrong with a file's contents, in one line that names the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..analysis.columns import arrow
from ..errors import InvalidFile, PrivetError

__all__ = ["check_column", "checked_places", "reading"]

_MOST_NAMES = 20


@contextmanager
def reading(path: object, what: str) -> Iterator[None]:
    """Raise InvalidFile for anything that is raised here, but for privet's and the system's errors.

    It is for calls of Arrow alone: damaged data makes it raise nearly anything, such as IndexError,
    or an OSError without a number.
    """
    try:
        yield
    except PrivetError:
        raise
    except Exception as error:
        if getattr(error, "errno", None) is not None or type(error) is MemoryError:
            raise
        said = " ".join(str(error).split()) or type(error).__name__
        raise InvalidFile(f"{path}: not {what}: {said}") from None


def checked_places(batch: Any) -> Any:
    """Return a batch of a Parquet file, unless it has places beyond the end of a dictionary.

    Arrow does not look for them when it reads, and other ways to do so look at everything.
    """
    pa = arrow()
    for column in batch.columns:
        if pa.types.is_dictionary(column.type):
            pa.DictionaryArray.from_arrays(column.indices, column.dictionary)
    return batch


def check_column(
    path: object, columns: Sequence[str], name: str, parameter: str | None = None
) -> str:
    """Return the name of a column, refusing that of none and of several."""
    count = list(columns).count(name)
    if count == 1:
        return name
    if count:
        raise InvalidFile(f"{path}: there is more than one column {name!r}.")
    shown = ", ".join(map(repr, columns[:_MOST_NAMES])) or "none"
    more = f" and {rest:,} more" if (rest := len(columns) - _MOST_NAMES) > 0 else ""
    reason = f"{path}: there is no column {name!r}; the columns are {shown}{more}."
    raise InvalidFile(reason, parameter=parameter)
