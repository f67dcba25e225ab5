"""Tables that are text: CSV, whatever its delimiter, and NDJSON, an object a line.

Each is read in one pass: the header or the first rows are looked at before anything is converted.
"""

from __future__ import annotations

import csv
import io
import re
from types import NoneType
from typing import TYPE_CHECKING, Any

from ..analysis.columns import arrow
from ..errors import InvalidArgument, InvalidFile

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    Opened = tuple[list[str], int, Callable[[list[str]], Generator[Any, None, None]]]

_BLOCK_BYTES = 1 << 21
_ROWS_LOOKED_AT = 1000
_BOM = b"\xef\xbb\xbf"
_NO_ROWS, _LONG_ROW = "Empty CSV file", "straddling object"
_RAGGED = re.compile(r"Row #(\d+): Expected (\d+) columns, got (\d+)")
_IN_ROW = re.compile(r"JSON parse error: (.*?)\.? in row (\d+)")
_CHANGED = re.compile(r"Column\(/(.*)\) changed from (\w+) to (\w+)")
_OTHER_DELIMITERS = {";": "';'", "\t": "tab", "|": "'|'"}


class Replayed(io.RawIOBase):
    """A stream whose beginning can be looked at before it is read; a byte order mark is left out.

    `ended` says that the beginning is all there is; `reopen`, how Arrow opens the same by itself.
    """

    def __init__(self, stream: Any, size: int) -> None:
        pieces, missing = [], size
        while missing > 0 and (piece := stream.read(missing)):
            pieces.append(piece)
            missing -= len(piece)
        start = b"".join(pieces)
        self.start = start.removeprefix(_BOM)
        self.ended = missing > 0
        self.reopen: Callable[[], Any] | None = None
        self._mark = len(start) - len(self.start)
        self._stream = stream
        self._at = 0

    def for_arrow(self) -> Any:
        """Return the whole for Arrow to read: not through Python, where that can be helped.

        Arrow reads in threads of its own, one of which may still do so when the interpreter ends.
        """
        if self.reopen is None:
            return self
        stream = self.reopen()
        stream.read(self._mark)
        return stream

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


def check_delimiter(delimiter: str | None) -> None:
    """Refuse what cannot stand between the fields of a CSV file."""
    if delimiter is None:
        return
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0':
        rule = "one character of ASCII, or tab, and no quote or end of a line"
        raise InvalidArgument("a CSV file", "delimiter", rule, delimiter)


def open_csv(shown: str, stream: Replayed, delimiter: str | None) -> Opened:
    """Return the names in the header, the first row's number, and how to read columns as bytes.

    Rows are counted as a spreadsheet shows them: the header is row 1, the first answer row 2.
    """
    pa, reader = arrow(), arrow("csv")
    names = _header(shown, stream.start, delimiter)

    def read(columns: list[str]) -> Generator[Any, None, None]:
        rows = 2
        try:
            with (
                stream.for_arrow() as source,
                reader.open_csv(
                    source,
                    # Without threads Arrow counts rows for its messages, and parses no slower.
                    reader.ReadOptions(block_size=_BLOCK_BYTES, use_threads=False),
                    reader.ParseOptions(
                        delimiter=delimiter or ",",
                        newlines_in_values=True,
                        ignore_empty_lines=False,
                    ),
                    reader.ConvertOptions(
                        strings_can_be_null=False,
                        check_utf8=False,
                        include_columns=columns,
                        column_types=dict.fromkeys(columns, pa.binary()),
                    ),
                ) as batches,
            ):
                for batch in batches:
                    rows += len(batch)
                    yield batch
        except pa.ArrowInvalid as error:
            if ragged := _RAGGED.search(str(error)):
                number, wanted, got = ragged.groups()
                raise InvalidFile(
                    f"{shown}, row {number}: the number of fields is {got}, the header's {wanted}."
                ) from None
            if _LONG_ROW in str(error):
                raise _too_long(shown, rows, "; is a quote never closed?") from None
            if _NO_ROWS not in str(error):  # which is what a header without an end of line is
                raise

    return names, 2, read


def _too_long(shown: str, row: int, hint: str = ".") -> InvalidFile:
    most = _BLOCK_BYTES >> 20
    return InvalidFile(f"{shown}, from row {row} on: there is a row of more than {most} MB{hint}")


def _header(shown: str, start: bytes, delimiter: str | None) -> list[str]:
    text = start.decode("utf-8", "surrogateescape")
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
    seen = _fields(shown, stream)
    kinds = {str: pa.string(), int: pa.int64(), bool: pa.bool_(), float: pa.float64()}

    def read(columns: list[str]) -> Generator[Any, None, None]:
        for name in columns:
            if seen[name] in (dict, list):
                what = "an object" if seen[name] is dict else "an array"
                raise InvalidFile(f"{shown}: the field {name!r} is {what}, not a single value.")
        # Arrow's guess would be of all fields, and fail where one that nobody asks for varies.
        schema = pa.schema([(name, kinds.get(seen[name], pa.string())) for name in columns])
        options = reader.ReadOptions(block_size=_BLOCK_BYTES)
        parse = reader.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
        row = 1
        try:
            with (
                stream.for_arrow() as source,
                reader.open_json(source, options, parse) as batches,
            ):
                for batch in batches:
                    row += len(batch)
                    yield batch.select(columns)
        except pa.ArrowInvalid as error:
            raise _bad_json(shown, row, str(error)) from None

    return list(seen), 1, read


def _bad_json(shown: str, row: int, said: str) -> InvalidFile:
    """Return what Arrow says of a block of rows, of which the first has this number."""
    if _LONG_ROW in said:
        return _too_long(shown, row)
    if found := _IN_ROW.search(said):
        reason, place = found[1], int(found[2])
        if changed := _CHANGED.fullmatch(reason):
            name, before, now = changed.groups()
            reason = f"the field {name!r} is of another type ({now}) than before ({before})"
        return InvalidFile(f"{shown}, row {row + place}: {reason}.")
    return InvalidFile(f"{shown}, from row {row} on: {said}.")


def _fields(shown: str, stream: Replayed) -> dict[str, type]:
    """Return the names in the first rows, and the type of the first value of each that has one."""
    import msgspec

    lines = stream.start.split(b"\n", _ROWS_LOOKED_AT)[:_ROWS_LOOKED_AT]
    if len(lines) > 1:
        lines.pop()  # it may be cut off
    elif not stream.ended:
        raise InvalidFile(f"{shown}, row 1: more than {len(stream.start) >> 20} MB long.")
    seen: dict[str, type] = {}
    for row, line in enumerate(filter(bytes.strip, lines), 1):
        try:
            fields = msgspec.json.decode(line, type=dict[str, Any])
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise InvalidFile(f"{shown}, row {row}: no JSON object: {error}.") from None
        for name, value in fields.items():
            if seen.get(name, NoneType) is NoneType:
                seen[name] = type(value)
    return seen
