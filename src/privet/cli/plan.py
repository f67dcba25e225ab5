"""privet plan: what a survey would cost and tell, before anyone is asked."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ..mechanisms import Comparison


@click.command()
@click.option("--categories", "d", type=int, required=True, help="How many answers are possible.")
@click.option("-e", "--epsilon", type=float, required=True, help="The privacy level of one report.")
@click.option("-n", "--people", "n", type=click.IntRange(1), required=True, help="How many report.")
@click.option("--compare", "compared", is_flag=True, help="Every mechanism, side by side.")
@click.option("--json", "json_out", is_flag=True, help="Print JSON.")
def plan(d: int, epsilon: float, n: int, compared: bool, json_out: bool) -> None:
    """Say how far off the estimates of a survey would be, and how long its reports.

    privet plan --categories 1000 --epsilon 1 --people 50000 --compare
    """
    from ..mechanisms import choose, compare

    best = choose(d, epsilon)
    rows = [row for row in compare(d, epsilon, n) if compared or row.mechanism == best]
    if json_out:
        click.echo(_as_json(rows, best.name))
        return
    _print_table(rows, best.name)
    click.echo(f"{d:,} categories, {n:,} people, ε = {epsilon:g}. A survey takes {best!r}.")


def _as_json(rows: list[Comparison], chosen: str) -> str:
    import json
    from dataclasses import fields

    names = [field.name for field in fields(rows[0])][1:]
    return json.dumps(
        [
            {
                "mechanism": row.mechanism.name,
                "chosen": row.mechanism.name == chosen,
                **{name: getattr(row, name) for name in names},
            }
            for row in rows
        ],
        indent=2,
    )


def _print_table(rows: list[Comparison], chosen: str) -> None:
    from math import sqrt

    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("mechanism", no_wrap=True)
    headers = ("s.e. of a share", "squared error", "of the best", "report", "random bytes")
    for header in (*headers, "counting", "decoding"):
        table.add_column(header, justify="right", no_wrap=True)
    for row in rows:
        mark = " ←" if row.mechanism.name == chosen else ""
        table.add_row(
            row.mechanism.name + mark,
            f"± {100 * sqrt(row.squared_error / row.mechanism.d):.2g} %",
            f"{row.squared_error:.3g}",
            f"{row.relative_error:,.3f} ×",
            _size(row.report_bytes),
            _size(row.random_bytes),
            f"{_rounded(row.counting_steps)} a report",
            _rounded(row.decoding_steps),
        )
    Console(highlight=False, width=None if sys.stdout.isatty() else 120).print(table)


def _size(count: int) -> str:
    """Return a number of bytes.

    >>> _size(4), _size(125_000)
    ('4 B', '125 kB')
    """
    return f"{count} B" if count < 10_000 else f"{_rounded(count / 1000)} kB"


def _rounded(number: float) -> str:
    """Return three digits, without an exponent where they are few.

    >>> _rounded(0.5), _rounded(1234.5), _rounded(2e9)
    ('0.5', '1,230', '2e+09')
    """
    return f"{number:.3g}" if number < 1000 or number >= 1e9 else f"{float(f'{number:.3g}'):,.0f}"
