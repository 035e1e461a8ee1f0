package usecase

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"lectern/internal/ground/clock"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

// carried is a table whose rows something carries to another place: every column
// is carried, or left behind for a reason.
type carried struct {
	table string
	set   record            // what the row has in the columns that are carried; nothing that is a default
	refs  map[string]string // for a carried reference: what of the other record must be the same
	left  map[string]string // the columns left behind, and why
}

type record map[string]any

const (
	ownRow    = "belongs to the row"
	ownUnit   = "says where the copy is"
	fixedForm = "is no column of the sheet, whose form the interface fixes"
)

// complete fails when the table has a column that nothing is said about.
func (c carried) complete(t *testing.T, d *db.DB) {
	t.Helper()
	columns, err := db.All[string](t.Context(), d.Pool(), `SELECT name FROM pragma_table_info($1)`, c.table)
	if err != nil || len(columns) == 0 {
		t.Fatalf("columns of %s: %v %v", c.table, columns, err)
	}
	said := slices.Concat(slices.Collect(maps.Keys(c.set)), slices.Collect(maps.Keys(c.left)))
	slices.Sort(said)
	slices.Sort(columns)
	if !slices.Equal(said, columns) {
		t.Errorf("%s has the columns\n%v\nbut the test speaks of\n%v:\ncarry the new one, or say why not", c.table,
			columns, said)
	}
}

// same fails when a carried column of a row differs from that of its copy.
func (c carried) same(t *testing.T, q db.Q, from, to int64) {
	t.Helper()
	for _, column := range slices.Sorted(maps.Keys(c.set)) {
		what := column
		if c.refs[column] != "" {
			what = "(" + c.refs[column] + " = x." + column + ")"
		}
		text := `SELECT CAST(` + what + ` AS TEXT) FROM ` + c.table + ` x WHERE x.id = $1`
		old, err := db.One[*string](t.Context(), q, text, from)
		if err != nil {
			t.Fatal(err)
		}
		made, err := db.One[*string](t.Context(), q, text, to)
		switch {
		case err != nil:
			t.Fatal(err)
		case *old == nil:
			t.Errorf("%s.%s has no value to carry", c.table, column)
		case *made == nil || **made != **old:
			t.Errorf("%s.%s was %q and its copy is %q", c.table, column, **old, text0(*made))
		}
	}
}

func text0(s *string) string {
	if s == nil {
		return "NULL"
	}
	return *s
}

// shelf is a database in which rows are put by name.
type shelf struct {
	*testing.T
	q db.Q
}

func (s shelf) put(table string, r record) int64 {
	s.Helper()
	columns := slices.Sorted(maps.Keys(r))
	values := make([]any, len(columns))
	for i, c := range columns {
		values[i] = r[c]
	}
	list, args := db.List(nil, values)
	id, err := db.One[int64](s.Context(), s.q, `INSERT INTO `+table+` (`+strings.Join(columns, ", ")+`) VALUES `+list+
		` RETURNING id`, args...)
	if err != nil {
		s.Fatalf("put into %s: %v", table, err)
	}
	return *id
}

// with gives a record with more in it.
func (r record) with(more record) record {
	out := maps.Clone(r)
	maps.Copy(out, more)
	return out
}

// only gives the one row of a table that meets a condition.
func (s shelf) only(table, condition string, args ...any) int64 {
	s.Helper()
	ids, err := db.All[int64](s.Context(), s.q, `SELECT id FROM `+table+` WHERE `+condition, args...)
	if err != nil || len(ids) != 1 {
		s.Fatalf("%s where %s: %v %v", table, condition, ids, err)
	}
	return ids[0]
}

func day(text string) clock.Date {
	d, err := clock.ParseDate(text)
	if err != nil {
		panic(err)
	}
	return d
}

// teaching is a unit with one of everything a rollover copies, and two teaching
// periods of the same days, so that dates stay what they are.
type teaching struct {
	shelf
	tables  map[string]carried
	id      map[string]int64 // the row of each table
	period2 int64
	image   int64
	kind    int64
	at      record
}

func newTeaching(t *testing.T, q db.Q) *teaching {
	w := &teaching{shelf: shelf{t, q}, id: map[string]int64{}, at: record{"created_at": q.Now(), "updated_at": q.Now()}}
	start, end := day("2026-03-02"), day("2026-05-31")
	period := func(name string) int64 {
		return w.put("teaching_periods", record{"period": name, "year": 2026, "start_date": clock.At(start.Time),
			"end_date": clock.At(end.Time), "active_until": clock.At(end.Time)})
	}
	one := period("T1")
	w.period2 = period("T2")
	w.image = w.put("overseer_images", record{"name": "go", "tag": "go:1"})
	w.kind = w.put("activity_types", record{"name": "Practical", "abbreviation": "prac"})
	w.tables = tables(w.image, w.kind, start, end)
	w.id["units"] = w.put("units", w.tables["units"].set.with(w.at).with(record{"teaching_period_id": one}))
	inUnit := record{"unit_id": w.id["units"]}
	for _, table := range []string{"tutorial_streams", "group_sets", "learning_outcomes"} {
		w.id[table] = w.put(table, w.tables[table].set.with(inUnit))
	}
	for _, hash := range []string{"a", "b", "c", "d"} {
		if _, err := db.Exec(t.Context(), q, `INSERT INTO blobs (hash, size, touched_at) VALUES ($1, 1, $2)`, hash,
			q.Now()); err != nil {
			t.Fatal(err)
		}
	}
	w.id["task_definitions"] = w.put("task_definitions", w.tables["task_definitions"].set.with(inUnit).with(record{
		"group_set_id": w.id["group_sets"], "tutorial_stream_id": w.id["tutorial_streams"]}))
	w.id["learning_outcome_links"] = w.put("learning_outcome_links", w.tables["learning_outcome_links"].set.with(record{
		"task_definition_id":  w.id["task_definitions"],
		"learning_outcome_id": w.id["learning_outcomes"]}))
	author := w.put("users", w.at.with(record{"username": "a", "username_key": "a", "email": "a@example.edu",
		"email_key": "a@example.edu", "first_name": "A", "last_name": "B", "role": 3}))
	w.id["rubrics"] = w.put("rubrics", w.tables["rubrics"].set.with(record{"task_definition_id": w.id["task_definitions"],
		"user_id": author, "version": 3, "used": true, "at": q.Now()}))
	w.id["snippets"] = w.put("snippets", w.tables["snippets"].set.with(inUnit).with(w.at).with(record{"user_id": author,
		"task_definition_id": w.id["task_definitions"]}))
	return w
}

// tables says of each table that a rollover copies what becomes of its columns.
func tables(image, kind int64, start, end clock.Date) map[string]carried {
	unitRow := map[string]string{"id": ownRow, "unit_id": ownUnit}
	list := []carried{
		{"units", record{"code": "SIT1", "name": "Name", "description": "About", "start_date": start, "end_date": end,
			"active": false, "portfolio_auto_generation_date": end, "overseer_image_id": image,
			"assessment_enabled": false, "auto_apply_extension_before_deadline": false, "send_notifications": false,
			"enable_sync_timetable": false, "enable_sync_enrolments": false,
			"allow_student_extension_requests": false, "extension_weeks_on_resubmit_request": 7,
			"allow_student_change_tutorial": false, "allow_review_requests": false, "time_zone": "Australia/Perth", "feedback_days": 9,
			"risk_overdue_tasks": 4, "risk_behind_percent": 30, "risk_away_days": 10, "risk_failed_tries": 2}, nil,
			map[string]string{"id": ownRow, "created_at": ownRow, "updated_at": ownRow,
				"teaching_period_id":  "is the one that is copied into",
				"grades_published_at": "is of the students there are, and those of the copy have no grade yet"}},
		{"tutorial_streams", record{"name": "Prac", "abbreviation": "p1", "activity_type_id": kind}, nil, unitRow},
		{"group_sets", record{"name": "Teams", "allow_students_to_create_groups": false,
			"allow_students_to_manage_groups": false, "keep_groups_in_same_class": true, "capacity": 4,
			"locked": true}, nil, unitRow},
		{"learning_outcomes", record{"ilo_number": 3, "abbreviation": "O3", "name": "Outcome", "description": "Text"},
			nil, unitRow},
		{"task_definitions", record{"name": "Task", "abbreviation": "T1", "description": "Do it", "weighting": 5,
			"target_grade": 2, "start_date": day("2026-03-03"), "target_date": day("2026-03-11"),
			"due_date": day("2026-03-20"), "moss_language": "go", "plagiarism_warn_pct": 33,
			"upload_requirements":     `[{"key":"file0","name":"Report","type":"document"}]`,
			"plagiarism_checks":       `[{"key":"check0","type":"moss c","pattern":"*.c"}]`,
			"restrict_status_updates": true, "group_set_id": nil, "tutorial_stream_id": nil, "is_graded": true,
			"max_quality_pts": 9, "assessment_enabled": true, "overseer_image_id": image, "is_draft_summary": true,
			"assessment_statuses": `["redo"]`, "assessment_trusted": true, "assessment_limits": `{"seconds":7}`,
			"sheet_hash": "a", "resources_hash": "b", "assessment_hash": "c", "template_hash": "d"},
			map[string]string{"group_set_id": "SELECT r.name FROM group_sets r WHERE r.id",
				"tutorial_stream_id": "SELECT r.name FROM tutorial_streams r WHERE r.id"},
			map[string]string{"id": ownRow, "unit_id": ownUnit, "first_id": "of the copy it names the first of them all"}},
		{"learning_outcome_links", record{"rating": 4, "description": "Why", "task_definition_id": nil,
			"learning_outcome_id": nil},
			map[string]string{"task_definition_id": "SELECT r.abbreviation FROM task_definitions r WHERE r.id",
				"learning_outcome_id": "SELECT r.abbreviation FROM learning_outcomes r WHERE r.id"},
			map[string]string{"id": ownRow, "task_id": "is null: students' own alignments are not copied"}},
		{"rubrics", record{"current": true, "points": 9, "last_key": 7, "user_id": nil, "task_definition_id": nil,
			"criteria": `[{"id":1,"title":"A","description":"","levels":[{"id":2,"name":"B","text":"","points":9}]}]`},
			map[string]string{"user_id": "SELECT r.username FROM users r WHERE r.id",
				"task_definition_id": "SELECT r.abbreviation FROM task_definitions r WHERE r.id"},
			map[string]string{"id": ownRow, "version": "begins anew: nothing was marked with the copy",
				"used": "nothing was marked with the copy", "at": ownRow}},
		{"snippets", record{"user_id": nil, "task_definition_id": nil, "level_key": 2, "text": "Well done",
			"text_key": "well done"},
			map[string]string{"user_id": "SELECT r.username FROM users r WHERE r.id",
				"task_definition_id": "SELECT r.abbreviation FROM task_definitions r WHERE r.id"},
			map[string]string{"id": ownRow, "unit_id": ownUnit, "created_at": ownRow, "updated_at": ownRow}},
	}
	out := map[string]carried{}
	for _, c := range list {
		out[c.table] = c
	}
	return out
}

// A column that a rollover forgets would silently be reset each term.
func TestRolloverCopiesEveryColumn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		undone(t, d, func(q db.Q) {
			w := newTeaching(t, q)
			admin := &access.Caller{ID: 1, Role: policy.Admin}
			full, err := rolloverUnit(t.Context(), q, admin, w.id["units"], UnitRollover{PeriodID: w.period2})
			if err != nil {
				t.Fatal(err)
			}
			for table, c := range w.tables {
				if !d.Postgres() {
					c.complete(t, d)
				}
				to := full.ID
				switch table {
				case "units":
				case "learning_outcome_links", "rubrics":
					to = w.only(table, `id <> $1`, w.id[table])
				default:
					to = w.only(table, `unit_id = $1`, full.ID)
				}
				c.same(t, q, w.id[table], to)
			}
		})
	})
}
