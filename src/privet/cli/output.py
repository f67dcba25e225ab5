"""What commands put out: JSON, files, and lines on stderr."""

from __future__ import annotations

import json
from contextlib import ExitStack, contextmanager
from math import isfinite
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path


def say(line: str) -> None:
    """Print a line on stderr, where everything goes that is not a result."""
    click.echo(line, err=True)


def print_json(document: Any) -> None:
    """Print a document as JSON."""
    click.echo(as_json(document))


def as_json(document: Any) -> str:
    """Return a document as JSON, indented; null stands for what is no number.

    >>> print(as_json({"café": [1.5, float("nan")]}))
    {
      "café": [
        1.5,
        null
      ]
    }
    """
    return json.dumps(_finite(document), indent=2, ensure_ascii=False, allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def rows_of(columns: Mapping[str, Iterable[Any]]) -> list[dict[str, Any]]:
    """Return the rows of a table, as JSON has them.

    >>> rows_of({"name": ["tea", "coffee"], "share": [0.6, 0.4]})
    [{'name': 'tea', 'share': 0.6}, {'name': 'coffee', 'share': 0.4}]
    """
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def in_lists(columns: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return columns as lists of Python's own numbers."""
    return {name: v.tolist() if hasattr(v, "tolist") else v for name, v in columns.items()}


def print_lines(lines: Mapping[str, str]) -> None:
    """Print a line for each name, with the values below each other."""
    width = max(map(len, lines))
    for name, value in lines.items():
        click.echo(f"{name:<{width}}  {value}")


@contextmanager
def outputs(out: Path | None, figure: Path | None) -> Iterator[tuple[Path | None, Path | None]]:
    """Yield where to write a file and a picture, if at all; both appear if the block succeeds.

    A place that cannot be written, and a missing matplotlib, are errors before the work begins.
    """
    from ..device.files import replacing
    from ..figures.canvas import new_figure

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
        from ..analysis.spreadsheet import csv_text

        text, unsafe = csv_text(columns(), exact=exact)
        if unsafe:
            say(f"Note: an apostrophe keeps spreadsheets from running {plural(unsafe, 'cell')}.")
        path.write_text(text, "utf-8", newline="")
    else:
        from ..analysis.columns import arrow

        arrow("parquet").write_table(arrow().table(dict(columns())), path)


def one_line(text: str) -> str:
    """Return a message as one printable line."""
    return printable(" ".join(text.split()))


def printable(text: str) -> str:
    r"""Return text from anyone's file as one line that does nothing to a terminal.

    >>> printable("caf\xe9\x1b[31m\n")
    'café\\x1b[31m\\n'
    """
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def plural(count: int, noun: str) -> str:
    """Return a number of things.

    >>> plural(1, "report"), plural(1200, "byte")
    ('1 report', '1,200 bytes')
    """
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def taken(
    paths: Sequence[Path], column: str, *, rows: int, missing: int, different: int | None = None
) -> str:
    """Return what a command took from files of answers.

    >>> from pathlib import Path
    >>> taken([Path("a.csv")], "vote", rows=2700, different=4, missing=168)
    'a.csv: column vote, 2,700 rows, 4 different, 168 missing'
    """
    files = str(paths[0]) if len(paths) == 1 else plural(len(paths), "file")
    several = "columns" if "," in column else "column"
    named = f"{several} {printable(column)}, " if column else ""  # where there are rows
    varied = "" if different is None else f"{different:,} different, "
    return f"{files}: {named}{plural(rows, 'row')}, {varied}{missing:,} missing"


def counted_in(paths: Sequence[object], n: int, survey: str) -> str:
    """Return what a command took from files of reports.

    >>> counted_in(["a.parquet", "b.parquet"], 1200, "drinks")
    '2 files: 1,200 reports of drinks'
    """
    files = str(paths[0]) if len(paths) == 1 else plural(len(paths), "file")
    return f"{files}: {plural(n, 'report')} of {survey}"


def three_digits(number: float) -> str:
    """Return a number >= 0 in three digits, without an exponent where it need not have one.

    >>> three_digits(0.1), three_digits(123.4), three_digits(1234.5), three_digits(2e8)
    ('0.100', '123', '1,230', '2.00e+08')
    """
    if 1000 <= number < 1e8:
        return f"{float(f'{number:.3g}'):,.0f}"
    return f"{number:#.3g}".rstrip(".")
