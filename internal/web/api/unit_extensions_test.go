package api

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
)

const unitExtensions = "/api/units/{id}/extensions"

var _ = rights(
	rightRow{"GET " + unitExtensions, "/api/units/{unitA}/extensions", staffA, nil},
	rightRow{"POST " + unitExtensions, "/api/units/{unitA}/extensions", staffA,
		`{"extensions":[4711],"granted":true}`},
)

var _ = lists(
	listRow{route: "GET " + unitExtensions, path: "/api/units/{unitA}/extensions", who: "tutor",
		fill: fill("task_comments", func(w *world, i int) row {
			return row{"task_id": w.id["task"], "unit_id": w.id["unitA"], "user_id": w.id["student"],
				"recipient_id": w.id["tutor"], "type": "extension", "comment": "ill", "extension_weeks": 1,
				"created_at": clock.At(w.now.Add(time.Duration(i) * time.Second))}
		})},
)

const (
	listExt   = "GET /api/units/{unitA}/extensions"
	decideExt = "POST /api/units/{unitA}/extensions"
	otherTask = "/api/projects/{project:other}/task_def_id/{defA1}"
)

// asked lists what one of the staff sees of the requests, as words of the names.
func (w *world) asked(as, more string) string {
	w.Helper()
	var out []string
	for _, o := range w.do(as, listExt+more, nil).status(200).list() {
		out = append(out, o["username"].(string))
	}
	return strings.Join(out, " ")
}

func TestExtensionsOfAUnitInOneList(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.byHand()
		due, err := db.One[clock.Date](t.Context(), w.db.Pool(), `SELECT target_date FROM task_definitions WHERE id = $1`,
			w.id["defA1"])
		if err != nil {
			t.Fatal(err)
		}
		w.ask("e1", "student", ownTask, "2")
		w.now = w.now.Add(time.Minute)
		w.ask("e2", "mate", memberTask, "1")
		w.now = w.now.Add(time.Minute)
		w.ask("e3", "other", otherTask, "1")
		if got := w.asked("tutor", ""); got != "student mate other" {
			t.Errorf("oldest first: %s", got)
		}
		o := w.do("tutor", listExt, nil).status(200).list()[0]
		has(t, "the first", o, map[string]any{"id": float64(w.id["e1"]), "weeks_requested": 2.0, "comment": "I was ill",
			"due_date": due.String(), "due_date_if_granted": due.AddDays(14).String(), "granted": nil,
			"project_id": float64(w.id["project:student"]), "task_definition_id": float64(w.id["defA1"]),
			"tutorial_id": float64(w.id["tutorialA"]), "date_assessed": nil})
		for more, want := range map[string]string{"?mine=true": "student mate other", "?decided=true": "",
			"?task_definition_id={defA1}": "student mate other", "?task_definition_id={defA2}": "",
			"?tutorial_id={tutorialA}": "student mate other", "?tutorial_id={tutorialB}": "",
			"?task_definition_id={defB1}": "", "?limit=1&offset=1": "mate"} {
			if got := w.asked("tutor", more); got != want {
				t.Errorf("%s: %q, want %q", more, got, want)
			}
		}
		if got := w.asked("convenor", "?mine=true"); got != "" {
			t.Errorf("the convenor has no class: %s", got)
		}
		w.do("tutor", "PUT "+ownTask+"/assess_extension/{e1}", form{"granted": "true"}).status(200)
		w.now = w.now.Add(time.Minute)
		w.do("tutor", "PUT "+memberTask+"/assess_extension/{e2}", form{"granted": "false"}).status(200)
		if open, done := w.asked("tutor", ""), w.asked("tutor", "?decided=true"); open != "other" || done != "mate student" {
			t.Errorf("open %s, decided %s", open, done)
		}
		o = w.do("tutor", listExt+"?decided=true", nil).status(200).list()[1]
		has(t, "decided", o, map[string]any{"granted": true, "due_date": due.AddDays(14).String(),
			"due_date_if_granted": nil, "assessor_first_name": "Tutor"})
		w.set(`UPDATE projects SET enrolled = FALSE WHERE id = $1`, w.id["project:other"])
		if got := w.asked("tutor", ""); got != "" {
			t.Errorf("withdrawn: %s", got)
		}
		w.do("student", listExt, nil).status(403)
		w.do("tutorB", "GET /api/units/{unitB}/extensions", nil).status(200).is(`[]`)
	})
}

// outcomes are the outcomes of a batch, in order.
func outcomes(list []map[string]any) string {
	var out []string
	for _, o := range list {
		out = append(out, o["outcome"].(string))
	}
	return strings.Join(out, " ")
}

func TestExtensionsAreDecidedInOneGo(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.byHand()
		w.ask("e1", "student", ownTask, "1")
		w.ask("e2", "student", ownTask, "2") // with e1 all three weeks that fit
		w.ask("e3", "student", ownTask, "1") // so that none is left for it
		w.ask("e4", "mate", memberTask, "1")
		w.ask("e5", "other", otherTask, "1")
		w.do("tutor", "PUT "+memberTask+"/assess_extension/{e4}", form{"granted": "false"}).status(200)
		ids := fmt.Sprintf("[%d,%d,%d,%d,%d,%d,999999]", w.id["e1"], w.id["e2"], w.id["e3"], w.id["e4"], w.id["e5"],
			w.id["e1"])
		body := func(more string) string { return `{"extensions":` + ids + `,"granted":true` + more + `}` }
		const want = "granted granted rejected decided granted refused"
		events := w.count("events WHERE kind = 'extension'")
		plan := w.do("tutor", decideExt, body(`,"dry_run":true`)).status(200).list()
		if got := outcomes(plan); got != want {
			t.Fatalf("planned %s, want %s", got, want)
		}
		day := w.monday().AddDays(28)
		has(t, "the second", plan[1], map[string]any{"due_date": day.String(), "username": "student",
			"message": "Extension granted to " + day.Format("Mon 2 Jan") + "."})
		if n := w.count("task_comments WHERE extension_assessed_at IS NOT NULL"); n != 1 ||
			w.count("events WHERE kind = 'extension'") != events || w.count("tasks WHERE extensions > 0") != 0 {
			t.Errorf("the plan changed something: %d decided", n)
		}
		done := w.do("tutor", decideExt, body("")).status(200).list()
		if fmt.Sprint(done) != fmt.Sprint(plan) {
			t.Errorf("done %v, planned %v", done, plan)
		}
		if w.count("tasks WHERE extensions = 3 AND id = $1", w.id["task"]) != 1 ||
			w.count("events WHERE kind = 'extension' AND unit_id = $1", w.id["unitA"]) != events+4 ||
			w.count(`audit_outbox WHERE entries LIKE '%"granted"%"granted"%"granted"%'`) != 1 ||
			w.count("task_comments WHERE type = 'extension' AND extension_granted") != 3 {
			t.Error("not all was written")
		}
		// Once more: nothing is decided twice.
		if got := outcomes(w.do("convenor", decideExt, body("")).status(200).list()); got !=
			"decided decided decided decided decided refused" {
			t.Errorf("again: %s", got)
		}
		if w.asked("tutor", "") != "" {
			t.Error("something is still open")
		}
	})
}

// What was only late is ready for feedback again, and nobody decides on their own.
func TestBatchOfExtensionsKeepsTheRules(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.byHand()
		w.ask("late", "student", ownTask, "3")
		w.set(`UPDATE tasks SET status = 'time_exceeded', submission_date = $2 WHERE id = $1`, w.id["task"],
			clock.At(w.monday().AddDays(10).Time))
		plan := w.do("tutor", decideExt, fmt.Sprintf(`{"extensions":[%d],"granted":true}`, w.id["late"])).status(200)
		if got := outcomes(plan.list()); got != "granted" {
			t.Errorf("%s", got)
		}
		if w.count("tasks WHERE id = $1 AND status = 'ready_for_feedback' AND extensions = 3", w.id["task"]) != 1 ||
			w.count("task_history WHERE task_id = $1 AND to_status = 'ready_for_feedback'", w.id["task"]) != 1 {
			t.Error("the work is still late")
		}
		w.ask("own", "both", "/api/projects/{project:both}/task_def_id/{defA1}", "1")
		own := fmt.Sprintf(`{"extensions":[%d],"granted":true}`, w.id["own"])
		if got := outcomes(w.do("both", decideExt, own).status(200).list()); got != "refused" {
			t.Errorf("one's own: %s", got)
		}
		if got := w.asked("both", ""); got != "" {
			t.Errorf("one's own is listed: %s", got)
		}
		w.do("tutor", decideExt, `{"extensions":[],"granted":true}`).status(422)
		w.do("tutor", decideExt, `{"extensions":[`+strings.Repeat("1,", 500)+`1],"granted":true}`).status(422)
		w.do("student", decideExt, own).status(403)
		// A request of another unit is none here.
		if got := outcomes(w.do("tutorB", "POST /api/units/{unitB}/extensions", own).status(200).list()); got != "refused" {
			t.Errorf("of another unit: %s", got)
		}
	})
}

// Two decide on the same requests at once: each request is decided once.
func TestTwoBatchesAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.byHand()
		w.ask("e1", "student", ownTask, "1")
		w.ask("e2", "mate", memberTask, "1")
		var all sync.WaitGroup
		got := make([]string, 2)
		for i, who := range []string{"tutor", "convenor"} {
			ids := []any{w.id["e1"], w.id["e2"]}
			if i == 1 {
				ids[0], ids[1] = ids[1], ids[0]
			}
			all.Go(func() {
				got[i] = outcomes(w.do(who, decideExt, fmt.Sprintf(`{"extensions":[%d,%d],"granted":true}`, ids...)).
					status(200).list())
			})
		}
		all.Wait()
		if s := got[0] + "|" + got[1]; s != "granted granted|decided decided" && s != "decided decided|granted granted" {
			t.Errorf("%s", s)
		}
		if n := w.count(`audit_outbox WHERE entries LIKE '%"granted"%"granted"%'`); n != 1 {
			t.Errorf("%d batches granted", n)
		}
	})
}

func TestTheListOfExtensionsFollowsIndexes(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.byHand()
		w.ask("e1", "student", ownTask, "1")
		for _, more := range []string{"", "?decided=true", "?mine=true&limit=5"} {
			texts := w.reads("tutor", listExt+more, "FROM task_comments c JOIN tasks t")
			for _, text := range texts {
				plan := w.plan(text) // PostgreSQL may find so few by the index of undecided ones
				if strings.Contains(plan, "Seq Scan") || strings.Contains(plan, "SCAN ") ||
					!strings.Contains(plan, "task_comments_extensions") && !strings.Contains(plan, "comments_undecided") {
					t.Errorf("%s: %s", more, plan)
				}
			}
		}
	})
}

// reads gives the statements of a request that hold a text; there is one at least.
func (w *world) reads(who, request, holding string) (texts []string) {
	w.Helper()
	r := w.request(who, request, nil)
	ctx, _ := db.Counting(r.Context(), func(text string) {
		if strings.Contains(text, holding) {
			texts = append(texts, text)
		}
	})
	w.send(r.WithContext(ctx), who+" "+request).status(200)
	if len(texts) == 0 {
		w.Fatalf("%s has no statement with %q", request, holding)
	}
	return texts
}
