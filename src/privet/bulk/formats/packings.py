"""The ways in which a file can be packed. Adding one is a line here."""

from __future__ import annotations

from lzma import LZMAFile
from typing import Any, NamedTuple

from ...analysis.columns import arrow


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
