package api

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lectern/internal/usecase/privacy"
)

// threeLines is a file of three lines, the last without an end.
const threeLines = "first\r\nsecond\nthird"

// pointable has a student hand in a text and a PDF for their first task, and gives the version.
func (w *world) pointable(who string) string {
	w.Helper()
	w.asks("code", "document")
	return w.newVersion(who, threeLines)
}

// newVersion hands in once more, and gives the moment that names the version.
func (w *world) newVersion(who, text string) string {
	w.Helper()
	w.later(time.Minute)
	path := "/api/projects/{project:" + who + "}/task_def_id/{defA1}"
	w.do(who, "POST "+path+"/submission", upload{files: []part{{"file0", "main.c", text},
		{"file1", "report.pdf", samplePDF()}}}).status(201)
	var list []string
	w.do(who, "GET "+path+"/submissions/timestamps", nil).status(200).into(&list)
	return list[0]
}

// where lists where the comments that point stand in a version.
func (w *world) where(as, version string) string {
	w.Helper()
	var out []string
	for _, c := range w.do(as, "GET "+ownTask+"/submissions/timestamps/"+version+"/comments", nil).status(200).list() {
		text := c["where"].(string)
		if c["stands"] == nil {
			text += " (gone)"
		}
		for _, r := range c["replies"].([]any) {
			text += " < " + r.(map[string]any)["comment"].(string)
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

// lineOf is a place as JSON.
func lineOf(version string, line int) string {
	return fmt.Sprintf(`{"submission_timestamp":%q,"file":0,"line":%d}`, version, line)
}

// points says something at a line of a version, and remembers it by name.
func (w *world) points(name, as, version string, line int, text string) map[string]any {
	w.Helper()
	c := w.do(as, "POST "+ownTask+"/comments", fmt.Sprintf(`{"comment":%q,"place":%s}`, text,
		lineOf(version, line))).status(201).object()
	w.id[name] = int64(c["id"].(float64))
	return c
}

func TestACommentPointsAtTheWork(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		v := w.pointable("student")
		w.made()
		said := w.points("c", "tutor", v, 2, " Why twice? \n")
		want := map[string]any{"submission_timestamp": v, "version": 1.0, "file": 0.0, "name": "main.c", "line": 2.0,
			"end_line": 2.0, "page": nil, "quote": nil, "x": nil, "y": nil, "text": "Why twice?", "done_at": nil, "done_by": nil}
		if diff := cmp.Diff(want, said["place"]); diff != "" || said["comment"] != "main.c, line 2: Why twice?" ||
			said["type"] != "text" {
			t.Errorf("%v %s", said["comment"], diff)
		}
		w.do("tutor", "POST "+ownTask+"/comments", form{"comment": "A range", "place[submission_timestamp]": v,
			"place[file]": "0", "place[line]": "2", "place[end_line]": "3"}).status(201)
		w.do("student", "POST "+ownTask+"/comments", fmt.Sprintf(`{"comment":"See here","place":
			{"submission_timestamp":%q,"page":1,"quote":" of a\n report ","x":0.25,"y":1}}`, v)).status(201)
		w.do("tutor", "POST "+ownTask+"/comments", form{"comment": "No place", "reply_to_id": w.path("{c}")}).status(201)
		var texts []string
		list := w.do("student", "GET "+ownTask+"/comments", nil).status(200).list()[1:] // the first is of the hand-in
		for _, c := range list {
			texts = append(texts, c["comment"].(string))
		}
		if diff := cmp.Diff([]string{"main.c, line 2: Why twice?", "main.c, lines 2 to 3: A range",
			"Page 1, “of a report”: See here", "No place"}, texts); diff != "" {
			t.Error(diff)
		}
		if p := list[2]["place"].(map[string]any); p["x"] != 0.25 || p["y"] != 1.0 || p["page"] != 1.0 || p["file"] != nil ||
			p["text"] != "See here" {
			t.Errorf("the page: %v", p)
		}
		if _, has := list[3]["place"]; has {
			t.Error("a comment without a place has one")
		}
		w.newVersion("student", threeLines)
		if c := w.points("d", "tutor", v, 1, "The old one"); c["place"].(map[string]any)["version"] != 1.0 {
			t.Errorf("%v is not of the first version", c)
		}
		w.countsAreRight()
	})
}

func TestAPlaceThatIsNotInTheWorkIsRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		v := w.pointable("student")
		theirs := w.newVersion("mate", threeLines)
		place := func(more string) string { return fmt.Sprintf(`{"submission_timestamp":%q,%s}`, v, more) }
		long := strings.Repeat("é", 4090)
		refuse := func(status int, comment, place, says string) {
			t.Helper()
			w.do("tutor", "POST "+ownTask+"/comments", fmt.Sprintf(`{"comment":%q,"place":%s}`, comment, place)).
				status(status).says(says)
			w.do("tutor", "POST "+ownVerdict, fmt.Sprintf(`{"trigger":"fix","version":%s,"comments":[{"comment":%q,"place":%s}]}`,
				w.version("task"), comment, place)).status(status).says(says)
		}
		verdicts := w.count("verdicts")
		refuse(400, "c", `{"file":0,"line":1}`, "submission_timestamp] is required")
		refuse(400, "c", place(`"line":1`), "[file] is required")
		refuse(400, "c", place(`"file":0`), "[line] must be a line, from 1")
		refuse(400, "c", place(`"file":0,"line":0`), "[line] must be a line, from 1")
		refuse(400, "c", place(`"file":0,"line":1000001`), "from 1 to 1000000")
		refuse(400, "c", place(`"file":0,"line":2,"end_line":1`), "[end_line] must be line 2")
		refuse(400, "c", place(`"file":0,"line":1,"end_line":1001`), "at most 999 lines after it")
		refuse(400, "c", place(`"file":0,"line":1,"page":1`), "goes without page")
		refuse(400, "c", place(`"page":1,"line":1`), "[line] goes with a file")
		refuse(400, "c", place(`"page":1,"x":0.5`), "go together")
		refuse(400, "c", place(`"page":1,"x":0.5,"y":1.01`), "[y] must be from 0 to 1")
		refuse(400, "c", place(`"page":1,"quote":"`+strings.Repeat("x", 501)+`"`), "at most 500 characters")
		refuse(422, "c", place(`"page":1`), "the document of this version is not made")
		refuse(422, "c", place(`"file":2,"line":1`), "one of the 2 files")
		refuse(422, "c", place(`"file":-1,"line":1`), "one of the 2 files")
		refuse(422, "c", place(`"file":1,"line":1`), "has no lines")
		refuse(422, "c", place(`"file":0,"line":4`), "one of the 3 lines of main.c")
		refuse(422, "c", place(`"file":0,"line":3,"end_line":4`), "one of the 3 lines of main.c")
		refuse(404, "c", `{"submission_timestamp":"2001-01-01T00:00:00Z","file":0,"line":1}`, "no submission")
		refuse(404, "c", `{"submission_timestamp":"yesterday","file":0,"line":1}`, "no submission")
		refuse(404, "c", lineOf(theirs, 1), "no submission")
		refuse(400, "", lineOf(v, 1), "comment")
		refuse(400, long, lineOf(v, 1), "with its place, which takes 16")
		w.made()
		refuse(422, "c", place(`"page":99`), "pages of the document")
		refuse(422, "c", place(`"page":0`), "pages of the document")
		w.comment("plain", "student", ownTask, "Hello")
		w.do("tutor", "POST "+ownTask+"/comments", fmt.Sprintf(`{"comment":"A reply","reply_to_id":%d,"place":%s}`,
			w.id["plain"], lineOf(v, 1))).status(400).says("place is that of the comment")
		w.do("tutor", "POST "+ownTask+"/comments", upload{map[string]string{"comment": "A picture",
			"place[submission_timestamp]": v, "place[file]": "0", "place[line]": "1"},
			[]part{{"attachment", "a.png", pngFile}}}).status(400).says("place goes with words only")
		w.do("student", "DELETE "+ownTask+"/comments/{plain}", nil).status(204)
		var many []string
		for i := range 301 {
			many = append(many, fmt.Sprintf(`{"comment":"c%d","place":%s}`, i, lineOf(v, 1)))
		}
		w.do("tutor", "POST "+ownVerdict, fmt.Sprintf(`{"trigger":"fix","version":%s,"comments":[%s]}`, w.version("task"),
			strings.Join(many, ","))).status(400).says("comments are 301: the limit is 300")
		if now := w.count("comment_places"); now != 0 || w.count("verdicts") != verdicts {
			t.Errorf("%d places and %d verdicts", now, w.count("verdicts")-verdicts)
		}
	})
}

// reviewed is a verdict with comments at lines 1 to n of a version, and words with it unless empty.
func (w *world) reviewed(version, words string, n int) map[string]any {
	w.Helper()
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`{"comment":"Note %d","place":%s}`, i+1, lineOf(version, i+1)))
	}
	return w.do("tutor", "POST "+ownVerdict, fmt.Sprintf(`{"trigger":"fix","version":%s,"comment":%q,"key":%q,"comments":[%s]}`,
		w.version("task"), words, "k"+words, strings.Join(list, ","))).status(200).object()
}

// Comments come with the verdict as one: one transaction, one event, and one undo that gives
// them back.
func TestAVerdictCarriesCommentsThatPoint(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		v := w.pointable("student")
		w.later(time.Minute)
		w.do("tutor", "GET "+ownTask+"/comments", nil).status(200)
		for _, words := range []string{"All in all good", ""} {
			before, events := w.standing(), w.count("events WHERE kind = 'comment'")
			given := w.reviewed(v, words, 3)
			ids, _ := given["pointed_ids"].([]any)
			if len(ids) != 3 || (given["comment_id"] == nil) != (words == "") || w.count("comment_places") != 3 {
				t.Fatalf("given %v", given)
			}
			if n := w.count("events WHERE kind = 'comment'"); n != events+1 {
				t.Errorf("%d events of comments", n-events)
			}
			again := w.reviewed(v, words, 3)
			if fmt.Sprint(again["pointed_ids"]) != fmt.Sprint(ids) || w.count("comment_places") != 3 {
				t.Errorf("the same again: %v", again)
			}
			w.countsAreRight()
			w.later(time.Minute)
			undone := w.undo("tutor", given).status(200).object()
			back, _ := undone["pointed"].([]any)
			if len(back) != 3 || back[1].(map[string]any)["text"] != "Note 2" || back[2].(map[string]any)["line"] != 3.0 ||
				undone["comment"] != words {
				t.Errorf("undone %v", undone)
			}
			if diff := cmp.Diff(before, w.standing()); diff != "" || w.count("comment_places") != 0 {
				t.Error(diff)
			}
			if repeat := w.undo("tutor", given).status(200).object(); !cmp.Equal(repeat, undone) {
				t.Errorf("undone again: %v", repeat)
			}
			w.countsAreRight()
		}
		w.do("tutor", "POST "+ownVerdict, fmt.Sprintf(`{"trigger":"fix","version":%s,"key":"kAll in all good","comments":[
			{"comment":"Other","place":%s}]}`, w.version("task"), lineOf(v, 1))).status(409).says("This key was used")
		w.do("tutor", "POST "+ownVerdict, fmt.Sprintf(`{"trigger":"fix","version":1,"comments":[
			{"comment":"Late","place":%s}]}`, lineOf(v, 1))).status(409)
		if w.count("comment_places") != 0 {
			t.Error("a refused verdict left a comment")
		}
	})
}

func TestAnUndoneVerdictWasNotTicked(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		v := w.pointable("student")
		given := w.reviewed(v, "", 2)
		path := fmt.Sprintf("%s/comments/%.0f", ownTask, given["pointed_ids"].([]any)[0])
		w.do("student", "PUT "+path+"/done", form{"done": "true"}).status(200)
		w.undo("tutor", given).status(409).says("ticked as done")
		w.do("tutor", "PUT "+path+"/done", form{"done": "false"}).status(200)
		w.do("tutor", "DELETE "+path, nil).status(204)
		if back := w.undo("tutor", given).status(200).object()["pointed"].([]any); len(back) != 1 {
			t.Errorf("%v came back", back)
		}
	})
}

// The student ticks, the tutor opens it again. Nobody has anything to do by it.
func TestAPointIsTicked(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		v := w.pointable("student")
		w.reviewed(v, "Look", 1)
		id := w.number(`SELECT task_comment_id FROM comment_places`)
		w.do("student", "GET "+ownTask+"/comments", nil).status(200)
		w.comment("plain", "student", ownTask, "Hello")
		queue := func() string {
			return w.do("tutor", "GET /api/units/{unitA}/tasks/inbox", nil).status(200).Body.String() +
				fmt.Sprint(w.rows(`SELECT status || version || ' ' || new_to_staff || new_to_student AS v FROM tasks ORDER BY id`),
					w.count("task_comments"), w.count("comment_reads"), w.count("task_history"))
		}
		before := queue()
		path := fmt.Sprintf("PUT %s/comments/%d/done", ownTask, id)
		tick := func(as, done string, by any) {
			t.Helper()
			p := w.do(as, path, form{"done": done}).status(200).object()["place"].(map[string]any)
			if p["done_by"] != by || (p["done_at"] == nil) != (by == nil) {
				t.Errorf("%s: %v", as, p)
			}
		}
		student, tutor := float64(w.id["student"]), float64(w.id["tutor"])
		tick("student", "true", student)
		tick("tutor", "true", student) // it was done already
		tick("tutor", "false", nil)
		tick("student", "false", nil)
		tick("tutor", "true", tutor)
		tick("student", "false", nil)
		if now := queue(); now != before {
			t.Errorf("the queue was\n%s\nand is\n%s", before, now)
		}
		relay(w)
		if n := w.count(`events WHERE kind = 'comment' AND body LIKE '%reopened%'`); n != 2 {
			t.Errorf("%d events tell pages that it is open", n)
		}
		w.do("tutor", path, nil).status(400).says("done is required")
		w.do("student", "PUT "+ownTask+"/comments/{plain}/done", form{"done": "true"}).status(409).says("points at nothing")
		w.do("student", "PUT "+ownTask+"/comments/999999/done", form{"done": "true"}).status(404)
		w.do("mate", path, form{"done": "true"}).status(403)
		w.do("tutorB", path, form{"done": "true"}).status(403)
		w.do("mate", fmt.Sprintf("PUT %s/comments/%d/done", memberTask, id), form{"done": "true"}).status(404)
	})
}

// In a group all members see what points at their work, and any may tick it.
func TestAGroupSharesItsPoints(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code", "document")
		w.define("group_set_id = $1", w.id["set"])
		v := w.newVersion("student", threeLines)
		given := w.reviewed(v, "", 1)
		for _, c := range w.do("mate", "GET "+memberTask+"/comments", nil).status(200).list() {
			if p, ok := c["place"].(map[string]any); ok && p["line"] == 1.0 && p["submission_timestamp"] == v {
				w.id["shared"] = int64(c["id"].(float64))
			}
		}
		if w.id["shared"] != int64(given["pointed_ids"].([]any)[0].(float64)) {
			t.Fatal("a member does not see where the comment points")
		}
		p := w.do("mate", "PUT "+memberTask+"/comments/{shared}/done", form{"done": "true"}).status(200).object()["place"]
		if p.(map[string]any)["done_by"] != float64(w.id["mate"]) {
			t.Errorf("%v", p)
		}
		w.do("other", "PUT "+memberTask+"/comments/{shared}/done", form{"done": "true"}).status(403)
		w.do("mate", "POST "+memberTask+"/comments", fmt.Sprintf(`{"comment":"Mine","place":%s}`, lineOf(v, 3))).status(201)
		w.do("mate", "POST "+memberTask+"/comments", form{"comment": "Fixed", "reply_to_id": w.path("{shared}")}).status(201)
		if n := len(w.do("student", "GET "+ownTask+"/comments", nil).status(200).list()); n != 5 { // and two of the status
			t.Errorf("%d comments", n)
		}
	})
}

// Two tick at once, and a third deletes: whoever is first counts, and nothing is left halfway.
func TestTickingAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		v := w.pointable("student")
		at := func(list ...[3]string) map[int]int {
			var mu sync.Mutex
			var wg sync.WaitGroup
			got := map[int]int{}
			for _, r := range list {
				var body any
				if r[2] != "" {
					body = form{"done": r[2]}
				}
				request := w.request(r[0], r[1], body)
				wg.Go(func() {
					rec := httptest.NewRecorder()
					w.api.ServeHTTP(rec, request)
					mu.Lock()
					defer mu.Unlock()
					got[rec.Code]++
				})
			}
			wg.Wait()
			return got
		}
		for i := range 6 {
			w.points("c", "tutor", v, 1, fmt.Sprint("Note ", i))
			done := "PUT " + ownTask + "/comments/{c}/done"
			if got := at([3]string{"student", done, "true"}, [3]string{"tutor", done, "true"},
				[3]string{"convenor", done, "true"}); got[200] != 3 {
				t.Errorf("ticked at once: %v", got)
			}
			if n := w.count(`events WHERE kind = 'comment' AND body LIKE '%"action":"done"%'`); n != int64(i+1) {
				t.Errorf("%d events after %d", n, i+1)
			}
			got := at([3]string{"student", done, "false"}, [3]string{"tutor", "DELETE " + ownTask + "/comments/{c}", ""})
			if got[204] != 1 || got[200]+got[404] != 1 || w.count("comment_places") != 0 {
				t.Errorf("ticked while it was deleted: %v", got)
			}
		}
		w.countsAreRight()
	})
}

// Where comments point is in the export of those who wrote, received and ticked them, and stays with
// the comments when somebody is erased; nobody else has it.
func TestPlacesInExportAndErasure(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		v := w.pointable("student")
		w.points("c", "tutor", v, 2, "Quokka note")
		w.do("student", "PUT "+ownTask+"/comments/{c}/done", form{"done": "true"}).status(200)
		for _, who := range []string{"student", "tutor"} {
			got, _ := w.exported(who)
			if text := got["comment_places.json"]; !strings.Contains(text, "main.c, line 2: ") ||
				strings.Contains(text, `"done_by": `+fmt.Sprint(w.id["student"])) {
				t.Errorf("%s: %s", who, text)
			}
		}
		if got, _ := w.exported("mate"); strings.Contains(fmt.Sprint(got), "main.c, line 2") {
			t.Error("mate has it")
		}
		if _, err := privacy.Erase(w.Context(), w.db, w.id["student"], false); err != nil {
			t.Fatal(err)
		}
		var seen bool
		for _, c := range w.do("tutor", "GET "+ownTask+"/comments", nil).status(200).list() {
			p, ok := c["place"].(map[string]any)
			seen = seen || ok && p["line"] == 2.0 && p["done_at"] != nil
		}
		if !seen {
			t.Error("the staff lost where the comment points")
		}
	})
}

// Where a comment points follows its line into the next version, or says where it was.
func TestAPlaceFollowsItsLine(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code", "document")
		first := w.newVersion("student", "int main() {\n\treturn total(1);\n}\n// the end of it\n")
		w.made()
		w.points("a", "tutor", first, 2, "Why one?")
		w.points("b", "tutor", first, 4, "Say more")
		w.do("tutor", "POST "+ownTask+"/comments", fmt.Sprintf(`{"comment":"All of it","place":
			{"submission_timestamp":%q,"file":0,"line":1,"end_line":4}}`, first)).status(201)
		w.do("tutor", "POST "+ownTask+"/comments", fmt.Sprintf(`{"comment":"A page","place":
			{"submission_timestamp":%q,"page":1}}`, first)).status(201)
		w.comment("reply", "student", ownTask, "Because")
		w.set(`UPDATE task_comments SET reply_to_id = $1 WHERE id = $2`, w.id["a"], w.id["reply"])
		if got := w.where("student", first); got != "main.c, line 2 < Because; main.c, line 4; main.c, lines 1 to 4; Page 1" {
			t.Errorf("on its version: %s", got)
		}
		second := w.newVersion("student", "#include <stdio.h>\n\nint main() {\n\treturn total(2);\n}\nx = y\n")
		if got := w.where("tutor", second); got != "main.c, line 4 < Because; main.c, on version 1, line 4 (gone); "+
			"main.c, lines 3 to 5; On version 1, page 1 (gone)" {
			t.Errorf("on the next: %s", got)
		}
		w.points("c", "tutor", second, 6, "What is y?")
		third := w.newVersion("student", "x = y\n")
		if got := w.where("tutor", third); !strings.HasSuffix(got, "main.c, line 1") || strings.Count(got, "(gone)") != 4 {
			t.Errorf("on the third: %s", got)
		}
		if got := w.where("tutor", first); strings.Contains(got, "line 6") || strings.Contains(got, "gone") {
			t.Errorf("on the first again: %s", got)
		}
		if n := w.count("task_comments WHERE staff_read_at IS NULL AND type = 'text'"); n != 1 {
			t.Errorf("%d are new: looking where comments stand reads none", n)
		}
		at := "GET " + ownTask + "/submissions/timestamps/"
		w.do("student", at+"yesterday/comments", nil).status(404)
		w.do("mate", at+first+"/comments", nil).status(403)
		w.do("mate", "GET "+memberTask+"/submissions/timestamps/"+first+"/comments", nil).status(404)
	})
}
