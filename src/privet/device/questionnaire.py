"""Questionnaire: several questions at the privacy of one.

Each person draws one page, a question or a few that are asked jointly, by public integers, and
answers it at full ε: the whole costs ε, however many questions there are. Splitting ε over m
questions would cost about m times as much (docs/tables.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from math import prod
from os import urandom
from typing import TYPE_CHECKING, Any, Self

from ..errors import InvalidArgument, InvalidSurvey
from ..errors.arguments import positive
from ..errors.extras import require
from .answers.fields import answers_field, answers_fields, answers_of, mechanism_of
from .canonical import STREAMS, check_fields, check_stream
from .contract import Contract
from .entropy import Entropy, Stream
from .html import of_questionnaire
from .mechanisms.base import Mechanism
from .mechanisms.paged import MOST_PAGES, Paged
from .mechanisms.registry import by_name
from .pages import Asked, Page, weights_of
from .survey import Survey
from .wording import check_id, check_text, slug

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..analysis.questionnaire_estimate import QuestionnaireEstimate

__all__ = ["Questionnaire"]

_FIELDS = {
    "privet": "integer",
    "id": "text",
    "title": "text",
    "epsilon": "number",
    "questions": "array",
    "pages": "array",
    "stream": "text",
}
_PAGE_FIELDS = {"asks": "array", "weight": "integer", "mechanism": "object"}
# The largest table: a short contract must not ask a client for much work.
_MOST_CELLS = 1 << 16
_SIMPLEST = {"choice": "multivariate-rr", "several": "one-option"}


class Questionnaire(Contract["QuestionnaireEstimate"]):
    """Questions of which each person answers one page, at full ε.

    Parameters
    ----------
    title : str
        What it is about.
    surveys : sequence of Survey
        The questions, each with an id of its own and the questionnaire's ε.
    epsilon : float
        The privacy level of one report, and so of all answers of a person together.
    tables : sequence of pairs (or more) of ids
        Which questions are to be asked jointly, so that tables of them can be estimated. Scales
        enter in their bands; questions with several choices cannot. At most 65,536 cells.
    shares : mapping of ids to shares of people, optional
        Which share of the people draws each page: of a question by its id, of a table by a tuple
        of ids; those that are not named draw none, and all add up to 1. By default, the shares
        with the least error of all questions and tables.
    id : str, optional
        By default made from the title.

    >>> smokes = Survey("Do you smoke?", ["yes", "no"], 1.0, id="smokes")
    >>> region = Survey("Where do you live?", ["north", "south", "west"], 1.0, id="region")
    >>> health = Questionnaire("Health", [smokes, region], 1.0, tables=[("smokes", "region")])
    >>> health
    Questionnaire('Health', 2 questions on 3 pages, epsilon=1.0)
    >>> page = health.draw()
    >>> report = health.randomize({"smokes": "no", "region": "west"}, page=page)

    """

    title: str
    pages: tuple[Page, ...]
    _mechanism: Paged
    _by_id: dict[str, Survey]

    def __init__(
        self,
        title: str,
        surveys: Sequence[Survey],
        epsilon: float,
        *,
        tables: Sequence[Sequence[str]] = (),
        shares: Mapping[Asked, float] | None = None,
        id: str | None = None,
    ) -> None:
        title = check_text("Questionnaire", "title", title)
        by_id = _check_surveys(surveys, epsilon)
        identifier = check_id("Questionnaire", id if id is not None else slug(title, "questions"))
        asked = [(name,) for name in by_id] + _check_tables(by_id, tables)
        mechanisms = [_mechanism(_found(by_id, ids), epsilon) for ids in asked]
        if shares is None:
            weights = weights_of(asked, _default_shares([*by_id.values()], asked, mechanisms))
        else:
            weights = weights_of(asked, shares)
        drawn = [page for page in zip(asked, weights, mechanisms, strict=True) if page[1]]
        self._settle(title, by_id, drawn, identifier, max(STREAMS))

    def _settle(
        self,
        title: str,
        by_id: dict[str, Survey],
        pages: Sequence[tuple[tuple[str, ...], int, Mechanism]],
        identifier: str,
        version: int,
    ) -> None:
        """Be the questionnaire of these, for good."""
        mechanism = Paged([page[2] for page in pages], [page[1] for page in pages])
        total = sum(mechanism.weights)
        self._freeze(
            title=title,
            epsilon=mechanism.epsilon,
            pages=tuple(
                Page(number, _found(by_id, ids), weight, weight / total, part)
                for number, (ids, weight, part) in enumerate(pages)
            ),
            _mechanism=mechanism,
            id=identifier,
            version=version,
            _by_id=by_id,
        )

    def __repr__(self) -> str:
        pages = f"{len(self.surveys)} questions on {len(self.pages)} pages"
        return f"Questionnaire({self.title!r}, {pages}, epsilon={self.epsilon})"

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        return of_questionnaire(self)

    def __getitem__(self, question: str) -> Survey:
        """Return the question with an id."""
        return _found(self._by_id, (question,))[0]

    # --- the contract -------------------------------------------------------------------------

    @cached_property
    def surveys(self) -> tuple[Survey, ...]:
        """The questions."""
        return tuple(self._by_id.values())

    @property
    def mechanism(self) -> Paged:
        """How the answers to each page are randomized."""
        return self._mechanism

    @property
    def heading(self) -> str:
        """The title."""
        return self.title

    def fields(self) -> dict[str, Any]:
        """Return what the JSON says, in canonical order."""
        questions = [
            {"id": one.id, "question": one.question, **answers_fields(one.answers)}
            for one in self.surveys
        ]
        pages = [
            {
                "asks": list(page.asks),
                "weight": page.weight,
                "mechanism": {"name": page.mechanism.name, **page.mechanism.parameters},
            }
            for page in self.pages
        ]
        return {
            "privet": self.version,
            "id": self.id,
            "title": self.title,
            "epsilon": self.epsilon,
            "questions": questions,
            "pages": pages,
            "stream": STREAMS[self.version],
        }

    @classmethod
    def from_fields(cls, fields: dict[str, Any]) -> Self:
        """Rebuild from what JSON said."""
        check_fields("a questionnaire", fields, _FIELDS)
        version = fields["privet"]
        check_stream(version, fields["stream"])
        if version == 1:
            raise InvalidSurvey("Questionnaires begin with version 2. Got 1.")
        epsilon = positive("Questionnaire", "epsilon", fields["epsilon"])
        title = check_text("Questionnaire", "title", fields["title"])
        identifier = check_id("Questionnaire", fields["id"])
        if len(fields["pages"]) > MOST_PAGES:
            raise InvalidSurvey(f"A questionnaire has at most {MOST_PAGES} pages.")
        pages_of = {}
        for page in fields["pages"]:
            check_fields("a page of a questionnaire", page, _PAGE_FIELDS)
            asks = tuple(page["asks"])
            if not all(isinstance(one, str) for one in asks) or asks in pages_of:
                raise InvalidSurvey(f"The questions of a page must be ids, once. Got {asks!r:.80}.")
            pages_of[asks] = page
        surveys = [_question(one, epsilon, pages_of) for one in fields["questions"]]
        by_id = _check_surveys(surveys, epsilon)
        _check_tables(by_id, [asks for asks in pages_of if len(asks) != 1])
        pages = []
        for asks, page in pages_of.items():
            joint = Page.joined(_found(by_id, asks))
            pages.append((asks, page["weight"], mechanism_of(joint, epsilon, page["mechanism"])))
        questionnaire = cls.__new__(cls)
        questionnaire._settle(title, by_id, pages, identifier, version)
        return questionnaire

    # --- answers to reports -------------------------------------------------------------------

    def draw(self, *, secret: bytes | None = None) -> Page:
        """Return the page that a person is to answer: only its questions need be asked.

        With a secret of the person's own, it is always the same one.
        """
        read = urandom if secret is None else self._keyed(secret, b"page")
        return self.pages[self.mechanism.draw(Stream(read, 8))]

    def randomize(
        self,
        answers: Mapping[str, object],
        *,
        page: Page | None = None,
        secret: bytes | None = None,
    ) -> bytes:
        """Return one report of the answers to one page, safe to send to anyone.

        Answers are by the questions' ids; those that are not on the page may be None or left out.
        The page is the one that was drawn before, or else is drawn now. With a secret of the
        person's own, page and report are always the same for the same answers: the page depends on
        the secret alone, and the report on the page's answers alone.
        """
        page = self.draw(secret=secret) if page is None else page
        return self.report(self.value(answers, page), page, secret)

    def value(self, answer: Mapping[str, object], page: Page) -> Any:
        """Return what a report of the answers to a page depends on, or raise InvalidAnswer."""
        self.check_ids("Questionnaire.randomize", answer)
        # At its number, if anywhere: there may be thousands of pages.
        if not isinstance(page, Page) or page not in self.pages[page.number : page.number + 1]:
            rule = "one that this questionnaire drew"
            raise InvalidArgument("Questionnaire.randomize", "page", rule, page)
        return page.value(answer)

    def context(self, value: Any, page: Page) -> bytes:
        """Return a page and a value on it as bytes, no two alike."""
        return page.context(value)

    def report(self, value: Any, page: Page, secret: bytes | None = None) -> bytes:
        """Return one report of a value on a page, which says what page it is."""
        return self.mechanism.enclosed(page.number, super().report(value, page, secret))

    def randomize_batch(self, answers: Any, *, entropy: Entropy | None = None) -> NDArray[np.uint8]:
        """Return one report per row, uint8 (n, report_bytes), in the order of the answers.

        Answers are columns by the questions' ids: a mapping, or a table of pandas, polars, pyarrow
        or whatever else hands over Arrow data. As for `Survey.randomize_batch`, put the reports in
        random order before others see them.
        """
        from ..analysis.questions import randomize, values_of_table

        return randomize(self, values_of_table(self, answers, entropy), entropy)

    def estimate(self, n: int, aggregate: NDArray[np.int64]) -> QuestionnaireEstimate:
        """Return what n reports with this aggregate say about the crowd."""
        from ..analysis.questionnaire_estimate import QuestionnaireEstimate

        return QuestionnaireEstimate(self, n, aggregate)

    def check_ids(self, owner: str, answers: object) -> None:
        """Refuse answers to questions that are not asked."""
        if not isinstance(answers, Mapping):
            raise InvalidArgument(owner, "answers", "a mapping of question ids", answers)
        for name in answers:
            if name not in self._by_id:
                rule = f"answers to {', '.join(map(repr, self._by_id))}"
                raise InvalidArgument(owner, "answers", rule, name)


def _check_surveys(surveys: Sequence[Survey], epsilon: float) -> dict[str, Survey]:
    """Return the surveys by their ids."""
    owner = "Questionnaire"
    if isinstance(surveys, str | Mapping) or not isinstance(surveys, Iterable):
        raise InvalidArgument(owner, "surveys", "a sequence of Survey", surveys)
    by_id: dict[str, Survey] = {}
    for i, one in enumerate(surveys):
        if not isinstance(one, Survey):
            raise InvalidArgument(owner, f"surveys[{i}]", "a Survey", one)
        if one.epsilon != epsilon:
            rule = f"of epsilon = {epsilon}, as the questionnaire's is"
            raise InvalidArgument(owner, f"surveys[{i}]", rule, one)
        if one.id in by_id:
            rule = f"of another id than surveys[{list(by_id).index(one.id)}]"
            raise InvalidArgument(owner, f"surveys[{i}]", rule, one.id)
        by_id[one.id] = one
    if not by_id:
        raise InvalidArgument(owner, "surveys", "at least one Survey", surveys)
    return by_id


def _found(
    by_id: Mapping[str, Survey], ids: Iterable[str], parameter: str = "question"
) -> tuple[Survey, ...]:
    """Return the surveys with these ids."""
    for name in ids:
        if not isinstance(name, str) or name not in by_id:
            rule = f"one of {', '.join(map(repr, by_id))}"
            raise InvalidArgument("Questionnaire", parameter, rule, name)
    return tuple(by_id[name] for name in ids)


def _check_tables(
    by_id: Mapping[str, Survey], tables: Sequence[Sequence[str]]
) -> list[tuple[str, ...]]:
    owner, checked, seen = "Questionnaire", [], set()
    if isinstance(tables, str) or not isinstance(tables, Iterable):
        raise InvalidArgument(owner, "tables", "a sequence of tuples of ids", tables)
    for i, table in enumerate(tables):
        parameter = f"tables[{i}]"
        if isinstance(table, str) or not isinstance(table, Iterable):
            raise InvalidArgument(owner, parameter, "a tuple of ids", table)
        ids = tuple(table)
        asked = _found(by_id, ids, parameter)
        if len(ids) < 2 or len(set(ids)) < len(ids):
            raise InvalidArgument(owner, parameter, "two or more different questions", table)
        for one in asked:
            if not one.answers.in_tables:
                rule = "questions with one choice, or scales"
                raise InvalidArgument(owner, parameter, rule, one.id)
        if prod(len(one.answers.table_names) for one in asked) > _MOST_CELLS:
            raise InvalidArgument(owner, parameter, f"of at most {_MOST_CELLS:,} cells", table)
        if frozenset(ids) in seen:
            raise InvalidArgument(owner, parameter, "a table that is not there yet", table)
        seen.add(frozenset(ids))
        checked.append(ids)
    return checked


def _default_shares(
    surveys: Sequence[Survey],
    asked: Sequence[tuple[str, ...]],
    mechanisms: Sequence[Mechanism],
) -> Mapping[tuple[str, ...], float]:
    """Return the shares of least error: the minimum of a convex function, and no closed form."""
    if len(asked) == 1:
        return {asked[0]: 1.0}
    require("numpy", "analysis", "A questionnaire of several pages without 'shares'")
    from ..analysis.tables.sharing import best_shares

    return best_shares(surveys, asked, mechanisms)


def _mechanism(asked: Sequence[Survey], epsilon: float) -> Mechanism:
    """Return the question's own mechanism, or that of a table."""
    return asked[0].mechanism if len(asked) == 1 else Page.joined(asked).choose(epsilon)


def _question(found: object, epsilon: float, pages: Mapping[Any, dict[str, Any]]) -> Survey:
    """Rebuild a question, with the mechanism of its own page if it has one."""
    expected = {"id": "text", "question": "text"}
    if isinstance(found, dict):
        expected |= answers_field(found)
    fields = check_fields("a question of a questionnaire", found, expected)
    answers = answers_of(fields)
    own = pages.get((fields["id"],))
    if own is None:  # then it is never asked by itself, and any will do
        mechanism = answers.made(by_name[_SIMPLEST.get(answers.kind, "interval")], epsilon)
    else:
        mechanism = mechanism_of(answers, epsilon, own["mechanism"])
    return Survey(fields["question"], answers, epsilon, mechanism=mechanism, id=fields["id"])
