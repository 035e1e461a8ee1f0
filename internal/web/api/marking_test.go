package api

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"lectern/internal/platform/sheet"
)

const (
	assessing = "/api/submission/assess?unit_id={unitA}"
	marked    = ownTask + "/submission/marked"
)

var _ = rights(
	rightRow{"GET /api/submission/assess", assessing, staffA, nil},
	rightRow{"POST /api/submission/assess", assessing, staffA,
		aFile("marks.csv", "Username,Name,Tutorial,Task,Status,New Grade,New Quality,New Comment\r\n")},
	rightRow{"GET /api/projects/{id}/task_def_id/{task_definition_id}/submission/marked", marked, readersA, nil},
)

// batch downloads what waits for someone.
func (w *world) batch(who, query string) map[string]string {
	w.Helper()
	return unzip(w, w.do(who, "GET "+assessing+query, nil).status(200).Body.Bytes())
}

// cells reads a sheet as rows of cells by their headings.
func cells(t testing.TB, text string) (out []sheet.Row) {
	t.Helper()
	r, err := sheet.Read(strings.NewReader(text), int64(len(text)), sheet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for row := range r.Rows() {
		out = append(out, row)
	}
	return out
}

// filled fills in a sheet: for each row, cells by heading.
func filled(t testing.TB, text string, fill ...map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	rows := cells(t, text)
	var heads []string
	for _, p := range rows[0].Pairs() {
		heads = append(heads, p[0])
	}
	out := sheet.Write(&b, heads)
	for i, r := range rows {
		var line []string
		for _, p := range r.Pairs() {
			value := p[1]
			if i < len(fill) {
				if v, ok := fill[i][p[0]]; ok {
					value = v
				}
			}
			line = append(line, value)
		}
		if err := out.Row(line...); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// counts gives how many rows were carried out, refused and ignored.
func counts(a *answered) string {
	a.w.Helper()
	o := a.status(201).object()
	n := func(list string) int { return len(o[list].([]any)) }
	return fmt.Sprintf("%d done, %d refused, %d ignored", n("success"), n("errors"), n("ignored"))
}

func (w *world) handIn(who, def string) {
	w.Helper()
	w.do(who, "POST /api/projects/{project:"+who+"}/task_def_id/{"+def+"}/submission",
		upload{files: []part{code}}).status(201)
}

func TestMarkOffline(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code")
		w.define("is_graded = TRUE, max_quality_pts = 5")
		w.handIn("student", "defA1")
		w.handIn("other", "defA1")
		w.made()
		w.do("other", "POST /api/projects/{project:other}/task_def_id/{defA1}/comments",
			form{"comment": "=HYPERLINK(\"http://evil\")"}).status(201)
		got := w.batch("tutor", "")
		task := w.number(`SELECT id FROM tasks WHERE project_id = $1`, w.id["project:other"])
		want := []string{"manifest.json", "marks.csv", fmt.Sprintf("other/1_1P-%d.pdf", task), "readme.txt",
			fmt.Sprintf("student/1_1P-%d.pdf", w.id["task"])}
		if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, want) {
			t.Fatalf("got %v, want %v", names, want)
		}
		if !strings.Contains(got["marks.csv"], `"'=HYPERLINK(""http://evil"")"`) {
			t.Errorf("a formula is not guarded: %s", got["marks.csv"])
		}
		if rows := cells(t, got["marks.csv"]); len(rows) != 2 || rows[0].Get("username") != "other" ||
			rows[0].Get("status") != "rff" ||
			rows[0].Get("tutorial") != "LA1" || rows[0].Get("max_quality") != "5" ||
			rows[0].Get("student's_last_comment") != `=HYPERLINK("http://evil")` {
			t.Errorf("rows %v", rows)
		}
		upload := func(content string) *answered {
			return w.do("tutor", "POST "+assessing, aFile("marks.csv", content))
		}
		history := func() int64 { return w.count("task_history") + w.count("task_comments") + w.count("marks_taken") }

		before := history()
		if got := counts(upload(got["marks.csv"])); got != "0 done, 0 refused, 2 ignored" || history() != before {
			t.Errorf("an untouched sheet: %s", got)
		}
		// The grade is missing, then wrong: nothing moves.
		for _, bad := range []map[string]string{
			{"status": "complete", "new_quality": "4"}, {"status": "complete", "new_grade": "x", "new_quality": "4"},
			{"status": "complete", "new_grade": "p", "new_quality": "6"}, {"status": "complete", "new_grade": "p",
				"new_quality": "four"},
			{"status": "wonderful"}, {"new_quality": "3"}, {"task": "9.9X", "status": "fix"},
			{"username": "nobody", "status": "fix"},
			{"status": "fix", "new_comment": strings.Repeat("x", 5000)}, {"status": "fix", "version": "77"},
			{"status": "fix", "task_id": "77"}, {"status": "fix", "version": "=1"},
		} {
			if got := counts(upload(filled(t, got["marks.csv"], bad))); got != "0 done, 1 refused, 1 ignored" ||
				history() != before {
				t.Errorf("%.100v: %s", bad, got)
			}
		}
		text := filled(t, got["marks.csv"], map[string]string{"status": "Complete", "new_grade": "hD",
			"new_quality": "4", "new_comment": "+1, well done"})
		if got := counts(upload(text)); got != "1 done, 0 refused, 1 ignored" {
			t.Error(got)
		}
		if n := w.count(`tasks WHERE id = $1 AND status = 'complete' AND grade = 3 AND quality_pts = 4`, task); n != 1 {
			t.Error("the row was not carried out")
		}
		if n := w.count(`task_comments WHERE task_id = $1 AND comment = '+1, well done' AND user_id = $2`, task,
			w.id["tutor"]); n != 1 {
			t.Errorf("%d comments", n)
		}
		before = history()
		for range 2 {
			if got := counts(upload(text)); got != "0 done, 0 refused, 2 ignored" || history() != before {
				t.Errorf("the same sheet again: %s", got)
			}
		}
		// A sheet of the old version, but with something else in it.
		late := filled(t, got["marks.csv"], map[string]string{"status": "redo"}, map[string]string{"status": "fix"})
		if got := counts(upload(late)); got != "1 done, 1 refused, 0 ignored" {
			t.Error(got)
		}
		w.do("other", "GET /api/projects/{project:other}/task_def_id/{defA1}/submission/marked", nil).status(404)
		if n := w.count(`tasks WHERE id = $1 AND status = 'complete'`, task); n != 1 {
			t.Error("a row about a task that had changed was carried out")
		}
	})
}

// A sheet without our own columns is taken too, and once.
func TestMarkByHandMadeSheet(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		text := "username;name;tutorial;task;status;new grade;new quality;new comment\r\nSTUDENT;x;y;1.1P;Fix;;;Look " +
			"again\r\n"
		post := func() string { return counts(w.do("convenor", "POST "+assessing, aFile("m.csv", text))) }
		if got := post(); got != "1 done, 0 refused, 0 ignored" {
			t.Error(got)
		}
		if got := post(); got != "0 done, 0 refused, 1 ignored" {
			t.Error(got)
		}
		w.set(`UPDATE tasks SET status = 'ready_for_feedback', submission_date = $2, version = version + 1
			WHERE id = $1`, w.id["task"], w.db.Now())
		w.now = w.now.Add(1e9)
		w.set(`UPDATE tasks SET submission_date = $2 WHERE id = $1`, w.id["task"], w.db.Now())
		if got := post(); got != "1 done, 0 refused, 0 ignored" {
			t.Errorf("after another submission: %s", got)
		}
		w.do("convenor", "POST "+assessing, aFile("m.csv",
			"username,task\r\nstudent,1.1P\r\n")).status(400).says("Missing headings")
		w.do("convenor", "POST "+assessing, aFile("m.csv", "%PDF-1.7\x00")).status(415)
		w.do("convenor", "POST "+assessing+"&user_id=99999", aFile("m.csv", text)).status(422)
		w.do("convenor", "GET "+assessing+"&user_id={student}", nil).status(422)
		w.do("convenor", "GET "+assessing+"&user_id={tutorB}", nil).status(422)
	})
}

// Rights follow the caller: user_id only chooses whose classes.
func TestMarkersRights(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("student", "PUT "+ownTask, form{"trigger": "rff"}).status(200)
		w.do("both", "PUT /api/projects/{project:both}/task_def_id/{defA1}", form{"trigger": "rff"}).status(200)
		rows := func(who, query string) (out []string) {
			for _, r := range cells(t, w.batch(who, query)["marks.csv"]) {
				out = append(out, r.Get("username"))
			}
			return out
		}
		for _, c := range []struct{ who, query, want string }{
			{"tutor", "", "[both student]"}, {"convenor", "", "[]"}, {"convenor", "&user_id={tutor}", "[both student]"},
			{"both", "&user_id={tutor}", "[student]"}, {"admin", "", "[]"}, {"admin", "&user_id={tutor}",
				"[both student]"},
		} {
			if got := fmt.Sprint(rows(c.who, c.query)); got != c.want {
				t.Errorf("%s%s: %s, want %s", c.who, c.query, got, c.want)
			}
		}
		text := filled(t, w.batch("tutor", "")["marks.csv"], map[string]string{"status": "complete"},
			map[string]string{"status": "complete"})
		if got := counts(w.do("both", "POST "+assessing+"&user_id={tutor}",
			aFile("m.csv", text))); got != "1 done, 1 refused, 0 ignored" {
			t.Error(got)
		}
		if n := w.count(`tasks WHERE project_id = $1 AND status = 'complete'`, w.id["project:both"]); n != 0 {
			t.Error("someone marked their own work")
		}
		w.set(`DELETE FROM tutorial_enrolments WHERE project_id = $1`, w.id["project:both"])
		if got := fmt.Sprint(rows("convenor", "")); got != "[both]" {
			t.Errorf("the main convenor answers those without a class: %s", got)
		}
		w.do("tutorB", "POST "+assessing+"&user_id={tutor}", aFile("m.csv", text)).status(403)
		w.do("convenorB", "POST /api/submission/assess?unit_id={unitB}", aFile("m.csv", text)).status(201)
		if n := w.count(`tasks WHERE unit_id = $1`, w.id["unitB"]); n > 0 {
			t.Errorf("a sheet of unit A made tasks in B: %v", w.rows(`SELECT status FROM tasks WHERE unit_id = $1`,
				w.id["unitB"]))
		}
	})
}

func TestMarkGroups(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code")
		w.define("group_set_id = $1", w.id["set"])
		w.handIn("mate", "defA1")
		w.made()
		got := w.batch("tutor", "")
		rows := cells(t, got["marks.csv"])
		work := w.number(`SELECT id FROM group_submissions`)
		if len(rows) != 1 || rows[0].Get("username") != fmt.Sprintf("GRP_%d_%d", w.id["group"], work) ||
			rows[0].Get("name") != "Red" {
			t.Fatalf("rows %v", rows)
		}
		name := ""
		for n := range got {
			if strings.HasPrefix(n, "Red/1_1P-") {
				name = n
			}
		}
		pairs := []string{"sub/marks.csv", filled(t, got["marks.csv"], map[string]string{"status": "fix",
			"new_comment": "Together now"}),
			"sub/" + name, aPDF, "sub/manifest.json", got["manifest.json"], "__MACOSX/sub/._marks.csv", "x",
			"sub/._x-1.pdf", "y", "sub/notes.docx", "z"}
		post := func() string {
			return counts(w.do("tutor", "POST "+assessing, aFile("back.zip", zipOf(t, pairs...))))
		}
		if got := post(); got != "2 done, 0 refused, 1 ignored" {
			t.Error(got)
		}
		if n := w.count(`tasks WHERE status = 'fix_and_resubmit' AND group_submission_id = $1`, work); n != 2 {
			t.Errorf("%d tasks of the group moved", n)
		}
		for _, who := range []string{"student", "mate"} {
			at := "/api/projects/{project:" + who + "}/task_def_id/{defA1}/submission"
			if b := w.do(who, "GET "+at+"/marked", nil).status(200).Body.String(); b != aPDF {
				t.Errorf("%s gets another copy", who)
			}
			if b := w.do(who, "GET "+at, nil).status(200).Body.String(); b != aPDF {
				t.Error("the document is not the annotated one")
			}
			if w.do(who, "GET "+at+"_details", nil).status(200).object()["marked_at"] == nil {
				t.Error("the details do not tell of the marked copy")
			}
		}
		if got := post(); got != "0 done, 0 refused, 3 ignored" {
			t.Errorf("again: %s", got)
		}
		w.handIn("student", "defA1")
		w.made()
		pairs[3] = strings.Replace(aPDF, "%PDF-1.7", "%PDF-1.6", 1)
		if got := post(); got != "0 done, 1 refused, 2 ignored" {
			t.Errorf("a copy of work handed in again: %s", got)
		}
	})
}

// Whatever comes instead of a batch: a clear answer, and nothing is done.
func TestHostileBatches(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code")
		w.handIn("student", "defA1")
		w.made()
		text := w.batch("tutor", "")["marks.csv"]
		pdf := fmt.Sprintf("student/1_1P-%d.pdf", w.id["task"])
		packed := func(f func(z *zip.Writer)) string {
			var b bytes.Buffer
			z := zip.NewWriter(&b)
			f(z)
			z.Close()
			return b.String()
		}
		entry := func(z *zip.Writer, h *zip.FileHeader, content string) {
			e, err := z.CreateHeader(h)
			if err == nil {
				_, err = e.Write([]byte(content))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		link := &zip.FileHeader{Name: pdf}
		link.SetMode(fs.ModeSymlink | 0o777)
		bomb := strings.Repeat("\x00", 120<<20)
		for _, c := range []struct {
			name, content string
			want          int
			says          string // in the error, or the counts
		}{
			{"slip", zipOf(t, "marks.csv", text, "../../etc/cron.d/x", "boo"), 415, "leads out"},
			{"drive", zipOf(t, `C:\marks.csv`, text), 415, "leads out"},
			{"bomb", packed(func(z *zip.Writer) {
				entry(z, &zip.FileHeader{Name: "marks.csv", Method: zip.Deflate}, bomb)
			}), 413, "unpacks to more"},
			{"nested", zipOf(t, "all.zip", zipOf(t, "marks.csv", text)), 422, "one marks.csv"},
			{"two sheets", zipOf(t, "marks.csv", text, "b/MARKS.CSV", text), 422, "it holds 2"},
			{"many", packed(func(z *zip.Writer) {
				for i := range 5001 {
					entry(z, &zip.FileHeader{Name: fmt.Sprint(i)}, "")
				}
			}), 413, "5001"},
			{"cut off", zipOf(t, "marks.csv", text)[:50], 415, "damaged"},
			{"encrypted", strings.NewReplacer("PK\x01\x02\x14\x00\x14\x00\x08\x00",
				"PK\x01\x02\x14\x00\x14\x00\x09\x00").Replace(zipOf(t, "marks.csv", text)), 415, "password"},
			{"link", packed(func(z *zip.Writer) {
				entry(z, &zip.FileHeader{Name: "marks.csv"}, text)
				entry(z, link, "/etc/passwd")
			}), 201, "0 done, 1 refused, 1 ignored"},
			{"no PDF", zipOf(t, "marks.csv", text, pdf, "MZ\x90"), 201, "0 done, 1 refused, 1 ignored"},
			{"of nobody", zipOf(t, "marks.csv", text, "x-999999.pdf", samplePDF()), 201,
				"0 done, 1 refused, 1 ignored"},
			{"broken manifest", zipOf(t, "marks.csv", text, "manifest.json", "{"), 201, "0 done, 0 refused, 2 ignored"},
			{"another unit", zipOf(t, "marks.csv", text, "manifest.json", `{"format":1,"unit_id":999,"unit":"X"}`), 422,
				"another unit"},
			{"deep manifest", zipOf(t, "marks.csv", text, "manifest.json", strings.Repeat("[", 1<<20)), 201,
				"0 done, 0 refused, 2 ignored"},
			{"formulas", filled(t, text, map[string]string{"status": "=cmd|' /C calc'!A0", "new_comment": "@SUM(1)"}),
				201, "0 done, 1 refused, 0 ignored"},
			{"a bad quote", text + "\"x", 400, "quote"},
			{"nothing", "", 400, ""},
		} {
			got := w.do("tutor", "POST "+assessing, aFile("batch.zip", c.content))
			if got.Code != c.want {
				t.Errorf("%s: got %d, want %d: %.300s", c.name, got.Code, c.want, got.Body)
				continue
			}
			if c.want == 201 {
				if n := counts(got); n != c.says {
					t.Errorf("%s: %s, want %s: %.500s", c.name, n, c.says, got.Body)
				}
			} else {
				got.says(c.says)
			}
		}
		if n := w.count(`task_history WHERE actor_id = $1`, w.id["tutor"]) + w.count(`marked_copies`); n != 0 {
			t.Errorf("%d things were done", n)
		}
	})
}

// The same batch sent several times at once is carried out once.
func TestMarkAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.do("student", "PUT "+ownTask, form{"trigger": "rff"}).status(200)
		text := filled(t, w.batch("tutor", "")["marks.csv"], map[string]string{"status": "fix", "new_comment": "Once"})
		var all sync.WaitGroup
		results := make(chan string, 6)
		for range 6 {
			all.Go(func() { results <- counts(w.do("tutor", "POST "+assessing, aFile("m.csv", text))) })
		}
		all.Wait()
		close(results)
		got := map[string]int{}
		for r := range results {
			got[r]++
		}
		if got["1 done, 0 refused, 0 ignored"] != 1 || got["0 done, 0 refused, 1 ignored"] != 5 {
			t.Errorf("%v", got)
		}
		if n := w.count(`task_comments WHERE comment = 'Once'`); n != 1 {
			t.Errorf("said %d times", n)
		}
	})
}
