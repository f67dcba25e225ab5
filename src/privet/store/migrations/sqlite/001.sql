-- Surveys. A deleted one keeps its id alone, so that the id is never used again.
CREATE TABLE surveys (
    id TEXT PRIMARY KEY,
    state TEXT NOT NULL CHECK (state IN ('open', 'closed', 'deleted')),
    contract BLOB,
    settings TEXT NOT NULL,
    day TEXT NOT NULL,
    closed TEXT
) STRICT, WITHOUT ROWID;

-- Reports that wait to be folded: a row for each group of requests, under a random number.
CREATE TABLE inbox (id INTEGER PRIMARY KEY, survey TEXT NOT NULL, reports BLOB NOT NULL) STRICT;
CREATE INDEX inbox_survey ON inbox (survey);

-- Folded reports, in random order under a random number. No reports: only counts are kept.
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY, survey TEXT NOT NULL, n INTEGER NOT NULL, reports BLOB
) STRICT;
CREATE INDEX chunks_survey ON chunks (survey);

-- The sum of the chunks, in parts of bounded size.
CREATE TABLE tallies (
    survey TEXT NOT NULL, part INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (survey, part)
) STRICT;

-- What was counted: the hash of each key, and that of key and body together.
CREATE TABLE keys (
    survey TEXT NOT NULL, key BLOB NOT NULL, seal BLOB NOT NULL, PRIMARY KEY (survey, key)
) STRICT, WITHOUT ROWID;

-- Hashed invitations, and the hashed key that each was spent for.
CREATE TABLE invitations (
    survey TEXT NOT NULL, invitation BLOB NOT NULL, key BLOB, PRIMARY KEY (survey, invitation)
) STRICT, WITHOUT ROWID;

-- The hash of the administrator's token, and of those that were replaced for good.
CREATE TABLE facts (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
