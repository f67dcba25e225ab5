"""Survey: one question, what can be answered, a privacy level, and how answers are randomized."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Self, overload

from ..errors import InvalidArgument
from .answers.base import Answers, S
from .answers.choice import Choice
from .answers.fields import answers_field, answers_fields, answers_of, mechanism_of
from .canonical import STREAMS, check_fields, check_stream
from .contract import Contract
from .entropy import Entropy
from .html import of_survey
from .mechanisms.base import Mechanism
from .pages import Page
from .values import ArrowColumn
from .wording import check_id, check_text, slug

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..analysis.estimate import Estimate

__all__ = ["Survey"]

_FIELDS = {"privet": "integer", "id": "text", "question": "text"}
_MORE_FIELDS = {"epsilon": "number", "mechanism": "object", "stream": "text"}


class Survey(Contract[S]):
    """A question with its answers, a privacy level, and how answers are randomized.

    The parameters are also read-only attributes. Surveys with the same fingerprint are
    equal.

    Parameters
    ----------
    question : str
        What people are asked.
    answers : sequence of str, Several or Scale
        What they can answer: one of these categories, at least two, whose order is part of the
        contract; several of the options of a `privet.Several`; a number on a `privet.Scale`.
    epsilon : float
        The privacy level of one report.
    mechanism : "auto", a mechanism's name, or a Mechanism
        "auto" takes the one with the least error, and among those within 1 % of it the one with
        the shortest report.
    id : str, optional
        Lower-case letters, digits, '.', '_' and '-'; by default made from the question. Two waves
        of the same question need different ids, so that their tallies cannot be mixed up.

    >>> survey = Survey("Tea or coffee?", ["tea", "coffee", "neither"], epsilon=1.0)
    >>> survey
    Survey('Tea or coffee?', 3 categories, KSubset(d=3, epsilon=1.0, k=1))
    >>> tally = survey.tally()
    >>> tally.update(survey.randomize("tea"))
    >>> tally.n
    1

    """

    question: str
    answers: Answers[S]

    @overload
    def __init__(
        self: Survey[Estimate], question: str, answers: Sequence[str], epsilon: float, *,
        mechanism: str | Mechanism = "auto", id: str | None = None,
    ) -> None: ...  # fmt: skip

    @overload
    def __init__(
        self, question: str, answers: Answers[S], epsilon: float, *,
        mechanism: str | Mechanism = "auto", id: str | None = None,
    ) -> None: ...  # fmt: skip

    def __init__(
        self,
        question: str,
        answers: Sequence[str] | Answers[Any],
        epsilon: float,
        *,
        mechanism: str | Mechanism = "auto",
        id: str | None = None,
    ) -> None:
        question = check_text("Survey", "question", question)
        kind = answers if isinstance(answers, Answers) else Choice(answers)
        chosen = kind.mechanism("Survey", mechanism, epsilon)
        identifier = check_id("Survey", id if id is not None else slug(question, "survey"))
        self._settle(question, kind, chosen, identifier, max(STREAMS))

    def _settle(
        self,
        question: str,
        answers: Answers,
        mechanism: Mechanism,
        identifier: str,
        version: int,
    ) -> None:
        """Be the survey of these, for good."""
        self._freeze(
            question=question,
            answers=answers,
            epsilon=mechanism.epsilon,
            id=identifier,
            version=version,
            pages=(Page(0, (self,), 1, 1.0, mechanism),),
        )

    def __repr__(self) -> str:
        return f"Survey({self.question!r}, {self.answers.described()}, {self.mechanism!r})"

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        return of_survey(self)

    # --- the contract -------------------------------------------------------------------------

    @property
    def surveys(self) -> tuple[Survey]:
        """The survey itself, as the only question."""
        return (self,)

    @property
    def mechanism(self) -> Mechanism:
        """How answers are randomized."""
        return self.pages[0].mechanism

    @property
    def heading(self) -> str:
        """The question."""
        return self.question

    @property
    def only(self) -> Self:
        """The survey itself."""
        return self

    @property
    def categories(self) -> tuple[str, ...]:
        """The names of categories, options or cells, of which shares are estimated."""
        return self.answers.names

    def fields(self) -> dict[str, Any]:
        """Return what the JSON says, in canonical order."""
        fields = {
            "privet": self.version,
            "id": self.id,
            "question": self.question,
            **answers_fields(self.answers),
            "epsilon": self.epsilon,
            "mechanism": {"name": self.mechanism.name, **self.mechanism.parameters},
        }
        return fields if self.version == 1 else {**fields, "stream": STREAMS[self.version]}

    @classmethod
    def from_fields(cls, fields: dict[str, Any]) -> Self:
        """Rebuild from what JSON said."""
        version = fields["privet"]
        expected = {**_FIELDS, **answers_field(fields), **_MORE_FIELDS}
        if version == 1:
            del expected["stream"]
        check_fields("a survey", fields, expected)
        check_stream(version, fields.get("stream", STREAMS[version]))
        question = check_text("Survey", "question", fields["question"])
        answers = answers_of(fields)
        identifier = check_id("Survey", fields["id"])
        mechanism = mechanism_of(answers, fields["epsilon"], fields["mechanism"])
        survey = cls.__new__(cls)
        survey._settle(question, answers, mechanism, identifier, version)
        return survey

    # --- answers to reports -------------------------------------------------------------------

    def index(self, answer: object) -> int:
        """Return the position of an answer among the categories, or raise InvalidAnswer."""
        return self.answers.names.index_of(answer)

    def place(self, answer: object) -> int:
        """Return the position of an answer among the categories, -1 if it is none of them.

        Numbers, truth values and dates are taken by their text, however that is spelled: 1.0 and
        "1.0" are the category "1", unless there is another that is spelled just so.
        """
        return self.answers.names.place(answer)

    def nearest(self, answer: object) -> str | None:
        """Return the category spelled most like an answer, if any is close."""
        return self.answers.names.nearest(answer)

    def randomize(self, answer: object, *, secret: bytes | None = None) -> bytes:
        """Return one report of an answer, safe to send to anyone.

        With a secret of the person's own (at least 16 bytes, never sent), the same answer to this
        survey always gives the same report, so that being asked again reveals nothing more.
        Mechanisms of two levels need a secret, which is their permanent response's, and give a
        fresh report of that each time.
        """
        return self.report(self.answers.value(answer), self.pages[0], secret)

    def draw(self, *, secret: bytes | None = None) -> Page:
        """Return the page that everybody answers."""
        return self.pages[0]

    def value(self, answer: object, page: Page) -> Any:
        """Return what a report of an answer depends on, or raise InvalidAnswer."""
        if page not in self.pages:
            raise InvalidArgument("Survey", "page", "its own", page)
        return self.answers.value(answer)

    def context(self, value: Any, page: Page) -> bytes:
        """Return a value as bytes, no two alike."""
        return self.answers.context(value)

    def randomize_batch(
        self, answers: Iterable[object] | ArrowColumn, *, entropy: Entropy | None = None
    ) -> NDArray[np.uint8]:
        """Return one report per row, uint8 (n, report_bytes), in the order of the answers.

        Answers may be a list, a numpy array, or a column of pandas, polars, pyarrow, duckdb or
        whatever else hands over Arrow data: text, numbers, truth values or dates, and lists of
        options where several may be chosen. Anyone who knows their order knows whose report is
        whose: put the reports in random order before others see them. `entropy` is for tests and
        simulation (`privet.entropy.seeded`); by default, randomness is secure.
        """
        from ..analysis.lookup import values_of
        from ..analysis.questions import randomize

        return randomize(self, values_of(self, answers), entropy)

    def estimate(self, n: int, aggregate: NDArray[np.int64]) -> S:
        """Return what n reports with this aggregate say about the crowd."""
        from ..analysis.kinds import kind_of

        return kind_of(self.answers).estimate(self, n, aggregate)
