"""Tables that are text: CSV, whatever its delimiter, and NDJSON, an object a line.

Each is read in one pass: the header or the first rows are looked at before anything is converted.
"""

from __future__ import annotations

import csv
import io
import re
from types import NoneType
from typing import TYPE_CHECKING, Any

from ..columns import arrow
from ..errors import InvalidFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Opened = tuple[list[str], int, Callable[[list[str]], Iterator[Any]]]

_BLOCK_BYTES = 1 << 21
_ROWS_LOOKED_AT = 1000
_RAGGED = re.compile(r"Row #(\d+): Expected (\d+) columns, got (\d+)")
_OTHER_DELIMITERS = {";": "';'", "\t": "tab", "|": "'|'"}


class Replayed(io.RawIOBase):
    """A stream whose beginning can be looked at before it is read."""

    def __init__(self, stream: Any, size: int) -> None:
        pieces, missing = [], size
        while missing > 0 and (piece := stream.read(missing)):
            pieces.append(piece)
            missing -= len(piece)
        self.start = b"".join(pieces)
        self._stream = stream
        self._at = 0

    def readable(self) -> bool:
        """Say that it is for reading."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read the beginning again, and then on."""
        if self._at < len(self.start):
            data = self.start[self._at : self._at + len(buffer)]
            self._at += len(data)
        else:
            data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def open_csv(shown: str, stream: Replayed, delimiter: str | None) -> Opened:
    """Return the names in the header, the first row's number, and how to read columns as bytes.

    Rows are counted as a spreadsheet shows them: the header is row 1, the first answer row 2.
    """
    pa, reader = arrow(), arrow("csv")
    names = _header(shown, stream.start, delimiter)

    def read(columns: list[str]) -> Iterator[Any]:
        try:
            with reader.open_csv(
                stream,
                # Without threads Arrow counts rows for its messages, and parses no slower.
                reader.ReadOptions(block_size=_BLOCK_BYTES, use_threads=False),
                reader.ParseOptions(
                    delimiter=delimiter or ",", newlines_in_values=True, ignore_empty_lines=False
                ),
                reader.ConvertOptions(
                    strings_can_be_null=False,
                    check_utf8=False,
                    include_columns=columns,
                    column_types=dict.fromkeys(columns, pa.binary()),
                ),
            ) as batches:
                yield from batches
        except pa.ArrowInvalid as error:
            if ragged := _RAGGED.search(str(error)):
                number, wanted, got = ragged.groups()
                raise InvalidFile(
                    f"{shown}, row {number}: the number of fields is {got}, the header's {wanted}."
                ) from None
            raise

    return names, 2, read


def _header(shown: str, start: bytes, delimiter: str | None) -> list[str]:
    text = start.decode("utf-8-sig", "surrogateescape")
    try:
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter or ",", strict=True)
        names = next(lines, []) or [""]
    except csv.Error as error:
        raise InvalidFile(f"{shown}, row 1: no header of a CSV file: {error}.") from None
    for name in names:
        if any(c == "\0" or "\ud800" <= c <= "\udfff" for c in name):  # the latter are no UTF-8
            raise InvalidFile(f"{shown}, row 1: no header of a CSV file in UTF-8: {name!r:.60}.")
    if len(names) == 1 and delimiter is None:
        for other, typed in _OTHER_DELIMITERS.items():
            if other in names[0]:
                raise InvalidFile(
                    f"{shown}, row 1: the header {names[0]!r:.60} has {other!r} and no commas; "
                    f"say --delimiter {typed} if that is what stands between the fields."
                )
    return names


def open_json(shown: str, stream: Replayed) -> Opened:
    """Return the fields of the first rows, the first row's number, and how to read some of them."""
    pa, reader = arrow(), arrow("json")
    seen = _fields(shown, stream.start)

    def read(columns: list[str]) -> Iterator[Any]:
        kinds = {str: pa.string(), int: pa.int64(), bool: pa.bool_()}
        # Arrow's guess would be of all fields, and fail where one that nobody asks for varies.
        schema = pa.schema([(name, kinds.get(seen[name], pa.string())) for name in columns])
        options = reader.ReadOptions(block_size=_BLOCK_BYTES)
        parse = reader.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
        with reader.open_json(stream, options, parse) as batches:
            for batch in batches:
                yield batch.select(columns)

    return list(seen), 1, read


def _fields(shown: str, start: bytes) -> dict[str, type]:
    """Return the names in the first rows, and the type of the first value of each that has one."""
    import msgspec

    lines = start.split(b"\n", _ROWS_LOOKED_AT)[:_ROWS_LOOKED_AT]
    whole = lines[:-1] if len(lines) > 1 else lines  # the last one may be cut off
    seen: dict[str, type] = {}
    for number, line in enumerate(whole, 1):
        if line.strip():
            try:
                fields = msgspec.json.decode(line, type=dict[str, Any])
            except (msgspec.MsgspecError, UnicodeDecodeError) as error:
                raise InvalidFile(f"{shown}, row {number}: no JSON object: {error}.") from None
            for name, value in fields.items():
                if seen.get(name, NoneType) is NoneType:
                    seen[name] = type(value)
    return seen
