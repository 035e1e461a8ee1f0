-- +goose Up
-- Reusable comments: texts that the staff write once and use again. Those without a
-- unit are their author's own, in every unit; the others are the unit's.
CREATE TABLE snippets (
	id {{id}},
	user_id BIGINT NOT NULL REFERENCES users (id),
	unit_id BIGINT REFERENCES units (id) ON DELETE CASCADE,
	task_definition_id BIGINT REFERENCES task_definitions (id) ON DELETE SET NULL, -- none: for every task
	text TEXT NOT NULL,
	text_key TEXT NOT NULL, -- how it begins, in small letters
	created_at {{instant}} NOT NULL,
	updated_at {{instant}} NOT NULL
);
CREATE INDEX snippets_of_user ON snippets (user_id, unit_id);
CREATE INDEX snippets_of_unit ON snippets (unit_id) WHERE unit_id IS NOT NULL;
CREATE INDEX snippets_of_definition ON snippets (task_definition_id) WHERE task_definition_id IS NOT NULL;

-- How often each was used on a task.
CREATE TABLE snippet_uses (
	snippet_id BIGINT NOT NULL REFERENCES snippets (id) ON DELETE CASCADE,
	task_definition_id BIGINT NOT NULL REFERENCES task_definitions (id) ON DELETE CASCADE,
	uses BIGINT NOT NULL,
	PRIMARY KEY (snippet_id, task_definition_id)
);
CREATE INDEX snippet_uses_of_definition ON snippet_uses (task_definition_id);

-- +goose Down
DROP TABLE snippet_uses;
DROP TABLE snippets;
