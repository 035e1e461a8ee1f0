-- +goose Up
-- The archive of what the service knows about a person, which they asked for themselves: one
-- for each person, made by a job, and given out once by a link that is good for minutes.
CREATE TABLE data_exports (
	user_id BIGINT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
	job_id BIGINT NOT NULL, -- that makes it; no reference, as old jobs are removed
	asked_at {{instant}} NOT NULL,
	ready_at {{instant}}, -- none: it is being made
	expires_at {{instant}}, -- when it is removed, downloaded or not
	hash TEXT REFERENCES blobs (hash), -- none: it is being made, was downloaded or has expired
	size BIGINT,
	downloaded_at {{instant}},
	token_hash TEXT, -- of the link
	link_expires_at {{instant}}
);
CREATE INDEX data_exports_hash ON data_exports (hash) WHERE hash IS NOT NULL;
CREATE INDEX data_exports_by_age ON data_exports (expires_at) WHERE hash IS NOT NULL;

-- +goose Down
DROP TABLE data_exports;
