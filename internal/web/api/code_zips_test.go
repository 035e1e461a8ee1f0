package api

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/taskdef"
)

// asksForZips makes the first task of unit A ask for code that may be a zip, and for code that may not.
func (w *world) asksForZips() {
	w.Helper()
	w.do("convenor", "PUT "+defA+"/{defA1}", `{"task_def":{"upload_requirements":[
		{"key":"file0","name":"Program","type":"code","tii_check":true,"zip":true},{"key":"file1","name":"Notes","type":"code"}]}}`).
		status(200)
}

var notes = part{"file1", "notes.txt", "Done.\n"}

// sendZip hands a zip in, with the notes.
func (w *world) sendZip(content string) *answered {
	w.Helper()
	w.later(time.Minute)
	return w.do("student", "POST "+submission, upload{nil, []part{{"file0", "work.zip", content}, notes}})
}

func TestAZipOfCodeIsTakenAsTheFilesInIt(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asksForZips()
		w.do("student", "GET "+defA+"/{defA1}", nil).status(200).has(`{"upload_requirements":[
			{"key":"file0","name":"Program","type":"code","zip":true},{"key":"file1","name":"Notes","type":"code"}]}`)
		o := w.sendZip(zipOf(t, "src/main.py", "import shapes\n", "src/", "", "src/shapes/__init__.py", "", "README.md", "# Mine\n",
			".git/HEAD", "ref", "__MACOSX/src/._main.py", "\x00", "src/.DS_Store", "\x00")).status(201).object()
		var got []string
		for _, f := range o["receipt"].(map[string]any)["body"].(map[string]any)["files"].([]any) {
			f := f.(map[string]any)
			got = append(got, fmt.Sprint(f["key"], " ", f["name"], " ", f["sha256"]))
		}
		want := []string{}
		for _, f := range []part{{"file0", "README.md", "# Mine\n"}, {"file0", "src/main.py", "import shapes\n"},
			{"file0", "src/shapes/__init__.py", ""}, notes} {
			want = append(want, fmt.Sprintf("%s %s %x", f.field, f.name, sha256.Sum256([]byte(f.content))))
		}
		if !slices.Equal(got, want) {
			t.Errorf("the receipt names %q, want %q", got, want)
		}
		w.made()
		has(t, "details", w.do("student", "GET "+ownTask+"/submission_details", nil).status(200).object(), map[string]any{
			"state": "ready", "has_pdf": true, "reason": nil})
		folder := fmt.Sprintf("%d/", w.id["task"])
		files := unzip(t, w.do("tutor", "GET "+ownTask+"/submissions/latest", nil).status(200).Body.Bytes())
		if fmt.Sprint(files) != fmt.Sprint(map[string]string{folder + "file0/README.md": "# Mine\n",
			folder + "file0/src/main.py": "import shapes\n", folder + "file0/src/shapes/__init__.py": "",
			folder + "003-code.txt": notes.content}) {
			t.Errorf("the archive holds %q", files)
		}
		files = unzip(t, w.do("tutor", "GET /api/submission/unit/{unitA}/task_definitions/{defA1}/download_submissions",
			nil).status(200).Body.Bytes())
		if got := files["1_1P-submissions/student/file0/src/main.py"]; got != "import shapes\n" {
			t.Errorf("the archive of all holds %q", files)
		}
		at := ownVersion + o["submitted_at"].(string)
		list := w.do("tutor", "GET "+at+"/files", nil).status(200).list()
		if len(list) != 4 {
			t.Fatalf("%d files", len(list))
		}
		has(t, "a file of the zip", list[1], map[string]any{"number": 1.0, "name": "src/main.py", "in_zip": true,
			"is_text": true, "title": "Program"})
		has(t, "a file beside it", list[3], map[string]any{"number": 3.0, "name": "notes.txt", "in_zip": false})
		has(t, "its text", w.do("student", "GET "+at+"/files/1", nil).status(200).object(), map[string]any{
			"text": "import shapes\n"})
		w.do("tutor", "GET "+at+"/files/2", nil).status(200).has(`{"text":""}`)

		// A file is told by its path: in the next version one changed, one came, one moved and one went.
		two := w.sendZip(zipOf(t, "src/main.py", "import shapes\nrun()\n", "README.md", "# Mine\n", "new.py", "x\n",
			"src/forms/__init__.py", "")).status(201).object()["submitted_at"].(string)
		fates := map[string]string{}
		for _, f := range w.do("tutor", "GET "+ownVersion+two+"/diff", nil).status(200).object()["files"].([]any) {
			f := f.(map[string]any)
			fates[fmt.Sprint(f["old_name"], " ", f["name"])] = fmt.Sprint(f["state"])
		}
		if fmt.Sprint(fates) != fmt.Sprint(map[string]string{"README.md README.md": "unchanged",
			"src/main.py src/main.py": "changed", "<nil> new.py": "added", "notes.txt notes.txt": "unchanged",
			"src/shapes/__init__.py src/forms/__init__.py": "unchanged"}) {
			t.Errorf("what changed: %v", fates)
		}
		// A file by itself is taken as before.
		w.later(time.Minute)
		w.do("student", "POST "+submission, upload{nil, []part{{"file0", "a.py", "x\n"}, notes}}).status(201)
		if n := w.number(`SELECT count(*) FROM submission_files WHERE zipped`); n != 7 {
			t.Errorf("%d files of zips", n)
		}
	})
}

func TestAZipIsTakenOnlyWhereTheTaskSaysSo(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code")
		w.do("student", "POST "+submission, upload{nil, []part{{"file0", "a.zip", zipOf(t, "a.py", "x")}}}).status(415).
			says("file0", "must be text, such as program code, but its content is application/zip")
		for _, kind := range []string{"document", "image"} {
			w.do("convenor", "PUT "+defA+"/{defA1}", `{"task_def":{"upload_requirements":[{"key":"file0","name":"Essay","type":"`+
				kind+`","zip":true}]}}`).status(400).says("only one of type code may")
		}
		w.do("convenor", "PUT "+defA+"/{defA1}", `{"task_def":{"upload_requirements":[{"key":"file0","name":"Essay","type":"code",
			"zip":"perhaps"}]}}`).status(400)
	})
}

// linked is a zip of a link.
func linked(t testing.TB) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	h := &zip.FileHeader{Name: "a.py"}
	h.SetMode(fs.ModeSymlink | 0o777)
	if w, err := z.CreateHeader(h); err != nil {
		t.Fatal(err)
	} else if _, err = w.Write([]byte("/etc/passwd")); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// protected is a zip that says of its files that a password protects them.
func protected(t testing.TB) string {
	t.Helper()
	b := []byte(zipOf(t, "a.py", "x"))
	at := bytes.Index(b, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint16(b[at+8:], 1|binary.LittleEndian.Uint16(b[at+8:]))
	return string(b)
}

// ofMany is a zip of so many files, with others that nobody counts.
func ofMany(t testing.TB, n int) string {
	t.Helper()
	pairs := []string{"src/", "", ".git/HEAD", "x", "__MACOSX/a", "x"}
	for i := range n {
		pairs = append(pairs, fmt.Sprintf("src/f%03d.py", i), fmt.Sprintln("x =", i))
	}
	return zipOf(t, pairs...)
}

func TestHostileZipsOfCodeAreRefusedInWords(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asksForZips()
		big, whole := strings.Repeat("x = 1 # one\n", submit.MostFile/12), zipOf(t, "a.py", strings.Repeat("x = 1\n", 500))
		for _, c := range []struct {
			what, content string
			status        int
			says          string
		}{
			{"201 files", ofMany(t, taskdef.MostZipped+1), 413, "holds 201 files; at most 200 are accepted"},
			{"no files", zipOf(t), 415, "no files with anything in them"},
			{"folders only", zipOf(t, "src/", "", ".git/HEAD", "x"), 415, "no files with anything in them"},
			{"empty files", zipOf(t, "a.py", ""), 415, "no files with anything in them"},
			{"a program", zipOf(t, "ok.py", "x", "bin/a.exe", "MZ\x00\x00\x01"), 415, `"bin/a.exe" in the zip`},
			{"a picture", zipOf(t, "ok.py", "x", "a.png", smallPNG), 415, "but its content is image/png"},
			{"a zip in the zip", zipOf(t, "ok.py", "x", "more.zip", zipOf(t, "b.py", "x")), 415, `"more.zip" in the zip`},
			{"a bomb", zipBomb(), 413, "larger than"},
			{"a file too large", zipOf(t, "a.py", big+"and more, and more"), 413, `"a.py" in the zip is larger than`},
			{"too large together", zipOf(t, "a", big, "b", big, "c", big, "d", big, "e", big, "f", big), 413, "together"},
			{"out of the zip", zipOf(t, "../a.py", "x"), 415, "leads out of it"},
			{"from the root", zipOf(t, "/etc/a.py", "x"), 415, "leads out of it"},
			{"a name in two cases", zipOf(t, "A.py", "x", "a.py", "y"), 415, "beside each other"},
			{"a file and a folder", zipOf(t, "a", "x", "a/b", "y"), 415, "beside each other"},
			{"no UTF-8", zipOf(t, "a\xff.py", "x"), 415, "not UTF-8"},
			{"a turned name", zipOf(t, "a\u202eyp.exe", "x"), 415, "some systems cannot hold"},
			{"a link", linked(t), 415, "is a link"},
			{"a password", protected(t), 415, "password"},
			{"half a zip", whole[:len(whole)/2], 415, "not a zip archive, or it is damaged"},
			{"an office file", zipOf(t, "[Content_Types].xml", "<x/>", "word/document.xml", "<x/>"), 415, "must be text"},
		} {
			t.Run(c.what, func(t *testing.T) {
				w.sendZip(c.content).status(c.status).says("file0", c.says)
			})
		}
		if n := w.count("submissions"); n != 0 {
			t.Errorf("%d submissions", n)
		}
		w.sendZip(ofMany(t, taskdef.MostZipped)).status(201)
		if n := w.count("submission_files"); n != taskdef.MostZipped+1 {
			t.Errorf("%d files", n)
		}
		w.made()
		has(t, "details", w.do("student", "GET "+ownTask+"/submission_details", nil).status(200).object(), map[string]any{
			"state": "ready", "reason": nil})
	})
}

// Two zips of one submission hold 200 files together.
func TestZipsOfASubmissionShareTheRoom(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.define("upload_requirements = $1", `[{"key":"a","name":"A","type":"code","zip":true},
			{"key":"b","name":"B","type":"code","zip":true}]`)
		send := func(a, b int) *answered {
			w.later(time.Minute)
			return w.do("student", "POST "+submission, upload{nil, []part{{"a", "a.zip", ofMany(t, a)},
				{"b", "b.zip", ofMany(t, b)}}})
		}
		send(150, 51).status(413).says("b", "holds 51 files; at most 50 are accepted beside those of the other zip")
		send(150, 50).status(201)
	})
}

// The zip that one of a group sends is the group's, with its files; sent again under its key it is the same.
func TestAGroupHandsAZipIn(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.define("group_set_id = $1", w.id["set"])
		w.asksForZips()
		content := zipOf(t, "src/main.py", "x\n", "b.py", "y\n")
		send := func() *answered {
			return w.do("student", "POST "+submission, upload{nil, []part{{"file0", "w.zip", content}, notes}},
				"Idempotency-Key", "once").status(201)
		}
		first := send().object()["submission_id"]
		if again := send().object()["submission_id"]; again != first {
			t.Errorf("submission %v, and again %v", first, again)
		}
		theirs := strings.ReplaceAll(ownTask, "project:student", "project:mate")
		list := w.do("mate", "GET "+theirs+"/submissions/timestamps/"+w.at("mate").String()+"/files", nil).status(200).list()
		if len(list) != 3 || list[1]["name"] != "src/main.py" {
			t.Errorf("the mate sees %v", list)
		}
	})
}

// Zips are compared file by file, wherever a file lies; the evidence and the page name the files of both.
func TestZipsAreComparedFileByFile(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.define("upload_requirements = $1", `[{"key":"file0","name":"Program","type":"code","tii_check":true,"zip":true}]`)
		hand := func(who string, pairs ...string) {
			w.later(time.Second)
			w.do(who, "POST "+strings.ReplaceAll(submission, "project:student", "project:"+who), upload{nil,
				[]part{{"file0", "w.zip", zipOf(t, pairs...)}}}).status(201)
		}
		const odd = "# beware of the third bucket\n"
		hand("mate", "lib/buckets.py", odd+aProgram, "main.py", "from lib import buckets\n")
		hand("student", "src/deep/mine.py", odd+aProgram, "README.md", "Mine, all mine.\n")
		w.compared()
		got := w.found("tutor", "student")
		if len(got) != 1 {
			t.Fatalf("%d records", len(got))
		}
		want := "Line 1 (src/deep/mine.py), and line 1 (lib/buckets.py) of the other work: a comment that nobody else has."
		if text := got[0]["explanation"].(string); !strings.Contains(text, want) {
			t.Errorf("%q lacks %q", text, want)
		}
		for _, one := range got[0]["passages"].([]any) {
			one := one.(map[string]any)
			if own, other := one["own"].(map[string]any), one["other"].(map[string]any); own["name"] != "src/deep/mine.py" ||
				other["name"] != "lib/buckets.py" {
				t.Errorf("passage %v", one)
			}
		}
		page := w.do("tutor", fmt.Sprintf("GET %s/%v/contents/0", w.taskOf("student"), got[0]["id"]), nil).status(200)
		for _, name := range []string{"src/deep/mine.py", "lib/buckets.py", "README.md", "main.py"} {
			if !strings.Contains(page.Body.String(), "<h3>"+name+"</h3>") {
				t.Errorf("the page lacks %s", name)
			}
		}
	})
}
