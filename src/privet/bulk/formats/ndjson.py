"""NDJSON: text with one JSON object a line."""

from __future__ import annotations

import json
import re
from types import NoneType

from ...analysis.columns import arrow
from ...errors import InvalidFile
from .opened import LONG_ROW, MOST_ROW_BYTES, Batches, OpenTable, too_long
from .source import Source

_ROWS_LOOKED_AT = 1000
_IN_ROW = re.compile(r"JSON parse error: (.*?)\.? in row (\d+)")
_CHANGED = re.compile(r"Column\(/(.*)\) changed from (\w+) to (\w+)")


def recognizes(start: bytes) -> bool:
    """Return whether a file that begins like this is NDJSON."""
    return start.lstrip()[:1] == b"{"


def open_table(source: Source) -> OpenTable:
    """Open a file whose columns are the fields of its first rows."""
    pa, reader = arrow(), arrow("json")
    seen = _fields(source)
    kinds = {str: pa.string(), int: pa.int64(), bool: pa.bool_(), float: pa.float64()}

    def batches(columns: list[str]) -> Batches:
        for name in columns:
            if seen[name] in (dict, list):
                what = "an object" if seen[name] is dict else "an array"
                raise InvalidFile(
                    f"{source.name}: the field {name!r} is {what}, not a single value."
                )
        # Arrow's guess would be of all fields, and fail where one that nobody asks for varies.
        schema = pa.schema([(name, kinds.get(seen[name], pa.string())) for name in columns])
        options = reader.ReadOptions(block_size=MOST_ROW_BYTES)
        parse = reader.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
        row = 1
        try:
            with source.for_arrow() as stream, reader.open_json(stream, options, parse) as opened:
                for batch in opened:
                    row += len(batch)
                    yield batch
        except pa.ArrowInvalid as error:
            raise _invalid(source.name, row, str(error)) from None

    return OpenTable(source.name, list(seen), batches)


def _invalid(name: str, row: int, said: str) -> InvalidFile:
    """Return what Arrow says of several rows, of which the first has this number."""
    if LONG_ROW in said:
        return too_long(name, row)
    if found := _IN_ROW.search(said):
        reason, place = found[1], int(found[2])
        if changed := _CHANGED.fullmatch(reason):
            field, before, now = changed.groups()
            reason = f"the field {field!r} is of another type ({now}) than before ({before})"
        return InvalidFile(f"{name}, row {row + place}: {reason}.")
    return InvalidFile(f"{name}, from row {row} on: {said}.")


def _fields(source: Source) -> dict[str, type]:
    """Return the names in the first rows, and the type of each: that of its first value.

    A number that is whole at first may have a fraction later.
    """
    lines = source.start.split(b"\n", _ROWS_LOOKED_AT)[:_ROWS_LOOKED_AT]
    if len(lines) > 1:
        lines.pop()  # it may be cut off
    elif not source.stream.ended:
        raise InvalidFile(f"{source.name}, row 1: more than {len(source.start) >> 20} MB long.")
    seen: dict[str, type] = {}
    for row, line in enumerate(filter(bytes.strip, lines), 1):
        try:
            fields = json.loads(line.decode())
            if not isinstance(fields, dict):
                raise TypeError(f"it is {fields!r:.60}")
        except RecursionError:
            raise InvalidFile(f"{source.name}, row {row}: nested too deeply.") from None
        except (TypeError, ValueError) as error:
            raise InvalidFile(f"{source.name}, row {row}: not a JSON object: {error}.") from None
        for name, value in fields.items():
            before = seen.get(name, NoneType)
            if before is NoneType or (before is int and type(value) is float):
                seen[name] = type(value)
    return seen
