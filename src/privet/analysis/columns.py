"""Columns from elsewhere: whatever hands over Arrow data, such as pandas, polars, duckdb, pyarrow.

They speak the Arrow PyCapsule interface (`__arrow_c_stream__` or `__arrow_c_array__`), so that
none of them has to be imported here, and nothing is copied on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..device.values import plain, text_of
from ..errors import InvalidAnswer, InvalidArgument, InvalidReport, MissingExtra
from ..errors.extras import require

if TYPE_CHECKING:  # which take long to import, or are not installed
    from pandas import DataFrame

__all__ = [
    "ANSWERS",
    "BINARY",
    "VIEWS",
    "arrow",
    "as_column",
    "as_reports",
    "by_chunk",
    "frame",
    "is_column",
    "is_list",
    "number_values",
    "numbers_in",
    "ordered_levels",
    "wrong_kind",
]

# The names of Arrow's types. It can neither filter views nor take some of them.
VIEWS = {"string_view", "binary_view"}
BINARY = {"binary", "large_binary", "binary_view"}
_TEXT = {"string", "large_string", "string_view"}
ANSWERS = "text, numbers, truth values or dates"


def arrow(submodule: str = "") -> Any:
    """Return pyarrow or one of its submodules."""
    package = f"pyarrow.{submodule}" if submodule else "pyarrow"
    return require(package, "analysis", "Reading and writing Arrow data")


def frame(columns: Mapping[str, Sequence[Any]]) -> DataFrame:
    """Return columns as a pandas DataFrame."""
    try:
        from pandas import DataFrame as Frame
    except ImportError:
        raise MissingExtra("to_frame", "pandas", "pandas") from None
    return Frame(columns)


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


def by_chunk(column: Any, convert: Callable[[Any], NDArray[Any]]) -> NDArray[Any]:
    """Convert the chunks of a column; the row of an error is counted over all of them."""
    pieces, first = [], 0
    for chunk in column.chunks or [arrow().nulls(0, column.type)]:
        try:
            pieces.append(convert(chunk))
        except InvalidAnswer as error:
            raise error.at(first + (error.row or 0)) from None
        except InvalidReport as error:
            place = None if error.row is None else first + error.row
            raise InvalidReport(error.reason, row=place) from None
        first += len(chunk)
    return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)


# --- values ---------------------------------------------------------------------------------------


def number_values(column: Any) -> tuple[NDArray[np.int64], list[Any]]:
    """Return each row's number among the different values of an Arrow array, and these as text.

    The last is None, for rows without a value; of the others, each occurs. Bytes that are not UTF-8
    stay bytes.
    """
    pa = arrow()
    if isinstance(column, pa.ExtensionArray):
        column = column.storage
    # First of all, because Arrow's casts follow the places of missing views wherever they lead.
    encoded = column.dictionary_encode()
    values = encoded.dictionary
    rows = numbers_in(encoded.indices, np.int64, len(values))
    used = np.flatnonzero(np.bincount(rows, minlength=len(values) + 1)[:-1])
    if len(used) == len(values):
        return rows, [*_texts(values), None]
    numbers = np.full(len(values) + 1, len(used), dtype=np.int64)
    numbers[used] = np.arange(len(used))
    if str(values.type) in VIEWS:
        texts = _texts(values)
        return numbers[rows], [*(texts[i] for i in used), None]
    places = pa.Array.from_buffers(pa.int64(), len(used), [None, pa.py_buffer(used)])
    return numbers[rows], [*_texts(values.take(places)), None]


def ordered_levels(column: Any) -> list[Any] | None:
    """Return the texts of an Arrow array's ordered categories, in order, if it has such."""
    kind = column.type
    return _texts(column.dictionary) if getattr(kind, "ordered", False) else None


def numbers_in(array: Any, kind: type, missing: float) -> NDArray[Any]:
    """Return an Arrow array of numbers as numpy's of a kind, with a number for what is missing.

    Read from memory as it lies: pyarrow's ways to and from numpy import pandas where it is
    installed, which takes longer than a million answers.
    """
    valid, data = array.buffers()
    start, end = array.offset, array.offset + len(array)
    found: NDArray[Any] = np.frombuffer(data or b"", str(array.type))[start:end].astype(kind)
    if array.null_count:
        bits = np.frombuffer(valid, dtype=np.uint8)
        present = np.unpackbits(bits, count=end, bitorder="little")[start:]
        found[present == 0] = missing
    return found


def _texts(values: Any) -> list[Any]:
    """Return the texts of values (`device.values`), such as "7", "true" and "2024-12-31"."""
    types, kind = arrow().types, values.type
    if types.is_fixed_size_binary(kind) or str(kind) in _TEXT | BINARY:
        try:
            found = values.to_pylist()
        except UnicodeDecodeError:  # Arrow takes its word for it that text is UTF-8
            found = [_undecoded(value) for value in values]
        return [text_of(value) if isinstance(value, bytes) else value for value in found]
    # Arrow's own words first: nanoseconds would need pandas, and short floats lose their digits.
    words = values.cast(arrow().string()).to_pylist()
    if types.is_floating(kind):
        return [text_of(word and float(word)) for word in words]
    if types.is_decimal(kind):
        return [text_of(word and Decimal(word)) for word in words]
    return [word and plain(word) for word in words]


def _undecoded(value: Any) -> Any:
    try:
        return value.as_py()
    except UnicodeDecodeError as error:
        return error.object


def is_list(kind: Any) -> bool:
    """Say whether an Arrow type is one of lists."""
    types = arrow().types
    tests = types.is_list, types.is_large_list, types.is_fixed_size_list
    return any(test(kind) for test in tests)


def wrong_kind(kind: Any) -> str | None:
    """Return the name of a column's type if it cannot be that of answers."""
    types = arrow().types
    if types.is_dictionary(kind):
        kind = kind.value_type
    kinds = ["integer", "boolean", "null", "floating", "decimal", "date", "time", "timestamp"]
    single = any(getattr(types, f"is_{name}")(kind) for name in kinds)
    return None if single or str(kind) in _TEXT | BINARY else str(kind)


# --- reports --------------------------------------------------------------------------------------


def as_reports(column: Any, size: int) -> NDArray[np.uint8]:
    """Return a binary Arrow column as uint8 (n, size), without a copy if it is in one piece."""
    pa = arrow()
    if isinstance(column, pa.ChunkedArray):
        return by_chunk(column, lambda chunk: as_reports(chunk, size))
    kind = column.type
    fixed = pa.types.is_fixed_size_binary(kind)
    if not fixed and str(kind) not in BINARY:
        raise InvalidReport(f"A column of reports is binary, not {kind}.")
    if fixed and kind.byte_width != size:
        raise InvalidReport(
            f"A report of this survey has {size} bytes, those of the column have {kind.byte_width}."
        )
    try:
        column.validate(full=True)  # or else what follows goes wherever a damaged place leads
    except pa.ArrowException as error:
        raise InvalidReport(f"The column of reports is damaged: {error}.") from None
    if column.null_count:
        row = column.is_null().index(True).as_py()
        raise InvalidReport("The report is missing (null).", row=row)
    if not fixed:
        # Without nulls by now: Arrow's cast goes where the view of a missing report leads.
        return _of_one_length(column.cast(pa.large_binary()), size)
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
