-- +goose Up
-- Work handed in: each submission is a version that is never changed, with the
-- document made of it.
CREATE TABLE submissions (
	id {{id}},
	unit_id BIGINT NOT NULL REFERENCES units (id) ON DELETE CASCADE,
	task_id BIGINT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE, -- of the student it was handed in for
	user_id BIGINT NOT NULL REFERENCES users (id),                   -- who sent it
	at {{instant}} NOT NULL,
	state TEXT NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'processing', 'ready', 'failed')),
	parts_done INTEGER NOT NULL DEFAULT 0,
	parts INTEGER NOT NULL,
	reason TEXT,   -- why it failed, or what is not shown in the document
	job_id BIGINT, -- that makes the document
	document_hash TEXT REFERENCES blobs (hash),
	document_size BIGINT,
	pages INTEGER,
	document_at {{instant}}
);
CREATE INDEX submissions_of_task ON submissions (task_id);
CREATE INDEX submissions_of_unit ON submissions (unit_id);
CREATE INDEX submissions_open ON submissions (job_id) WHERE state IN ('queued', 'processing');
CREATE INDEX submissions_document ON submissions (document_hash) WHERE document_hash IS NOT NULL;

-- The tasks a submission was handed in for: one, or those of a group. Its moment
-- is unique for each of them, as it names the version.
CREATE TABLE submission_tasks (
	task_id BIGINT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
	at {{instant}} NOT NULL,
	submission_id BIGINT NOT NULL REFERENCES submissions (id) ON DELETE CASCADE,
	pct INTEGER NOT NULL,
	pts INTEGER NOT NULL,
	PRIMARY KEY (task_id, at)
);
CREATE INDEX submission_tasks_of_submission ON submission_tasks (submission_id);

CREATE TABLE submission_files (
	submission_id BIGINT NOT NULL REFERENCES submissions (id) ON DELETE CASCADE,
	position INTEGER NOT NULL,
	key TEXT NOT NULL,
	title TEXT NOT NULL, -- the requirement's
	kind TEXT NOT NULL,
	name TEXT NOT NULL,  -- as the sender calls it
	hash TEXT NOT NULL REFERENCES blobs (hash),
	size BIGINT NOT NULL,
	PRIMARY KEY (submission_id, position)
);
CREATE INDEX submission_files_hash ON submission_files (hash);

-- What was answered to a request that may come again.
CREATE TABLE idempotency_keys (
	user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
	task_definition_id BIGINT NOT NULL REFERENCES task_definitions (id) ON DELETE CASCADE,
	key TEXT NOT NULL,
	request_hash TEXT NOT NULL,
	answer TEXT NOT NULL,
	created_at {{instant}} NOT NULL,
	PRIMARY KEY (user_id, project_id, task_definition_id, key)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

-- Keys that sign receipts. One given by a file has no seed here; one that is no
-- longer used stays, so that what it signed can be checked.
CREATE TABLE signing_keys (
	id TEXT NOT NULL PRIMARY KEY,
	public_key TEXT NOT NULL,
	seed TEXT,
	current BOOLEAN NOT NULL,
	created_at {{instant}} NOT NULL,
	retired_at {{instant}}
);
CREATE UNIQUE INDEX signing_keys_current ON signing_keys (current) WHERE current;

-- Receipts of a unit, one after the other. They outlive what they are about.
CREATE TABLE receipts (
	unit_id BIGINT NOT NULL REFERENCES units (id) ON DELETE CASCADE,
	sequence BIGINT NOT NULL,
	submission_id BIGINT REFERENCES submissions (id) ON DELETE SET NULL,
	body TEXT NOT NULL, -- canonical JSON
	hash TEXT NOT NULL,
	signature TEXT NOT NULL,
	key_id TEXT NOT NULL REFERENCES signing_keys (id),
	PRIMARY KEY (unit_id, sequence)
);
CREATE UNIQUE INDEX receipts_of_submission ON receipts (submission_id);

-- The end of each unit's chain: whoever adds to it holds the row.
CREATE TABLE receipt_chains (
	unit_id BIGINT NOT NULL PRIMARY KEY REFERENCES units (id) ON DELETE CASCADE,
	sequence BIGINT NOT NULL,
	hash TEXT NOT NULL
);
