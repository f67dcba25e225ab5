"""Which share of the people should draw each page of a questionnaire, and what they will tell."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, prod, sqrt
from typing import TYPE_CHECKING

import numpy as np

from ..analysis.tables.sharing import page_shares
from ..analysis.tables.variances import split_variance, total_variance
from ..device.pages import cell_names
from ..errors.arguments import whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..device.mechanisms.base import Mechanism
    from ..device.questionnaire import Questionnaire
    from ..device.survey import Survey

    Ids = tuple[str, ...]

__all__ = ["PlannedQuestion", "best_shares", "plan_questionnaire", "spread_alone"]

# As good as infinitely many, for variances that depend on their number.
_MANY = 10**9


def best_shares(
    surveys: Sequence[Survey], asked: Sequence[Ids], mechanisms: Sequence[Mechanism]
) -> list[float]:
    """Return the shares of people with the least summed mean variance of all that is asked.

    Shares of answers count with the mean of their variances (`privet.tables.page_shares`), numbers
    on a scale with the variance of their mean on [-1, 1], which is about as large.
    """
    by_id = {one.id: one for one in surveys}
    made = dict(zip(asked, mechanisms, strict=True))
    apart = [ids for ids in asked if _measured([by_id[name] for name in ids]) != "share"]
    together = [ids for ids in asked if ids not in apart]
    sizes, places = _tabled(surveys, together)
    alone = [spread_alone(by_id[ids[0]], made[ids]) for ids in apart]
    shares = page_shares(places, sizes, [made[ids] for ids in together], places, alone=alone)
    found = dict(zip([*together, *apart], shares.tolist(), strict=True))
    return [found[ids] for ids in asked]


def _tabled(
    surveys: Sequence[Survey], pages: Sequence[Ids]
) -> tuple[list[int], list[tuple[int, ...]]]:
    """Return how many answers each question has that tables may join, and each page's questions.

    These are numbered as the first say.
    """
    ids = {one.id: len(cell_names(one.answers)) for one in surveys if one.answers.kind != "several"}
    return [*ids.values()], [tuple(map([*ids].index, page)) for page in pages]


def spread_alone(survey: Survey, mechanism: Mechanism) -> float:
    """Return n times the variance that a page counts with which joins no table."""
    if survey.answers.kind == "scale":
        windows = np.arange(mechanism.numbers)  # type: ignore[attr-defined]
        slope = float(mechanism.slope)  # type: ignore[attr-defined]
        chances = mechanism.analyst.estimator.chances.mean(axis=1)  # type: ignore[attr-defined]
        spread = chances @ windows**2 - (chances @ windows) ** 2
        return float(spread * (2 / slope / (mechanism.d - 1)) ** 2)
    share = survey.answers.most / (2 * mechanism.d)  # type: ignore[attr-defined]
    variance = mechanism.variance(np.full(mechanism.d, share), _MANY)
    return _MANY * float(variance.mean())


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


def plan_questionnaire(questionnaire: Questionnaire, n: int) -> list[PlannedQuestion]:
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
    surveys = questionnaire.surveys
    pages = {page.asks: (n * page.share, page.mechanism) for page in questionnaire.pages}
    alone: list[Ids] = [(one.id,) for one in surveys]
    own = [pages[ids][1] if ids in pages else _own(questionnaire, ids) for ids in alone]
    best = best_shares(surveys, alone, own) if len(surveys) > 1 else [1.0]
    without = {ids: (n * s, m) for ids, s, m in zip(alone, best, own, strict=True)}
    each = {ids: (n / len(surveys), m) for ids, m in zip(alone, own, strict=True)}
    rows = []
    for ids in [*alone, *(asks for asks in pages if len(asks) > 1)]:
        asked = [questionnaire[name] for name in ids]
        people = sum(many for asks, (many, _) in pages.items() if _tells(asked, ids, asks))
        errors = [_error(surveys, ids, way) for way in (pages, without, each)]
        errors.append(_split_error(asked, n, len(surveys)))
        rows.append(PlannedQuestion(ids, _measured(asked), people, *errors))
    return rows


def _own(questionnaire: Questionnaire, ids: Ids) -> Mechanism:
    """Return the mechanism of a question that is never asked by itself, if it were."""
    return questionnaire[ids[0]].answers.choose(questionnaire.epsilon)


def _measured(asked: Sequence[Survey]) -> str:
    of = {"choice": "share", "several": "option", "scale": "mean"}
    return "share" if len(asked) > 1 else of[asked[0].answers.kind]


def _tells(asked: Sequence[Survey], ids: Ids, page: Ids) -> bool:
    """Say whether a page asks all of it; numbers are told by their own page alone."""
    return page == ids or (_measured(asked) == "share" and {*ids} <= {*page})


def _error(surveys: Sequence[Survey], ids: Ids, pages: dict[Ids, tuple[float, Mechanism]]) -> float:
    by_id = {one.id: one for one in surveys}
    asked = [by_id[name] for name in ids]
    if _measured(asked) != "share":
        people, mechanism = pages.get(ids, (0.0, None))
        return _alone_error(asked[0], mechanism, people) if mechanism else inf
    joint = [page for page in pages if _measured([by_id[name] for name in page]) == "share"]
    sizes, (table, *places) = _tabled(surveys, [ids, *joint])
    people_of, mechanisms = [pages[page][0] for page in joint], [pages[page][1] for page in joint]
    total = total_variance(sizes, places, people_of, mechanisms, table, sampling=True)
    return sqrt(total / prod(sizes[q] for q in table))


def _alone_error(survey: Survey, mechanism: Mechanism, people: float) -> float:
    """Return the error of the mean, in the scale's units, or of an option."""
    answers = survey.answers
    half = (answers.high - answers.low) / 2 if answers.kind == "scale" else 1  # type: ignore[attr-defined]
    return half * sqrt(spread_alone(survey, mechanism) / people) if people else inf


def _split_error(asked: Sequence[Survey], n: int, questions: int) -> float:
    epsilon = asked[0].epsilon / questions
    if _measured(asked) != "share":
        return _alone_error(asked[0], asked[0].answers.choose(epsilon), n)
    sizes = [len(cell_names(one.answers)) for one in asked]
    return sqrt(split_variance(sizes, epsilon) / n / prod(sizes))
