"""What both databases share: all of a store but its connections, locks and the keys of a group."""

from __future__ import annotations

import json
from abc import abstractmethod
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from ..contract import Contract
from ..errors import IdTaken, InvalidArgument, NoReports, NoSurvey, StoreFailure
from ..wording import check_id
from . import checking, folding
from .base import KEPT_DAYS, Entry, Outcome, Store
from .folding import Run, new_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from ..analysis.tally import Tally
    from .base import Arrival

__all__ = ["MIGRATIONS", "SqlStore"]

MIGRATIONS = Path(__file__).with_name("migrations")
# Everything that goes with a survey.
_TABLES = ("inbox", "chunks", "tallies", "keys", "invitations")
_OUTCOMES = {"open": Outcome.COUNTED, "closed": Outcome.CLOSED, "deleted": Outcome.GONE}


class _Overtaken(Exception):
    """Another process has folded the same rows."""


class Taken(NamedTuple):
    """A key that a group brings, to be inserted unless it is there."""

    survey: str
    key: bytes
    seal: bytes


class SqlStore(Store):
    """A store in tables. A database says how transactions begin and what they lock."""

    dialect: ClassVar[str]
    # What keeps a survey's row as it is until the end of a transaction.
    share: ClassVar[str]

    # --- what a database adds ---------------------------------------------------------------------

    @abstractmethod
    def _writing(self) -> AbstractContextManager[Run]:
        """Begin a transaction that is on disk when the block ends, or undone."""

    @abstractmethod
    def _snapshot(self) -> AbstractContextManager[Run]:
        """Begin a transaction that reads everything as of one moment."""

    @abstractmethod
    def _insert_keys(self, run: Run, keys: list[Taken]) -> set[tuple[str, bytes]]:
        """Insert the keys that are not there yet, and return those."""

    @abstractmethod
    def _alone(self, id: str) -> AbstractContextManager[None]:
        """Wait until nobody else folds or deletes this survey."""

    @abstractmethod
    def _delete_rows(self, run: Run, rows: list[int]) -> int:
        """Delete rows of the inbox; return how many there were."""

    @abstractmethod
    def _version(self, run: Run) -> int:
        """Return which migration was the last, 0 where there are no tables."""

    @abstractmethod
    def _set_version(self, run: Run, version: int) -> None:
        """Note which migration was the last."""

    def _settle(self) -> None:
        """Let nothing of what was deleted linger in files."""

    def _migrate(self, run: Run, *, create: bool) -> None:
        """Bring the tables up to date; refuse those of a newer privet."""
        version, scripts = self._version(run), _scripts(self.dialect)
        if version > len(scripts):
            raise StoreFailure(
                f"The store is of version {version}, and this privet knows {len(scripts)}: "
                "use a newer privet."
            )
        if not version and not create:
            raise StoreFailure("There is no store here.")
        for script in scripts[version:]:
            for statement in filter(str.strip, script.read_text("utf-8").split(";")):
                run(statement)
        self._set_version(run, len(scripts))

    # --- surveys ----------------------------------------------------------------------------------

    def create(self, contract: Contract, settings: Mapping[str, Any] | None = None) -> bool:
        """Open a survey; return whether it is new."""
        text, more = contract.to_json().encode(), json.dumps(dict(settings or {}))
        with self._writing() as run:
            insert = (
                "INSERT INTO surveys (id, state, contract, settings, day) "
                "VALUES (?, 'open', ?, ?, ?) ON CONFLICT (id) DO NOTHING"
            )
            if run(insert, contract.id, text, more, _today()).rowcount:
                return True
            try:
                if self._entry(run, contract.id).contract == text:
                    return False
            except NoSurvey as error:
                raise IdTaken(f"{error} Its id cannot be used again.") from None
        raise IdTaken(f"There is another survey {contract.id!r}.")

    def entries(self) -> dict[str, Entry]:
        """Return all surveys that are not deleted, by id."""
        select = f"SELECT id, {_ENTRY} FROM surveys WHERE state <> 'deleted' ORDER BY id"  # noqa: S608
        with self._snapshot() as run:
            return {id: _entry(*rest) for id, *rest in run(select).fetchall()}

    def get(self, id: str) -> Entry:
        """Return one survey."""
        with self._snapshot() as run:
            return self._entry(run, id)

    def close(self, id: str) -> None:
        """Take no more reports, and fold those that wait."""
        with self._writing() as run:
            self._entry(run, id)
            update = (
                "UPDATE surveys SET state = 'closed', closed = ? WHERE id = ? AND state = 'open'"
            )
            run(update, _today(), id)
        self.fold(id)

    def delete(self, id: str) -> None:
        """Remove all that there is of a survey but its id."""
        with self._alone(id), self._writing() as run:
            self._entry(run, id)
            run(
                "UPDATE surveys SET state = 'deleted', contract = NULL, settings = '{}', day = '', "
                "closed = NULL WHERE id = ?",
                id,
            )
            for table in _TABLES:
                run(f"DELETE FROM {table} WHERE survey = ?", id)  # noqa: S608
        self._settle()

    def _entry(self, run: Run, id: str) -> Entry:
        if _is_id(id):
            row = run(f"SELECT {_ENTRY} FROM surveys WHERE id = ?", id).fetchone()  # noqa: S608
            if row is not None:
                if row[1] == "deleted":
                    raise NoSurvey(id, gone=True)
                return _entry(*row)
        raise NoSurvey(id)

    # --- reports ----------------------------------------------------------------------------------

    def add(self, arrivals: Sequence[Arrival]) -> list[Outcome]:
        """Take a group of arrivals in one transaction."""
        with self._writing() as run:
            outcomes = self._outcomes(run, arrivals)
            bodies: dict[str, list[bytes]] = {}
            for arrival, outcome in zip(arrivals, outcomes, strict=True):
                if outcome is Outcome.COUNTED and arrival.reports:
                    bodies.setdefault(arrival.survey, []).append(arrival.reports)
            for survey, some in bodies.items():
                insert = "INSERT INTO inbox (id, survey, reports) VALUES (?, ?, ?)"
                run(insert, new_id(), survey, b"".join(some))
        return outcomes

    def _outcomes(self, run: Run, arrivals: Sequence[Arrival]) -> list[Outcome]:
        """Insert the keys that are new, and say what becomes of each arrival.

        A survey's state is read first, and cannot change until the end: whatever was counted before
        a close is visible to whoever sees the close. A known key comes before the state, so that a
        retry after the close learns that it was counted.
        """
        states = self._states(run, {arrival.survey for arrival in arrivals})
        first: dict[tuple[str, bytes], int] = {}
        for at, (survey, key, _, _) in enumerate(arrivals):
            if key is not None:
                first.setdefault((survey, key), at)
        keys = [Taken(*pair, arrivals[at].seal or b"") for pair, at in sorted(first.items())]
        is_open = [one for one in keys if states[one.survey] is Outcome.COUNTED]
        new = self._insert_keys(run, is_open) if is_open else set()
        seals = {pair: arrivals[first[pair]].seal for pair in new}
        for pair in sorted(first.keys() - new):
            if states[pair[0]] is not Outcome.UNKNOWN:
                found = run("SELECT seal FROM keys WHERE survey = ? AND key = ?", *pair).fetchone()
                if found is not None:
                    seals[pair] = found[0]
        fresh = {first[pair] for pair in new}
        outcomes = []
        for at, (survey, key, seal, _) in enumerate(arrivals):
            if key is None or at in fresh or (survey, key) not in seals:
                outcomes.append(states[survey])
            else:
                same = seals[survey, key] == seal
                outcomes.append(Outcome.ALREADY if same else Outcome.CONFLICT)
        return outcomes

    def _states(self, run: Run, surveys: Iterable[str]) -> dict[str, Outcome]:
        """Return what becomes of reports of each survey, which stays so until the end."""
        states = {}
        for id in sorted(surveys):
            select = f"SELECT state FROM surveys WHERE id = ?{self.share}"  # noqa: S608
            row = run(select, id).fetchone() if _is_id(id) else None
            states[id] = _OUTCOMES[row[0]] if row else Outcome.UNKNOWN
        return states

    def fold(self, id: str, *, force: bool = False) -> int:
        """Move reports from the inbox to chunks, in random order; return how many."""
        folded = 0
        with self._alone(id):
            while not folded and (ready := self._ready(id, force=force)) is not None:
                with suppress(_Overtaken), self._writing() as run:
                    if self._delete_rows(run, ready.rows) < len(ready.rows):
                        raise _Overtaken
                    ready.write(run)
                    folded = ready.n
        if folded:
            self._settle()
        return folded

    def _ready(self, id: str, *, force: bool) -> folding.Fold | None:
        """Return what a fold would write, or None where none is due."""
        with self._snapshot() as run:
            entry = self._entry(run, id)
            contract = _contract(entry.contract)
            if entry.open and not force and not folding.is_due(run, contract):
                return None
            rows, reports = folding.waiting(run, contract)
            tally = folding.read_tally(run, contract)
        keep = not entry.settings.get("counts_only")
        return folding.prepared(tally, rows, reports, keep=keep) if rows else None

    def tally(self, id: str) -> Tally:
        """Return the tally of every report so far, whether folded or not."""
        with self._snapshot() as run:
            contract = _contract(self._entry(run, id).contract)
            tally, (_, reports) = folding.read_tally(run, contract), folding.waiting(run, contract)
        tally.update(reports)
        return tally

    def reports(self, id: str) -> Iterator[bytes]:
        """Yield all reports, many at a time, as of one moment."""
        entry = self.get(id)
        if entry.settings.get("counts_only"):
            raise NoReports(f"Of survey {id!r}, only the counts are kept.")
        return self._reports(_contract(entry.contract))

    def _reports(self, contract: Contract) -> Iterator[bytes]:
        with self._snapshot() as run:
            select = "SELECT id FROM chunks WHERE survey = ? ORDER BY id"
            for chunk in run(select, contract.id).fetchall():
                yield run("SELECT reports FROM chunks WHERE id = ?", *chunk).fetchone()[0]
            for some in folding.in_chunks(folding.waiting(run, contract)[1]):
                yield some.tobytes()

    def check(self, id: str) -> str | None:
        """Count all reports again; return in what they differ from the tally, or None."""
        with self._snapshot() as run:
            entry = self._entry(run, id)
            counts_only = bool(entry.settings.get("counts_only"))
            return checking.problem(run, _contract(entry.contract), counts_only=counts_only)

    # --- access and upkeep ------------------------------------------------------------------------

    def invite(self, id: str, invitations: Iterable[bytes]) -> None:
        """Add hashed invitations."""
        insert = "INSERT INTO invitations (survey, invitation) VALUES (?, ?) ON CONFLICT DO NOTHING"
        with self._writing() as run:
            self._entry(run, id)
            self._states(run, [id])  # which no delete changes before these are in
            for invitation in sorted(invitations):
                run(insert, id, invitation)

    def spend(self, id: str, invitation: bytes, key: bytes) -> bool:
        """Spend an invitation for an arrival's key; return whether that may be sent."""
        update = (
            "UPDATE invitations SET key = ? "
            "WHERE survey = ? AND invitation = ? AND (key IS NULL OR key = ?)"
        )
        with self._writing() as run:
            self._entry(run, id)
            return run(update, key, id, invitation, key).rowcount == 1

    def token(self) -> bytes | None:
        """Return the hash of the administrator's token."""
        with self._snapshot() as run:
            row = run("SELECT value FROM facts WHERE name = 'token'").fetchone()
        return row and bytes(row[0])

    def set_token(self, hashed: bytes) -> None:
        """Replace the hash of the administrator's token."""
        insert = (
            "INSERT INTO facts (name, value) VALUES ('token', ?) "
            "ON CONFLICT (name) DO UPDATE SET value = excluded.value"
        )
        with self._writing() as run:
            run(insert, hashed)

    def expire(self, day: date) -> None:
        """Forget the keys and invitations of surveys closed more than 30 days before a day."""
        last = (day - timedelta(days=KEPT_DAYS)).isoformat()
        with self._writing() as run:
            for table in ("keys", "invitations"):
                old = "SELECT id FROM surveys WHERE state = 'closed' AND closed < ?"
                run(f"DELETE FROM {table} WHERE survey IN ({old})", last)  # noqa: S608
        self._settle()


_ENTRY = "contract, state, day, closed, settings"


def _entry(contract: bytes, state: str, day: str, closed: str | None, settings: str) -> Entry:
    return Entry(contract, state == "open", day, closed, json.loads(settings))


@lru_cache(16)
def _contract(text: bytes) -> Contract:
    return Contract.from_json(text)


def _scripts(dialect: str) -> list[Path]:
    """Return the migrations in their order: 001.sql is the first."""
    return sorted((MIGRATIONS / dialect).iterdir())


def _is_id(id: str) -> bool:
    """Tell whether any survey could have this id: not all text is fit for a database."""
    try:
        check_id("Store", id)
    except InvalidArgument:
        return False
    return True


def _today() -> str:
    return datetime.now(UTC).date().isoformat()
