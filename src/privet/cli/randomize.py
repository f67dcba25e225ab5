"""privet randomize: a file of answers into a file of reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .options import INPUT, OUTPUT

if TYPE_CHECKING:
    from pathlib import Path

_BATCH_BYTES = 1 << 22


@click.command()
@click.argument("survey", type=INPUT)
@click.argument("answers", type=INPUT)
@click.option("-o", "--out", required=True, type=OUTPUT, help="The reports file (Parquet).")
@click.option("--column", help="The column of answers; by default the only one, or 'answer'.")
@click.option(
    "--keep-order", is_flag=True,
    help="Write the reports in the answers' order. Who knows the order of the people then knows "
    "whose report is whose, and sees all reports of one person together.",
)  # fmt: skip
def randomize(survey: Path, answers: Path, out: Path, column: str | None, keep_order: bool) -> None:
    """Randomize the answers of a CSV file into reports, one for each row, in random order.

    A file with a header and no answers gives a file without reports.

    privet randomize survey.json answers.csv -o reports.parquet
    """
    from contextlib import nullcontext

    from ..bulk import ReportsWriter, Shuffling, read_answers
    from ..files import read_survey
    from .show import progress

    contract = read_survey(survey)
    size = contract.mechanism.report_bytes
    rows = max(1, _BATCH_BYTES // size)
    n = 0
    with (
        ReportsWriter(out, contract) as file,
        nullcontext(file) if keep_order else Shuffling(file) as writer,
        progress("Randomizing") as advance,
    ):
        for values in read_answers(answers, contract, column):
            for at in range(0, len(values), rows):
                reports = contract.mechanism.randomize(values[at : at + rows])
                writer.write(reports)
                n += len(reports)
                advance(len(reports))
    unit = "byte" if size == 1 else "bytes"
    click.echo(
        f"{out}: {n:,} reports of {size} {unit}, epsilon = {contract.epsilon:g} each", err=True
    )
