package usecase

import (
	"bytes"
	"io"
	"maps"
	"strings"
	"testing"

	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/sheet"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/enrol"
	"lectern/internal/teaching/taskdef"
)

// reread gives a written sheet for reading.
func reread(t *testing.T, o sheet.Options, write func(io.Writer) error) *sheet.Reader {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	r, err := sheet.Read(bytes.NewReader(b.Bytes()), int64(b.Len()), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// accepted fails when an import did not take its one row.
func accepted(t *testing.T, r *sheet.Report, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Success) != 1 || len(r.Errors)+len(r.Ignored) != 0 {
		t.Fatalf("the import says %+v", r)
	}
}

// second makes another unit of the same code for what is exported to be
// imported into, with what it refers to.
func (w *teaching) second() int64 {
	id := w.put("units", w.tables["units"].set.with(w.at).with(record{"teaching_period_id": w.period2}))
	for _, table := range []string{"tutorial_streams", "group_sets"} {
		w.put(table, w.tables[table].set.with(record{"unit_id": id}))
	}
	return id
}

// leaving gives c with columns left behind, for a reason.
func (c carried) leaving(why string, columns ...string) carried {
	c.set, c.left = maps.Clone(c.set), maps.Clone(c.left)
	for _, name := range columns {
		delete(c.set, name)
		c.left[name] = why
	}
	return c
}

func TestSheetsOfAUnitKeepEveryColumn(t *testing.T) {
	d := dbtest.New(t, "sqlite", nil)
	undone(t, d, func(q db.Q) {
		w := newTeaching(t, q)
		from, to := w.id["units"], w.second()
		w.outcomes(from, to, d)
		w.definitions(from, to, d)
		w.alignments(from, to, d)
	})
}

func (w *teaching) outcomes(from, to int64, d *db.DB) {
	c := w.tables["learning_outcomes"].leaving("is numbered anew, without gaps", "ilo_number")
	c.complete(w.T, d)
	list, err := course.OutcomesOf(w.Context(), w.q, from)
	if err != nil {
		w.Fatal(err)
	}
	rows := reread(w.T, course.OutcomeSheet, func(f io.Writer) error { return course.WriteOutcomes(f, "SIT1", list) })
	report, err := course.ImportOutcomes(w.Context(), w.q, to, rows)
	accepted(w.T, report, err)
	c.same(w.T, w.q, w.id[c.table], w.only(c.table, `unit_id = $1`, to))
}

func (w *teaching) definitions(from, to int64, d *db.DB) {
	c := w.tables["task_definitions"].leaving(fixedForm, "moss_language", "assessment_enabled", "overseer_image_id",
		"assessment_statuses", "assessment_trusted", "assessment_limits").
		leaving("is chosen with the unit", "is_draft_summary").
		leaving("is a file, which the archive of all resources holds", "sheet_hash", "resources_hash",
			"assessment_hash", "template_hash")
	c.complete(w.T, d)
	list, err := taskdef.DefinitionsOf(w.Context(), w.q, from)
	if err != nil {
		w.Fatal(err)
	}
	calendars, err := course.Calendars(w.Context(), w.q, from)
	if err != nil {
		w.Fatal(err)
	}
	rows := reread(w.T, taskdef.DefinitionSheet, func(f io.Writer) error {
		return taskdef.WriteDefinitions(f, list, calendars[from])
	})
	report, err := taskdef.ImportDefinitions(w.Context(), w.q, to, rows)
	accepted(w.T, report, err)
	c.same(w.T, w.q, w.id[c.table], w.only(c.table, `unit_id = $1`, to))
}

func (w *teaching) alignments(from, to int64, d *db.DB) {
	c := w.tables["learning_outcome_links"]
	c.complete(w.T, d)
	list, err := taskdef.AlignmentsOf(w.Context(), w.q, from)
	if err != nil {
		w.Fatal(err)
	}
	outcomes, err := course.OutcomesOf(w.Context(), w.q, from)
	if err != nil {
		w.Fatal(err)
	}
	definitions, err := taskdef.DefinitionsOf(w.Context(), w.q, from)
	if err != nil {
		w.Fatal(err)
	}
	rows := reread(w.T, taskdef.AlignmentSheet, func(f io.Writer) error {
		return taskdef.WriteAlignments(f, "SIT1", list, outcomes, definitions)
	})
	report, err := taskdef.ImportAlignments(w.Context(), w.q, to, 0, rows)
	accepted(w.T, report, err)
	c.same(w.T, w.q, w.id[c.table], w.only(c.table, `id <> $1`, w.id[c.table]))
}

// person is a user with a value in every column that a sheet carries.
var person = carried{"users", record{"username": "Ann", "email": "Ann@example.edu", "student_id": "77",
	"first_name": "Ann", "last_name": "Lee", "nickname": "Annie", "role": 2},
	nil, map[string]string{"id": ownRow, "created_at": ownRow, "updated_at": ownRow,
		"username_key": "follows from username", "email_key": "follows from email", "name_key": "follows from the name",
		"words_made": "says of an index whether it is made",
		"login_id":   fixedForm, "pronouns": fixedForm, "password_hash": "is a secret; new users get a link",
		"receive_task_notifications":         "is the person's choice",
		"receive_portfolio_notifications":    "is the person's choice",
		"receive_announcement_notifications": "is the person's choice",
		"receive_feedback_notifications":     "is the person's choice", "opt_in_to_research": "is the person's choice",
		"has_run_first_time_setup": "is told by the person's client", "disabled_at": "is decided here",
		"email_pending": "waits for the person's word", "opened_at": "is when the account was first used here",
		"theme": "is the person's choice", "shortcuts": "is the person's choice",
		"time_zone": "is the person's choice", "signed_in_at": "is when the account was last used here",
		"erased_at": "is decided here",
		"news_seq":  "is what the person has read here"}}

// known is what else a row of users must have.
func (w shelf) known(name string) record {
	return record{"username_key": strings.ToLower(name), "email_key": strings.ToLower(name) + "@example.edu",
		"created_at": w.q.Now(), "updated_at": w.q.Now()}
}

func TestSheetOfUsersKeepsEveryColumn(t *testing.T) {
	ctx := t.Context()
	d, other := dbtest.New(t, "sqlite", nil), dbtest.New(t, "sqlite", nil)
	person.complete(t, d)
	var id int64
	err := d.Tx(ctx, func(q db.Q) error {
		w := shelf{t, q}
		id = w.put("users", person.set.with(w.known("Ann")))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := ident.Export(ctx, d.Pool(), &b); err != nil {
		t.Fatal(err)
	}
	rows, err := ident.ReadSheet(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	report, err := ident.Import(ctx, other, policy.Admin, rows, false, nil)
	if err != nil || len(report.Success) != 1 {
		t.Fatalf("%+v %v", report, err)
	}
	there := shelf{t, other.Pool()}
	made := there.only("users", `username_key = 'ann'`)
	for column := range person.set {
		text := `SELECT CAST(` + column + ` AS TEXT) FROM users WHERE id = $1`
		old, err := db.One[*string](ctx, d.Pool(), text, id)
		if err != nil {
			t.Fatal(err)
		}
		got, err := db.One[*string](ctx, other.Pool(), text, made)
		if err != nil || text0(*old) != text0(*got) {
			t.Errorf("users.%s was %q and its copy is %q: %v", column, text0(*old), text0(*got), err)
		}
	}
}

// grouped are the tables that the sheets of students and groups carry.
var (
	project = carried{"projects", record{"campus_id": nil, "user_id": nil}, nil, map[string]string{
		"id": ownRow, "unit_id": ownUnit, "created_at": ownRow, "updated_at": ownRow,
		"enrolled":     "is true of everybody in the sheet",
		"target_grade": "is the student's choice, made anew in each unit", "submitted_grade": "is earned",
		"grade": "is earned", "grade_rationale": "is earned", "grade_shown": "is earned", "compile_portfolio": "is earned",
		"portfolio_hash": "is earned", "portfolio_failure": "is earned", "last_active_at": "is done here",
		"portfolio_produced_at": "is earned", "portfolio_auto_generated": "is earned",
		"portfolio_asked_at": "is earned", "uses_draft_learning_summary": "is earned", "red_pct": "is worked out",
		"grey_pct": "is worked out", "orange_pct": "is worked out", "blue_pct": "is worked out",
		"green_pct": "is worked out", "order_scale": "is worked out"}}
	enrolment = carried{"tutorial_enrolments", record{"tutorial_id": nil, "tutorial_stream_id": nil},
		map[string]string{"tutorial_id": "SELECT r.abbreviation FROM tutorials r WHERE r.id",
			"tutorial_stream_id": "SELECT r.abbreviation FROM tutorial_streams r WHERE r.id"},
		map[string]string{"id": ownRow, "project_id": "is the student's in the unit"}}
	group = carried{"unit_groups", record{"name": "Red", "capacity_adjustment": 2, "tutorial_id": nil}, nil,
		map[string]string{"id": ownRow, "group_set_id": "is the set that is imported into", "locked": fixedForm}}
	membership = carried{"group_memberships", record{"unit_group_id": nil, "project_id": nil},
		map[string]string{"unit_group_id": "SELECT r.name FROM unit_groups r WHERE r.id"},
		map[string]string{"id": ownRow, "group_set_id": "is the set that is imported into",
			"active": "is true of everybody in the sheet"}}
)

func TestSheetsOfGroupsKeepEveryColumn(t *testing.T) {
	d := dbtest.New(t, "sqlite", nil)
	group.complete(t, d)
	membership.complete(t, d)
	undone(t, d, func(q db.Q) {
		ctx, w := t.Context(), newTeaching(t, q)
		p := w.enrolled(w.id["units"])
		from := w.put("group_sets", record{"unit_id": w.id["units"], "name": "From"})
		to := w.put("group_sets", record{"unit_id": w.id["units"], "name": "To"})
		red := w.put("unit_groups", group.set.with(record{"group_set_id": from, "tutorial_id": p.tutorial}))
		in := w.put("group_memberships", record{"group_set_id": from, "unit_group_id": red, "project_id": p.id})

		write, err := enrol.ExportGroups(ctx, q, from)
		if err != nil {
			t.Fatal(err)
		}
		report, err := enrol.ImportGroups(ctx, q, w.id["units"], to, reread(t, enrol.GroupSheet, write))
		accepted(t, report, err)
		group.same(t, q, red, w.only("unit_groups", `group_set_id = $1`, to))

		if write, err = enrol.ExportMembers(ctx, q, from); err != nil {
			t.Fatal(err)
		}
		report, err = enrol.ImportMembers(ctx, q, w.id["units"], to, reread(t, enrol.MemberSheet, write))
		accepted(t, report, err)
		membership.same(t, q, in, w.only("group_memberships", `group_set_id = $1`, to))
	})
}

// place is a student in a unit with a place in a tutorial.
type place struct{ id, user, tutorial, enrolment int64 }

func (w *teaching) enrolled(unit int64) (p place) {
	p.user = w.put("users", person.set.with(w.known("Ann")))
	campus := w.put("campuses", record{"name": "City", "mode": "manual", "abbreviation": "C", "active": true})
	p.tutorial = w.class(unit)
	p.id = w.put("projects", w.at.with(record{"unit_id": unit, "user_id": p.user, "campus_id": campus}))
	p.enrolment = w.put("tutorial_enrolments", record{"project_id": p.id, "tutorial_id": p.tutorial,
		"tutorial_stream_id": w.id["tutorial_streams"]})
	return p
}

// oneTutorial is what the sheet of tutorials carries.
var oneTutorial = carried{"tutorials", record{"abbreviation": "LA7", "meeting_day": "Friday", "meeting_time": "9:30",
	"meeting_location": "=X1", "capacity": 30, "unit_role_id": nil, "campus_id": nil, "tutorial_stream_id": nil},
	map[string]string{"unit_role_id": "SELECT r.user_id FROM unit_roles r WHERE r.id",
		"tutorial_stream_id": "SELECT r.abbreviation FROM tutorial_streams r WHERE r.id"},
	map[string]string{"id": ownRow, "unit_id": ownUnit}}

func TestSheetOfTutorialsKeepsEveryColumn(t *testing.T) {
	d := dbtest.New(t, "sqlite", nil)
	oneTutorial.complete(t, d)
	undone(t, d, func(q db.Q) {
		ctx, w := t.Context(), newTeaching(t, q)
		from, to := w.id["units"], w.second()
		user := w.put("users", person.set.with(w.known("Ann")))
		made := w.put("tutorials", oneTutorial.set.with(record{"unit_id": from,
			"unit_role_id":       w.put("unit_roles", w.at.with(record{"unit_id": from, "user_id": user, "role": 2})),
			"campus_id":          w.put("campuses", record{"name": "City", "mode": "manual", "abbreviation": "C", "active": true}),
			"tutorial_stream_id": w.only("tutorial_streams", `unit_id = $1`, from)}))
		write, err := enrol.ExportTutorials(ctx, q, from)
		if err != nil {
			t.Fatal(err)
		}
		report, _, err := enrol.ImportTutorials(ctx, q, to, true, reread(t, enrol.TutorialSheet, write))
		accepted(t, report, err)
		oneTutorial.same(t, q, made, w.only("tutorials", `unit_id = $1`, to))
	})
}

// class makes a tutorial in the stream of a unit.
func (w *teaching) class(unit int64) int64 {
	return w.put("tutorials", record{"unit_id": unit, "abbreviation": "LA1", "meeting_day": "Monday",
		"meeting_time": "10:00", "meeting_location": "X1",
		"tutorial_stream_id": w.only("tutorial_streams", `unit_id = $1`, unit)})
}

func TestSheetOfStudentsKeepsEveryColumn(t *testing.T) {
	ctx, d := t.Context(), dbtest.New(t, "sqlite", nil)
	project.complete(t, d)
	enrolment.complete(t, d)
	var p place
	var rows *sheet.Reader
	var to int64
	err := d.Tx(ctx, func(q db.Q) error {
		w := newTeaching(t, q)
		p, to = w.enrolled(w.id["units"]), w.second()
		w.class(to)
		from, err := enrol.ReadRoster(ctx, q, w.id["units"])
		if err != nil {
			return err
		}
		write, err := from.Export(ctx, q)
		if err == nil {
			rows = reread(t, from.Sheet(), write)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := enrol.ReadRoster(ctx, d.Pool(), to)
	if err != nil {
		t.Fatal(err)
	}
	report, err := r.Import(ctx, d, rows, enrol.ImportOptions{By: policy.Admin})
	if err != nil || len(report.Success) != 1 {
		t.Fatalf("%+v %v", report, err)
	}
	w := shelf{t, d.Pool()}
	made := w.only("projects", `unit_id = $1`, to)
	project.same(t, d.Pool(), p.id, made)
	enrolment.same(t, d.Pool(), p.enrolment, w.only("tutorial_enrolments", `project_id = $1`, made))
}
