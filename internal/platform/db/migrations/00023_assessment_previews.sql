-- +goose Up
-- What the tests of a task would say of the latest submissions, without applying it.
CREATE TABLE assessment_previews (
	id {{id}},
	task_definition_id BIGINT NOT NULL REFERENCES task_definitions (id) ON DELETE CASCADE,
	user_id BIGINT NOT NULL REFERENCES users (id),
	status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'done', 'failed')),
	reason TEXT,
	job_id BIGINT,
	created_at {{instant}} NOT NULL,
	updated_at {{instant}} NOT NULL
);
CREATE INDEX assessment_previews_of_definition ON assessment_previews (task_definition_id);
CREATE INDEX assessment_previews_of_user ON assessment_previews (user_id);
CREATE INDEX assessment_previews_by_age ON assessment_previews (created_at);
-- A definition has one preview under way.
CREATE UNIQUE INDEX assessment_previews_open ON assessment_previews (task_definition_id)
	WHERE status IN ('queued', 'running');

CREATE TABLE assessment_preview_rows (
	preview_id BIGINT NOT NULL REFERENCES assessment_previews (id) ON DELETE CASCADE,
	submission_id BIGINT NOT NULL REFERENCES submissions (id) ON DELETE CASCADE,
	done BOOLEAN NOT NULL DEFAULT FALSE,
	cached BOOLEAN NOT NULL DEFAULT FALSE, -- found among earlier results
	result_status TEXT, -- that it would get; none when the tests give none
	reason TEXT,        -- why a run did not come to its end
	PRIMARY KEY (preview_id, submission_id)
);
CREATE INDEX assessment_preview_rows_of_submission ON assessment_preview_rows (submission_id);

-- Results of runs, so that the same tests are not run over the same files again.
CREATE TABLE assessment_results (
	image_digest TEXT NOT NULL,
	tests_hash TEXT NOT NULL,      -- of the package and its limits
	submission_hash TEXT NOT NULL, -- of the files and their names
	claimed TEXT NOT NULL,
	judged TEXT NOT NULL,
	has_judge BOOLEAN NOT NULL,
	reason TEXT NOT NULL,
	created_at {{instant}} NOT NULL,
	PRIMARY KEY (image_digest, tests_hash, submission_hash)
);
CREATE INDEX assessment_results_by_age ON assessment_results (created_at);
