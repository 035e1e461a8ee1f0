package site_test

import (
	"net/url"
	"strconv"
	"strings"
	"testing"

	"lectern/internal/ground/links"
	"lectern/internal/platform/jobs"
	"lectern/internal/usecase"
)

func init() {
	pages["GET "+links.Retirement] = [4]int{303, 403, 403, 403}
	pages["POST "+links.Retirement] = [4]int{401, 403, 403, 403}
	pages["POST "+links.Retirement+"/undo"] = [4]int{401, 403, 403, 403}
}

// A convenor chooses, sees the counts, confirms twice, and takes it back; nothing happens before.
func TestAUnitIsRetiredOnThePage(t *testing.T) {
	each(t, func(w *world) {
		tom, at := w.convening(), w.path(links.Retirement)
		w.handedIn()
		w.exec(`UPDATE units SET start_date = '2023-03-06', end_date = '2023-06-09', code = 'SIT10A'`)
		named := func() string {
			return w.one(`SELECT count(*) FROM submissions s JOIN users u ON u.id = s.user_id
			WHERE u.first_name <> 'Student'`)
		}
		had := named()
		if had == "0" {
			t.Fatal("nobody handed in")
		}
		for plan, words := range map[string][2]string{"delete_work": {"Deleted", "Delete the work"},
			"anonymise": {"Kept without names", "Anonymise the work"}} {
			tom.open(w.path(unitSettings)).follows("Retention").does(act{form: at, press: "Review",
				fill: map[string]string{"plan": plan}}).sees(words[0]).sees("submission").
				does(act{form: at, words: "Kept", press: "Continue"}).sees("Type SIT10A to confirm")
			if a := tom.do(at, url.Values{"plan": {plan}, "asked": {"true"}, "confirm": {"x"}}); a.Code != 422 ||
				!strings.Contains(a.text(), "Must be the code of the unit") || strings.Contains(a.text(), "confirm must be") {
				t.Errorf("%s with another code: %d %s", plan, a.Code, a.text())
			}
			if got := named(); got != had {
				t.Fatalf("%s of %s submissions are left before it was confirmed twice", got, had)
			}
			tom.does(act{form: at, words: "Kept", press: words[1], fill: map[string]string{"confirm": "SIT10A"}}).
				sees("In progress")
			w.carriesOut()
			if got := named(); got != "0" {
				t.Errorf("%s: %s submissions are left", plan, got)
			}
			tom.open(at).sees("Done").sees(had + " submission").does(act{form: "/undo"}).sees("Being undone")
			w.carriesOut()
			tom.open(at).sees("Undone")
			if got := named(); got != had {
				t.Errorf("%s: %s of %s submissions came back", plan, got, had)
			}
		}
		tom.open(at).does(act{form: at, press: "Review", fill: map[string]string{"plan": "keep"}}).
			does(act{form: at, words: "Kept", press: "Continue"}).
			does(act{form: at, words: "Kept", press: "Keep everything", fill: map[string]string{"confirm": "SIT10A"}}).
			sees("Keep everything")
	})
}

// handedIn gives every task a submission and a comment.
func (w *world) handedIn() {
	w.Helper()
	w.exec(`INSERT INTO submissions (unit_id, task_id, user_id, at, parts, state)
		SELECT t.unit_id, t.id, p.user_id, $1, 0, 'ready' FROM tasks t JOIN projects p ON p.id = t.project_id`, w.db.Now())
	w.exec(`INSERT INTO submission_tasks (task_id, at, submission_id, pct, pts)
		SELECT task_id, at, id, 100, 3 FROM submissions s WHERE NOT EXISTS (SELECT 1 FROM submission_tasks l
			WHERE l.submission_id = s.id)`)
	w.exec(`INSERT INTO task_comments (task_id, unit_id, user_id, recipient_id, type, comment, created_at)
		SELECT t.id, t.unit_id, p.user_id, p.user_id, 'text', 'Well', $1 FROM tasks t
		JOIN projects p ON p.id = t.project_id`, w.db.Now())
}

// carriesOut does what the job of the last retirement would.
func (w *world) carriesOut() {
	w.Helper()
	id := func(text string) int64 {
		n, err := strconv.ParseInt(w.one(text), 10, 64)
		if err != nil {
			w.Fatal(err)
		}
		return n
	}
	if err := w.uses.CarryOutRetirement(w.Context(), jobs.Job{}, usecase.RetirementArgs{
		UnitID: id(`SELECT max(unit_id) FROM retirements`), ID: id(`SELECT max(id) FROM retirements`)}); err != nil {
		w.Fatal(err)
	}
}
