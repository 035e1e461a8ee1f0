-- +goose Up
-- When a student last handed in, moved a task of theirs or said something on one.
-- Whatever writes such a thing keeps it; it never goes back.
ALTER TABLE projects ADD COLUMN last_active_at {{instant}};
UPDATE projects SET last_active_at = (SELECT max(a.at) FROM (
		SELECT h.at FROM tasks t JOIN task_history h ON h.task_id = t.id AND h.actor_id = projects.user_id
			WHERE t.project_id = projects.id
		UNION ALL SELECT c.created_at FROM tasks t JOIN task_comments c ON c.task_id = t.id
			AND c.user_id = projects.user_id WHERE t.project_id = projects.id) a);

-- Who looks at a project as its student does: for a while, and no longer than the
-- session it was begun in.
CREATE TABLE student_views (
	id {{id}},
	session_id BIGINT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
	project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
	started_at {{instant}} NOT NULL,
	expires_at {{instant}} NOT NULL
);
CREATE INDEX student_views_of_session ON student_views (session_id);
CREATE INDEX student_views_of_project ON student_views (project_id);
CREATE INDEX student_views_expiry ON student_views (expires_at);
