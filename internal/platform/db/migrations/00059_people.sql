-- +goose Up
-- What administrators see of people, and what they ask for about them: when somebody signed in last,
-- whether an account was erased, who must wait after failed tries, exports of a person's data and
-- erasures that wait.
ALTER TABLE users ADD COLUMN signed_in_at {{instant}}; -- none: never
ALTER TABLE users ADD COLUMN erased_at {{instant}};
UPDATE users SET signed_in_at = coalesce((SELECT max(p.used_at) FROM sign_in_places p WHERE p.user_id = users.id),
	(SELECT max(s.created_at) FROM sessions s WHERE s.user_id = users.id), opened_at);
UPDATE users SET erased_at = updated_at WHERE username LIKE 'erased-%' AND email LIKE 'erased-%@erased.invalid'
	AND disabled_at IS NOT NULL;
-- Words of the part of addresses behind the @ are new: Lectern makes them when it starts.
UPDATE users SET words_made = FALSE WHERE erased_at IS NULL;
CREATE INDEX people_by_name ON users (name_key, id) WHERE erased_at IS NULL;
CREATE INDEX people_by_email ON users (email_key, id) WHERE erased_at IS NULL;
CREATE INDEX people_by_role ON users (role, name_key, id) WHERE erased_at IS NULL;
CREATE INDEX people_by_sign_in ON users ((CASE WHEN signed_in_at IS NULL THEN 0 ELSE 1 END), signed_in_at, id)
	WHERE erased_at IS NULL;
CREATE INDEX people_invited ON users (name_key, id)
	WHERE erased_at IS NULL AND disabled_at IS NULL AND opened_at IS NULL AND password_hash IS NULL;
CREATE INDEX people_erased ON users (name_key, id) WHERE erased_at IS NOT NULL;
CREATE INDEX people_disabled ON users (name_key, id) WHERE erased_at IS NULL AND disabled_at IS NOT NULL;

-- Whose account failed tries are about; no reference, so that a try at an account costs what one at
-- none does.
ALTER TABLE throttles ADD COLUMN user_id BIGINT;
CREATE INDEX throttles_of_user ON throttles (user_id) WHERE user_id IS NOT NULL;

-- The archive of a person's data that an administrator asked for: for that administrator only, once,
-- by a link that is good for an hour.
CREATE TABLE person_exports (
	user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	asked_by BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	job_id BIGINT NOT NULL, -- that makes it; no reference, as old jobs are removed
	token_hash TEXT NOT NULL UNIQUE,
	asked_at {{instant}} NOT NULL,
	expires_at {{instant}} NOT NULL,
	ready_at {{instant}}, -- none: it is being made
	taken_at {{instant}}, -- none: the link was not used
	hash TEXT REFERENCES blobs (hash), -- none: it is being made, was taken or has expired
	size BIGINT,
	PRIMARY KEY (user_id, asked_by)
);
CREATE INDEX person_exports_by_admin ON person_exports (asked_by);
CREATE INDEX person_exports_hash ON person_exports (hash) WHERE hash IS NOT NULL;
CREATE INDEX person_exports_by_age ON person_exports (expires_at);

-- Erasures that wait: one for each person, until it is done or cancelled.
CREATE TABLE erasures (
	user_id BIGINT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
	asked_by BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	job_id BIGINT NOT NULL, -- that does it; no reference, as old jobs are removed
	with_files BOOLEAN NOT NULL,
	asked_at {{instant}} NOT NULL,
	due_at {{instant}} NOT NULL,
	refused TEXT -- why it could not be done when it was due
);
CREATE INDEX erasures_by_admin ON erasures (asked_by);
CREATE INDEX erasures_by_due ON erasures (due_at, user_id);
INSERT INTO schema_programs (schema_version, oldest_program) VALUES (59, 55);

-- +goose Down
DELETE FROM schema_programs WHERE schema_version = 59;
DROP TABLE erasures;
DROP TABLE person_exports;
DROP INDEX throttles_of_user;
ALTER TABLE throttles DROP COLUMN user_id;
DROP INDEX people_disabled;
DROP INDEX people_erased;
DROP INDEX people_invited;
DROP INDEX people_by_sign_in;
DROP INDEX people_by_role;
DROP INDEX people_by_email;
DROP INDEX people_by_name;
ALTER TABLE users DROP COLUMN erased_at;
ALTER TABLE users DROP COLUMN signed_in_at;
