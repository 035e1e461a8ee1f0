package portfolio

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"pgregory.net/rapid"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/platform/files"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/teaching/work/worktest"
)

func TestNamesOfFiles(t *testing.T) {
	for _, c := range []struct{ name, original, want string }{
		{"My report", "a.pdf", "My report.pdf"},
		{"report.pdf", "a.docx", "report.pdf"},
		{"Other", "main.py", "main.py"},
		{"other", `C:\work\main.py`, "main.py"},
		{"Other", "", "Other"},
		{"../../etc/passwd", "", "passwd"},
		{"a\u202etxt.exe\x00", "", "atxt.exe"},
		{"x", "y.averyveryverylong", "x"},
		{" . . ", "", ""},
		{"", "", ""},
		{strings.Repeat("ö", maxName), "", strings.Repeat("ö", maxName)},
		{strings.Repeat("ö", maxName+1), "", ""},
	} {
		got, err := NewFile{Name: c.name, Original: c.original}.name()
		if got != c.want || (err != nil) != (c.want == "") || err != nil && !fault.Is(err, fault.Refused) {
			t.Errorf("%q from %q: %q, %v; want %q", c.name, c.original, got, err, c.want)
		}
	}
}

// Whatever a file is called, its name is one part of a path that can be seen.
func TestNamesAreNeverPaths(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		name, err := NewFile{Name: rapid.String().Draw(r, "name"), Original: rapid.String().Draw(r, "original")}.name()
		if err != nil {
			return
		}
		if strings.ContainsAny(name, `/\`) || strings.ContainsFunc(name, func(c rune) bool { return !unicode.IsPrint(c) }) {
			r.Fatalf("%q", name)
		}
	})
}

func TestLearningSummariesSaySomething(t *testing.T) {
	for text, ok := range map[string]bool{"I learnt Go.": true, "": false, " \n\t": false,
		strings.Repeat("é", maxSummary): true, strings.Repeat("é", maxSummary+1): false} {
		if err := CheckSummary(text); (err == nil) != ok || err != nil && !fault.Is(err, fault.Refused) {
			t.Errorf("%d bytes: %v", len(text), err)
		}
	}
}

// The state of a portfolio goes by what was asked for last, before what there is.
func TestStateOfAPortfolio(t *testing.T) {
	at, said, running, waits := &clock.Time{}, new("broken"), new("running"), new("available")
	for _, c := range []struct {
		row  progressRow
		want State
	}{
		{progressRow{}, Unasked},
		{progressRow{ReadyAt: at}, Ready},
		{progressRow{Failure: said, ReadyAt: at}, Failed},
		{progressRow{Wanted: true}, Queued},
		{progressRow{Wanted: true, JobState: waits, ReadyAt: at}, Queued},
		{progressRow{Wanted: true, JobState: running, Failure: said}, Compiling},
		{progressRow{Wanted: true, JobState: running, Documents: 2}, Waiting},
		{progressRow{Documents: 2}, Unasked},
	} {
		got := c.row.state()
		if got != c.want {
			t.Errorf("%+v: %s, want %s", c.row, got, c.want)
		}
		if p := (&Progress{State: got}); p.OnItsWay() != c.row.Wanted {
			t.Errorf("%+v: on its way %v", c.row, p.OnItsWay())
		}
	}
}

// Two submissions never share a folder, also where names differ by case only or look
// like the folder made for another; one submission keeps its own.
func TestEverySubmissionHasAFolderOfItsOwn(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		taken, owners := map[string]int64{}, map[string]int64{}
		for id := range int64(rapid.IntRange(1, 8).Draw(r, "submissions")) {
			name := rapid.SampledFrom([]string{"Red", "red", "RED", "red-2", "red-3"}).Draw(r, "name")
			first := folder(taken, name, id)
			if again := folder(taken, first, id); again != first {
				r.Fatalf("%s, then %s", first, again)
			}
			key := strings.ToLower(first)
			if owner, there := owners[key]; there && owner != id {
				r.Fatalf("%d and %d share %s", owner, id, first)
			}
			owners[key] = id
		}
	})
}

// Files moved at random stand as they would in a list that is moved the same way, numbered
// from 1, behind the learning summary.
func TestMovedFilesStandInTheirOrder(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := worktest.New(t, d, 1, 1)
		rapid.Check(t, func(r *rapid.T) {
			summary := rapid.Bool().Draw(r, "summary")
			model := fill(c, rapid.IntRange(1, 6).Draw(r, "files"), summary)
			for range rapid.IntRange(1, 6).Draw(r, "moves") {
				at := rapid.IntRange(0, len(model)-1).Draw(r, "at")
				place := rapid.Int64Range(-2, 9).Draw(r, "place")
				name := model[at]
				model = slices.Delete(model, at, at+1)
				model = slices.Insert(model, int(min(max(place, 1), int64(len(model)+1)))-1, name)
				if got := move(c, r, name, place); !slices.Equal(got, model) {
					r.Fatalf("%s to %d: %v, want %v", name, place, got, model)
				}
			}
		})
	})
}

// fill puts n files, and perhaps a learning summary, in the place of those of project 1.
func fill(c *worktest.Crowd, n int, summary bool) (names []string) {
	c.Helper()
	c.Set(`DELETE FROM portfolio_files`)
	c.Set(`INSERT INTO blobs (hash, size, touched_at) VALUES ('h', 1, $1) ON CONFLICT DO NOTHING`, c.Now())
	add := func(idx int, name string) {
		c.Set(`INSERT INTO portfolio_files (project_id, idx, kind, name, hash, size, created_at)
			VALUES (1, $1, 'document', $2, 'h', 1, $3)`, idx, name, c.Now())
	}
	if summary {
		add(summaryIdx, summaryFile)
	}
	for i := range n {
		names = append(names, string(rune('a'+i)))
		add(3*i+2, names[i]) // with gaps, as removals leave them
	}
	return names
}

// move moves a file of project 1 and gives the names of all but the learning summary.
func move(c *worktest.Crowd, r *rapid.T, name string, place int64) (names []string) {
	var list []File
	err := c.Tx(c.Context(), func(q db.Q) error {
		all, err := FilesOf(c.Context(), q, 1)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(all, func(f File) bool { return f.Name == name })
		if _, err = MoveFile(c.Context(), q, 1, all[at], place); err != nil {
			return err
		}
		list, err = FilesOf(c.Context(), q, 1)
		return err
	})
	if err != nil {
		r.Fatal(err)
	}
	for _, f := range list {
		if f.IsSummary() {
			continue
		}
		if names = append(names, f.Name); f.Idx != int64(len(names)) {
			r.Fatalf("%s is number %d of %v", f.Name, f.Idx, list)
		}
	}
	return names
}

func TestWhatCannotBeMoved(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := worktest.New(t, d, 1, 1)
		fill(c, 1, true)
		for f, kind := range map[File]fault.Kind{
			{Kind: taskdef.Document, Name: summaryFile}: fault.Refused,
			{Kind: taskdef.Document, Name: "z", Idx: 9}: fault.Missing,
			{Kind: taskdef.Code, Name: "a", Idx: 2}:     fault.Missing,
		} {
			err := d.Tx(t.Context(), func(q db.Q) error { _, err := MoveFile(t.Context(), q, 1, f, 1); return err })
			if !fault.Is(err, kind) {
				t.Errorf("%+v: %v", f, err)
			}
		}
	})
}

// A second learning summary takes the place of the first; of other files there may be fifty.
func TestAddingFiles(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := worktest.New(t, d, 1, 1)
		store, err := files.Open(t.Context(), t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		stored, err := store.Put(t.Context(), strings.NewReader("words"))
		if err != nil {
			t.Fatal(err)
		}
		add := func(n NewFile) (f *File, err error) {
			n.Stored = stored
			err = d.Tx(t.Context(), func(q db.Q) (err error) { f, err = AddFile(t.Context(), q, store, 1, n); return err })
			return f, err
		}
		for _, n := range []NewFile{{Name: SummaryName, Kind: taskdef.Document, Original: "a.pdf"},
			{Name: "x", Typed: true, Kind: taskdef.Document}} {
			c.Set(`UPDATE projects SET uses_draft_learning_summary = TRUE`)
			f, err := add(n)
			if err != nil || !f.IsSummary() || f.Typed() != n.Typed {
				t.Errorf("%+v, %v", f, err)
			}
			if c.Number(`SELECT count(*) FROM projects WHERE uses_draft_learning_summary`) != 0 {
				t.Error("the draft is still in use")
			}
		}
		for i := range maxFiles {
			if f, err := add(NewFile{Name: fmt.Sprint("f", i), Kind: taskdef.Code}); err != nil || f.Idx != int64(i+1) {
				t.Fatalf("%+v, %v", f, err)
			}
		}
		if _, err := add(NewFile{Name: "one more", Kind: taskdef.Code}); !fault.Is(err, fault.Conflict) {
			t.Errorf("file %d: %v", maxFiles+1, err)
		}
		if _, err := add(NewFile{Name: SummaryName, Kind: taskdef.Document, Original: "b.pdf"}); err != nil {
			t.Errorf("a summary beside all files: %v", err)
		}
		if n := c.Number(`SELECT count(*) FROM portfolio_files`); n != maxFiles+1 {
			t.Errorf("%d files", n)
		}
	})
}

// What was compiled of an older request is not made known; nor is what nobody wants now.
func TestOnlyTheLatestRequestIsAnswered(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := worktest.New(t, d, 1, 1)
		first, second := clock.At(d.Now().Add(-time.Second)), d.Now()
		publish := func(asked *clock.Time) error {
			return d.Tx(t.Context(), func(q db.Q) error {
				return (&Compiler{DB: d}).publish(t.Context(), q, 1, asked, files.Info{Hash: "h"})
			})
		}
		c.Set(`INSERT INTO blobs (hash, size, touched_at) VALUES ('h', 1, $1)`, d.Now())
		c.Set(`UPDATE projects SET compile_portfolio = TRUE, portfolio_asked_at = $1`, second)
		if err := publish(&first); !errors.Is(err, errAgain) {
			t.Errorf("of the older request: %v", err)
		}
		if c.Number(`SELECT count(*) FROM projects WHERE portfolio_hash IS NOT NULL`) != 0 {
			t.Error("an older portfolio was made known")
		}
		if err := publish(&second); err != nil || c.Number(`SELECT count(*) FROM projects
			WHERE portfolio_hash = 'h' AND NOT compile_portfolio`) != 1 {
			t.Errorf("of the latest: %v", err)
		}
		c.Set(`UPDATE projects SET portfolio_hash = NULL`)
		if err := publish(&second); err != nil || c.Number(`SELECT count(*) FROM projects
			WHERE portfolio_hash IS NOT NULL`) != 0 {
			t.Errorf("nobody wants it: %v", err)
		}
	})
}

// A portfolio holds the conversation of the group, but not why another member needed more time.
func TestPortfoliosKeepTheReasonOfAnotherMembersExtension(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := worktest.New(t, d, 2, 1)
		c.Set(`UPDATE projects SET compile_portfolio = TRUE`)
		c.Set(`INSERT INTO group_sets (id, unit_id, name) VALUES (1, 1, 'Teams')`)
		c.Set(`INSERT INTO unit_groups (id, group_set_id, tutorial_id, name) VALUES (1, 1, 1, 'Red')`)
		c.Set(`INSERT INTO group_submissions (id, unit_group_id, task_definition_id, submitted_by_project_id, created_at)
			VALUES (1, 1, 1, 1, $1)`, d.Now())
		c.Set(`INSERT INTO tasks (id, project_id, task_definition_id, unit_id, group_submission_id, status, created_at,
			updated_at) SELECT p.id, p.id, 1, 1, 1, 'working_on_it', $1, $1 FROM projects p`, d.Now())
		c.Set(`INSERT INTO task_comments (task_id, unit_id, user_id, recipient_id, type, comment, extension_weeks, created_at)
			VALUES (1, 1, 1, 3, 'extension', 'I was ill', 1, $1)`, d.Now())
		for project, want := range map[int64]string{1: "[extension] I was ill", 2: "[extension]"} {
			has, err := read(t.Context(), d.Pool(), project)
			if err != nil {
				t.Fatal(err)
			}
			rows := commentTable(has.comments[project]).Rows
			if len(rows) != 1 || rows[0][2].Text != want {
				t.Errorf("the portfolio of %d says %v", project, rows)
			}
		}
	})
}

// What the service itself said in a conversation stands in a portfolio under its own name.
func TestPortfoliosNameTheServiceForWhatItSaid(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := worktest.New(t, d, 1, 3)
		c.FillInbox()
		c.Set(`UPDATE projects SET compile_portfolio = TRUE, portfolio_asked_at = $1`, d.Now())
		c.Set(`UPDATE task_comments SET by_service = TRUE`)
		got, err := read(t.Context(), d.Pool(), 1)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, list := range got.comments {
			for _, said := range list {
				n++
				if said.First+" "+said.Last != "Automated assessment" {
					t.Errorf("%+v", said)
				}
			}
		}
		if n != 1 {
			t.Errorf("%d comments", n)
		}
	})
}
