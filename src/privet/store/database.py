"""What a database is to a store: transactions, locks, and tables that are up to date."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from ..errors import StoreFailure

if TYPE_CHECKING:
    from .arriving import Arrival

__all__ = ["Cursor", "Database", "Run", "intruder", "set_fact"]


class Cursor(Protocol):
    """What a statement gave."""

    @property
    def rowcount(self) -> int:
        """How many rows were changed."""

    def fetchone(self) -> Any:
        """Return the next row, or None."""

    def fetchall(self) -> list[Any]:
        """Return all rows that are left."""


class Run(Protocol):
    """Runs one statement inside a transaction, with the values that it names $1, $2 and so on.

    Both databases read these names themselves, so a statement goes to them as it is written.
    """

    def __call__(self, sql: str, *values: object) -> Cursor:
        """Run it."""


def intruder(kind: str, name: str, table: str) -> str:
    """Say that something in the database is not a store's."""
    return (
        f"the {kind} {name!r} on {table!r} is not privet's, and may change what is stored or read: "
        "find out whose it is, and drop it"
    )


def set_fact(run: Run, name: str, value: bytes) -> None:
    """Note a fact of the store itself, or replace it."""
    insert = (
        "INSERT INTO facts (name, value) VALUES ($1, $2) "
        "ON CONFLICT (name) DO UPDATE SET value = excluded.value"
    )
    run(insert, name, value)


class Database(ABC):
    """A database that a store is in; all that differs between one and another."""

    dialect: ClassVar[str]
    migrations: ClassVar[tuple[tuple[str, ...], ...]]  # the statements of each version
    # What keeps a survey's row as it is until the end of a transaction.
    share: ClassVar[str]

    @abstractmethod
    def writing(self) -> AbstractContextManager[Run]:
        """Begin a transaction that is on disk when the block ends, or undone."""

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[Run]:
        """Begin a transaction that reads everything as of one moment."""

    @abstractmethod
    def alone(self, id: str) -> AbstractContextManager[None]:
        """Wait until nobody else folds or deletes this survey."""

    @abstractmethod
    def insert_keys(self, run: Run, arrivals: list[Arrival]) -> set[tuple[str, bytes]]:
        """Insert the keys of arrivals that are not there yet, and return those."""

    @abstractmethod
    def delete_rows(self, run: Run, rows: list[int]) -> int:
        """Delete rows of the inbox; return how many there were."""

    @abstractmethod
    def version(self, run: Run) -> int:
        """Return which migration was the last, 0 where there are no tables."""

    @abstractmethod
    def set_version(self, run: Run, version: int) -> None:
        """Note which migration was the last."""

    @abstractmethod
    def intruders(self, run: Run) -> list[str]:
        """Say which triggers and the like there are, of which a store has none."""

    @abstractmethod
    def settle(self) -> bool:
        """Let nothing of what was deleted linger in files of ours; tell whether that succeeded."""

    @abstractmethod
    def backup(self, path: str | PathLike[str]) -> None:
        """Write a copy, as of one moment, to a file."""

    @abstractmethod
    def interrupt(self) -> None:
        """Let whoever waits for the database fail at once, where that could be for ever."""

    @abstractmethod
    def dispose(self) -> None:
        """Close the connections."""

    def migrate(self, *, create: bool) -> None:
        """Bring the tables up to date; refuse those of a newer privet."""
        try:
            with self.alone("migrations"), self.writing() as run:
                self._migrate(run, create=create)
        except BaseException:
            self.dispose()
            raise

    def _migrate(self, run: Run, *, create: bool) -> None:
        version = self.version(run)
        newest = len(self.migrations)
        if version > newest:
            raise StoreFailure(
                f"The store is of version {version}, and this privet knows {newest}: "
                "use a newer privet."
            )
        if not version and not create:
            raise StoreFailure("There is no store here.")
        for statements in self.migrations[version:]:
            for statement in statements:
                run(statement)
        if version < newest:
            self.set_version(run, newest)
