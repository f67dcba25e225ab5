"""Survey: the public contract that clients, servers and files share.

It holds the question, the categories in their order, ε, and the mechanism with the integers that
clients draw with, so that no client computes e^ε itself. Its canonical JSON is the one text that
identifies it; the fingerprint is that text's SHA-256.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import count
from os import urandom

from . import contract
from .entropy import Stream, keyed
from .errors import InvalidAnswer, InvalidArgument, InvalidFile, InvalidSurvey
from .mechanisms.base import Mechanism
from .mechanisms.registry import by_name

TYPE_CHECKING = False  # as typing is slow to import
if TYPE_CHECKING:
    from os import PathLike
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from .analysis.tally import Tally
    from .entropy import Entropy

__all__ = ["Survey"]

_ID_ENDS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
_ID_LETTERS = _ID_ENDS | {".", "_", "-"}
_LONGEST_ID = 64
# Not seen by themselves, but part of Persian words, Indic letters and emoji: joiners, variation
# selectors, and letters that fill a place and show nothing.
_UNSEEN = dict.fromkeys(
    map(ord, "\u034f\u115f\u1160\u17b4\u17b5\u200c\u200d\u2800\u3164\uffa0")
) | dict.fromkeys([*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)])
_JOINERS = dict.fromkeys((0x200C, 0x200D))
# Looking for the nearest category compares with all of them.
_MOST_TO_COMPARE = 10_000


class Survey:
    """A question with its categories, a privacy level, and how answers are randomized.

    The parameters are also read-only attributes. Surveys with the same fingerprint are
    equal.

    Parameters
    ----------
    question : str
        What people are asked.
    categories : sequence of str
        The possible answers, at least two; their order is part of the contract.
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
    categories: tuple[str, ...]
    epsilon: float
    mechanism: Mechanism
    id: str
    version: int

    def __init__(
        self,
        question: str,
        categories: Sequence[str],
        epsilon: float,
        *,
        mechanism: str | Mechanism = "auto",
        id: str | None = None,
    ) -> None:
        question = _check_text("question", question)
        checked = _check_categories(categories)
        mechanism = _choose_mechanism(mechanism, len(checked), epsilon)
        identifier = _check_id(id if id is not None else _slug(question))
        self._settle(question, checked, mechanism, identifier, max(contract.STREAMS))

    def _settle(
        self,
        question: str,
        categories: tuple[str, ...],
        mechanism: Mechanism,
        identifier: str,
        version: int,
    ) -> None:
        """Be the survey of these, for good."""
        vars(self).update(
            question=question,
            categories=categories,
            epsilon=mechanism.epsilon,
            mechanism=mechanism,
            id=identifier,
            version=version,
        )

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"A survey is immutable: '{name}' cannot be set.")

    def __repr__(self) -> str:
        return f"Survey({self.question!r}, {len(self.categories)} categories, {self.mechanism!r})"

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        from .html import of_survey

        return of_survey(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Survey) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    # --- the contract -------------------------------------------------------------------------

    def to_json(self) -> str:
        """Return the canonical text, which is all that a client, a server or a file needs."""
        return self._canonical.decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> Survey:
        """Read a survey; raise InvalidSurvey for unknown fields, or less privacy than ε says."""
        fields = contract.decode(text)
        try:
            question = _check_text("question", fields.question)
            categories = _check_categories(fields.categories)
            identifier = _check_id(fields.id)
            mechanism = contract.mechanism_of(fields)
        except InvalidArgument as error:
            raise InvalidSurvey(f"Not a survey: {error}") from None
        survey = cls.__new__(cls)
        survey._settle(question, categories, mechanism, identifier, fields.privet)
        return survey

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Survey:
        """Read a survey's JSON file; raise InvalidFile, which names it, if it is not one."""
        try:
            with open(path, "rb") as file:  # noqa: PTH123, as pathlib is slow to import
                return cls.from_json(file.read())
        except ValueError as error:
            raise InvalidFile(f"{path}: {error}") from None

    def write(self, path: str | PathLike[str]) -> None:
        """Write the survey's JSON to a file, whole or not at all."""
        from pathlib import Path

        from .files import replacing

        with replacing(Path(path)) as temporary:
            temporary.write_text(self.to_json() + "\n", encoding="utf-8")

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the canonical text, in hexadecimal."""
        from hashlib import sha256

        return sha256(self._canonical).hexdigest()

    @cached_property
    def _canonical(self) -> bytes:
        return contract.encode(
            contract.Fields(
                privet=self.version,
                id=self.id,
                question=self.question,
                categories=list(self.categories),
                epsilon=self.epsilon,
                mechanism={"name": self.mechanism.name, **self.mechanism.parameters},
                stream=contract.STREAMS[self.version],
            )
        )

    # --- answers to reports -------------------------------------------------------------------

    def index(self, answer: object) -> int:
        """Return the position of an answer among the categories, or raise InvalidAnswer."""
        place = self.place(answer)
        if place < 0:
            from .values import text_of

            text = text_of(answer)
            raise InvalidAnswer(text, nearest=self.nearest(text))
        return place

    def place(self, answer: object) -> int:
        """Return the position of an answer among the categories, -1 if it is none of them.

        Numbers, truth values and dates are taken by their text, however that is spelled: 1.0 and
        "1.0" are the category "1", unless there is another that is spelled just so.
        """
        place = self._positions.get(answer) if type(answer) is str else None
        if place is not None:
            return place
        from .values import plain, text_of

        text = text_of(answer)
        if not isinstance(text, str):
            return -1
        text = unicodedata.normalize("NFC", text)
        place = self._positions.get(text)
        return self._plain_positions.get(plain(text), -1) if place is None else place

    def nearest(self, answer: object) -> str | None:
        """Return the category spelled most like an answer, if any is close."""
        if not isinstance(answer, str) or len(self.categories) > _MOST_TO_COMPARE:
            return None
        from difflib import get_close_matches

        folded = {category.casefold(): category for category in self.categories}
        close = get_close_matches(answer.strip().casefold(), folded, n=1)
        return folded[close[0]] if close else None

    def randomize(self, answer: object, *, secret: bytes | None = None) -> bytes:
        """Return one report of an answer, safe to send to anyone.

        With a secret of the person's own (at least 16 bytes, never sent), the same answer to this
        survey always gives the same report, so that being asked again reveals nothing more.
        """
        value = self._positions.get(answer) if type(answer) is str else None
        if value is None:
            value = self.index(answer)
        mechanism = self.mechanism
        if secret is None:
            return mechanism.sample(value, Stream(urandom, mechanism.stream_bytes))
        context = bytes.fromhex(self.fingerprint) + value.to_bytes(8, "big")
        source = keyed(secret, context, contract.STREAMS[self.version])
        return mechanism.sample(value, Stream(source, mechanism.stream_bytes))

    def randomize_batch(
        self, answers: Iterable[object], *, entropy: Entropy | None = None
    ) -> NDArray[np.uint8]:
        """Return one report per row, uint8 (n, report_bytes), in the order of the answers.

        Answers may be a list, a numpy array, or a column of pandas, polars, pyarrow, duckdb or
        whatever else hands over Arrow data: text, numbers, truth values or dates. Anyone who knows
        their order knows whose report is whose: put the reports in random order before others see
        them. `entropy` is for tests and simulation (`privet.entropy.seeded`); by default,
        randomness is secure.
        """
        from .analysis.columns import as_answers, is_column, positions

        if is_column(answers):
            answers = as_answers(answers)
            if not isinstance(answers, list):
                return self.mechanism.randomize(positions(self, answers), entropy=entropy)
        if isinstance(answers, str) or not isinstance(answers, Iterable):
            raise InvalidArgument("Survey.randomize_batch", "answers", "a sequence", answers)
        places = self._positions
        pending: list[Any] = list(answers)
        try:
            values = [places[answer] for answer in pending]
        except (KeyError, TypeError):
            values = self._indices_or_error(pending)
        return self.mechanism.randomize(values, entropy=entropy)

    def tally(self) -> Tally:
        """Return an empty tally."""
        from .analysis.tally import Tally

        return Tally(self)

    def _indices_or_error(self, answers: Sequence[object]) -> list[int]:
        values = []
        for row, answer in enumerate(answers):
            try:
                values.append(self.index(answer))
            except InvalidAnswer as error:
                raise InvalidAnswer(error.answer, nearest=error.nearest, row=row) from None
        return values

    @cached_property
    def _positions(self) -> dict[str, int]:
        return dict(zip(self.categories, count()))

    @cached_property
    def _plain_positions(self) -> dict[str, int]:
        """The positions of categories by their plain spelling, the first where several share it."""
        from .values import plain

        places = reversed(list(enumerate(self.categories)))
        return {plain(category): position for position, category in places}


def _check_text(parameter: str, text: object) -> str:
    """Return text in Unicode's composed form, refusing what cannot be seen."""
    rule = "non-empty printable text without leading or trailing space"
    if not isinstance(text, str) or not text or text != text.strip():
        raise InvalidArgument("Survey", parameter, rule, text)
    if text.isascii() and text.isprintable():  # as most are
        return text
    if not text.translate(_UNSEEN) or not text.translate(_JOINERS).isprintable():
        raise InvalidArgument("Survey", parameter, rule, text)
    return unicodedata.normalize("NFC", text)


def _check_categories(categories: Sequence[str]) -> tuple[str, ...]:
    unordered = isinstance(categories, str | bytes | Mapping | set | frozenset)
    if unordered or not isinstance(categories, Iterable):
        raise InvalidArgument("Survey", "categories", "an ordered sequence of str", categories)
    names = tuple(categories)
    if len(names) > 1 and _are_plain(names):  # as most are
        return names
    checked = tuple(_check_text(f"categories[{i}]", text) for i, text in enumerate(names))
    if len(checked) < 2:
        raise InvalidArgument("Survey", "categories", "at least two", list(checked))
    first: dict[str, int] = {}
    for i, text in enumerate(checked):
        if first.setdefault(text, i) != i:
            rule = f"different from categories[{first[text]}]"
            raise InvalidArgument("Survey", f"categories[{i}]", rule, text)
    return checked


def _are_plain(texts: tuple[object, ...]) -> bool:
    """Tell that all are different texts of visible ASCII, without a look at each."""
    if set(map(type, texts)) != {str} or len(set(texts)) < len(texts):
        return False
    joined = "|".join(texts)  # type: ignore[arg-type]
    spaced = f"|{joined}|"
    visible = joined.isascii() and joined.isprintable() and all(texts)
    return visible and "| " not in spaced and " |" not in spaced


def _choose_mechanism(mechanism: str | Mechanism, d: int, epsilon: float) -> Mechanism:
    if isinstance(mechanism, Mechanism):
        if mechanism.name not in by_name:
            rule = f"one that a survey can name: {', '.join(by_name)}"
            raise InvalidArgument("Survey", "mechanism", rule, mechanism)
        if mechanism.d != d or mechanism.epsilon != epsilon:
            rule = f"for d = {d} and epsilon = {epsilon}, as the survey is"
            raise InvalidArgument("Survey", "mechanism", rule, mechanism)
        return mechanism
    if mechanism == "auto":
        from . import plan

        return plan.choose(d, epsilon)
    if not isinstance(mechanism, str) or mechanism not in by_name:
        rule = f"a Mechanism or one of auto, {', '.join(by_name)}"
        raise InvalidArgument("Survey", "mechanism", rule, mechanism)
    return by_name[mechanism](d, epsilon)


def _check_id(identifier: str) -> str:
    if (
        not isinstance(identifier, str)
        or not 1 <= len(identifier) <= _LONGEST_ID
        or not _ID_LETTERS.issuperset(identifier)
        or not _ID_ENDS.issuperset(identifier[0] + identifier[-1])
    ):
        rule = "1 to 64 of a-z, 0-9, '.', '_' and '-', with a letter or digit at both ends"
        raise InvalidArgument("Survey", "id", rule, identifier)
    return identifier


def _slug(question: str) -> str:
    """Return an id made from the question.

    >>> _slug("What is your favourite café?")
    'what-is-your-favourite-cafe'
    """
    import re

    plain = unicodedata.normalize("NFKD", question).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:_LONGEST_ID].rstrip("-") or "survey"
