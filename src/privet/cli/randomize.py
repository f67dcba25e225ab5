"""privet randomize: files of answers into a file of reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .options import DELIMITER, FILES, INPUT, OUTPUT, keep_apart

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@click.argument("survey", type=INPUT)
@click.argument("answers", type=FILES, nargs=-1, required=True)
@click.option("-o", "--out", required=True, type=OUTPUT, help="The reports file (Parquet).")
@click.option("--column", help="The column of answers; by default the only one, or 'answer'.")
@click.option(
    "--by", multiple=True, metavar="COLUMN",
    help="Keep this column beside the reports, for one estimate a group; repeat. It is not "
    "randomized: everyone who sees the reports sees it.",
)  # fmt: skip
@click.option(
    "--unknown", default="error", show_default=True, metavar="error|drop|CATEGORY",
    help="What becomes of an answer that is no category: it is an error, or no report is made of "
    "it, or it counts as this category.",
)  # fmt: skip
@DELIMITER
@click.option(
    "--keep-order", is_flag=True,
    help="Write the reports in the answers' order. Who knows the order of the people then knows "
    "whose report is whose, and sees all reports of one person together.",
)  # fmt: skip
@click.option("--json", "json_out", is_flag=True, help="Print what was done as JSON.")
def randomize(
    survey: Path,
    answers: tuple[list[Path], ...],
    out: Path,
    column: str | None,
    by: tuple[str, ...],
    unknown: str,
    delimiter: str | None,
    keep_order: bool,
    json_out: bool,
) -> None:
    """Randomize files of answers into reports, one for each row, in random order.

    ANSWERS are files, folders, patterns such as 'days/*.csv', or - for standard input: CSV, TSV,
    Parquet, Arrow, Feather or NDJSON, also packed (gzip, bzip2, zstd, lz4, xz). A file with a
    header and no answers gives a file without reports.

    privet randomize survey.json answers.csv -o reports.parquet
    """
    from ..bulk import randomize_files
    from ..files import read_survey
    from .show import plural, print_json, progress

    contract = read_survey(survey)
    paths = [path for some in answers for path in some]
    keep_apart([survey, *paths], [out])
    done = randomize_files(
        paths, contract, out, column=column, by=by, unknown=unknown, delimiter=delimiter,
        keep_order=keep_order, progress=progress,
    )  # fmt: skip
    size = contract.mechanism.report_bytes
    if json_out:
        document = {
            "file": str(out),
            "survey": contract.id,
            "fingerprint": contract.fingerprint,
            "epsilon": contract.epsilon,
            "reports": done.n,
            "report_bytes": size,
            "unknown": unknown,
            "unknown_answers": done.unknown,
            "by": list(by),
        }
        print_json(document)
        return
    click.echo(
        f"{out}: {plural(done.n, 'report')} of {plural(size, 'byte')}, "
        f"epsilon = {contract.epsilon:g} each",
        err=True,
    )
    if done.unknown:
        people = done.n + (done.unknown if unknown == "drop" else 0)
        share = f"{plural(done.unknown, 'answer')} ({done.unknown / people:.2%})"
        what = "left out" if unknown == "drop" else f"counted as {unknown!r}"
        click.echo(f"{share} of no category: {what}.", err=True)
    if by:
        click.echo(f"In the clear beside each report: {', '.join(by)}.", err=True)
