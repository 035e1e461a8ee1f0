-- +goose Up
-- The outside similarity service, as far as all instances must agree on it. There is
-- one row, made when it is first needed.
CREATE TABLE tii_service (
	id BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
	require_eula BOOLEAN NOT NULL DEFAULT TRUE,
	repositories TEXT,              -- what it compares with, separated by commas; none: not known yet
	features_at {{instant}},
	eula_version TEXT,
	eula_html TEXT,
	eula_at {{instant}},
	hook TEXT,                      -- a fingerprint of the address and secret it was given for notifications
	stopped_at {{instant}},         -- since then no call is made: it refused our key
	stopped_key TEXT,               -- a fingerprint of the key it refused
	paused_until {{instant}},       -- no call is made before: it was away, or asked us to wait
	failures INTEGER NOT NULL DEFAULT 0, -- calls in a row that found it away
	free_at {{instant}}             -- when the calls made so far are used up at the agreed pace
);

-- Who accepted the agreement of the service: its latest version they accepted.
CREATE TABLE tii_agreements (
	user_id BIGINT NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
	version TEXT NOT NULL,
	accepted_at {{instant}} NOT NULL,
	service TEXT NOT NULL,          -- its host
	confirmed_at {{instant}}        -- when the service was told; none: not yet
);

-- Tasks as the service knows them, its groups.
CREATE TABLE tii_groups (
	task_definition_id BIGINT NOT NULL PRIMARY KEY REFERENCES task_definitions (id) ON DELETE CASCADE,
	sent TEXT,                      -- a digest of what it was last told; none: nothing yet
	resources_hash TEXT             -- the resources whose documents were last looked at
);

-- Documents of a task's resources, which the service does not hold against those
-- who use them. What loses its task is deleted there, too.
CREATE TABLE tii_group_attachments (
	id {{id}},
	task_definition_id BIGINT REFERENCES task_definitions (id) ON DELETE SET NULL,
	group_id TEXT NOT NULL,         -- at the service
	filename TEXT NOT NULL,         -- its name in the resources
	digest TEXT NOT NULL,           -- SHA-256 of its content
	remote_id TEXT,                 -- at the service; none: it is not there
	status TEXT NOT NULL CHECK (status IN ('pending', 'has_id', 'uploaded', 'complete')),
	removed BOOLEAN NOT NULL DEFAULT FALSE, -- somebody deleted it: it comes back when its content changes
	created_at {{instant}} NOT NULL
);
CREATE UNIQUE INDEX tii_group_attachments_of_task ON tii_group_attachments (task_definition_id, filename);
CREATE INDEX tii_group_attachments_remote ON tii_group_attachments (remote_id) WHERE remote_id IS NOT NULL;
CREATE INDEX tii_group_attachments_lost ON tii_group_attachments (id) WHERE task_definition_id IS NULL;

-- Documents that were handed in and go to the service, or do not, and why. What
-- loses its submission is deleted there, too.
CREATE TABLE tii_submissions (
	id {{id}},
	submission_id BIGINT REFERENCES submissions (id) ON DELETE SET NULL,
	position INTEGER NOT NULL,      -- of the file
	key TEXT NOT NULL,              -- of the upload requirement
	filename TEXT NOT NULL,
	threshold INTEGER NOT NULL,     -- percent; more is to be looked at
	owner_id BIGINT NOT NULL REFERENCES users (id),  -- whose work it is
	sender_id BIGINT NOT NULL REFERENCES users (id), -- who handed it in and agreed, or did not
	service TEXT NOT NULL,          -- its host
	status TEXT NOT NULL CHECK (status IN ('created', 'has_id', 'uploaded', 'submission_complete',
		'similarity_report_requested', 'similarity_report_complete', 'similarity_pdf_requested',
		'similarity_pdf_downloaded', 'complete_low_similarity', 'declined', 'superseded', 'deleted')),
	remote_id TEXT,                 -- at the service; none: it is not there
	pdf_id TEXT,                    -- of the report, at the service
	pct INTEGER,
	sent_at {{instant}},            -- when its content was sent; none: it was not
	forget BOOLEAN NOT NULL DEFAULT FALSE, -- it is to be deleted at the service
	created_at {{instant}} NOT NULL,
	UNIQUE (submission_id, position)
);
CREATE INDEX tii_submissions_remote ON tii_submissions (remote_id) WHERE remote_id IS NOT NULL;
CREATE INDEX tii_submissions_pdf ON tii_submissions (pdf_id) WHERE pdf_id IS NOT NULL;
CREATE INDEX tii_submissions_of_owner ON tii_submissions (owner_id);
CREATE INDEX tii_submissions_of_sender ON tii_submissions (sender_id);
CREATE INDEX tii_submissions_lost ON tii_submissions (id) WHERE submission_id IS NULL OR forget;

-- What is to be done at the service, each with a job while it waits. There is one
-- row per type and subject.
CREATE TABLE tii_actions (
	id {{id}},
	type TEXT NOT NULL,
	subject TEXT NOT NULL,
	unit_id BIGINT REFERENCES units (id) ON DELETE CASCADE,
	user_id BIGINT REFERENCES users (id) ON DELETE CASCADE,
	task_definition_id BIGINT REFERENCES task_definitions (id) ON DELETE CASCADE,
	attachment_id BIGINT REFERENCES tii_group_attachments (id) ON DELETE CASCADE,
	tii_submission_id BIGINT REFERENCES tii_submissions (id) ON DELETE CASCADE,
	params TEXT NOT NULL DEFAULT '', -- ids at the service, of what is to be deleted there
	complete BOOLEAN NOT NULL DEFAULT FALSE,
	retry BOOLEAN NOT NULL DEFAULT TRUE, -- it waits to be run, or runs
	retries INTEGER NOT NULL DEFAULT 0,  -- tries since something was last achieved
	nudged BOOLEAN NOT NULL DEFAULT FALSE, -- there is news since the last run began
	error_code TEXT,
	error_message TEXT,
	last_run {{instant}},
	next_run {{instant}},
	progress_at {{instant}} NOT NULL,    -- when something was last achieved
	created_at {{instant}} NOT NULL,
	updated_at {{instant}} NOT NULL,
	UNIQUE (type, subject)
);
CREATE INDEX tii_actions_by_time ON tii_actions (updated_at, id);
CREATE INDEX tii_actions_open ON tii_actions (updated_at, id) WHERE NOT complete;
CREATE INDEX tii_actions_of_unit ON tii_actions (unit_id, updated_at, id);
CREATE INDEX tii_actions_of_user ON tii_actions (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX tii_actions_of_definition ON tii_actions (task_definition_id) WHERE task_definition_id IS NOT NULL;
CREATE INDEX tii_actions_of_attachment ON tii_actions (attachment_id) WHERE attachment_id IS NOT NULL;
CREATE INDEX tii_actions_of_submission ON tii_actions (tii_submission_id) WHERE tii_submission_id IS NOT NULL;

CREATE TABLE tii_action_log (
	id {{id}},
	action_id BIGINT NOT NULL REFERENCES tii_actions (id) ON DELETE CASCADE,
	at {{instant}} NOT NULL,
	message TEXT NOT NULL
);
CREATE INDEX tii_action_log_of_action ON tii_action_log (action_id, id);
