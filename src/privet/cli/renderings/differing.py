"""Tables of differences, and what is said of them in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.table import Table

from ..terminal import console, new_table
from .base import Pair

__all__ = ["PERCENT", "add_row", "chance", "p_in_text", "pair_table", "signed", "what_differs"]

PERCENT = 100
# How many rows that differ are named.
_MOST_NAMED = 3
_NARROW = 80


def pair_table(pair: Pair, title: str, row: str, interval: str) -> Table:
    """Return a table of differences without rows; a narrow one leaves out what is compared."""
    table = new_table(title)
    table.add_column(row, overflow="fold")
    for name in (pair.first, pair.second) if _is_wide() else ():
        table.add_column(name, justify="right", overflow="fold")
    table.add_column("difference", justify="right", no_wrap=True)
    table.add_column(interval, justify="center", no_wrap=True)
    table.add_column("p", justify="left", no_wrap=True)
    return table


def add_row(
    table: Table,
    pair: Pair,
    i: int,
    values: Sequence[str],
    difference: str,
    low: str,
    high: str,
) -> None:
    """Add the i-th row: the values that are compared, their difference, and its interval."""
    one, found = pair.changes, bool(pair.changes.found[i])
    table.add_row(
        one.names[i],
        *(values if _is_wide() else ()),
        difference.strip(),
        f"{low} to {high}",
        _small(float(one.p_values[i])) + (" *" if found else ""),
        style="" if found else "dim",
    )


def _is_wide() -> bool:
    return console().width >= _NARROW


def signed(numbers: Iterator[float], digits: int, width: int = 0) -> tuple[str, str, str]:
    """Return a difference and the ends of its interval, with their signs.

    >>> signed(iter([0.5, -0.25, 1.25]), 2)
    ('+0.50', '-0.25', '+1.25')
    """
    value, low, high = (f"{number:+z{width or ''}.{digits}f}" for number in numbers)
    return value, low, high


def what_differs(names: Sequence[str], every: int, row: str, rows: str) -> str:
    """Return a sentence on the rows that differ.

    >>> what_differs([], 4, "category", "categories")
    'No single category is found to differ.'
    >>> what_differs(["tea", "milk"], 4, "category", "categories")
    '2 of 4 categories differ: tea, milk.'
    """
    if not names:
        return f"No single {row} is found to differ."
    named = f": {', '.join(names)}" if len(names) <= _MOST_NAMED else ""
    return f"{len(names):,} of {every:,} {rows} differ{named}."


def chance(p: float) -> str:
    """Return a probability in words.

    >>> chance(0.43), chance(0.004), chance(1e-9)
    ('43 of 100', '4 of 1,000', 'fewer than 1 of 1,000')
    """
    if p >= 0.01:
        return f"{100 * p:.0f} of 100"
    return f"{1000 * p:.0f} of 1,000" if p >= 0.001 else "fewer than 1 of 1,000"


def p_in_text(p: float) -> str:
    """Return a p-value in running text.

    >>> p_in_text(0.4321), p_in_text(0.00001)
    ('p = 0.432', 'p < 0.001')
    """
    return f"p = {_small(p)}" if p >= 0.001 else f"p {_small(p)}"


def _small(p: float) -> str:
    """Return a p-value.

    >>> _small(0.4321), _small(0.00001)
    ('0.432', '< 0.001')
    """
    return f"{p:.3f}" if p >= 0.001 else "< 0.001"
