"""privet estimate: files of reports into a table and a picture."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from .groups import Estimates, Looks
from .guards import note_groups, survey_and_reports
from .options import FIGURE, INPUT, JSON, LEVEL, TABLE, TARGET, Once, files_of, keep_apart
from .output import counted_in, outputs, print_json, say, write_table
from .show import ROWS, ROWS_OF_A_GROUP
from .terminal import progress
from .weights import (
    describe_weights,
    known_sizes,
    say_weights,
    weigh,
    weighting,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ..analysis.shown import Sort
    from ..contract import Contract
    from ..mechanisms.forwards import Target


@click.command(cls=Once)
@click.argument("survey", metavar="[SURVEY]", type=INPUT)
@click.argument("reports", metavar="REPORTS...", nargs=-1)
@click.option(
    "--by", multiple=True, metavar="COLUMN",
    help="One estimate for each value of this column, kept with the reports; repeatable.",
)  # fmt: skip
@weighting
@LEVEL
@TARGET
@click.option(
    "--people", type=click.IntRange(1), metavar="N",
    help="How many people there are in all, of whom those with reports are a random part: shares "
    "are shown as numbers of people too.",
)  # fmt: skip
@click.option(
    "--simultaneous/--separate", default=None,
    show_default="in pictures, and in tables of the largest shares",
    help="Intervals that hold for all categories at once, or each by itself.",
)  # fmt: skip
@click.option("--check", is_flag=True, help="Look for reports that no honest crowd sends.")
@click.option("--ranks", is_flag=True, help="The ranks that each category may have, all at once.")
@click.option(
    "--quantiles", metavar="P,Q,…", callback=lambda ctx, param, typed: _quantiles(typed),
    show_default="10,25,50,75,90", help="Of numbers on a scale, in percent.",
)  # fmt: skip
@click.option(
    "--table", "asked", multiple=True, metavar="A,B",
    help="Of a questionnaire, show this table of questions alone; repeatable.",
)  # fmt: skip
@click.option(
    "--top", type=click.IntRange(1),
    show_default=f"{ROWS}; {ROWS_OF_A_GROUP} per group",
    help="How many categories to show, in the table and in the picture: the largest.",
)  # fmt: skip
@click.option(
    "--sort", type=click.Choice(["survey", "share", "name"]), default="share",
    help="The order of the categories that are shown.",
)  # fmt: skip
@JSON
@click.option("-o", "--out", type=TABLE, help="Write every category, as CSV, JSON or Parquet.")
@click.option(
    "--exact-csv", is_flag=True,
    help="In CSV, write text that begins with = + - or @ as it is. By default it gets an "
    "apostrophe in front, so that no spreadsheet runs it as a formula.",
)  # fmt: skip
@FIGURE
@click.option(
    "--engine", type=click.Choice(["local", "spark"]), default="local",
    help="What counts: this process, or Spark; REPORTS may then be any URL that Spark reads.",
)  # fmt: skip
@click.option(
    "--master", show_default="local[*]", help="Spark's master, such as spark://host:7077."
)
def estimate(
    survey: Path,
    reports: tuple[str, ...],
    by: tuple[str, ...],
    weights: Path | None,
    weight: tuple[str, ...],
    level: float,
    target: Target,
    people: int | None,
    simultaneous: bool | None,
    check: bool,
    ranks: bool,
    quantiles: list[float],
    asked: tuple[str, ...],
    top: int | None,
    sort: Sort,
    json_out: bool,
    out: Path | None,
    exact_csv: bool,
    figure: Path | None,
    engine: str,
    master: str | None,
) -> None:
    """Estimate the distribution of answers from files of reports, or tallies of them.

    REPORTS are files, folders, or patterns such as 'days/*.parquet'. SURVEY may be left out where
    the first of them is a file that carries it.

    privet estimate survey.json reports.parquet --figure shares.png
    """
    from ..bulk import tally_groups
    from ..errors import NoReports
    from ..survey import Survey
    from .checking import describe_checks, looked_for, print_checks
    from .questionnaires import Answered, tables_from

    if master is not None and engine != "spark":
        raise click.UsageError("--master is for --engine spark.")
    if exact_csv and (out is None or out.suffix.lower() != ".csv"):
        raise click.UsageError("--exact-csv is for an --out that ends in .csv.")
    known = known_sizes(weights, weight, by)
    if people is not None and ((by and not known) or target == "sample"):
        raise click.UsageError("--people is for all people: not for --by alone, or for a sample.")
    if known and target == "sample":
        raise click.UsageError("Weights are for a population, and not for --target sample.")
    if known and ranks:
        raise click.UsageError("--ranks is for estimates without weights.")
    local = engine == "local"
    unfit = {
        "--people": people,
        "--ranks": ranks,
        "--weights": known,
        "--simultaneous": simultaneous,
    }
    given = [*chain(*files_of(reports))] if local else reports
    contract, files = survey_and_reports(survey, given)
    _refuse_unfit(contract, unfit, target, quantiles)
    tables = tables_from(asked)
    if tables and isinstance(contract, Survey):
        raise click.UsageError("--table is for questionnaires.")
    read = [*(files if local else []), *filter(None, [weights])]
    keep_apart(read if survey in read else [survey, *read], [out, figure])
    one_picture = figure if isinstance(contract, Survey) else None
    with outputs(out, one_picture) as (table, picture):
        if local:
            tallies = tally_groups(files, contract, by, progress=progress)
        else:
            from ..bulk.spark import tally_paths

            with progress("Counting with Spark"):
                tallies = tally_paths(files, contract, by=by, master=master)
        estimates = {group: tally.estimate() for group, tally in tallies.items()}
        if not estimates:
            raise NoReports("There are no reports in these files, so there is nothing to estimate.")
        if people is not None and people < (n := sum(one.n for one in estimates.values())):
            raise click.UsageError(f"There are {n:,} reports, more than --people {people:,}.")
        sizes = [one.n for one in estimates.values()]
        looks = Looks(level, people or target, simultaneous, ranks, top, sort, quantiles)
        found: Any = Estimates(estimates, by, looks)
        if not isinstance(contract, Survey):
            found = Answered(estimates, by, looks, tables)
        if known:
            whole = weigh(estimates, known, by, people, weights or "--weight")
            looks = replace(looks, target=people or whole.people or target)
            said = describe_weights(whole, by), say_weights(whole, by)
            found = Estimates({(): whole}, (), looks, *said)
        if table is not None:
            write_table(table, found.columns, found.document, exact=exact_csv)
        if picture is not None:
            found.draw(picture)
        elif figure is not None:  # of a questionnaire, a file for each question
            found.draw(figure)
    seen = looked_for(contract, tallies, files) if check else {}
    if json_out:
        print_json(found.document() | (describe_checks(seen, by) if check else {}))
    else:
        found.show()
        if check:
            print_checks(seen)
    say(counted_in(files, sum(sizes), contract.id))
    if by:
        note_groups(by, sizes, contract.epsilon)


def _quantiles(typed: str | None) -> list[float]:
    """Return shares of people, from percents.

    >>> _quantiles("5, 50")
    [0.05, 0.5]
    """
    try:
        found = [float(part) / 100 for part in typed.split(",")] if typed else []
    except ValueError:
        found = [0.0]
    if not all(0 < q < 1 for q in found):
        raise click.BadParameter(f"{typed!r} is not percents between 0 and 100, such as 25,50,75.")
    return found


def _refuse_unfit(
    contract: Contract, unfit: Mapping[str, Any], target: Target, quantiles: Sequence[float]
) -> None:
    """Refuse options that the contract's kind of answer has no use for."""
    from ..survey import Survey

    kind = contract.answers.kind if isinstance(contract, Survey) else "questionnaire"
    if quantiles and kind == "choice":
        raise click.UsageError("--quantiles are for numbers on a scale.")
    if kind in ("choice", "several"):
        return
    what = "numbers on a scale" if kind == "scale" else "a questionnaire"
    given = [option for option, value in unfit.items() if value]
    given += ["--target"] if target == "sample" else []
    if given:
        raise click.UsageError(f"{given[0]} is not for {what}.")
