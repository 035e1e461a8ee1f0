-- +goose Up
-- Links by which the first administrator of an empty installation is made. Only what a link is known
-- by is kept, and nothing once there is an administrator.
CREATE TABLE first_links (
	id {{id}},
	token_hash TEXT NOT NULL UNIQUE,
	created_at {{instant}} NOT NULL,
	expires_at {{instant}} NOT NULL
);
CREATE INDEX first_links_expiry ON first_links (expires_at);
INSERT INTO schema_programs (schema_version, oldest_program) VALUES (60, 55);

-- +goose Down
DELETE FROM schema_programs WHERE schema_version = 60;
DROP TABLE first_links;
