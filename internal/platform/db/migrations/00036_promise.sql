-- +goose Up
-- Within how many days a unit promises feedback; none: it promises nothing.
ALTER TABLE units ADD COLUMN feedback_days INTEGER CHECK (feedback_days BETWEEN 1 AND 60);

-- The requests for more time of a unit: those that wait, then the decided ones.
CREATE INDEX task_comments_extensions ON task_comments (unit_id, extension_assessed_at, created_at)
	WHERE type = 'extension';

-- The tasks of a unit that were judged lately.
CREATE INDEX tasks_assessed ON tasks (unit_id, assessment_date) WHERE assessment_date IS NOT NULL;
