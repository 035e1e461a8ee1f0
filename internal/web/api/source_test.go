package api

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"
)

const (
	versionAny = "/api/projects/{project_id}/task_def_id/{task_definition_id}/submissions/timestamps/{timestamp}"
	ownVersion = ownTask + "/submissions/timestamps/"
)

var _ = rights(
	rightRow{"GET " + versionAny + "/files", ownVersion + "1/files", readersA, nil},
	rightRow{"GET " + versionAny + "/files/{number}", ownVersion + "1/files/0", readersA, nil},
	rightRow{"GET " + versionAny + "/diff", ownVersion + "1/diff", readersA, nil},
)

var _ = lists(
	listRow{route: "GET " + versionAny + "/files", path: ownVersion + "{at}/files", who: "tutor",
		fill: func(w *world, from, to int) {
			if from == 0 {
				w.asks("code")
				w.handIn("student", "defA1")
				w.id["at"] = w.at("student").Unix()
				w.set(`DELETE FROM submission_files`)
			}
			for i := from; i < to; i++ {
				w.set(`INSERT INTO submission_files (submission_id, position, key, title, kind, name, hash, size)
					VALUES ($1, $2, $3, 'Part', 'code', 'a.py', $4, 1)`, w.lastID("submissions"), i, fmt.Sprint("file", i),
					w.file("x"))
			}
		}})

// handsIn hands files in a minute after whatever was handed in before, and gives the moment as the list has it.
func (w *world) handsIn(files ...part) string {
	w.Helper()
	w.later(time.Minute)
	w.do("student", "POST "+submission, upload{nil, files}).status(201)
	var at []string
	w.do("student", "GET "+ownTask+"/submissions/timestamps", nil).status(200).into(&at)
	return at[0]
}

func TestTheFilesOfAVersion(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code", "document", "code")
		one := w.handsIn(part{"file0", "a.py", "# one\nprint(1)\r\n"}, part{"file1", "b.pdf", aPDF},
			part{"file2", "c.txt", "caf\xe9\n"})
		two := w.handsIn(part{"file0", "a.py", "# two\n"}, part{"file1", "b.pdf", aPDF}, part{"file2", "c.txt", "x"})
		for _, who := range []string{"student", "tutor"} {
			list := w.do(who, "GET "+ownVersion+one+"/files", nil).status(200).list()
			if len(list) != 3 {
				t.Fatalf("%d files", len(list))
			}
			has(t, "a program", list[0], map[string]any{"number": 0.0, "key": "file0", "name": "a.py", "type": "code",
				"title": "Part code", "size": 16.0, "is_text": true})
			has(t, "a document", list[1], map[string]any{"number": 1.0, "name": "b.pdf", "is_text": false})
		}
		for path, want := range map[string]string{one + "/files/0": "# one\nprint(1)\n", two + "/files/0": "# two\n",
			one + "/files/2": "café\n", two + "/files/2": "x"} {
			if got := w.do("tutor", "GET "+ownVersion+path, nil).status(200).object()["text"]; got != want {
				t.Errorf("%s says %q", path, got)
			}
		}
		has(t, "a guess", w.do("tutor", "GET "+ownVersion+one+"/files/2", nil).status(200).object(), map[string]any{
			"cut": false, "note": "The file is not valid UTF-8; it was read as Windows-1252.", "name": "c.txt"})
		w.do("tutor", "GET "+ownVersion+one+"/files/1", nil).status(422).says("not text")
		for _, path := range []string{one + "/files/3", one + "/files/-1", one + "/files/9223372036854775807", "1/files",
			"yesterday/files", "1/files/0", "yesterday/files/0", one + "/files/x"} {
			w.do("tutor", "GET "+ownVersion+path, nil).status(404)
		}
		w.do("other", "GET "+ownVersion+one+"/files/0", nil).status(403)
	})
}

// What claims to be text and is none, is too long, or is one line, is read within bounds.
func TestHostileFilesOfAVersion(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code")
		at := w.handsIn(part{"file0", "\u202eyp.a", "x"})
		holds := func(text string) string {
			w.set(`UPDATE submission_files SET hash = $1, size = $2`, w.file(text), len(text))
			return "GET " + ownVersion + at + "/files/0"
		}
		w.do("tutor", holds("MZ\x00\x01\x02"), nil).status(422).says("not text")
		w.do("tutor", holds(strings.Repeat("\x01", 100)), nil).status(422).says("not text")
		for about, text := range map[string]string{"a line": strings.Repeat("a", 5<<20),
			"letters":  strings.Repeat("é", 2<<20),
			"brackets": strings.Repeat("(", 2<<20+1), "lines": strings.Repeat(strings.Repeat("a", 19)+"\n", 200<<10)} {
			got := w.do("tutor", holds(text), nil).status(200).object()
			if n := len(got["text"].(string)); n > 2_000_000 || n < 1_999_990 || got["cut"] != true || got["note"] != "" {
				t.Errorf("%s: %d bytes, %v, %q", about, n, got["cut"], got["note"])
			}
		}
		if got := w.do("tutor", holds(strings.Repeat("\n", 100_001)), nil).status(200).object(); len(got["text"].(string)) !=
			100_000 || got["cut"] != true {
			t.Errorf("lines: %d bytes", len(got["text"].(string)))
		}
		if got := w.do("tutor", holds("\xff\xfea\x00\n\x00"), nil).status(200).object()["text"]; got != "a\n" {
			t.Errorf("UTF-16 is read as %q", got)
		}
	})
}

func TestWhatChangedSinceAVersion(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code", "code", "document")
		one := w.handsIn(part{"file0", "a.py", "one\ntwo = f(1)\nthree\n"}, part{"file1", "same.py", "x\n"},
			part{"file2", "b.pdf", aPDF})
		two := w.handsIn(part{"file0", "a.py", "one\ntwo = f(2)\nthree\nfour\n"}, part{"file1", "same.py", "x\r\n"},
			part{"file2", "b.pdf", aPDF + "\n"})
		w.asks("code", "code")
		three := w.handsIn(part{"file0", "a.py", "one\n"}, part{"file1", "new.py", "y\n"})
		for _, who := range []string{"student", "tutor"} {
			got := w.do(who, "GET "+ownVersion+two+"/diff", nil).status(200).object()
			if got["submitted_at"] != two || got["against"] != one || got["cut"] != false {
				t.Errorf("%s: %v", who, got)
			}
			files := got["files"].([]any)
			has(t, "changed", files[0].(map[string]any), map[string]any{"state": "changed", "added": 2.0, "removed": 1.0,
				"number": 0.0, "old_number": 0.0, "name": "a.py", "old_name": "a.py", "compared": true})
			if blocks := fmt.Sprint(files[0].(map[string]any)["blocks"]); blocks != "[map[kind:equal new:map[count:1 first:1] "+
				"new_lines:[] old:map[count:1 first:1] old_lines:[]] map[kind:replaced new:map[count:1 first:2] "+
				"new_lines:[two = f(2)] old:map[count:1 first:2] old_lines:[two = f(1)]] map[kind:equal new:map[count:1 first:3] "+
				"new_lines:[] old:map[count:1 first:3] old_lines:[]] map[kind:inserted new:map[count:1 first:4] "+
				"new_lines:[four] old:map[count:0 first:4] old_lines:[]]]" {
				t.Errorf("blocks %s", blocks)
			}
			has(t, "other ends", files[1].(map[string]any), map[string]any{"state": "unchanged", "added": 0.0})
			has(t, "not text", files[2].(map[string]any), map[string]any{"state": "changed", "compared": false})
		}
		files := w.do("tutor", "GET "+ownVersion+three+"/diff?against="+url.QueryEscape(one), nil).status(200).
			object()["files"].([]any)
		for i, want := range []map[string]any{{"key": "file0", "state": "changed", "added": 0.0, "removed": 2.0},
			{"key": "file1", "state": "changed", "old_name": "same.py", "name": "new.py"},
			{"key": "file2", "state": "removed", "number": nil, "name": nil, "old_name": "b.pdf"}} {
			has(t, fmt.Sprint(i), files[i].(map[string]any), want)
		}
		back := w.do("tutor", "GET "+ownVersion+one+"/diff?against="+three, nil).status(200).object()["files"].([]any)
		has(t, "came", back[2].(map[string]any), map[string]any{"state": "added", "old_number": nil, "number": 2.0})
		first := w.do("tutor", "GET "+ownVersion+one+"/diff", nil).status(200).object()
		has(t, "the first", first, map[string]any{"against": nil, "submitted_at": one})
		for _, f := range first["files"].([]any) {
			has(t, "of the first", f.(map[string]any), map[string]any{"state": "added", "old_number": nil})
		}
		for _, path := range []string{two + "/diff?against=1", two + "/diff?against=yesterday", "1/diff", "x/diff"} {
			w.do("tutor", "GET "+ownVersion+path, nil).status(404)
		}
		w.do("other", "GET "+ownVersion+two+"/diff", nil).status(403)
	})
}

// The other version is one of the same task: no moment of another student's leads to theirs.
func TestChangesAreThoseOfOneTask(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code")
		w.later(time.Hour)
		w.handIn("other", "defA1")
		theirs := w.at("other").Unix()
		one := w.handsIn(part{"file0", "a.py", "x\n"})
		has(t, "the first", w.do("student", "GET "+ownVersion+one+"/diff", nil).status(200).object(),
			map[string]any{"against": nil})
		w.do("student", fmt.Sprintf("GET %s%s/diff?against=%d", ownVersion, one, theirs), nil).status(404)
	})
}

// Texts without a common line, and many of them, are answered within bounds.
func TestHostileChanges(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code", "code")
		numbered := func(sign string) string {
			var b strings.Builder
			for i := 0; b.Len() < 1_000_000; i++ {
				fmt.Fprintf(&b, "%s%010d\n", sign, i)
			}
			return b.String()
		}
		w.handsIn(part{"file0", "a.py", numbered("x")}, part{"file1", "b.py", strings.Repeat("(", 600_000)})
		at := w.handsIn(part{"file0", "a.py", numbered("y")}, part{"file1", "b.py", strings.Repeat(")", 5_000_000)})
		a := w.do("tutor", "GET "+ownVersion+at+"/diff", nil).status(200)
		if n := a.Body.Len(); n > 3_000_000 {
			t.Errorf("%d bytes", n)
		}
		got := a.object()
		files := got["files"].([]any)
		if got["cut"] != true {
			t.Error("nothing was left out")
		}
		if f := files[0].(map[string]any); f["compared"] != true || f["added"].(float64) < 80_000 {
			t.Errorf("%v lines came, compared %v", f["added"], f["compared"])
		}
		has(t, "too long", files[1].(map[string]any), map[string]any{"state": "changed", "compared": false})
	})
}
