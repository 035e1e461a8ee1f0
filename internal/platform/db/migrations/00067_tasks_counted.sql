-- +goose Up
-- The charts of a unit count all its tasks: an index by definition that holds what they need spares the rows themselves.
DROP INDEX tasks_of_definition;
CREATE INDEX tasks_of_definition ON tasks (task_definition_id, status, project_id, extensions, submission_date);
INSERT INTO schema_programs (schema_version, oldest_program) VALUES (67, 55);

-- +goose Down
DELETE FROM schema_programs WHERE schema_version = 67;
DROP INDEX tasks_of_definition;
CREATE INDEX tasks_of_definition ON tasks (task_definition_id);
