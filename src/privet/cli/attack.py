"""privet simulate attack: attacks on surveys, run against made-up people."""

from __future__ import annotations

from pathlib import Path
from secrets import randbits
from typing import Any

import click

from ..device.mechanisms.bits.two_level_unary import TwoLevelUnary
from ..device.mechanisms.registry import by_name
from ..device.mechanisms.subsets.k_subset import KSubset
from ..figures import canvas, plot_averaging
from ..poisoning.trials import Lie, Trial, trial
from ..simulate import averaging as run
from ..simulate import truth as truth_of
from ..simulate.averaging import Averaged
from .options import FIGURE, JSON, SEED, InOrder, Once
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


@click.command("poisoning", cls=Once)
@click.option("-d", "--values", "d", type=click.IntRange(2), default=100, help="How many values.")
@click.option("-e", "--epsilon", type=float, default=1.0, help="The privacy level.")
@click.option("-n", "--people", "n", type=click.IntRange(1), default=10_000, help="Honest people.")
@click.option("--liars", type=click.IntRange(0), default=200, help="False reports among them.")
@click.option(
    "--targets", "r", type=click.IntRange(1), default=1,
    help="How many values they want to raise: the last ones.",
)  # fmt: skip
@click.option(
    "--lie", type=click.Choice(["same", "random"]), default="same",
    help="All send the worst report, or each draws one that holds the first target.",
)  # fmt: skip
@click.option(
    "-m", "--mechanism", default="projective", help="k-subset, multivariate-rr or a block design."
)
@click.option("-t", "--truth", default="zipf:1.1", help="What honest answers are drawn from.")
@click.option("--repeats", type=click.IntRange(2), default=20, help="How many crowds.")
@SEED
@JSON
def poisoning(
    d: int,
    epsilon: float,
    n: int,
    liars: int,
    r: int,
    lie: Lie,
    mechanism: str,
    truth: str,
    repeats: int,
    seed: int | None,
    json_out: bool,
) -> None:
    """Let liars send false reports: what they gain, what theory says, and how often they are seen.

    privet simulate attack poisoning --values 20 --people 2000 --liars 40
    """
    from secrets import randbelow

    from numpy.random import default_rng

    if mechanism not in by_name:
        raise click.UsageError(f"There is no mechanism {mechanism!r}.")
    if r > d:
        raise click.UsageError(f"There are {d} values, fewer than --targets {r}.")
    seed = randbelow(2**32) if seed is None else seed
    shares = truth_of(truth)(d, default_rng(seed))
    chosen = by_name[mechanism](d, epsilon)
    found = trial(chosen, range(d - r, d), shares, n, liars, lie=lie, repeats=repeats, seed=seed)
    seen = _seen(found)
    if json_out:
        print_json({
            "mechanism": chosen.name, "d": d, "epsilon": epsilon, "n": n, "liars": liars,
            "targets": r, "lie": lie, "repeats": repeats, "seed": seed, "worst": found.expected,
            "gain": found.gain, "standard_error": found.standard_error, "seen": seen,
        })  # fmt: skip
        return
    click.echo(f"{liars:,} false reports among {n + liars:,}, {chosen!r}")
    worst, gain, error = (100 * x for x in (found.expected, found.gain, found.standard_error))
    click.echo(f"worst gain in theory    {worst:+.3g} %")
    click.echo(f"gain, simulated         {gain:+.3g} % ± {error:.2g}")
    for test, share in seen.items():
        often = f"{100 * share:.0f} % of {repeats} crowds"
        click.echo(f"seen by {test:<16}{often}, at the level of 1 %")
    if not seen:
        click.echo("No test is known that sees such reports among this many people.")
    click.echo(f"seed: {seed}")


def _seen(found: Trial) -> dict[str, float]:
    """Return in what share of the crowds each test was below 1 %."""
    tests = [one.test for one in found.findings[0]]
    rows = [{one.test: one.p_value < 0.01 for one in crowd} for crowd in found.findings]
    return {test: sum(row.get(test, False) for row in rows) / len(rows) for test in tests}


@click.group(cls=InOrder, no_args_is_help=False)
def attack() -> None:
    """Attack a survey of made-up people, and see what holds.

    privet simulate attack averaging --people 500
    """


attack.add_command(averaging)
attack.add_command(poisoning)
