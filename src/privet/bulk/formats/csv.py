"""CSV: text with a header, and a delimiter between its fields."""

from __future__ import annotations

import csv
import io
import re

from ...analysis.columns import arrow
from ...errors import InvalidArgument, InvalidFile
from .opened import LONG_ROW, MOST_ROW_BYTES, Batches, OpenTable, place, too_long
from .source import Source

# Arrow's text, because the handler that it offers for such rows fails on those that are not UTF-8.
_RAGGED = re.compile(r"Row #(\d+): Expected (\d+) columns, got (\d+)")
_OTHER_DELIMITERS = ";\t|"


def recognizes(start: bytes) -> bool:
    """Return True: what is nothing else is taken for CSV."""
    return True


def open_table(source: Source) -> OpenTable:
    """Open a file whose columns are read as bytes."""
    pa, reader = arrow(), arrow("csv")
    delimiter = source.delimiter or ("\t" if source.has_ending(".tsv", ".tab") else None)
    names, alone = _header(source, delimiter)

    def batches(columns: list[str]) -> Batches:
        if alone:  # Arrow takes a header without an end of line for an empty file
            return
        # Without threads Arrow counts rows for its messages, and parses no slower.
        options = reader.ReadOptions(block_size=MOST_ROW_BYTES, use_threads=False)
        parse = reader.ParseOptions(
            delimiter=delimiter or ",", newlines_in_values=True, ignore_empty_lines=False
        )
        convert = reader.ConvertOptions(
            strings_can_be_null=False,
            check_utf8=False,
            include_columns=columns,
            column_types=dict.fromkeys(columns, pa.binary()),
        )
        row = 1
        try:
            with (
                source.for_arrow() as stream,
                reader.open_csv(stream, options, parse, convert) as opened,
            ):
                for batch in opened:
                    row += len(batch)
                    yield batch
        except pa.ArrowInvalid as error:
            if ragged := _RAGGED.search(str(error)):
                number, wanted, got = ragged.groups()
                where = place(source.name, int(number) - 1, header=True)
                rule = f"the number of fields is {got}, the header's {wanted}"
                raise InvalidFile(f"{where}: {rule}.") from None
            if LONG_ROW in str(error):
                raise too_long(source.name, row, "; is a quote never closed?") from None
            raise

    return OpenTable(source.name, names, batches, header=True)


def check_delimiter(delimiter: str | None) -> None:
    """Refuse what cannot stand between fields."""
    if delimiter is None:
        return
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0':
        rule = "one character of ASCII, or tab, and no quote or end of a line"
        raise InvalidArgument("a CSV file", "delimiter", rule, delimiter)


def _header(source: Source, delimiter: str | None) -> tuple[list[str], bool]:
    """Return the names of the columns, and whether nothing follows them."""
    text = io.StringIO(source.start.decode("utf-8", "surrogateescape"), newline="")
    try:
        lines = csv.reader(text, delimiter=delimiter or ",", strict=True)
        names = next(lines, []) or [""]
    except csv.Error as error:
        raise InvalidFile(f"{source.name}: no header of a CSV file: {error}.") from None
    for name in names:
        if any(c == "\0" or "\ud800" <= c <= "\udfff" for c in name):  # the latter are no UTF-8
            what = "no header of a CSV file in UTF-8"
            raise InvalidFile(f"{source.name}: {what}: {name!r:.60}.")
    for other in _OTHER_DELIMITERS if len(names) == 1 and delimiter is None else "":
        if other in names[0]:
            raise InvalidFile(
                f"{source.name}: the header {names[0]!r:.60} has {other!r} and no commas.",
                parameter="delimiter",
            )
    return names, source.stream.ended and not text.read(1)
