-- +goose Up
-- The event log of administrators is narrowed by kind.
CREATE INDEX events_by_kind ON events (kind, seq);

INSERT INTO schema_programs (schema_version, oldest_program) VALUES (58, 55);

-- +goose Down
DELETE FROM schema_programs WHERE schema_version = 58;
DROP INDEX events_by_kind;
