"""Files of rows in any common format, as Arrow batches of the columns that are asked for.

What a file is, its first bytes say: Parquet, Arrow (Feather, or a stream), NDJSON, or else CSV;
gzip, bzip2, zstd, lz4 and xz are unpacked on the way. Everything is streamed, and nothing is
written anywhere, so that answers can come through a pipe without touching a disk.
"""

from __future__ import annotations

import re
import sys
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..analysis.columns import arrow
from ..errors import InvalidFile
from .damage import reading
from .text import Replayed, check_delimiter, open_csv, open_json

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence

    # To be closed: what Arrow still reads when the interpreter ends keeps it from ending.
    Batches = Generator[Any, None, None]

__all__ = ["STDIN", "Table", "count_rows", "open_table"]

STDIN = Path("-")

_WHAT = "a table in UTF-8 that can be read"
_BATCH_ROWS = 1 << 18
_START_BYTES = 1 << 20
_PACKINGS = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bz2",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x04\x22\x4d\x18": "lz4",
    b"\xfd7zXZ": "xz",
}
_ZIP, _OLD_FEATHER = b"PK\x03\x04", b"FEA1"
_PARQUET, _ARROW_FILE, _ARROW_STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_JSON_ARRAY = re.compile(rb"\s*\[\s*[{\]]")
_PACKED = (".gz", ".bz2", ".zst", ".lz4", ".xz")
_TABS = (".tsv", ".tab")


class Table(NamedTuple):
    """An open file of rows: the names of its columns, and how to read some of them.

    `first_row` is the number that people give to the first row: after a header it is 2.
    """

    path: str
    names: Sequence[str]
    first_row: int
    read: Callable[[list[str]], Batches]


@contextmanager
def open_table(path: Path, delimiter: str | None = None) -> Iterator[Table]:
    """Open a file, or standard input (`STDIN`); the delimiter is for CSV alone."""
    check_delimiter(delimiter)
    shown = "stdin" if path == STDIN else str(path)
    with reading(shown, _WHAT), ExitStack() as stack:
        file = sys.stdin.buffer if path == STDIN else stack.enter_context(path.open("rb"))
        packed = Replayed(file, _START_BYTES)
        packing = _packing(shown, packed.start)
        stream = Replayed(_unpack(packed, packing), _START_BYTES) if packing else packed
        if path != STDIN and path.is_file() and packing != "xz":
            stream.reopen = partial(arrow().input_stream, shown, compression=packing)
        start = stream.start
        if not start:
            raise InvalidFile(f"{shown}: the file is empty.")
        if start.startswith((_PARQUET, _ARROW_FILE)):
            if path == STDIN or packing:
                raise InvalidFile(
                    f"{shown}: Parquet and Feather files are read from their end, and cannot come "
                    "through a pipe or packed; give the name of the plain file."
                )
            opener = _open_parquet if start.startswith(_PARQUET) else _open_arrow_file
            yield opener(shown, stack)
        elif start.startswith(_ARROW_STREAM):
            yield _open_arrow_stream(shown, stream)
        elif start.lstrip()[:1] == b"{":
            yield Table(shown, *open_json(shown, stream))
        elif _JSON_ARRAY.match(start):
            raise InvalidFile(
                f"{shown}: a JSON array; write one object a line, as jq -c '.[]' does."
            )
        elif start.startswith(_UTF16):
            raise InvalidFile(f"{shown}: text in UTF-16; save it as UTF-8.")
        else:
            yield Table(shown, *open_csv(shown, stream, delimiter or _usual_delimiter(path)))


def count_rows(paths: Sequence[Path]) -> int | None:
    """Return how many rows files have, if all of them say so before they are read."""
    total = 0
    for path in paths:
        if path == STDIN or not path.is_file():
            return None
        with path.open("rb") as file:
            if file.read(len(_PARQUET)) != _PARQUET:
                return None
        with reading(path, _WHAT):
            total += arrow("parquet").read_metadata(path).num_rows
    return total


def _packing(shown: str, start: bytes) -> str | None:
    if start.startswith(_ZIP):
        raise InvalidFile(f"{shown}: a ZIP archive or a spreadsheet; unpack it, or save it as CSV.")
    if start.startswith(_OLD_FEATHER):
        raise InvalidFile(f"{shown}: a Feather file of the old version 1; save it as version 2.")
    return next((name for magic, name in _PACKINGS.items() if start.startswith(magic)), None)


def _unpack(packed: Replayed, packing: str) -> Any:
    if packing == "xz":  # which Arrow does not know
        from lzma import LZMAFile

        return LZMAFile(packed)  # type: ignore[arg-type]
    return arrow().CompressedInputStream(arrow().PythonFile(packed, "r"), packing)


def _usual_delimiter(path: Path) -> str | None:
    inner = path.with_suffix("") if path.suffix.lower() in _PACKED else path
    return "\t" if inner.suffix.lower() in _TABS else None


def _open_parquet(shown: str, stack: ExitStack) -> Table:
    parquet = arrow("parquet")
    schema = parquet.read_schema(shown)

    def read(columns: list[str]) -> Batches:
        # Dictionaries stay such where they are: each different answer is then looked up once.
        plain = [name for name in columns if not schema.field(name).type.num_fields]
        with parquet.ParquetFile(shown, read_dictionary=plain, pre_buffer=False) as file:
            yield from file.iter_batches(batch_size=_BATCH_ROWS, columns=columns)

    return Table(shown, schema.names, 1, read)


def _open_arrow_file(shown: str, stack: ExitStack) -> Table:
    ipc = arrow("ipc")
    file = stack.enter_context(arrow().memory_map(shown))
    names = ipc.open_file(file).schema.names

    def read(columns: list[str]) -> Batches:
        fields = [names.index(name) for name in columns]
        options = ipc.IpcReadOptions(included_fields=fields)
        batches = ipc.open_file(file, options=options)
        for i in range(batches.num_record_batches):
            yield _checked(batches.get_batch(i).select(columns))

    return Table(shown, names, 1, read)


def _open_arrow_stream(shown: str, stream: Replayed) -> Table:
    batches = arrow("ipc").open_stream(arrow().PythonFile(stream, "r"))

    def read(columns: list[str]) -> Batches:
        for batch in batches:
            yield _checked(batch.select(columns))

    return Table(shown, batches.schema.names, 1, read)


def _checked(batch: Any) -> Any:
    """Refuse damage that Arrow itself looks for only when asked, and else follows out of memory."""
    batch.validate(full=True)
    return batch
