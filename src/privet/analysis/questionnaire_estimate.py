"""What reports say of a questionnaire: each question, and tables of several."""

from __future__ import annotations

from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from ..device.pages import Page
from ..device.questionnaire import Questionnaire
from ..device.survey import Survey
from ..errors import InvalidArgument, NoReports
from .estimate import Estimate
from .pooled import Pooled
from .scale_estimate import ScaleEstimate
from .shown import Shown
from .tables.combining import Combined
from .tables.page_counts import PageCounts
from .tables.table import Table

__all__ = ["QuestionnaireEstimate"]


class QuestionnaireEstimate:
    """The estimates of all questions, and of tables.

    `estimate[age]`, or `estimate["age"]` by its id, is the estimate of a question, from all pages
    that ask it, and
    `estimate.table("smokes", "region")` that of a table.

    >>> from privet import Questionnaire, Survey
    >>> tea = Survey("Tea?", ["yes", "no"], 2.0, id="tea")
    >>> cake = Survey("Cake?", ["yes", "no"], 2.0, id="cake")
    >>> party = Questionnaire("Party", [tea, cake], 2.0, tables=[("tea", "cake")])
    >>> tally = party.tally()
    >>> tally.update([party.randomize({"tea": "yes", "cake": "no"}) for _ in range(500)])
    >>> estimate = tally.estimate()
    >>> estimate.table("tea", "cake").frequencies.shape
    (2, 2)
    >>> round(float(estimate["tea"].frequencies.sum()), 9)
    1.0
    """

    def __init__(self, questionnaire: Questionnaire, n: int, aggregate: NDArray[np.int64]) -> None:
        self.survey = questionnaire
        self.n = n
        counter: Any = questionnaire.mechanism.analyst.counter
        parts = counter.parts(aggregate)
        self._parts = dict(zip(questionnaire.pages, parts, strict=True))

    @property
    def people(self) -> dict[tuple[str, ...], int]:
        """How many people answered each page, by the ids of its questions."""
        return {page.asks: drew for page, (drew, _) in self._parts.items()}

    @property
    def questions(self) -> dict[str, Shown]:
        """The estimates of all questions that somebody answered, by id."""
        return {one.id: self[one.id] for one in self.survey.surveys if self._asked(one)}

    @property
    def tables(self) -> dict[tuple[str, ...], Table]:
        """The tables that were asked for, by the ids of their questions."""
        asked = [page.asks for page, (drew, _) in self._parts.items() if drew]
        return {ids: self.table(*ids) for ids in asked if len(ids) > 1}

    @overload
    def __getitem__(self, question: Survey[ScaleEstimate]) -> ScaleEstimate: ...

    @overload
    def __getitem__(self, question: Survey[Estimate]) -> Estimate | Pooled: ...

    @overload
    def __getitem__(self, question: str) -> Shown: ...

    def __getitem__(self, question: str | Survey[Any]) -> Shown:
        """Return the estimate of a question or of its id; NoReports if nobody answered it."""
        survey = self.survey[question if isinstance(question, str) else question.id]
        if isinstance(question, Survey) and question != survey:
            raise InvalidArgument("estimate[…]", "question", "one of the questionnaire's", question)
        asked = self._asked(survey)
        if not asked:
            raise NoReports(f"Nobody drew a page that asks {survey.id!r}.")
        (page, *others) = asked
        if not others and page.asks == (survey.id,):
            drew, aggregate = self._parts[page]
            alone = survey.estimate(drew, aggregate)
            alone.took_part = self.n  # those who drew the page are a random part of them
            return alone
        return Pooled(survey, self._combined.question(self._place(survey.id)))

    def table(self, first: str, second: str, *others: str) -> Table:
        """Return the table of two questions or more, by their ids.

        Raise NoReports if nobody answered them together.
        """
        ids = first, second, *others
        for name in ids:
            if not self.survey[name].answers.in_tables:
                rule = "questions with one choice, or scales"
                raise InvalidArgument("table", "questions", rule, name)
        return self._combined.table(*map(self._place, ids))

    def _asked(self, survey: Survey) -> list[Page]:
        """Return the pages with reports that say something of a question.

        Of numbers, that is their own page alone: bands say nothing of what is within them.
        """
        alone = not survey.answers.told_by_tables
        return [
            page
            for page, (drew, _) in self._parts.items()
            if drew and survey.id in page.asks and not (alone and len(page.asks) > 1)
        ]

    def _place(self, question: str) -> int:
        return [one.id for one in self._tabled].index(question)

    @cached_property
    def _tabled(self) -> list[Survey]:
        """The questions that can be in tables."""
        return [one for one in self.survey.surveys if one.answers.in_tables]

    @cached_property
    def _combined(self) -> Combined:
        pages = []
        for page, (drew, aggregate) in self._parts.items():
            if len(page.asks) == 1 and not page.questions[0].answers.told_by_tables:
                continue
            counts = page.mechanism.counts(aggregate)
            places = tuple(map(self._place, page.asks))
            pages.append(PageCounts(places, page.sizes, page.mechanism, drew, counts))
        names = [one.answers.table_names for one in self._tabled]
        ids = [one.id for one in self._tabled]
        sizes = [len(some) for some in names]
        return Combined(pages, sizes, names=ids, categories=names, people=self.n)

    def __repr__(self) -> str:
        lines = [f"Estimate from {self.n:,} reports: {self.survey.title}"]
        for asks, drew in self.people.items():
            lines.append(f"  {' × '.join(asks)}: {drew:,} reports")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        return "".join(one._repr_html_() for one in self.questions.values())
