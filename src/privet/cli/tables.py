"""Tables into files: CSV, JSON or Parquet, as the ending says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


def write_table(path: Path, columns: Mapping[str, Sequence[Any]], json_text: str) -> None:
    """Write the columns, or the text if it is JSON that is wanted."""
    ending = path.suffix.lower()
    if ending == ".json":
        path.write_text(json_text + "\n", "utf-8")
    elif ending == ".csv":
        import csv

        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows(zip(*columns.values(), strict=True))
    else:
        from ..columns import arrow

        arrow("parquet").write_table(arrow().table(dict(columns)), path)
