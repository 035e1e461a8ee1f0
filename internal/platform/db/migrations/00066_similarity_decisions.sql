-- +goose Up
-- What a person decided on a similarity beside whether it is still flagged, and why. A decision of an
-- older program, which knows the flag alone, has neither.
ALTER TABLE task_similarities ADD COLUMN decision TEXT CHECK (decision IN ('not_a_concern', 'asked', 'reported'));
ALTER TABLE task_similarities ADD COLUMN reason TEXT;
-- All cases of a unit are found by its projects, those that are no longer flagged as well.
CREATE INDEX task_similarities_in_project ON task_similarities (project_id);
INSERT INTO schema_programs (schema_version, oldest_program) VALUES (66, 55);

-- +goose Down
DELETE FROM schema_programs WHERE schema_version = 66;
DROP INDEX task_similarities_in_project;
ALTER TABLE task_similarities DROP COLUMN reason;
ALTER TABLE task_similarities DROP COLUMN decision;
