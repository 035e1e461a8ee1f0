-- +goose Up
-- What a browser shows to hear events: it can send no headers there, and a
-- session's own token must not stand in an address. Each is good once.
CREATE TABLE live_tickets (
	id {{id}},
	session_id BIGINT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
	token_hash TEXT NOT NULL UNIQUE,
	expires_at {{instant}} NOT NULL
);
CREATE INDEX live_tickets_of_session ON live_tickets (session_id);
CREATE INDEX live_tickets_by_expiry ON live_tickets (expires_at);
