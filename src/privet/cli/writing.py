"""The files and pictures that commands write: whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from ..analysis.columns import arrow
from ..analysis.csv_text import csv_text
from ..device.files import replacing
from ..figures.canvas import new_figure
from .output import as_json, plural, say


@contextmanager
def outputs(out: Path | None, figure: Path | None) -> Iterator[tuple[Path | None, Path | None]]:
    """Yield where to write a file and a picture, if at all; both appear if the block succeeds.

    A place that cannot be written, and a missing matplotlib, are errors before the work begins.
    """
    with ExitStack() as stack:
        place, picture = (path and stack.enter_context(replacing(path)) for path in (out, figure))
        if picture is not None:
            new_figure(1, 1)
        yield place, picture
    for path in filter(None, (out, figure)):
        say(f"{path}: written")


def write_table(
    path: Path,
    columns: Callable[[], Mapping[str, Sequence[Any]]],
    document: Callable[[], Any],
    *,
    exact: bool = False,
) -> None:
    """Write the columns as CSV or Parquet, or the document as JSON, as the path's ending says.

    In CSV, text that a spreadsheet would run gets an apostrophe in front, unless it is `exact`.
    """
    ending = path.suffix.lower()
    if ending == ".json":
        path.write_text(as_json(document()) + "\n", "utf-8")
    elif ending == ".csv":
        text, unsafe = csv_text(columns(), exact=exact)
        if unsafe:
            say(f"Note: an apostrophe keeps spreadsheets from running {plural(unsafe, 'cell')}.")
        path.write_text(text, "utf-8", newline="")
    else:
        arrow("parquet").write_table(arrow().table(dict(columns())), path)
