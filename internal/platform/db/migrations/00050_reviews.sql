-- +goose Up
-- A student asks the staff to look again at what they gave: once for each row of the history
-- that gave it. Staff answer in words, or with a new status or mark.
CREATE TABLE reviews (
	id {{id}},
	task_id BIGINT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
	unit_id BIGINT NOT NULL REFERENCES units (id) ON DELETE CASCADE,
	history_id BIGINT NOT NULL REFERENCES task_history (id) ON DELETE CASCADE, -- what is to be looked at
	user_id BIGINT NOT NULL REFERENCES users (id), -- who asks
	reason TEXT NOT NULL,
	asked_at {{instant}} NOT NULL,
	answered_by BIGINT REFERENCES users (id),
	answered_at {{instant}}, -- none: it is open
	answer TEXT NOT NULL DEFAULT '', -- empty where a new status or mark is the answer
	CHECK ((answered_at IS NULL) = (answered_by IS NULL))
);
CREATE UNIQUE INDEX reviews_of_history ON reviews (history_id);
CREATE UNIQUE INDEX reviews_open_of_task ON reviews (task_id) WHERE answered_at IS NULL;
CREATE INDEX reviews_of_task ON reviews (task_id);
CREATE INDEX reviews_of_unit ON reviews (unit_id, answered_at, asked_at);
CREATE INDEX reviews_of_user ON reviews (user_id);
CREATE INDEX reviews_by_answerer ON reviews (answered_by) WHERE answered_by IS NOT NULL;

-- Since when a review of the task is open; none: no one is. The staff's queue goes by it.
ALTER TABLE tasks ADD COLUMN review_asked_at {{instant}};
DROP INDEX tasks_apart;
CREATE INDEX tasks_apart ON tasks (unit_id)
	WHERE (status IN ('need_help', 'ready_for_feedback') OR new_to_staff > 0 OR review_asked_at IS NOT NULL)
		AND (status NOT IN ('need_help', 'ready_for_feedback') OR submission_date IS NULL
			OR group_submission_id IS NOT NULL);

ALTER TABLE units ADD COLUMN allow_review_requests BOOLEAN NOT NULL DEFAULT TRUE;

-- +goose Down
ALTER TABLE units DROP COLUMN allow_review_requests;
DROP INDEX tasks_apart;
CREATE INDEX tasks_apart ON tasks (unit_id)
	WHERE (status IN ('need_help', 'ready_for_feedback') OR new_to_staff > 0)
		AND (status NOT IN ('need_help', 'ready_for_feedback') OR submission_date IS NULL
			OR group_submission_id IS NOT NULL);
ALTER TABLE tasks DROP COLUMN review_asked_at;
DROP TABLE reviews;
