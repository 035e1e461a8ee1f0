package db

// studentKeys gives tasks the key of their student's name (users.name_key), so that an
// index can hold them in the order of students. Triggers keep it, whoever writes: 00041.
const studentKeys = `ALTER TABLE tasks ADD COLUMN student_key TEXT NOT NULL DEFAULT '';
UPDATE tasks SET student_key = (SELECT u.name_key FROM projects p JOIN users u ON u.id = p.user_id
	WHERE p.id = tasks.project_id);
`

const studentKeysSQLite = studentKeys + `-- +goose StatementBegin
CREATE TRIGGER student_key_of_task AFTER INSERT ON tasks BEGIN
	UPDATE tasks SET student_key = (SELECT u.name_key FROM projects p JOIN users u ON u.id = p.user_id
		WHERE p.id = NEW.project_id) WHERE id = NEW.id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER student_key_of_user AFTER UPDATE OF name_key ON users WHEN OLD.name_key <> NEW.name_key BEGIN
	UPDATE tasks SET student_key = NEW.name_key
		WHERE project_id IN (SELECT p.id FROM projects p WHERE p.user_id = NEW.id);
END;
-- +goose StatementEnd
`

const studentKeysPostgres = studentKeys + `-- +goose StatementBegin
CREATE FUNCTION student_key_of_task() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.student_key := (SELECT u.name_key FROM projects p JOIN users u ON u.id = p.user_id
		WHERE p.id = NEW.project_id);
	RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER student_key_of_task BEFORE INSERT ON tasks FOR EACH ROW EXECUTE FUNCTION student_key_of_task();
-- +goose StatementBegin
CREATE FUNCTION student_key_of_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE tasks SET student_key = NEW.name_key
		WHERE project_id IN (SELECT p.id FROM projects p WHERE p.user_id = NEW.id);
	RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER student_key_of_user AFTER UPDATE OF name_key ON users FOR EACH ROW
	WHEN (OLD.name_key <> NEW.name_key) EXECUTE FUNCTION student_key_of_user();
`

// studentKeysHeld lets a new task wait for a change of its student's name, and that for the
// task: 00042.
const studentKeysHeld = `-- +goose StatementBegin
CREATE OR REPLACE FUNCTION student_key_of_task() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.student_key := (SELECT u.name_key FROM projects p JOIN users u ON u.id = p.user_id
		WHERE p.id = NEW.project_id FOR SHARE OF u);
	RETURN NEW;
END $$;
-- +goose StatementEnd
`
