"""privet estimate: files of reports into a table and a picture."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import click

from .guards import LEAST_GROUP, note_groups, survey_and_reports
from .options import FIGURE, INPUT, JSON, LEVEL, REPORTS, TABLE, TARGET, Once, keep_apart
from .output import counted_in, outputs, plural, print_json, say, write_table
from .show import describe_estimate, describe_survey, plain_columns, print_estimate
from .terminal import progress
from .weights import (
    describe_weights,
    in_words,
    known_sizes,
    say_weights,
    value_in_words,
    weigh,
    weighting,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from ..figures.estimates import Shown
    from ..mechanisms.forwards import Target

    Group = tuple[str | None, ...]

_ROWS, _ROWS_OF_A_GROUP = 40, 10


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
@click.option(
    "--top", type=click.IntRange(1),
    show_default=f"{_ROWS}; {_ROWS_OF_A_GROUP} per group", help="How many rows to show.",
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
    top: int | None,
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

    if master is not None and engine != "spark":
        raise click.UsageError("--master is for --engine spark.")
    if exact_csv and (out is None or out.suffix.lower() != ".csv"):
        raise click.UsageError("--exact-csv is for an --out that ends in .csv.")
    known = known_sizes(weights, weight, by)
    if people is not None and ((by and not known) or target == "sample"):
        raise click.UsageError("--people is for all people: not for --by alone, or for a sample.")
    if known and target == "sample":
        raise click.UsageError("Weights are for a population, and not for --target sample.")
    local = engine == "local"
    contract, files = survey_and_reports(survey, _files(reports) if local else reports)
    read = [*(files if local else []), *filter(None, [weights])]
    keep_apart(read if survey in read else [survey, *read], [out, figure])
    with outputs(out, figure) as (table, picture):
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
        found = _Estimates(estimates, by, level, people or target, simultaneous)
        if known:
            whole = weigh(estimates, known, by, people, weights or "--weight")
            aim = people or whole.people or target
            said = describe_weights(whole, by), say_weights(whole, by)
            found = _Estimates({(): whole}, (), level, aim, simultaneous, *said)
        if table is not None:
            write_table(table, found.columns, found.document, exact=exact_csv)
        if picture is not None:
            found.draw(picture)
    if json_out:
        print_json(found.document())
    else:
        found.show(top)
    say(counted_in(files, sum(sizes), contract.id))
    if by:
        note_groups(by, sizes, contract.epsilon)


def _files(reports: Sequence[str]) -> list[Path]:
    context = click.get_current_context()
    argument = next(param for param in context.command.params if param.name == "reports")
    return [path for one in reports for path in REPORTS.convert(one, argument, context)]


@dataclass(frozen=True)
class _Estimates:
    """One estimate for each group by the values of some columns; one in all if there are none."""

    groups: Mapping[Group, Shown]
    by: Sequence[str]
    level: float
    target: Target
    simultaneous: bool | None
    # What is said of weights, in JSON and in a sentence.
    weights: Mapping[str, Any] = field(default_factory=dict)
    remark: str = ""

    @property
    def _options(self) -> dict[str, Any]:
        """How the intervals of a whole table are made."""
        return {
            "level": self.level,
            "target": self.target,
            "simultaneous": bool(self.simultaneous),
        }

    @cached_property
    def _shrunk(self) -> Mapping[Group, NDArray[np.float64]]:
        """The shrunk shares of groups, which help each other; a single one is shrunk by itself."""
        from ..refine import shrink_groups

        every = [*self.groups.values()]
        if not self.by or not every[0].can_shrink:
            return {}
        counts, n = zip(*((one.counts, one.n) for one in every), strict=True)
        shrunk = shrink_groups(every[0].survey.mechanism, counts, n)  # type: ignore[arg-type]
        return dict(zip(self.groups, shrunk, strict=True))

    def columns(self) -> dict[str, list[Any]]:
        """Return one table of all groups, with the group's values in every row.

        A column of groups that is called like one of the table's own is called by_n, by_category, …
        """
        whole: dict[str, list[Any]] = {}
        for group, one in self.groups.items():
            columns = plain_columns(one, shrunk=self._shrunk.get(group), **self._options)
            rows, own = len(columns["category"]), {"n", *columns}
            named = {_apart(name, own): v for name, v in zip(self.by, group, strict=True)}
            for name, value in (named | {"n": one.n}).items():
                whole.setdefault(name, []).extend([value] * rows)
            for name, values in columns.items():
                whole.setdefault(name, []).extend(values)
        return whole

    def document(self) -> dict[str, Any]:
        """Return what JSON output says."""
        some = next(iter(self.groups.values()))
        document = describe_survey(some.survey) | self._options
        described = [
            {"group": dict(zip(self.by, group, strict=True))}
            | describe_estimate(one, shrunk=self._shrunk.get(group), **self._options)
            for group, one in self.groups.items()
        ]
        document |= self.weights
        return document | ({"groups": described} if self.by else described[0])

    def draw(self, path: Path) -> None:
        """Draw one picture, with a panel for each group."""
        from .. import figures

        options = self._options | {"simultaneous": self.simultaneous is not False}
        if self.by:
            shown = (self._shown or self.groups).items()
            named = {", ".join(map(value_in_words, group)): one for group, one in shown}
            figures.save_groups(named, path, **options)
        else:
            figures.save_estimate(self.groups[()], path, **options)

    @property
    def _shown(self) -> Mapping[Group, Shown]:
        """The groups that are large enough to be looked at; the only one, however small."""
        if not self.by:
            return self.groups
        return {group: one for group, one in self.groups.items() if one.n >= LEAST_GROUP}

    def show(self, top: int | None) -> None:
        """Print a table for each group, and what they have in common."""
        one = next(iter(self.groups.values()))
        for group, one in self._shown.items():
            title = None
            if self.by:
                title = f"{in_words(self.by, group)} · {plural(one.n, 'report')}"
            rows = top or (_ROWS_OF_A_GROUP if self.by else _ROWS)
            options = self._options | {"simultaneous": self.simultaneous}
            print_estimate(one, top=rows, title=title, shrunk=self._shrunk.get(group), **options)
        if hidden := len(self.groups) - len(self._shown):
            groups = plural(hidden, "group")
            click.echo(f"{groups} of fewer than {LEAST_GROUP} reports: too few for a table.")
        if self.remark:
            click.echo(self.remark)
        if self._shown and one.can_shrink:
            less = "groups together, less noise" if self.by else "less noise in all"
            click.echo(f"share: unbiased, for sums and tests. shrunk: {less}, for display.")
        n = plural(sum(one.n for one in self.groups.values()), "report")
        groups = f" in {plural(len(self.groups), 'group')}" if self.by else ""
        groups += "" if isinstance(self.target, str) else f" from {self.target:,} people"
        click.echo(f"{n}{groups}, epsilon = {one.survey.epsilon:g}, {one.survey.mechanism!r}")


def _apart(name: str, taken: set[str]) -> str:
    """Return a name that is not taken, and take it.

    >>> _apart("country", {"n"}), _apart("n", {"n"}), _apart("n", {"n", "by_n"})
    ('country', 'by_n', 'by_by_n')
    """
    while name in taken:
        name = f"by_{name}"
    taken.add(name)
    return name
