-- How many reports a survey has can be read from the index alone, however large the chunks are.
DROP INDEX chunks_survey;
CREATE INDEX chunks_survey ON chunks (survey, n);
