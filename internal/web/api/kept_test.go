package api

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"lectern/internal/ground/clock"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/usecase"
)

// column is one whose values can be changed and changed back.
type column struct {
	Table string `db:"t"`
	Name  string `db:"c"`
	Type  string `db:"type"`
}

// columns lists those of every table that may matter.
func (w *world) columns() []column {
	w.Helper()
	text := `SELECT m.name AS t, c.name AS c, c.type AS type FROM sqlite_master m, pragma_table_info(m.name) c
		WHERE m.type = 'table' AND c.pk = 0 ORDER BY 1, 2`
	if w.db.Postgres() { // of the tables that tell: that the others need not, SQLite has shown
		text = `SELECT table_name AS t, column_name AS c, data_type AS type FROM information_schema.columns
			WHERE table_schema = current_schema() AND column_name <> 'id' AND table_name IN (
				SELECT event_object_table FROM information_schema.triggers WHERE trigger_name LIKE 'unit_changes_%')
			ORDER BY 1, 2`
	}
	list, err := db.All[column](w.Context(), w.db.Pool(), text)
	if err != nil {
		w.Fatal(err)
	}
	return list
}

// change gives what sets the column to something else, and what sets it back; empty
// where that cannot be.
func (c column) change() (to, back string) {
	switch kind := strings.ToLower(c.Type); {
	case strings.HasSuffix(c.Name, "_id") || strings.HasPrefix(c.Table, "goose") ||
		c.Table == "unit_changes":
		return "", ""
	case strings.HasPrefix(kind, "bool"):
		return "NOT " + c.Name, "NOT " + c.Name
	case kind == "integer", kind == "bigint":
		return c.Name + " + 1", c.Name + " - 1"
	case kind == "text":
		return c.Name + " || 'x'", "substr(" + c.Name + ", 1, length(" + c.Name + ") - 1)"
	}
	return "", ""
}

// Whatever is written, and by whatever way, the record of a unit that was kept is never
// shown when another would be.
func TestKeptUnitsAreNeverStale(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		readers := []string{"convenor", "student"}
		before := map[string]string{}
		look := func(after string) (changed bool) {
			for _, who := range readers {
				kept := w.do(who, "GET /api/units/{unitA}", nil)
				fresh := w.do(who, "GET /api/units/{unitA}", nil, "Cache-Control", "no-cache")
				got, want := kept.Body.String(), fresh.Body.String()
				if kept.Code != fresh.Code || got != want && fresh.Code == 200 {
					t.Errorf("after %s, %s is shown an old unit:\n%s\n%s", after, who, got, want)
				} else if fresh.Code == 200 && before[who] != want {
					before[who], changed = want, true
				}
			}
			return changed
		}
		look("nothing")
		shown := map[string]bool{}
		for _, c := range w.columns() {
			to, back := c.change()
			if to == "" {
				continue
			}
			for _, value := range []string{to, back} {
				text := fmt.Sprintf(`UPDATE %s SET %s = %s`, c.Table, c.Name, value)
				if err := w.try(text); err != nil {
					break // a rule of the schema forbids it
				}
				if look(text) {
					shown[c.Table] = true
				}
			}
		}
		for _, table := range []string{"units", "users", "tutorials", "tutorial_streams", "task_definitions", "projects",
			"learning_outcomes", "group_sets", "unit_groups"} {
			if !shown[table] {
				t.Errorf("no change of %s was shown", table)
			}
		}
		for _, text := range []string{`DELETE FROM tutorial_enrolments`, `DELETE FROM group_memberships`,
			`DELETE FROM learning_outcome_links`, `INSERT INTO learning_outcomes (unit_id, ilo_number, name, description,
				abbreviation) SELECT id, 99, 'More', 'More', 'MORE' FROM units`} {
			w.set(text)
			look(text)
		}
	})
}

// try runs a statement that may fail.
func (w *world) try(text string) error {
	return w.db.Tx(w.Context(), func(q db.Q) error {
		_, err := db.Exec(w.Context(), q, text)
		return err
	})
}

// Every table that a unit's record is read from tells of its changes.
func TestUnitsAreReadFromTablesThatTell(t *testing.T) {
	w := newWorld(t, "sqlite")
	var texts []string
	ctx, _ := db.Counting(t.Context(), func(text string) { texts = append(texts, text) })
	who := access.Caller{ID: w.id["admin"], Role: policy.Admin}
	if _, err := usecase.UnitByID(ctx, w.db.Pool(), &who, w.id["unitA"]); err != nil || len(texts) < 9 {
		t.Fatal(len(texts), err)
	}
	type page struct {
		Table string `db:"tbl_name"`
		Root  int64  `db:"rootpage"`
	}
	tables := map[int64]string{}
	pages, err := db.All[page](t.Context(), w.db.Pool(), `SELECT tbl_name, rootpage FROM sqlite_master WHERE rootpage > 0`)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		tables[p.Root] = p.Table
	}
	telling, err := db.All[string](t.Context(), w.db.Pool(), `SELECT DISTINCT tbl_name FROM sqlite_master
		WHERE type = 'trigger' AND name LIKE 'unit_changes_%'`)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts[1:] { // the first finds the caller's standing
		for r, err := range db.Records(t.Context(), w.db.Pool(), "EXPLAIN "+text, argsFor(text)...) {
			if err != nil {
				t.Fatal(err)
			}
			root, _ := r.Values[slices.Index(r.Columns, "p2")].(int64)
			opcode := r.Values[slices.Index(r.Columns, "opcode")]
			if table := tables[root]; opcode == "OpenRead" && !slices.Contains(telling, table) {
				t.Errorf("%s has no trigger, but is read by\n%s", table, text)
			}
		}
	}
}

// argsFor gives a statement as many arguments as it names.
func argsFor(text string) (args []any) {
	for n := 1; strings.Contains(text, fmt.Sprintf("$%d", n)); n++ {
		args = append(args, int64(1))
	}
	return args
}

// A unit that is kept costs two statements, whoever of a kind asks; compressed it is
// the same; and versions that nobody compares are forgotten.
func TestKeptUnitsAreShared(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		one := w.do("student", "GET /api/units/{unitA}", nil).status(200)
		ctx, n := db.Counting(t.Context(), nil)
		other := w.send(w.request("mate", "GET /api/units/{unitA}", nil).WithContext(ctx), "unit")
		if !bytes.Equal(one.Body.Bytes(), other.Body.Bytes()) || other.Header().Get("ETag") != one.Header().Get("ETag") ||
			other.Header().Get("Content-Type") != one.Header().Get("Content-Type") || n.N() != 2 {
			t.Errorf("%d statements, %v %v", n.N(), one.Header(), other.Header())
		}
		w.now = w.now.AddDate(0, 0, 2)
		w.set(`UPDATE units SET name = 'Now' WHERE id = $1`, w.id["unitA"])
		version := func() string {
			v, err := course.UnitVersion(t.Context(), w.db.Pool(), w.id["unitA"])
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		was := version()
		w.now = w.now.AddDate(0, 0, 2)
		err := w.db.Tx(t.Context(), func(q db.Q) error {
			_, err := course.PruneVersions(t.Context(), q)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if now := version(); was == "0.0" || now != "0.0" {
			t.Errorf("%s became %s", was, now)
		}
	})
}

// A change that ends after a later one is told even where an old one was forgotten
// meanwhile: the number of changes is the same then, and so is the newest.
func TestAChangeOfAUnitIsToldBesideForgetting(t *testing.T) {
	w := newWorld(t, "postgres") // SQLite has one writer at a time
	version := func() string {
		v, err := course.UnitVersion(t.Context(), w.db.Pool(), w.id["unitA"])
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	w.set(`DELETE FROM unit_changes`)
	w.set(`UPDATE units SET name = 'Long ago' WHERE id = $1`, w.id["unitA"])
	w.set(`UPDATE unit_changes SET at = $1`, clock.At(w.now.AddDate(0, 0, -2)))
	var was string
	if err := w.db.Tx(t.Context(), func(q db.Q) error {
		_, err := db.Exec(t.Context(), q, `UPDATE units SET name = 'Now' WHERE id = $1`, w.id["unitA"])
		w.set(`UPDATE tutorials SET meeting_location = 'Elsewhere' WHERE unit_id = $1`, w.id["unitA"])
		was = version()
		return err
	}); err != nil {
		t.Fatal(err)
	}
	var gone int64
	if err := w.db.Tx(t.Context(), func(q db.Q) (err error) {
		gone, err = course.PruneVersions(t.Context(), q)
		return err
	}); err != nil || gone != 1 {
		t.Fatal(gone, err)
	}
	if now := version(); now == was {
		t.Errorf("another name, and the version is %s as before", now)
	}
}
