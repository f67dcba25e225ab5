"""What is shown of plans: lines and tables to read, documents for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from decimal import ROUND_UP, Context
from functools import singledispatch
from math import isfinite, sqrt
from typing import NamedTuple

import click

from ..device.questionnaire import Questionnaire
from ..plan import Comparison, PlannedQuestion, ScalePlan, SetComparison
from ..plan.planners import PERCENT, Alternative, planner_of
from ..plan.plans import SurveyPlan
from ..poisoning.gains import worth
from .output import print_lines, printable, three_digits
from .terminal import console, print_table

_WIDE = 115  # for all columns of a comparison
# The columns that are for wide terminals alone.
_COSTS = {"random", "counting", "decoding"}


class CentralLevel(NamedTuple):
    """The central ε at δ of reports that nobody can link to people; none where it is not known."""

    epsilon: float | None
    delta: float

    def __str__(self) -> str:
        if self.epsilon is None:
            return "not known for this mechanism"
        certified = Context(prec=3, rounding=ROUND_UP).create_decimal(self.epsilon)
        level = f"central ε = {float(certified):g} at δ = {self.delta:g}"
        return f"{level}, if nobody can link a report to a person"


def print_plan(found: SurveyPlan, shuffled: CentralLevel) -> None:
    """Print what a plan says, a line each."""
    planner = planner_of(found.answers)
    lines = {"people": f"{found.n:,}", "privacy": f"ε = {found.epsilon:g}"}
    lines |= {name: printable(said) for name, said in planner.lines(found).items()}
    lines[f"shuffled, {found.n:,} people"] = str(shuffled)
    if (lie := worth(found.mechanism)) is not None:
        lines["one false report"] = f"is worth up to {lie:.3g} honest answers{planner.worth}"
    lines["report"] = f"{_size(found.report_bytes)}, {found.mechanism!r}"
    print_lines(lines)


def describe_plan(found: SurveyPlan, rows: Sequence[Alternative] | None) -> dict[str, object]:
    """Return what JSON output says of a plan, and of all mechanisms."""
    document = planner_of(found.answers).fields | _described(found, found)
    document |= {"false_report_worth": worth(found.mechanism)}
    if rows is not None:
        document["mechanisms"] = [_described(found, row) for row in rows]
    return document


def _described(found: SurveyPlan, row: Alternative) -> dict[str, object]:
    described = {name: value for name, value in vars(row).items() if name != "answers"}
    described |= {"mechanism": row.mechanism.name, **planner_of(found.answers).shape(row.mechanism)}
    return described | {"report_bytes": row.report_bytes}


# --- mechanisms side by side ----------------------------------------------------------------------


def print_compared(rows: Sequence[Alternative], found: SurveyPlan) -> None:
    """Print all mechanisms, and which one the plan is of."""
    lines = [_cells(row, rows, found) for row in rows]
    narrow = console(120).width < _WIDE and not _COSTS.isdisjoint(lines[0])
    if narrow:
        lines = [{name: line[name] for name in line if name not in _COSTS} for line in lines]
    first, *heads = lines[0]
    cells = [line.values() for line in lines]
    print_table([first], heads, cells, width=120, no_wrap=True)
    if narrow:
        click.echo("A wider terminal also shows what each costs.\n")


@singledispatch
def _cells(row: Alternative, rows: Sequence[Alternative], found: SurveyPlan) -> dict[str, str]:
    """Return a row of the table, by the names of its columns."""
    raise TypeError(f"There are no columns for {type(row).__name__}.")


@_cells.register
def _of_mechanism(
    row: Comparison, rows: Sequence[Alternative], found: SurveyPlan
) -> dict[str, str]:
    return {
        "mechanism": _marked(row, found),
        "s.e. of a share": PERCENT.error(sqrt(row.squared_error / row.mechanism.d)),
        "squared error": f"{row.squared_error:.3g}",
        "of the best": f"{row.relative_error:,.3f} ×",
        "report": _size(row.report_bytes),
        "random": _size(row.random_bytes),
        "counting": f"{three_digits(row.counting_steps)} per report",
        "decoding": three_digits(row.decoding_steps),
    }


@_cells.register
def _of_sets(
    row: SetComparison, rows: Sequence[SetComparison], found: SurveyPlan
) -> dict[str, str]:
    return {
        "mechanism": _marked(row, found),
        "s.e. of an option": PERCENT.error(row.deviation / sqrt(found.n)),
        "of the best": f"{row.deviation / rows[0].deviation:,.3f} ×",
        "report": _size(row.report_bytes),
    }


@_cells.register
def _of_window(row: ScalePlan, rows: Sequence[Alternative], found: SurveyPlan) -> dict[str, str]:
    margin = planner_of(row.answers).unit.reach(row.margin)
    return {
        "aim": row.answers.aim + (" ←" if row.mechanism == found.mechanism else ""),
        "window": f"{row.mechanism.window:,} of {row.mechanism.d:,} cells",
        f"{100 * found.level:g} % margin, mean": printable(margin),
        "lower half": PERCENT.reach(row.share_margin),
        "report": _size(row.report_bytes),
    }


def _marked(row: Alternative, found: SurveyPlan) -> str:
    name = row.mechanism.name
    return f"{name} ←" if name == found.mechanism.name else name


# --- questionnaires -------------------------------------------------------------------------------


def print_questionnaire(
    questionnaire: Questionnaire, n: int, rows: Sequence[PlannedQuestion]
) -> None:
    """Print the shares of people a page, and what all tell, compared with other ways to ask."""
    pages = [
        (_asked(page.asks), f"{100 * page.share:.1f} %", f"{n * page.share:,.0f}")
        for page in questionnaire.pages
    ]
    title = printable(questionnaire.title)
    print_table(["page"], ["share", "people"], pages, title, no_wrap=True)
    lines = [
        (
            _asked(row.asks),
            f"{row.people:,.0f}",
            _error(row, questionnaire),
            row.of,
            *(_factor(other, row) for other in (row.without_tables, row.one_each, row.split)),
        )
        for row in rows
    ]
    heads = ("people", "s.e.", "of", "without tables", "one each", "ε split")
    title = f"{n:,} people, ε = {questionnaire.epsilon:g}"
    print_table(["estimated"], heads, lines, title, no_wrap=True)
    click.echo("On the right are the standard errors of other ways to ask, as multiples of these.")
    click.echo(_where_splitting_wins(rows))


def describe_questionnaire(
    questionnaire: Questionnaire, n: int, rows: Sequence[PlannedQuestion]
) -> dict[str, object]:
    """Return what JSON output says of a questionnaire's plan; null is an error without bound."""
    return {
        "questionnaire": questionnaire.id,
        "epsilon": questionnaire.epsilon,
        "n": n,
        "pages": [
            {"asks": list(page.asks), "share": page.share, "people": n * page.share}
            for page in questionnaire.pages
        ],
        "estimated": [
            {name: _finite(value) for name, value in asdict(row).items()} for row in rows
        ],
    }


def _where_splitting_wins(rows: Sequence[PlannedQuestion]) -> str:
    wins = [_asked(row.asks) for row in rows if row.split < row.standard_error]
    if not wins:
        return "Splitting ε over all questions would be worse for each of them."
    return f"Splitting ε over all questions would be better for {', '.join(wins)}."


def _finite(value: object) -> object:
    return None if isinstance(value, float) and not isfinite(value) else value


def _asked(ids: Sequence[str]) -> str:
    return " × ".join(ids)


def _error(row: PlannedQuestion, questionnaire: Questionnaire) -> str:
    if not isfinite(row.standard_error):
        return "unknown"
    first, *others = row.asks
    unit = PERCENT if others else planner_of(questionnaire[first].answers).unit
    return printable(unit.error(row.standard_error))


def _factor(other: float, row: PlannedQuestion) -> str:
    return f"{other / row.standard_error:.2f} ×" if isfinite(other) else "unknown"


def _size(count: int) -> str:
    """Return a number of bytes.

    >>> _size(4), _size(125_000)
    ('4 B', '125 kB')
    """
    return f"{count} B" if count < 10_000 else f"{three_digits(count / 1000)} kB"
