package db

import (
	"fmt"
	"strings"
)

// shown is a table that a unit's record is read from: what of it is shown there, and
// the units that a row belongs to, with % for the row.
type shown struct {
	table, columns, units string
}

// The tables of 00039. It is applied and stays as it is: a table that is shown later
// gets its triggers by a migration of its own.
var shownInUnits = []shown{
	{table: "units", units: `SELECT %.id`},
	{table: "unit_roles", units: `SELECT %.unit_id`},
	{table: "users", units: `SELECT unit_id FROM unit_roles WHERE user_id = %.id`},
	{table: "learning_outcomes", units: `SELECT %.unit_id`},
	{table: "task_definitions", units: `SELECT %.unit_id`},
	{table: "learning_outcome_links", units: `SELECT unit_id FROM task_definitions
		WHERE id = %.task_definition_id AND %.task_id IS NULL`},
	{table: "activity_types", units: `SELECT unit_id FROM tutorial_streams WHERE activity_type_id = %.id`},
	{table: "tutorial_streams", units: `SELECT %.unit_id`},
	{table: "tutorials", units: `SELECT %.unit_id`},
	{table: "projects", columns: "enrolled", units: `SELECT %.unit_id`},
	{table: "tutorial_enrolments", units: `SELECT unit_id FROM projects WHERE id = %.project_id`},
	{table: "group_sets", units: `SELECT %.unit_id`},
	{table: "unit_groups", units: `SELECT unit_id FROM group_sets WHERE id = %.group_set_id`},
	{table: "group_memberships", units: `SELECT unit_id FROM projects WHERE id = %.project_id`},
}

// rubricsInUnits is the table of 00069: definitions tell whether they have a rubric.
var rubricsInUnits = []shown{
	{table: "rubrics", units: `SELECT unit_id FROM task_definitions WHERE id = %.task_definition_id`},
}

// of are the units of the old or the new row.
func (s shown) of(row string) string { return strings.ReplaceAll(s.units, "%", row) }

// unitChangesSQLite writes the triggers for SQLite. They delete and insert: what an
// outer INSERT OR IGNORE says of conflicts would hold for an upsert of theirs, too.
func unitChangesSQLite(tables []shown) string {
	var b strings.Builder
	for _, s := range tables {
		update := "UPDATE"
		if s.columns != "" {
			update += " OF " + s.columns
		}
		for _, on := range []struct{ name, event, units string }{
			{"inserted", "INSERT", s.of("NEW")}, {"deleted", "DELETE", s.of("OLD")},
			{"updated", update, s.of("OLD") + ` UNION ` + s.of("NEW")},
		} {
			fmt.Fprintf(&b, `-- +goose StatementBegin
CREATE TRIGGER unit_changes_%[1]s_%[2]s AFTER %[3]s ON %[1]s BEGIN
	DELETE FROM unit_changes WHERE unit_id IN (%[4]s);
	INSERT INTO unit_changes (unit_id, writer, at)
		SELECT u.*, 0, strftime('%%Y-%%m-%%dT%%H:%%M:%%fZ', 'now') FROM (%[4]s) u;
END;
-- +goose StatementEnd
`, s.table, on.name, on.event, on.units)
		}
	}
	return b.String()
}

// unitChangesPostgres writes them for PostgreSQL. The numbers of transactions begin
// anew where a database was restored from a dump: a row that another one left under the
// same number is renewed.
func unitChangesPostgres(tables []shown) string {
	var b strings.Builder
	note := func(units string) string {
		return `INSERT INTO unit_changes (unit_id, writer, at) SELECT u.*, txid_current(), now() FROM (` + units + `) u
			ON CONFLICT (unit_id, writer) DO UPDATE SET id = DEFAULT, at = now() WHERE unit_changes.at < now();`
	}
	for _, s := range tables {
		update := "UPDATE"
		if s.columns != "" {
			update += " OF " + s.columns
		}
		fmt.Fprintf(&b, `-- +goose StatementBegin
CREATE OR REPLACE FUNCTION unit_changes_%[1]s() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP <> 'INSERT' THEN
		%[3]s
	END IF;
	IF TG_OP <> 'DELETE' THEN
		%[4]s
	END IF;
	RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER unit_changes_%[1]s AFTER INSERT OR DELETE OR %[2]s ON %[1]s
	FOR EACH ROW EXECUTE FUNCTION unit_changes_%[1]s();
`, s.table, update, note(s.of("OLD")), note(s.of("NEW")))
	}
	return b.String()
}
