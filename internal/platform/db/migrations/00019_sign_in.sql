-- +goose Up
-- The second factor of an account: the secret that its owner's app shares, from its
-- confirmation on, and the step of the last code that was used.
CREATE TABLE second_factors (
	user_id BIGINT NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
	secret TEXT NOT NULL,
	created_at {{instant}} NOT NULL,
	confirmed_at {{instant}},
	last_step BIGINT NOT NULL
);

-- Codes for whoever has lost the app. One that is used is gone.
CREATE TABLE recovery_codes (
	user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	code_hash TEXT NOT NULL,
	PRIMARY KEY (user_id, code_hash)
);

-- Whether a session began with a password typed here, and whether it may only set
-- up a second factor.
ALTER TABLE sessions ADD COLUMN began_here BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE sessions ADD COLUMN enrolling BOOLEAN NOT NULL DEFAULT FALSE;
