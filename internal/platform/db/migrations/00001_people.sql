-- +goose Up
-- Accounts, sessions, and what keeps guessing at passwords slow.
CREATE TABLE users (
	id {{id}},
	username TEXT NOT NULL,
	username_key TEXT NOT NULL UNIQUE, -- folded in Go: the engines fold differently
	email TEXT NOT NULL,
	email_key TEXT NOT NULL UNIQUE,
	student_id TEXT UNIQUE,
	login_id TEXT UNIQUE,
	first_name TEXT NOT NULL,
	last_name TEXT NOT NULL,
	nickname TEXT,
	pronouns TEXT,
	role INTEGER NOT NULL CHECK (role BETWEEN 1 AND 4),
	password_hash TEXT,
	receive_task_notifications BOOLEAN NOT NULL DEFAULT TRUE,
	receive_portfolio_notifications BOOLEAN NOT NULL DEFAULT TRUE,
	receive_feedback_notifications BOOLEAN NOT NULL DEFAULT TRUE,
	opt_in_to_research BOOLEAN,
	has_run_first_time_setup BOOLEAN NOT NULL DEFAULT FALSE,
	disabled_at {{instant}},
	created_at {{instant}} NOT NULL,
	updated_at {{instant}} NOT NULL
);
CREATE INDEX users_by_role ON users (role);

CREATE TABLE sessions (
	id {{id}},
	user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	token_hash TEXT NOT NULL UNIQUE,
	created_at {{instant}} NOT NULL,
	expires_at {{instant}} NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE password_links (
	id {{id}},
	user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	token_hash TEXT NOT NULL UNIQUE,
	created_at {{instant}} NOT NULL,
	expires_at {{instant}} NOT NULL
);
CREATE INDEX password_links_by_user ON password_links (user_id);
CREATE INDEX password_links_by_expiry ON password_links (expires_at);

-- What a sign-in elsewhere hands to the browser, to be traded for a session
-- within seconds, once.
CREATE TABLE sign_in_tickets (
	id {{id}},
	user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	token_hash TEXT NOT NULL UNIQUE,
	expires_at {{instant}} NOT NULL
);
CREATE INDEX sign_in_tickets_by_expiry ON sign_in_tickets (expires_at);

-- Failed tries by account and by address, shared by all instances.
CREATE TABLE throttles (
	name TEXT NOT NULL PRIMARY KEY,
	failures BIGINT NOT NULL,
	since {{instant}} NOT NULL,
	blocked_until {{instant}}
);
CREATE INDEX throttles_by_since ON throttles (since);

-- Keys and marks the installation makes once for itself.
CREATE TABLE installation (
	name TEXT NOT NULL PRIMARY KEY,
	value TEXT NOT NULL
);
