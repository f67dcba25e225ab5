"""The ways in which a file can be packed. Adding one is a line here.

Where a table's bytes come from: a file or a pipe, unpacked, and looked at before it is read.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from lzma import LZMAFile
from pathlib import Path
from typing import Any, NamedTuple

from ...analysis.columns import arrow
from ...errors import InvalidFile
from ..reading import reading
from .opened import READABLE


class Packing(NamedTuple):
    """A way to pack: its first bytes, the ending of such files, and Arrow's name for it, if any."""

    magic: bytes
    ending: str
    codec: str | None

    def unpack(self, stream: Any) -> Any:
        """Return the stream of what was packed."""
        if self.codec is None:
            return LZMAFile(stream)
        return arrow().CompressedInputStream(arrow().PythonFile(stream, "r"), self.codec)


_PACKINGS = (
    Packing(b"\x1f\x8b", ".gz", "gzip"),
    Packing(b"BZh", ".bz2", "bz2"),
    Packing(b"\x28\xb5\x2f\xfd", ".zst", "zstd"),
    Packing(b"\x04\x22\x4d\x18", ".lz4", "lz4"),
    Packing(b"\xfd7zXZ", ".xz", None),
)


def packing_of(start: bytes) -> Packing | None:
    """Return how a file that begins like this is packed."""
    return next((packing for packing in _PACKINGS if start.startswith(packing.magic)), None)


STDIN = Path("-")

_START_BYTES = 1 << 20
_BOM = b"\xef\xbb\xbf"


class Replayed(io.RawIOBase):
    """A stream whose beginning can be looked at before it is read; a byte order mark is left out.

    `ended` says that the beginning is all there is.
    """

    def __init__(self, stream: Any) -> None:
        self._stream, self._at, self.start = stream, 0, b""
        start = self.read(_START_BYTES)
        self.ended = len(start) < _START_BYTES
        self.start = start.removeprefix(_BOM)
        self.mark_bytes = len(start) - len(self.start)

    def readable(self) -> bool:
        """Return True: Arrow asks."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Read the beginning again, and then on; a damaged file may ask for any size."""
        pieces = []
        while size != 0:
            most = _START_BYTES if size < 0 else min(size, _START_BYTES)
            piece = self.start[self._at : self._at + most]
            self._at += len(piece)
            if not (piece := piece or self._stream.read(most)):
                break
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)


class Source(NamedTuple):
    """A table's bytes: the stream of them, unpacked, and the regular file that has them, if any.

    `name` is for messages; `delimiter` is what the caller says of a CSV file, and `sheet` of a
    spreadsheet.
    """

    name: str
    file: Path | None
    packing: Packing | None
    stream: Replayed
    delimiter: str | None
    sheet: str | None

    @property
    def start(self) -> bytes:
        """The first bytes, a megabyte at most."""
        return self.stream.start

    def has_ending(self, *endings: str) -> bool:
        """Return whether the name has one of these endings, also before that of its packing."""
        packed = self.packing.ending if self.packing is not None else ""
        return self.name.lower().removesuffix(packed).endswith(endings)

    def plain_file(self) -> bytes:
        """Return the file's name, for a format that is read from its end; Arrow takes any bytes."""
        if self.file is None or self.packing is not None:
            raise InvalidFile(
                f"{self.name}: Parquet and Feather files are read from their end, and cannot come "
                "through a pipe or packed; give the name of the plain file."
            )
        return os.fsencode(self.file)

    def for_arrow(self) -> Any:
        """Return the stream for Arrow to read: not through Python, where that can be helped.

        Arrow reads in threads of its own, one of which may still do so when the interpreter ends.
        """
        codec = self.packing.codec if self.packing is not None else None
        if self.file is None or (self.packing is not None and codec is None):
            return self.stream
        stream = arrow().input_stream(arrow().OSFile(os.fsencode(self.file)), compression=codec)
        stream.read(self.stream.mark_bytes)
        return stream


@contextmanager
def open_source(path: Path, delimiter: str | None, sheet: str | None) -> Iterator[Source]:
    """Open a file, or standard input (`STDIN`), and unpack it."""
    name, file = ("stdin", None) if path == STDIN else (str(path), path if path.is_file() else None)
    with nullcontext(sys.stdin.buffer) if path == STDIN else path.open("rb") as opened:
        with reading(name, READABLE):
            stream = Replayed(opened)
            packing = packing_of(stream.start)
            if packing is not None:
                stream = Replayed(packing.unpack(stream))
        if not stream.start:
            raise InvalidFile(f"{name}: the file is empty.")
        yield Source(name, file, packing, stream, delimiter, sheet)
