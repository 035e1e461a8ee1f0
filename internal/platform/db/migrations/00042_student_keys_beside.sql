-- +goose Up
-- A task that was made beside a change of its student's name kept the old key: on PostgreSQL
-- neither saw the other. Now the one waits for the other, and what went wrong is put right.
{{student_keys_held}}
UPDATE tasks SET student_key = (SELECT u.name_key FROM projects p JOIN users u ON u.id = p.user_id
	WHERE p.id = tasks.project_id)
WHERE EXISTS (SELECT 1 FROM projects p JOIN users u ON u.id = p.user_id
	WHERE p.id = tasks.project_id AND u.name_key <> tasks.student_key);
