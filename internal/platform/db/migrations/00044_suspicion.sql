-- +goose Up
-- Whether a job may be to blame for what became of its workers: 1 when a try did not end in
-- order (its worker died in the midst of it, or it did not stop when told to), 2 when it has
-- been begun again since, 0 after an end in order. What strangers could bring a worker down
-- with is given up when it is found at 2.
ALTER TABLE jobs ADD COLUMN suspicion INTEGER NOT NULL DEFAULT 0;
