"""privet simulate attack poisoning: liars in a crowd, what they gain, and whether they are seen."""

from __future__ import annotations

import click

from ..device.mechanisms.registry import by_name
from ..poisoning.trials import Lie, Trial, trial
from ..simulate import truth as truth_of
from .options import JSON, SEED, Once
from .output import print_json


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
        click.echo("No test of such reports is known for so many people.")
    click.echo(f"seed: {seed}")


def _seen(found: Trial) -> dict[str, float]:
    """Return in what share of the crowds each test was below 1 %."""
    tests = [one.test for one in found.findings[0]]
    rows = [{one.test: one.p_value < 0.01 for one in crowd} for crowd in found.findings]
    return {test: sum(row.get(test, False) for row in rows) / len(rows) for test in tests}
