"""privet tally: files of reports into one small file that merges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .options import INPUT, JSON, OUTPUT, REPORTS, flat, keep_apart
from .output import plural, print_json, say
from .show import describe_survey
from .terminal import progress

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@click.argument("survey", type=INPUT)
@click.argument("reports", type=REPORTS, nargs=-1, required=True, callback=flat)
@click.option("-o", "--out", required=True, type=OUTPUT, help="The tally file.")
@JSON
def tally(survey: Path, reports: list[Path], out: Path, json_out: bool) -> None:
    """Count files of reports, and other tallies, into one tally, to send instead of the reports.

    REPORTS are files, folders, or patterns such as 'days/*.parquet'.

    privet tally survey.json reports.parquet -o week.tally
    """
    from ..bulk import tally_files
    from ..files import replacing
    from ..survey import Survey

    contract = Survey.read(survey)
    keep_apart([survey, *reports], [out])
    with replacing(out, private=True) as place:
        counted = tally_files(reports, contract, progress=progress)
        place.write_bytes(counted.to_bytes())
    if json_out:
        print_json({"file": str(out), **describe_survey(contract), "reports": counted.n})
    else:
        say(f"{out}: {plural(counted.n, 'report')} of {contract.id}")
