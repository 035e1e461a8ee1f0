package api

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
)

const enrolmentPath = "/api/units/{unitA}/tutorials/LA1/enrolments/{project:student}"

var _ = rights(
	// The world's unit lets students change tutorials.
	rightRow{"POST /api/units/{unit_id}/tutorials/{tutorial_abbr}/enrolments/{project_id}", enrolmentPath,
		"student " + staffA, nil},
	rightRow{"DELETE /api/units/{unit_id}/tutorials/{tutorial_abbr}/enrolments/{project_id}", enrolmentPath,
		"student " + staffA, nil},
)

// tutorial adds a tutorial to unit A: its stream and campus may be "".
func (w *world) tutorial(abbr, stream, campus string, capacity int) {
	w.Helper()
	r := row{"unit_id": w.id["unitA"], "abbreviation": abbr, "meeting_day": "Friday", "meeting_time": "9:00",
		"meeting_location": "Here", "capacity": capacity}
	if stream != "" {
		r["tutorial_stream_id"] = w.id[stream]
	}
	if campus != "" {
		r["campus_id"] = w.id[campus]
	}
	w.add(abbr, "tutorials", r)
}

// tutorialsOf lists the tutorials a project is in.
func (w *world) tutorialsOf(project string) string {
	w.Helper()
	list, err := db.All[string](context.Background(), w.db.Pool(), `SELECT t.abbreviation FROM tutorial_enrolments e
		JOIN tutorials t ON t.id = e.tutorial_id WHERE e.project_id = $1 ORDER BY t.abbreviation`, w.id[project])
	if err != nil {
		w.Fatal(err)
	}
	return fmt.Sprint(list)
}

func TestMovingBetweenTutorials(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.add("seminar", "tutorial_streams", row{"unit_id": w.id["unitA"], "name": "Seminar 1", "abbreviation": "sem-1",
			"activity_type_id": w.id["prac"]})
		w.tutorial("LA2", "streamA", "burwood", -1)
		w.tutorial("S1", "seminar", "", 0)
		w.tutorial("a/b. c", "seminar", "", 5)
		w.tutorial("FREE", "", "", 5)
		w.tutorial("FAR", "streamA", "geelong", 5)
		is := func(want string) {
			t.Helper()
			if got := w.tutorialsOf("project:student"); got != want {
				t.Errorf("the student is in %s, want %s", got, want)
			}
		}
		enrol := func(who, abbr string) *answered {
			t.Helper()
			return w.do(who, "POST /api/units/{unitA}/tutorials/"+abbr+"/enrolments/{project:student}", `{}`)
		}
		enrol("student", "LA1").status(201).is(`{"enrolments":[{"project_id":«project:student»,"tutorial_id":«tutorialA»}]}`)
		is("[LA1]") // no change
		enrol("student", "LA2").status(201).is(`{"enrolments":[{"project_id":«project:student»,"tutorial_id":«LA2»}]}`)
		enrol("student", "S1").status(201)
		is("[LA2 S1]")
		enrol("tutor", "a%2Fb.%20c").status(201)
		is("[LA2 a/b. c]")
		enrol("student", "FREE").status(201) // without a stream: stands alone
		is("[FREE]")
		enrol("student", "LA1").status(201)
		is("[LA1]")
		enrol("student", "FAR").status(422).says("Geelong", "Burwood")
		enrol("student", "NONE").status(404)
		is("[LA1]")
		w.do("student", "DELETE "+enrolmentPath, nil).status(204)
		is("[]")
		w.do("student", "DELETE "+enrolmentPath, nil).status(404)
		w.do("student", "DELETE /api/units/{unitA}/tutorials/NONE/enrolments/{project:student}", nil).status(404)

		// The wrong unit, somebody else's project, a withdrawn student.
		w.do("admin", "POST /api/units/{unitB}/tutorials/LA1/enrolments/{project:student}", nil).status(404)
		w.do("student", "POST /api/units/{unitA}/tutorials/LA1/enrolments/{project:mate}", nil).status(403)
		w.do("withdrawn", "POST /api/units/{unitA}/tutorials/LA2/enrolments/{project:withdrawn}", nil).status(403)
		w.do("tutor", "POST /api/units/{unitA}/tutorials/LA2/enrolments/{project:withdrawn}",
			nil).status(409).says("withdrawn")
		w.do("tutor", "DELETE /api/units/{unitA}/tutorials/LA1/enrolments/{project:withdrawn}", nil).status(204)
		// Who teaches the unit and studies it moves as a student, by the students' rule.
		w.set(`UPDATE units SET allow_student_change_tutorial = FALSE`)
		enrol("student", "LA1").status(403)
		w.do("both", "POST /api/units/{unitA}/tutorials/LA2/enrolments/{project:both}", nil).status(403)
		enrol("tutor", "LA1").status(201)
	})
}

func TestCapacity(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.tutorial("TINY", "streamA", "", 1)
		w.set(`UPDATE tutorial_enrolments SET tutorial_id = $1 WHERE project_id = $2`, w.id["TINY"],
			w.id["project:withdrawn"])
		const path = "POST /api/units/{unitA}/tutorials/TINY/enrolments/"
		w.do("student", path+"{project:student}", nil).status(201) // the withdrawn one does not count
		w.do("mate", path+"{project:mate}", nil).status(409).says("TINY", "full")
		if got := w.tutorialsOf("project:mate"); got != "[LA1]" {
			t.Errorf("refused, the student is in %s", got)
		}
		w.do("both", path+"{project:both}", nil).status(409)       // a tutor, but here as a student
		w.do("student", path+"{project:student}", nil).status(201) // their own place is theirs
		w.do("tutor", path+"{project:mate}", nil).status(201)      // staff may exceed it
		w.do("convenor", "PUT /api/projects/{project:withdrawn}", form{"enrolled": "true"}).status(200)
		if n := w.count(`tutorial_enrolments WHERE tutorial_id = $1`, w.id["TINY"]); n != 3 {
			t.Errorf("%d places", n)
		}
	})
}

func TestGroupsThatStayInTheirClass(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.tutorial("LA2", "streamA", "", 5)
		w.tutorial("FREE", "", "", 5)
		w.set(`UPDATE group_sets SET keep_groups_in_same_class = TRUE, allow_students_to_manage_groups = FALSE`)
		for _, who := range []string{"student", "tutor"} {
			for _, abbr := range []string{"LA2", "FREE"} {
				w.do(who, "POST /api/units/{unitA}/tutorials/"+abbr+"/enrolments/{project:student}",
					nil).status(409).says("Red", "LA1")
			}
			w.do(who, "DELETE "+enrolmentPath, nil).status(409)
		}
		member := func(want int64) {
			t.Helper()
			if n := w.count(`group_memberships WHERE active AND project_id = $1`, w.id["project:student"]); n != want {
				t.Errorf("%d memberships, want %d", n, want)
			}
		}
		w.set(`UPDATE group_sets SET allow_students_to_manage_groups = TRUE`)
		w.set(`UPDATE unit_groups SET locked = TRUE`)
		w.do("student", "DELETE "+enrolmentPath, nil).status(409)
		w.set(`UPDATE unit_groups SET locked = FALSE`)
		member(1)
		w.do("student", "POST /api/units/{unitA}/tutorials/LA2/enrolments/{project:student}", nil).status(201)
		member(0)
		// A set that does not care keeps its members.
		w.set(`UPDATE group_sets SET keep_groups_in_same_class = FALSE`)
		w.do("mate", "POST /api/units/{unitA}/tutorials/LA2/enrolments/{project:mate}", nil).status(201)
		if n := w.count(`group_memberships WHERE active AND project_id = $1`, w.id["project:mate"]); n != 1 {
			t.Error("a group that may span classes lost a member")
		}
	})
}

// crowd adds the students crowd{from} to crowd{to-1} to unit A, without
// tutorials, and gives their names.
func (w *world) crowd(from, to int) []string {
	w.Helper()
	names := make([]string, to-from)
	ctx := context.Background()
	err := w.db.Tx(ctx, func(q db.Q) error {
		for i := range names {
			names[i] = fmt.Sprintf("crowd%d", from+i)
			id := w.insert(ctx, q, names[i], "users", row{"username": names[i], "username_key": names[i],
				"email": names[i], "email_key": names[i],
				"first_name": names[i], "last_name": "X", "role": int64(policy.Student), "created_at": q.Now(),
				"updated_at": q.Now()})
			token, err := ident.Start(ctx, q, &ident.User{ID: id, Role: policy.Student}, true)
			if err != nil {
				return err
			}
			w.tokens[names[i]] = token
			w.insert(ctx, q, "project:"+names[i], "projects", row{"unit_id": w.id["unitA"], "user_id": id,
				"created_at": q.Now(), "updated_at": q.Now()})
		}
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
	return names
}

func TestACrowdCannotOverfillATutorial(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.tutorial("RUSH", "streamA", "", 20)
		var wg sync.WaitGroup
		var mu sync.Mutex
		codes := map[int]int{}
		for i, who := range w.crowd(0, 200) {
			if i%3 == 0 { // some move from another tutorial
				w.add("", "tutorial_enrolments", row{"project_id": w.id["project:"+who],
					"tutorial_id": w.id["tutorialA"], "tutorial_stream_id": w.id["streamA"]})
			}
			wg.Go(func() {
				got := w.do(who, "POST /api/units/{unitA}/tutorials/RUSH/enrolments/{project:"+who+"}", nil)
				mu.Lock()
				codes[got.Code]++
				mu.Unlock()
			})
		}
		wg.Wait()
		if codes[201] != 20 || codes[409] != 180 {
			t.Errorf("answers: %v", codes)
		}
		if n := w.count(`tutorial_enrolments WHERE tutorial_id = $1`, w.id["RUSH"]); n != 20 {
			t.Errorf("%d of 20 places are taken", n)
		}
	})
}

// One student in many requests at once: whatever wins, one place per stream, and a
// tutorial without a stream alone.
func TestAStudentInAHurry(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.add("seminar", "tutorial_streams", row{"unit_id": w.id["unitA"], "name": "Seminar 1", "abbreviation": "sem-1",
			"activity_type_id": w.id["prac"]})
		w.tutorial("LA2", "streamA", "", 5)
		w.tutorial("S1", "seminar", "", 5)
		w.tutorial("FREE", "", "", 5)
		var wg sync.WaitGroup
		for i := range 40 {
			abbr := []string{"LA1", "LA2", "S1", "FREE"}[i%4]
			wg.Go(func() {
				got := w.do("student", "POST /api/units/{unitA}/tutorials/"+abbr+"/enrolments/{project:student}", nil)
				if got.Code != 201 {
					t.Errorf("%d %s", got.Code, got.Body)
				}
			})
		}
		wg.Wait()
		switch got := w.tutorialsOf("project:student"); got {
		case "[LA1]", "[LA2]", "[S1]", "[LA1 S1]", "[LA2 S1]", "[FREE]":
		default:
			t.Errorf("the student ended in %s", got)
		}
	})
}

// A tutorial loses and gains its stream while its students take places in other
// streams: in the end a place without a stream stands alone all the same.
func TestStreamsChangeDuringTheRush(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.add("seminar", "tutorial_streams", row{"unit_id": w.id["unitA"], "name": "Seminar 1", "abbreviation": "sem-1",
			"activity_type_id": w.id["prac"]})
		w.tutorial("S1", "seminar", "", 0)
		w.tutorial("SWAP", "streamA", "", 0)
		var wg sync.WaitGroup
		for _, who := range w.crowd(0, 12) {
			for _, abbr := range []string{"SWAP", "S1", "SWAP"} {
				wg.Go(func() {
					w.do(who, "POST /api/units/{unitA}/tutorials/"+abbr+"/enrolments/{project:"+who+"}", nil)
				})
			}
		}
		for i := range 8 {
			wg.Go(func() {
				w.do("convenor", "PUT /api/tutorials/{SWAP}", form{"tutorial[unit_id]": w.path("{unitA}"),
					"tutorial[tutorial_stream_abbr]": []string{"", "prac-1"}[i%2]})
			})
		}
		wg.Wait()
		if n := w.count(`tutorial_enrolments e JOIN tutorial_enrolments o ON o.project_id = e.project_id
			AND o.id <> e.id WHERE e.tutorial_stream_id IS NULL`); n != 0 {
			t.Errorf("%d places stand beside one without a stream", n)
		}
		if n := w.count(`tutorial_enrolments e JOIN tutorials t ON t.id = e.tutorial_id
			WHERE e.tutorial_stream_id IS DISTINCT FROM t.tutorial_stream_id`); n != 0 {
			t.Errorf("%d places have another stream than their tutorial", n)
		}
	})
}
