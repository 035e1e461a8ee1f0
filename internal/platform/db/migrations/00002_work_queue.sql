-- +goose Up
-- Stored files, jobs and events: what every other part leans on.
CREATE TABLE blobs (
	hash TEXT NOT NULL PRIMARY KEY,
	size BIGINT NOT NULL,
	touched_at {{instant}} NOT NULL
);
CREATE INDEX blobs_by_touch ON blobs (touched_at);

CREATE TABLE jobs (
	id {{id}},
	kind TEXT NOT NULL,
	args TEXT NOT NULL,
	unique_key TEXT,
	state TEXT NOT NULL DEFAULT 'available' CHECK (state IN ('available', 'running', 'done', 'dead')),
	attempt INTEGER NOT NULL DEFAULT 0,
	max_attempts INTEGER NOT NULL,
	run_at {{instant}} NOT NULL,
	lease_until {{instant}},
	worker TEXT,
	error TEXT,
	created_at {{instant}} NOT NULL,
	finished_at {{instant}}
);
CREATE INDEX jobs_to_run ON jobs (kind, run_at, id) WHERE state = 'available';
CREATE INDEX jobs_leased ON jobs (lease_until) WHERE state = 'running';
CREATE INDEX jobs_done ON jobs (finished_at) WHERE state = 'done';
CREATE INDEX jobs_by_state ON jobs (state, id);
CREATE UNIQUE INDEX jobs_unique ON jobs (unique_key) WHERE state IN ('available', 'running');

-- The last moment of each periodic job that was turned into a job: whoever
-- moves it on, enqueues.
CREATE TABLE job_schedules (
	name TEXT NOT NULL PRIMARY KEY,
	due_at {{instant}} NOT NULL
);

-- Events are written in the transaction of the change they tell of; seq is
-- given after the commit, by one relay at a time, so that a reader who has seen
-- number n can never meet a smaller one later.
CREATE TABLE events (
	id {{id}},
	seq BIGINT UNIQUE,
	kind TEXT NOT NULL,
	at {{instant}} NOT NULL,
	actor_id BIGINT,
	user_id BIGINT,    -- the student it concerns, who hears of it
	unit_id BIGINT,    -- the unit whose staff hear of it
	project_id BIGINT,
	task_id BIGINT,
	body TEXT NOT NULL
);
CREATE INDEX events_unnumbered ON events (id) WHERE seq IS NULL;
CREATE INDEX events_of_user ON events (user_id, seq);
CREATE INDEX events_of_unit ON events (unit_id, seq);
CREATE INDEX events_by_time ON events (at);
