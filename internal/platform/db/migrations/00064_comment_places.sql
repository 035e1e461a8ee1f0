-- +goose Up
-- Where in a version of the work a comment points: at lines of one of its files, or at a page of the document that was
-- made of it, there at a stretch of text or at a point. The comment's own text begins with the place in words, lead.
CREATE TABLE comment_places (
	task_comment_id BIGINT PRIMARY KEY REFERENCES task_comments (id) ON DELETE CASCADE,
	submission_id BIGINT NOT NULL REFERENCES submissions (id) ON DELETE CASCADE,
	submitted_at {{instant}} NOT NULL, -- of that version, which it is known by
	version INTEGER NOT NULL CHECK (version >= 1), -- its number among those of the task, from 1
	lead TEXT NOT NULL,
	position INTEGER, -- of the file among those of the version; none: the document
	name TEXT,
	line INTEGER CHECK (line >= 1),
	end_line INTEGER,
	page INTEGER CHECK (page >= 1),
	quote TEXT,
	x INTEGER CHECK (x BETWEEN 0 AND 10000), -- from the left edge of the page, in ten-thousandths of its width
	y INTEGER CHECK (y BETWEEN 0 AND 10000), -- from the top, of its height
	verdict_id BIGINT REFERENCES verdicts (id) ON DELETE SET NULL, -- that it came with, while that can be undone
	done_at {{instant}}, -- when somebody ticked it last; none: it is open
	done_by BIGINT REFERENCES users (id),
	CHECK ((position IS NULL) = (line IS NULL) AND (position IS NULL) = (name IS NULL)),
	CHECK ((line IS NULL) <> (page IS NULL)),
	CHECK ((line IS NULL) = (end_line IS NULL) AND (end_line IS NULL OR end_line >= line)),
	CHECK ((x IS NULL) = (y IS NULL) AND (page IS NOT NULL OR quote IS NULL AND x IS NULL)),
	CHECK ((done_at IS NULL) = (done_by IS NULL))
);
CREATE INDEX comment_places_of_submission ON comment_places (submission_id);
CREATE INDEX comment_places_of_verdict ON comment_places (verdict_id) WHERE verdict_id IS NOT NULL;
INSERT INTO schema_programs (schema_version, oldest_program) VALUES (64, 55);

-- +goose Down
DELETE FROM schema_programs WHERE schema_version = 64;
DROP TABLE comment_places;
