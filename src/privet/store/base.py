"""What a store is to the service: surveys, arrivals counted exactly once, tallies at any moment.

Keys, seals, invitations and tokens arrive hashed: a store never sees what clients hold. Nothing is
kept of who sent a report, nor of when, but for the days on which a survey began and was closed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import date
    from os import PathLike
    from types import TracebackType
    from typing import Self

    from ..analysis.tally import Tally
    from ..contract import Contract

__all__ = ["EXEMPT", "KEPT_DAYS", "Arrival", "Entry", "Outcome", "Store"]

EXEMPT = b"exempt"
KEPT_DAYS = 30  # how long after its close a survey's keys are kept, so that retries are known


class Arrival(NamedTuple):
    """The reports of one request, checked already: whole reports of an existing survey's kind.

    `key` is the SHA-256 of the client's key, and `seal` that of the key and the body together: who
    reads the store learns neither the key nor, as keys are random, which reports came with it.
    Without a key, whatever arrives is counted. `invitation` is the SHA-256 of one, which surveys by
    invitation need, together with a key; what the administrator brings is EXEMPT.
    """

    survey: str
    key: bytes | None
    seal: bytes | None
    reports: bytes
    invitation: bytes | None = None


class Outcome(Enum):
    """What became of an arrival. All but COUNTED leave the store as it was."""

    COUNTED = "counted"
    ALREADY = "already"  # the same key and body were counted before, perhaps before the close
    CONFLICT = "conflict"  # the same key came with another body
    CLOSED = "closed"
    UNINVITED = "uninvited"  # the survey is by invitation, and this one is unknown or spent
    UNKNOWN = "unknown"
    GONE = "gone"  # the survey was deleted


class Entry(NamedTuple):
    """What a store has of a survey besides its reports; days are as in 2026-01-31, in UTC."""

    contract: bytes
    open: bool
    day: str
    closed: str | None
    settings: dict[str, Any]


class Store(ABC):
    """Surveys and their reports. Threads may share a store; SQLite's file, processes too.

    A method that takes an id raises NoSurvey where there is no such survey, or not any more. All
    raise StoreFull where there is no room, and StoreFailure where the database cannot be used;
    nothing has changed then, but for a connection that broke at the moment of a commit.
    """

    # --- surveys ----------------------------------------------------------------------------------

    @abstractmethod
    def create(self, contract: Contract, settings: Mapping[str, Any] | None = None) -> bool:
        """Open a survey; return whether it is new, false where this very contract is there.

        Raise IdTaken where the id is another contract's, or a deleted survey's: no id is used
        twice. The setting `counts_only` drops reports once they are counted, and `invited` takes
        reports by invitation alone; the others, any JSON, are for whoever asks.
        """

    @abstractmethod
    def change(self, id: str, settings: Mapping[str, Any]) -> None:
        """Replace a survey's settings."""

    @abstractmethod
    def entries(self) -> dict[str, Entry]:
        """Return all surveys that are not deleted, by id."""

    @abstractmethod
    def get(self, id: str) -> Entry:
        """Return one survey."""

    @abstractmethod
    def close(self, id: str) -> None:
        """Take no more reports, from this moment on, and fold those that wait.

        Where the fold fails, the survey is closed nevertheless, and a later fold does it.
        """

    @abstractmethod
    def delete(self, id: str) -> None:
        """Remove all that there is of a survey but its id."""

    # --- reports ----------------------------------------------------------------------------------

    @abstractmethod
    def add(self, arrivals: Sequence[Arrival]) -> list[Outcome]:
        """Take a group of arrivals in one transaction, which is on disk on return."""

    @abstractmethod
    def fold(self, id: str, *, force: bool = False) -> int:
        """Move reports from the inbox to chunks, in random order; return how many.

        Nothing happens while fewer wait than are worth it, unless forced or the survey is closed.
        """

    @abstractmethod
    def size(self, id: str) -> int:
        """Return how many reports there are, whether folded or not, without reading them."""

    @abstractmethod
    def inbox_bytes(self) -> int:
        """Return how many bytes of reports wait to be folded, of all surveys."""

    @abstractmethod
    def tally(self, id: str) -> Tally:
        """Return the tally of every report so far, whether folded or not."""

    @abstractmethod
    def reports(self, id: str) -> Iterator[bytes]:
        """Yield all reports, many at a time; raise NoReports where only counts are kept."""

    @abstractmethod
    def check(self, id: str) -> str | None:
        """Count all reports again; return in what they differ from the tally, or None."""

    # --- access -----------------------------------------------------------------------------------

    @abstractmethod
    def invite(self, id: str, invitations: Iterable[bytes]) -> None:
        """Add hashed invitations, 32 bytes each. One is gone when an arrival was counted with it.

        What was counted has its key, so that it may be sent again until its outcome is known.
        """

    @abstractmethod
    def token(self) -> bytes | None:
        """Return the hash of the administrator's token."""

    @abstractmethod
    def set_token(self, hashed: bytes, *, for_good: bool = False) -> bool:
        """Replace the hash of the administrator's token.

        What is replaced for good is never set again: then, nothing changes, and False comes back.
        """

    # --- upkeep -----------------------------------------------------------------------------------

    @abstractmethod
    def expire(self, day: date) -> None:
        """Forget the keys and invitations of surveys closed more than 30 days before a day."""

    @abstractmethod
    def backup(self, path: str | PathLike[str]) -> None:
        """Write a copy, as of one moment, to a file, while the store goes on being used."""

    @abstractmethod
    def dispose(self) -> None:
        """Close the connections."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.dispose()
