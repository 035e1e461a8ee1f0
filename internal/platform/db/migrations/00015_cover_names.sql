-- +goose Up
-- Whom the cover of the document names as the tutor: when that person is erased,
-- it is made anew.
ALTER TABLE submissions ADD COLUMN tutor_id BIGINT REFERENCES users (id);
CREATE INDEX submissions_by_sender ON submissions (user_id, at); -- how many somebody sent within an hour
CREATE INDEX submissions_naming ON submissions (tutor_id) WHERE tutor_id IS NOT NULL;
