"""privet regress: how answers depend on columns that are kept with the reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from .. import figures
from ..analysis.regression.covariates import MOST_LEVELS
from ..analysis.regression.fitted import Linear, Logit
from ..analysis.regression.fitting import fit
from ..bulk.kept import Kept, read_with
from ..device.mechanisms.base import Exclusive
from ..device.survey import Survey
from ..errors import InvalidArgument, InvalidFile, NoReports
from ..figures.canvas import save
from .guards import is_survey, read_survey
from .options import FIGURE, INPUT, JSON, LEVEL, TABLE, Once, files_of, keep_apart
from .output import counted_in, plural, print_json, printable, rows_of, say
from .show import describe_survey
from .terminal import print_table, progress
from .writing import outputs, write_table


@click.command(cls=Once)
@click.argument("reports", metavar="REPORTS...", nargs=-1, required=True)
@click.option("--survey", type=INPUT, help="The survey, if the files do not carry it.")
@click.option(
    "--on", multiple=True, required=True, metavar="COLUMN",
    help="A column that is kept with the reports, such as an age or a region; repeatable.",
)  # fmt: skip
@click.option(
    "--reference", metavar="CATEGORY", show_default="the survey's first",
    help="The category that the others are compared with.",
)  # fmt: skip
@click.option(
    "--baseline", "baselines", multiple=True, metavar="COLUMN=LEVEL",
    show_default="the first, in order",
    help="The level of a text column that its others are compared with; repeatable.",
)  # fmt: skip
@click.option(
    "--text", multiple=True, metavar="COLUMN",
    help="Take the numbers of this column for names, such as those of districts; repeatable.",
)  # fmt: skip
@click.option(
    "--weights", metavar="COLUMN",
    help="The column of survey weights, numbers above 0 of which only the ratios matter.",
)  # fmt: skip
@click.option(
    "--at", "people", multiple=True, metavar="COLUMN=VALUE,...",
    help="Predict for people like this, who have a value in every column; repeatable.",
)  # fmt: skip
@LEVEL
@JSON
@click.option("-o", "--out", type=TABLE, help="Write the coefficients, as CSV, JSON or Parquet.")
@FIGURE
def regress(
    reports: tuple[str, ...],
    survey: Path | None,
    on: tuple[str, ...],
    reference: str | None,
    baselines: tuple[str, ...],
    text: tuple[str, ...],
    weights: str | None,
    people: tuple[str, ...],
    level: float,
    json_out: bool,
    out: Path | None,
    figure: Path | None,
) -> None:
    """Find how answers depend on columns kept in the clear.

    One choice of several categories is fitted by a multinomial logit, and the mean of numbers on a
    scale by a linear regression. The columns are in the files of REPORTS, as privet randomize --by
    keeps them. A column of numbers has one coefficient, a column of text one for each level but the
    baseline. A report without a value in one of the columns is left out.

    privet regress grouped.parquet --on country
    """
    paths = [path for some in files_of(reports) for path in some]
    for path in paths:
        if survey is not None and is_survey(path):
            raise click.UsageError(f"{path} is a survey; REPORTS are files of reports.")
    contract = read_survey(survey or paths[0])
    if not isinstance(contract.mechanism, Exclusive):
        rule = "answers are regressed where people choose one, or give a number on a scale"
        raise click.UsageError(f"{contract.id}: {rule}.")
    names = _columns(on, text, weights)
    given = dict(_pair("--baseline", one) for one in baselines)
    keep_apart([*paths, survey], [out, figure])
    with outputs(out, figure) as (table, picture):
        known = _read(paths, contract, names, [*text, *given])
        fitted = _fit(paths[0], contract, known, list(on), reference, given, weights)
        found = _Found(contract, known, fitted, level, [_person(one, known, on) for one in people])
        if table is not None:
            write_table(table, found.columns, found.document)
        if picture is not None:
            found.draw(picture)
    if json_out:
        print_json(found.document())
    else:
        found.show()
    say(counted_in(paths, len(known.reports) + known.left_out, contract.id))
    if known.left_out:
        missing = ", ".join(f"{printable(name)} {many:,}" for name, many in known.missing.items())
        say(f"Note: {plural(known.left_out, 'report')} left out, without a value: {missing}.")


def _columns(on: Sequence[str], text: Sequence[str], weights: str | None) -> list[str]:
    for name in on:
        if on.count(name) > 1:
            raise click.UsageError(f"--on {name} is given twice.")
    for name in text:
        if name not in on:
            raise click.UsageError(f"--text {name}: not one of the columns --on.")
    if weights in on:
        raise click.UsageError(f"--weights {weights}: the column is one of those --on.")
    return [*on, *([] if weights is None else [weights])]


def _pair(option: str, typed: str) -> tuple[str, str]:
    name, equals, value = typed.partition("=")
    if not equals or not name:
        raise click.UsageError(f"{option} is COLUMN=VALUE, not {typed!r}.")
    return name.strip(), value.strip()


def _read(paths: Sequence[Path], survey: Survey, names: Sequence[str], text: Sequence[str]) -> Kept:
    known = read_with(paths, survey, names, text=text, progress=progress)
    if not len(known.reports):
        left = f" with a value in {', '.join(names)}" if known.left_out else ""
        raise NoReports(f"{paths[0]}: there are no reports{left}.")
    return known


def _fit(
    path: Path,
    survey: Survey,
    known: Kept,
    on: Sequence[str],
    reference: str | None,
    baselines: Mapping[str, str],
    weights: str | None,
) -> Logit | Linear:
    """Return the fit, with errors in terms of the file's columns and the options."""
    for name in on:
        values = known.columns[name]
        different = len({*values.tolist()})
        if different == 1:
            rule = f"is {values[0]!s:.40} in every row, so nothing can depend on it"
            raise InvalidFile(f"{path}: the column {name!r} {rule}.")
        if values.dtype == object and different > MOST_LEVELS:
            rule = f"has {different:,} different texts, and a fit takes at most {MOST_LEVELS}"
            raise InvalidFile(f"{path}: the column {name!r} {rule}; group them first.")
    for name in baselines:
        if name not in on:
            raise click.UsageError(f"--baseline {name}: not one of the columns --on.")
    if weights is not None:
        values = known.columns[weights]
        if values.dtype == object or not (values > 0).all():
            wrong = next(v for v in values.tolist() if isinstance(v, str) or not v > 0)
            rule = "weights are numbers above 0"
            raise InvalidFile(f"{path}: the column {weights!r} has {wrong!s:.40}; {rule}.")
    columns = {name: known.columns[name] for name in on}
    try:
        return fit(
            survey,
            known.reports,
            columns,
            weights=None if weights is None else known.columns[weights],
            reference=reference,
            baselines=baselines,
        )
    except InvalidArgument as error:
        if error.parameter in ("reference", "baselines"):
            option = error.parameter.removesuffix("s")
            rule = str(error).partition(" must be ")[2]
            raise click.UsageError(f"--{option} must be {rule}") from None
        if error.parameter != "covariates":
            raise
        rule = str(error).partition(" must be ")[2]
        raise InvalidFile(f"{path}: --on {', '.join(on)} must be {rule}") from None


def _person(typed: str, known: Kept, on: Sequence[str]) -> dict[str, Any]:
    """Return the values that a person of --at has in every column."""
    pairs = dict(_pair("--at", one) for one in typed.split(","))
    if {*pairs} != {*on}:
        rule = f"has a value for each of {', '.join(on)}"
        raise click.UsageError(f"--at {rule}. Got {typed!r}.")
    person: dict[str, Any] = {}
    for name in on:
        value: Any = pairs[name]
        if known.columns[name].dtype != object:
            try:
                value = float(value)
            except ValueError:
                rule = f"a number for {name}"
                raise click.UsageError(f"--at must have {rule}. Got {value!r}.") from None
        elif value not in known.columns[name]:
            levels = ", ".join(sorted({*known.columns[name].tolist()}))
            raise click.UsageError(f"--at {name} must be one of {levels}. Got {value!r}.")
        person[name] = value
    return person


class _Found:
    """A fit, as a table to read, as JSON, as a file and as a picture."""

    def __init__(
        self,
        survey: Survey,
        known: Kept,
        fitted: Logit | Linear,
        level: float,
        people: Sequence[Mapping[str, Any]],
    ) -> None:
        self._survey, self._known, self._fitted = survey, known, fitted
        self._level, self._people = level, people

    def columns(self) -> dict[str, list[Any]]:
        """Return the table of coefficients; a withheld one has no value."""
        from math import isfinite

        def plain(value: Any) -> Any:
            return None if isinstance(value, float) and not isfinite(value) else value

        columns = self._fitted.columns(self._level)
        lists = {k: v.tolist() if hasattr(v, "tolist") else v for k, v in columns.items()}
        return {name: [plain(value) for value in column] for name, column in lists.items()}

    def predictions(self) -> list[dict[str, Any]]:
        """Return what is predicted for the people of --at, a row for each share or mean."""
        if not self._people:
            return []
        people = {name: [one[name] for one in self._people] for name in self._people[0]}
        values = self._fitted.predict(people)
        low, high = self._fitted.predict_interval(people, self._level)
        rows: list[dict[str, Any]] = []
        for i, person in enumerate(self._people):
            if isinstance(self._fitted, Linear):
                ends = {"low": float(low[i]), "high": float(high[i])}
                rows.append({"at": dict(person), "mean": float(values[i]), **ends})
                continue
            for j, category in enumerate(self._survey.categories):
                ends = {"low": float(low[i, j]), "high": float(high[i, j])}
                share = {"category": category, "share": float(values[i, j])}
                rows.append({"at": dict(person), **share, **ends})
        return rows

    def document(self) -> dict[str, Any]:
        """Return what JSON output says."""
        fitted = self._fitted
        document = describe_survey(self._survey) | {"n": fitted.n, "left_out": self._known.left_out}
        if isinstance(fitted, Logit):
            document |= {"model": "multinomial logit", "reference": fitted.reference}
            document |= {"too_rare": list(fitted.too_rare)}
        else:
            document |= {"model": "linear"}
        document |= {"level": self._level, "coefficients": rows_of(self.columns())}
        return document | {"predictions": self.predictions()}

    def show(self) -> None:
        """Print the tables."""
        click.echo(printable(self._survey.question))
        click.echo(self._fitted.summary(self._level))
        rows = self.predictions()
        if not rows:
            return
        shown, before = [], None
        for row in rows:
            person = ", ".join(
                f"{printable(n)} = {v:g}"
                if isinstance(v, float)
                else f"{printable(n)} = {printable(v)}"
                for n, v in row["at"].items()
            )
            numbers = [row.get("share", row.get("mean")), row["low"], row["high"]]
            if "share" in row:
                texts = [f"{100 * number:.1f} %" for number in numbers]
                words = [person if person != before else "", printable(row["category"])]
            else:
                texts, words = [f"{number:.4g}" for number in numbers], [person]
            shown.append([*words, *texts])
            before = person
        categories = ["category"] if "share" in rows[0] else []
        value = "share" if categories else "mean"
        print_table(["people with", *categories], [value, "low", "high"], shown, overflow="fold")

    def draw(self, path: Path) -> None:
        """Draw the coefficients with their intervals."""
        save(figures.plot_coefficients(self._fitted, level=self._level), path)
