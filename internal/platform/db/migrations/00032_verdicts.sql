-- +goose Up
-- A verdict is a comment, a move and marks that staff gave in one piece. Its row keeps
-- the answers, for a request that comes again, and what is needed to undo it.
CREATE TABLE verdict_batches (
	id {{id}},
	unit_id BIGINT NOT NULL REFERENCES units (id) ON DELETE CASCADE,
	user_id BIGINT NOT NULL REFERENCES users (id),
	at {{instant}} NOT NULL,
	key TEXT,
	request_hash TEXT NOT NULL,
	answer TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX verdict_batches_key ON verdict_batches (user_id, key) WHERE key IS NOT NULL;
CREATE INDEX verdict_batches_by_age ON verdict_batches (at);
CREATE INDEX verdict_batches_of_unit ON verdict_batches (unit_id);

CREATE TABLE verdicts (
	id {{id}},
	task_id BIGINT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE, -- that it was given on
	user_id BIGINT NOT NULL REFERENCES users (id),
	batch_id BIGINT REFERENCES verdict_batches (id) ON DELETE CASCADE,
	at {{instant}} NOT NULL,
	key TEXT,
	request_hash TEXT NOT NULL,
	answer TEXT NOT NULL DEFAULT '',
	undo_answer TEXT NOT NULL DEFAULT '', -- with the words that the undo took back
	comment_id BIGINT REFERENCES task_comments (id) ON DELETE SET NULL, -- that came with it
	last_comment_id BIGINT NOT NULL DEFAULT 0, -- of the conversation then: whoever spoke later has a greater one
	undone_at {{instant}}
);
CREATE UNIQUE INDEX verdicts_key ON verdicts (user_id, key) WHERE key IS NOT NULL;
CREATE INDEX verdicts_of_task ON verdicts (task_id);
CREATE INDEX verdicts_of_batch ON verdicts (batch_id) WHERE batch_id IS NOT NULL;
CREATE INDEX verdicts_of_comment ON verdicts (comment_id) WHERE comment_id IS NOT NULL;
CREATE INDEX verdicts_by_age ON verdicts (at);

-- What stood before a verdict on each task it reached, and the task's version after it.
CREATE TABLE verdict_tasks (
	verdict_id BIGINT NOT NULL REFERENCES verdicts (id) ON DELETE CASCADE,
	task_id BIGINT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
	version BIGINT NOT NULL,
	history_id BIGINT NOT NULL, -- the last row of its history before; 0: none
	status TEXT NOT NULL,
	submission_date {{instant}},
	file_uploaded_at {{instant}},
	assessment_date {{instant}},
	completion_date {{date}},
	times_assessed INTEGER NOT NULL,
	grade INTEGER,
	failed_for_lateness BOOLEAN NOT NULL,
	quality_pts INTEGER NOT NULL,
	extensions INTEGER NOT NULL,
	group_submission_id BIGINT, -- no reference: it may be gone
	contribution_pct INTEGER NOT NULL,
	PRIMARY KEY (verdict_id, task_id)
);
CREATE INDEX verdict_tasks_of_task ON verdict_tasks (task_id);

-- A row that undoes a verdict takes back all rows of its task after this id and before
-- itself; 0: all before itself.
ALTER TABLE task_history ADD COLUMN undoes_after BIGINT;
CREATE INDEX task_history_undos ON task_history (task_id) WHERE undoes_after IS NOT NULL;
