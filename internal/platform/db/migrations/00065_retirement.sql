-- +goose Up
-- What was decided on the work of a unit that is over. A plan that deletes or anonymises work is carried out a task
-- at a time: what each changed is a deletion, which is kept for thirty days and brings it back.
CREATE TABLE retirements (
	id {{id}},
	unit_id BIGINT NOT NULL REFERENCES units (id) ON DELETE CASCADE,
	plan TEXT NOT NULL CHECK (plan IN ('keep', 'anonymise', 'delete_work')),
	state TEXT NOT NULL CHECK (state IN ('running', 'done', 'undoing', 'undone')),
	user_id BIGINT NOT NULL REFERENCES users (id), -- who decided it
	students INTEGER NOT NULL,            -- what the plan counted
	submissions INTEGER NOT NULL,
	comments INTEGER NOT NULL,
	files INTEGER NOT NULL,
	bytes BIGINT NOT NULL,
	portfolios INTEGER NOT NULL,
	at {{instant}} NOT NULL,
	ended_at {{instant}}                  -- when all of it was done, or undone
);
CREATE INDEX retirements_of_unit ON retirements (unit_id, id);
CREATE INDEX retirements_of_user ON retirements (user_id);
-- Of a deletion with a retirement the task itself stays: only the work for it went. That of record 0 is about the
-- unit: portfolios, and who has which number. No reference: SQLite could not drop the column again.
ALTER TABLE deletions ADD COLUMN retirement_id BIGINT;
CREATE INDEX deletions_of_retirement ON deletions (retirement_id) WHERE retirement_id IS NOT NULL;
-- Many comments are deleted at once: each looks for its answers.
CREATE INDEX task_comments_answering ON task_comments (reply_to_id) WHERE reply_to_id IS NOT NULL;
INSERT INTO schema_programs (schema_version, oldest_program) VALUES (65, 55);

-- +goose Down
DELETE FROM schema_programs WHERE schema_version = 65;
DROP INDEX task_comments_answering;
DROP INDEX deletions_of_retirement;
ALTER TABLE deletions DROP COLUMN retirement_id;
DROP TABLE retirements;
