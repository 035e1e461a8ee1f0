-- +goose Up
-- Who of a sheet of people was invited by an email to open their account, or is to be. The
-- emails go out one after the other, at a pace. An email is sending while the mail server is
-- spoken with; one that was broken off then is unsure, as the server may have taken it, and is
-- sent again only when somebody asks for it.
CREATE TABLE invitations (
	user_id BIGINT NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
	state TEXT NOT NULL DEFAULT 'waiting'
		CHECK (state IN ('waiting', 'sending', 'sent', 'unsure', 'failed', 'needless')),
	asked_at {{instant}} NOT NULL,
	next_at {{instant}} NOT NULL, -- before which it is not tried
	tries INTEGER NOT NULL DEFAULT 0,
	begun_at {{instant}}, -- the last try
	error TEXT -- of the last try
);
CREATE INDEX invitations_by_state ON invitations (state, next_at, user_id);
CREATE INDEX invitations_by_try ON invitations (begun_at);
