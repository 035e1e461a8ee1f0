-- +goose Up
-- What students add to their portfolios, and what comes back from marking offline.
ALTER TABLE projects ADD COLUMN portfolio_asked_at {{instant}}; -- the latest wish to compile it

-- The learning summary is the file 0.
CREATE TABLE portfolio_files (
	project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
	idx INTEGER NOT NULL CHECK (idx >= 0),
	kind TEXT NOT NULL CHECK (kind IN ('document', 'code', 'image')),
	name TEXT NOT NULL,
	hash TEXT NOT NULL REFERENCES blobs (hash),
	size BIGINT NOT NULL,
	created_at {{instant}} NOT NULL,
	PRIMARY KEY (project_id, idx)
);
CREATE INDEX portfolio_files_hash ON portfolio_files (hash);

-- The document of a submission as the staff annotated it; the original stays.
CREATE TABLE marked_copies (
	submission_id BIGINT NOT NULL PRIMARY KEY REFERENCES submissions (id) ON DELETE CASCADE,
	hash TEXT NOT NULL REFERENCES blobs (hash),
	size BIGINT NOT NULL,
	user_id BIGINT NOT NULL REFERENCES users (id),
	at {{instant}} NOT NULL
);
CREATE INDEX marked_copies_hash ON marked_copies (hash);

-- Rows of marking sheets that were carried out, so that a sheet sent again
-- changes nothing.
CREATE TABLE marks_taken (
	task_id BIGINT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
	digest TEXT NOT NULL,
	user_id BIGINT NOT NULL REFERENCES users (id),
	at {{instant}} NOT NULL,
	PRIMARY KEY (task_id, digest)
);
