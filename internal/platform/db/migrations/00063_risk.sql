-- +goose Up
-- From where on a student of a unit counts as at risk, for each reason; none: it is no reason in that unit. Who is at
-- risk is worked out when somebody asks, and kept nowhere.
ALTER TABLE units ADD COLUMN risk_overdue_tasks INTEGER DEFAULT 3 CHECK (risk_overdue_tasks BETWEEN 1 AND 100);
ALTER TABLE units ADD COLUMN risk_behind_percent INTEGER DEFAULT 20 CHECK (risk_behind_percent BETWEEN 1 AND 100);
ALTER TABLE units ADD COLUMN risk_away_days INTEGER DEFAULT 14 CHECK (risk_away_days BETWEEN 1 AND 365);
ALTER TABLE units ADD COLUMN risk_failed_tries INTEGER DEFAULT 3 CHECK (risk_failed_tries BETWEEN 1 AND 100);
INSERT INTO schema_programs (schema_version, oldest_program) VALUES (63, 55);

-- +goose Down
DELETE FROM schema_programs WHERE schema_version = 63;
ALTER TABLE units DROP COLUMN risk_failed_tries;
ALTER TABLE units DROP COLUMN risk_away_days;
ALTER TABLE units DROP COLUMN risk_behind_percent;
ALTER TABLE units DROP COLUMN risk_overdue_tasks;
