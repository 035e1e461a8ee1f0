-- +goose Up
-- What the staff of a unit note on a student for each other. The student does not see
-- it in the service.
CREATE TABLE staff_notes (
	id {{id}},
	project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
	task_definition_id BIGINT REFERENCES task_definitions (id) ON DELETE SET NULL, -- none: on the student at large
	user_id BIGINT NOT NULL REFERENCES users (id), -- who wrote it
	text TEXT NOT NULL,
	flagged BOOLEAN NOT NULL DEFAULT FALSE, -- somebody should have a second look
	created_at {{instant}} NOT NULL,
	updated_at {{instant}} NOT NULL
);
CREATE INDEX staff_notes_of_project ON staff_notes (project_id, id);
CREATE INDEX staff_notes_of_definition ON staff_notes (task_definition_id) WHERE task_definition_id IS NOT NULL;
CREATE INDEX staff_notes_of_user ON staff_notes (user_id);

-- +goose Down
DROP TABLE staff_notes;
