package api

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"lectern/internal/platform/blob"
	"lectern/internal/platform/db"
	"lectern/internal/platform/jobs"
	"lectern/internal/teaching/source"
	"lectern/internal/teaching/work"
)

// sees reads a file of the student's task as pages do.
func (w *world) sees(at string, number int64) *source.View {
	w.Helper()
	v, err := w.api.usecases.Source(w.Context(), work.TaskRef{ProjectID: w.id["project:student"], DefinitionID: w.id["defA1"]}, at,
		number)
	if err != nil {
		w.Fatal(err)
	}
	return v
}

// highlights does the jobs that wait, and gives how many those were.
func (w *world) highlights() int {
	w.Helper()
	h := &source.Highlighting{DB: w.db, Files: w.api.files}
	ids, err := db.All[int64](w.Context(), w.db.Pool(), `SELECT id FROM jobs WHERE kind = 'highlight' AND state = 'available'`)
	if err != nil {
		w.Fatal(err)
	}
	for _, id := range ids {
		args, err := db.One[string](w.Context(), w.db.Pool(), `SELECT args FROM jobs WHERE id = $1`, id)
		if err != nil {
			w.Fatal(err)
		}
		var a source.HighlightArgs
		if err := json.Unmarshal([]byte(*args), &a); err != nil {
			w.Fatal(err)
		}
		if err := h.Do(w.Context(), jobs.Job{ID: id, Attempt: 1, MaxAttempts: 10}, a); err != nil {
			w.Fatal(err)
		}
		w.set(`UPDATE jobs SET state = 'done', finished_at = created_at WHERE id = $1`, id)
	}
	return len(ids)
}

// written writes a line with the classes of its spans.
func written(l []source.Span) string {
	var b strings.Builder
	for _, s := range l {
		if s.Class == "" {
			b.WriteString(s.Text)
		} else {
			b.WriteString("<" + s.Class + ">" + s.Text + "</>")
		}
	}
	return b.String()
}

// A file is plain until somebody has looked at it and the job was done; then it is highlighted, once for all versions
// that have it.
func TestFilesAreHighlightedOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code", "code", "code")
		one := w.handsIn(part{"file0", "a.py", "# one\nreturn 1\n"}, part{"file1", "b.txt", "return 1\n"},
			part{"file2", "a.c", "# one\nreturn 1\n"})
		if v := w.sees(one, 1); v.Pending || len(v.Lines) != 1 || written(v.Lines[0]) != "return 1" {
			t.Errorf("in no language: %+v", v)
		}
		if n := w.count(`jobs WHERE kind = 'highlight'`); n != 0 {
			t.Errorf("%d jobs for nothing", n)
		}
		for range 2 {
			if v := w.sees(one, 0); !v.Pending || len(v.Lines) != 2 || written(v.Lines[1]) != "return 1" || v.Cut {
				t.Errorf("at first: %+v", v)
			}
		}
		if n := w.highlights(); n != 1 {
			t.Errorf("%d jobs", n)
		}
		if v := w.sees(one, 0); v.Pending || written(v.Lines[0]) != "<c># one</>" || written(v.Lines[1]) != "<k>return</> <d>1</>" {
			t.Errorf("highlighted: %+v", v)
		}
		if v := w.sees(one, 2); v.Pending || written(v.Lines[0]) != "<k># one</>" {
			t.Errorf("the same text in another language: %+v", v.Lines)
		}
		two := w.handsIn(part{"file0", "a.py", "# one\nreturn 1\n"}, part{"file1", "b.py", "if\n"}, part{"file2", "c.txt", "x"})
		if v := w.sees(two, 0); v.Pending || written(v.Lines[0]) != "<c># one</>" {
			t.Errorf("the same file again: %+v", v.Lines)
		}
		if v := w.sees(two, 1); !v.Pending || w.highlights() != 1 {
			t.Error("a new file is not asked for")
		}
		if v := w.sees(two, 1); v.Pending || written(v.Lines[0]) != "<k>if</>" {
			t.Errorf("a new file: %+v", v.Lines)
		}
	})
}

// Work that is stored is highlighted in the transaction of its document, and by no second job.
func TestHighlightingIsAskedForOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code", "document", "code")
		w.handsIn(part{"file0", "a.py", "x = 1\n"}, part{"file1", "b.pdf", aPDF}, part{"file2", "b.py", "x = 1\n"})
		for range 2 {
			if err := w.db.Tx(t.Context(), func(q db.Q) error {
				return source.EnqueueHighlights(t.Context(), q, w.lastID("submissions"))
			}); err != nil {
				t.Fatal(err)
			}
		}
		if a, b := w.count("source_highlights"), w.count(`jobs WHERE kind = 'highlight'`); a != 1 || b != 1 {
			t.Errorf("%d rows, %d jobs", a, b)
		}
		w.set(`UPDATE jobs SET state = 'dead' WHERE kind = 'highlight'`)
		at := w.at("student").Format(time.RFC3339Nano)
		if v := w.sees(at, 0); v.Pending {
			t.Error("what a dead job leaves is waited for")
		}
		if n := w.count(`jobs WHERE kind = 'highlight'`); n != 1 {
			t.Errorf("it is asked for again: %d jobs", n)
		}
		w.set(`DELETE FROM jobs WHERE kind = 'highlight'`)
		if v := w.sees(at, 0); !v.Pending || w.highlights() != 1 || w.sees(at, 2).Pending {
			t.Error("what nobody knows of any more is not asked for again")
		}
		w.set(`UPDATE source_highlights SET version = 0`)
		if v := w.sees(at, 0); !v.Pending || written(v.Lines[0]) != "x = 1" {
			t.Errorf("that of an older highlighter: %+v", v)
		}
	})
}

// What cannot be highlighted stays plain for good, also where what is kept of it is lost or damaged.
func TestWhatIsNotHighlightedStaysPlain(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code")
		at := w.handsIn(part{"file0", "a.py", "if\n"})
		w.set(`UPDATE submission_files SET hash = $1`, w.file("MZ\x00"))
		if err := w.db.Tx(t.Context(), func(q db.Q) error {
			return source.EnqueueHighlights(t.Context(), q, w.lastID("submissions"))
		}); err != nil {
			t.Fatal(err)
		}
		if n := w.highlights(); n != 1 || w.count(`source_highlights WHERE done AND runs_hash IS NULL`) != 1 {
			t.Errorf("%d jobs", n)
		}
		w.set(`UPDATE submission_files SET hash = $1`, w.file("if 1\n"))
		w.sees(at, 0)
		w.highlights()
		if v := w.sees(at, 0); written(v.Lines[0]) != "<k>if</> <d>1</>" {
			t.Errorf("%+v", v.Lines)
		}
		for _, kept := range []string{"", "damaged", "LH1\n\x01\x01\x99\x99\x01"} {
			w.set(`UPDATE source_highlights SET runs_hash = $1 WHERE runs_hash IS NOT NULL`, w.file(kept))
			if v := w.sees(at, 0); v.Pending || written(v.Lines[0]) != "if 1" {
				t.Errorf("%q: %+v", kept, v)
			}
		}
	})
}

// Whatever a file holds, pages get a bounded number of lines of it.
func TestViewsAreBounded(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code")
		at := w.handsIn(part{"file0", "a.txt", "x"})
		holds := func(text string) *source.View {
			w.set(`UPDATE submission_files SET hash = $1, size = $2`, w.file(text), len(text))
			return w.sees(at, 0)
		}
		if v := holds(strings.Repeat("é", 2<<20)); len(v.Lines) != 1 || !v.Cut || len(written(v.Lines[0])) != 2_000_000 {
			t.Errorf("a long line: %d lines", len(v.Lines))
		}
		if v := holds(strings.Repeat("\n", 1_000_000)); len(v.Lines) != 100_000 || !v.Cut {
			t.Errorf("many lines: %d", len(v.Lines))
		}
		if v := holds(strings.Repeat("\n", 100_000)); len(v.Lines) != 100_000 || v.Cut {
			t.Errorf("just as many lines: %d", len(v.Lines))
		}
		if v := holds("\xef\xbb\xbfa\xff\n"); written(v.Lines[0]) != "a\uFFFD" {
			t.Errorf("%q", v.Lines)
		}
	})
}

// What is kept of a file goes with it.
func TestHighlightsGoWithTheirFile(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code")
		at := w.handsIn(part{"file0", "a.py", "if\n"})
		w.sees(at, 0)
		w.highlights()
		if n := w.count(`source_highlights WHERE runs_hash IS NOT NULL`); n != 1 {
			t.Fatalf("%d rows", n)
		}
		before := w.count("blobs")
		w.set(`DELETE FROM submission_files`)
		w.later(72 * time.Hour)
		for range 2 {
			if _, err := blob.Sweep(t.Context(), w.db, w.api.files); err != nil {
				t.Fatal(err)
			}
		}
		if n, left := w.count("source_highlights"), w.count("blobs"); n != 0 || left > before-1 {
			t.Errorf("%d rows are left, %d of %d files", n, left, before)
		}
	})
}
