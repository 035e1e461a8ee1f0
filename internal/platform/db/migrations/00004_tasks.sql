-- +goose Up
-- What students do: definitions, tasks, their history, comments.
CREATE TABLE task_definitions (
	id {{id}},
	unit_id BIGINT NOT NULL REFERENCES units (id) ON DELETE CASCADE,
	name TEXT NOT NULL,
	abbreviation TEXT NOT NULL,
	description TEXT NOT NULL,
	weighting INTEGER NOT NULL,
	target_grade INTEGER NOT NULL CHECK (target_grade BETWEEN 0 AND 3),
	start_date {{date}} NOT NULL,
	target_date {{date}} NOT NULL,
	due_date {{date}}, -- none: the unit's end
	upload_requirements TEXT NOT NULL DEFAULT '[]',
	plagiarism_checks TEXT NOT NULL DEFAULT '[]',
	plagiarism_warn_pct INTEGER NOT NULL DEFAULT 50,
	moss_language TEXT,
	restrict_status_updates BOOLEAN NOT NULL DEFAULT FALSE,
	group_set_id BIGINT REFERENCES group_sets (id),
	tutorial_stream_id BIGINT REFERENCES tutorial_streams (id),
	is_graded BOOLEAN NOT NULL DEFAULT FALSE,
	max_quality_pts INTEGER NOT NULL DEFAULT 0 CHECK (max_quality_pts BETWEEN 0 AND 100),
	assessment_enabled BOOLEAN NOT NULL DEFAULT FALSE,
	overseer_image_id BIGINT REFERENCES overseer_images (id),
	is_draft_summary BOOLEAN NOT NULL DEFAULT FALSE,
	sheet_hash TEXT REFERENCES blobs (hash),
	resources_hash TEXT REFERENCES blobs (hash),
	assessment_hash TEXT REFERENCES blobs (hash),
	UNIQUE (unit_id, name),
	UNIQUE (unit_id, abbreviation),
	CHECK (target_date >= start_date),
	CHECK (due_date >= target_date)
);
CREATE UNIQUE INDEX task_definitions_draft ON task_definitions (unit_id) WHERE is_draft_summary;
CREATE INDEX task_definitions_of_stream ON task_definitions (tutorial_stream_id);
CREATE INDEX task_definitions_of_group_set ON task_definitions (group_set_id);
CREATE INDEX task_definitions_sheet ON task_definitions (sheet_hash) WHERE sheet_hash IS NOT NULL;
CREATE INDEX task_definitions_resources ON task_definitions (resources_hash) WHERE resources_hash IS NOT NULL;
CREATE INDEX task_definitions_assessment ON task_definitions (assessment_hash) WHERE assessment_hash IS NOT NULL;

CREATE TABLE group_submissions (
	id {{id}},
	unit_group_id BIGINT NOT NULL REFERENCES unit_groups (id),
	task_definition_id BIGINT NOT NULL REFERENCES task_definitions (id) ON DELETE CASCADE,
	submitted_by_project_id BIGINT NOT NULL REFERENCES projects (id),
	created_at {{instant}} NOT NULL
);
CREATE INDEX group_submissions_of_group ON group_submissions (unit_group_id, task_definition_id);

CREATE TABLE tasks (
	id {{id}},
	project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
	task_definition_id BIGINT NOT NULL REFERENCES task_definitions (id) ON DELETE CASCADE,
	unit_id BIGINT NOT NULL REFERENCES units (id) ON DELETE CASCADE, -- the project's, for the inbox's index
	status TEXT NOT NULL DEFAULT 'not_started',
	completion_date {{date}},
	submission_date {{instant}},
	assessment_date {{instant}},
	file_uploaded_at {{instant}},
	times_assessed INTEGER NOT NULL DEFAULT 0,
	grade INTEGER CHECK (grade BETWEEN -1 AND 3),
	failed_for_lateness BOOLEAN NOT NULL DEFAULT FALSE, -- grade -1 was given by the clock, not a person
	quality_pts INTEGER NOT NULL DEFAULT -1,
	extensions INTEGER NOT NULL DEFAULT 0 CHECK (extensions >= 0),
	include_in_portfolio BOOLEAN NOT NULL DEFAULT TRUE,
	group_submission_id BIGINT REFERENCES group_submissions (id),
	contribution_pct INTEGER NOT NULL DEFAULT 100,
	contribution_pts INTEGER NOT NULL DEFAULT 3,
	version BIGINT NOT NULL DEFAULT 1, -- counts every change, for marking offline
	created_at {{instant}} NOT NULL,
	updated_at {{instant}} NOT NULL,
	UNIQUE (project_id, task_definition_id)
);
CREATE INDEX tasks_of_definition ON tasks (task_definition_id);
CREATE INDEX tasks_of_unit ON tasks (unit_id, status);
CREATE INDEX tasks_of_group_submission ON tasks (group_submission_id);

-- Every move of a task, appended and never changed.
CREATE TABLE task_history (
	id {{id}},
	task_id BIGINT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
	at {{instant}} NOT NULL,
	actor_id BIGINT NOT NULL REFERENCES users (id),
	from_status TEXT NOT NULL,
	to_status TEXT NOT NULL,
	assessed BOOLEAN NOT NULL DEFAULT FALSE, -- a person of the staff judged the work
	submitted_at {{instant}},
	grade INTEGER,
	quality_pts INTEGER
);
CREATE INDEX task_history_of_task ON task_history (task_id, at);
CREATE INDEX task_history_of_actor ON task_history (actor_id, at);

CREATE TABLE learning_outcome_links (
	id {{id}},
	task_definition_id BIGINT NOT NULL REFERENCES task_definitions (id) ON DELETE CASCADE,
	learning_outcome_id BIGINT NOT NULL REFERENCES learning_outcomes (id) ON DELETE CASCADE,
	task_id BIGINT REFERENCES tasks (id) ON DELETE CASCADE, -- none: the unit's own
	rating INTEGER NOT NULL CHECK (rating BETWEEN 1 AND 5),
	description TEXT NOT NULL
);
CREATE UNIQUE INDEX learning_outcome_links_once ON learning_outcome_links (task_definition_id, learning_outcome_id, coalesce(task_id, 0));
CREATE INDEX learning_outcome_links_of_outcome ON learning_outcome_links (learning_outcome_id);
CREATE INDEX learning_outcome_links_of_task ON learning_outcome_links (task_id);

CREATE TABLE task_comments (
	id {{id}},
	task_id BIGINT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
	unit_id BIGINT NOT NULL REFERENCES units (id) ON DELETE CASCADE, -- the task's, for the inbox's index
	user_id BIGINT NOT NULL REFERENCES users (id),
	recipient_id BIGINT NOT NULL REFERENCES users (id),
	type TEXT NOT NULL,
	comment TEXT NOT NULL,
	reply_to_id BIGINT REFERENCES task_comments (id) ON DELETE SET NULL,
	created_at {{instant}} NOT NULL,
	staff_read_at {{instant}}, -- the student's own tutor wrote or read it: no longer new for any of the staff
	attachment_hash TEXT REFERENCES blobs (hash),
	attachment_type TEXT,
	attachment_size BIGINT,
	status TEXT,               -- type status: the status reached
	extension_weeks INTEGER,   -- type extension
	extension_granted BOOLEAN,
	extension_response TEXT,
	extension_assessed_at {{instant}},
	assessor_id BIGINT REFERENCES users (id),
	number_of_prompts INTEGER, -- type discussion
	discussion_started_at {{instant}},
	discussion_completed_at {{instant}}
);
CREATE INDEX task_comments_of_task ON task_comments (task_id, created_at);
CREATE INDEX task_comments_unread ON task_comments (unit_id, task_id) WHERE staff_read_at IS NULL AND type <> 'status';
CREATE INDEX task_comments_undecided ON task_comments (task_id) WHERE type = 'extension' AND extension_assessed_at IS NULL;
CREATE INDEX task_comments_attachment ON task_comments (attachment_hash) WHERE attachment_hash IS NOT NULL;

-- The recordings of a discussion: prompts from 0 on, the reply is -1.
CREATE TABLE discussion_files (
	task_comment_id BIGINT NOT NULL REFERENCES task_comments (id) ON DELETE CASCADE,
	number INTEGER NOT NULL,
	hash TEXT NOT NULL REFERENCES blobs (hash),
	content_type TEXT NOT NULL,
	size BIGINT NOT NULL,
	PRIMARY KEY (task_comment_id, number)
);
CREATE INDEX discussion_files_hash ON discussion_files (hash);

CREATE TABLE comment_reads (
	task_comment_id BIGINT NOT NULL REFERENCES task_comments (id) ON DELETE CASCADE,
	user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	read_at {{instant}} NOT NULL,
	PRIMARY KEY (task_comment_id, user_id)
);

CREATE TABLE task_pins (
	task_id BIGINT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
	user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	PRIMARY KEY (task_id, user_id)
);
CREATE INDEX task_pins_of_user ON task_pins (user_id);
