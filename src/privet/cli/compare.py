"""privet compare: waves, groups, or known shares: what differs, and how surely."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .differences import KNOWN, Compared, Pair
from .guards import LEAST_GROUP, is_survey, note_groups, read_survey
from .options import FIGURE, INPUT, JSON, LEVEL, TABLE, Once, files_of, keep_apart
from .output import counted_in, outputs, plural, print_json, printable, say, write_table
from .show import ROWS, ROWS_OF_A_GROUP
from .terminal import progress
from .weights import value_in_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..analysis.estimate import Estimate
    from ..analysis.tally import Tally
    from ..bulk.groups import Group
    from ..survey import Survey


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
    help="Compare with known shares: a table with the columns category, and share or people; or a "
    "JSON object of shares by category.",
)  # fmt: skip
@LEVEL
@click.option(
    "--top", type=click.IntRange(1),
    show_default=f"{ROWS}; {ROWS_OF_A_GROUP} for each of several groups",
    help="How many rows to show, the largest differences first.",
)  # fmt: skip
@JSON
@click.option("-o", "--out", type=TABLE, help="Write every category, as CSV, JSON or Parquet.")
@FIGURE
def compare(
    reports: tuple[str, ...],
    surveys: tuple[Path, ...],
    by: str | None,
    groups: str | None,
    known: Path | None,
    level: float,
    top: int | None,
    json_out: bool,
    out: Path | None,
    figure: Path | None,
) -> None:
    """Compare the shares of two or more waves or groups, or of one crowd with known shares.

    Each of REPORTS (a file, a folder or a pattern) is a crowd by itself, and the others are
    compared with the first. With --by, the groups of all are compared; with --known, all together
    with shares that are known. The people of different crowds must be different people.

    privet compare before.parquet after.parquet --figure changes.png
    """
    _check_usage(len(reports), len(surveys), by, groups, known)
    crowds = _crowds(reports, surveys, apart=by is None and known is None)
    files = [path for crowd in crowds for path in crowd.paths]
    keep_apart([*files, *{*surveys}, known], [out, figure])
    with outputs(out, figure) as (table, picture):
        tallies = {crowd.name: crowd.tallies(by) for crowd in crowds}
        if by is not None:
            estimates = _groups(crowds[0], by, tallies[crowds[0].name], groups)
        else:
            estimates = {name: counted[()].estimate() for name, counted in tallies.items()}
        found = _between(estimates, level) if known is None else _fit(estimates, known, level)
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
    survey: Survey

    def tallies(self, by: str | None) -> dict[Group, Tally]:
        """Count them, by the values of a column if one is given."""
        from ..bulk import tally_groups
        from ..errors import NoReports

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
    contracts = [read_survey(Path(one)) for one in (given or [some[0] for some in paths])]
    for one in contracts:
        if one.answers.kind != "choice":
            raise click.UsageError(f"{one.id}: shares are compared where people choose one answer.")
    stems = [Path(one).stem or one for one in reports]
    names = stems if len({*stems}) == len(stems) else list(reports)
    named = [printable(name) for name in names]
    return [_Crowd(*each) for each in zip(named, paths, contracts, strict=True)]


def _groups(
    crowd: _Crowd, by: str, counted: Mapping[Group, Tally], chosen: str | None
) -> dict[str, Estimate]:
    """Return the estimates of groups: those that are chosen, or all that are large enough."""
    from ..errors import InvalidFile

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
    return {name: tallies[name].estimate() for name in names}


def _between(estimates: Mapping[str, Estimate], level: float) -> Compared:
    """Compare crowds with the first of them."""
    from ..sums import changes, homogeneity

    (name, first), *others = estimates.items()
    test = homogeneity(*estimates.values())
    times = len(others)
    pairs = []
    for other, estimate in others:
        each = test if times == 1 else homogeneity(first, estimate)
        p_values = {name: min(times * p, 1.0) for name, p in each.by_category.items()}
        shares = changes(first, estimate, level, times=times)
        pairs.append(Pair(name, other, shares, p_values, level))
    return Compared(estimates, pairs, test, level)


def _fit(estimates: Mapping[str, Estimate], path: Path, level: float) -> Compared:
    """Compare a crowd with known shares."""
    from ..bulk.known import read_shares
    from ..sums import changes, fit

    ((name, estimate),) = estimates.items()
    known = read_shares(path, estimate.survey)
    test = fit(estimate, known)
    pair = Pair(KNOWN, name, changes(known, estimate, level), test.by_category, level)
    return Compared(estimates, [pair], test, level)
