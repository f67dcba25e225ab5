"""privet randomize: files of answers into a file of reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .options import COLUMN, DELIMITER, FILES, INPUT, JSON, OUTPUT, flat, keep_apart
from .output import plural, print_json, say
from .show import describe_survey
from .terminal import progress

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@click.argument("survey", type=INPUT)
@click.argument("answers", type=FILES, nargs=-1, required=True, callback=flat)
@click.option("-o", "--out", required=True, type=OUTPUT, help="The reports file (Parquet).")
@COLUMN
@click.option(
    "--by", multiple=True, metavar="COLUMN",
    help="Keep this column with the reports, to estimate each group by itself; repeatable. It is "
    "not randomized: everyone who sees the reports sees it.",
)  # fmt: skip
@click.option(
    "--unknown", default="error", metavar="error|drop|CATEGORY",
    help="What to do with an answer that is not one of the categories: stop, leave it out, or "
    "count it as this category.",
)  # fmt: skip
@DELIMITER
@click.option(
    "--keep-order", is_flag=True,
    help="Write the reports in the order of the answers. Anyone who knows the order of the people "
    "then knows whose report is whose, and can put one person's reports together.",
)  # fmt: skip
@JSON
def randomize(
    survey: Path,
    answers: list[Path],
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
    Parquet, Arrow, Feather, NDJSON or spreadsheets (Excel, OpenDocument), also packed (gzip, bzip2,
    zstd, lz4, xz). A file with a header and no answers gives a file without reports.

    privet randomize survey.json answers.csv -o reports.parquet
    """
    from ..bulk import randomize_files
    from ..survey import Survey

    contract = Survey.read(survey)
    keep_apart([survey, *answers], [out])
    done = randomize_files(
        answers, contract, out, column=column, by=by, unknown=unknown, delimiter=delimiter,
        keep_order=keep_order, progress=progress,
    )  # fmt: skip
    size = contract.mechanism.report_bytes
    if json_out:
        document = {"file": str(out), **describe_survey(contract), "reports": done.n}
        document |= {"report_bytes": size, "unknown": unknown, "unknown_answers": done.unknown}
        print_json(document | {"by": list(by)})
        return
    each = f"{plural(size, 'byte')}, epsilon = {contract.epsilon:g} each"
    say(f"{out}: {plural(done.n, 'report')} of {each}")
    if done.unknown:
        people = done.n + (done.unknown if unknown == "drop" else 0)
        share = f"{plural(done.unknown, 'unknown answer')} ({done.unknown / people:.2%})"
        say(f"{share}: {'left out' if unknown == 'drop' else f'counted as {unknown!r}'}.")
    if by:
        say(f"Kept with each report, and not randomized: {', '.join(by)}.")
