"""How things look in a terminal and as JSON."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from ..analysis.estimate import Estimate
    from ..mechanisms.base import Target
    from ..survey import Survey

# Of a bar, and of a category's name beside it where there is little room.
_BAR, _LEAST_BAR, _NAME = 24, 6, 20
_NARROW = 56
_EIGHTHS = " ▏▎▍▌▋▊▉"


def print_estimate(
    estimate: Estimate,
    *,
    level: float,
    target: Target,
    truth: NDArray[np.float64] | None = None,
    top: int = 40,
    title: str | None = None,
) -> None:
    """Print a table: category, bar, share, interval, and the truth where it is known.

    In a narrow terminal the bars are shorter, or left out, and then the shrunk shares.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    low, high = estimate.interval(level, target=target)
    order = np.argsort(-estimate.frequencies, kind="stable")[:top]
    longest = max(float(estimate.frequencies.max()), 1e-9)
    heading = Text(title or estimate.survey.question)
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 100)
    shrunk = estimate.shrink() if estimate.can_shrink and console.width >= _NARROW else None
    widest = max(len(estimate.survey.categories[i]) for i in order)
    numbers = 34 + 11 * (shrunk is not None) + 14 * (truth is not None)
    bar = min(_BAR, console.width - numbers - 6 - min(widest, _NAME))
    table = Table(box=box.SIMPLE_HEAD, title=heading, title_justify="left")
    table.add_column("category", overflow="fold")
    if bar >= _LEAST_BAR:
        table.add_column("", no_wrap=True, min_width=bar)
    table.add_column("share", justify="right", no_wrap=True)
    table.add_column(f"{100 * level:g} % interval", justify="center", no_wrap=True)
    if shrunk is not None:
        table.add_column("shrunk", justify="right", no_wrap=True)
    if truth is not None:
        table.add_column("truth", justify="right", no_wrap=True)
        table.add_column("", no_wrap=True)
    for i in order:
        cells: list[str | Text] = [Text(estimate.survey.categories[i])]
        if bar >= _LEAST_BAR:
            cells.append(Text(_bar(float(estimate.frequencies[i]) / longest, bar), style="green"))
        cells += [
            f"{100 * estimate.frequencies[i]:z.2f} %",
            f"{100 * low[i]:6.2f} – {100 * high[i]:5.2f} %",
        ]
        if shrunk is not None:
            cells.append(f"{100 * shrunk[i]:.2f} %")
        if truth is not None:
            holds = low[i] <= truth[i] <= high[i]
            cells += [f"{100 * truth[i]:.2f} %", "✓" if holds else "✗"]
        table.add_row(*cells)
    console.print(table)
    hidden = len(estimate.counts) - len(order)
    if hidden:
        console.print(f"… and {hidden:,} categories with smaller shares (--top shows more)")


def describe_survey(survey: Survey) -> dict[str, Any]:
    """Return what JSON output says of the survey that it is about."""
    return {
        "survey": survey.id,
        "fingerprint": survey.fingerprint,
        "question": survey.question,
        "epsilon": survey.epsilon,
        "mechanism": repr(survey.mechanism),
    }


def describe_estimate(estimate: Estimate, level: float, target: Target) -> dict[str, Any]:
    """Return what JSON output says of an estimate, one object a category."""
    columns = estimate.columns(level, target=target)
    columns = {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in columns.items()}
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return {"n": estimate.n, "categories": rows}


def print_json(document: Any) -> None:
    """Print a document as JSON."""
    import click

    click.echo(as_json(document))


def as_json(document: Any) -> str:
    """Return a document as JSON, indented.

    >>> print(as_json({"café": [1.5, None]}))
    {
      "café": [
        1.5,
        null
      ]
    }
    """
    from msgspec import json

    return json.format(json.encode(document), indent=2).decode()


def printable(text: str) -> str:
    r"""Return text of somebody's file as one line that does nothing to a terminal.

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


@contextmanager
def progress(what: str, total: float | None = None) -> Iterator[Callable[[int], object]]:
    """Yield advance(n); a bar on stderr where that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda n: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeElapsedColumn as Elapsed

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Elapsed()
    with Progress(*columns, console=Console(stderr=True), transient=True) as live:
        task = live.add_task(what, total=total)
        yield lambda n: live.advance(task, n)


def _bar(share: float, width: int = _BAR) -> str:
    """Return a bar of block characters.

    >>> _bar(0.5), _bar(0.02), _bar(-1)
    ('████████████', '▌', '')
    """
    eighths = round(8 * width * min(max(share, 0), 1))
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()
