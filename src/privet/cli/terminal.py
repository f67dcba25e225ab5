"""What a terminal needs: tables that fit it, and a bar for how far the work is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from shutil import get_terminal_size
from typing import Any

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.progress import TimeElapsedColumn as Elapsed
from rich.table import Table


def console(width: int = 100) -> Console:
    """Return where tables are printed; the width is for anything but a terminal, such as a pipe.

    Text is shown as it is: what looks like markup or an emoji's name is somebody's answer.
    """
    size = get_terminal_size()
    if sys.stdout.isatty():
        width = size.columns
    return Console(width=width, height=size.lines, markup=False, emoji=False, highlight=False)


def new_table(title: str | None = None, **options: Any) -> Table:
    """Return an empty table in the look of all."""
    return Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", **options)


def print_table(
    left: Iterable[str],
    right: Iterable[str],
    rows: Iterable[Iterable[str]],
    title: str | None = None,
    *,
    width: int = 100,
    **columns: Any,
) -> None:
    """Print rows under their heads: words on the left, and numbers, flush right, after them."""
    table = new_table(title)
    for head in left:
        table.add_column(head, **columns)
    for head in right:
        table.add_column(head, justify="right", **columns)
    for row in rows:
        table.add_row(*row)
    console(width).print(table)


@contextmanager
def progress(what: str, total: int | None = None) -> Iterator[Callable[[int], object]]:
    """Show a bar on stderr, if that is a terminal; see privet.analysis.progress."""
    if not sys.stderr.isatty():
        yield lambda n: None
        return
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Elapsed()
    with Progress(*columns, console=Console(stderr=True), transient=True) as live:
        task = live.add_task(what, total=total)
        yield lambda n: live.advance(task, n)
