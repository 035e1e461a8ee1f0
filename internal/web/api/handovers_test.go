package api

import (
	"strings"
	"sync"
	"testing"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/teaching/handover"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase/privacy"
)

var _ = rights(
	rightRow{"GET " + handoversPath, "/api/units/{unitA}/handovers", staffA, nil},
	rightRow{"POST " + handoversPath, "/api/units/{unitA}/handovers", convenorsA,
		`{"unit_role_id":4711,"staff":[4712],"from":"2026-03-02","until":"2026-03-03"}`},
	rightRow{"GET " + handoversPath + "/{id}", "/api/units/{unitA}/handovers/4711", staffA, nil},
	rightRow{"DELETE " + handoversPath + "/{id}", "/api/units/{unitA}/handovers/4711", convenorsA, nil},
)

var _ = lists(
	listRow{route: "GET " + handoversPath, path: "/api/units/{unitA}/handovers", who: "tutor",
		fill: fill("handovers", func(w *world, i int) row {
			day := clock.Day(w.now).AddDays(i)
			return row{"unit_id": w.id["unitA"], "unit_role_id": w.roleOf("tutor"), "from_date": day, "until_date": day,
				"starts_at": clock.At(day.Time), "ends_at": clock.At(day.AddDays(2).Time), "created_at": w.db.Now()}
		})},
)

const handOverA = "POST /api/units/{unitA}/handovers"

// roleOf is the role of somebody on the staff of unit A.
func (w *world) roleOf(name string) int64 { return w.id["role:"+name] }

// handover is the body of one from a day on, counted from today, to another.
func (w *world) handover(from, until int, whose string, to ...string) map[string]any {
	w.Helper()
	staff := []int64{}
	for _, name := range to {
		staff = append(staff, w.roleOf(name))
	}
	today := clock.Day(w.now)
	return map[string]any{"unit_role_id": w.roleOf(whose), "staff": staff, "from": today.AddDays(from).String(),
		"until": today.AddDays(until).String()}
}

// mine is how much of the inbox is somebody's own, by the header of the list.
func (w *world) mine(who string) string {
	w.Helper()
	return w.do(who, "GET /api/units/{unitA}/tasks/inbox?mine=true&limit=1", nil).status(200).Header().Get("X-Total-Count")
}

// turnTo moves the clock, and signs in again whose sessions have ended by then.
func (w *world) turnTo(now time.Time, people ...string) {
	w.Helper()
	w.now = now
	for _, name := range people {
		w.tokens[name] = w.signInShort(name)
	}
}

// A queue that is handed over is the colleague's and not the tutor's, from the first day to the last, and
// then the tutor's again. What waits in the unit is the same all the time.
func TestAQueueIsHandedOver(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`UPDATE units SET time_zone = 'UTC' WHERE id = $1`, w.id["unitA"])
		w.set(`UPDATE tasks SET status = 'ready_for_feedback', submission_date = $2 WHERE id = $1`, w.id["task"],
			clock.At(w.now))
		own := w.mine("tutor")
		if own == "0" || w.mine("convenor") != "0" {
			t.Fatalf("the tutor has %s, the convenor %s", own, w.mine("convenor"))
		}
		o := w.do("convenor", handOverA, w.handover(1, 2, "tutor", "convenor", "convenor")).status(201).object()
		w.id["handover"] = int64(o["id"].(float64))
		has(t, "made", o, map[string]any{"active": false, "first_name": "Tutor"})
		if len(o["staff"].([]any)) != 1 {
			t.Errorf("%v", o)
		}
		all := w.do("tutor", "GET /api/units/{unitA}/queue?limit=1", nil).status(200).Header().Get("X-Total-Count")
		day := clock.Day(w.now)
		for _, c := range []struct {
			now    time.Time
			handed bool
		}{{day.AddDays(1).Add(-time.Second), false}, {day.AddDays(1).Time, true},
			{day.AddDays(3).Add(-time.Second), true}, {day.AddDays(3).Time, false}} {
			w.turnTo(c.now, "tutor", "convenor")
			has, not, whose := "tutor", "convenor", any(nil)
			if c.handed {
				has, not, whose = not, has, "Tutor Person"
			}
			if w.mine(has) != own || w.mine(not) != "0" {
				t.Errorf("at %v %s has %s, %s has %s", c.now, has, w.mine(has), not, w.mine(not))
			}
			a := w.do(has, "GET /api/units/{unitA}/queue?mine=true&limit=1", nil).status(200)
			if got := a.list()[0]["handed_by"]; got != whose {
				t.Errorf("at %v the row is told to be %v's, want %v", c.now, got, whose)
			}
			if got := w.do("convenor", "GET /api/units/{unitA}/queue?limit=1&tutor_id={tutor}", nil).status(200).Header().
				Get("X-Total-Count"); got != own {
				t.Errorf("at %v the tutor's students have %s of %s", c.now, got, own)
			}
			if a = w.do(not, "GET /api/units/{unitA}/queue?limit=1", nil).status(200); a.Header().Get("X-Total-Count") != all ||
				a.list()[0]["handed_by"] != nil {
				t.Errorf("at %v %s sees %s of the unit: %s", c.now, not, a.Header().Get("X-Total-Count"), a.Body)
			}
		}
		if list := w.do("tutor", "GET /api/units/{unitA}/handovers", nil).status(200).list(); len(list) != 0 {
			t.Errorf("what is over is listed: %v", list)
		}
		w.do("convenor", "DELETE /api/units/{unitA}/handovers/{handover}", nil).status(404).says("over already")
	})
}

// What is new to the staff belongs to who has the queue: what the colleague read or answered is new to
// nobody, least of all to the tutor when they are back, and what the tutor reads meanwhile stays new
// to the colleague.
func TestWhoHasTheQueueAnswers(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.byHand()
		staff := []string{"tutor", "convenor", "both"}
		w.comment("c1", "student", ownTask, "Why?")
		o := w.do("convenor", handOverA, w.handover(0, 5, "tutor", "convenor")).status(201).object()
		w.id["handover"] = int64(o["id"].(float64))
		w.later(time.Second)
		if got := w.news("tutor", ownTask); got != "Why?" {
			t.Errorf("new to the tutor: %s", got)
		}
		w.are("after the tutor looked", w.unreadBy(staff...), 0, 1, 1)
		w.do("student", "POST "+ownTask+"/request_extension", form{"comment": "Ill", "weeks_requested": "1"}).status(201)
		w.later(time.Second)
		if got := w.news("convenor", ownTask); got != "Why?, Ill" {
			t.Errorf("new to the convenor: %s", got)
		}
		w.are("after the convenor looked", w.unreadBy(staff...), 1, 1, 1) // the request waits for a decision
		w.comment("c2", "convenor", ownTask, "Because.")
		w.later(time.Second)
		w.comment("c3", "student", ownTask, "Thanks")
		w.are("after the convenor answered", w.unreadBy(staff...), 2, 2, 2)
		w.later(time.Second)
		w.mark("convenor", form{"trigger": "discuss", "comment": "Well done."})
		w.are("after the convenor's verdict", w.unreadBy(staff...), 1, 1, 1)
		w.later(time.Second)
		w.comment("c4", "tutor", ownTask, "From afar.")
		w.are("after the tutor wrote", w.unreadBy(staff...), 1, 1, 1)
		w.do("convenor", "DELETE /api/units/{unitA}/handovers/{handover}", nil).status(204)
		w.comment("c5", "student", ownTask, "And now?")
		if got := w.news("convenor", ownTask); got != "Ill, And now?" {
			t.Errorf("new to the convenor afterwards: %s", got)
		}
		w.are("after it ended", w.unreadBy(staff...), 2, 0, 2)
		if got := w.news("tutor", ownTask); got != "Ill, And now?" {
			t.Errorf("new to the tutor afterwards: %s", got)
		}
		w.are("after the tutor is back", w.unreadBy(staff...), 1, 0, 1)
		if err := work.CheckNews(w.Context(), w.db); err != nil {
			t.Error(err)
		}
	})
}

// A request for an extension is among the colleague's own while the queue is handed over.
func TestRequestsAreHandedOver(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.byHand()
		w.ask("extension", "student", ownTask, "1")
		mine := func(who string) int {
			return len(w.do(who, "GET /api/units/{unitA}/extensions?mine=true", nil).status(200).list())
		}
		if mine("tutor") != 1 || mine("convenor") != 0 {
			t.Errorf("the tutor has %d, the convenor %d", mine("tutor"), mine("convenor"))
		}
		w.do("convenor", handOverA, w.handover(0, 5, "tutor", "convenor")).status(201)
		if mine("tutor") != 0 || mine("convenor") != 1 {
			t.Errorf("handed over, the tutor has %d, the convenor %d", mine("tutor"), mine("convenor"))
		}
		// Whoever stands in leaves: the queue is the tutor's again, and nobody is told otherwise.
		w.set(`DELETE FROM handover_staff`)
		if mine("tutor") != 1 || mine("convenor") != 0 {
			t.Errorf("with nobody, the tutor has %d, the convenor %d", mine("tutor"), mine("convenor"))
		}
		if list, err := handover.Concerning(w.Context(), w.db.Pool(), w.id["tutor"], 0); err != nil || len(list) != 0 {
			t.Errorf("%v %v", list, err)
		}
	})
}

// A convenor ends a handover early. Both who is away and who stands in find it in their exports, and who is
// erased takes it along.
func TestAHandoverEnds(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`UPDATE tasks SET status = 'ready_for_feedback', submission_date = $2 WHERE id = $1`, w.id["task"],
			clock.At(w.now))
		hand := func() {
			o := w.do("convenor", handOverA, w.handover(0, 5, "tutor", "convenor")).status(201).object()
			w.id["handover"] = int64(o["id"].(float64))
		}
		hand()
		if w.mine("convenor") == "0" {
			t.Error("it has not begun")
		}
		w.do("convenor", "DELETE /api/units/{unitB}/handovers/{handover}", nil).status(403)
		w.do("admin", "DELETE /api/units/{unitB}/handovers/{handover}", nil).status(404)
		w.do("convenor", "DELETE /api/units/{unitA}/handovers/{handover}", nil).status(204)
		if w.mine("convenor") != "0" || w.count("handover_staff") != 0 {
			t.Error("it has not ended")
		}
		hand()
		if n := w.count(`audit_outbox WHERE entries LIKE '%"handover"%'`); n != 3 {
			t.Errorf("%d entries", n)
		}
		for who, file := range map[string]string{"tutor": "handovers.json", "convenor": "handover_staff.json"} {
			if got, _ := w.exported(who); !strings.Contains(got[file], "unit_role_id") {
				t.Errorf("the export of the %s has %q", who, got[file])
			}
		}
		if _, err := privacy.Erase(w.Context(), w.db, w.id["tutor"], false); err != nil || w.count("handovers") != 0 {
			t.Errorf("erased: %v", err)
		}
	})
}

func TestHandoversKeepTheRules(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, c := range []struct {
			about  string
			status int
			body   map[string]any
		}{{"out of order", 422, w.handover(3, 2, "tutor", "convenor")},
			{"past", 422, w.handover(-9, -3, "tutor", "convenor")},
			{"too long", 422, w.handover(0, 366, "tutor", "convenor")}, {"to nobody", 422, w.handover(0, 1, "tutor")},
			{"to oneself", 422, w.handover(0, 1, "tutor", "tutor")}} {
			if got := w.do("convenor", handOverA, c.body).Code; got != c.status {
				t.Errorf("%s: %d", c.about, got)
			}
		}
		foreign := w.number(`SELECT min(id) FROM unit_roles WHERE unit_id = $1`, w.id["unitB"])
		for name, value := range map[string]any{"unit_role_id": foreign, "staff": []int64{foreign}} {
			bad := w.handover(0, 1, "tutor", "convenor")
			bad[name] = value
			w.do("convenor", handOverA, bad).status(422).says(name)
		}
		w.do("tutor", handOverA, w.handover(0, 1, "tutor", "convenor")).status(403)
		// Two at once: one is first.
		var all sync.WaitGroup
		codes := make([]int, 4)
		for i := range codes {
			all.Go(func() { codes[i] = w.do("convenor", handOverA, w.handover(0, 3+i, "tutor", "convenor")).Code })
		}
		all.Wait()
		made := 0
		for _, code := range codes {
			if code == 201 {
				made++
			} else if code != 409 {
				t.Errorf("%d", code)
			}
		}
		if made != 1 {
			t.Errorf("%d of them were made: %v", made, codes)
		}
		w.do("convenor", handOverA, w.handover(20, 21, "tutor", "convenor")).status(201)
		w.do("convenor", handOverA, w.handover(22, 23, "tutor", "convenor")).status(201) // the day after
		w.do("convenor", handOverA, w.handover(23, 24, "tutor", "convenor")).status(409)
		w.do("convenor", handOverA, w.handover(0, 3, "convenor", "tutor")).status(201)
	})
}
