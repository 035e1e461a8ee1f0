-- +goose Up
-- Set where an installation was restored from a backup, until the unit's next receipt has said so.
ALTER TABLE receipt_chains ADD COLUMN restored_from {{instant}};
ALTER TABLE receipt_chains ADD COLUMN restored_at {{instant}};

-- +goose Down
ALTER TABLE receipt_chains DROP COLUMN restored_from;
ALTER TABLE receipt_chains DROP COLUMN restored_at;
