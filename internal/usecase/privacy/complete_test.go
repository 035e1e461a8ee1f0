package privacy

import (
	"slices"
	"strings"
	"testing"

	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
)

// TestNoTableIsForgotten walks the schema: whatever refers to a person, or to what
// belongs to one, is exported or left out for a reason.
func TestNoTableIsForgotten(t *testing.T) {
	d := dbtest.New(t, "sqlite", nil)
	refs := dbtest.References(t, d)
	// Some ids refer to no table, because the record outlives what it is about.
	loose, err := db.All[string](t.Context(), d.Pool(), `SELECT DISTINCT m.name FROM sqlite_master m
		JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name IN ('user_id', 'actor_id', 'owner_id',
		'project_id', 'task_id', 'submission_id', 'task_comment_id', 'session_id')`)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for i := range tables {
		known[tables[i].Name] = true
	}
	about := map[string]bool{"users": true}
	for _, name := range loose {
		about[name] = true
	}
	for grown := true; grown; {
		grown = false
		for _, r := range refs {
			if about[r.To] && leftOut[r.To] == "" && !about[r.From] {
				about[r.From], grown = true, true
			}
		}
	}
	for name := range about {
		if !known[name] && leftOut[name] == "" {
			t.Errorf("%s refers to people: list it in the Personal of its package, or in leftOut with a reason", name)
		}
	}
	for name := range leftOut {
		if known[name] {
			t.Errorf("%s is exported and left out", name)
		}
	}
	if len(about) < 30 {
		t.Errorf("the schema was not read: %d tables", len(about))
	}
}

// TestEveryColumnIsDecidedOn checks what the registry says against the columns:
// nothing is misspelt, what looks like a secret is one, every id of a user is
// shown as a word, and every file is taken along.
func TestEveryColumnIsDecidedOn(t *testing.T) {
	d := dbtest.New(t, "sqlite", nil)
	files := map[string]bool{}
	refs := dbtest.References(t, d)
	for i := range tables {
		table := &tables[i]
		columns, err := db.All[string](t.Context(), d.Pool(), `SELECT name FROM pragma_table_info($1)`, table.Name)
		if err != nil || len(columns) == 0 {
			t.Fatalf("%s: %v, columns %v", table.Name, err, columns)
		}
		listed := slices.Concat(table.Secret, table.People, table.Plain, table.Signed)
		for _, f := range table.Files {
			listed = append(listed, f.Hash)
			files[table.Name+"."+f.Hash] = true
		}
		for _, c := range listed {
			if !slices.Contains(columns, c) {
				t.Errorf("%s has no column %s", table.Name, c)
			}
		}
		for _, c := range columns {
			secret := strings.Contains(c, "token") || strings.Contains(c, "secret") || strings.Contains(c, "guid") ||
				strings.Contains(c, "password")
			if secret && !slices.Contains(table.Secret, c) {
				t.Errorf("%s.%s looks like a secret", table.Name, c)
			}
		}
		if (table.Erase == "") == (table.Kept == "") {
			t.Errorf("%s is either erased or kept for a reason", table.Name)
		}
		for _, r := range refs {
			if r.From != table.Name {
				continue
			}
			if r.To == "users" && !slices.Contains(table.People, r.Column) {
				t.Errorf("%s.%s is the id of a user", r.From, r.Column)
			}
			if r.To == "blobs" && !files[r.From+"."+r.Column] {
				t.Errorf("%s.%s is a file", r.From, r.Column)
			}
		}
	}
}
