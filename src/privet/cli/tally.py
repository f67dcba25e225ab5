"""privet tally: files of reports into one small file that merges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .options import INPUT, OUTPUT, REPORTS, keep_apart

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@click.argument("survey", type=INPUT)
@click.argument("reports", type=REPORTS, nargs=-1, required=True)
@click.option("-o", "--out", required=True, type=OUTPUT, help="The tally file.")
@click.option("--json", "json_out", is_flag=True, help="Print what was done as JSON.")
def tally(survey: Path, reports: tuple[list[Path], ...], out: Path, json_out: bool) -> None:
    """Count files of reports, and other tallies, into one tally: to ship instead of the reports.

    REPORTS are files, folders, or patterns such as 'days/*.parquet'.

    privet tally survey.json reports.parquet -o week.tally
    """
    from ..bulk import tally_files
    from ..files import read_survey, replacing
    from .show import plural, print_json, progress

    contract = read_survey(survey)
    paths = [path for some in reports for path in some]
    keep_apart([survey, *paths], [out])
    with replacing(out) as temporary:
        counted = tally_files(paths, contract, progress=progress)
        temporary.write_bytes(counted.to_bytes())
    if json_out:
        document = {"file": str(out), "survey": contract.id, "fingerprint": contract.fingerprint}
        print_json({**document, "reports": counted.n})
        return
    click.echo(f"{out}: {plural(counted.n, 'report')} of {contract.id}", err=True)
