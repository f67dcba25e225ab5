"""The store: surveys, arrivals counted exactly once, tallies at any moment, in either database.

Keys, seals, invitations, tokens and sessions arrive hashed: a store never sees what clients hold.
Nothing is kept of who sent a report, nor of when, but for the days on which a survey began and was
closed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from os import PathLike
from typing import Any, NamedTuple, Self

from ..analysis.tally import Tally
from ..device.contract import Contract
from ..errors import IdTaken, NoReports, NoSurvey
from . import folding
from . import integrity as checking
from .arriving import (
    Arrival,
    DamagedSettings,
    Outcome,
    is_id,
    outcomes_of,
    read_settings,
    states_of,
)
from .database import Database, Run, set_fact

__all__ = ["Entry", "Store"]

_KEPT_DAYS = 30  # how long after its close a survey's keys are kept, so that retries are known
# Everything that goes with a survey.
_TABLES = ("inbox", "chunks", "tallies", "keys", "key_totals", "invitations")


class Entry(NamedTuple):
    """What a store has of a survey besides its reports; days are as in 2026-01-31, in UTC."""

    contract: bytes
    open: bool
    day: str
    closed: str | None
    settings: dict[str, Any]


class _Overtaken(Exception):
    """Another process has folded the same rows."""


class Store:
    """Surveys and their reports. Threads may share a store; SQLite's file, processes too.

    A method that takes an id raises NoSurvey where there is no such survey, or not any more. All
    raise StoreFull where there is no room, and StoreFailure where the database cannot be used;
    nothing has changed then, but for a connection that broke at the moment of a commit.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.settled = True  # whether nothing of what was deleted lingers in files of ours

    # --- surveys ----------------------------------------------------------------------------------

    def create(self, contract: Contract, settings: Mapping[str, Any] | None = None) -> bool:
        """Open a survey; return whether it is new, false where this very contract is there.

        Raise IdTaken where the id is another contract's, or a deleted survey's: no id is used
        twice. The setting `counts_only` drops reports once they are counted, and `invited` takes
        reports by invitation alone; the others, any JSON, are for whoever asks.
        """
        text, more = contract.to_json().encode(), json.dumps(dict(settings or {}))
        with self._database.writing() as run:
            insert = (
                "INSERT INTO surveys (id, state, contract, settings, day) "
                "VALUES ($1, 'open', $2, $3, $4) ON CONFLICT (id) DO NOTHING"
            )
            if run(insert, contract.id, text, more, _today()).rowcount:
                return True
            try:
                if _found(run, contract.id).contract == text:
                    return False
            except NoSurvey as error:
                raise IdTaken(f"{error} Its id cannot be used again.") from None
        raise IdTaken(f"There is another survey {contract.id!r}.")

    def entries(self) -> dict[str, Entry]:
        """Return all surveys that are not deleted, by id."""
        select = f"SELECT id, {_ENTRY} FROM surveys WHERE state <> 'deleted' ORDER BY id"  # noqa: S608
        with self._database.snapshot() as run:
            return {id: _entry(*rest) for id, *rest in run(select).fetchall()}

    def get(self, id: str) -> Entry:
        """Return one survey."""
        with self._database.snapshot() as run:
            return _found(run, id)

    def change(self, id: str, settings: Mapping[str, Any]) -> None:
        """Replace a survey's settings."""
        with self._database.writing() as run:
            _found(run, id)
            update = "UPDATE surveys SET settings = $1 WHERE id = $2 AND state <> 'deleted'"
            run(update, json.dumps(dict(settings)), id)

    def close(self, id: str) -> None:
        """Take no more reports, from this moment on, and fold those that wait.

        Where the fold fails, the survey is closed nevertheless, and a later fold does it.
        """
        with self._database.writing() as run:
            _found(run, id)
            update = (
                "UPDATE surveys SET state = 'closed', closed = $1 WHERE id = $2 AND state = 'open'"
            )
            run(update, _today(), id)
        self.fold(id)

    def delete(self, id: str) -> None:
        """Remove all that there is of a survey but its id."""
        with self._database.alone(id), self._database.writing() as run:
            _found(run, id)
            run(
                "UPDATE surveys SET state = 'deleted', contract = NULL, settings = '{}', day = '', "
                "closed = NULL WHERE id = $1",
                id,
            )
            for table in _TABLES:
                run(f"DELETE FROM {table} WHERE survey = $1", id)  # noqa: S608
        self.settle()

    # --- reports ----------------------------------------------------------------------------------

    def add(self, arrivals: Sequence[Arrival]) -> list[Outcome]:
        """Take a group of arrivals in one transaction, which is on disk on return."""
        with self._database.writing() as run:
            outcomes = outcomes_of(self._database, run, arrivals)
            counted: dict[str, list[Arrival]] = {}
            for arrival, outcome in zip(arrivals, outcomes, strict=True):
                if outcome is Outcome.COUNTED and arrival.reports:
                    counted.setdefault(arrival.survey, []).append(arrival)
            for survey, some in counted.items():
                insert = "INSERT INTO inbox (id, survey, reports, keys) VALUES ($1, $2, $3, $4)"
                reports, keys = b"".join(one.reports for one in some), _keys(some)
                run(insert, folding.new_id(), survey, reports, keys)
        return outcomes

    def fold(self, id: str, *, force: bool = False) -> int:
        """Move reports from the inbox to chunks, in random order; return how many.

        Nothing happens while fewer wait than are worth it, unless forced or the survey is closed.
        """
        folded = 0
        with self._database.alone(id):
            while not folded and (ready := self._ready(id, force=force)) is not None:
                with suppress(_Overtaken), self._database.writing() as run:
                    if self._database.delete_rows(run, ready.rows) < len(ready.rows):
                        raise _Overtaken
                    ready.write(run)
                    folded = ready.n
        if folded:
            self.settle()
        return folded

    def _ready(self, id: str, *, force: bool) -> folding.Fold | None:
        """Return what a fold would write, or None where none is due."""
        with self._database.snapshot() as run:
            entry = _found(run, id)
            contract, waiting = _contract(entry.contract), folding.waiting_bytes(run, id)
            if entry.open and not force and not folding.due(contract, waiting):
                return None
            rows, reports = folding.waiting(run, contract)
            keys, tally = folding.waiting_keys(run, id), folding.read_tally(run, contract)
        if not rows:
            return None
        tally.update(reports)
        keep, chunks = not entry.settings.get("counts_only"), list(folding.in_chunks(reports))
        return folding.Fold(id, rows, keys, chunks, keep, tally.to_bytes())

    def size(self, id: str) -> int:
        """Return how many reports there are, whether folded or not, without reading them."""
        with self._database.snapshot() as run:
            contract = _contract(_found(run, id).contract)
            folded = "SELECT COALESCE(SUM(n), 0) FROM chunks WHERE survey = $1"
            waiting = folding.waiting_bytes(run, id) // contract.mechanism.report_bytes
            return int(run(folded, id).fetchone()[0]) + waiting

    def inbox_bytes(self) -> int:
        """Return how many bytes of reports wait to be folded, of all surveys."""
        with self._database.snapshot() as run:
            total = "SELECT COALESCE(SUM(LENGTH(reports)), 0) FROM inbox"
            return int(run(total).fetchone()[0])

    def tally(self, id: str) -> Tally:
        """Return the tally of every report so far, whether folded or not."""
        with self._database.snapshot() as run:
            contract = _contract(_found(run, id).contract)
            tally, (_, reports) = folding.read_tally(run, contract), folding.waiting(run, contract)
        tally.update(reports)
        return tally

    def reports(self, id: str) -> Iterator[bytes]:
        """Yield all reports, many at a time; raise NoReports where only counts are kept.

        They are those of the moment of the first reading. No transaction lasts while they are used,
        so that nothing is kept for a slow reader; where the survey is deleted, NoSurvey is raised.
        """
        entry = self.get(id)
        if entry.settings.get("counts_only"):
            raise NoReports(f"Of survey {id!r}, only the counts are kept.")
        return _reports(self._database, _contract(entry.contract))

    def check(self, id: str) -> str | None:
        """Count all reports again; return in what they differ from the tally, or None."""
        with self._database.snapshot() as run:
            try:
                entry = _found(run, id)
            except DamagedSettings as error:
                return str(error)
            counts_only = bool(entry.settings.get("counts_only"))
            return checking.problem(run, id, entry.contract, counts_only=counts_only)

    def check_all(self) -> tuple[dict[str, str | None], list[str]]:
        """Check all surveys, and return what is wrong with the store besides."""
        with self._database.snapshot() as run:
            rows = run("SELECT id FROM surveys WHERE state <> 'deleted' ORDER BY id").fetchall()
            strange = [*self._database.intruders(run), *checking.strays(run, _TABLES)]
        found = {}
        for (id,) in rows:
            with suppress(NoSurvey):  # which was deleted in the meantime
                found[id] = self.check(id)
        return found, strange

    # --- access and upkeep ------------------------------------------------------------------------

    def invite(self, id: str, invitations: Iterable[bytes]) -> None:
        """Add hashed invitations, 32 bytes each. One is gone when an arrival was counted with it.

        What was counted has its key, so that it may be sent again until its outcome is known.
        """
        insert = (
            "INSERT INTO invitations (survey, invitation) VALUES ($1, $2) ON CONFLICT DO NOTHING"
        )
        with self._database.writing() as run:
            _found(run, id)
            states_of(self._database, run, [id])  # which no delete changes before these are in
            for invitation in sorted(invitations):
                run(insert, id, invitation)

    def token(self) -> bytes | None:
        """Return the hash of the administrator's token."""
        with self._database.snapshot() as run:
            row = run("SELECT value FROM facts WHERE name = 'token'").fetchone()
        return row and bytes(row[0])

    def set_token(self, hashed: bytes, *, for_good: bool = False) -> bool:
        """Replace the hash of the administrator's token.

        What is replaced for good is never set again: then, nothing changes, and False comes back.
        All sessions that another token began end.
        """
        with self._database.writing() as run:
            rows = run("SELECT name, value FROM facts").fetchall()
            facts = {name: bytes(value) for name, value in rows}
            if _replaced(hashed) in facts:
                return False
            if for_good and facts.get("token", hashed) != hashed:
                set_fact(run, _replaced(facts["token"]), facts["token"])
            set_fact(run, "token", hashed)
            run("DELETE FROM sessions WHERE token <> $1", hashed)
        return True

    def begin_session(self, token: bytes, session: bytes, *, now: int, seconds: int) -> bool:
        """Keep a hashed session for some seconds, if its hashed token is the administrator's."""
        insert = (
            "INSERT INTO sessions (session, token, ends) "
            "SELECT $1, value, $2 FROM facts WHERE name = 'token' AND value = $3"
        )
        with self._database.writing() as run:
            run("DELETE FROM sessions WHERE ends <= $1", now)
            return bool(run(insert, session, now + seconds, token).rowcount)

    def has_session(self, session: bytes, *, now: int) -> bool:
        """Tell whether a hashed session has not ended, and its token is still the valid one."""
        select = (
            "SELECT 1 FROM sessions JOIN facts ON name = 'token' AND value = token "
            "WHERE session = $1 AND ends > $2"
        )
        with self._database.snapshot() as run:
            return run(select, session, now).fetchone() is not None

    def end_session(self, session: bytes) -> None:
        """Forget a hashed session."""
        with self._database.writing() as run:
            run("DELETE FROM sessions WHERE session = $1", session)

    def expire(self, day: date) -> None:
        """Forget the keys and invitations of surveys closed more than 30 days before a day."""
        last = (day - timedelta(days=_KEPT_DAYS)).isoformat()
        with self._database.writing() as run:
            old = "SELECT id FROM surveys WHERE state = 'closed' AND closed < $1"
            for table in ("keys", "key_totals", "invitations"):
                run(f"DELETE FROM {table} WHERE survey IN ({old})", last)  # noqa: S608
            run(f"UPDATE inbox SET keys = NULL WHERE survey IN ({old})", last)  # noqa: S608
        self.settle()

    def settle(self) -> None:
        """Try once more to let nothing of what was deleted linger in files."""
        self.settled = self._database.settle()

    def backup(self, path: str | PathLike[str]) -> None:
        """Write a copy, as of one moment, to a file, while the store goes on being used."""
        self._database.backup(path)

    def interrupt(self) -> None:
        """Let whoever waits for the database fail at once, as the process is to end."""
        self._database.interrupt()

    def dispose(self) -> None:
        """Close the connections."""
        self._database.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.dispose()


def _reports(database: Database, contract: Contract) -> Iterator[bytes]:
    with database.snapshot() as run:
        _found(run, contract.id)
        select = "SELECT id FROM chunks WHERE survey = $1 ORDER BY id"
        chunks = run(select, contract.id).fetchall()  # which never change
        _, waiting = folding.waiting(run, contract)
    for chunk in chunks:
        with database.snapshot() as run:
            _found(run, contract.id)
            (reports,) = run("SELECT reports FROM chunks WHERE id = $1", *chunk).fetchone()
        yield reports
    for some in folding.in_chunks(waiting):
        yield some.tobytes()


_ENTRY = "contract, state, day, closed, settings"


def _found(run: Run, id: str) -> Entry:
    """Return a survey's entry, or raise NoSurvey."""
    if is_id(id):
        row = run(f"SELECT {_ENTRY} FROM surveys WHERE id = $1", id).fetchone()  # noqa: S608
        if row is not None:
            if row[1] == "deleted":
                raise NoSurvey(id, gone=True)
            return _entry(*row)
    raise NoSurvey(id)


def _entry(contract: bytes, state: str, day: str, closed: str | None, settings: str) -> Entry:
    return Entry(contract, state == "open", day, closed, read_settings(settings))


def _keys(arrivals: list[Arrival]) -> int:
    """Return how many of them have a key."""
    return sum(arrival.key is not None for arrival in arrivals)


@lru_cache(16)
def _contract(text: bytes) -> Contract:
    return Contract.from_json(text)


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


def _replaced(hashed: bytes) -> str:
    """Return the name of the fact that a token was replaced for good."""
    return f"replaced {hashed.hex()}"
