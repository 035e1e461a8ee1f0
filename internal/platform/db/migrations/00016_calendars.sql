-- +goose Up
-- A calendar feed that is closed keeps its settings and its address, and the
-- unit of its reminder comes back in the letter it was sent in.
ALTER TABLE webcals ADD COLUMN enabled BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE webcals ADD COLUMN reminder_capital BOOLEAN NOT NULL DEFAULT FALSE;

-- People are listed by name as a reader expects, the same on every engine and
-- collation: by a key that Go makes of their names. Keys that are missing are made
-- when the service starts.
ALTER TABLE users ADD COLUMN name_key TEXT NOT NULL DEFAULT '';
CREATE INDEX users_by_name ON users (name_key, id);

-- +goose Down
DROP INDEX users_by_name;
ALTER TABLE users DROP COLUMN name_key;
ALTER TABLE webcals DROP COLUMN reminder_capital;
ALTER TABLE webcals DROP COLUMN enabled;
