-- +goose Up
-- How soon a unit marks is counted mark by mark: its history knows the task's definition, so that the marks of a unit
-- stand beside each other in an index with all that is asked of them, and need not be found task by task. None: a program
-- wrote it that does not know the column; those rows stand together in the same index.
ALTER TABLE task_history ADD COLUMN task_definition_id BIGINT;
UPDATE task_history SET task_definition_id = (SELECT t.task_definition_id FROM tasks t WHERE t.id = task_history.task_id);
CREATE INDEX task_history_marks ON task_history
	(task_definition_id, at, task_id, id, actor_id, submitted_at, assessed, undoes_after)
	WHERE assessed AND submitted_at IS NOT NULL OR undoes_after IS NOT NULL;
INSERT INTO schema_programs (schema_version, oldest_program) VALUES (73, 55);

-- +goose Down
DELETE FROM schema_programs WHERE schema_version = 73;
DROP INDEX task_history_marks;
ALTER TABLE task_history DROP COLUMN task_definition_id;
