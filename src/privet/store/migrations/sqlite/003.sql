-- An administrator's sessions in browsers: the hash of what the cookie has, the hash of the token
-- that began it, and when it ends, in seconds since 1970.
CREATE TABLE sessions (
    session BLOB PRIMARY KEY, token BLOB NOT NULL, ends INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
