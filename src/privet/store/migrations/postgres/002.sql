-- An invitation is gone once it is spent: nothing tells which key it was spent for.
DELETE FROM invitations WHERE key IS NOT NULL;
ALTER TABLE invitations DROP COLUMN key;
-- How many reports a survey has can be read from the index alone, however large the chunks are.
DROP INDEX chunks_survey;
CREATE INDEX chunks_survey ON chunks (survey, n);
