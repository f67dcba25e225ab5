-- How many keys were counted with reports, so that lost keys are noticed: with those that wait in
-- the inbox (null: not known), and of a survey with those that are folded.
ALTER TABLE inbox ADD COLUMN keys BIGINT;
CREATE TABLE key_totals (survey TEXT PRIMARY KEY, keys BIGINT NOT NULL);
