"""privet estimate: files of reports into a table and a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .options import FIGURE, INPUT

if TYPE_CHECKING:
    from pathlib import Path

    from ..mechanisms.base import Target


@click.command()
@click.argument("survey", type=INPUT)
@click.argument("reports", type=INPUT, nargs=-1, required=True)
@click.option(
    "--level", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.95,
    show_default=True, help="Of the intervals.",
)  # fmt: skip
@click.option(
    "--target", type=click.Choice(["population", "sample"]), default="population",
    show_default=True, help="Whose shares: the crowd these people come from, or just these people.",
)  # fmt: skip
@click.option("--top", type=click.IntRange(1), default=40, show_default=True, help="Rows shown.")
@click.option("--json", "json_out", is_flag=True, help="Print JSON, every category.")
@click.option("--figure", type=FIGURE, help="Draw a PNG, SVG or PDF.")
def estimate(
    survey: Path,
    reports: tuple[Path, ...],
    level: float,
    target: Target,
    top: int,
    json_out: bool,
    figure: Path | None,
) -> None:
    """Estimate the distribution of answers from files of reports, or tallies of them.

    privet estimate survey.json reports.parquet --figure shares.png
    """
    from ..bulk import tally_files
    from ..files import read_survey, replacing
    from .show import as_json, print_estimate, progress

    contract = read_survey(survey)
    with progress("Counting") as advance:
        tally = tally_files(reports, contract, advance)
    result = tally.estimate()
    if figure is not None:
        from ..figures import save_estimate

        with replacing(figure) as temporary:
            save_estimate(result, temporary, level=level, target=target)
    if json_out:
        click.echo(as_json(result, level=level, target=target))
        return
    print_estimate(result, level=level, target=target, top=top)
    if result.can_shrink:
        click.echo("share: unbiased, for sums and tests. shrunk: likelier as a whole, to be shown.")
    click.echo(f"{result.n:,} reports, epsilon = {contract.epsilon:g}, {contract.mechanism!r}")
