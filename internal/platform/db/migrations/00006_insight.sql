-- +goose Up
-- Calendar feeds: one a person, found by the hash of its secret. The secret
-- itself stays readable, because its owner must be able to see the address.
CREATE TABLE webcals (
	id {{id}},
	user_id BIGINT NOT NULL UNIQUE REFERENCES users (id) ON DELETE CASCADE,
	guid TEXT NOT NULL,
	guid_hash TEXT NOT NULL UNIQUE,
	include_start_dates BOOLEAN NOT NULL DEFAULT FALSE,
	reminder_time INTEGER,
	reminder_unit TEXT CHECK (reminder_unit IN ('w', 'd', 'h', 'm')),
	updated_at {{instant}} NOT NULL,
	CHECK ((reminder_time IS NULL) = (reminder_unit IS NULL))
);

CREATE TABLE webcal_exclusions (
	webcal_id BIGINT NOT NULL REFERENCES webcals (id) ON DELETE CASCADE,
	unit_id BIGINT NOT NULL REFERENCES units (id) ON DELETE CASCADE,
	PRIMARY KEY (webcal_id, unit_id)
);
CREATE INDEX webcal_exclusions_of_unit ON webcal_exclusions (unit_id);
