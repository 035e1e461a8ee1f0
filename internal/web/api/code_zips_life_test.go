package api

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/blob"
	"lectern/internal/usecase/privacy"
)

// The files of a zip that student hands in, by path, and in their order.
var treePaths = []string{"README.md", "src/main.py", "src/shapes/main.py"}

// sendsTree hands a zip of them in, and gives the moment as the list of versions has it.
func (w *world) sendsTree() string {
	w.Helper()
	w.asksForZips()
	w.sendZip(zipOf(w, "src/main.py", "import shapes\n", "src/shapes/main.py", "PI = 3\n", "README.md", "# Mine\n")).status(201)
	w.made()
	var at []string
	w.do("student", "GET "+ownTask+"/submissions/timestamps", nil).status(200).into(&at)
	return at[0]
}

// named are the names of the files of a version, as a tutor gets them.
func (w *world) named(version string) []string {
	w.Helper()
	var names []string
	for _, f := range w.do("tutor", "GET "+ownVersion+version+"/files", nil).status(200).list() {
		names = append(names, fmt.Sprint(f["name"]))
	}
	return names
}

// holdsTree looks whether a version has the files of the zip, each with what is in it.
func (w *world) holdsTree(version string) {
	w.Helper()
	if diff := cmp.Diff(append(slices.Clone(treePaths), notes.name), w.named(version)); diff != "" {
		w.Errorf("its files are\n%s", diff)
	}
	for i, text := range []string{"# Mine\n", "import shapes\n", "PI = 3\n", notes.content} {
		if got := w.do("student", fmt.Sprint("GET ", ownVersion, version, "/files/", i), nil).status(200).object()["text"]; got != text {
			w.Errorf("file %d says %q", i, got)
		}
	}
}

// That a zip is taken is carried to the next teaching period, and there one is.
func TestAZipOfCodeInTheNextTeachingPeriod(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.sendsTree()
		start := w.secondPeriod("T2", 140)
		made := w.do("convenor", "POST /api/units/{unitA}/rollover", form{"teaching_period_id": fmt.Sprint(w.id["T2"])}).
			status(201).object()
		w.id["copy"] = int64(made["id"].(float64))
		for _, d := range made["task_definitions"].([]any) {
			if d := d.(map[string]any); d["abbreviation"] == "1.1P" {
				w.id["one"] = int64(d["id"].(float64))
			}
		}
		w.do("admin", "GET /api/units/{copy}/task_definitions/{one}", nil).status(200).has(`{"upload_requirements":[
			{"key":"file0","name":"Program","type":"code","tii_check":true,"zip":true},{"key":"file1","name":"Notes","type":"code"}]}`)
		w.now = start.AddDays(20).Time
		w.signInAgain("student")
		w.add("again", "projects", row{"unit_id": w.id["copy"], "user_id": w.id["student"], "campus_id": w.id["burwood"],
			"enrolled": true, "created_at": clock.At(w.now), "updated_at": clock.At(w.now)})
		send := func(field, content string) *answered {
			files := []part{{"file0", "main.py", "x\n"}, notes}
			for i := range files {
				if files[i].field == field {
					files[i] = part{field, "work.zip", content}
				}
			}
			return w.do("student", "POST /api/projects/{again}/task_def_id/{one}/submission", upload{nil, files})
		}
		send("file1", zipOf(t, "a.py", "x")).status(415).says("file1")
		send("file0", zipOf(t, "../a.py", "x")).status(415).says("file0", "leads out of it")
		send("file0", zipOf(t, "src/main.py", "import shapes\n", "b.py", "y\n")).status(201)
		names := w.rows(`SELECT f.name FROM submission_files f JOIN submissions s ON s.id = f.submission_id WHERE s.unit_id = $1
			AND f.zipped ORDER BY f.position`, w.id["copy"])
		if !slices.Equal(names, []string{"b.py", "src/main.py"}) {
			t.Errorf("there the files are %q", names)
		}
	})
}

// What somebody takes of their data has each file of a zip, told by its path. Erased with their files nothing of it is
// left, in no copy either.
func TestAZipOfCodeInExportAndErasure(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.sendsTree()
		got, s := w.exported("student")
		if len(s.Missing) > 0 {
			t.Errorf("missing: %v", s.Missing)
		}
		for i, text := range []string{"# Mine\n", "import shapes\n", "PI = 3\n", notes.content} {
			if !contains(got, text) {
				t.Errorf("file %d is not in the export", i)
			}
		}
		for _, path := range treePaths {
			if !strings.Contains(got["submission_files.json"], fmt.Sprintf("%q: %q", "name", path)) {
				t.Errorf("%s is not told: %s", path, got["submission_files.json"])
			}
		}
		if got, _ := w.exported("mate"); contains(got, "PI = 3\n") || strings.Contains(fmt.Sprint(got), "shapes") {
			t.Error("mate has it")
		}
		hash := w.text(`SELECT hash FROM submission_files WHERE name = 'src/shapes/main.py'`)
		if _, err := privacy.Erase(w.Context(), w.db, w.id["student"], true); err != nil {
			t.Fatal(err)
		}
		w.later(100 * time.Hour)
		if _, err := blob.Sweep(w.Context(), w.db, w.api.files); err != nil {
			t.Fatal(err)
		}
		if n := w.count("submission_files") + w.count(`blobs WHERE hash = $1`, hash); n != 0 {
			t.Errorf("%d are left", n)
		}
		for table, rows := range w.snapshot() {
			if table != "receipts" && table != "idempotency_keys" && strings.Contains(strings.Join(rows, "\n"), "src/shapes") {
				t.Errorf("%s still tells of it: %s", table, rows)
			}
		}
	})
}

// A task that is deleted with its work keeps the files of a zip with their paths for the student, and brings them back.
func TestAZipOfCodeComesBackWithItsTask(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := w.sendsTree()
		before := w.snapshot()
		w.do("convenor", "DELETE "+defA+"/{defA1}"+forced, nil).status(204)
		if n := w.count("submission_files"); n != 0 {
			t.Errorf("%d files are left", n)
		}
		w.keepsTree()
		w.deletion()
		w.do("convenor", "POST "+deletedOfA+"/{deletion}/restore", nil).status(200)
		w.hasWorkAsIn(before)
		w.holdsTree(at)
	})
}

// hasWorkAsIn compares what was handed in with what it was.
func (w *world) hasWorkAsIn(before map[string][]string) {
	w.Helper()
	after := w.snapshot()
	for _, table := range []string{"submissions", "submission_files", "submission_tasks"} {
		if diff := cmp.Diff(before[table], after[table]); diff != "" {
			w.Errorf("%s came back as\n%s", table, diff)
		}
	}
}

// keepsTree looks whether student can fetch each file of what was deleted, by its path.
func (w *world) keepsTree() {
	w.Helper()
	kept := map[string]string{}
	for _, f := range w.do("student", "GET /api/projects/{project:student}/deleted", nil).status(200).list() {
		if f["kind"] != "submission" {
			continue
		}
		w.id["file"] = int64(f["id"].(float64))
		kept[fmt.Sprint(f["name"])] = w.do("student", "GET /api/projects/{project:student}/deleted/{file}", nil).status(200).
			Body.String()
	}
	if diff := cmp.Diff(map[string]string{"README.md": "# Mine\n", "src/main.py": "import shapes\n",
		"src/shapes/main.py": "PI = 3\n", notes.name: notes.content}, kept); diff != "" {
		w.Errorf("student can fetch\n%s", diff)
	}
}

// A unit that is retired keeps the files of a zip for the student, or keeps them without what their paths tell of the
// student; undone, they are back with their paths.
func TestAZipOfCodeComesBackWithItsUnit(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := w.sendsTree()
		w.over()
		before := w.snapshot()
		for plan, left := range map[string]string{"delete_work": "", "anonymise": "file0-0.md file0-1.py file0-2.py file1.txt"} {
			w.retires(plan)
			names := w.rows(`SELECT name FROM submission_files ORDER BY position`)
			if got := strings.Join(names, " "); got != left {
				t.Errorf("%s leaves %q", plan, got)
			}
			w.keepsTree()
			w.do("convenor", "POST "+retirementsOfA+"/{retirement}/undo", nil).status(200)
			w.carriesOut()
			w.hasWorkAsIn(before)
			w.holdsTree(at)
		}
	})
}
