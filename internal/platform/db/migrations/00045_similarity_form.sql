-- +goose Up
-- The form of fingerprints, as the engine of comparison numbers it: rows of an older form
-- are made anew from the files that were handed in.
ALTER TABLE similarity_prints ADD COLUMN form INTEGER NOT NULL DEFAULT 1;
CREATE INDEX similarity_prints_of_old_form ON similarity_prints (form, submission_id);
