"""privet randomize: files of answers into a file of reports."""

from __future__ import annotations

from pathlib import Path

import click

from ..bulk import randomize_files
from .guards import note_epsilon, note_groups, read_contract, refuse_reports
from .options import (
    COLUMN,
    COUNT,
    FILES,
    INPUT,
    JSON,
    OUTPUT,
    Once,
    Reading,
    flat,
    keep_apart,
    reading,
)
from .output import plural, print_json, say, taken
from .show import describe_survey
from .terminal import progress


@click.command(cls=Once)
@click.argument("survey", type=INPUT)
@click.argument("answers", type=FILES, nargs=-1, required=True, callback=flat)
@click.option("-o", "--out", required=True, type=OUTPUT, help="The reports file (Parquet).")
@COLUMN
@COUNT
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
@click.option(
    "--missing", default="error", metavar="error|drop|CATEGORY",
    help="What to do with a row that has no answer: the same choice.",
)  # fmt: skip
@reading
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
    count: str | None,
    by: tuple[str, ...],
    unknown: str,
    missing: str,
    reading: Reading,
    keep_order: bool,
    json_out: bool,
) -> None:
    """Randomize files of answers into reports, in random order.

    There is one report for each row or person. SURVEY may be a questionnaire: its questions' ids
    name the columns, and each row draws a page. Where several options may be chosen, a cell has
    them with ; between them.

    ANSWERS are files, folders, patterns such as 'days/*.csv', or - for standard input: CSV, TSV,
    Parquet, Arrow, Feather, NDJSON or spreadsheets (Excel, OpenDocument), also packed (gzip, bzip2,
    zstd, lz4, xz). A file with a header and no answers gives a file without reports.

    privet randomize survey.json answers.csv -o reports.parquet
    """
    contract = read_contract(survey, answers)
    keep_apart([survey, *answers], [out])
    refuse_reports(answers, out)
    done = randomize_files(
        answers, contract, out, column=column, count=count, by=by, keep_order=keep_order,
        progress=progress, **reading.options(missing, unknown),
    )  # fmt: skip
    counts = {"rows": done.rows, "missing": done.missing}
    if done.different is not None:
        counts["different"] = done.different
    size = contract.mechanism.report_bytes
    say(taken(answers, done.column, **counts))
    if done.missing:
        rows = f"{plural(done.missing, 'row')} without an answer"
        say(f"{rows} ({done.missing / done.rows:.2%}): {_fate(missing)}.")
    if done.unknown:
        strange = plural(done.unknown, "unknown answer")
        say(f"{strange} ({done.unknown / done.rows:.2%}): {_fate(unknown)}.")
    if done.outside:
        outside = plural(done.outside, "number")
        say(f"{outside} beyond an end of the scale ({done.outside / done.rows:.2%}): taken for it.")
    if by:
        say(f"Kept with each report, and not randomized: {', '.join(by)}.")
        note_groups(by, done.groups, contract.epsilon)
    note_epsilon(contract.epsilon)
    each = f"{plural(size, 'byte')}, epsilon = {contract.epsilon:g} each"
    say(f"{out}: {plural(done.n, 'report')} of {each}")
    if json_out:
        document = {"file": str(out), **describe_survey(contract), "reports": done.n}
        document |= {"report_bytes": size, "by": list(by), "column": done.column, **counts}
        print_json(document | {"unknown_answers": done.unknown, "outside": done.outside})


def _fate(choice: str) -> str:
    return "left out" if choice == "drop" else f"counted as {choice!r}"
