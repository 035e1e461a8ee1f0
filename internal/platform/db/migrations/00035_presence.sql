-- +goose Up
-- Who of the staff looks at which task at this moment. A row that is not renewed for
-- a while counts no more, and goes when somebody else arrives anywhere.
CREATE TABLE presences (
	project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
	task_definition_id BIGINT NOT NULL REFERENCES task_definitions (id) ON DELETE CASCADE,
	user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	since {{instant}} NOT NULL,
	seen_at {{instant}} NOT NULL,
	PRIMARY KEY (project_id, task_definition_id, user_id)
);
CREATE INDEX presences_by_age ON presences (seen_at);
CREATE INDEX presences_of_definition ON presences (task_definition_id);
CREATE INDEX presences_of_user ON presences (user_id);

-- +goose Down
DROP TABLE presences;
