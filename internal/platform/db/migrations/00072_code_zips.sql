-- +goose Up
-- A zip that is handed in where code is asked for is kept as the files in it: each has its path in the zip as its name.
ALTER TABLE submission_files ADD COLUMN zipped BOOLEAN NOT NULL DEFAULT FALSE;
-- Of files that tests are tried out over, the same: where one stood in the zip it came in, else nothing.
ALTER TABLE assessment_trial_files ADD COLUMN path TEXT NOT NULL DEFAULT '';
INSERT INTO schema_programs (schema_version, oldest_program) VALUES (72, 55);

-- +goose Down
DELETE FROM schema_programs WHERE schema_version = 72;
ALTER TABLE assessment_trial_files DROP COLUMN path;
ALTER TABLE submission_files DROP COLUMN zipped;
