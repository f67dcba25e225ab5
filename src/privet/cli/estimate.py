"""privet estimate: files of reports into a table and a picture."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from .options import FIGURE, FILES, INPUT, LEVEL, TABLE, TARGET

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ..estimate import Estimate
    from ..mechanisms.base import Target
    from ..survey import Survey
    from ..tally import Tally

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
    from .tables import write_table

    if master is not None and engine != "spark":
        raise click.UsageError("--master is for --engine spark.")
    contract = read_survey(survey)
    with ExitStack() as stack:  # what cannot be written is told before the work
        table, picture = (path and stack.enter_context(replacing(path)) for path in (out, figure))
        tallies = _count(reports, contract, by, engine, master)
        results = {group: tally.estimate() for group, tally in tallies.items()}
        if not results:
            raise NoReports("There are no reports in these files, and so no groups.")
        json_text = _as_json(results, by, level, target) if json_out or out else ""
        if table is not None:
            write_table(table, _as_columns(results, by, level, target), json_text)
        if picture is not None:
            _draw(results, by, picture, level, target)
    if json_out:
        click.echo(json_text)
    else:
        _print(results, by, level, target, top)


def _count(
    reports: Sequence[str], survey: Survey, by: Sequence[str], engine: str, master: str | None
) -> dict[Group, Tally]:
    from .show import progress

    if engine == "spark":
        from ..bulk.spark import tally_paths

        with progress("Counting with Spark"):
            return tally_paths(reports, survey, by=by, master=master)
    from ..bulk import tally_files, tally_groups

    context = click.get_current_context()
    argument = next(param for param in context.command.params if param.name == "reports")
    paths = [path for one in reports for path in FILES.convert(one, argument, context)]
    if by:
        return tally_groups(paths, survey, by, progress=progress)
    return {(): tally_files(paths, survey, progress=progress)}


def _as_columns(
    results: dict[Group, Estimate], by: Sequence[str], level: float, target: Target
) -> dict[str, list[Any]]:
    """Return one table of all groups, the values of each beside every row."""
    whole: dict[str, list[Any]] = {}
    for group, result in results.items():
        columns = result.columns(level, target=target)
        rows = len(columns["category"])
        named = dict(zip(by, group, strict=True)) | {"n": result.n}
        for name, value in named.items():
            whole.setdefault(name, []).extend([value] * rows)
        for name, values in columns.items():
            whole.setdefault(name, []).extend(getattr(values, "tolist", lambda v=values: v)())
    return whole


def _as_json(
    results: dict[Group, Estimate], by: Sequence[str], level: float, target: Target
) -> str:
    import json

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
    return json.dumps(document, indent=2, ensure_ascii=False)


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
        click.echo("share: unbiased, for sums and tests. shrunk: likelier as a whole, to be shown.")
    n = plural(sum(result.n for result in results.values()), "report")
    groups = f" in {plural(len(results), 'group')}" if by else ""
    click.echo(f"{n}{groups}, epsilon = {some.survey.epsilon:g}, {some.survey.mechanism!r}")


def _name(group: Group) -> str:
    """Return a group in words.

    >>> _name(("France", None))
    'France, (none)'
    """
    return ", ".join("(none)" if value is None else value for value in group)
