-- +goose Up
-- Samples of marked work that is marked a second time: how each was drawn, and by whom.
CREATE TABLE moderation_samples (
	id {{id}},
	unit_id BIGINT NOT NULL REFERENCES units (id) ON DELETE CASCADE,
	seed TEXT NOT NULL,                   -- with the same work it draws the same again
	narrowed TEXT NOT NULL,               -- which marked work it was drawn from, as JSON
	spread TEXT NOT NULL,                 -- of what it has so many each: tutor, task or result; or all
	size INTEGER NOT NULL CHECK (size >= 1),
	matched INTEGER NOT NULL,             -- how much work it was drawn from
	user_id BIGINT NOT NULL REFERENCES users (id), -- who drew it
	at {{instant}} NOT NULL
);
CREATE INDEX moderation_samples_of_unit ON moderation_samples (unit_id);
CREATE INDEX moderation_samples_of_user ON moderation_samples (user_id);
-- The work of a sample: what it had been given when it was drawn, what the second marker gives it, and which stands.
-- Its student keeps the first until it is settled, and is shown none of this.
CREATE TABLE moderation_works (
	id {{id}},
	sample_id BIGINT NOT NULL REFERENCES moderation_samples (id) ON DELETE CASCADE,
	task_id BIGINT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
	place INTEGER NOT NULL,               -- in the order it was drawn
	submitted_at {{instant}},             -- the version that was marked; none: it was marked without one
	rubric_id BIGINT REFERENCES rubrics (id) ON DELETE SET NULL, -- that both mark with
	first_by BIGINT NOT NULL REFERENCES users (id),
	first_at {{instant}} NOT NULL,
	first_status TEXT NOT NULL,
	first_grade INTEGER,
	first_quality INTEGER,
	first_levels TEXT,                    -- a JSON list of numbers, as in rubric_marks; none: it was given none
	assigned_id BIGINT REFERENCES users (id), -- who is to mark it; none: anybody else of the staff
	second_by BIGINT REFERENCES users (id),
	second_at {{instant}},
	second_status TEXT,
	second_grade INTEGER,
	second_quality INTEGER,
	second_levels TEXT,
	second_comment TEXT,                  -- for the staff
	agreed BOOLEAN,                       -- both say the same
	stands TEXT CHECK (stands IN ('first', 'second', 'other')),
	reason TEXT,                          -- why, for the staff
	settled_status TEXT,
	settled_grade INTEGER,
	settled_quality INTEGER,
	settled_levels TEXT,
	settled_by BIGINT REFERENCES users (id),
	settled_at {{instant}},
	UNIQUE (sample_id, task_id)
);
CREATE INDEX moderation_works_of_task ON moderation_works (task_id);
CREATE INDEX moderation_works_of_rubric ON moderation_works (rubric_id);
CREATE INDEX moderation_works_first ON moderation_works (first_by);
CREATE INDEX moderation_works_assigned ON moderation_works (assigned_id);
CREATE INDEX moderation_works_second ON moderation_works (second_by);
CREATE INDEX moderation_works_settled ON moderation_works (settled_by);
INSERT INTO schema_programs (schema_version, oldest_program) VALUES (71, 55);

-- +goose Down
DELETE FROM schema_programs WHERE schema_version = 71;
DROP TABLE moderation_works;
DROP TABLE moderation_samples;
