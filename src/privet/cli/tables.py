"""Tables into files: CSV, JSON or Parquet, as the ending says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path


def write_table(
    path: Path, columns: Callable[[], Mapping[str, Sequence[Any]]], document: Callable[[], Any]
) -> None:
    """Write the columns, or the document if it is JSON that is wanted; only that one is made."""
    ending = path.suffix.lower()
    if ending == ".json":
        from .show import as_json

        path.write_text(as_json(document()) + "\n", "utf-8")
    elif ending == ".csv":
        import csv

        table = columns()
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(table)
            writer.writerows(zip(*table.values(), strict=True))
    else:
        from ..analysis.columns import arrow

        arrow("parquet").write_table(arrow().table(dict(columns())), path)
