-- +goose Up
-- What was sent to webhooks and what came of it: one row for each event that was handed to a receiver, and
-- for each test. Neither bodies nor secrets are kept, and only the newest rows of a webhook are.
CREATE TABLE webhook_deliveries (
	id {{id}},
	webhook_id BIGINT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
	seq BIGINT, -- of the event; no reference, as old events are removed; none: a test
	kind TEXT NOT NULL,
	attempts BIGINT NOT NULL,
	delivered BOOLEAN NOT NULL,
	status BIGINT, -- what the receiver answered last; none: nothing
	error TEXT, -- why the last try that failed did; none: no try failed
	created_at {{instant}} NOT NULL, -- of the first try
	tried_at {{instant}} NOT NULL,
	milliseconds BIGINT NOT NULL, -- how long the last try took
	UNIQUE (webhook_id, seq)
);
CREATE INDEX deliveries_of_webhook ON webhook_deliveries (webhook_id, id);
CREATE INDEX failed_deliveries ON webhook_deliveries (webhook_id, id) WHERE error IS NOT NULL;
INSERT INTO schema_programs (schema_version, oldest_program) VALUES (61, 55);

-- +goose Down
DELETE FROM schema_programs WHERE schema_version = 61;
DROP TABLE webhook_deliveries;
