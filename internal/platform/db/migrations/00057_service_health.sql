-- +goose Up
-- What administrators look at: which jobs wait for too long, how jobs of a kind are doing, and when
-- emails went out.
CREATE INDEX jobs_waiting ON jobs (run_at, id) WHERE state = 'available';
CREATE INDEX jobs_by_kind ON jobs (kind, state, id);
CREATE INDEX mails_sent ON mails (sent_at) WHERE sent_at IS NOT NULL;

INSERT INTO schema_programs (schema_version, oldest_program) VALUES (57, 55);

-- +goose Down
DELETE FROM schema_programs WHERE schema_version = 57;
DROP INDEX mails_sent;
DROP INDEX jobs_by_kind;
DROP INDEX jobs_waiting;
