"""What commands print: JSON, and lines on stderr."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

import click


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
