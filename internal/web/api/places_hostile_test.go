package api

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// atOnce sends requests at the same time, and counts their answers.
func (w *world) atOnce(list ...[3]string) map[int]int {
	w.Helper()
	var mu sync.Mutex
	var wg sync.WaitGroup
	got := map[int]int{}
	for _, r := range list {
		var body any
		if r[2] != "" {
			body = r[2]
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

// Whatever a stranger sends as a place is refused or kept as it is, and never trouble of ours.
func TestHostilePlaces(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		v := w.pointable("student")
		w.made()
		astral := strings.Repeat("\U0001F600", 500)
		for i, c := range []struct {
			place  string
			status int
		}{
			{`"file":9223372036854775807,"line":1`, 422}, {`"file":-9223372036854775808,"line":1`, 422},
			{`"file":9223372036854775808,"line":1`, 400}, {`"file":1e3,"line":1`, 400}, {`"file":"x","line":1`, 400},
			{`"file":0,"line":9223372036854775807`, 400}, {`"file":0,"line":-1`, 400}, {`"file":0,"line":1.5`, 400},
			{`"file":0,"line":1,"end_line":9223372036854775807`, 400}, {`"file":0,"line":1,"end_line":-9223372036854775808`, 400},
			{`"file":0,"line":1000000,"end_line":1000000`, 422}, {`"file":0,"line":null`, 400}, {`"file":[0],"line":1`, 400},
			{`"file":{"a":1},"line":1`, 400}, {`"page":9223372036854775807`, 422}, {`"page":-1`, 422}, {`"page":true`, 400},
			{`"page":1,"x":"NaN","y":0.5`, 400}, {`"page":1,"x":"Inf","y":0.5`, 400}, {`"page":1,"x":"-Infinity","y":0`, 400},
			{`"page":1,"x":1e309,"y":0.5`, 400}, {`"page":1,"x":-0.0000001,"y":0.5`, 400}, {`"page":1,"x":"0x1p-2","y":0.5`, 0},
			{`"page":1,"x":-0,"y":1`, 201}, {`"page":1,"x":5e-324,"y":0.99999999`, 201},
			{`"page":1,"quote":"a\u0000b"`, 400}, {`"page":1,"quote":"` + astral + `x"`, 400},
			{`"page":1,"quote":"` + astral + `"`, 201}, {`"page":1,"quote":"\u202emain.c, line 1: \u2066hidden"`, 201},
			{`"page":1,"quote":"\ud800"`, 0}, {`"page":1,"quote":"<script>alert(1)</script>\r\n\t"`, 201},
			{`"page":1,"quote":"   "`, 201}, {`"page":1,"quote":["a"]`, 400},
		} {
			place := fmt.Sprintf(`{"submission_timestamp":%q,%s}`, v, c.place)
			w.later(time.Minute)
			a := w.do("tutor", "POST "+ownTask+"/comments", fmt.Sprintf(`{"comment":"number %d","place":%s}`, i, place))
			if a.Code >= 500 || c.status > 0 && a.Code != c.status {
				t.Errorf("%.60s: %d %.200s", c.place, a.Code, a.Body)
			}
			b := w.do("tutor", "POST "+ownVerdict, fmt.Sprintf(`{"version":%s,"comments":[{"comment":"c","place":%s}]}`,
				w.version("task"), place))
			if b.Code >= 500 || c.status >= 400 && b.Code != c.status {
				t.Errorf("in a verdict %.60s: %d %.200s", c.place, b.Code, b.Body)
			}
		}
		for _, comments := range []string{`{}`, `[[]]`, `[null]`, `"x"`, `[{"comment":"c"}]`, `[{"place":{}}]`, `[{"comment":"c","place":null}]`,
			`[{"comment":"c","place":[]}]`, strings.Repeat("[", 10000), `[{"comment":"a\u0000","place":` + lineOf(v, 1) + `}]`} {
			if a := w.do("tutor", "POST "+ownVerdict, `{"version":`+w.version("task")+`,"comments":`+comments+`}`); a.Code != 400 {
				t.Errorf("comments %.40s: %d %.200s", comments, a.Code, a.Body)
			}
		}
		if a := w.do("tutor", "POST /api/units/{unitA}/verdicts", fmt.Sprintf(`{"trigger":"fix","tasks":%s,"comments":[
			{"comment":"c","place":%s}]}`, w.batchOf(w.id["task"]), lineOf(v, 1))); a.Code >= 500 {
			t.Errorf("a batch with places: %d %.200s", a.Code, a.Body)
		}
		for _, path := range []string{"/files/99999999999999999999", "/files/%00", "/files/1e1", "/diff?against=%00",
			"/diff?against=" + strings.Repeat("9", 400), "/diff?against=-1", "/comments?limit=-1", "/comments?limit=x"} {
			if a := w.do("tutor", "GET "+ownVersion+v+path, nil); a.Code < 400 || a.Code >= 500 {
				t.Errorf("%.60s: %d %.200s", path, a.Code, a.Body)
			}
		}
		for _, at := range []string{"%00", "9223372036854775807", "-9223372036854775808", "1e3", "2026-13-40T99:99:99Z",
			strings.Repeat("1", 1000), "%F0%9F%98%80", "..%2f..", "%e2%80%ae"} {
			for _, end := range []string{"/files", "/files/0", "/diff", "/comments", "/commented"} {
				if a := w.do("tutor", "GET "+ownVersion+at+end, nil); a.Code != 404 && a.Code != 400 {
					t.Errorf("%.60s: %d %.200s", at+end, a.Code, a.Body)
				}
			}
		}
		list := w.do("student", "GET "+ownTask+"/comments", nil).status(200).Body.String()
		if strings.Contains(list, "Page 1, “\u202e") || strings.Contains(list, "Page 1, “\\u202e") {
			t.Error("a quote turns the words that follow its place")
		}
		text := w.commented("student", v)
		if strings.Contains(text, "\u202e") || !strings.Contains(text, "script") {
			t.Errorf("the copy says %s", text)
		}
		w.countsAreRight()
	})
}

// What is asked of one task, version or file does not reach another's.
func TestPlacesOfOthers(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code", "document", "code")
		send := func(who string, more ...part) string {
			w.later(time.Minute)
			path := "/api/projects/{project:" + who + "}/task_def_id/{defA1}"
			w.do(who, "POST "+path+"/submission", upload{files: append([]part{{"file0", "main.c", threeLines},
				{"file1", "report.pdf", samplePDF()}}, more...)}).status(201)
			var list []string
			w.do(who, "GET "+path+"/submissions/timestamps", nil).status(200).into(&list)
			return list[0]
		}
		mine := send("student", part{"file2", "more.c", "one\n"})
		theirs := send("mate", part{"file2", "theirs.c", "secret\n"})
		w.asks("code", "document")
		later := w.newVersion("student", threeLines)
		place := func(v string, file int) string {
			return fmt.Sprintf(`{"comment":"c","place":{"submission_timestamp":%q,"file":%d,"line":1}}`, v, file)
		}
		w.do("tutor", "POST "+ownTask+"/comments", place(mine, 2)).status(201)
		w.do("tutor", "POST "+ownTask+"/comments", place(later, 2)).status(422) // a number of another version
		w.do("tutor", "POST "+ownTask+"/comments", place(theirs, 2)).status(404)
		w.do("tutor", "POST /api/projects/{project:student}/task_def_id/{defA2}/comments", place(mine, 0)).status(404)
		for _, end := range []string{"/files", "/files/2", "/diff", "/comments", "/commented"} {
			w.do("tutor", "GET "+ownVersion+theirs+end, nil).status(404)
			w.do("student", "GET /api/projects/{project:mate}/task_def_id/{defA1}/submissions/timestamps/"+theirs+end, nil).status(403)
			w.do("", "GET "+ownVersion+mine+end, nil).status(401)
		}
		w.do("tutor", "GET "+ownVersion+mine+"/diff?against="+theirs, nil).status(404)
		w.points("c", "tutor", mine, 1, "Look")
		for _, who := range []string{"mate", "student"} {
			w.do(who, "PUT "+memberTask+"/comments/{c}/done", form{"done": "true"}).status(403, 404)
			w.do(who, "DELETE "+memberTask+"/comments/{c}", nil).status(403, 404)
		}
		if n := w.count("comment_places WHERE done_at IS NOT NULL"); n != 0 {
			t.Errorf("%d are ticked", n)
		}
	})
}

// A reply goes under its comment, stays when that is deleted, and a student neither sees what was never given nor
// what was taken back.
func TestRepliesToPoints(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		v := w.pointable("student")
		w.points("c", "tutor", v, 2, "Why?")
		w.do("student", "POST "+ownTask+"/comments", form{"comment": "So", "reply_to_id": w.path("{c}")}).status(201)
		w.comment("r", "tutor", ownTask, "Then no")
		w.set(`UPDATE task_comments SET reply_to_id = (SELECT max(id) FROM task_comments WHERE comment = 'So') WHERE id = $1`, w.id["r"])
		if got := w.where("student", v); got != "main.c, line 2 < So < Then no" {
			t.Errorf("it stands %s", got)
		}
		w.do("tutor", "DELETE "+ownTask+"/comments/{c}", nil).status(204)
		if got := w.where("student", v); got != "" {
			t.Errorf("what was deleted stands %s", got)
		}
		if text := w.do("student", "GET "+ownTask+"/comments", nil).status(200).Body.String(); !strings.Contains(text, `"So"`) {
			t.Errorf("the reply went with it: %s", text)
		}
		w.later(time.Minute)
		given := w.reviewed(v, "", 2)
		w.undo("tutor", given).status(200)
		for _, path := range []string{ownTask + "/comments", ownVersion + v + "/comments", "/api/news", ownTask + "/history"} {
			if text := w.do("student", "GET "+path, nil).status(200).Body.String(); strings.Contains(text, "Note 1") {
				t.Errorf("%s shows what was taken back: %s", path, text)
			}
		}
		w.countsAreRight()
	})
}

// While somebody ticks, the verdict is undone; while somebody comments, the next version comes. One of the two is
// first, and what is left fits.
func TestPlacesWhileMuchHappens(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		v := w.pointable("student")
		for range 5 {
			w.later(time.Minute)
			given := w.reviewed(v, "", 1)
			id := fmt.Sprintf("%.0f", given["pointed_ids"].([]any)[0])
			got := w.atOnce([3]string{"student", "PUT " + ownTask + "/comments/" + id + "/done", `{"done":true}`},
				[3]string{"tutor", fmt.Sprintf("POST /api/verdicts/%.0f/undo", given["id"]), `{}`})
			ticked := w.count("comment_places WHERE done_at IS NOT NULL")
			if undone := w.count("comment_places") == 0; undone == (ticked == 1) || got[200]+got[404]+got[409] != 2 || got[200] < 1 {
				t.Errorf("%v with %d ticked, undone %v", got, ticked, undone)
			}
			w.set(`DELETE FROM task_comments WHERE id IN (SELECT task_comment_id FROM comment_places)`)
			w.set(`UPDATE tasks SET new_to_student = (SELECT count(*) FROM task_comments c WHERE c.task_id = tasks.id
				AND c.type <> 'status' AND NOT EXISTS (SELECT 1 FROM comment_reads r JOIN projects p ON p.user_id = r.user_id
				WHERE r.task_comment_id = c.id AND p.id = tasks.project_id))`)
		}
		w.later(time.Minute)
		said := w.request("tutor", "POST "+ownTask+"/comments", fmt.Sprintf(`{"comment":"Late","place":%s}`, lineOf(v, 1)))
		sent := w.request("student", "POST "+submission, upload{files: []part{{"file0", "main.c", "x\n" + threeLines},
			{"file1", "report.pdf", samplePDF()}}})
		var wg sync.WaitGroup
		codes := make([]int, 2)
		for i, request := range []*http.Request{said, sent} {
			wg.Go(func() {
				rec := httptest.NewRecorder()
				w.api.ServeHTTP(rec, request)
				codes[i] = rec.Code
			})
		}
		wg.Wait()
		if diff := cmp.Diff([]int{201, 201}, codes); diff != "" {
			t.Error(diff)
		}
		var list []string
		w.do("student", "GET "+ownTask+"/submissions/timestamps", nil).status(200).into(&list)
		if got := w.where("student", list[0]); got != "main.c, line 2" || len(list) != 2 {
			t.Errorf("on the new version it stands %s", got)
		}
	})
}

// A tick tells nobody anything: no notification, no email, nothing in a list of what waits, nothing unread.
func TestATickTellsNobody(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		v := w.pointable("student")
		w.reviewed(v, "Look", 2)
		relay(w)
		id := w.number(`SELECT min(task_comment_id) FROM comment_places`)
		state := func() string {
			var out []string
			for who, paths := range map[string][]string{"student": {"/api/news", "/api/news/unread", "/api/projects/{project:student}"},
				"tutor": {"/api/news", "/api/news/unread", "/api/units/{unitA}/tasks/inbox", "/api/units/{unitA}/feedback"}} {
				for _, path := range paths {
					out = append(out, who+path+w.do(who, "GET "+path, nil).status(200).Body.String())
				}
			}
			slices.Sort(out)
			return strings.Join(out, "\n")
		}
		before := state()
		for i, done := range []string{"true", "false", "true"} {
			who := []string{"student", "tutor", "tutor"}[i]
			w.do(who, fmt.Sprintf("PUT %s/comments/%d/done", ownTask, id), form{"done": done}).status(200)
			relay(w)
			if diff := cmp.Diff(before, state()); diff != "" {
				t.Errorf("after %s by %s: %s", done, who, diff)
			}
		}
		w.countsAreRight()
	})
}

// What points at the work goes where comments go: into the sheet and the archives for marking offline, as text that
// begins with its place; not into a copy of the unit.
func TestPlacesInArchivesAndCopies(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		v := w.pointable("student")
		w.made()
		w.points("c", "student", v, 2, "Quokka asks")
		w.points("d", "tutor", v, 3, "Quokka answers")
		var all string
		for _, text := range w.batch("tutor", "") {
			all += text
		}
		for _, want := range []string{"main.c, line 2: Quokka asks", "main.c, line 3: Quokka answers"} {
			if !strings.Contains(all, want) {
				t.Errorf("the archive has no %q", want)
			}
		}
		w.secondPeriod("T2", 140)
		places := w.count("comment_places")
		w.do("convenor", "POST /api/units/{unitA}/rollover", form{"teaching_period_id": fmt.Sprint(w.id["T2"])}).status(201)
		if now := w.count("comment_places"); now != places || places != 2 {
			t.Errorf("%d places, and %d after the rollover", places, now)
		}
	})
}
