-- +goose Up
-- What the container engine said when the tests of a submission could not be run, for the staff.
ALTER TABLE assessments ADD COLUMN trouble TEXT;
-- Comments that are the service's own words, and not those of the tutor in whose name they stand.
ALTER TABLE task_comments ADD COLUMN by_service BOOLEAN NOT NULL DEFAULT FALSE;
INSERT INTO schema_programs (schema_version, oldest_program) VALUES (48, 47);

-- +goose Down
DELETE FROM schema_programs WHERE schema_version = 48;
ALTER TABLE task_comments DROP COLUMN by_service;
ALTER TABLE assessments DROP COLUMN trouble;
