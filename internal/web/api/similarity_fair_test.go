package api

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"codeberg.org/go-pdf/fpdf"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/usecase/privacy"
)

// What was handed out is taken out of both sides, also where it comes after the work.
func TestTemplateIsNotTakenForSimilar(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.compares()
		for _, who := range []string{"student", "mate", "other"} {
			w.program(who, aProgram+fmt.Sprintf("print(%q)\n", who))
		}
		w.compared()
		if !w.flags("tutor", "student")[0] {
			t.Fatal("equal work is not flagged")
		}
		w.do("convenor", "POST "+defA+"/{defA1}/template", aFile("t.zip", zipOf(w, "start.py", aProgram))).status(200)
		w.compared()
		if got := w.found("tutor", "student"); got[0]["flagged"] != false {
			t.Errorf("what was handed out is taken for similar: %v", got)
		}
		w.do("convenor", "GET "+defA+"/{defA1}/template", nil).status(200)
		w.do("convenor", "DELETE "+defA+"/{defA1}/template", nil).status(204)
		w.compared()
		if !w.flags("tutor", "student")[0] {
			t.Error("without the template equal work is not flagged again")
		}
	})
}

// Work that came in before the task asked for a comparison is compared once it does.
func TestWorkIsComparedOnceTheTaskAsksForIt(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.asks("code")
		w.program("student", aProgram)
		w.program("other", aProgram)
		w.compared()
		if n := w.count("similarity_prints"); n != 0 {
			t.Fatalf("%d fingerprints of what is not compared", n)
		}
		w.do("convenor", "PUT "+defA+"/{defA1}", map[string]any{"task_def": map[string]any{
			"upload_requirements": `[{"key":"file0","name":"Program","type":"code","tii_check":true}]`}}).status(200)
		w.compared()
		if !w.flags("tutor", "student")[0] {
			t.Error("earlier work was not compared")
		}
	})
}

func report(t *testing.T, text string) string {
	t.Helper()
	f := fpdf.New("P", "mm", "A4", "")
	f.SetFont("Helvetica", "", 12)
	f.AddPage()
	f.MultiCell(0, 6, text, "", "", false)
	var b bytes.Buffer
	if err := f.Output(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Documents are compared by their words, each with its own threshold; code beside
// them by itself.
func TestDocumentsAreCompared(t *testing.T) {
	const essay = `The harbour bridge was never meant to carry trains. When the engineers of the northern line
		asked for two tracks in the autumn of that year, the drawings had already been sent to the foundry, and
		nobody dared to write to the owner again. What followed was a compromise that pleased none of them: a single
		track, laid off the centre, with a siding at each end where drivers waited for a flag. For thirty years the
		flag was carried by the same family, who kept a diary of every crossing and of the weather on that day.`
	each(t, func(t *testing.T, w *world) {
		w.define("upload_requirements = $1", `[{"key":"file0","name":"Program","type":"code","tii_check":true},
			{"key":"file1","name":"Essay","type":"document","tii_check":true,"tii_pct":60}]`)
		hand := func(who, program, text string) {
			w.do(who, "POST "+strings.ReplaceAll(submission, "project:student", "project:"+who), upload{nil, []part{
				{"file0", "work.py", program}, {"file1", "essay.pdf", report(t, text)}}}).status(201)
		}
		hand("student", aProgram, essay)
		hand("other", unlike, "My own words came first, and then: "+essay)
		hand("mate", unlikeToo, "Nothing here was taken from anywhere; it is about cats, their sleep and their food.")
		w.compared()
		got := w.found("tutor", "student")
		if len(got) != 1 || got[0]["file"] != "file1" || got[0]["flagged"] != true || got[0]["pct"].(float64) < 90 {
			t.Fatalf("%v", got)
		}
		a := w.do("tutor", fmt.Sprintf("GET %s/%v/contents/0", w.taskOf("student"), got[0]["id"]), nil).status(200)
		if page := a.Body.String(); !strings.Contains(page, "harbour bridge") || strings.Contains(page, "read_scores") {
			t.Error("the page does not show the essays alone")
		}
		if n := len(w.found("tutor", "mate")); n != 0 {
			t.Errorf("who wrote alone has %d similarities", n)
		}
	})
}

// The evidence names the files of the other work only to those who may know whose it is.
func TestFilesOfAnotherUnitAreNotNamedInTheEvidence(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.define("upload_requirements = $1", `[{"key":"file0","name":"Program","type":"code","tii_check":true},
			{"key":"file1","name":"More","type":"code","tii_check":true}]`)
		w.set(`UPDATE task_definitions SET first_id = $1, upload_requirements = (SELECT upload_requirements
			FROM task_definitions WHERE id = $1) WHERE id = $2`, w.id["defA1"], w.id["defB1"])
		const odd = "# beware of the third bucket\n"
		hand := func(who, def string) {
			w.later(time.Second)
			w.do(who, fmt.Sprintf("POST /api/projects/{project:%s}/task_def_id/{%s}/submission", who, def), upload{nil,
				[]part{{"file0", who + ".py", odd + aProgram}, {"file1", "more.py", unlike}}}).status(201)
		}
		hand("studentB", "defB1")
		hand("student", "defA1")
		w.compared()
		for who, want := range map[string]string{
			"tutor": "Line 1 (student.py), and line 1 of the other work: a comment that nobody else has.",
			"admin": "Line 1 (student.py), and line 1 (studentB.py) of the other work: a comment that nobody else has.",
		} {
			got := w.found(who, "student")
			if len(got) != 1 || !strings.Contains(got[0]["explanation"].(string), want) {
				t.Fatalf("%s sees %v, without %q", who, got, want)
			}
			page := w.do(who, fmt.Sprintf("GET %s/%v/contents/0", w.taskOf("student"), got[0]["id"]), nil).status(200)
			if !strings.Contains(page.Body.String(), "<li><bdi>"+want+"</bdi></li>") {
				t.Errorf("the page of %s lacks %q", who, want)
			}
		}
	})
}

// Work of another unit is shown to staff without rights there without a name.
func TestWorkOfAnotherUnitHasNoName(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.compares()
		w.set(`UPDATE task_definitions SET first_id = $1, upload_requirements = (SELECT upload_requirements
			FROM task_definitions WHERE id = $1) WHERE id = $2`, w.id["defA1"], w.id["defB1"])
		w.do("studentB", "POST /api/projects/{project:studentB}/task_def_id/{defB1}/submission",
			upload{nil, []part{{"file0", "studentB.py", "secret_before = 17\n" + aProgram}}}).status(201)
		w.program("student", aProgram)
		w.compared()
		for who, named := range map[string]bool{"tutor": false, "convenor": false, "admin": true} {
			got := w.found(who, "student")
			if len(got) != 1 {
				t.Fatalf("%s sees %v", who, got)
			}
			o := got[0]["other"].(map[string]any)
			if o["unit_code"] != "SIT10B" || (len(o["students"].([]any)) == 1) != named {
				t.Errorf("%s sees %v", who, o)
			}
			at := fmt.Sprintf("%s/%v", w.taskOf("student"), got[0]["id"])
			text := w.do(who, "GET "+at+"/contents/0", nil).status(200).Body.String() +
				w.do(who, "GET "+w.taskOf("student"), nil).Body.String() +
				w.do(who, "GET "+clusters, nil).status(200).Body.String()
			for _, secret := range []string{"studentB", "StudentB", "Studentb", "secret_before"} {
				if strings.Contains(text, secret) != named && (named == false || secret == "studentB") {
					t.Errorf("%s sees %q: %v", who, secret, !named)
				}
			}
			if !strings.Contains(text, "read_scores") {
				t.Errorf("%s does not see the passages", who)
			}
		}
	})
}

func TestClustersOfATask(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.compares()
		w.program("other", aProgram)
		w.program("student", aRenamed)
		w.program("mate", unlike)
		w.compared()
		list := w.do("tutor", "GET "+clusters, nil).status(200).list()
		if len(list) != 1 || list[0]["core"] != false || list[0]["file"] != "code" {
			t.Fatalf("%v", list)
		}
		members := list[0]["members"].([]any)
		if len(members) != 2 || fmt.Sprint(members[0].(map[string]any)["student"]) == "" {
			t.Fatalf("%v", members)
		}
		if first := members[0].(map[string]any)["student"].(map[string]any); first["username"] != "other" {
			t.Errorf("who handed in first is not first: %v", members)
		}
		w.do("student", "GET "+clusters, nil).status(403)
		// What a person found to be nothing ties nobody.
		for _, who := range []string{"student", "other"} {
			w.do("tutor", fmt.Sprintf("PUT %s/%v", w.taskOf(who), w.found("tutor", who)[0]["id"]),
				`{"flagged":false}`).status(200)
		}
		w.do("tutor", "GET "+clusters, nil).status(200).is(`[]`)
	})
}

// A solution that most of a class has is rare no more: it shows as a cluster.
func TestALeakedSolutionShowsAsACluster(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.compares()
		names := []string{"student", "mate", "other", "both"}
		names = append(names, w.crowd(0, 4)...) // enrolled, too
		for i, who := range names {
			w.program(who, aProgram+fmt.Sprintf("print(%d)\n", i))
		}
		w.compared()
		for _, c := range w.do("tutor", "GET "+clusters, nil).status(200).list() {
			if c["core"] == true && len(c["members"].([]any)) == len(names) {
				return
			}
		}
		t.Errorf("%s", w.do("tutor", "GET "+clusters, nil).Body)
	})
}

func TestFingerprintsExpireAndGoWithThePerson(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.compares()
		w.program("student", aProgram)
		w.program("other", aProgram)
		w.compared()
		if _, err := privacy.Erase(w.Context(), w.db, w.id["other"], false); err != nil {
			t.Fatal(err)
		}
		if n := w.count(`similarity_prints`); n != 1 {
			t.Errorf("%d fingerprints after the erasure, want 1", n)
		}
		// Neither a change of the task nor a late job brings them back.
		w.do("convenor", "POST "+defA+"/{defA1}/template", aFile("t.zip", zipOf(w, "a.py", "pass"))).status(200)
		w.compared()
		w.compared()
		if n := w.count(`similarity_prints`); n != 1 {
			t.Errorf("%d fingerprints after a change of the task, want 1", n)
		}
		if got := w.found("tutor", "student"); len(got) != 1 {
			t.Errorf("what was found is gone: %v", got)
		}
		w.program("mate", aRenamed)
		w.compared()
		if got := w.found("tutor", "mate"); len(got) != 1 {
			t.Errorf("new work is compared with %v", got)
		}
		w.api.usecases.Similarity.Days = 30
		w.now = w.now.AddDate(0, 0, 31)
		err := w.db.Tx(w.Context(), func(q db.Q) error {
			_, err := w.api.usecases.Similarity.Prune(w.Context(), q)
			return err
		})
		if n := w.count(`similarity_prints WHERE at < $1`, clock.At(w.now)); err != nil || n != 0 {
			t.Errorf("%d fingerprints after their time, %v", n, err)
		}
	})
}

// A task that was rolled over is compared with what was handed in for it before, but
// for one's own earlier attempt.
func TestEarlierTermsAreCompared(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.compares()
		w.program("student", aProgram)
		w.compared()
		w.secondPeriod("T2", 140)
		u := w.do("convenor", "POST /api/units/{unitA}/rollover",
			map[string]any{"teaching_period_id": w.id["T2"]}).status(201).object()
		w.id["unit2"] = int64(u["id"].(float64))
		w.id["def2"] = w.number(`SELECT id FROM task_definitions WHERE unit_id = $1 AND abbreviation = '1.1P'`,
			w.id["unit2"])
		for _, who := range []string{"student", "outsider"} {
			w.add("second:"+who, "projects", row{"unit_id": w.id["unit2"], "user_id": w.id[who],
				"created_at": w.db.Now(), "updated_at": w.db.Now()})
			w.do(who, "POST /api/projects/{second:"+who+"}/task_def_id/{def2}/submission",
				upload{nil, []part{{"file0", "again.py", aRenamed}}}).status(201)
			w.compared()
			w.id["second task:"+who] = w.number(`SELECT id FROM tasks WHERE project_id = $1`, w.id["second:"+who])
			got := w.do("convenor", "GET /api/tasks/{second task:"+who+"}/similarities", nil).status(200).list()
			if who == "student" && len(got) != 0 {
				t.Errorf("an earlier attempt is matched: %v", got)
			}
			if who == "outsider" && (len(got) != 1 || got[0]["flagged"] != true) {
				t.Errorf("work of another term is not found: %v", got)
			}
		}
	})
}
