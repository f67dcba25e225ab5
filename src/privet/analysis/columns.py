"""Columns from elsewhere: whatever hands over Arrow data, such as pandas, polars, duckdb, pyarrow.

They speak the Arrow PyCapsule interface (`__arrow_c_stream__` or `__arrow_c_array__`), so that
none of them has to be imported here, and nothing is copied on the way.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidAnswer, InvalidArgument, InvalidReport
from ..extras import require

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..survey import Survey

__all__ = [
    "arrow",
    "as_column",
    "as_reports",
    "codes",
    "different",
    "is_column",
    "positions",
    "wrong_kind",
]


def arrow(submodule: str = "") -> Any:
    """Return pyarrow or one of its submodules."""
    package = f"pyarrow.{submodule}" if submodule else "pyarrow"
    return require(package, "analysis", "Reading and writing Arrow data")


def is_column(data: object) -> bool:
    """Return whether data can be handed over as Arrow's, and there is pyarrow to take it."""
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        return find_spec("pyarrow") is not None
    return False


def as_column(owner: str, parameter: str, data: Any) -> Any:
    """Return a pyarrow ChunkedArray of a column; a table with a single one is taken for it."""
    pa = arrow()
    if hasattr(data, "__arrow_c_stream__"):
        column = pa.chunked_array(data)
    else:
        column = pa.chunked_array([pa.array(data)])
    if pa.types.is_struct(column.type):
        if column.type.num_fields != 1:
            names = [field.name for field in column.type.fields]
            raise InvalidArgument(owner, parameter, "one column", f"the columns {names}")
        column = pa.chunked_array([chunk.field(0) for chunk in column.chunks], column.type[0].type)
    return column


# --- answers -------------------------------------------------------------------------------------


def positions(survey: Survey, answers: Any, unknown: str = "error") -> NDArray[np.int64]:
    """Return the place of each answer of an Arrow column among the survey's categories.

    What is no category raises InvalidAnswer with its row, counted from 0, or is given the place
    -1 (unknown="drop"), or that of a category (its name).
    """
    if wrong := wrong_kind(answers.type):
        raise InvalidArgument("Survey", "answers", "text or whole numbers", wrong)
    chunks = answers.chunks if isinstance(answers, arrow().ChunkedArray) else [answers]
    places = [_places(survey, chunk) for chunk in chunks]
    found = places[0] if len(places) == 1 else np.concatenate([np.empty(0, np.int64), *places])
    if unknown == "drop" or not len(found) or found.min() >= 0:
        return found
    if unknown != "error":
        found[found < 0] = survey.index(unknown)
        return found
    row = int(np.argmax(found < 0))
    answer = _value(answers[row])
    raise InvalidAnswer(answer, nearest=survey.nearest(answer), row=row)


def wrong_kind(kind: Any) -> str | None:
    """Return the name of a column's type if it cannot be that of answers."""
    types = arrow().types
    if types.is_dictionary(kind):
        kind = kind.value_type
    texts = types.is_string, types.is_large_string, types.is_string_view
    binaries = types.is_binary, types.is_large_binary, types.is_binary_view
    others = types.is_integer, types.is_boolean, types.is_null
    return None if any(fits(kind) for fits in (*texts, *binaries, *others)) else str(kind)


def different(answers: Any) -> list[tuple[Any, int]]:
    """Return the different answers of an Arrow array, None for what is missing, and their number.

    Bytes that are no UTF-8 stay bytes.
    """
    encoded = answers.dictionary_encode()
    counts = np.bincount(codes(encoded), minlength=len(encoded.dictionary) + 1).tolist()
    texts = _values(encoded.dictionary)
    return [pair for pair in zip([*texts, None], counts, strict=True) if pair[1]]


def _places(survey: Survey, answers: Any) -> NDArray[np.int64]:
    """Look up each different answer once; -1 is for those that are no categories."""
    encoded = answers.dictionary_encode()
    rows, values = codes(encoded), encoded.dictionary
    places = np.full(len(values) + 1, -1, dtype=np.int64)  # the last one is for nothing
    used = np.flatnonzero(np.bincount(rows, minlength=len(places))[:-1])
    if len(used) < len(values):
        pa = arrow()
        values = values.take(
            pa.Array.from_buffers(pa.int64(), len(used), [None, pa.py_buffer(used)])
        )
    places[used] = [survey.place(answer) for answer in _values(values)]
    found: NDArray[np.int64] = places[rows]
    return found


def codes(encoded: Any) -> NDArray[np.int64]:
    """Return the numbers of a dictionary array's values, the one past the last for what is missing.

    Read from memory as it lies: pyarrow's ways to and from numpy import pandas where it is
    installed, which takes longer than a million answers.
    """
    indices = encoded.indices
    valid, data = indices.buffers()
    kind, end = np.dtype(str(indices.type)), indices.offset + len(indices)
    found = np.frombuffer(data or b"", dtype=kind)[indices.offset : end].astype(np.int64)
    if indices.null_count:
        bits = np.frombuffer(valid, dtype=np.uint8)
        present = np.unpackbits(bits, count=end, bitorder="little")[indices.offset :]
        found[present == 0] = len(encoded.dictionary)
    return found


def _values(answers: Any) -> list[Any]:
    try:
        return [_text(answer) for answer in answers.to_pylist()]
    except UnicodeDecodeError:  # Arrow takes its word for it that text is UTF-8
        return [_value(answer) for answer in answers]


def _value(answer: Any) -> Any:
    try:
        return _text(answer.as_py())
    except UnicodeDecodeError as error:
        return error.object


def _text(answer: object) -> Any:
    """Return an answer as a category is written; bytes that are no UTF-8 stay bytes."""
    if isinstance(answer, bytes):
        try:
            return answer.decode()
        except UnicodeDecodeError:
            return answer
    if isinstance(answer, bool):
        return "true" if answer else "false"
    return str(answer) if isinstance(answer, int) else answer


# --- reports -------------------------------------------------------------------------------------


def as_reports(column: Any, size: int) -> NDArray[np.uint8]:
    """Return a binary Arrow column as uint8 (n, size), without a copy if it is in one piece."""
    pa = arrow()
    if isinstance(column, pa.ChunkedArray):
        pieces: list[NDArray[np.uint8]] = []
        for chunk in column.chunks:
            try:
                pieces.append(as_reports(chunk, size))
            except InvalidReport as error:
                row = None if error.row is None else error.row + sum(map(len, pieces))
                raise InvalidReport(error.reason, row=row) from None
        if len(pieces) == 1:
            return pieces[0]
        return np.concatenate([np.empty((0, size), np.uint8), *pieces])
    if pa.types.is_fixed_size_binary(column.type):
        if column.type.byte_width != size:
            raise InvalidReport(
                f"A report of this survey has {size} bytes, those of the column have "
                f"{column.type.byte_width}."
            )
    elif pa.types.is_binary_view(column.type) or pa.types.is_binary(column.type):
        column = column.cast(pa.large_binary())
    elif not pa.types.is_large_binary(column.type):
        raise InvalidReport(f"A column of reports is binary, not {column.type}.")
    if column.null_count:
        raise InvalidReport("The report is missing (null).", row=int(np.argmax(column.is_null())))
    if pa.types.is_large_binary(column.type):
        return _of_one_length(column, size)
    data = np.frombuffer(column.buffers()[1] or b"", dtype=np.uint8)
    return data[column.offset * size : (column.offset + len(column)) * size].reshape(-1, size)


def _of_one_length(column: Any, size: int) -> NDArray[np.uint8]:
    _, offsets, data = column.buffers()
    ends = np.frombuffer(offsets or bytes(8), dtype=np.int64)
    ends = ends[column.offset : column.offset + len(column) + 1]
    lengths = np.diff(ends)
    if (lengths != size).any():
        row = int(np.argmax(lengths != size))
        reason = f"A report of this survey has {size} bytes. Got {lengths[row]}."
        raise InvalidReport(reason, row=row)
    if not len(column):
        return np.empty((0, size), np.uint8)
    return np.frombuffer(data, dtype=np.uint8)[ends[0] : ends[-1]].reshape(-1, size)
