"""The store of a service: surveys, and their reports, each counted exactly once.

    store = open_store("surveys.db")                         # SQLite, one machine
    store = open_store("postgresql://host/surveys")          # PostgreSQL, several

A report is in exactly one of *inbox* and *chunk*, and the tally is the sum of the chunks, so that
tally and inbox, read in one snapshot, are exact at any moment. `sql` has the
store, in a `database`: `sqlite` or `postgres`. `arriving` says what becomes of a group of arrivals,
`folding` is the way from inbox to chunk, and `checking` counts again.
"""

from __future__ import annotations

from os import PathLike, fspath

from ..errors import InvalidArgument
from .arriving import EXEMPT, Arrival, Outcome
from .postgres import Postgres
from .sql import Entry, Store
from .sqlite import Sqlite

__all__ = ["EXEMPT", "Arrival", "Entry", "Outcome", "Store", "open_store"]


def open_store(target: str | PathLike[str], *, create: bool = True) -> Store:
    """Open the store in a file, or at a PostgreSQL URL, and bring its tables up to date.

    Where there is none it is made, unless `create` is false: then StoreFailure is raised, as it is
    for a store that a newer privet has written.
    """
    name = fspath(target)
    scheme, separator, _ = name.partition("://")
    if not separator:
        return Store(Sqlite(name, create=create))
    if scheme not in ("postgresql", "postgres"):
        raise InvalidArgument("open_store", "target", "a path or a postgresql:// URL", f"{scheme}:")

    return Store(Postgres(name, create=create))
