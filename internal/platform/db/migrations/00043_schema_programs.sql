-- +goose Up
-- Which programs may run on a schema that is newer than the one they know. A program is
-- known by the newest migration it has. A migration that older programs can live with adds
-- the row of its own number; without one, no program older than the migration runs.
CREATE TABLE schema_programs (
	schema_version BIGINT NOT NULL PRIMARY KEY,
	oldest_program BIGINT NOT NULL CHECK (oldest_program <= schema_version)
);
