-- +goose Up
-- An account is opened by its first sign-in: from then on its address and its
-- student number are no longer a Convenor's to change.
ALTER TABLE users ADD COLUMN opened_at {{instant}};
UPDATE users SET opened_at = updated_at WHERE password_hash IS NOT NULL
	OR EXISTS (SELECT 1 FROM sessions s WHERE s.user_id = users.id);

-- An address its owner asked for, until it confirms by one of the links.
ALTER TABLE users ADD COLUMN email_pending TEXT;
CREATE TABLE address_links (
	id {{id}},
	user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	email TEXT NOT NULL,
	token_hash TEXT NOT NULL UNIQUE,
	created_at {{instant}} NOT NULL,
	expires_at {{instant}} NOT NULL
);
CREATE INDEX address_links_by_user ON address_links (user_id);
CREATE INDEX address_links_by_expiry ON address_links (expires_at);

-- Where accounts were signed in to from, as hashes of addresses: guesses from
-- elsewhere do not count there.
CREATE TABLE sign_in_places (
	user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	place TEXT NOT NULL,
	used_at {{instant}} NOT NULL,
	PRIMARY KEY (user_id, place)
);
CREATE INDEX sign_in_places_by_use ON sign_in_places (used_at);

-- What people are shown of their sessions, and when one was last prolonged:
-- the present role bounds how long it lasts from then on.
ALTER TABLE sessions ADD COLUMN agent TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN used_at {{instant}};
ALTER TABLE sessions ADD COLUMN renewed_at {{instant}};
