"""What a kind of answer is.

An answer goes three steps: `value` checks it and returns what a keyed report depends on, `settled`
makes of that what the mechanism randomizes, with a coin where a number lies between two cells, and
`context` is the value as bytes. Kinds are immutable, and equal where their JSON is.

A kind also names the type of its estimate, `Answers[ScaleEstimate]` say, so that editors and type
checkers know what `survey.tally().estimate()` returns.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self

from ...errors import InvalidArgument
from ..entropy import Stream
from ..frozen import Frozen
from ..mechanisms.base import Mechanism
from ..mechanisms.registry import by_name
from .names import Names

if TYPE_CHECKING:  # where type variables have defaults; before Python 3.13 they do not
    from typing_extensions import TypeVar

    from ...analysis.estimate import Estimate
    from ...analysis.scale_estimate import ScaleEstimate

    S = TypeVar(
        "S",
        bound=Estimate | ScaleEstimate,
        covariant=True,
        default=Estimate | ScaleEstimate,
    )
else:
    from typing import TypeVar

    S = TypeVar("S", covariant=True)

__all__ = ["Answers", "S"]


class Answers(Frozen, ABC, Generic[S]):
    """The possible answers to a question, of which S is the estimate."""

    kind: ClassVar[str]
    # The fields of `fields`, and their types in JSON.
    field_types: ClassVar[dict[str, str]]
    # The names of what shares are estimated of: categories, options or cells.
    names: Names
    # Whether tables may join them with other answers, and then tell all that a page alone does.
    in_tables: ClassVar[bool] = True
    told_by_tables: ClassVar[bool] = True

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Answers) or type(self) is not type(other):
            return False
        return self.fields() == other.fields()

    def __hash__(self) -> int:
        return hash((self.kind, self.names))

    @property
    def size(self) -> int:
        """How many categories, options or cells there are."""
        return len(self.names)

    @property
    def listed(self) -> Sequence[str]:
        """What people choose from, where they do."""
        return self.names

    @property
    def table_names(self) -> Names:
        """What a table calls them."""
        return self.names

    # --- the contract -------------------------------------------------------------------------

    @abstractmethod
    def fields(self) -> dict[str, Any]:
        """Return what the contract's JSON says, in canonical order."""

    @classmethod
    @abstractmethod
    def from_fields(cls, fields: dict[str, Any]) -> Self:
        """Rebuild from `fields`, of which the names are right, or raise InvalidArgument."""

    @abstractmethod
    def described(self) -> str:
        """Return a few words, such as '3 categories'."""

    # --- mechanisms ---------------------------------------------------------------------------

    @abstractmethod
    def fitting(self) -> Iterable[str]:
        """Return the names of the mechanisms that fit."""

    @abstractmethod
    def choose(self, epsilon: float) -> Mechanism:
        """Return the mechanism of a survey that names none."""

    @abstractmethod
    def made(self, kind: type[Mechanism], epsilon: float) -> Mechanism:
        """Return the best mechanism of a kind that fits."""

    def fits(self, mechanism: Mechanism) -> bool:
        """Tell whether a mechanism is for just these answers."""
        return mechanism.name in self.fitting() and mechanism.d == self.size

    def mechanism(self, owner: str, wanted: str | Mechanism, epsilon: float) -> Mechanism:
        """Return the mechanism that a survey of these answers has, or raise InvalidArgument."""
        if isinstance(wanted, Mechanism):
            if not self.fits(wanted) or wanted.epsilon != epsilon:
                names = ", ".join(self.fitting())
                rule = f"for {self.described()} and epsilon = {epsilon}, of {names}"
                raise InvalidArgument(owner, "mechanism", rule, wanted)
            return wanted
        if wanted == "auto":
            return self.choose(epsilon)
        if not isinstance(wanted, str) or wanted not in self.fitting():
            rule = f"a Mechanism or one of auto, {', '.join(self.fitting())}"
            raise InvalidArgument(owner, "mechanism", rule, wanted)
        return self.made(by_name[wanted], epsilon)

    # --- one answer ---------------------------------------------------------------------------

    @abstractmethod
    def value(self, answer: object) -> Any:
        """Return what a report depends on, or raise InvalidAnswer."""

    @abstractmethod
    def context(self, value: Any) -> bytes:
        """Return a value as bytes, no two values alike."""

    def table_place(self, answer: object) -> int:
        """Return where an answer is in a table, or raise InvalidAnswer."""
        place: int = self.value(answer)
        return place

    def settled(self, value: Any, stream: Stream) -> Any:
        """Return what the mechanism randomizes."""
        return value
