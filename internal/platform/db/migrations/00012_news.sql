-- +goose Up
-- What is new on a task is counted where it changes, so that lists need not go
-- through comments. A nightly job checks the numbers.
ALTER TABLE tasks ADD COLUMN new_to_staff INTEGER NOT NULL DEFAULT 0;   -- comments without staff_read_at, no statuses
ALTER TABLE tasks ADD COLUMN new_to_student INTEGER NOT NULL DEFAULT 0; -- comments its student has not read, no statuses
CREATE INDEX tasks_new_to_staff ON tasks (unit_id) WHERE new_to_staff > 0;

-- How many of the comments that are new to the staff somebody other than the
-- task's student has read for themselves.
CREATE TABLE news_seen (
	task_id BIGINT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
	user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	comments INTEGER NOT NULL,
	PRIMARY KEY (task_id, user_id)
);
CREATE INDEX news_seen_of_user ON news_seen (user_id);

UPDATE tasks SET
	new_to_staff = (SELECT count(*) FROM task_comments c WHERE c.unit_id = tasks.unit_id AND c.task_id = tasks.id
		AND c.staff_read_at IS NULL AND c.type <> 'status'),
	new_to_student = (SELECT count(*) FROM task_comments c JOIN projects p ON p.id = tasks.project_id
		WHERE c.task_id = tasks.id AND c.type <> 'status' AND NOT EXISTS (SELECT 1 FROM comment_reads r
			WHERE r.task_comment_id = c.id AND r.user_id = p.user_id));
INSERT INTO news_seen (task_id, user_id, comments)
	SELECT c.task_id, r.user_id, count(*) FROM task_comments c JOIN comment_reads r ON r.task_comment_id = c.id
		JOIN tasks t ON t.id = c.task_id JOIN projects p ON p.id = t.project_id
	WHERE c.staff_read_at IS NULL AND c.type <> 'status' AND r.user_id <> p.user_id GROUP BY c.task_id, r.user_id;
