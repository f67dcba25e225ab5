"""privet plan: what a survey would cost and tell, before anyone is asked."""

from __future__ import annotations

from dataclasses import asdict
from math import sqrt
from typing import TYPE_CHECKING, Any

import click

from .guards import note_epsilon
from .options import JSON, LEVEL, PICTURE, Once
from .output import outputs, print_json, three_digits
from .terminal import console, new_table

if TYPE_CHECKING:
    from pathlib import Path

    from ..mechanisms import Comparison
    from ..plan.planning import Plan

_WIDE = 115  # for all columns of a comparison


@click.command(cls=Once)
@click.option("--categories", "d", type=int, required=True, help="How many answers are possible.")
@click.option("-e", "--epsilon", type=float, help="The privacy level of one report.")
@click.option("-n", "--people", "n", type=click.IntRange(1), help="How many people report.")
@click.option(
    "--margin", type=float, help="How far a rare category's interval reaches, such as 0.01."
)
@LEVEL
@click.option("--compare", "compared", is_flag=True, help="Show every mechanism, side by side.")
@JSON
@click.option("--figure", type=PICTURE, help="Draw the margin against epsilon: PNG, SVG or PDF.")
def plan(
    d: int,
    epsilon: float | None,
    n: int | None,
    margin: float | None,
    level: float,
    compared: bool,
    json_out: bool,
    figure: Path | None,
) -> None:
    """Plan a survey: give two of --epsilon, --people and --margin, and learn the third.

    privet plan --categories 30 --people 50000 --margin 0.01 --compare
    """
    from ..figures import save_plan
    from ..mechanisms import compare
    from ..plan.planning import plan as make

    if sum(value is not None for value in (epsilon, n, margin)) != 2:
        raise click.UsageError("Give two of --epsilon, --people and --margin.")
    found = make(d, epsilon=epsilon, n=n, margin=margin, level=level)
    rows = compare(d, found.epsilon, found.n) if compared else []
    with outputs(None, figure) as (_, picture):
        if picture is not None:
            save_plan(found, picture)
    if json_out:
        more = {"mechanisms": [_described(row) for row in rows]} if compared else {}
        print_json(_described(found) | more)
        return
    if compared:
        _print_table(rows, found.mechanism.name)
    _print_plan(found)
    note_epsilon(found.epsilon)


def _print_plan(found: Plan) -> None:
    percent, share = f"{100 * found.level:g} %", found.detectable
    lines = {
        "people": f"{found.n:,}",
        "privacy": f"ε = {found.epsilon:g}",
        f"{percent} margin, a rare category": f"± {100 * found.margin:.3g} %",
        f"{percent} margin, a category chosen by half": f"± {100 * found.common_margin:.3g} %",
        "smallest share distinguishable from zero": "none"
        if share is None
        else f"{100 * share:.3g} %",
        "report": f"{_size(found.report_bytes)}, {found.mechanism!r}",
    }
    width = max(map(len, lines))
    for name, value in lines.items():
        click.echo(f"{name:<{width}}  {value}")


def _described(one: Plan | Comparison) -> dict[str, Any]:
    return {**asdict(one), "mechanism": one.mechanism.name, "report_bytes": one.report_bytes}


def _print_table(rows: list[Comparison], chosen: str) -> None:
    screen, table = console(120), new_table()
    table.add_column("mechanism", no_wrap=True)
    errors = ("s.e. of a share", "squared error", "of the best", "report")
    costs = ("random", "counting", "decoding") if screen.width >= _WIDE else ()
    for header in (*errors, *costs):
        table.add_column(header, justify="right", no_wrap=True)
    for row in rows:
        mark = " ←" if row.mechanism.name == chosen else ""
        cells = (
            row.mechanism.name + mark,
            f"± {100 * sqrt(row.squared_error / row.mechanism.d):.2g} %",
            f"{row.squared_error:.3g}",
            f"{row.relative_error:,.3f} ×",
            _size(row.report_bytes),
            _size(row.random_bytes),
            f"{three_digits(row.counting_steps)} per report",
            three_digits(row.decoding_steps),
        )
        table.add_row(*cells[: len(table.columns)])
    screen.print(table)
    if not costs:
        click.echo("A wider terminal also shows what each costs.\n")


def _size(count: int) -> str:
    """Return a number of bytes.

    >>> _size(4), _size(125_000)
    ('4 B', '125 kB')
    """
    return f"{count} B" if count < 10_000 else f"{three_digits(count / 1000)} kB"
