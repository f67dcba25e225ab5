"""Arrow streams, as programs send them to each other."""

from __future__ import annotations

from typing import Any

from ...analysis.columns import arrow
from .opened import Batches, OpenTable
from .source import Source


def recognizes(start: bytes) -> bool:
    """Return whether a file that begins like this is an Arrow stream."""
    return start.startswith(b"\xff\xff\xff\xff")


def open_table(source: Source) -> OpenTable:
    """Open a stream, which is read once."""
    stream = arrow("ipc").open_stream(arrow().PythonFile(source.stream, "r"))

    def batches(columns: list[str]) -> Batches:
        for batch in stream:
            yield checked(batch.select(columns))

    return OpenTable(source.name, stream.schema.names, batches)


def checked(batch: Any) -> Any:
    """Refuse damage that Arrow looks for only when asked, and otherwise follows out of memory."""
    batch.validate(full=True)
    return batch
