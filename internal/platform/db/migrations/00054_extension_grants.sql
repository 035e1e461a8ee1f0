-- +goose Up
-- Why the staff gave a student an extension that nobody requested, such as special consideration. The
-- comment tells the student of the new date; the reason stands apart from it, for the convenors and
-- for whoever gave the extension, who is the author of the comment.
CREATE TABLE extension_grants (
	task_comment_id BIGINT PRIMARY KEY REFERENCES task_comments (id) ON DELETE CASCADE,
	weeks INTEGER NOT NULL, -- as they were named; the comment has as many as fitted
	reason TEXT NOT NULL CHECK (reason <> '')
);

-- +goose Down
DROP TABLE extension_grants;
