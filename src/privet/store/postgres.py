"""A store in PostgreSQL, which several processes and hosts may share.

Arrivals are added under READ COMMITTED, with the surveys' rows held FOR SHARE: a close or a delete
waits for them, and whoever comes later sees it. Folds of a survey go one at a time, under an
advisory lock. Whatever is read is read in one REPEATABLE READ transaction.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from hashlib import sha256
from threading import Lock
from typing import TYPE_CHECKING, Any

from ..errors import StoreFailure, StoreFull
from ..extras import require
from .database import Database, set_fact

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from .arriving import Arrival
    from .database import Cursor, Run

__all__ = ["Postgres"]

_CONNECT_SECONDS = 10
_SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
# Commits are on disk when they return, unless the server is set to wait for even more.
_DURABLE = (
    "SELECT set_config('synchronous_commit', 'on', false) "
    "WHERE current_setting('synchronous_commit') = 'off'"
)


class Postgres(Database):
    """A store in the schema `privet` of a database."""

    dialect, share = "postgres", " FOR SHARE"

    def __init__(self, url: str, *, create: bool = True) -> None:
        self._psycopg = require("psycopg", "serve", "A store in PostgreSQL")
        self._url = url
        self._idle: list[Any] = []
        self._lock = Lock()
        self.migrate(create=create)

    # --- transactions -----------------------------------------------------------------------------

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[Run]:
        with self._translated():
            connection = self._begun(begin)
            try:
                yield _runner(connection)
                connection.execute("COMMIT")
            except BaseException:
                with suppress(self._psycopg.Error):
                    connection.execute("ROLLBACK")
                raise
            finally:
                self._give_back(connection)

    def writing(self) -> Any:
        """Begin a transaction that is on disk when the block ends, or undone."""
        return self._transaction("BEGIN ISOLATION LEVEL READ COMMITTED")

    def snapshot(self) -> Any:
        """Begin a transaction that reads everything as of one moment."""
        return self._transaction(_SNAPSHOT)

    def insert_keys(self, run: Run, arrivals: list[Arrival]) -> set[tuple[str, bytes]]:
        """Insert the keys of arrivals that are not there yet, in their order, and return those."""
        insert = (
            "INSERT INTO keys (survey, key, seal) "
            "SELECT * FROM unnest(?::text[], ?::bytea[], ?::bytea[]) "
            "ON CONFLICT DO NOTHING RETURNING survey, key"
        )
        rows = [(one.survey, one.key, one.seal) for one in arrivals]
        return set(run(insert, *map(list, zip(*rows, strict=True))).fetchall())

    @contextmanager
    def alone(self, id: str) -> Iterator[None]:
        """Wait until nobody else folds or deletes this survey, on any host."""
        number = int.from_bytes(sha256(f"privet {id!r}".encode()).digest()[:8], signed=True)
        with self.writing() as run:
            run("SELECT pg_advisory_xact_lock(?)", number)
            yield

    def delete_rows(self, run: Run, rows: list[int]) -> int:
        """Delete rows of the inbox; return how many there were."""
        return run("DELETE FROM inbox WHERE id = ANY(?::bigint[])", rows).rowcount

    def version(self, run: Run) -> int:
        """Return which migration was the last, 0 where there are no tables."""
        if run("SELECT to_regclass('privet.facts')::text").fetchone()[0] is None:
            return 0
        return int(run("SELECT value FROM facts WHERE name = 'version'").fetchone()[0])

    def set_version(self, run: Run, version: int) -> None:
        """Note which migration was the last."""
        set_fact(run, "version", b"%d" % version)

    # --- connections ------------------------------------------------------------------------------

    def _begun(self, begin: str) -> Any:
        """Return a connection in a new transaction; one that broke while idle is replaced."""
        while True:
            with self._lock:
                connection = self._idle.pop() if self._idle else None
            if connection is None:
                break
            try:
                connection.execute(begin)
            except self._psycopg.OperationalError:
                connection.close()
            else:
                return connection
        connection = self._psycopg.connect(
            self._url, autocommit=True, connect_timeout=_CONNECT_SECONDS
        )
        for statement in ("SET search_path TO privet", _DURABLE, begin):
            connection.execute(statement)
        return connection

    def _give_back(self, connection: Any) -> None:
        if connection.info.transaction_status == self._psycopg.pq.TransactionStatus.IDLE:
            with self._lock:
                self._idle.append(connection)
        else:
            connection.close()

    def dispose(self) -> None:
        """Close the connections that are idle."""
        with self._lock:
            while self._idle:
                self._idle.pop().close()

    def settle(self) -> None:
        """Leave it to the server: dead rows go with a vacuum, and its log is not ours to cut."""

    def backup(self, path: str | PathLike[str]) -> None:
        """Refuse, as the database's own tools do this."""
        raise StoreFailure("A store in PostgreSQL is backed up by pg_dump --schema=privet.")

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except self._psycopg.errors.DiskFull as error:
            raise StoreFull(f"PostgreSQL: {_first_line(error)}") from error
        except self._psycopg.Error as error:
            raise StoreFailure(f"PostgreSQL: {_first_line(error)}") from error


def _runner(connection: Any) -> Run:
    def run(sql: str, *values: object) -> Cursor:
        cursor: Cursor = connection.execute(sql.replace("?", "%s"), values or None, binary=True)
        return cursor

    return run


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
