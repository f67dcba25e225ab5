"""What becomes of a group of arrivals: known keys first, then whether a survey is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import InvalidArgument
from ..wording import check_id
from .base import Outcome
from .database import Key

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .base import Arrival
    from .database import Database, Run

__all__ = ["is_id", "outcomes_of", "states_of"]

_OUTCOMES = {"open": Outcome.COUNTED, "closed": Outcome.CLOSED, "deleted": Outcome.GONE}


def outcomes_of(database: Database, run: Run, arrivals: Sequence[Arrival]) -> list[Outcome]:
    """Insert the keys that are new, and say what becomes of each arrival.

    A survey's state is read first, and cannot change until the end: whatever was counted before
    a close is visible to whoever sees the close. A known key comes before the state, so that a
    retry after the close learns that it was counted.
    """
    states = states_of(database, run, {arrival.survey for arrival in arrivals})
    first: dict[tuple[str, bytes], int] = {}
    for at, (survey, key, _, _) in enumerate(arrivals):
        if key is not None:
            first.setdefault((survey, key), at)
    keys = [Key(*pair, arrivals[at].seal or b"") for pair, at in sorted(first.items())]
    is_open = [one for one in keys if states[one.survey] is Outcome.COUNTED]
    new = database.insert_keys(run, is_open) if is_open else set()
    seals = {pair: arrivals[first[pair]].seal for pair in new}
    for pair in first.keys() - new:
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


def states_of(database: Database, run: Run, surveys: Iterable[str]) -> dict[str, Outcome]:
    """Return what becomes of reports of each survey, which stays so until the end."""
    states = {}
    for id in sorted(surveys):
        select = f"SELECT state FROM surveys WHERE id = ?{database.share}"  # noqa: S608
        row = run(select, id).fetchone() if is_id(id) else None
        states[id] = _OUTCOMES[row[0]] if row else Outcome.UNKNOWN
    return states


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
