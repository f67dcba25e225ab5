"""privet estimate: files of reports into a table and a picture."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from .options import FIGURE, INPUT, LEVEL, REPORTS, TABLE, TARGET, keep_apart

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ..analysis.estimate import Estimate
    from ..analysis.tally import Tally
    from ..mechanisms.base import Target
    from ..survey import Survey

    Group = tuple[str | None, ...]

_ROWS, _ROWS_OF_A_GROUP = 40, 10


@click.command()
@click.argument("survey", type=INPUT)
@click.argument("reports", nargs=-1, required=True)
@click.option(
    "--by", multiple=True, metavar="COLUMN",
    help="One estimate for each value of this column, kept beside the reports; repeat.",
)  # fmt: skip
@LEVEL
@TARGET
@click.option(
    "--top", type=click.IntRange(1),
    help=f"Rows shown.  [default: {_ROWS}; {_ROWS_OF_A_GROUP} a group]",
)  # fmt: skip
@click.option("--json", "json_out", is_flag=True, help="Print JSON, every category.")
@click.option("-o", "--out", type=TABLE, help="Write every category, as CSV, JSON or Parquet.")
@click.option("--figure", type=FIGURE, help="Draw a PNG, SVG or PDF.")
@click.option(
    "--engine", type=click.Choice(["local", "spark"]), default="local", show_default=True,
    help="What counts: this process, or Spark, for which REPORTS may be any URL that it reads.",
)  # fmt: skip
@click.option("--master", help="Spark's master, such as spark://host:7077.  [default: local[*]]")
def estimate(
    survey: Path,
    reports: tuple[str, ...],
    by: tuple[str, ...],
    level: float,
    target: Target,
    top: int | None,
    json_out: bool,
    out: Path | None,
    figure: Path | None,
    engine: str,
    master: str | None,
) -> None:
    """Estimate the distribution of answers from files of reports, or tallies of them.

    REPORTS are files, folders, or patterns such as 'days/*.parquet'.

    privet estimate survey.json reports.parquet --figure shares.png
    """
    from ..errors import NoReports
    from ..files import read_survey, replacing
    from .show import print_json
    from .tables import write_table

    if master is not None and engine != "spark":
        raise click.UsageError("--master is for --engine spark.")
    contract = read_survey(survey)
    paths = _files(reports) if engine == "local" else []
    keep_apart([survey, *paths], [out, figure])
    with ExitStack() as stack:  # what cannot be written is told before the work
        table, picture = (path and stack.enter_context(replacing(path)) for path in (out, figure))
        tallies = (
            _count(paths, contract, by)
            if engine == "local"
            else _count_with_spark(reports, contract, by, master)
        )
        results = {group: tally.estimate() for group, tally in tallies.items()}
        if not results:
            raise NoReports("There are no reports in these files, and so no groups.")
        if table is not None:
            write_table(
                table,
                columns=lambda: _as_columns(results, by, level, target),
                document=lambda: _as_document(results, by, level, target),
            )
        if picture is not None:
            _draw(results, by, picture, level, target)
    if json_out:
        print_json(_as_document(results, by, level, target))
    else:
        _print(results, by, level, target, top)


def _files(reports: Sequence[str]) -> list[Path]:
    context = click.get_current_context()
    argument = next(param for param in context.command.params if param.name == "reports")
    return [path for one in reports for path in REPORTS.convert(one, argument, context)]


def _count_with_spark(
    reports: Sequence[str], survey: Survey, by: Sequence[str], master: str | None
) -> dict[Group, Tally]:
    from ..bulk.spark import tally_paths
    from .show import progress

    with progress("Counting with Spark"):
        return tally_paths(reports, survey, by=by, master=master)


def _count(paths: Sequence[Path], survey: Survey, by: Sequence[str]) -> dict[Group, Tally]:
    from ..bulk import tally_files, tally_groups
    from .show import progress

    if by:
        return tally_groups(paths, survey, by, progress=progress)
    return {(): tally_files(paths, survey, progress=progress)}


def _as_columns(
    results: dict[Group, Estimate], by: Sequence[str], level: float, target: Target
) -> dict[str, list[Any]]:
    """Return one table of all groups, the values of each beside every row.

    A column of groups that is called like one of the table's own is called by_n, by_category, ...
    """
    whole: dict[str, list[Any]] = {}
    for group, result in results.items():
        columns = result.columns(level, target=target)
        rows = len(columns["category"])
        own = {"n", *columns}
        named = {_apart(name, own): value for name, value in zip(by, group, strict=True)}
        for name, value in (named | {"n": result.n}).items():
            whole.setdefault(name, []).extend([value] * rows)
        for name, values in columns.items():
            whole.setdefault(name, []).extend(getattr(values, "tolist", lambda v=values: v)())
    return whole


def _apart(name: str, taken: set[str]) -> str:
    """Return a name that is not taken, and take it.

    >>> _apart("country", {"n"}), _apart("n", {"n"}), _apart("n", {"n", "by_n"})
    ('country', 'by_n', 'by_by_n')
    """
    while name in taken:
        name = f"by_{name}"
    taken.add(name)
    return name


def _as_document(
    results: dict[Group, Estimate], by: Sequence[str], level: float, target: Target
) -> dict[str, Any]:
    from .show import describe_estimate, describe_survey

    survey = next(iter(results.values())).survey
    document = {**describe_survey(survey), "level": level, "target": target}
    if not by:
        document |= describe_estimate(results[()], level, target)
    else:
        document["groups"] = [
            {"group": dict(zip(by, group, strict=True)), **describe_estimate(result, level, target)}
            for group, result in results.items()
        ]
    return document


def _draw(
    results: dict[Group, Estimate], by: Sequence[str], path: Path, level: float, target: Target
) -> None:
    from .. import figures

    if not by:
        figures.save_estimate(results[()], path, level=level, target=target)
        return
    named = {_name(group): result for group, result in results.items()}
    figures.save_groups(named, path, level=level, target=target)


def _print(
    results: dict[Group, Estimate],
    by: Sequence[str],
    level: float,
    target: Target,
    top: int | None,
) -> None:
    from .show import plural, print_estimate

    for group, result in results.items():
        title = None
        if by:
            names = ", ".join(f"{name} = {_name((v,))}" for name, v in zip(by, group, strict=True))
            title = f"{names} · {plural(result.n, 'report')}"
        rows = top or (_ROWS_OF_A_GROUP if by else _ROWS)
        print_estimate(result, level=level, target=target, top=rows, title=title)
    some = next(iter(results.values()))
    if some.can_shrink:
        click.echo("share: unbiased, for sums and tests. shrunk: nearer to the truth, to be shown.")
    n = plural(sum(result.n for result in results.values()), "report")
    groups = f" in {plural(len(results), 'group')}" if by else ""
    click.echo(f"{n}{groups}, epsilon = {some.survey.epsilon:g}, {some.survey.mechanism!r}")


def _name(group: Group) -> str:
    r"""Return a group in words.

    >>> _name(("France", None, "", "\x1b"))
    'France, (none), (empty), \\x1b'
    """
    from .show import printable

    words = {None: "(none)", "": "(empty)"}
    return ", ".join(words.get(value) or printable(value or "") for value in group)
