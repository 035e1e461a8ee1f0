-- +goose Up
-- What was deleted together with students' work, kept for thirty days so that it
-- can be restored: a task definition, a group set or a group.
CREATE TABLE deletions (
	id {{id}},
	unit_id BIGINT NOT NULL REFERENCES units (id) ON DELETE CASCADE,
	kind TEXT NOT NULL CHECK (kind IN ('task_definition', 'group_set', 'group')),
	record_id BIGINT NOT NULL,               -- its id, which it gets back
	name TEXT NOT NULL,
	group_set_id BIGINT,                     -- the set it needs, to be restored
	user_id BIGINT NOT NULL REFERENCES users (id), -- who deleted it
	students INTEGER NOT NULL,               -- whose work went with it
	at {{instant}} NOT NULL
);
CREATE INDEX deletions_of_unit ON deletions (unit_id, at);
CREATE INDEX deletions_by_age ON deletions (at);
CREATE INDEX deletions_of_user ON deletions (user_id);
CREATE INDEX deletions_of_group_set ON deletions (group_set_id) WHERE group_set_id IS NOT NULL;

-- The rows that went, each as JSON by column, in the order to restore them.
CREATE TABLE deleted_rows (
	deletion_id BIGINT NOT NULL REFERENCES deletions (id) ON DELETE CASCADE,
	position INTEGER NOT NULL,
	table_name TEXT NOT NULL,
	row_id BIGINT,                           -- the id it had, where it had one
	project_id BIGINT REFERENCES projects (id) ON DELETE CASCADE, -- whose work it is; none: nobody's
	shared BOOLEAN NOT NULL DEFAULT FALSE,   -- it is the work of a group
	record TEXT NOT NULL,
	PRIMARY KEY (deletion_id, position)
);
CREATE INDEX deleted_rows_of_project ON deleted_rows (project_id) WHERE project_id IS NOT NULL;
CREATE INDEX deleted_rows_of_record ON deleted_rows (table_name, row_id);

-- The files they refer to, which therefore stay in the store. Those with a project
-- are shown to its student.
CREATE TABLE deleted_files (
	id {{id}},
	deletion_id BIGINT NOT NULL REFERENCES deletions (id) ON DELETE CASCADE,
	project_id BIGINT REFERENCES projects (id) ON DELETE CASCADE,
	shared BOOLEAN NOT NULL DEFAULT FALSE,
	kind TEXT NOT NULL CHECK (kind IN ('submission', 'document', 'marked_copy', 'attachment', 'recording', 'other')),
	task TEXT NOT NULL,                      -- abbreviation of its task
	name TEXT NOT NULL,
	hash TEXT NOT NULL REFERENCES blobs (hash),
	size BIGINT,
	at {{instant}}                           -- when it was handed in, said or marked
);
CREATE INDEX deleted_files_of_deletion ON deleted_files (deletion_id);
CREATE INDEX deleted_files_of_project ON deleted_files (project_id) WHERE project_id IS NOT NULL;
CREATE INDEX deleted_files_hash ON deleted_files (hash);

-- +goose Down
DROP TABLE deleted_files;
DROP TABLE deleted_rows;
DROP TABLE deletions;
