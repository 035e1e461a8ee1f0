-- +goose Up
-- That what a unit's record shows has changed, one row for a unit and a writer: who
-- kept an answer asks here whether it still holds. Triggers write it (unit_changes.go),
-- so that nobody who changes a table can forget to. SQLite has one writer at a time,
-- 0, whose row is replaced; on PostgreSQL each transaction adds a row of its own, so
-- that writers of a unit never wait for each other here.
CREATE TABLE unit_changes (
	id {{id}},
	unit_id BIGINT NOT NULL,
	writer BIGINT NOT NULL,
	at {{instant}} NOT NULL,
	UNIQUE (unit_id, writer)
);
{{unit_changes}}
