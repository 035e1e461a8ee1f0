package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/people/access"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/platform/jobs"
	"lectern/internal/teaching/similarity"
	"lectern/internal/teaching/similarity/engine"
)

const (
	similaritiesPath = "/api/tasks/{task_id}/similarities"
	similarities     = "/api/tasks/{task}/similarities"
	clustersPath     = "/api/units/{unit_id}/task_definitions/{id}/similarity_clusters"
	clusters         = "/api/units/{unitA}/task_definitions/{defA1}/similarity_clusters"
)

var _ = rights(
	rightRow{"GET " + similaritiesPath, similarities, staffA, nil},
	rightRow{"PUT " + similaritiesPath + "/{id}", similarities + "/1", staffA, `{"flagged":true}`},
	rightRow{"GET " + similaritiesPath + "/{id}/viewer_url", similarities + "/1/viewer_url", staffA, nil},
	rightRow{"GET " + similaritiesPath + "/{id}/contents/{idx}", similarities + "/1/contents/0", staffA, nil},
	rightRow{"GET " + clustersPath, clusters, staffA, nil},
	rightRow{"GET /api/similarity_pages/{token}", "/api/similarity_pages/x", "everybody", nil},
)

var _ = lists(
	listRow{route: "GET " + similaritiesPath, path: similarities, who: "tutor",
		fill: func(w *world, from, to int) {
			id := w.someSubmission()
			w.fill("task_similarities", from, to, func(i int) row {
				return row{"type": "TiiTaskSimilarity", "project_id": w.id["project:student"], "task_id": w.id["task"],
					"submission_id": id, "part": "document/file0", "outside_id": strconv.Itoa(i), "flagged": i%2 == 0,
					"created_at": w.db.Now()}
			})
		}},
	listRow{route: "GET " + clustersPath, path: clusters, who: "tutor", fill: (*world).alike},
)

// someSubmission gives the student's task a version, if it has none.
func (w *world) someSubmission() int64 {
	w.Helper()
	if w.id["version"] == 0 {
		at := clock.At(w.now)
		w.add("version", "submissions", row{"unit_id": w.id["unitA"], "task_id": w.id["task"],
			"user_id": w.id["student"], "at": at, "parts": 0, "state": "ready"})
		w.set(`INSERT INTO submission_tasks (task_id, at, submission_id, pct, pts) VALUES ($1, $2, $3, 100, 3)`,
			w.id["task"], at, w.id["version"])
	}
	return w.id["version"]
}

// outsideReport keeps a report of an outside service on a submission.
// Below zero the percentage is not known yet.
func (w *world) outsideReport(submission int64, id string, pct int, report string) {
	w.Helper()
	o := similarity.OutsideReport{SubmissionID: submission, Key: "file0", OutsideID: id, Pct: &pct,
		Threshold: 35}
	if pct < 0 {
		o.Pct = nil
	}
	if report != "" {
		info, err := w.api.files.Put(w.Context(), strings.NewReader(report))
		if err != nil {
			w.Fatal(err)
		}
		o.Report = &files.Info{Hash: info.Hash, Size: info.Size}
	}
	err := w.db.Tx(w.Context(), func(q db.Q) error { return similarity.SaveOutside(w.Context(), q, w.api.files, o) })
	if err != nil {
		w.Fatal(err)
	}
}

// Programs that solve the same small exercise: one, the same with other names, and
// two others.
const (
	aProgram = `import sys

def read_scores(path):
    scores = {}
    for line in open(path):
        name, points = line.strip().split(";")
        if name not in scores:
            scores[name] = []
        scores[name].append(int(points) * 3 - 1)
    return scores

def best(scores):
    winner, most = None, -1
    for name in sorted(scores):
        total = sum(scores[name]) // max(1, len(scores[name]))
        if total > most and not name.startswith("#"):
            winner, most = name, total
    return winner, most

if __name__ == "__main__":
    table = read_scores(sys.argv[1])
    print("%s wins with %d" % best(table))
`
	unlike = `values = [int(v) for v in input().split()]
while len(values) > 1:
    a = values.pop()
    b = values.pop(0)
    values.insert(len(values) // 2, a ^ b)
    print(values)
print("left over:", values[0] if values else "nothing at all")
`
	unlikeToo = `class Tree:
    def __init__(self, key):
        self.key, self.left, self.right = key, None, None

    def add(self, key):
        side = "left" if key < self.key else "right"
        below = getattr(self, side)
        if below is None:
            setattr(self, side, Tree(key))
        else:
            below.add(key)

root = Tree(50)
for k in (3, 70, 20):
    root.add(k)
`
)

var aRenamed = strings.NewReplacer("read_scores", "load", "scores", "d", "best", "top", "winner", "w", "most", "m",
	"total", "t", "name", "n", "points", "p", "table", "everything").Replace(aProgram)

// compares makes the first task of unit A compare what is handed in.
func (w *world) compares() {
	w.Helper()
	w.define("upload_requirements = $1", `[{"key":"file0","name":"Program","type":"code","tii_check":true}]`)
}

// hands in a program for the first task of unit A.
func (w *world) program(who, text string) {
	w.Helper()
	w.later(time.Second)
	w.do(who, "POST "+strings.ReplaceAll(submission, "project:student", "project:"+who),
		upload{nil, []part{{"file0", "work.py", text}}}).status(201)
}

// compared runs the jobs that compare, then those that bring scores up to date.
func (w *world) compared() {
	w.Helper()
	s := w.api.usecases.Similarity
	run(w, func(ctx context.Context, id int64) error {
		return s.Renew(ctx, jobs.Job{}, similarity.RenewArgs{First: id})
	}, "similarity renewal", "task_definition_id")
	run(w, func(ctx context.Context, id int64) error {
		return s.Compare(ctx, jobs.Job{}, similarity.Args{SubmissionID: id})
	}, "similarity", "submission_id")
	run(w, func(ctx context.Context, id int64) error {
		return s.Refresh(ctx, jobs.Job{}, similarity.RefreshArgs{First: id})
	}, "similarity scores", "task_definition_id")
}

// run works the waiting jobs of a kind that has one argument.
func run(w *world, work func(ctx context.Context, id int64) error, kind, argument string) {
	w.Helper()
	list := w.rows(`SELECT args AS v FROM jobs WHERE kind = $1 AND state = 'available' ORDER BY id`, kind)
	w.set(`UPDATE jobs SET state = 'done' WHERE kind = $1`, kind)
	for _, text := range list {
		args := map[string]int64{}
		if err := json.Unmarshal([]byte(text), &args); err != nil {
			w.Fatal(err)
		}
		if err := work(w.Context(), args[argument]); err != nil {
			w.Fatal(err)
		}
	}
}

// taskOf learns the task of somebody for the first definition.
func (w *world) taskOf(who string) string {
	w.Helper()
	w.id["task:"+who] = w.number(`SELECT id FROM tasks WHERE project_id = $1 AND task_definition_id = $2`,
		w.id["project:"+who], w.id["defA1"])
	return "/api/tasks/{task:" + who + "}/similarities"
}

// found gives the similarities of somebody's task as a caller sees them.
func (w *world) found(as, who string) []map[string]any {
	w.Helper()
	return w.do(as, "GET "+w.taskOf(who), nil).status(200).list()
}

func TestCopiedWorkIsToBeLookedAt(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.compares()
		w.program("student", aProgram)
		w.program("mate", unlike)
		w.program("other", aRenamed)
		w.compared()
		one := w.found("tutor", "student")
		if len(one) != 1 {
			t.Fatalf("%d similarities: %v", len(one), one)
		}
		got := one[0]
		for key, want := range map[string]any{"task_id": float64(w.id["task"]), "type": "LecternTaskSimilarity",
			"flagged": true, "pct": 100.0, "ready_for_viewer": true, "file": "code", "decided_at": nil} {
			if got[key] != want {
				t.Errorf("%s is %v, not %v", key, got[key], want)
			}
		}
		if d := got["similarity_details"].(map[string]any); d["type"] != "Lectern" || d["pct"] != 100.0 ||
			d["score"].(float64) < 45 {
			t.Errorf("details %v", d)
		}
		if p := got["parts"].([]any)[0].(map[string]any); p["format"] != "html" || p["idx"] != 0.0 ||
			p["description"] != "Student Person (student) and Other Person (other) - 100%" {
			t.Errorf("parts %v", p)
		}
		if o := got["other"].(map[string]any); o["unit_code"] != "SIT10A" || len(o["students"].([]any)) != 1 {
			t.Errorf("the other side %v", o)
		}
		p := got["passages"].([]any)[0].(map[string]any)
		if own := p["own"].(map[string]any); own["name"] != "work.py" || own["start_line"] != 1.0 ||
			own["end_line"] != 22.0 {
			t.Errorf("passage %v", p)
		}
		if n := len(w.found("tutor", "mate")); n != 0 {
			t.Errorf("who worked alone has %d similarities", n)
		}
		if n := len(w.found("tutor", "other")); n != 1 {
			t.Errorf("the other side has %d similarities", n)
		}
	})
}

// flags gives where somebody's work is marked, as a caller sees it.
func (w *world) flags(as, who string) (out []bool) {
	w.Helper()
	flag := func(path, key string, id int64) {
		for _, r := range w.do(as, "GET "+path, nil).status(200).list() {
			if r[key] == float64(id) {
				out = append(out, r["similarity_flag"].(bool))
			}
		}
	}
	project := w.id["project:"+who]
	if as != who || as == "both" {
		flag("/api/units/{unitA}/task_definitions/{defA1}/tasks", "project_id", project)
		flag("/api/units/{unitA}/tasks/inbox", "project_id", project)
		flag("/api/students?unit_id={unitA}", "id", project)
	}
	o := w.do(as, fmt.Sprintf("GET /api/projects/%d", project), nil).status(200).object()
	out = append(out, o["tasks"].([]any)[0].(map[string]any)["similarity_flag"].(bool))
	if f, there := o["similarity_flag"]; there {
		out = append(out, f.(bool))
	}
	return out
}

func TestSimilarityFlagIsForStaffOnly(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.compares()
		w.program("student", aProgram)
		w.program("both", aProgram)
		w.compared()
		if got := fmt.Sprint(w.flags("tutor", "student")); got != "[true true true true true]" {
			t.Errorf("the tutor sees %s", got)
		}
		if got := fmt.Sprint(w.flags("student", "student")); got != "[false]" {
			t.Errorf("the student sees %s", got)
		}
		// Who teaches the unit and studies it is their own student: they learn nothing
		// of their work, nor by the work of the one it is like.
		if got := fmt.Sprint(w.flags("both", "both")); strings.Contains(got, "true") {
			t.Errorf("of their own work a tutor sees %s", got)
		}
		if got := w.found("both", "student"); len(got) != 0 {
			t.Errorf("by another's work a tutor sees %v", got)
		}
		w.do("both", "GET "+w.taskOf("both"), nil).status(403)
		w.do("student", "GET "+w.taskOf("student"), nil).status(403)
	})
}

func TestADecisionStandsUntilTheWorkChanges(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.compares()
		w.program("student", aProgram)
		w.program("other", aProgram)
		w.compared()
		id := int64(w.found("tutor", "student")[0]["id"].(float64))
		at := fmt.Sprintf("%s/%d", w.taskOf("student"), id)
		w.do("tutor", "PUT "+at, `{}`).status(400)
		r := w.do("tutor", "PUT "+at, `{"flagged":false}`).status(200).object()
		if r["flagged"] != false || r["decided_by"] != float64(w.id["tutor"]) {
			t.Errorf("decided: %v", r)
		}
		if got := w.flags("tutor", "student"); got[0] {
			t.Error("what was decided on is still to be looked at")
		}
		if got := w.found("tutor", "other")[0]; got["flagged"] != true {
			t.Error("the other side lost its flag")
		}
		// Neither new scores nor the same files again bring the flag back.
		w.program("mate", unlike)
		w.program("student", aProgram)
		w.compared()
		if got := w.flags("tutor", "student"); got[0] {
			t.Errorf("the same work is flagged again: %v", w.found("tutor", "student"))
		}
		// Other work that is like it is another matter; what was found on the first stays.
		w.program("student", aProgram+"print('and more of it')\n")
		w.compared()
		if got := w.flags("tutor", "student"); !got[0] {
			t.Error("changed work is not flagged")
		}
		w.program("student", unlikeToo)
		w.compared()
		if got := w.found("tutor", "student"); len(got) != 3 || got[0]["flagged"] != true {
			t.Errorf("after clean work there are %d similarities, want 3", len(got))
		}
	})
}

func TestOwnVersionsAndGroupsAreNotMatched(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.compares()
		w.define("group_set_id = $1", w.id["set"])
		w.program("student", aProgram)
		w.program("mate", aProgram)
		w.add("blue", "unit_groups", row{"group_set_id": w.id["set"], "tutorial_id": w.id["tutorialA"], "name": "Blue"})
		w.add("", "group_memberships", row{"group_set_id": w.id["set"], "unit_group_id": w.id["blue"],
			"project_id": w.id["project:other"]})
		w.compared()
		if n := w.count("similarity_pairs"); n != 0 {
			t.Errorf("a group is matched with itself: %d pairs", n)
		}
		// Another group's copy shows at every member.
		w.program("other", aRenamed)
		w.compared()
		for _, who := range []string{"student", "mate", "other"} {
			if got := w.found("tutor", who); len(got) == 0 || got[0]["flagged"] != true {
				t.Errorf("%s has %v", who, got)
			}
		}
		if got := w.found("tutor", "other")[0]["other"].(map[string]any); len(got["students"].([]any)) != 2 {
			t.Errorf("the other side is %v", got)
		}
		// A decision for one member is one for all of them.
		for _, r := range w.found("tutor", "student") {
			w.do("tutor", fmt.Sprintf("PUT %s/%v", w.taskOf("student"), r["id"]), `{"flagged":false}`).status(200)
		}
		if w.flags("tutor", "mate")[0] {
			t.Error("the mate's task is still to be looked at")
		}
	})
}

func TestComparisonPage(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.compares()
		w.program("student", aProgram)
		w.program("other", aProgram+"# <script>alert(1)</script>\n")
		w.compared()
		at := fmt.Sprintf("%s/%v", w.taskOf("student"), w.found("tutor", "student")[0]["id"])
		a := w.do("tutor", "GET "+at+"/contents/0", nil).status(200)
		page := a.Body.String()
		for _, want := range []string{"<mark id=\"l1\"", "<mark id=\"r1\"", "Student Person (student)",
			"Other Person (other)", "submitted on", "read_scores"} {
			if !strings.Contains(page, want) {
				t.Errorf("the page has no %s", want)
			}
		}
		if strings.Contains(page, "<script") {
			t.Error("the page has a script")
		}
		if got := a.Header().Get("Content-Disposition"); got != `inline; filename=student_other_100.html` {
			t.Errorf("disposition %s", got)
		}
		if got := a.Header().Get("Content-Security-Policy"); !strings.HasPrefix(got, "sandbox; default-src 'none'") {
			t.Errorf("policy %s", got)
		}
		a = w.do("tutor", "GET "+at+"/contents/0?as_attachment=true", nil).status(200)
		if got := a.Header().Get("Content-Disposition"); !strings.HasPrefix(got, "attachment") {
			t.Errorf("disposition %s", got)
		}
		w.do("tutor", "GET "+at+"/contents/1", nil).status(404)
		w.do("tutor", "GET "+w.taskOf("student")+"/99999/contents/0", nil).status(404)
		w.do("tutor", "GET "+at+"/contents/x", nil).status(400, 404)
		w.taskOf("other")
		// Under another task there is no such similarity.
		w.do("tutor", strings.ReplaceAll("GET "+at+"/contents/0", "{task:student}", "{task:other}"), nil).status(404)
	})
}

func TestViewerURLIsGoodForAMinute(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.compares()
		w.program("student", aProgram)
		w.program("other", aProgram)
		w.compared()
		at := fmt.Sprintf("GET %s/%v/viewer_url", w.taskOf("student"), w.found("tutor", "student")[0]["id"])
		address := func() string {
			url := w.do("tutor", at, nil).status(200).object()["viewer_url"].(string)
			path, ours := strings.CutPrefix(url, "https://learn.example.edu")
			if !ours {
				t.Fatal(url)
			}
			return "GET " + path
		}
		url := address()
		if a := w.do("", url, nil).status(200); !strings.Contains(a.Body.String(), "Other Person") ||
			!strings.HasPrefix(a.Header().Get("Content-Disposition"), "inline") {
			t.Error("the address shows no page")
		}
		for i := range url[len("GET /api/similarity_pages/"):] {
			if i%7 != 0 {
				continue
			}
			b := []byte(url)
			at := &b[len("GET /api/similarity_pages/")+i]
			*at = map[bool]byte{true: 'B', false: 'A'}[*at == 'A']
			if a := w.do("", string(b), nil); a.Code == http.StatusOK {
				t.Fatalf("an address changed at %d is taken", i)
			}
		}
		w.later(time.Minute)
		w.do("", url, nil).status(404)
		// Whoever leaves the staff or signs out loses the page at once.
		url = address()
		w.set(`DELETE FROM unit_roles WHERE user_id = $1 AND id NOT IN (SELECT unit_role_id FROM tutorials)`,
			w.id["tutor"])
		w.set(`UPDATE sessions SET expires_at = $2 WHERE user_id = $1`, w.id["tutor"], clock.At(w.now))
		w.do("", url, nil).status(401)
	})
}

func TestOutsideReports(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.outsideReport(w.someSubmission(), "tii-1", -1, "")
		r := w.do("tutor", "GET "+similarities, nil).status(200).list()[0]
		if r["type"] != "TiiTaskSimilarity" || r["flagged"] != false || r["pct"] != 0.0 || r["score"] != nil ||
			r["ready_for_viewer"] != false || r["other"] != nil {
			t.Errorf("%v", r)
		}
		at := fmt.Sprintf("%s/%v", similarities, r["id"])
		w.do("tutor", "GET "+at+"/viewer_url", nil).status(409)
		w.outsideReport(w.someSubmission(), "tii-1", 61, "")
		r = w.do("tutor", "GET "+similarities, nil).status(200).list()[0]
		if r["flagged"] != true || r["pct"] != 61.0 || r["ready_for_viewer"] != true || len(r["parts"].([]any)) != 0 {
			t.Errorf("%v", r)
		}
		w.do("tutor", "GET "+at+"/contents/0", nil).status(404)
		w.do("tutor", "PUT "+at, `{"flagged":false}`).status(200)
		w.outsideReport(w.someSubmission(), "tii-1", 72, "%PDF-1.4 report")
		if r := w.do("tutor", "GET "+similarities, nil).list()[0]; r["pct"] != 72.0 || r["flagged"] != false {
			t.Errorf("brought up to date: %v", r)
		}
		a := w.do("tutor", "GET "+at+"/contents/0", nil).status(200)
		if a.Body.String() != "%PDF-1.4 report" || a.Header().Get("Content-Type") != "application/pdf" {
			t.Errorf("%s %s", a.Header().Get("Content-Type"), a.Body)
		}
		w.do("tutor", "GET "+at+"/viewer_url", nil).status(503)
		w.api.usecases.Report = func(_ context.Context, who *access.Caller, id string) (string, error) {
			return "https://outside.example/" + id + "/" + who.Username, nil
		}
		w.do("tutor", "GET "+at+"/viewer_url", nil).status(200).is(`{"viewer_url":"https://outside.example/tii-1/tutor"}`)
	})
}

// Fingerprints of an older form are made anew from the files, and compared again.
func TestFingerprintsOfAnOlderFormAreMadeAnew(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.compares()
		w.program("student", aProgram)
		w.program("other", aRenamed)
		w.compared()
		w.set(`UPDATE similarity_prints SET form = 1, packed = $1`, []byte{1, 0, 0, 0})
		w.set(`DELETE FROM similarity_pairs`)
		if err := w.api.usecases.Similarity.Remake(w.Context(), jobs.Job{}, similarity.RemakeArgs{}); err != nil {
			t.Fatal(err)
		}
		if n := w.count(`similarity_prints WHERE form = $1`, engine.PackVersion); n != 2 {
			t.Errorf("%d fingerprints of the new form", n)
		}
		w.compared()
		if got := w.found("tutor", "student"); len(got) != 1 || got[0]["flagged"] != true {
			t.Errorf("found again: %v", got)
		}
	})
}

// Rows whose work is gone are not tried again and again.
func TestFingerprintsOfNobodyAreNotMadeAnew(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.compares()
		w.program("student", aProgram)
		w.compared()
		w.set(`UPDATE similarity_prints SET form = 1`)
		w.set(`UPDATE users SET email_key = 'x@erased.invalid' WHERE id = $1`, w.id["student"])
		if err := w.api.usecases.Similarity.Remake(w.Context(), jobs.Job{}, similarity.RemakeArgs{}); err != nil {
			t.Fatal(err)
		}
		if n := w.count(`similarity_prints`); n != 0 {
			t.Errorf("%d fingerprints are left", n)
		}
	})
}
