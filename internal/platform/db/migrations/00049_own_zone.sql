-- +goose Up
-- Whose clock a person reads times on where no script tells that of the browser; none: the unit's.
ALTER TABLE users ADD COLUMN time_zone TEXT;

-- +goose Down
ALTER TABLE users DROP COLUMN time_zone;
