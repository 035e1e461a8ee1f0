-- +goose Up
-- Why the portfolio that was last asked for could not be made; none while it is on
-- its way or there.
ALTER TABLE projects ADD COLUMN portfolio_failure TEXT;
