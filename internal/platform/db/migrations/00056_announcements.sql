-- +goose Up
-- What a convenor writes to the students of a unit: to all, to a tutorial or to a selection of them.
CREATE TABLE announcements (
	id {{id}},
	unit_id BIGINT NOT NULL REFERENCES units (id) ON DELETE CASCADE,
	user_id BIGINT NOT NULL REFERENCES users (id), -- who wrote it
	audience TEXT NOT NULL CHECK (audience IN ('all', 'tutorial', 'selection')),
	tutorial_id BIGINT REFERENCES tutorials (id) ON DELETE SET NULL,
	tutorial_name TEXT, -- as it was called when it was sent
	title TEXT NOT NULL,
	text TEXT NOT NULL,
	recipients INTEGER NOT NULL, -- how many it was sent to
	key TEXT, -- makes a repeated request the same announcement
	created_at {{instant}} NOT NULL
);
CREATE INDEX announcements_of_unit ON announcements (unit_id, id);
CREATE INDEX announcements_of_writer ON announcements (user_id);
CREATE INDEX announcements_of_tutorial ON announcements (tutorial_id) WHERE tutorial_id IS NOT NULL;
CREATE UNIQUE INDEX announcements_key ON announcements (unit_id, user_id, key) WHERE key IS NOT NULL;

-- Whom it was sent to, one copy each.
CREATE TABLE announcement_recipients (
	announcement_id BIGINT NOT NULL REFERENCES announcements (id) ON DELETE CASCADE,
	project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
	PRIMARY KEY (announcement_id, project_id)
);
CREATE INDEX announcement_recipients_of_project ON announcement_recipients (project_id, announcement_id);

ALTER TABLE users ADD COLUMN receive_announcement_notifications BOOLEAN NOT NULL DEFAULT TRUE;
INSERT INTO schema_programs (schema_version, oldest_program) VALUES (56, 55);

-- +goose Down
DELETE FROM schema_programs WHERE schema_version = 56;
ALTER TABLE users DROP COLUMN receive_announcement_notifications;
DROP TABLE announcement_recipients;
DROP TABLE announcements;
