"""Arrow files, which are also called Feather."""

from __future__ import annotations

from ...analysis.columns import arrow
from .arrow_stream import checked
from .opened import Batches, OpenTable
from .source import Source


def recognizes(start: bytes) -> bool:
    """Return whether a file that begins like this is an Arrow file."""
    return start.startswith(b"ARROW1")


def open_table(source: Source) -> OpenTable:
    """Open a file that is not packed."""
    pa, ipc, file = arrow(), arrow("ipc"), source.plain_file()
    with pa.memory_map(file) as mapped:
        names = ipc.open_file(mapped).schema.names

    def batches(columns: list[str]) -> Batches:
        fields = [names.index(name) for name in columns]
        with pa.memory_map(file) as mapped:
            opened = ipc.open_file(mapped, options=ipc.IpcReadOptions(included_fields=fields))
            for i in range(opened.num_record_batches):
                yield checked(opened.get_batch(i))

    return OpenTable(source.name, names, batches)
