"""The seal of a reports file: checksums of all its other bytes, with which damage is found.

Parquet's own checksums leave out the headers of pages and the footer, where one changed byte can
make rows disappear without an error. So privet seals the files that it writes:

    "PAR1", row groups | seal | footer, its length, "PAR1"

The seal is little-endian. For each row group it has the place where the group ends (8 bytes) and
the CRC-32 of the bytes from the end of the group before (4 bytes); then the number of row groups
(4), the CRC-32 of everything after the seal (4), that of the seal so far (4), and a mark (8).

Parquet's readers follow the footer and never see the seal. A program that rewrites the reports
copies the metadata, but not these bytes: what it writes has no seal, and is not taken for damaged.
CRC-32 finds every change within 32 neighbouring bits, and all but one in 2^32 of the others. It is
against damage; anyone can compute the seal of a forged file.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from zlib import crc32

from ..analysis.columns import arrow
from ..errors import InvalidFile

__all__ = ["Seal", "SealedFile", "damaged", "read_seal", "sealed_parts"]

MARK = b"privetS\x01"
_PART, _REST, _CHECKED = struct.Struct("<QI"), struct.Struct("<II"), struct.Struct("<I8s")
_END = struct.Struct("<I4s")  # of every Parquet file: the footer's length, "PAR1"


class SealedFile(io.RawIOBase):
    """A file that a Parquet writer writes, part by part, and that gets its seal at the end."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._crc = self._at = 0
        self._parts: list[tuple[int, int]] = []
        self._footer: list[bytes] | None = None

    def writable(self) -> bool:
        """Return True: Arrow asks."""
        return True

    def tell(self) -> int:
        """Return how many bytes there are."""
        return self._at

    def write(self, data: Any) -> int:
        """Write bytes of a part, or keep those of the footer."""
        if self._footer is None:
            self._file.write(data)
            self._crc = crc32(data, self._crc)
        else:
            self._footer.append(bytes(data))
        self._at += len(data)
        return len(data)

    def end_part(self) -> None:
        """End a part: what has been written since the end of the one before."""
        self._parts.append((self._at, self._crc))
        self._crc = 0

    def begin_footer(self) -> None:
        """Take all that follows for the footer."""
        self._footer = []

    def seal(self) -> None:
        """Write the seal and, after it, the footer."""
        footer = b"".join(self._footer or [])
        seal = b"".join(_PART.pack(*part) for part in self._parts)
        seal += _REST.pack(len(self._parts), crc32(footer))
        self._file.write(seal + _CHECKED.pack(crc32(seal), MARK) + footer)


class Seal(NamedTuple):
    """The seal of a file: where each part ends, and its CRC-32."""

    path: Path
    parts: Sequence[tuple[int, int]]

    def read(self, part: int) -> SealedPart:
        """Return a part of the file; refuse the file if this part of it is damaged."""
        start = self.parts[part - 1][0] if part else 0
        end, crc = self.parts[part]
        data = arrow().allocate_buffer(end - start)
        with self.path.open("rb") as file:
            file.seek(start)
            if file.readinto(data) != len(data) or crc32(data) != crc:
                raise damaged(self.path, f"row group {part + 1} of {len(self.parts)}")
        return SealedPart(start, data)


class SealedPart(io.RawIOBase):
    """A file of which one part is in memory, for Arrow to read without copying it."""

    def __init__(self, start: int, data: Any) -> None:
        self._start = self._at = start
        self._data = data

    def readable(self) -> bool:
        """Return True: Arrow asks."""
        return True

    def seekable(self) -> bool:
        """Return True: Arrow asks."""
        return True

    def tell(self) -> int:
        """Return the place in the file that is read next."""
        return self._at

    def seek(self, place: int, whence: int = io.SEEK_SET) -> int:
        """Go to a place in the file, the end of which is that of the part."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._start + len(self._data)}
        self._at = base[whence] + place
        return self._at

    def read(self, size: int = -1) -> Any:
        """Return bytes of the part, or nothing where there are none."""
        at = self._at - self._start
        rest = max(0, len(self._data) - at) if at >= 0 else 0
        found = self._data.slice(at, min(size, rest) if size >= 0 else rest) if rest else b""
        self._at += len(found)
        return found


def read_seal(path: Path) -> Seal | None:
    """Return the seal of a file, or None if it has none; refuse a damaged seal or footer.

    Files of version 0.2 have none, nor do those that other programs wrote.
    """
    with path.open("rb") as file:

        def read(place: int, length: int) -> bytes:
            file.seek(place)
            return file.read(length)

        size = file.seek(0, io.SEEK_END)
        parts = sealed_parts(path, size, read, lambda *piece: crc32(read(*piece)))
    return None if parts is None else Seal(path, parts)


def sealed_parts(
    name: object,
    size: int,
    read: Callable[[int, int], bytes],
    crc_of: Callable[[int, int], int],
) -> list[tuple[int, int]] | None:
    """Return where the parts of a file end and their CRC-32, or None if the file has no seal.

    The file has a size and two functions of a place and a length, for bytes and for their CRC-32.
    """
    least = _REST.size + _CHECKED.size
    if size < least + _END.size:
        return None
    length, _ = _END.unpack(read(size - _END.size, _END.size))
    behind = size - _END.size - length  # the seal
    if behind < least:
        return None
    rest = read(behind - least, least)
    crc, mark = _CHECKED.unpack_from(rest, _REST.size)
    if mark != MARK:
        return None
    count, footer = _REST.unpack_from(rest)
    start = behind - least - count * _PART.size
    if start < 0:
        raise damaged(name, "the seal")
    parts = read(start, count * _PART.size)
    if crc32(rest[: _REST.size], crc32(parts)) != crc:
        raise damaged(name, "the seal")
    if crc_of(behind, size - behind) != footer:
        raise damaged(name, "the footer")
    found = list(_PART.iter_unpack(parts))
    if found and found[-1][0] != start:  # bytes were inserted or cut out, or files joined
        raise damaged(name, "the length")
    return found


def damaged(path: object, what: str) -> InvalidFile:
    """Return the error for a file of which something is not as it was written."""
    return InvalidFile(
        f"{path}: the file is damaged: {what} is not as it was written. Copy it again from where "
        "it was made, or make it again from the reports or answers."
    )
