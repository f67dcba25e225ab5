"""A store in one SQLite file: one writer at a time, and readers who never wait.

WAL with synchronous=FULL: a commit is on disk when it returns. secure_delete writes zeros over what
is deleted, and each fold empties the log, so that the order of arrival does not outlive it.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from itertools import groupby
from os import PathLike
from pathlib import Path
from threading import Lock

from ..device.files import replacing
from ..errors import InvalidArgument, StoreFailure, StoreFull
from .arriving import Arrival
from .database import Database, Run, intruder
from .sqlite_tables import MIGRATIONS

__all__ = ["PRAGMAS", "Sqlite"]

PRAGMAS = {
    "journal_mode": "wal",
    "synchronous": 2,  # FULL
    "fullfsync": 1,  # which macOS needs for that, and nobody else knows
    "secure_delete": 1,
    "temp_store": 2,  # in memory
    "wal_autocheckpoint": 8000,  # pages; most of what comes is folded, and overwritten, before
}
# The file's mark: "prvt".
_APPLICATION = 0x70727674
_PATIENCE_MS, _SHORT_PATIENCE_MS = 30_000, 200
# The keys of a group are one value, of 32 bytes each.
_EACH = (
    "WITH RECURSIVE each(at) AS (SELECT 1 WHERE LENGTH($1) UNION ALL "
    "SELECT at + 32 FROM each WHERE at + 32 < LENGTH($1)) "
)
_KNOWN = "SELECT key FROM each JOIN keys ON survey = $2 AND key = SUBSTR($1, at, 32)"
_INSERT = (
    "INSERT INTO keys (survey, key, seal) "
    "SELECT $2, SUBSTR($1, at, 32), SUBSTR($3, at, 32) FROM each"
)
_FULL = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE}


class Sqlite(Database):
    """A store in a file, which its owner alone may read."""

    dialect, share, migrations = "sqlite", "", MIGRATIONS

    def __init__(self, path: str | PathLike[str], *, create: bool = True) -> None:
        self._path, self._lock, self._folding = Path(path), Lock(), Lock()
        if create:
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600))
        elif not self._path.is_file():
            raise StoreFailure(f"{path}: there is no store here.")
        with _translated(self._path):
            self._refuse_others()
            self._writer = self._connect()
        self.migrate(create=create)

    # --- transactions -----------------------------------------------------------------------------

    @contextmanager
    def writing(self) -> Iterator[Run]:
        """Begin a transaction that is on disk when the block ends, or undone."""
        with self._lock, _translated(self._path):
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                yield _runner(self._writer)
                self._writer.execute("COMMIT")
            finally:
                if self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")

    @contextmanager
    def snapshot(self) -> Iterator[Run]:
        """Begin a transaction that reads everything as of one moment."""
        with _translated(self._path), closing(self._connect()) as reader:
            reader.execute("BEGIN")
            yield _runner(reader)

    def insert_keys(self, run: Run, arrivals: list[Arrival]) -> set[tuple[str, bytes]]:
        """Insert the keys of arrivals that are not there yet, and return those.

        Statements are few, as Python's threads take turns at each. No key comes in between.
        """
        new = set()
        for survey, some in groupby(arrivals, lambda one: one.survey):
            hashes = {one.key or b"": one.seal or b"" for one in some}
            known = run(_EACH + _KNOWN, b"".join(hashes), survey).fetchall()
            for (key,) in known:
                del hashes[key]
            run(_EACH + _INSERT, b"".join(hashes), survey, b"".join(hashes.values()))
            new |= {(survey, key) for key in hashes}
        return new

    @contextmanager
    def alone(self, id: str) -> Iterator[None]:
        """Wait until nobody else in this process folds or deletes; a fold notices the others."""
        with self._folding:
            yield

    def delete_rows(self, run: Run, rows: list[int]) -> int:
        """Delete rows of the inbox; return how many there were."""
        delete = "DELETE FROM inbox WHERE id IN (SELECT value FROM json_each($1))"
        return run(delete, json.dumps(rows)).rowcount

    def version(self, run: Run) -> int:
        """Return which migration was the last, 0 where there are no tables."""
        return int(run("PRAGMA user_version").fetchone()[0])

    def set_version(self, run: Run, version: int) -> None:
        """Note which migration was the last."""
        run(f"PRAGMA application_id = {_APPLICATION}")
        run(f"PRAGMA user_version = {version}")

    def intruders(self, run: Run) -> list[str]:
        """Say which triggers and views there are, of which a store has none."""
        select = "SELECT type, name, tbl_name FROM sqlite_master WHERE type IN ('trigger', 'view')"
        return [intruder(*row) for row in run(select).fetchall()]

    def settle(self) -> bool:
        """Empty the log. While somebody reads what was there before, that does not succeed."""
        busy = 1
        with suppress(sqlite3.Error), closing(self._connect()) as other:  # while writers go on
            other.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        with self._lock, suppress(sqlite3.Error):
            self._writer.execute(f"PRAGMA busy_timeout = {_SHORT_PATIENCE_MS}")
            try:
                busy, *_ = self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            finally:
                self._writer.execute(f"PRAGMA busy_timeout = {_PATIENCE_MS}")
        return not busy

    def interrupt(self) -> None:
        """Do nothing: whatever waits for a file has a deadline."""

    # --- the file ---------------------------------------------------------------------------------

    def backup(self, path: str | PathLike[str]) -> None:
        """Write a copy, as of one moment, to a file, while the store goes on being used."""
        if Path(path).resolve() == self._path.resolve():
            raise InvalidArgument(
                "Store.backup", "path", "another file than the store's", str(path)
            )
        with (
            replacing(Path(path), private=True) as temporary,
            _translated(Path(path)),
            closing(self._connect()) as reader,
        ):
            reader.execute("VACUUM INTO $1", {"1": str(temporary)})
            with temporary.open("rb+") as copy:
                os.fsync(copy.fileno())

    def dispose(self) -> None:
        """Close the connection that writes."""
        with self._lock:
            self._writer.close()

    def _connect(self) -> sqlite3.Connection:
        connection = self._bare()
        for name, value in PRAGMAS.items():
            connection.execute(f"PRAGMA {name} = {value}")
        return connection

    def _bare(self) -> sqlite3.Connection:
        return sqlite3.connect(
            self._path,
            isolation_level=None,
            check_same_thread=False,
            timeout=_PATIENCE_MS / 1000,
        )

    def _refuse_others(self) -> None:
        """Refuse another program's database, before anything is written to it."""
        with closing(self._bare()) as connection:
            (mark,) = connection.execute("PRAGMA application_id").fetchone()
            (tables,) = connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
        if tables and mark != _APPLICATION:
            raise StoreFailure(f"{self._path}: this is another program's database.")


@contextmanager
def _translated(path: PathLike[str]) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        kind = StoreFull if getattr(error, "sqlite_errorcode", None) in _FULL else StoreFailure
        raise kind(f"{path}: {error}") from error


def _runner(connection: sqlite3.Connection) -> Run:
    def run(sql: str, *values: object) -> sqlite3.Cursor:
        return connection.execute(sql, {str(number): one for number, one in enumerate(values, 1)})

    return run
