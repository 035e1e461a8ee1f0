package api

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/teaching/insight"
	"lectern/internal/usecase/privacy"
)

const atRiskOfA = "GET /api/units/{unitA}/students_at_risk"

var _ = rights(rightRow{"GET /api/units/{id}/students_at_risk", "/api/units/{unitA}/students_at_risk", staffA, nil})

var _ = lists(listRow{route: "GET /api/units/{id}/students_at_risk", path: "/api/units/{unitA}/students_at_risk",
	who: "convenor", fill: func(w *world, from, to int) {
		w.enrolEach(from, to)
		w.set(`UPDATE projects SET created_at = $1`, clock.At(w.now.AddDate(0, -1, 0)))
	}})

// atRisk tells who is at risk for somebody, each with the reasons and what is counted.
func (w *world) atRisk(who, query string) string {
	w.Helper()
	var list []insight.AtRisk
	w.do(who, atRiskOfA+query, nil).status(200).into(&list)
	out := make([]string, len(list))
	for i, r := range list {
		for _, x := range r.Risks {
			if x.Value < x.Threshold {
				w.Errorf("%s is no reason: %+v", x.Reason, x)
			}
			out[i] += fmt.Sprint(" ", x.Reason, " ", x.Value)
		}
		out[i] = r.Username + out[i]
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

func (w *world) atRiskIs(who, query, want string) {
	w.Helper()
	if got := w.atRisk(who, query); got != want {
		w.Errorf("at risk for %s%s:\n%s\nwant\n%s", who, query, got, want)
	}
}

// risk sets the thresholds of unit A: overdue tasks, percent behind plan, days away, failed tries.
func (w *world) risk(overdue, behind, inactive, tries string) {
	w.Helper()
	w.do("convenor", "PUT /api/units/{unitA}", fmt.Sprintf(`{"unit":{"risk_overdue_tasks":%s,"risk_behind_percent":%s,
		"risk_away_days":%s,"risk_failed_tries":%s}}`, overdue, behind, inactive, tries)).status(200)
}

// Each reason is counted by itself, from the threshold that the unit has, and none is there where the unit has none.
func TestStudentsAtRisk(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.atRiskIs("convenor", "", "")
		w.passes(23 * 24 * time.Hour) // both tasks are due, and nobody did anything
		const lost = " behind_plan 100 away 23"
		all := "both" + lost + ", mate" + lost + ", other" + lost + ", student" + lost
		w.atRiskIs("convenor", "", all)
		w.risk("2", "null", "null", "null")
		w.atRiskIs("convenor", "", "both overdue 2, mate overdue 2, other overdue 2, student overdue 2")
		w.set(`UPDATE tasks SET extensions = 4 WHERE id = $1`, w.id["task"])
		w.atRiskIs("convenor", "", "both overdue 2, mate overdue 2, other overdue 2")
		w.risk("null", "50", "null", "null")
		w.atRiskIs("convenor", "",
			"both behind_plan 100, mate behind_plan 100, other behind_plan 100, student behind_plan 50")
		w.risk("null", "51", "null", "null")
		w.atRiskIs("convenor", "", "both behind_plan 100, mate behind_plan 100, other behind_plan 100")
		w.risk("null", "null", "24", "null")
		w.atRiskIs("convenor", "", "")
		w.risk("null", "null", "23", "null")
		w.ready("mate", memberTask) // does something
		w.set(`UPDATE projects SET target_grade = 0 WHERE id = $1`, w.id["project:student"])
		w.set(`UPDATE tasks SET status = 'discuss' WHERE id = $1`, w.id["task"]) // has nothing left to do
		w.atRiskIs("convenor", "", "both away 23, other away 23")
		w.risk("null", "null", "null", "null")
		w.atRiskIs("convenor", "", "")
		w.do("student", atRiskOfA, nil).status(403)
		w.do("tutor", atRiskOfA+"?reason=ill", nil).status(400)
	})
}

// A try is a submission that was sent back: two words on one are one try, an undone one is none, and what passed in the
// end is no reason.
func TestFailedTriesAreARisk(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.risk("null", "null", "null", "2")
		for i := range 2 {
			w.ready("student", ownTask)
			w.passes(time.Hour)
			w.moves("tutor", ownTask, "redo")
			w.moves("tutor", ownTask, "fix_and_resubmit")
			if want := []string{"", "student failed_tries 2"}[i]; w.atRisk("tutor", "") != want {
				t.Errorf("after %d tries: %q", i+1, w.atRisk("tutor", ""))
			}
			w.passes(time.Hour)
		}
		w.ready("student", ownTask)
		w.atRiskIs("tutor", "", "student failed_tries 2")
		w.moves("tutor", ownTask, "complete")
		w.atRiskIs("tutor", "", "")
		w.moves("tutor", ownTask, "redo")
		w.atRiskIs("tutor", "", "student failed_tries 3")
	})
}

// Tutors see those of their own tutorials, convenors and administrators everybody.
func TestWhoSeesWhoIsAtRisk(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.risk("null", "null", "14", "null")
		w.secondTutorial()
		w.passes(20 * 24 * time.Hour)
		w.atRiskIs("tutor", "", "both away 20, mate away 20, student away 20")
		w.atRiskIs("both", "", "other away 20")
		for _, who := range []string{"convenor", "admin"} {
			w.atRiskIs(who, "", "both away 20, mate away 20, other away 20, student away 20")
			w.atRiskIs(who, "?tutorial_id={LA2}", "other away 20")
		}
		w.atRiskIs("tutor", "?tutorial_id={LA2}", "")
		w.atRiskIs("convenor", "?reason=overdue", "")
		w.set(`DELETE FROM tutorial_enrolments WHERE project_id = $1`, w.id["project:mate"])
		w.atRiskIs("convenor", "?tutorial_id=0", "mate away 20")
		w.atRiskIs("tutor", "?tutorial_id=0", "")
	})
}

// Who is at risk is told in no event and no email, and stands in the export of that person alone.
func TestRiskIsToldToNobodyElse(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.risk("null", "null", "14", "null")
		w.passes(20 * 24 * time.Hour)
		before := []int64{w.count("events"), w.count("mails")}
		w.atRisk("convenor", "")
		if after := []int64{w.count("events"), w.count("mails")}; !slices.Equal(before, after) {
			t.Errorf("looking at it made %v of %v events and emails", after, before)
		}
		for who, want := range map[string]string{"student": `"away"`, "withdrawn": "[]", "tutor": "[]"} {
			var b bytes.Buffer
			e := privacy.Exporter{DB: w.db, Files: w.api.usecases.Files}
			if _, err := e.Export(t.Context(), w.id[who], &b); err != nil {
				t.Fatal(err)
			}
			if got := inArchive(t, &b, "at_risk.json"); !strings.Contains(got, want) || !json.Valid([]byte(got)) {
				t.Errorf("the export of %s says %s", who, got)
			}
		}
	})
}

// A webhook that asks for everything gets nothing of who is at risk: neither to become it nor to look at it is an
// event.
func TestWebhooksGetNothingOfRisk(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		made := w.do("admin", "POST /api/admin/webhooks", `{"url":"https://example.edu/hook"}`).status(201).object()
		w.id["hook"] = int64(made["id"].(float64))
		behind := func() any {
			w.relay()
			return w.do("admin", "GET /api/admin/webhooks/{hook}", nil).status(200).object()["behind"]
		}
		w.risk("null", "null", "14", "null")
		w.passes(20 * 24 * time.Hour)
		if w.atRisk("convenor", "") == "" || w.atRisk("tutor", "?reason=away") == "" {
			t.Error("nobody is at risk")
		}
		if n := behind(); n != 0.0 {
			t.Errorf("the webhook is to get %v events", n)
		}
		w.ready("student", ownTask)
		if behind() == 0.0 {
			t.Error("the webhook gets nothing at all")
		}
		log := w.do("admin", "GET /api/admin/event_log", nil).status(200).Body.String()
		for _, word := range []string{"risk", "away", "overdue", "behind_plan"} {
			if strings.Contains(log, word) {
				t.Errorf("the log of events says %s: %s", word, log)
			}
		}
	})
}

// inArchive reads a file of a zip.
func inArchive(t *testing.T, b *bytes.Buffer, name string) string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	f, err := z.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestThresholdsOfRiskHaveBounds(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for field, bad := range map[string][]string{"risk_overdue_tasks": {"0", "101"}, "risk_behind_percent": {"0", "101"},
			"risk_away_days": {"0", "366"}, "risk_failed_tries": {"-1", "101"}} {
			for _, n := range bad {
				w.do("convenor", "PUT /api/units/{unitA}", `{"unit":{"`+field+`":`+n+`}}`).status(400).says(field)
			}
			w.do("tutor", "PUT /api/units/{unitA}", `{"unit":{"`+field+`":5}}`).status(403)
		}
		o := w.do("tutor", "GET /api/units/{unitA}", nil).status(200).object()
		has(t, "the usual thresholds", o, map[string]any{"risk_overdue_tasks": 3.0, "risk_behind_percent": 20.0,
			"risk_away_days": 14.0, "risk_failed_tries": 3.0})
	})
}
