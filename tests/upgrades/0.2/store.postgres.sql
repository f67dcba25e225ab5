SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE SCHEMA privet;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE privet.chunks (
    id bigint NOT NULL,
    survey text NOT NULL,
    n bigint NOT NULL,
    reports bytea
);
ALTER TABLE ONLY privet.chunks ALTER COLUMN reports SET STORAGE EXTERNAL;
CREATE TABLE privet.facts (
    name text NOT NULL,
    value bytea NOT NULL
);
CREATE TABLE privet.inbox (
    id bigint NOT NULL,
    survey text NOT NULL,
    reports bytea NOT NULL
);
ALTER TABLE ONLY privet.inbox ALTER COLUMN reports SET STORAGE EXTERNAL;
CREATE TABLE privet.invitations (
    survey text NOT NULL,
    invitation bytea NOT NULL
);
CREATE TABLE privet.keys (
    survey text NOT NULL,
    key bytea NOT NULL,
    seal bytea NOT NULL
);
CREATE TABLE privet.surveys (
    id text NOT NULL,
    state text NOT NULL,
    contract bytea,
    settings text NOT NULL,
    day text NOT NULL,
    closed text,
    CONSTRAINT surveys_state_check CHECK ((state = ANY (ARRAY['open'::text, 'closed'::text, 'deleted'::text])))
);
CREATE TABLE privet.tallies (
    survey text NOT NULL,
    part bigint NOT NULL,
    data bytea NOT NULL
);
INSERT INTO privet.chunks VALUES (4040181890104808256, 'drinks', 3, '\x010101');
INSERT INTO privet.facts VALUES ('version', '\x32');
INSERT INTO privet.facts VALUES ('token', '\xef89ae43b6e6a34b4c2439b584d6bf84cf8e33f7aecb6a0b2b161bed56b1c484');
INSERT INTO privet.inbox VALUES (4884991817053009369, 'drinks', '\x01010101');
INSERT INTO privet.invitations VALUES ('drinks', '\xa3013c082c75edc913598c3baac1afa18f7633fe8f014896ab2f1a72ff83d8ba');
INSERT INTO privet.keys VALUES ('drinks', '\xa7937b64b8caa58f03721bb6bacf5c78cb235febe0e70b1b84cd99541461a08e', '\x7351b13a87da8940885b07a626a365996b5292c371a88545bc2572ccd6d71479');
INSERT INTO privet.keys VALUES ('drinks', '\x16367aacb67a4a017c8da8ab95682ccb390863780f7114dda0a0e0c55644c7c4', '\x334c9f72913e5f92fe03f4f36c4d46d63e3588f390881cef32ca9ef3886861e9');
INSERT INTO privet.surveys VALUES ('drinks', 'open', '\x7b22707269766574223a322c226964223a226472696e6b73222c227175657374696f6e223a22546561206f7220636f666665653f222c2263617465676f72696573223a5b22746561222c22636f66666565222c226e656974686572225d2c22657073696c6f6e223a322e302c226d656368616e69736d223a7b226e616d65223a226b2d737562736574222c226b223a312c226f646473223a223333323737333530323933373633373637222c227363616c65223a35322c227374617274223a5b302c305d7d2c2273747265616d223a22686d61632d736861323536227d', '{"public_from": 2}', '2026-11-18', NULL);
INSERT INTO privet.tallies VALUES ('drinks', 0, '\x7072697665745401dfa0628b1c5fc9aa5e31adc173316afceeee78509b69b76898e5560acc0a92a4030000000000000003000000000000000000000000000000000000000000000073cf8bfa');
ALTER TABLE ONLY privet.chunks
    ADD CONSTRAINT chunks_pkey PRIMARY KEY (id);
ALTER TABLE ONLY privet.facts
    ADD CONSTRAINT facts_pkey PRIMARY KEY (name);
ALTER TABLE ONLY privet.inbox
    ADD CONSTRAINT inbox_pkey PRIMARY KEY (id);
ALTER TABLE ONLY privet.invitations
    ADD CONSTRAINT invitations_pkey PRIMARY KEY (survey, invitation);
ALTER TABLE ONLY privet.keys
    ADD CONSTRAINT keys_pkey PRIMARY KEY (survey, key);
ALTER TABLE ONLY privet.surveys
    ADD CONSTRAINT surveys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY privet.tallies
    ADD CONSTRAINT tallies_pkey PRIMARY KEY (survey, part);
CREATE INDEX chunks_survey ON privet.chunks USING btree (survey, n);
CREATE INDEX inbox_survey ON privet.inbox USING btree (survey);
