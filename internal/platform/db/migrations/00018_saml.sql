-- +goose Up
-- What was proven to us once and must not be taken again: assertions of an identity
-- provider, and the requests of ours that they answer. A name is a hash.
CREATE TABLE spent_proofs (
	name TEXT NOT NULL PRIMARY KEY,
	expires_at {{instant}} NOT NULL
);
CREATE INDEX spent_proofs_by_expiry ON spent_proofs (expires_at);
