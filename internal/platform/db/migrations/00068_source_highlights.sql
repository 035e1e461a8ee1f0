-- +goose Up
-- What the stretches of a text file are (keywords, comments and so on), by the hash of the file and the language that its
-- name tells: the file of the store that says so, or nothing where the file stays plain. The row goes when its file does.
CREATE TABLE source_highlights (
	hash TEXT NOT NULL REFERENCES blobs (hash) ON DELETE CASCADE,
	language TEXT NOT NULL,
	version INTEGER NOT NULL, -- of the highlighter
	job_id BIGINT NOT NULL, -- that highlights it; no reference, as old jobs are removed
	done BOOLEAN NOT NULL DEFAULT FALSE,
	runs_hash TEXT REFERENCES blobs (hash),
	PRIMARY KEY (hash, language)
);
CREATE INDEX source_highlights_by_runs ON source_highlights (runs_hash);
INSERT INTO schema_programs (schema_version, oldest_program) VALUES (68, 55);

-- +goose Down
DELETE FROM schema_programs WHERE schema_version = 68;
DROP TABLE source_highlights;
