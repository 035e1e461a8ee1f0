-- +goose Up
-- Automated assessment: what the staff's tests say of what students hand in.
ALTER TABLE task_definitions ADD COLUMN assessment_statuses TEXT NOT NULL
	DEFAULT '["fix_and_resubmit","discuss","demonstrate","complete"]'; -- that an assessment may set
ALTER TABLE task_definitions ADD COLUMN assessment_trusted BOOLEAN NOT NULL DEFAULT FALSE; -- a status of its scripts counts
ALTER TABLE task_definitions ADD COLUMN assessment_limits TEXT NOT NULL DEFAULT '{}'; -- below those of the settings

-- Each submission is assessed once, and again when somebody asks for it.
CREATE TABLE assessments (
	id {{id}},
	submission_id BIGINT NOT NULL UNIQUE REFERENCES submissions (id) ON DELETE CASCADE,
	status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'done', 'failed')),
	reason TEXT, -- why it failed, or did not come to its end
	asked BOOLEAN NOT NULL DEFAULT FALSE, -- somebody asked for it, so that it is run beside newer work, too
	result_status TEXT, -- where it said the task should go, or where the task was
	report_hash TEXT REFERENCES blobs (hash),
	job_id BIGINT,
	created_at {{instant}} NOT NULL,
	updated_at {{instant}} NOT NULL
);
CREATE INDEX assessments_report ON assessments (report_hash) WHERE report_hash IS NOT NULL;
CREATE INDEX assessments_open ON assessments (job_id) WHERE status IN ('queued', 'running');
ALTER TABLE task_comments ADD COLUMN assessment_id BIGINT REFERENCES assessments (id) ON DELETE SET NULL;
CREATE INDEX task_comments_of_assessment ON task_comments (assessment_id) WHERE assessment_id IS NOT NULL;

-- Who asked for an assessment again, to bound how often.
CREATE TABLE assessment_requests (
	id {{id}},
	user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	at {{instant}} NOT NULL
);
CREATE INDEX assessment_requests_of_user ON assessment_requests (user_id, at);

-- Runs by which convenors try a package out.
CREATE TABLE assessment_trials (
	id {{id}},
	task_definition_id BIGINT NOT NULL REFERENCES task_definitions (id) ON DELETE CASCADE,
	user_id BIGINT NOT NULL REFERENCES users (id),
	status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'done', 'failed')),
	reason TEXT,
	report_hash TEXT REFERENCES blobs (hash),
	job_id BIGINT,
	created_at {{instant}} NOT NULL,
	updated_at {{instant}} NOT NULL
);
CREATE INDEX assessment_trials_of_definition ON assessment_trials (task_definition_id);
CREATE INDEX assessment_trials_of_user ON assessment_trials (user_id);
CREATE INDEX assessment_trials_by_age ON assessment_trials (created_at);
CREATE INDEX assessment_trials_report ON assessment_trials (report_hash) WHERE report_hash IS NOT NULL;

CREATE TABLE assessment_trial_files (
	trial_id BIGINT NOT NULL REFERENCES assessment_trials (id) ON DELETE CASCADE,
	position INTEGER NOT NULL,
	title TEXT NOT NULL, -- the requirement's
	hash TEXT NOT NULL REFERENCES blobs (hash),
	size BIGINT NOT NULL,
	PRIMARY KEY (trial_id, position)
);
CREATE INDEX assessment_trial_files_hash ON assessment_trial_files (hash);
