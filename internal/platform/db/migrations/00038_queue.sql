-- +goose Up
-- What waits for the staff of a unit, in the order of its queue: work to judge before
-- what only has new comments, the oldest first. A page of the queue is read off it.
CREATE INDEX tasks_waiting ON tasks (
	unit_id,
	(CASE WHEN status IN ('need_help', 'ready_for_feedback') THEN 1 ELSE 2 END),
	(coalesce(submission_date, updated_at)),
	id, project_id, task_definition_id, group_submission_id, new_to_staff, status
) WHERE status IN ('need_help', 'ready_for_feedback') OR new_to_staff > 0;
CREATE INDEX projects_withdrawn ON projects (unit_id) WHERE NOT enrolled;

-- +goose Down
DROP INDEX projects_withdrawn;
DROP INDEX tasks_waiting;
