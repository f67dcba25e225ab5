"""The tables of a store in SQLite: the statements that lead from each version to the next."""

from __future__ import annotations

__all__ = ["MIGRATIONS"]

_VERSION_1 = (
    # Surveys. A deleted one keeps its id alone, so that the id is never used again.
    """
    CREATE TABLE surveys (
        id TEXT PRIMARY KEY,
        state TEXT NOT NULL CHECK (state IN ('open', 'closed', 'deleted')),
        contract BLOB,
        settings TEXT NOT NULL,
        day TEXT NOT NULL,
        closed TEXT
    ) STRICT, WITHOUT ROWID
    """,
    # Reports that wait to be folded: a row for each group of requests, under a random number.
    """
    CREATE TABLE inbox (
        id INTEGER PRIMARY KEY, survey TEXT NOT NULL, reports BLOB NOT NULL
    ) STRICT
    """,
    "CREATE INDEX inbox_survey ON inbox (survey)",
    # Folded reports, in random order under a random number. No reports: only counts are kept.
    """
    CREATE TABLE chunks (
        id INTEGER PRIMARY KEY, survey TEXT NOT NULL, n INTEGER NOT NULL, reports BLOB
    ) STRICT
    """,
    "CREATE INDEX chunks_survey ON chunks (survey)",
    # The sum of the chunks, in parts of bounded size.
    """
    CREATE TABLE tallies (
        survey TEXT NOT NULL, part INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (survey, part)
    ) STRICT
    """,
    # What was counted: the hash of each key, and that of key and body together.
    """
    CREATE TABLE keys (
        survey TEXT NOT NULL, key BLOB NOT NULL, seal BLOB NOT NULL, PRIMARY KEY (survey, key)
    ) STRICT, WITHOUT ROWID
    """,
    # Hashed invitations, and the hashed key that each was spent for.
    """
    CREATE TABLE invitations (
        survey TEXT NOT NULL, invitation BLOB NOT NULL, key BLOB, PRIMARY KEY (survey, invitation)
    ) STRICT, WITHOUT ROWID
    """,
    # The hash of the administrator's token, and of those that were replaced for good.
    "CREATE TABLE facts (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID",
)

_VERSION_2 = (
    # An invitation is gone once it is spent: nothing tells which key it was spent for.
    "DELETE FROM invitations WHERE key IS NOT NULL",
    "ALTER TABLE invitations DROP COLUMN key",
    # How many reports a survey has can be read from the index alone, however large the chunks are.
    "DROP INDEX chunks_survey",
    "CREATE INDEX chunks_survey ON chunks (survey, n)",
)

_VERSION_3 = (
    # An administrator's sessions in browsers: the hash of what the cookie has, the hash of the
    # token that began it, and when it ends, in seconds since 1970.
    """
    CREATE TABLE sessions (
        session BLOB PRIMARY KEY, token BLOB NOT NULL, ends INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID
    """,
)

_VERSION_4 = (
    # How many keys were counted with reports, so that lost keys are noticed: with those that wait
    # in the inbox (null: not known), and of a survey with those that are folded.
    "ALTER TABLE inbox ADD COLUMN keys INTEGER",
    """
    CREATE TABLE key_totals (
        survey TEXT PRIMARY KEY, keys INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID
    """,
)

# Stores of every version have run these statements, so a change is one more version at the end.
MIGRATIONS = (_VERSION_1, _VERSION_2, _VERSION_3, _VERSION_4)
