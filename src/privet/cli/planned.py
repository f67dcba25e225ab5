"""What is shown of plans: lines and tables to read, documents for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from decimal import ROUND_UP, Context
from math import isfinite, sqrt
from typing import Any, NamedTuple

import click

from ..device.answers.scale import Scale
from ..device.mechanisms.base import Exclusive
from ..device.questionnaire import Questionnaire
from ..plan import Comparison, PlannedQuestion, SetComparison, compare, compare_for_sets, plan
from ..plan.planning import Plan, ScalePlan
from ..poisoning.gains import worth
from .output import print_lines, printable, three_digits
from .terminal import console, print_table

Compared = Sequence[Comparison] | Sequence[SetComparison] | Sequence[ScalePlan]

_WIDE = 115  # for all columns of a comparison


class Shuffled(NamedTuple):
    """The central ε at δ of reports that nobody can link to people; none where it is not known."""

    epsilon: float | None
    delta: float

    def __str__(self) -> str:
        if self.epsilon is None:
            return "not known for this mechanism"
        certified = Context(prec=3, rounding=ROUND_UP).create_decimal(self.epsilon)
        level = f"central ε = {float(certified):g} at δ = {self.delta:g}"
        return f"{level}, if nobody can link a report to a person"


def print_plan(found: Plan | ScalePlan, shuffled: Shuffled) -> None:
    """Print what a plan says, a line each."""
    margin = f"{100 * found.level:g} % margin"
    lines = {"people": f"{found.n:,}", "privacy": f"ε = {found.epsilon:g}"}
    if isinstance(found, ScalePlan):
        lines[f"{margin}, the mean"] = f"± {_number(found.margin, found.answers.unit)}"
        lines[f"{margin}, the share of the lower half"] = _percent(found.share_margin)
    else:
        one = "a category" if isinstance(found.mechanism, Exclusive) else "an option"
        lines[f"{margin}, a rare {one.split()[1]}"] = _percent(found.margin)
        lines[f"{margin}, {one} chosen by half"] = _percent(found.common_margin)
        if isinstance(found.mechanism, Exclusive) or found.detectable is not None:
            share = found.detectable
            said = "none" if share is None else f"{100 * share:.3g} %"
            lines["smallest share distinguishable from zero"] = said
    lines[f"shuffled, {found.n:,} people"] = str(shuffled)
    if (lie := worth(found.mechanism)) is not None:
        last = ", at the end of the scale" if isinstance(found, ScalePlan) else ""
        lines["one false report"] = f"is worth up to {lie:.3g} honest answers{last}"
    lines["report"] = f"{_size(found.report_bytes)}, {found.mechanism!r}"
    print_lines(lines)


def compared_rows(found: Plan | ScalePlan) -> Compared:
    """Return what the plan could have been with other mechanisms: windows, for a scale."""
    answers, epsilon = found.answers, found.epsilon
    if isinstance(answers, int):
        return compare(answers, epsilon, found.n)
    if not isinstance(answers, Scale):
        return compare_for_sets(answers.size, epsilon, answers.most)
    shape = answers.low, answers.high, answers.cells, answers.unit
    aims = (Scale(*shape, aim, answers.whole) for aim in ("shape", "mean"))
    return [plan(aim, epsilon=epsilon, n=found.n, level=found.level) for aim in aims]


def describe_plan(found: Plan | ScalePlan, rows: Compared | None) -> dict[str, Any]:
    """Return what JSON output says of a plan, and of all mechanisms."""
    answers = found.answers
    said = {"d": answers} if isinstance(answers, int) else {"answers": answers.described()}
    document = said | _described(found) | {"false_report_worth": worth(found.mechanism)}
    return document if rows is None else document | {"mechanisms": [*map(_described, rows)]}


def _described(one: Any) -> dict[str, Any]:
    described = {name: value for name, value in vars(one).items() if name != "answers"}
    described["mechanism"] = one.mechanism.name
    window = {"window": one.mechanism.window} if isinstance(one, ScalePlan) else {}
    return described | window | {"report_bytes": one.report_bytes}


# --- mechanisms side by side ----------------------------------------------------------------------


def print_compared(rows: Compared, found: Plan | ScalePlan) -> None:
    """Print all mechanisms, and which one the plan is of."""
    wide = console(120).width >= _WIDE
    if isinstance(found, ScalePlan):
        lines = [_of_window(row, found) for row in rows]  # type: ignore[arg-type]
    elif isinstance(found.answers, int):
        lines = [_of_mechanism(row, found, wide=wide) for row in rows]  # type: ignore[arg-type]
    else:
        lines = [_of_sets(row, found, rows[0]) for row in rows]  # type: ignore[arg-type]
    first, *heads = lines[0]
    cells = [line.values() for line in lines]
    print_table([first], heads, cells, width=120, no_wrap=True)
    if isinstance(found.answers, int) and not wide:
        click.echo("A wider terminal also shows what each costs.\n")


def _of_mechanism(row: Comparison, found: Plan, *, wide: bool) -> dict[str, str]:
    cells = {
        "mechanism": _marked(row, found),
        "s.e. of a share": f"± {100 * sqrt(row.squared_error / row.mechanism.d):.2g} %",
        "squared error": f"{row.squared_error:.3g}",
        "of the best": f"{row.relative_error:,.3f} ×",
        "report": _size(row.report_bytes),
    }
    costs = {
        "random": _size(row.random_bytes),
        "counting": f"{three_digits(row.counting_steps)} per report",
        "decoding": three_digits(row.decoding_steps),
    }
    return cells | costs if wide else cells


def _of_sets(row: SetComparison, found: Plan, best: SetComparison) -> dict[str, str]:
    return {
        "mechanism": _marked(row, found),
        "s.e. of an option": f"± {100 * row.deviation / sqrt(found.n):.2g} %",
        "of the best": f"{row.deviation / best.deviation:,.3f} ×",
        "report": _size(row.report_bytes),
    }


def _of_window(row: ScalePlan, found: ScalePlan) -> dict[str, str]:
    return {
        "aim": row.answers.aim + (" ←" if row.mechanism == found.mechanism else ""),
        "window": f"{row.mechanism.window:,} of {row.mechanism.d:,} cells",
        f"{100 * found.level:g} % margin, mean": f"± {_number(row.margin, found.answers.unit)}",
        "lower half": _percent(row.share_margin),
        "report": _size(row.report_bytes),
    }


def _marked(row: Comparison | SetComparison, found: Plan) -> str:
    name = row.mechanism.name
    return f"{name} ←" if name == found.mechanism.name else name


# --- questionnaires -------------------------------------------------------------------------------


def print_questionnaire(
    questionnaire: Questionnaire, n: int, rows: Sequence[PlannedQuestion]
) -> None:
    """Print the shares of people a page, and what all tell, compared with other ways to ask."""
    units = {one.id: getattr(one.answers, "unit", "") for one in questionnaire.surveys}
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
            _error(row, units),
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
) -> dict[str, Any]:
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


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not isfinite(value) else value


def _asked(ids: Sequence[str]) -> str:
    return " × ".join(ids)


def _error(row: PlannedQuestion, units: dict[str, str]) -> str:
    if not isfinite(row.standard_error):
        return "unknown"
    if row.of == "mean":
        return f"± {_number(row.standard_error, units[row.asks[0]])}"
    return f"± {100 * row.standard_error:.2g} %"


def _factor(other: float, row: PlannedQuestion) -> str:
    return f"{other / row.standard_error:.2f} ×" if isfinite(other) else "unknown"


def _number(value: float, unit: str) -> str:
    return f"{value:.3g} {printable(unit)}".rstrip()


def _percent(share: float) -> str:
    return f"± {100 * share:.3g} %"


def _size(count: int) -> str:
    """Return a number of bytes.

    >>> _size(4), _size(125_000)
    ('4 B', '125 kB')
    """
    return f"{count} B" if count < 10_000 else f"{three_digits(count / 1000)} kB"
