-- +goose Up
-- By what a task is marked: criteria, each with levels, as JSON. A rubric that somebody was marked with is never changed:
-- what it becomes is another row, of the next version. One that was not used makes room for what it becomes.
CREATE TABLE rubrics (
	id {{id}},
	task_definition_id BIGINT NOT NULL REFERENCES task_definitions (id) ON DELETE CASCADE,
	version INTEGER NOT NULL CHECK (version >= 1),
	current BOOLEAN NOT NULL,             -- the one to mark by; none is where the rubric was removed
	used BOOLEAN NOT NULL DEFAULT FALSE,  -- somebody was marked with it
	criteria TEXT NOT NULL,
	points INTEGER CHECK (points >= 1),   -- what its best levels add up to; none: its levels have no points
	last_key INTEGER NOT NULL,            -- the highest number that a criterion or a level of the task's rubrics ever had
	user_id BIGINT NOT NULL REFERENCES users (id), -- who wrote it
	at {{instant}} NOT NULL,
	UNIQUE (task_definition_id, version)
);
CREATE UNIQUE INDEX rubrics_current ON rubrics (task_definition_id) WHERE current;
CREATE INDEX rubrics_of_user ON rubrics (user_id);
{{unit_changes_of_rubrics}}
-- Which levels a task was given, in the order they were given; those that stand are present.
CREATE TABLE rubric_marks (
	id {{id}},
	task_id BIGINT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
	rubric_id BIGINT NOT NULL REFERENCES rubrics (id) ON DELETE CASCADE,
	levels TEXT NOT NULL,                 -- their numbers as a JSON list, in the order of the criteria; [] takes levels back
	points INTEGER,                       -- what they add up to; none where a criterion is left out, or has no points
	present BOOLEAN NOT NULL,
	user_id BIGINT NOT NULL REFERENCES users (id), -- who gave them
	verdict_id BIGINT REFERENCES verdicts (id) ON DELETE SET NULL, -- that they came with, while that can be undone
	at {{instant}} NOT NULL
);
CREATE UNIQUE INDEX rubric_marks_present ON rubric_marks (task_id) WHERE present;
CREATE INDEX rubric_marks_of_task ON rubric_marks (task_id);
CREATE INDEX rubric_marks_of_rubric ON rubric_marks (rubric_id);
CREATE INDEX rubric_marks_of_user ON rubric_marks (user_id);
CREATE INDEX rubric_marks_of_verdict ON rubric_marks (verdict_id) WHERE verdict_id IS NOT NULL;
INSERT INTO schema_programs (schema_version, oldest_program) VALUES (69, 55);

-- +goose Down
DELETE FROM schema_programs WHERE schema_version = 69;
DROP TABLE rubric_marks;
DROP TABLE rubrics;
