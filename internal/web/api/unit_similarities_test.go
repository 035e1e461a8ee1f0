package api

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/clock"
)

const (
	casesOfA     = "/api/units/{unitA}/similarities"
	decisionsOfA = casesOfA + "/decisions"
)

var _ = rights(
	rightRow{"GET " + casesPath, casesOfA, staffA, nil},
	rightRow{"GET " + casesPath + "/counts", casesOfA + "/counts", staffA, nil},
	rightRow{"GET " + casesPath + "/clusters", casesOfA + "/clusters", staffA, nil},
	rightRow{"POST " + casesPath + "/decisions", decisionsOfA, staffA,
		`{"cases":[4711],"decision":"asked","reason":"So"}`},
	rightRow{"GET /api/units/{unit_id}/tii_held", "/api/units/{unitA}/tii_held", convenorsA, nil},
)

var _ = lists(
	listRow{route: "GET " + casesPath, path: casesOfA, who: "tutor", fill: (*world).alike},
	listRow{route: "GET " + casesPath + "/clusters", path: casesOfA + "/clusters", who: "tutor",
		fill: func(w *world, from, to int) {
			for i := from; i < to; i++ {
				w.tied(fmt.Sprintf("three%d", i), 3)
			}
		}},
)

// tied lets so many students of unit A hand in the same, of whom each is found like the next one, and the last like
// the first. It gives what they are called.
func (w *world) tied(name string, n int) []string {
	w.Helper()
	from := int(w.count("users"))
	names := w.crowd(from, from+n)
	at := clock.At(w.now)
	for _, one := range names {
		w.task(one, "defA1", row{"submission_date": at, "status": "ready_for_feedback"})
		s := w.add("handin:"+one, "submissions", row{"unit_id": w.id["unitA"], "task_id": w.id["task:"+one],
			"user_id": w.id[one], "at": at, "state": "ready", "parts": 0})
		w.put("submission_tasks", row{"task_id": w.id["task:"+one], "at": at, "submission_id": s, "pct": 100, "pts": 3})
	}
	for i := range names {
		one, two := names[min(i, (i+1)%n)], names[max(i, (i+1)%n)]
		if n == 2 && i == 1 {
			break
		}
		pair := w.add(fmt.Sprintf("pair:%s:%d", name, i), "similarity_pairs", row{"class_id": w.id["defA1"], "part": "code",
			"left_id": w.id["handin:"+one], "right_id": w.id["handin:"+two], "pct": 60 + i, "score": 80, "left_words": "l",
			"right_words": "r", "passages": "[]", "created_at": at})
		for side, who := range []string{one, two} {
			w.add(fmt.Sprintf("case:%s:%d:%d", name, i, side), "task_similarities", row{"type": "LecternTaskSimilarity",
				"project_id": w.id["project:"+who], "task_id": w.id["task:"+who], "submission_id": w.id["handin:"+who],
				"part": "code", "pair_id": pair, "flagged": true, "created_at": at})
		}
	}
	return names
}

// cases lists the cases of unit A as a caller sees them.
func (w *world) cases(who, query string) []map[string]any {
	w.Helper()
	return w.do(who, "GET "+casesOfA+query, nil).status(200).list()
}

// A cluster of four is one entry with its cases; one decision with a reason is on record at all tasks of all sides.
func TestAClusterOfFourIsDecided(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		four := w.tied("four", 4)
		w.tied("two", 2)
		list := w.cases("tutor", "")
		if len(list) != 5 || list[0]["state"] != "undecided" || list[0]["pct"] != 63.0 {
			t.Fatalf("%d cases: %v", len(list), list)
		}
		w.do("tutor", "GET "+casesOfA+"/counts", nil).status(200).is(`{"all":5,"undecided":5}`)
		clusters := w.do("tutor", "GET "+casesOfA+"/clusters", nil).status(200).list()
		if len(clusters) != 1 || clusters[0]["works"] != 4.0 || len(clusters[0]["cases"].([]any)) != 4 ||
			len(clusters[0]["students"].([]any)) != 4 || clusters[0]["pct"] != 63.0 {
			t.Fatalf("clusters %v", clusters)
		}
		in := w.cases("tutor", fmt.Sprintf("?cluster=%v", clusters[0]["id"]))
		if len(in) != 4 || in[0]["cluster_size"] != 4.0 {
			t.Errorf("%d cases of the cluster: %v", len(in), in)
		}
		body := map[string]any{"cases": clusters[0]["cases"], "decision": "asked", "reason": " They sat together. "}
		done := w.do("tutor", "POST "+decisionsOfA, body).status(200).list()
		if len(done) != 4 || done[0]["state"] != "asked" || done[0]["reason"] != "They sat together." ||
			done[0]["decided_by"] != float64(w.id["tutor"]) {
			t.Errorf("decided %v", done)
		}
		if n := w.count(`task_similarities WHERE decision = 'asked' AND flagged AND decided_at IS NOT NULL`); n != 8 {
			t.Errorf("%d of 8 records are decided on", n)
		}
		w.do("tutor", "GET "+casesOfA+"/counts", nil).status(200).is(`{"all":5,"undecided":1}`)
		w.onRecord("similarity", "decided_asked", 8)
		if w.cases("tutor", "")[0]["state"] != "undecided" {
			t.Error("what nobody decided on is not first")
		}
		w.do(four[0], "GET "+casesOfA, nil).status(403)
		w.do(four[0], "POST "+decisionsOfA, body).status(403)
	})
}

// onRecord counts the entries of the audit log of a kind and action.
func (w *world) onRecord(kind, action string, want int) {
	w.Helper()
	n := 0
	for _, entries := range w.rows(`SELECT entries AS v FROM audit_outbox`) {
		n += strings.Count(fmt.Sprint(entries), `"kind":"`+kind+`","action":"`+action+`"`)
	}
	if n != want {
		w.Errorf("%d of %d entries %s %s", n, want, kind, action)
	}
}

// Cases are narrowed by state, task, tutorial, origin and percentage.
func TestCasesAreNarrowed(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		names := w.tied("pair", 2)
		w.tied("more", 3)
		w.outsideReport(w.someSubmission(), "x", 50, "")
		w.add("", "tutorial_enrolments", row{"project_id": w.id["project:"+names[1]], "tutorial_id": w.id["tutorialA"]})
		for query, want := range map[string]int{"": 5, "?min_pct=61": 2, "?type=TiiTaskSimilarity": 1,
			"?type=LecternTaskSimilarity": 4, "?task_definition_id={defA1}": 5, "?task_definition_id={defA2}": 0,
			"?state=undecided": 5, "?state=asked": 0, "?limit=2": 2, "?limit=2&offset=4": 1, "?cluster=4711": 0} {
			if n := len(w.cases("tutor", query)); n != want {
				t.Errorf("%s gives %d, not %d", query, n, want)
			}
		}
		// Either side of a pair brings it into the list of a tutorial.
		found := false
		for _, c := range w.cases("tutor", "?tutorial_id={tutorialA}") {
			found = found || c["id"] == float64(w.id["case:pair:0:0"])
		}
		if !found {
			t.Error("the pair with a student of the tutorial is missing")
		}
		w.do("tutor", "GET "+casesOfA+"?state=odd", nil).status(400, 422)
	})
}

// A decision needs a reason, cases that are there, and that no colleague was faster; then it replaces what stood.
func TestDecisionsOnCasesAreGuarded(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		names := w.tied("pair", 2)
		id := w.id["case:pair:0:0"]
		decide := func(decision, reason string, more map[string]any) *answered {
			t.Helper()
			body := map[string]any{"cases": []int64{id}, "decision": decision, "reason": reason}
			for k, v := range more {
				body[k] = v
			}
			return w.do("tutor", "POST "+decisionsOfA, body)
		}
		decide("asked", "  ", nil).status(422).says("reason")
		decide("asked", strings.Repeat("x", 2001), nil).status(422)
		decide("flagged", "So", nil).status(400, 422)
		decide("asked", "So", map[string]any{"cases": []int64{}}).status(400, 422)
		decide("asked", "So", map[string]any{"cases": []int64{id, 4711}}).status(404)
		if n := w.count(`task_similarities WHERE decided_at IS NOT NULL`); n != 0 {
			t.Errorf("%d records were decided on by refusals", n)
		}
		seen := func(at any) map[string]any { return map[string]any{"seen": []any{at}} }
		decide("reported", "A colleague", seen("")).status(200)
		decide("not_a_concern", "Mine", seen("")).status(409).says("reported").says("A colleague").says("not a concern")
		decide("not_a_concern", "Mine", seen("yesterday")).status(422)
		decide("not_a_concern", "Mine", map[string]any{"seen": []string{"", ""}}).status(422)
		was := w.cases("tutor", "")[0]["decided_at"]
		w.later(time.Second)
		decide("not_a_concern", "Mine", seen(was)).status(200)
		decide("asked", "Late", seen(was)).status(409).says("Mine")
		if got := w.cases("tutor", "")[0]; got["state"] != "not_a_concern" || got["reason"] != "Mine" {
			t.Errorf("it stands as %v", got)
		}
		// What a colleague decides on the other side alone is noticed, too.
		was = w.cases("tutor", "")[0]["decided_at"]
		w.later(time.Second)
		w.do("convenor", fmt.Sprintf("PUT /api/tasks/%d/similarities/%d", w.id["task:"+names[1]], w.id["case:pair:0:1"]),
			`{"flagged":true}`).status(200)
		decide("not_a_concern", "Mine", seen(was)).status(409).says("flagged")
		decide("not_a_concern", "Mine", nil).status(200)
		// One side by itself, as on the task: the case is open again, and the reason is gone with the decision.
		w.do("tutor", fmt.Sprintf("PUT /api/tasks/%v/similarities/%d", w.cases("tutor", "")[0]["task_id"], id),
			`{"flagged":true}`).status(200)
		if got := w.cases("tutor", "")[0]; got["state"] != "flagged" || got["reason"] != nil {
			t.Errorf("it stands as %v", got)
		}
	})
}

// Whoever of the staff studies the unit sees no case that leads to their own work, nor decides on it.
func TestOwnWorkIsNoCase(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		names := w.tied("pair", 2)
		w.set(`UPDATE projects SET user_id = $1 WHERE id = $2`, w.id["tutor"], w.id["project:"+names[1]])
		if n := len(w.cases("tutor", "")); n != 0 {
			t.Errorf("the tutor sees %d cases of their own work", n)
		}
		if n := len(w.cases("convenor", "")); n != 1 {
			t.Errorf("the convenor sees %d cases", n)
		}
		w.do("tutor", "POST "+decisionsOfA, map[string]any{"cases": []int64{w.id["case:pair:0:0"]},
			"decision": "not_a_concern", "reason": "Me"}).status(404)
	})
}

// The reason of a decision is written about a person: their export has it, without the names of the others.
func TestTheReasonOfADecisionIsInTheExport(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		names := w.tied("four", 4)
		clusters := w.do("tutor", "GET "+casesOfA+"/clusters", nil).status(200).list()
		w.do("tutor", "POST "+decisionsOfA, map[string]any{"cases": clusters[0]["cases"], "decision": "reported",
			"reason": "Quokka: all is by " + names[2] + ", says " + names[0]}).status(200)
		got, _ := w.exported(names[0])
		if text := got["task_similarities.json"]; strings.Count(text, "Quokka: all is by another student, says "+names[0]) != 2 ||
			strings.Count(text, `"decision": "reported"`) != 2 || !strings.Contains(text, `"decided_by": "a tutor"`) {
			t.Errorf("the export has %s", text)
		}
		for name, text := range got {
			for _, other := range names[1:] {
				if strings.Contains(text, other) {
					t.Errorf("%s names %s", name, other)
				}
			}
		}
	})
}
