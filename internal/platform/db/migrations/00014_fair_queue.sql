-- +goose Up
-- Jobs of a fair kind take turns: units do, and inside a unit people do. A job
-- whose moment has come gets a turn, a number among the jobs of its unit; the
-- smallest is run first. Of other kinds, and before its moment, it has none.
ALTER TABLE jobs ADD COLUMN unit_key BIGINT NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN person_key BIGINT NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN turn BIGINT;
ALTER TABLE jobs ADD COLUMN started_at {{instant}}; -- when its first try began
DROP INDEX jobs_to_run;
CREATE INDEX jobs_to_run ON jobs (kind, run_at, id) WHERE state = 'available' AND turn IS NULL;
CREATE INDEX jobs_in_turn ON jobs (kind, unit_key, turn, id) WHERE state = 'available' AND turn IS NOT NULL;
-- The person comes first, so that no engine takes it for the index above.
CREATE INDEX jobs_of_person ON jobs (person_key, unit_key, kind, turn) WHERE state = 'available' AND turn IS NOT NULL;
CREATE INDEX jobs_of_unit ON jobs (unit_key, id) WHERE unit_key <> 0;

-- The units that have jobs with a turn: served orders them, the smallest is
-- next, and turn is that of the unit's last job that was begun.
CREATE TABLE job_units (
	kind TEXT NOT NULL,
	unit_key BIGINT NOT NULL,
	served BIGINT NOT NULL,
	turn BIGINT NOT NULL,
	PRIMARY KEY (kind, unit_key)
);
CREATE INDEX job_units_next ON job_units (kind, served, unit_key);
