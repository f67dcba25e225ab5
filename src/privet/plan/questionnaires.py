"""How accurately the people who draw a questionnaire's pages answer each of its questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, prod, sqrt

from ..analysis.tables.sharing import best_shares, measured, spread_alone, tabled
from ..analysis.tables.variances import split_variance, total_variance
from ..device.contract import Contract
from ..device.mechanisms.base import Mechanism
from ..device.survey import Survey
from ..errors.arguments import whole
from .planners import planner_of

Ids = tuple[str, ...]

__all__ = ["PlannedQuestion", "plan_questionnaire"]


@dataclass(frozen=True)
class PlannedQuestion:
    """How accurately a questionnaire tells the answers to a question, or a table of several.

    All errors are standard errors, for a population without end in which all answers are alike,
    numbers are spread evenly, and people choose half as many options as they may. They are infinite
    where nothing would be known.

    Attributes
    ----------
    asks : tuple of str
        The question's id, or those of a table.
    of : "share", "option" or "mean"
        What the errors are of: a share of answers (the root of the mean variance of all), the share
        of an option, or the mean of numbers, in the scale's units.
    people : float
        How many people are expected to draw a page that asks all of it.
    standard_error : float
        The error.
    without_tables : float
        The same if no table were asked for, and pages were shared out accordingly.
    one_each : float
        The same if each question were asked of as many people, and no table.
    split : float
        The same if everybody answered all questions, each at its part of ε; scales that are in
        tables would be asked by band there.

    """

    asks: tuple[str, ...]
    of: str
    people: float
    standard_error: float
    without_tables: float
    one_each: float
    split: float


def plan_questionnaire(questionnaire: Contract, n: int) -> list[PlannedQuestion]:
    """Return what n people tell of each question, and of each table that is asked, and other ways.

    >>> from privet import Questionnaire, Survey
    >>> tea = Survey("Tea?", ["yes", "no"], 1.0, id="tea")
    >>> cake = Survey("Cake?", ["yes", "no", "later"], 1.0, id="cake")
    >>> party = Questionnaire("Party", [tea, cake], 1.0, tables=[("tea", "cake")])
    >>> for row in plan_questionnaire(party, 10_000):
    ...     errors = row.standard_error, row.without_tables, row.split
    ...     print(" × ".join(row.asks), *(f"{100 * error:.2f} %" for error in errors))
    tea 1.81 % 1.60 % 2.04 %
    cake 1.92 % 1.75 % 2.65 %
    tea × cake 1.80 % inf % 5.61 %

    """
    n = whole("plan_questionnaire", "n", n, 1)
    surveys, by_id = questionnaire.surveys, {one.id: one for one in questionnaire.surveys}
    pages = {page.asks: (n * page.share, page.mechanism) for page in questionnaire.pages}
    alone: list[Ids] = [(one.id,) for one in surveys]
    # A question that is never asked by itself would have the mechanism that its answers choose.
    chosen = [one.answers.choose(questionnaire.epsilon) for one in surveys]
    own = [pages[ids][1] if ids in pages else one for ids, one in zip(alone, chosen, strict=True)]
    best = best_shares(surveys, alone, own) if len(surveys) > 1 else {alone[0]: 1.0}
    without = {ids: (n * best[ids], m) for ids, m in zip(alone, own, strict=True)}
    each = {ids: (n / len(surveys), m) for ids, m in zip(alone, own, strict=True)}
    rows = []
    for ids in [*alone, *(asks for asks in pages if len(asks) > 1)]:
        asked = [by_id[name] for name in ids]
        people = sum(many for asks, (many, _) in pages.items() if _tells(asked, ids, asks))
        errors = [_error(by_id, ids, way) for way in (pages, without, each)]
        errors.append(_split_error(asked, n, len(surveys)))
        rows.append(PlannedQuestion(ids, measured(asked), people, *errors))
    return rows


def _tells(asked: Sequence[Survey], ids: Ids, page: Ids) -> bool:
    """Say whether a page asks all of it; numbers are told by their own page alone."""
    return page == ids or (measured(asked) == "share" and {*ids} <= {*page})


def _error(by_id: dict[str, Survey], ids: Ids, pages: dict[Ids, tuple[float, Mechanism]]) -> float:
    asked = [by_id[name] for name in ids]
    if measured(asked) != "share":
        people, mechanism = pages.get(ids, (0.0, None))
        return _alone_error(asked[0], mechanism, people) if mechanism else inf
    joint = [page for page in pages if measured([by_id[name] for name in page]) == "share"]
    sizes, (table, *places) = tabled([*by_id.values()], [ids, *joint])
    people_of, mechanisms = [pages[page][0] for page in joint], [pages[page][1] for page in joint]
    total = total_variance(sizes, places, people_of, mechanisms, table, sampling=True)
    return sqrt(total / prod(sizes[q] for q in table))


def _alone_error(survey: Survey, mechanism: Mechanism, people: float) -> float:
    """Return the error of the mean, in the scale's units, or of an option."""
    half = planner_of(survey.answers).half
    return half * sqrt(spread_alone(survey, mechanism) / people) if people else inf


def _split_error(asked: Sequence[Survey], n: int, questions: int) -> float:
    epsilon = asked[0].epsilon / questions
    if measured(asked) != "share":
        return _alone_error(asked[0], asked[0].answers.choose(epsilon), n)
    sizes = [len(one.answers.table_names) for one in asked]
    return sqrt(split_variance(sizes, epsilon) / n / prod(sizes))
