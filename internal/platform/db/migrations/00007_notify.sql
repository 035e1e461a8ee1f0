-- +goose Up
-- What leaves the service: webhooks and letters.
CREATE TABLE webhooks (
	id {{id}},
	url TEXT NOT NULL,
	secret TEXT NOT NULL,
	kinds TEXT NOT NULL,      -- JSON; an empty list means all
	active BOOLEAN NOT NULL,
	last_seq BIGINT NOT NULL, -- all events up to here are delivered, or not asked for
	missed BIGINT NOT NULL DEFAULT 0,    -- events that were too old to be kept when their turn came
	failures INTEGER NOT NULL DEFAULT 0, -- in a row
	last_error TEXT,
	last_tried_at {{instant}},
	last_delivered_at {{instant}},
	next_try_at {{instant}},
	created_at {{instant}} NOT NULL,
	updated_at {{instant}} NOT NULL
);

-- Letters on their way and, without their words, those that went. The name
-- becomes the Message-ID, and keeps a letter from being written twice.
CREATE TABLE mails (
	id {{id}},
	name TEXT NOT NULL UNIQUE,
	user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	preference TEXT NOT NULL, -- which of the receive_ settings lets it through
	reply_to TEXT NOT NULL,
	subject TEXT NOT NULL,
	body_text TEXT NOT NULL,
	body_html TEXT NOT NULL,
	created_at {{instant}} NOT NULL,
	sent_at {{instant}}
);
CREATE INDEX mails_of_user ON mails (user_id);
CREATE INDEX mails_by_time ON mails (created_at);

-- How far a regular reader of the events has come.
CREATE TABLE event_cursors (
	name TEXT NOT NULL PRIMARY KEY,
	seq BIGINT NOT NULL,
	at {{instant}} NOT NULL
);

CREATE INDEX task_comments_of_unit ON task_comments (unit_id, created_at);
