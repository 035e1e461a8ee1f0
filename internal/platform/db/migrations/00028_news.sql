-- +goose Up
-- News are the events that a person wants to be told of: steps on the way, such as a
-- document that is half made, are none. Events from before are not told again.
ALTER TABLE events ADD COLUMN news BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX news_of_user ON events (user_id, seq) WHERE news;
CREATE INDEX news_of_unit ON events (unit_id, seq) WHERE news;

ALTER TABLE users ADD COLUMN news_seq BIGINT NOT NULL DEFAULT 0;       -- news up to this number were read
ALTER TABLE users ADD COLUMN theme TEXT NOT NULL DEFAULT 'system';     -- of pages: system, light or dark
ALTER TABLE users ADD COLUMN shortcuts BOOLEAN NOT NULL DEFAULT TRUE;  -- keys of pages that are one letter
