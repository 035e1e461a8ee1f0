-- +goose Up
-- The teaching calendar, units and the people in them.
CREATE TABLE campuses (
	id {{id}},
	name TEXT NOT NULL UNIQUE,
	mode TEXT NOT NULL CHECK (mode IN ('timetable', 'automatic', 'manual')),
	abbreviation TEXT NOT NULL UNIQUE,
	active BOOLEAN NOT NULL
);

CREATE TABLE activity_types (
	id {{id}},
	name TEXT NOT NULL UNIQUE,
	abbreviation TEXT NOT NULL UNIQUE
);

CREATE TABLE teaching_periods (
	id {{id}},
	period TEXT NOT NULL,
	year INTEGER NOT NULL CHECK (year BETWEEN 2000 AND 2999),
	start_date {{instant}} NOT NULL,
	end_date {{instant}} NOT NULL,
	active_until {{instant}} NOT NULL,
	UNIQUE (period, year),
	CHECK (end_date >= start_date),
	CHECK (active_until >= end_date)
);

CREATE TABLE breaks (
	id {{id}},
	teaching_period_id BIGINT NOT NULL REFERENCES teaching_periods (id) ON DELETE CASCADE,
	start_date {{date}} NOT NULL,
	number_of_weeks INTEGER NOT NULL CHECK (number_of_weeks >= 1),
	UNIQUE (teaching_period_id, start_date)
);

CREATE TABLE overseer_images (
	id {{id}},
	name TEXT NOT NULL UNIQUE,
	tag TEXT NOT NULL UNIQUE,
	pulled_image_status TEXT,
	last_pulled_date {{instant}},
	pulled_image_text TEXT
);

CREATE TABLE units (
	id {{id}},
	code TEXT NOT NULL,
	name TEXT NOT NULL,
	description TEXT NOT NULL,
	teaching_period_id BIGINT REFERENCES teaching_periods (id),
	start_date {{date}} NOT NULL,
	end_date {{date}} NOT NULL,
	active BOOLEAN NOT NULL DEFAULT TRUE,
	portfolio_auto_generation_date {{date}},
	overseer_image_id BIGINT REFERENCES overseer_images (id),
	assessment_enabled BOOLEAN NOT NULL DEFAULT TRUE,
	auto_apply_extension_before_deadline BOOLEAN NOT NULL DEFAULT TRUE,
	send_notifications BOOLEAN NOT NULL DEFAULT TRUE,
	enable_sync_timetable BOOLEAN NOT NULL DEFAULT TRUE,
	enable_sync_enrolments BOOLEAN NOT NULL DEFAULT TRUE,
	allow_student_extension_requests BOOLEAN NOT NULL DEFAULT TRUE,
	extension_weeks_on_resubmit_request INTEGER NOT NULL DEFAULT 1 CHECK (extension_weeks_on_resubmit_request >= 0),
	allow_student_change_tutorial BOOLEAN NOT NULL DEFAULT TRUE,
	time_zone TEXT,
	created_at {{instant}} NOT NULL,
	updated_at {{instant}} NOT NULL,
	UNIQUE (teaching_period_id, code),
	CHECK (end_date >= start_date)
);

-- One role a person in a unit; at most one of them is the main convenor.
CREATE TABLE unit_roles (
	id {{id}},
	unit_id BIGINT NOT NULL REFERENCES units (id) ON DELETE CASCADE,
	user_id BIGINT NOT NULL REFERENCES users (id),
	role INTEGER NOT NULL CHECK (role IN (2, 3)),
	is_main BOOLEAN NOT NULL DEFAULT FALSE,
	created_at {{instant}} NOT NULL,
	updated_at {{instant}} NOT NULL,
	UNIQUE (unit_id, user_id),
	CHECK (role = 3 OR NOT is_main)
);
CREATE INDEX unit_roles_of_user ON unit_roles (user_id);
CREATE UNIQUE INDEX unit_roles_main ON unit_roles (unit_id) WHERE is_main;

CREATE TABLE learning_outcomes (
	id {{id}},
	unit_id BIGINT NOT NULL REFERENCES units (id) ON DELETE CASCADE,
	ilo_number INTEGER NOT NULL,
	abbreviation TEXT NOT NULL,
	name TEXT NOT NULL,
	description TEXT NOT NULL,
	UNIQUE (unit_id, abbreviation)
);

CREATE TABLE tutorial_streams (
	id {{id}},
	unit_id BIGINT NOT NULL REFERENCES units (id) ON DELETE CASCADE,
	name TEXT NOT NULL,
	abbreviation TEXT NOT NULL,
	activity_type_id BIGINT NOT NULL REFERENCES activity_types (id),
	UNIQUE (unit_id, name),
	UNIQUE (unit_id, abbreviation)
);

CREATE TABLE tutorials (
	id {{id}},
	unit_id BIGINT NOT NULL REFERENCES units (id) ON DELETE CASCADE,
	unit_role_id BIGINT REFERENCES unit_roles (id) ON DELETE SET NULL,
	campus_id BIGINT REFERENCES campuses (id),
	tutorial_stream_id BIGINT REFERENCES tutorial_streams (id) ON DELETE CASCADE,
	abbreviation TEXT NOT NULL,
	meeting_day TEXT NOT NULL,
	meeting_time TEXT NOT NULL,
	meeting_location TEXT NOT NULL,
	capacity INTEGER NOT NULL DEFAULT -1, -- 0 and below: no limit
	UNIQUE (unit_id, abbreviation)
);
CREATE INDEX tutorials_of_role ON tutorials (unit_role_id);
CREATE INDEX tutorials_of_stream ON tutorials (tutorial_stream_id);

CREATE TABLE projects (
	id {{id}},
	unit_id BIGINT NOT NULL REFERENCES units (id) ON DELETE CASCADE,
	user_id BIGINT NOT NULL REFERENCES users (id),
	campus_id BIGINT REFERENCES campuses (id),
	enrolled BOOLEAN NOT NULL DEFAULT TRUE,
	target_grade INTEGER NOT NULL DEFAULT 0 CHECK (target_grade BETWEEN 0 AND 3),
	submitted_grade INTEGER CHECK (submitted_grade BETWEEN 0 AND 3),
	grade INTEGER NOT NULL DEFAULT 0 CHECK (grade BETWEEN 0 AND 100),
	grade_rationale TEXT,
	compile_portfolio BOOLEAN NOT NULL DEFAULT FALSE,
	portfolio_hash TEXT REFERENCES blobs (hash),
	portfolio_produced_at {{instant}},
	portfolio_auto_generated BOOLEAN NOT NULL DEFAULT FALSE,
	uses_draft_learning_summary BOOLEAN NOT NULL DEFAULT FALSE,
	red_pct {{real}} NOT NULL DEFAULT 0,
	grey_pct {{real}} NOT NULL DEFAULT 1,
	orange_pct {{real}} NOT NULL DEFAULT 0,
	blue_pct {{real}} NOT NULL DEFAULT 0,
	green_pct {{real}} NOT NULL DEFAULT 0,
	order_scale {{real}} NOT NULL DEFAULT 0,
	created_at {{instant}} NOT NULL,
	updated_at {{instant}} NOT NULL,
	UNIQUE (unit_id, user_id)
);
CREATE INDEX projects_of_user ON projects (user_id);
CREATE INDEX projects_portfolio ON projects (portfolio_hash) WHERE portfolio_hash IS NOT NULL;

-- At most one enrolment a stream; the code keeps a streamless one alone.
CREATE TABLE tutorial_enrolments (
	id {{id}},
	project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
	tutorial_id BIGINT NOT NULL REFERENCES tutorials (id) ON DELETE CASCADE,
	tutorial_stream_id BIGINT REFERENCES tutorial_streams (id) ON DELETE CASCADE,
	UNIQUE (project_id, tutorial_id)
);
CREATE UNIQUE INDEX tutorial_enrolments_a_stream ON tutorial_enrolments (project_id, coalesce(tutorial_stream_id, 0));
CREATE INDEX tutorial_enrolments_of_tutorial ON tutorial_enrolments (tutorial_id);
CREATE INDEX tutorial_enrolments_of_stream ON tutorial_enrolments (tutorial_stream_id);

CREATE TABLE group_sets (
	id {{id}},
	unit_id BIGINT NOT NULL REFERENCES units (id) ON DELETE CASCADE,
	name TEXT NOT NULL,
	allow_students_to_create_groups BOOLEAN NOT NULL DEFAULT TRUE,
	allow_students_to_manage_groups BOOLEAN NOT NULL DEFAULT TRUE,
	keep_groups_in_same_class BOOLEAN NOT NULL DEFAULT FALSE,
	capacity INTEGER CHECK (capacity >= 2),
	locked BOOLEAN NOT NULL DEFAULT FALSE,
	UNIQUE (unit_id, name)
);

CREATE TABLE unit_groups (
	id {{id}},
	group_set_id BIGINT NOT NULL REFERENCES group_sets (id) ON DELETE CASCADE,
	tutorial_id BIGINT NOT NULL REFERENCES tutorials (id),
	name TEXT NOT NULL,
	capacity_adjustment INTEGER NOT NULL DEFAULT 0,
	locked BOOLEAN NOT NULL DEFAULT FALSE,
	UNIQUE (group_set_id, name)
);
CREATE INDEX unit_groups_of_tutorial ON unit_groups (tutorial_id);

CREATE TABLE group_memberships (
	id {{id}},
	group_set_id BIGINT NOT NULL REFERENCES group_sets (id) ON DELETE CASCADE,
	unit_group_id BIGINT NOT NULL REFERENCES unit_groups (id) ON DELETE CASCADE,
	project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
	active BOOLEAN NOT NULL DEFAULT TRUE,
	UNIQUE (group_set_id, project_id)
);
CREATE INDEX group_memberships_of_group ON group_memberships (unit_group_id);
CREATE INDEX group_memberships_of_project ON group_memberships (project_id);
