-- +goose Up
-- Similar work. A task that was rolled over is compared with what was handed in for
-- it in earlier terms: all of its definitions name the same first one.
ALTER TABLE task_definitions ADD COLUMN first_id BIGINT; -- none: the definition is the first itself
ALTER TABLE task_definitions ADD COLUMN template_hash TEXT REFERENCES blobs (hash);
CREATE INDEX task_definitions_of_first ON task_definitions (first_id) WHERE first_id IS NOT NULL;
CREATE INDEX task_definitions_template ON task_definitions (template_hash) WHERE template_hash IS NOT NULL;

-- The fingerprints of what was handed in: all code of a submission together, or one
-- of its documents. They expire, and go with an erased person.
CREATE TABLE similarity_prints (
	submission_id BIGINT NOT NULL REFERENCES submissions (id) ON DELETE CASCADE,
	part TEXT NOT NULL,       -- code, or document/ and the key of the requirement
	class_id BIGINT NOT NULL, -- the first definition
	digest TEXT NOT NULL,     -- of packed: whether the work has changed
	packed {{bytes}} NOT NULL,
	core BOOLEAN NOT NULL DEFAULT FALSE, -- it is for the most part what half of its class has
	at {{instant}} NOT NULL,
	PRIMARY KEY (submission_id, part)
);
CREATE INDEX similarity_prints_of_class ON similarity_prints (class_id, part, submission_id);
CREATE INDEX similarity_prints_by_age ON similarity_prints (at);

-- What two submissions have in common. Pairs that come near the thresholds are kept,
-- so that their scores can follow the class.
CREATE TABLE similarity_pairs (
	id {{id}},
	class_id BIGINT NOT NULL,
	part TEXT NOT NULL,
	left_id BIGINT NOT NULL REFERENCES submissions (id) ON DELETE CASCADE,
	right_id BIGINT NOT NULL REFERENCES submissions (id) ON DELETE CASCADE,
	pct INTEGER NOT NULL CHECK (pct BETWEEN 0 AND 100),
	score INTEGER NOT NULL CHECK (score BETWEEN 0 AND 100),
	left_words TEXT NOT NULL,  -- why, as seen from either side
	right_words TEXT NOT NULL,
	passages TEXT NOT NULL,    -- JSON: the ranges on both sides
	created_at {{instant}} NOT NULL,
	CHECK (left_id < right_id),
	UNIQUE (left_id, right_id, part)
);
CREATE INDEX similarity_pairs_of_right ON similarity_pairs (right_id);
CREATE INDEX similarity_pairs_of_class ON similarity_pairs (class_id, part, id);

-- What staff see at a task: a pair seen from one of its sides, or the report of an
-- outside service. It stays with the version it was made on.
CREATE TABLE task_similarities (
	id {{id}},
	type TEXT NOT NULL CHECK (type IN ('LecternTaskSimilarity', 'TiiTaskSimilarity')),
	project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE, -- the task's, for the list of students
	task_id BIGINT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
	submission_id BIGINT NOT NULL REFERENCES submissions (id) ON DELETE CASCADE,
	part TEXT NOT NULL,
	pair_id BIGINT REFERENCES similarity_pairs (id) ON DELETE CASCADE,
	outside_id TEXT,                                  -- of the submission at the outside service
	outside_pct INTEGER CHECK (outside_pct BETWEEN 0 AND 100), -- none until it is known
	report_hash TEXT REFERENCES blobs (hash),         -- the outside report, a PDF
	flagged BOOLEAN NOT NULL,
	decided_by BIGINT REFERENCES users (id),          -- none: the figures decide
	decided_at {{instant}},
	created_at {{instant}} NOT NULL,
	CHECK ((type = 'LecternTaskSimilarity') = (pair_id IS NOT NULL)),
	CHECK ((type = 'TiiTaskSimilarity') = (outside_id IS NOT NULL))
);
CREATE UNIQUE INDEX task_similarities_of_pair ON task_similarities (pair_id, task_id);
CREATE UNIQUE INDEX task_similarities_outside ON task_similarities (outside_id, task_id);
CREATE INDEX task_similarities_of_task ON task_similarities (task_id);
CREATE INDEX task_similarities_of_submission ON task_similarities (submission_id);
CREATE INDEX task_similarities_flagged ON task_similarities (task_id) WHERE flagged;
CREATE INDEX task_similarities_of_project ON task_similarities (project_id) WHERE flagged;
CREATE INDEX task_similarities_decided ON task_similarities (decided_by) WHERE decided_by IS NOT NULL;
CREATE INDEX task_similarities_report ON task_similarities (report_hash) WHERE report_hash IS NOT NULL;
