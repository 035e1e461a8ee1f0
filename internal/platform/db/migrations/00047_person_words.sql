-- +goose Up
-- The words by which people are found: of their names, user name, address and student
-- number, made plain and written in digits and the letters a to f, so that every collation
-- puts them in the same order and a beginning is a range.
CREATE TABLE person_words (
	word TEXT NOT NULL,
	user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	PRIMARY KEY (word, user_id)
);
CREATE INDEX person_words_of ON person_words (user_id, word);
-- Whose words are still to be made: Lectern makes them when it starts.
ALTER TABLE users ADD COLUMN words_made BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX users_without_words ON users (id) WHERE NOT words_made;

-- +goose Down
DROP INDEX users_without_words;
ALTER TABLE users DROP COLUMN words_made;
DROP TABLE person_words;
