-- +goose Up
-- A convenor hands the queue of somebody on the staff of a unit to colleagues, from one day to
-- another. It counts between two moments, so that it begins and ends by itself.
CREATE TABLE handovers (
	id {{id}},
	unit_id BIGINT NOT NULL REFERENCES units (id) ON DELETE CASCADE,
	unit_role_id BIGINT NOT NULL REFERENCES unit_roles (id) ON DELETE CASCADE, -- whose queue it is
	from_date {{date}} NOT NULL,
	until_date {{date}} NOT NULL, -- the last day
	starts_at {{instant}} NOT NULL,
	ends_at {{instant}} NOT NULL,
	created_at {{instant}} NOT NULL,
	CHECK (from_date <= until_date)
);
CREATE INDEX handovers_of_unit ON handovers (unit_id, ends_at);
CREATE INDEX handovers_of_role ON handovers (unit_role_id, ends_at);

-- Who has the queue meanwhile.
CREATE TABLE handover_staff (
	handover_id BIGINT NOT NULL REFERENCES handovers (id) ON DELETE CASCADE,
	unit_role_id BIGINT NOT NULL REFERENCES unit_roles (id) ON DELETE CASCADE,
	PRIMARY KEY (handover_id, unit_role_id)
);
CREATE INDEX handover_staff_of_role ON handover_staff (unit_role_id);

-- +goose Down
DROP TABLE handover_staff;
DROP TABLE handovers;
