"""privet tally: files of reports into one small file that merges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .options import INPUT, OUTPUT

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@click.argument("survey", type=INPUT)
@click.argument("reports", type=INPUT, nargs=-1, required=True)
@click.option("-o", "--out", required=True, type=OUTPUT, help="The tally file.")
def tally(survey: Path, reports: tuple[Path, ...], out: Path) -> None:
    """Count files of reports, and other tallies, into one tally: to ship instead of the reports.

    privet tally survey.json reports.parquet -o week.tally
    """
    from ..bulk import tally_files
    from ..files import read_survey, replacing
    from .show import progress

    contract = read_survey(survey)
    with replacing(out) as temporary, progress("Counting") as advance:
        counted = tally_files(reports, contract, advance)
        temporary.write_bytes(counted.to_bytes())
    click.echo(f"{out}: {counted.n:,} reports of {contract.id}", err=True)
