"""Parquet files."""

from __future__ import annotations

from ...analysis.columns import arrow
from ..reading import checked_places
from .opened import Batches, OpenTable
from .source import Source

_BATCH_ROWS = 1 << 18


def recognizes(start: bytes) -> bool:
    """Return whether a file that begins like this is Parquet."""
    return start.startswith(b"PAR1")


def open_table(source: Source) -> OpenTable:
    """Open a file that is not packed."""
    pa, parquet, file = arrow(), arrow("parquet"), source.plain_file()
    with pa.OSFile(file) as raw, parquet.ParquetFile(raw) as opened:
        schema, rows = opened.schema_arrow, opened.metadata.num_rows

    def batches(columns: list[str]) -> Batches:
        # Dictionaries stay such where they are: each different answer is then looked up once. What
        # is a dictionary for Arrow as well keeps its order, and is left alone.
        kinds = {name: schema.field(name).type for name in columns}
        plain = [
            name for name, kind in kinds.items()
            if not kind.num_fields and not pa.types.is_dictionary(kind)
        ]  # fmt: skip
        with (
            pa.OSFile(file) as raw,
            parquet.ParquetFile(raw, read_dictionary=plain, pre_buffer=False) as opened,
        ):
            yield from map(checked_places, opened.iter_batches(_BATCH_ROWS, columns=columns))

    return OpenTable(source.name, schema.names, batches, rows=rows)
