-- +goose Up
-- Final grades are for the staff alone until a convenor publishes those of the unit.
ALTER TABLE units ADD COLUMN grades_published_at {{instant}}; -- none: they are not published
ALTER TABLE projects ADD COLUMN grade_shown INTEGER; -- the final grade that the student saw last; none: never one

INSERT INTO schema_programs (schema_version, oldest_program) VALUES (62, 55);

-- +goose Down
DELETE FROM schema_programs WHERE schema_version = 62;
ALTER TABLE projects DROP COLUMN grade_shown;
ALTER TABLE units DROP COLUMN grades_published_at;
