"""How things look in a terminal and as JSON."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from ..estimate import Estimate
    from ..mechanisms.base import Target
    from ..survey import Survey

_BAR = 24
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
    """Print a table: category, bar, share, interval, and the truth where it is known."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    low, high = estimate.interval(level, target=target)
    order = np.argsort(-estimate.frequencies, kind="stable")[:top]
    longest = max(float(estimate.frequencies.max()), 1e-9)
    heading = Text(title or estimate.survey.question)
    table = Table(box=box.SIMPLE_HEAD, title=heading, title_justify="left")
    table.add_column("category", overflow="fold")
    table.add_column("", no_wrap=True, min_width=_BAR)
    table.add_column("share", justify="right", no_wrap=True)
    table.add_column(f"{100 * level:g} % interval", justify="center", no_wrap=True)
    shrunk = estimate.shrink() if estimate.can_shrink else None
    if shrunk is not None:
        table.add_column("shrunk", justify="right", no_wrap=True)
    if truth is not None:
        table.add_column("truth", justify="right", no_wrap=True)
        table.add_column("", no_wrap=True)
    for i in order:
        cells: list[str | Text] = [
            Text(estimate.survey.categories[i]),
            Text(_bar(float(estimate.frequencies[i]) / longest), style="green"),
            f"{100 * estimate.frequencies[i]:.2f} %",
            f"{100 * low[i]:6.2f} – {100 * high[i]:5.2f} %",
        ]
        if shrunk is not None:
            cells.append(f"{100 * shrunk[i]:.2f} %")
        if truth is not None:
            holds = low[i] <= truth[i] <= high[i]
            cells += [f"{100 * truth[i]:.2f} %", "✓" if holds else "✗"]
        table.add_row(*cells)
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 100)
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
    import json

    import click

    click.echo(json.dumps(document, indent=2, ensure_ascii=False))


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


def _bar(share: float) -> str:
    """Return a bar of block characters.

    >>> _bar(0.5), _bar(0.02), _bar(-1)
    ('████████████', '▌', '')
    """
    eighths = round(8 * _BAR * min(max(share, 0), 1))
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()
