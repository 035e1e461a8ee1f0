package api

import (
	"fmt"
	"strings"
	"testing"
)

const moveA = "/api/units/{unitA}/students/move"

var _ = rights(
	rightRow{"POST /api/units/{unit_id}/students/move", moveA, convenorsA, `{"project_ids":[1],"enrolled":true}`},
)

// moved is the answer to a move, and summed each student with what becomes of them.
type moved struct {
	Students []struct {
		Username, Outcome, Message string
		Changes                    []struct{ Field, From, To string }
	}
	Plan                  string
	Enrolled, Withdrawals int
	Confirm               bool
}

func (m moved) is(t *testing.T, want ...string) {
	t.Helper()
	var got []string
	for _, s := range m.Students {
		line := s.Username + " " + s.Outcome
		for _, c := range s.Changes {
			line += fmt.Sprintf(" %s:%s>%s", c.Field, c.From, c.To)
		}
		got = append(got, strings.TrimSpace(line+" "+s.Message))
	}
	if a, b := strings.Join(got, "\n"), strings.Join(want, "\n"); a != b {
		t.Errorf("the students are\n%s\nwant\n%s", a, b)
	}
}

// Many students move to a tutorial of a stream: who cannot be there stays and the answer says why. A plan
// changes nothing, and what was planned is done only while it is still so.
func TestMoveStudents(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.tutorial("LA2", "streamA", "", 2)
		w.tutorial("FAR", "streamA", "geelong", 9)
		ids := w.path("{project:student},{project:mate},{project:other},{project:both},{project:withdrawn}")
		move := func(more string) moved {
			t.Helper()
			var m moved
			w.do("convenor", "POST "+moveA, fmt.Sprintf(`{"project_ids":[%s],%s}`, ids, more)).status(200).into(&m)
			return m
		}
		la2, far := w.path(`"tutorial_ids":[{LA2}]`), w.path(`"tutorial_ids":[{FAR}]`)
		full := "Tutorial LA2 is full: all of its 2 places are taken."
		want := []string{"both changed tutorial:LA1>LA2", "mate changed tutorial:LA1>LA2",
			"other refused " + full, "student refused " + full,
			"withdrawn refused The student is withdrawn from this unit. Enrol them again first."}
		plan := move(la2 + `,"dry_run":true`)
		plan.is(t, want...)
		if got := w.tutorialsOf("project:mate"); got != "[LA1]" {
			t.Errorf("a plan moved somebody: %s", got)
		}
		elsewhere := " refused Tutorial FAR is for campus Geelong, but the student belongs to campus Burwood."
		move(far+`,"dry_run":true`).is(t, "both"+elsewhere, "mate"+elsewhere, "other"+elsewhere, "student"+elsewhere, want[4])
		w.set(`UPDATE tutorials SET capacity = 3 WHERE id = $1`, w.id["LA2"])
		w.do("convenor", "POST "+moveA, fmt.Sprintf(`{"project_ids":[%s],%s,"plan":"%s"}`, ids, la2, plan.Plan)).status(409).
			says("nothing was done")
		w.set(`UPDATE tutorials SET capacity = 2 WHERE id = $1`, w.id["LA2"])
		move(la2+`,"plan":"`+plan.Plan+`"`).is(t, want...)
		if got := w.tutorialsOf("project:mate") + w.tutorialsOf("project:other"); got != "[LA2][LA1]" {
			t.Errorf("they are in %s", got)
		}
		if n := w.count(`audit_outbox WHERE entries LIKE '%"joined"%"left"%"joined"%"left"%'`); n != 1 {
			t.Errorf("%d transactions of the audit log tell of it", n)
		}
		move(la2+`,"exceed_capacity":true`).is(t, "both unchanged", "mate unchanged", "other changed tutorial:LA1>LA2",
			"student changed tutorial:LA1>LA2", want[4])
		move(w.path(`"leave_tutorial_ids":[{LA2}]`)).is(t, "both changed tutorial:LA2>", "mate changed tutorial:LA2>",
			"other changed tutorial:LA2>", "student changed tutorial:LA2>", "withdrawn unchanged")
	})
}

// A campus is set where no tutorial stands in the way. Who is withdrawn keeps their places, and more than one
// in twenty leave only when their number is confirmed.
func TestMoveCampusAndWithdraw(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		move := func(body string, status int) (m moved) {
			t.Helper()
			r := w.do("convenor", "POST "+moveA, body).status(status)
			if status == 200 {
				r.into(&m)
			}
			return m
		}
		one := func(name, more string) string {
			return fmt.Sprintf(`{"project_ids":[%d],%s}`, w.id["project:"+name], more)
		}
		move(one("student", w.path(`"campus_id":{geelong}`)), 200).is(t, "student refused The student "+
			"is in LA1, which is not for that campus. Move them to another tutorial first.")
		move(one("student", `"campus_id":null`), 200).is(t, "student changed campus:Burwood>")
		move(one("student", `"campus_id":4711`), 404)
		two := fmt.Sprintf(`{"project_ids":[%d,%d],"enrolled":false`, w.id["project:mate"], w.id["project:other"])
		if plan := move(two+`,"dry_run":true}`, 200); !plan.Confirm || plan.Withdrawals != 2 || plan.Enrolled != 4 {
			t.Errorf("the plan is %+v", plan)
		}
		for _, wrong := range []string{"", `,"confirm_withdrawals":1`, `,"confirm_withdrawals":3`} {
			w.do("convenor", "POST "+moveA, two+wrong+"}").status(409).says("withdraw 2 of 4 students")
		}
		if n := w.count(`projects WHERE NOT enrolled`); n != 1 {
			t.Errorf("%d are withdrawn", n)
		}
		move(two+`,"confirm_withdrawals":2}`, 200).is(t, "mate changed enrolment:enrolled>withdrawn",
			"other changed enrolment:enrolled>withdrawn")
		if got := w.tutorialsOf("project:mate"); got != "[LA1]" {
			t.Errorf("their place is %s", got)
		}
		move(one("mate", `"enrolled":true`), 200).is(t, "mate changed enrolment:withdrawn>enrolled")
		move(one("mate", `"enrolled":false`), 200) // one is not many
		w.do("convenor", "POST "+moveA, `{"project_ids":[],"enrolled":true}`).status(422)
		w.do("convenor", "POST "+moveA, one("mate", `"dry_run":true`)).status(422).says("campus_id")
		w.do("convenor", "POST "+moveA, `{"project_ids":[99999],"enrolled":true}`).status(404)
		var list strings.Builder
		for i := range 1001 {
			fmt.Fprintf(&list, "%d,", i+1)
		}
		w.do("convenor", "POST "+moveA, `{"project_ids":[`+strings.TrimSuffix(list.String(), ",")+`],"enrolled":true}`).
			status(422).says("1000")
	})
}

// Two change a student at once: what one of them saw otherwise is not overwritten, the rest goes through.
func TestTwoMoveAStudentAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.tutorial("LA2", "streamA", "", 9)
		w.tutorial("LA3", "streamA", "", 9)
		seen := w.path(`"seen_campus_id":{burwood},"seen_tutorial_ids":[{tutorialA}]`)
		send := func(more string) *answered {
			return w.do("convenor", "POST "+moveA, fmt.Sprintf(`{"project_ids":[%d],%s,%s}`, w.id["project:other"], seen, more))
		}
		send(w.path(`"tutorial_ids":[{LA2}]`)).status(200)
		send(w.path(`"tutorial_ids":[{LA3}]`)).status(409).says("it is LA2")
		send(w.path(`"tutorial_ids":[{LA2}]`)).status(200) // the same as a colleague
		send(`"campus_id":-1`).status(200)                 // nobody else touched it
		send(w.path(`"campus_id":{geelong}`)).status(409).says("it is none")
	})
}

// Who is enrolled by hand is in their tutorial at once, or not at all.
func TestEnrolWithATutorial(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.tutorial("FAR", "streamA", "geelong", 9)
		body := func(campus, tutorial string) form {
			return form{"unit_id": w.path("{unitA}"), "student_num": "outsider", "campus_id": w.path(campus),
				"tutorial_ids": w.path(tutorial)}
		}
		w.do("convenor", "POST /api/projects", body("{burwood}", "{FAR}")).status(409).says("campus Geelong")
		if n := w.count(`projects WHERE user_id = $1`, w.id["outsider"]); n != 0 {
			t.Error("they are enrolled all the same")
		}
		w.do("convenor", "POST /api/projects", body("{geelong}", "{FAR}")).status(201)
		if n := w.count(`tutorial_enrolments WHERE tutorial_id = $1`, w.id["FAR"]); n != 1 {
			t.Errorf("%d are in FAR", n)
		}
	})
}
