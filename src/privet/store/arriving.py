"""What becomes of a group of arrivals: known keys first, then whether a survey is open."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Any, NamedTuple

from ..device.wording import check_id
from ..errors import InvalidArgument, StoreFailure
from .database import Database, Run

__all__ = [
    "EXEMPT", "Arrival", "DamagedSettings", "Outcome", "is_id", "outcomes_of", "read_settings",
    "states_of",
]  # fmt: skip

EXEMPT = b"exempt"


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


_OUTCOMES = {"open": Outcome.COUNTED, "closed": Outcome.CLOSED, "deleted": Outcome.GONE}


class State(NamedTuple):
    """What becomes of a survey's reports, and whether each needs an invitation."""

    outcome: Outcome
    invited: bool = False


def outcomes_of(database: Database, run: Run, arrivals: Sequence[Arrival]) -> list[Outcome]:
    """Insert the keys that are new, and say what becomes of each arrival.

    A survey's state is read first, and cannot change until the end: whatever was counted before
    a close is visible to whoever sees the close. A known key comes before the state, so that a
    retry after the close learns that it was counted.
    """
    states = states_of(database, run, {arrival.survey for arrival in arrivals})
    outcomes = [states[arrival.survey].outcome for arrival in arrivals]
    invited = [at for at, arrival in enumerate(arrivals) if states[arrival.survey].invited]
    for at in sorted(invited, key=lambda at: arrivals[at].invitation or b""):
        outcomes[at] = _by_invitation(database, run, arrivals[at], outcomes[at])
    same: dict[tuple[str, bytes], list[int]] = {}  # which arrivals have the same key
    for at, arrival in enumerate(arrivals):
        state = states[arrival.survey]
        if arrival.key is not None and not state.invited and state.outcome is not Outcome.UNKNOWN:
            same.setdefault((arrival.survey, arrival.key), []).append(at)
    first = [arrivals[places[0]] for _, places in sorted(same.items())]
    is_open = [one for one in first if states[one.survey].outcome is Outcome.COUNTED]
    new = database.insert_keys(run, is_open) if is_open else set()
    for pair, places in same.items():
        if pair in new:
            known, again = arrivals[places[0]].seal, places[1:]
        else:
            known, again = _seal(run, *pair), places
        for at in again:
            outcomes[at] = _repeated(arrivals[at], known, outcomes[at])
    return outcomes


def _by_invitation(database: Database, run: Run, arrival: Arrival, state: Outcome) -> Outcome:
    """Spend an arrival's invitation together with its key: the invitation is gone, and unlinked."""
    is_open = state is Outcome.COUNTED
    if arrival.key is None:
        return Outcome.UNINVITED if is_open else state
    if is_open and database.insert_keys(run, [arrival]):
        spend = "DELETE FROM invitations WHERE survey = $1 AND invitation = $2"
        invitation = arrival.invitation or b""
        if invitation == EXEMPT or run(spend, arrival.survey, invitation).rowcount:
            return Outcome.COUNTED
        run("DELETE FROM keys WHERE survey = $1 AND key = $2", arrival.survey, arrival.key)
        return Outcome.UNINVITED
    return _repeated(arrival, _seal(run, arrival.survey, arrival.key), state)


def _repeated(arrival: Arrival, known: bytes | None, otherwise: Outcome) -> Outcome:
    """Return what becomes of an arrival whose key came before, by what is known of that."""
    if known is None:
        return otherwise
    return Outcome.ALREADY if arrival.seal == known else Outcome.CONFLICT


def _seal(run: Run, survey: str, key: bytes) -> bytes | None:
    """Return what is known of a key."""
    row = run("SELECT seal FROM keys WHERE survey = $1 AND key = $2", survey, key).fetchone()
    return row and bytes(row[0])


def states_of(database: Database, run: Run, surveys: Iterable[str]) -> dict[str, State]:
    """Return what becomes of reports of each survey, which stays so until the end."""
    states = {}
    for id in sorted(surveys):
        select = f"SELECT state, settings FROM surveys WHERE id = $1{database.share}"  # noqa: S608
        row = run(select, id).fetchone() if is_id(id) else None
        if row is None:
            states[id] = State(Outcome.UNKNOWN)
        else:
            states[id] = State(_OUTCOMES[row[0]], bool(read_settings(row[1]).get("invited")))
    return states


class DamagedSettings(StoreFailure):
    """A survey's settings in the store are not what a store writes."""


def read_settings(text: str) -> dict[str, Any]:
    """Return a survey's settings."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise DamagedSettings("its settings are not a JSON object: restore a backup, or set '{}'")
    return found


def is_id(id: str) -> bool:
    """Tell whether any survey could have this id: not all text is fit for a database.

    >>> is_id("drinks"), is_id("Not an id!")
    (True, False)
    """
    try:
        check_id("Store", id)
    except InvalidArgument:
        return False
    return True
