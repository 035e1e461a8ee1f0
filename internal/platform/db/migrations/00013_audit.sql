-- +goose Up
-- What was done, written in the transaction that did it: one row per transaction,
-- which waits here until the relay has numbered and chained its entries.
CREATE TABLE audit_outbox (
	id {{id}},
	at {{instant}} NOT NULL,
	address TEXT,
	request_id TEXT NOT NULL,
	entries TEXT NOT NULL -- a list in JSON
);

-- The chain. The hash is over all columns before it and the hash of the entry
-- before; what stands behind it is kept beside the chain. An id that is 0 does
-- not apply. No id refers to its table: the entry outlives the record.
CREATE TABLE audit_entries (
	seq BIGINT NOT NULL PRIMARY KEY,
	at {{instant}} NOT NULL,
	kind TEXT NOT NULL,
	action TEXT NOT NULL,
	actor_id BIGINT NOT NULL,
	user_id BIGINT NOT NULL,
	unit_id BIGINT NOT NULL,
	project_id BIGINT NOT NULL,
	task_id BIGINT NOT NULL,
	record_id BIGINT NOT NULL,
	fields TEXT NOT NULL, -- names, separated by commas
	hash TEXT NOT NULL,
	address TEXT,
	request_id TEXT NOT NULL
);
CREATE INDEX audit_entries_by_kind ON audit_entries (kind, seq);
CREATE INDEX audit_entries_by_actor ON audit_entries (actor_id, seq);
CREATE INDEX audit_entries_of_user ON audit_entries (user_id, seq);
CREATE INDEX audit_entries_of_unit ON audit_entries (unit_id, seq);
CREATE INDEX audit_entries_of_project ON audit_entries (project_id, seq);
CREATE INDEX audit_entries_by_time ON audit_entries (at);
CREATE INDEX audit_entries_with_address ON audit_entries (at) WHERE address IS NOT NULL;

-- Signed statements that the entry of a number has a hash. The one that is a
-- start stands for all entries up to it, which were removed.
CREATE TABLE audit_checkpoints (
	seq BIGINT NOT NULL PRIMARY KEY,
	hash TEXT NOT NULL,
	at {{instant}} NOT NULL,
	start BOOLEAN NOT NULL,
	key_id TEXT NOT NULL,
	signature TEXT NOT NULL
);
