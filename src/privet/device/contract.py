"""Contract: what a survey and a questionnaire are to clients, servers and files.

A contract has an id, a privacy level and a mechanism with the integers that clients draw with, so
that no client computes e^ε itself. Its canonical JSON is the one text that identifies it; the
fingerprint is that text's SHA-256. Contracts with the same fingerprint are equal.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from hashlib import sha256
from importlib import import_module
from os import PathLike, urandom
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Self

from ..errors import InvalidArgument, InvalidFile, InvalidSurvey
from .canonical import STREAMS, decode, encode
from .entropy import Entropy, Stream, keyed
from .files import replacing
from .frozen import Frozen

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import TypeVar

    from ..analysis.estimate import Estimate
    from ..analysis.questionnaire_estimate import QuestionnaireEstimate
    from ..analysis.scale_estimate import ScaleEstimate
    from ..analysis.tally import Tally
    from .mechanisms.base import Mechanism
    from .mechanisms.paged import Paged
    from .pages import Page
    from .survey import Survey

    E = TypeVar(
        "E",
        bound=Estimate | ScaleEstimate | QuestionnaireEstimate,
        covariant=True,
        default=Estimate | ScaleEstimate | QuestionnaireEstimate,
    )
else:
    from typing import TypeVar

    E = TypeVar("E", covariant=True)

__all__ = ["Contract", "E"]

# The kinds of contract, by a field of their JSON; each is imported when it is first read.
_KINDS = {"question": ("Survey", ".survey"), "questions": ("Questionnaire", ".questionnaire")}


class Contract(Frozen, ABC, Generic[E]):
    """An immutable public text, by which answers become reports, of which E is the estimate."""

    id: str
    epsilon: float
    version: int
    # What people are asked, each of them one page; a survey has no other than its own.
    pages: tuple[Page, ...]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Contract) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_json, (self.to_json(),)

    @property
    @abstractmethod
    def mechanism(self) -> Mechanism | Paged:
        """What makes the reports, of the question or of all pages."""

    @property
    @abstractmethod
    def surveys(self) -> tuple[Survey, ...]:
        """The questions, one or several."""

    @property
    @abstractmethod
    def heading(self) -> str:
        """What stands above tables and pictures."""

    @property
    def only(self) -> Survey | None:
        """The survey if this is one, where no page is drawn and reports name none."""
        return None

    def __getitem__(self, question: str) -> Survey:
        """Return the question with an id."""
        for one in self.surveys:
            if one.id == question:
                return one
        ids = ", ".join(repr(one.id) for one in self.surveys)
        raise InvalidArgument(type(self).__name__, "question", f"one of {ids}", question)

    @abstractmethod
    def fields(self) -> dict[str, Any]:
        """Return what the JSON says, in canonical order."""

    @classmethod
    @abstractmethod
    def from_fields(cls, fields: dict[str, Any]) -> Self:
        """Rebuild from what JSON said, not checked yet but for its version."""

    def to_json(self) -> str:
        """Return the canonical text, which is all that a client, a server or a file needs."""
        return self._canonical.decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read a contract; raise InvalidSurvey for unknown fields, or less privacy than ε says."""
        fields = decode(text)
        name, home = _KINDS["questions" if "questions" in fields else "question"]
        kind: type[Contract] = getattr(import_module(home, __package__), name)
        if not issubclass(kind, cls):
            names = cls.__name__.lower(), kind.__name__.lower()
            raise InvalidSurvey("Not a {}: it is a {}.".format(*names))
        try:
            found = kind.from_fields(fields)
        except InvalidArgument as error:
            raise InvalidSurvey(f"Not a {kind.__name__.lower()}: {error}") from None
        return found

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Self:
        """Read a contract's JSON file; raise InvalidFile, which names it, if it is not one."""
        try:
            with open(path, "rb") as file:  # noqa: PTH123, as pathlib is slow to import
                return cls.from_json(file.read())
        except ValueError as error:
            raise InvalidFile(f"{path}: {error}") from None

    def write(self, path: str | PathLike[str]) -> None:
        """Write the contract's JSON to a file, whole or not at all."""
        with replacing(Path(path)) as temporary:
            temporary.write_text(self.to_json() + "\n", encoding="utf-8")

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the canonical text, in hexadecimal."""
        return sha256(self._canonical).hexdigest()

    @cached_property
    def _canonical(self) -> bytes:
        return encode(self.fields())

    def _keyed(self, secret: bytes, context: bytes) -> Callable[[int], bytes]:
        """Return bytes that depend on a person's secret, this contract and a context alone."""
        return keyed(secret, bytes.fromhex(self.fingerprint) + context, STREAMS[self.version])

    # --- answers to reports -------------------------------------------------------------------

    @abstractmethod
    def draw(self, *, secret: bytes | None = None) -> Page:
        """Return the page that a person is to answer."""

    @abstractmethod
    def value(self, answer: Any, page: Page) -> Any:
        """Return what a report of an answer to a page depends on, or raise InvalidAnswer."""

    @abstractmethod
    def context(self, value: Any, page: Page) -> bytes:
        """Return a value on a page as bytes, no two alike."""

    def report(self, value: Any, page: Page, secret: bytes | None = None) -> bytes:
        """Return one report of a value on a page, from a secret or else from fresh bytes."""
        mechanism = page.mechanism
        if secret is None and mechanism.needs_secret:
            owner = f"{type(self).__name__}.randomize"
            raise InvalidArgument(owner, "secret", "given: a permanent response needs one", secret)
        read = urandom if secret is None else self._keyed(secret, self.context(value, page))
        stream = Stream(read, mechanism.stream_bytes)
        return mechanism.respond(page.answers.settled(value, stream), stream)

    @abstractmethod
    def randomize(self, answer: Any, /, *, secret: bytes | None = None) -> bytes:
        """Return one report of an answer, or of the answers to a page, by the questions' ids."""

    @abstractmethod
    def randomize_batch(
        self, answers: Any, /, *, entropy: Entropy | None = None
    ) -> NDArray[np.uint8]:
        """Return one report per row, uint8 (n, report_bytes), in the order of the answers."""

    @abstractmethod
    def estimate(self, n: int, aggregate: NDArray[np.int64]) -> E:
        """Return what n reports with this aggregate say about the crowd."""

    def tally(self) -> Tally[E]:
        """Return an empty tally."""
        from ..analysis.tally import Tally

        return Tally(self)
