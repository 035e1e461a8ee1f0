-- +goose Up
-- What needs somebody in a unit is counted on its overview: documents and tests that failed.
CREATE INDEX submissions_failed ON submissions (unit_id) WHERE state = 'failed';
CREATE INDEX assessments_failed ON assessments (submission_id) WHERE status = 'failed';

-- +goose Down
DROP INDEX assessments_failed;
DROP INDEX submissions_failed;
