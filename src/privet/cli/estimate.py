"""privet estimate: files of reports into a table and a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import click

from ..analysis.estimate import Estimate
from ..analysis.questionnaire_estimate import QuestionnaireEstimate
from ..analysis.shown import Shown
from ..bulk import tally_groups
from ..bulk.groups import Group
from ..bulk.spark import tally_paths
from ..device.contract import Contract
from ..errors import NoReports
from .answered import Answered, tables_from
from .checking import describe_checks, looked_for, print_checks
from .grouped import GroupedEstimates
from .guards import note_groups, survey_and_reports
from .options import FIGURE, INPUT, JSON, LEVEL, TABLE, TARGET, Once, files_of, keep_apart
from .output import counted_in, print_json, say
from .renderings import Looks, rendering_of
from .renderings.base import OF_CATEGORIES, ROWS, ROWS_OF_A_GROUP
from .terminal import progress
from .weights import describe_weights, known_sizes, say_weights, weigh
from .writing import outputs, write_table

T = TypeVar("T", Estimate, QuestionnaireEstimate)


@click.command(cls=Once)
@click.argument("survey", metavar="[SURVEY]", type=INPUT)
@click.argument("reports", metavar="REPORTS...", nargs=-1)
@click.option(
    "--by", multiple=True, metavar="COLUMN",
    help="One estimate for each value of this column, kept with the reports; repeatable.",
)  # fmt: skip
@click.option(
    "--weights", type=INPUT, metavar="FILE",
    help="One estimate of all people, from groups --by known size: a file with their columns and "
    "'share', or 'people'.",
)  # fmt: skip
@click.option(
    "--weight", multiple=True, metavar="GROUP=SHARE",
    help="The same for one column, a group each, such as north=0.3; repeatable.",
)  # fmt: skip
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
    people: int | None,
    check: bool,
    asked: tuple[str, ...],
    json_out: bool,
    out: Path | None,
    exact_csv: bool,
    figure: Path | None,
    engine: str,
    master: str | None,
    **looking: Any,
) -> None:
    """Estimate the distribution of answers from their reports.

    REPORTS are files of reports or tallies, folders, or patterns such as 'days/*.parquet'. SURVEY
    may be left out where the first of them is a file that carries it.

    privet estimate survey.json reports.parquet --figure shares.png
    """
    if master is not None and engine != "spark":
        raise click.UsageError("--master is for --engine spark.")
    if exact_csv and (out is None or out.suffix.lower() != ".csv"):
        raise click.UsageError("--exact-csv is for an --out that ends in .csv.")
    looks, known = Looks(**looking), known_sizes(weights, weight, by)
    if people is not None and ((by and not known) or looks.target == "sample"):
        raise click.UsageError("--people is for all people: not for --by alone, or for a sample.")
    if known and looks.target == "sample":
        raise click.UsageError("Weights are for a population, and not for --target sample.")
    if known and looks.ranks:
        raise click.UsageError("--ranks is for estimates without weights.")
    local = engine == "local"
    given = [*chain(*files_of(reports))] if local else reports
    contract, files = survey_and_reports(survey, given)
    _refuse_unfit(contract, looks, {"--people": people, "--weights": known})
    tables = tables_from(asked)
    if tables and contract.only is not None:
        raise click.UsageError("--table is for questionnaires.")
    read = [*(files if local else []), weights]
    keep_apart(read if survey in read else [survey, *read], [out, figure])
    # Of a questionnaire there is a picture for each question, in files that it names itself.
    one_picture = figure if contract.only is not None else None
    with outputs(out, one_picture) as (table, picture):
        if local:
            tallies = tally_groups(files, contract, by, progress=progress)
        else:
            with progress("Counting with Spark"):
                tallies = tally_paths(files, contract, by=by, master=master)
        estimates = {group: tally.estimate() for group, tally in tallies.items()}
        if not estimates:
            raise NoReports("There are no reports in these files, so there is nothing to estimate.")
        sizes = [one.n for one in estimates.values()]
        if people is not None and people < (n := sum(sizes)):
            raise click.UsageError(f"There are {n:,} reports, more than --people {people:,}.")
        looks = replace(looks, target=people or looks.target)
        found: GroupedEstimates | Answered
        if known:
            whole = weigh(_only(Estimate, estimates), known, by, people, weights or "--weight")
            looks = replace(looks, target=whole.people or looks.target)
            said = describe_weights(whole, by), say_weights(whole, by)
            found = GroupedEstimates({(): whole}, (), looks, *said)
        elif contract.only is not None:
            shown = {group: one for group, one in estimates.items() if isinstance(one, Shown)}
            found = GroupedEstimates(shown, by, looks)
        else:
            found = Answered(_only(QuestionnaireEstimate, estimates), by, looks, tables)
        if table is not None:
            write_table(table, found.columns, found.document, exact=exact_csv)
        if figure is not None:
            found.draw(picture or figure)
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


def _only(kind: type[T], estimates: Mapping[Group, object]) -> dict[Group, T]:
    """Return estimates that are known to be of this kind, as such."""
    return {group: one for group, one in estimates.items() if isinstance(one, kind)}


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


def _refuse_unfit(contract: Contract, looks: Looks, others: Mapping[str, Any]) -> None:
    """Refuse options that the contract's kind of answer has no use for."""
    unfit: Sequence[str] = OF_CATEGORIES
    what = "a questionnaire"
    if contract.only is not None:
        how = rendering_of(contract.only)
        unfit, what = how.unfit, how.of
    given = {
        **others,
        "--ranks": looks.ranks,
        "--simultaneous": looks.simultaneous,
        "--target": looks.target == "sample",
        "--quantiles": looks.quantiles,
    }
    for option in unfit:
        if given[option]:
            raise click.UsageError(f"{option} is not for {what}.")
