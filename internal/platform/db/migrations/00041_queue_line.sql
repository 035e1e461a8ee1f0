-- +goose Up
-- The line of a unit is what awaits feedback and was handed in by one student alone: of all
-- that waits, nearly everything. It stands in an index for each order of the inbox, with all
-- that is asked of it, so that it is counted and walked without looking at the tasks.
-- tasks_apart has what waits besides: works of groups, what was never handed in, and what
-- only has new comments.
DROP INDEX tasks_waiting;
-- Most tasks are nobody's but the student's: an index that held them all would be taken for
-- finding those.
DROP INDEX tasks_of_group_submission;
CREATE INDEX tasks_of_group_submission ON tasks (group_submission_id) WHERE group_submission_id IS NOT NULL;
{{student_keys}}
CREATE INDEX tasks_line ON tasks (unit_id, submission_date, task_definition_id, id, status, group_submission_id)
	WHERE status IN ('need_help', 'ready_for_feedback') AND submission_date IS NOT NULL
		AND group_submission_id IS NULL;
CREATE INDEX tasks_line_by_task ON tasks (unit_id, task_definition_id, submission_date, id, status, group_submission_id)
	WHERE status IN ('need_help', 'ready_for_feedback') AND submission_date IS NOT NULL
		AND group_submission_id IS NULL;
CREATE INDEX tasks_line_by_student ON tasks
	(unit_id, student_key, submission_date, task_definition_id, id, status, group_submission_id)
	WHERE status IN ('need_help', 'ready_for_feedback') AND submission_date IS NOT NULL
		AND group_submission_id IS NULL;
CREATE INDEX tasks_line_of_project ON tasks (project_id)
	WHERE status IN ('need_help', 'ready_for_feedback') AND submission_date IS NOT NULL
		AND group_submission_id IS NULL;
CREATE INDEX tasks_apart ON tasks (unit_id)
	WHERE (status IN ('need_help', 'ready_for_feedback') OR new_to_staff > 0)
		AND (status NOT IN ('need_help', 'ready_for_feedback') OR submission_date IS NULL
			OR group_submission_id IS NOT NULL);
