"""privet simulate attack averaging: ask the same people again and again, and guess."""

from __future__ import annotations

from pathlib import Path
from secrets import randbits
from typing import Any

import click

from ..device.mechanisms.bits.two_level_unary import TwoLevelUnary
from ..device.mechanisms.subsets.k_subset import KSubset
from ..figures import canvas, plot_averaging
from ..simulate import averaging as run
from ..simulate.averaging import Averaged
from .options import FIGURE, JSON, SEED, Once
from .output import print_json
from .terminal import print_table, progress
from .writing import outputs


@click.command(cls=Once)
@click.option("-d", "--values", "d", type=int, default=100, help="How many values.")
@click.option("-e", "--epsilon", type=float, default=1.0, help="The privacy level of one report.")
@click.option(
    "--all-epsilon", type=float, show_default="twice --epsilon",
    help="The level that the permanent response of two-level-unary keeps in all reports.",
)  # fmt: skip
@click.option(
    "--reports", type=int, multiple=True, default=(1, 2, 5, 10, 25, 50, 100, 250, 1000),
    help="After how many reports of each person to guess; repeatable.",
)  # fmt: skip
@click.option("-n", "--people", type=int, default=2000, help="How many people are asked.")
@SEED
@JSON
@FIGURE
def averaging(
    d: int,
    epsilon: float,
    all_epsilon: float | None,
    reports: tuple[int, ...],
    people: int,
    seed: int | None,
    json_out: bool,
    figure: Path | None,
) -> None:
    """Ask the same people again and again; show how many answers are found.

    Clients without a secret make a fresh report each time, by k-subset; clients with one repeat
    theirs, or send fresh copies of a permanent response, by two-level-unary.

    privet simulate attack averaging --people 500 --figure averaging.png
    """
    subset = KSubset(d, epsilon)
    levels = TwoLevelUnary(d, 2 * epsilon if all_epsilon is None else all_epsilon, epsilon)
    clients = {
        "fresh reports": (subset, False),
        "a secret": (subset, True),
        "a secret, two levels": (levels, True),
    }
    seed = randbits(63) if seed is None else seed
    with outputs(None, figure) as (_, picture):
        curves = {
            name: run(mechanism, reports, keyed=keyed, people=people, seed=seed, progress=progress)
            for name, (mechanism, keyed) in clients.items()
        }
        if picture is not None:
            canvas.save(plot_averaging(curves), picture)
    if json_out:
        print_json(_as_document(curves, seed))
    else:
        _print_table(curves, seed)


def _as_document(curves: dict[str, Averaged], seed: int) -> dict[str, Any]:
    (first, *_) = curves.values()
    rows = [
        {
            "clients": name,
            "mechanism": curve.mechanism.name,
            "keyed": curve.keyed,
            "reports": at,
            "found": found,
            "standard_error": error,
        }
        for name, curve in curves.items()
        for at, found, error in zip(curve.reports, curve.found, curve.standard_errors, strict=True)
    ]
    return {"values": first.mechanism.d, "people": first.people, "seed": seed, "rows": rows}


def _print_table(curves: dict[str, Averaged], seed: int) -> None:
    (first, *_) = curves.values()
    cells = [
        [
            f"{100 * found:.1f} ± {100 * error:.1f} %"
            for found, error in zip(curve.found, curve.standard_errors, strict=True)
        ]
        for curve in curves.values()
    ]
    rows = zip((f"{at:,}" for at in first.reports), *cells, strict=True)
    print_table([], ["reports", *curves], rows, "Answers found, by guessing the likeliest")
    *_, two = (curve.mechanism for curve in curves.values())
    levels = f"{first.mechanism.epsilon:g} in one report, {two.epsilon:g} in all of two levels"
    click.echo(f"values: {two.d:,} · ε: {levels} · people: {first.people:,} · seed: {seed}")
