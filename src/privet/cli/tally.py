"""privet tally: files of reports into one small file that merges."""

from __future__ import annotations

from pathlib import Path

import click

from ..bulk import tally_files
from ..device.files import replacing
from .guards import survey_and_reports
from .options import INPUT, JSON, OUTPUT, REPORTS, Once, flat, keep_apart
from .output import counted_in, plural, print_json, say
from .show import describe_survey
from .terminal import progress


@click.command(cls=Once)
@click.argument("survey", metavar="[SURVEY]", type=INPUT)
@click.argument("reports", metavar="REPORTS...", type=REPORTS, nargs=-1, callback=flat)
@click.option("-o", "--out", required=True, type=OUTPUT, help="The tally file.")
@JSON
def tally(survey: Path, reports: list[Path], out: Path, json_out: bool) -> None:
    """Count reports into one tally, to send instead of them.

    REPORTS are files of reports or other tallies, folders, or patterns such as 'days/*.parquet'.
    SURVEY may be left out where the first of them is a file that carries it.

    privet tally survey.json reports.parquet -o week.tally
    """
    contract, files = survey_and_reports(survey, reports)
    keep_apart(files if survey in files else [survey, *files], [out])
    with replacing(out, private=True) as place:
        counted = tally_files(files, contract, progress=progress)
        place.write_bytes(counted.to_bytes())
    say(counted_in(files, counted.n, contract.id))
    say(f"{out}: {plural(counted.n, 'report')} of {contract.id}")
    if json_out:
        print_json({"file": str(out), **describe_survey(contract), "reports": counted.n})
