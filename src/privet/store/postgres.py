"""A store in PostgreSQL, which several processes and hosts may share.

Arrivals are added under READ COMMITTED, with the surveys' rows held FOR SHARE: a close or a delete
waits for them, and whoever comes later sees it. Folds of a survey go one at a time, under an
advisory lock. Whatever is read is read in one REPEATABLE READ transaction.

A server that is frozen, or a network that drops everything, would keep a thread for ever. So a
thread watches: while a statement takes long, the server must take new connections in time. If it
does not, connections are cut, and whoever waits for them gets a StoreFailure; so does whoever comes
next, until the server takes connections again.
"""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from os import PathLike
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any

from ..errors import StoreFailure, StoreFull
from ..errors.extras import require
from .arriving import Arrival
from .database import Cursor, Database, Run, intruder, set_fact
from .postgres_tables import MIGRATIONS

__all__ = ["Postgres"]

_CONNECT_SECONDS = 4
# More than a server needs: it has at most 40 threads here, and each holds at most two at a time.
_MAX_CONNECTIONS = 100
# After so long, a statement has the server asked whether it is there, every so often.
_LONG_SECONDS, _LOOK_SECONDS = 3.0, 1.0
_SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
# Commits are on disk when they return, unless the server is set to wait for even more.
_DURABLE = (
    "SELECT set_config('synchronous_commit', 'on', false) "
    "WHERE current_setting('synchronous_commit') = 'off'"
)
# Without a handler, Python would print what the pool logs, and a StoreFailure says it too.
logging.getLogger("psycopg.pool").addHandler(logging.NullHandler())

_INTRUDERS = """
SELECT 'trigger', tgname::text, relname::text FROM pg_trigger
JOIN pg_class ON pg_class.oid = tgrelid JOIN pg_namespace ON pg_namespace.oid = relnamespace
WHERE nspname = 'privet' AND NOT tgisinternal
UNION ALL SELECT 'rule', rulename::text, tablename::text FROM pg_rules
WHERE schemaname = 'privet'
UNION ALL SELECT 'policy', policyname::text, tablename::text FROM pg_policies
WHERE schemaname = 'privet'
UNION ALL SELECT 'view', viewname::text, viewname::text FROM pg_views
WHERE schemaname = 'privet'
"""


class Postgres(Database):
    """A store in the schema `privet` of a database."""

    dialect, share, migrations = "postgres", " FOR SHARE", MIGRATIONS

    def __init__(self, url: str, *, create: bool = True) -> None:
        self._psycopg = require("psycopg", "postgres", "A store in PostgreSQL")
        pooling = require("psycopg_pool", "postgres", "A store in PostgreSQL")
        self._url = url
        self._options = {
            "autocommit": True,
            "connect_timeout": _CONNECT_SECONDS,
            "cursor_factory": self._psycopg.RawCursor,  # which reads $1 and so on
        }
        # The pool would retry a wrong address until it times out, and not tell the reason.
        with self._translated():
            self._connect().close()
        self._running: dict[Any, float] = {}  # connections, and since when each runs a statement
        self._lock = Lock()
        self._disposed, self._silent = Event(), False
        self._pool_timeout = pooling.PoolTimeout
        self._pool = pooling.ConnectionPool(
            url,
            kwargs=self._options,
            configure=self._configure,
            min_size=0,
            max_size=_MAX_CONNECTIONS,
            timeout=_CONNECT_SECONDS,
            reconnect_timeout=_CONNECT_SECONDS,
            open=True,
        )
        Thread(target=self._watch, name="privet-postgres", daemon=True).start()
        self.migrate(create=create)

    # --- transactions -----------------------------------------------------------------------------

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[Run]:
        with self._translated():
            connection = self._begun(begin)
            try:
                yield self._runner(connection)
                self._execute(connection, "COMMIT")
            except BaseException:
                with suppress(self._psycopg.Error):
                    self._execute(connection, "ROLLBACK")
                raise
            finally:
                self._pool.putconn(connection)  # which replaces it if it broke

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
            "SELECT * FROM unnest($1::text[], $2::bytea[], $3::bytea[]) "
            "ON CONFLICT DO NOTHING RETURNING survey, key"
        )
        rows = [(one.survey, one.key, one.seal) for one in arrivals]
        return set(run(insert, *map(list, zip(*rows, strict=True))).fetchall())

    @contextmanager
    def alone(self, id: str) -> Iterator[None]:
        """Wait until nobody else folds or deletes this survey, on any host."""
        number = int.from_bytes(sha256(f"privet {id!r}".encode()).digest()[:8], signed=True)
        with self.writing() as run:
            run("SELECT pg_advisory_xact_lock($1)", number)
            yield

    def delete_rows(self, run: Run, rows: list[int]) -> int:
        """Delete rows of the inbox; return how many there were."""
        return run("DELETE FROM inbox WHERE id = ANY($1::bigint[])", rows).rowcount

    def version(self, run: Run) -> int:
        """Return which migration was the last, 0 where there are no tables."""
        if run("SELECT to_regclass('privet.facts')::text").fetchone()[0] is None:
            return 0
        return int(run("SELECT value FROM facts WHERE name = 'version'").fetchone()[0])

    def set_version(self, run: Run, version: int) -> None:
        """Note which migration was the last."""
        set_fact(run, "version", b"%d" % version)

    def intruders(self, run: Run) -> list[str]:
        """Say which triggers, rules, policies and views there are, of which a store has none."""
        return [intruder(*row) for row in run(_INTRUDERS).fetchall()]

    # --- connections ------------------------------------------------------------------------------

    def _begun(self, begin: str) -> Any:
        """Return a connection in a new transaction; one that broke while idle is replaced."""
        for _ in range(_MAX_CONNECTIONS):
            if self._silent:
                raise StoreFailure("PostgreSQL does not answer.")
            try:
                connection = self._pool.getconn()
            except self._pool_timeout:
                self._connect().close()  # which raises the reason, if the server has one
                raise
            try:
                self._execute(connection, begin)
                return connection
            except BaseException as error:
                self._pool.putconn(connection)
                if not isinstance(error, self._psycopg.OperationalError):
                    raise
        raise StoreFailure("PostgreSQL accepts connections, and breaks them.")

    def _connect(self) -> Any:
        return self._psycopg.connect(self._url, **self._options)

    def _configure(self, connection: Any) -> None:
        for statement in ("SET search_path TO privet", _DURABLE):
            self._execute(connection, statement)

    def _execute(self, connection: Any, sql: str, *options: Any, **more: Any) -> Any:
        with self._lock:
            self._running[connection] = monotonic()
        try:
            return connection.execute(sql, *options, **more)
        finally:
            with self._lock:
                del self._running[connection]

    def _runner(self, connection: Any) -> Run:
        def run(sql: str, *values: object) -> Cursor:
            cursor: Cursor = self._execute(connection, sql, values or None, binary=True)
            return cursor

        return run

    def dispose(self) -> None:
        """Close the connections that are idle."""
        self._disposed.set()
        self._pool.close()

    # --- a server that does not answer ------------------------------------------------------------

    def _watch(self) -> None:
        while not self._disposed.wait(_LOOK_SECONDS):
            with self._lock:
                since = min(self._running.values(), default=monotonic())
            if self._silent or monotonic() - since > _LONG_SECONDS:
                self._silent = not self._answers() or self._disposed.is_set()
                if self._silent:
                    self._cut(_LONG_SECONDS)
                    self._pool.drain()

    def _answers(self) -> bool:
        """Tell whether the server takes a connection; if it has none left, it is there too."""
        try:
            self._connect().close()
        except self._psycopg.errors.ConnectionTimeout:
            return False
        except self._psycopg.Error:
            return True
        return True

    def _cut(self, seconds: float) -> None:
        """Cut connections that have waited for an answer so long."""
        with self._lock:
            for connection, since in self._running.items():
                if monotonic() - since >= seconds:
                    with suppress(self._psycopg.Error, OSError):
                        number = os.dup(connection.fileno())
                        with socket.socket(fileno=number) as same:
                            same.shutdown(socket.SHUT_RDWR)

    def interrupt(self) -> None:
        """Let whoever waits for the database fail at once, and whoever comes later."""
        self._disposed.set()
        self._silent = True
        self._cut(0.0)
        self._pool.close(0)

    def settle(self) -> bool:
        """Leave it to the server: dead rows go with a vacuum, and its log is not ours to cut."""
        return True

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


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
