"""privet compare: waves, groups, or what is known: what differs, and how surely."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from ..analysis.questionnaire_estimate import QuestionnaireEstimate
from ..analysis.shown import Shown
from ..analysis.tally import Tally
from ..bulk import tally_groups
from ..bulk.groups import Group
from ..device.contract import Contract
from ..errors import InvalidFile, NoReports, SurveyMismatch
from .differences import ShownDifferences
from .guards import LEAST_GROUP, is_survey, note_groups, read_contract
from .options import FIGURE, INPUT, JSON, LEVEL, TABLE, Once, files_of, keep_apart
from .output import counted_in, plural, print_json, printable, say
from .renderings import Compared, Pair, rendering_of
from .renderings.base import KNOWN, ROWS, ROWS_OF_A_GROUP
from .terminal import progress
from .weights import value_in_words
from .writing import outputs, write_table

_MOST_GROUPS_NAMED = 10


@click.command(cls=Once)
@click.argument("reports", metavar="REPORTS...", nargs=-1, required=True)
@click.option(
    "--survey", "surveys", multiple=True, type=INPUT,
    help="The survey, where files do not carry it, as tallies do not; once for all REPORTS, or "
    "once for each.",
)  # fmt: skip
@click.option(
    "--by", metavar="COLUMN", help="Compare the groups by this column, kept with the reports."
)
@click.option(
    "--groups", metavar="NAMES", show_default="all, in order",
    help="Which groups, with commas between them; the others are compared with the first.",
)  # fmt: skip
@click.option(
    "--known", type=INPUT,
    help="Compare with what is known: a table with the columns category, and share or people; of a "
    "scale, with the columns figure (such as mean, median or a band) and value; or a JSON object "
    "of these numbers by name.",
)  # fmt: skip
@click.option("--question", metavar="ID", help="Of a questionnaire, which question to compare.")
@LEVEL
@click.option(
    "--top", type=click.IntRange(1),
    show_default=f"{ROWS}; {ROWS_OF_A_GROUP} for each of several groups",
    help="How many categories to show, the largest differences first.",
)  # fmt: skip
@JSON
@click.option("-o", "--out", type=TABLE, help="Write every row, as CSV, JSON or Parquet.")
@FIGURE
def compare(
    reports: tuple[str, ...],
    surveys: tuple[Path, ...],
    by: str | None,
    groups: str | None,
    known: Path | None,
    question: str | None,
    level: float,
    top: int | None,
    json_out: bool,
    out: Path | None,
    figure: Path | None,
) -> None:
    """Compare waves or groups, or one group with what is known.

    Each of REPORTS (a file, a folder or a pattern) is a group by itself, and the others are
    compared with the first. With --by, the groups of all are compared; with --known, all together
    with known numbers. The people of different groups must be different people.

    Of categories and options, the shares are compared; of numbers on a scale, the mean, quantiles
    and the shares of bands.

    privet compare before.parquet after.parquet --figure changes.png
    """
    _check_usage(len(reports), len(surveys), by, groups, known)
    crowds = _crowds(reports, surveys, apart=by is None and known is None)
    for crowd in crowds:
        _check_question(crowd, question)
        survey = crowd.survey.only or crowd.survey[question or ""]
        if top is not None and not rendering_of(survey).has_top:
            raise click.UsageError("--top is for categories; of a scale, all figures are shown.")
    files = [path for crowd in crowds for path in crowd.paths]
    keep_apart([*files, *{*surveys}, known], [out, figure])
    with outputs(out, figure) as (table, picture):
        tallies = {crowd.name: crowd.tallies(by) for crowd in crowds}
        counted = {name: of_all[()] for name, of_all in tallies.items() if by is None}
        if by is not None:
            counted = _groups(crowds[0], by, tallies[crowds[0].name], groups)
        estimates = {name: _estimate(tally, question) for name, tally in counted.items()}
        if known is not None:
            found = ShownDifferences(_with_known(estimates, known, level))
        else:
            found = ShownDifferences(_between(estimates, level, waves=by is None))
        if table is not None:
            write_table(table, found.columns, found.document)
        if picture is not None:
            found.draw(picture)
    if json_out:
        print_json(found.document())
    else:
        found.show(top)
    for crowd in crowds:
        sizes = [tally.n for tally in tallies[crowd.name].values()]
        say(counted_in(crowd.paths, sum(sizes), crowd.survey.id))
        if by is not None:
            note_groups([by], sizes, crowd.survey.epsilon)


def _check_usage(
    reports: int, surveys: int, by: str | None, groups: str | None, known: Path | None
) -> None:
    if by is not None and known is not None:
        raise click.UsageError("--by and --known are different comparisons; take one.")
    if groups is not None and by is None:
        raise click.UsageError("--groups is for --by.")
    if by is None and known is None and reports == 1:
        rule = "There is nothing to compare with: name other reports, or give --by or --known."
        raise click.UsageError(rule)
    crowds = reports if by is None and known is None else 1
    if surveys not in (0, 1, crowds):
        rule = "--survey is given once for all reports, or once for each that is a crowd"
        raise click.UsageError(f"{rule}: {crowds} here, not {surveys}.")


# --- what is compared -----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Crowd:
    """Files of reports or tallies of one survey."""

    name: str
    paths: list[Path]
    survey: Contract

    def tallies(self, by: str | None) -> dict[Group, Tally]:
        """Count them, by the values of a column if one is given."""
        columns = [] if by is None else [by]
        counted = tally_groups(self.paths, self.survey, columns, progress=progress)
        if not sum(tally.n for tally in counted.values()):
            raise NoReports(f"{self.paths[0]}: there are no reports.")
        return counted


def _crowds(reports: Sequence[str], surveys: Sequence[Path], *, apart: bool) -> list[_Crowd]:
    """Return a crowd for each argument, or one of all."""
    paths = files_of(reports)
    for path in (path for some in paths for path in some):
        if is_survey(path):
            raise click.UsageError(f"{path} is a survey: give it as --survey.")
    if not apart:
        paths, reports = [[path for some in paths for path in some]], reports[:1]
    given = list(surveys) * (1 if len(surveys) == len(paths) else len(paths))
    contracts = [read_contract(Path(one)) for one in (given or [some[0] for some in paths])]
    stems = [Path(one).stem or one for one in reports]
    names = stems if len({*stems}) == len(stems) else list(reports)
    named = [printable(name) for name in names]
    return [_Crowd(*each) for each in zip(named, paths, contracts, strict=True)]


def _check_question(crowd: _Crowd, question: str | None) -> None:
    """Refuse a questionnaire without a question of its own, and a survey with one."""
    contract = crowd.survey
    if contract.only is not None:
        if question is not None:
            raise click.UsageError(f"--question is for questionnaires; {contract.id} is a survey.")
        return
    ids = [one.id for one in contract.surveys]
    if question not in ids:
        rule = f"{contract.id} is a questionnaire: --question must be one of {', '.join(ids)}"
        raise click.UsageError(f"{rule}.")


def _estimate(tally: Tally, question: str | None) -> Shown:
    """Return what reports say, of one question if they are of a questionnaire."""
    whole = tally.estimate()
    if isinstance(whole, QuestionnaireEstimate):
        return whole[question or ""]
    return whole


def _groups(
    crowd: _Crowd, by: str, counted: Mapping[Group, Tally], chosen: str | None
) -> dict[str, Tally]:
    """Return the tallies of groups: those that are chosen, or all that are large enough."""
    tallies = {value_in_words(value): tally for (value,), tally in counted.items()}
    large = [name for name, tally in tallies.items() if tally.n >= LEAST_GROUP]
    names = large if chosen is None else [name.strip() for name in chosen.split(",")]
    for name in names:
        if name not in tallies:
            others = ", ".join(list(tallies)[:_MOST_GROUPS_NAMED])
            raise InvalidFile(f"{crowd.paths[0]}: no group {name!r} by {by}; there are {others}.")
        if names.count(name) > 1:
            raise click.UsageError(f"The group {name!r} is given twice.")
    if len(names) < 2:
        few = f" with {LEAST_GROUP} reports or more" if chosen is None else ""
        rule = f"it takes two groups by {by}{few} to compare them"
        raise InvalidFile(f"{crowd.paths[0]}: {rule}. Got {len(names)}.")
    if len(names) < len(tallies) and chosen is None:
        small = plural(len(tallies) - len(names), "group")
        say(f"Note: {small} of fewer than {LEAST_GROUP} reports left out.")
    return {name: tallies[name] for name in names}


# --- how they compare -----------------------------------------------------------------------------


def _between(estimates: Mapping[str, Shown], level: float, *, waves: bool) -> Compared[Shown]:
    """Compare groups with the first of them."""
    (name, first), *others = estimates.items()
    how = rendering_of(first.survey)
    pairs = []
    for other, estimate in others:
        if type(rendering_of(estimate.survey)) is not type(how):
            ids = f"{first.survey.id!r} and {estimate.survey.id!r}"
            kinds = f"{how.of}, and the other for {rendering_of(estimate.survey).of}"
            raise SurveyMismatch(f"One of {ids} asks for {kinds}.")
        pairs.append(Pair(name, other, how.changes(first, estimate, level, len(others))))
    asked = "Did the mean change?" if waves else "Do the means differ?"
    test = how.test(list(estimates.values()), pairs, None)
    return Compared(estimates, pairs, test, asked)


def _with_known(estimates: Mapping[str, Shown], path: Path, level: float) -> Compared[Shown]:
    """Compare people with what is known."""
    ((name, estimate),) = estimates.items()
    how = rendering_of(estimate.survey)
    found = how.since(path, estimate, level)
    pairs = [Pair(KNOWN, name, found)]
    test = how.test([estimate], pairs, found.before)
    return Compared(estimates, pairs, test, "Does the mean differ from the known one?")
