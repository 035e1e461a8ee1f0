-- +goose Up
-- How soon a unit marks is counted task by task: the tasks that were judged lately stand in an index by definition, with
-- all that is asked of them. Who failed a task often is found in that of all tasks.
DROP INDEX tasks_assessed;
CREATE INDEX tasks_assessed ON tasks (task_definition_id, assessment_date, id, group_submission_id)
	WHERE assessment_date IS NOT NULL;
DROP INDEX tasks_of_definition;
CREATE INDEX tasks_of_definition ON tasks
	(task_definition_id, status, project_id, extensions, submission_date, times_assessed, id);
INSERT INTO schema_programs (schema_version, oldest_program) VALUES (70, 55);

-- +goose Down
DELETE FROM schema_programs WHERE schema_version = 70;
DROP INDEX tasks_assessed;
CREATE INDEX tasks_assessed ON tasks (unit_id, assessment_date) WHERE assessment_date IS NOT NULL;
DROP INDEX tasks_of_definition;
CREATE INDEX tasks_of_definition ON tasks (task_definition_id, status, project_id, extensions, submission_date);
