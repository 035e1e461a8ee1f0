-- +goose Up
-- A reusable comment for a task may be for a level of what the task is marked by. It is named by the number that the
-- level keeps in all versions of the rubric; one that the present version has not leaves it for the task alone.
ALTER TABLE snippets ADD COLUMN level_key INTEGER;
INSERT INTO schema_programs (schema_version, oldest_program) VALUES (74, 55);

-- +goose Down
DELETE FROM schema_programs WHERE schema_version = 74;
ALTER TABLE snippets DROP COLUMN level_key;
