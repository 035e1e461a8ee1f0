package api

import (
	"fmt"
	"io"
	"net/mail"
	"regexp"
	"strings"
	"sync"
	"testing"
)

const (
	gradesA      = "/api/units/{unitA}/final_grades"
	publicationA = gradesA + "/publication"
	gradeSheetA  = "/api/csv/units/{unitA}/final_grades"
)

var _ = rights(
	rightRow{"GET /api/units/{id}/final_grades", gradesA, staffA, nil},
	rightRow{"POST /api/units/{id}/final_grades", gradesA, staffA, `{"grades":[{"student":"mate","grade":50}]}`},
	rightRow{"POST /api/csv/units/{id}/final_grades", gradeSheetA, staffA, csvFile("student,grade\nmate,50\n")},
	rightRow{"GET /api/units/{id}/final_grades/publication", publicationA, staffA, nil},
	rightRow{"PUT /api/units/{id}/final_grades/publication", publicationA, convenorsA, nil},
	rightRow{"DELETE /api/units/{id}/final_grades/publication", publicationA, convenorsA, nil},
)

var _ = lists(
	listRow{route: "GET /api/units/{id}/final_grades", path: gradesA, who: "tutor", fill: func(w *world, from, to int) {
		w.crowd(from, to)
	}},
)

// given is the answer to giving grades.
type given struct {
	Rows []struct {
		Line              int
		Username, Outcome string
		Named, Message    string
		From, To          struct{ Grade int }
	}
	Changed, Unchanged, Refused int
	Published                   bool
	Plan                        string
}

func (g given) is(t *testing.T, want ...string) {
	t.Helper()
	var got []string
	for _, r := range g.Rows {
		name := r.Username
		if name == "" {
			name = "?" + r.Named
		}
		line := fmt.Sprintf("%s %s %d>%d", name, r.Outcome, r.From.Grade, r.To.Grade)
		got = append(got, strings.TrimSpace(line+" "+r.Message))
	}
	if a, b := strings.Join(got, "\n"), strings.Join(want, "\n"); a != b {
		t.Errorf("the rows are\n%s\nwant\n%s", a, b)
	}
}

// give gives grades as somebody, each as "name grade".
func (w *world) give(as, more string, grades ...string) given {
	w.Helper()
	var rows []string
	for _, g := range grades {
		name, grade, _ := strings.Cut(g, " ")
		rows = append(rows, fmt.Sprintf(`{"student":%q,"grade":%s}`, name, grade))
	}
	var out given
	w.do(as, "POST "+gradesA, `{"grades":[`+strings.Join(rows, ",")+`]`+more+`}`).status(200).into(&out)
	return out
}

// seesGrade tells what the student of a project sees of the final grade: nothing, or the grade.
func (w *world) seesGrade(name string) string {
	w.Helper()
	o := w.do(name, "GET /api/projects/{project:"+name+"}", nil).status(200).object()
	_, has := o["grade"]
	switch {
	case (o["grade_published_at"] != nil) != has:
		w.Errorf("%s: published at %v, grade %v", name, o["grade_published_at"], o["grade"])
	case !has:
		return "nothing"
	}
	return fmt.Sprint(o["grade"], " ", o["grade_rationale"])
}

func (w *world) seeGrades(want string) {
	w.Helper()
	var got []string
	for _, name := range []string{"student", "mate", "other", "both", "withdrawn"} {
		got = append(got, w.seesGrade(name))
	}
	if s := strings.Join(got, ", "); s != want {
		w.Errorf("student, mate, other, both, withdrawn see %s; want %s", s, want)
	}
}

// publishes plays what happens around the publishing of final grades.
type publishes struct {
	*world
	delivered func() map[string]*mail.Message
}

// plan checks whether grades are published, and how many students, without a grade, who see one for the first
// time, another or the same the plan counts; it gives the sign of the plan.
func (w *publishes) plan(want string) string {
	w.Helper()
	p := w.do("tutor", "GET "+publicationA, nil).status(200).object()
	got := fmt.Sprint(p["published_at"] != nil, " ", p["students"], p["without_grade"], p["first_time"],
		p["changed"], p["unchanged"])
	if got != want {
		w.Errorf("the plan is %s, want %s", got, want)
	}
	return p["plan"].(string)
}

// theGrade is what an email must not hold.
var theGrade = regexp.MustCompile(`grounds|\b7[13]\b`)

// emails checks who got an email since the last time, with which end of its subject.
func (w *publishes) emails(subject, names string) {
	w.Helper()
	var got []string
	all := w.delivered()
	for _, name := range []string{"student", "mate", "other", "both", "withdrawn"} {
		m := all[name]
		if m == nil {
			continue
		}
		got = append(got, name)
		if s := m.Header.Get("Subject"); s != "SIT10A: "+subject {
			w.Errorf("the subject is %s", s)
		}
		text, err := io.ReadAll(m.Body)
		if err != nil || theGrade.Match(text) {
			w.Errorf("the email to %s holds the grade (%v): %s", name, err, text)
		}
	}
	if s := strings.Join(got, " "); s != names || len(all) != len(got) {
		w.Errorf("%s (of %d) got emails; want %s", s, len(all), names)
	}
}

// Final grades are the staff's until a convenor publishes them. The plan says who sees what, and what changed since
// it was looked at is not published. Whoever is told gets no grade, by news or by email.
func TestPublishFinalGrades(t *testing.T) {
	each(t, func(t *testing.T, world *world) {
		_, delivered := world.post(t)
		w := &publishes{world, delivered}
		w.plan("false 4 4 0 0 0")
		w.do("convenor", "PUT "+publicationA, nil).status(422).says("No student has a final grade")
		w.do("convenor", "DELETE "+publicationA, nil).status(409).says("not published")
		w.set(`UPDATE projects SET grade = 44 WHERE id = $1`, w.id["project:withdrawn"])
		w.do("tutor", "POST "+gradesA, `{"grades":[{"student":"student","grade":71,"grade_rationale":"Quokka grounds"},
			{"student":"both","grade":60}]}`).status(200)
		w.seeGrades("nothing, nothing, nothing, nothing, nothing")
		w.toldIs("student", "")
		old := w.plan("false 4 2 2 0 0")
		w.give("tutor", "", "mate 55")
		w.do("convenor", "PUT "+publicationA, form{"plan": old}).status(409).says("nothing was published")
		w.do("convenor", "PUT "+publicationA, form{"plan": w.plan("false 4 1 3 0 0")}).status(200)
		w.plan("true 4 1 0 0 3")
		w.seeGrades("71 Quokka grounds, 55 <nil>, 0 <nil>, 60 <nil>, nothing")
		w.toldIs("student", "grade <nil> true")
		w.toldIs("other", "")
		w.toldIs("tutor", "")
		w.emails("your final grade is published", "student mate both")
		w.do("convenor", "PUT "+publicationA, nil).status(409).says("published already")
		if text := w.do("student", "GET /api/news", nil).status(200).Body.String(); strings.Contains(text, "grounds") ||
			strings.Contains(text, `"grade":71`) {
			t.Errorf("the news hold the grade: %s", text)
		}
	})
}

// A change of a published grade shows at once and is told. Taken back, nobody sees a grade, and the next plan says
// who will see another.
func TestTakeFinalGradesBack(t *testing.T) {
	each(t, func(t *testing.T, world *world) {
		_, delivered := world.post(t)
		w := &publishes{world, delivered}
		w.give("tutor", "", "student 71", "mate 55", "both 60")
		w.do("convenor", "PUT "+publicationA, nil).status(200)
		w.emails("your final grade is published", "student mate both")

		w.do("tutor", "PUT /api/projects/{project:student}", form{"grade": "73", "old_grade": "71"}).status(200)
		w.do("tutor", "PUT /api/projects/{project:student}", form{"grade_rationale": "More grounds"}).status(200)
		if g := w.give("convenor", "", "mate 56", "student 73"); !g.Published {
			t.Errorf("%+v", g)
		}
		w.seeGrades("73 More grounds, 56 <nil>, 0 <nil>, 60 <nil>, nothing")
		w.toldIs("student", "grade <nil> true, grade <nil> true")
		w.toldIs("mate", "grade <nil> true, grade <nil> true")
		w.emails("your final grade was changed", "student mate")

		w.do("convenor", "DELETE "+publicationA, nil).status(200)
		w.seeGrades("nothing, nothing, nothing, nothing, nothing")
		w.toldIs("mate", "grade <nil> true, grade <nil> true, grade <nil> true")
		w.emails("final grades were taken back", "student mate both")
		w.give("tutor", "", "mate 57", "other 40")
		w.toldIs("other", "")
		w.plan("false 4 0 1 1 2")
		for show, want := range map[string]string{"without": "", "first": "other", "changed": "mate", "portfolios": ""} {
			if got := w.do("tutor", "GET "+gradesA+"?show="+show, nil).status(200).names(); got != want {
				t.Errorf("%s shows %q, want %q", show, got, want)
			}
		}
		w.do("convenor", "PUT "+publicationA, nil).status(200)
		w.seeGrades("73 More grounds, 57 <nil>, 40 <nil>, 60 <nil>, nothing")
		if n := w.count(`audit_outbox WHERE entries LIKE '%"published"%' OR entries LIKE '%"taken_back"%'`); n != 3 {
			t.Errorf("%d entries of the audit log tell of publishing", n)
		}
	})
}

// Two publish and one takes back at once, while two give grades: each is done or refused, and what students see in the
// end is what there is.
func TestPublishingAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.give("tutor", "", "student 71", "mate 55", "both 60")
		for round := range 6 {
			var all sync.WaitGroup
			for _, one := range []struct {
				who, request string
				body         any
			}{{"convenor", "PUT " + publicationA, nil}, {"admin", "PUT " + publicationA, nil},
				{"convenor", "DELETE " + publicationA, nil},
				{"tutor", "POST " + gradesA, fmt.Sprintf(`{"grades":[{"student":"student","grade":%d}]}`, 50+round)},
				{"convenor", "PUT /api/projects/{project:mate}", form{"grade": fmt.Sprint(80 - round)}},
			} {
				all.Go(func() {
					if a := w.do(one.who, one.request, one.body); a.Code != 200 && (a.Code != 409 || one.body != nil) {
						t.Errorf("%s %s: %d %s", one.who, one.request, a.Code, a.Body)
					}
				})
			}
			all.Wait()
			seen := w.count("units WHERE grades_published_at IS NOT NULL")
			if done, back := w.count(`audit_outbox WHERE entries LIKE '%"published"%'`),
				w.count(`audit_outbox WHERE entries LIKE '%"taken_back"%'`); done-back != seen {
				t.Errorf("published %d times and taken back %d times, and %d units are published", done, back, seen)
			}
			if seen == 0 {
				w.seeGrades("nothing, nothing, nothing, nothing, nothing")
				continue
			}
			w.seeGrades(fmt.Sprintf("%d <nil>, %d <nil>, 0 <nil>, 60 <nil>, nothing", 50+round, 80-round))
			if n := w.count("projects WHERE grade > 0 AND enrolled AND coalesce(grade_shown, 0) <> grade"); n != 0 {
				t.Errorf("%d grades are seen that were not noted as shown", n)
			}
		}
	})
}

// Many grades are given at once: who cannot be given one is told why, the others are saved. A plan changes nothing,
// and what was planned is saved only while it is still so.
func TestGiveFinalGrades(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.set(`UPDATE users SET student_id = '200010031' WHERE id = $1`, w.id["mate"])
		grades := []string{"STUDENT 71", "200010031 55", "other@example.edu 100", "withdrawn 50", "nobody 50", "mate 56",
			"both 60"}
		want := []string{"student changed 0>71", "mate changed 0>55", "other changed 0>100",
			"withdrawn refused 0>0 The student is withdrawn from this unit. Enrol them again first.",
			"?nobody refused 0>0 Nobody of this number, user name or address is enrolled in this unit.",
			"mate refused 0>0 The student is in row 2 already. Remove one of the two rows.",
			"both changed 0>60"}
		p := w.give("tutor", `,"dry_run":true`, grades...)
		p.is(t, want...)
		if p.Changed != 4 || p.Refused != 3 || w.count("projects WHERE grade > 0") != 0 {
			t.Errorf("the plan is %+v", p)
		}
		w.give("convenor", "", "other 99")
		w.do("tutor", "POST "+gradesA, `{"grades":[{"student":"other","grade":100}],"plan":"`+p.Plan+`"}`).status(409).
			says("nothing was saved")
		w.give("convenor", "", "other 0")
		w.give("tutor", `,"plan":"`+p.Plan+`"`, grades...).is(t, want...)
		w.give("tutor", "", "student 71", "mate 101", "mate -1").is(t, "student unchanged 71>71",
			"mate refused 55>55 The grade must be a whole number from 0 to 100.",
			"mate refused 55>55 The student is in row 2 already. Remove one of the two rows.")
		// Nobody grades themselves, or sees what they got.
		w.give("both", "", "both 99", "mate 58").is(t, "both refused 0>0 Nobody gives their own final grade. Ask a colleague.",
			"mate changed 55>58")
		for _, at := range []string{gradesA, "/api/students?unit_id={unitA}", "/api/units/{unitA}/students",
			"/api/units/{unitA}/grades?all=true", "/api/csv/units/{unitA}/task_completion"} {
			if text := w.do("both", "GET "+at, nil).status(200).Body.String(); strings.Contains(text, `"grade":60`) ||
				strings.Contains(text, ",60,") {
				t.Errorf("both sees their own grade at %s: %s", at, text)
			}
		}
		w.do("tutor", "POST "+gradesA, `{"grades":[]}`).status(422)
		w.do("tutor", "POST "+gradesA, `{}`).status(400)
		w.do("tutor", "POST "+gradesA, `{"grades":[{"student":"mate","grade":"good"}]}`).status(400)
	})
}

// A value that a colleague changed since it was seen is not overwritten; the rest goes through.
func TestTwoGiveFinalGradesAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		send := func(row string) given {
			t.Helper()
			var g given
			w.do("tutor", "POST "+gradesA, fmt.Sprintf(`{"grades":[{"project_id":%d,%s}]}`, w.id["project:student"], row)).
				status(200).into(&g)
			return g
		}
		send(`"grade":70,"old_grade":0,"grade_rationale":"First","old_grade_rationale":""`).is(t, "student changed 0>70")
		send(`"grade":65,"old_grade":0`).is(t,
			"student refused 70>70 Somebody changed the grade in the meantime: it is 70 now, you saw none.")
		send(`"grade":70,"old_grade":0`).is(t, "student unchanged 70>70") // the same as a colleague
		send(`"grade_rationale":"Mine","old_grade_rationale":""`).is(t,
			"student refused 70>70 Somebody changed the rationale in the meantime.")
		send(`"grade":71,"old_grade":70`).is(t, "student changed 70>71") // the rationale stays
		if n := w.count(`projects WHERE grade = 71 AND grade_rationale = 'First'`); n != 1 {
			t.Error("the rationale is gone")
		}
		send(`"grade_rationale":" "`).is(t, "student changed 71>71")
		if n := w.count(`projects WHERE grade_rationale IS NULL AND grade = 71`); n != 1 {
			t.Error("the rationale is still there")
		}
	})
}

// Grades go out as a sheet, with everybody where that is asked for, and come back by one.
func TestFinalGradesBySheet(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.give("tutor", "", "student 71")
		w.do("convenor", "GET /api/units/{unitA}/grades", nil).status(200)
		out := w.do("convenor", "GET /api/units/{unitA}/grades?all=true", nil).status(200).Body.String()
		if want := "unit_code,username,student_id,grade,rationale\r\nSIT10A,both,,,\r\nSIT10A,mate,,,\r\nSIT10A,other,,,\r\n" +
			"SIT10A,student,,71,\r\n"; strings.TrimPrefix(out, "\ufeff") != want {
			t.Errorf("the sheet is %q", out)
		}
		send := func(text string, dry bool) given {
			t.Helper()
			var g given
			file := csvFile(text)
			w.do("tutor", fmt.Sprintf("POST %s?dry_run=%t", gradeSheetA, dry), file).status(200).into(&g)
			return g
		}
		text := "unit_code,username,student_id,grade,rationale\r\nSIT10A,both,,64,\r\nSIT10A,mate,,,\r\nSIT99,other,,5,\r\n" +
			"SIT10A,student,,72,\"Two\r\nlines\"\r\nSIT10A,,,5,\r\nSIT10A,other,,6.5,\r\n"
		want := []string{"both changed 0>64", "mate unchanged 0>0",
			"other refused 0>0 The row is for unit SIT99, not SIT10A.", "student changed 71>72",
			"? refused 0>0 The row names no student. Fill in student_id, username, email or student.",
			"other refused 0>0 grade must be a whole number from 0 to 100."}
		send(text, true).is(t, want...)
		if w.count("projects WHERE grade = 72") != 0 {
			t.Error("a plan saved a grade")
		}
		send(text, false).is(t, want...)
		if w.count("projects WHERE grade IN (64, 72)") != 2 {
			t.Error("the grades are not saved")
		}
		w.do("tutor", "POST "+gradeSheetA, csvFile("student,mark\nmate,5\n")).status(400).says("grade")
		w.do("tutor", "POST "+gradeSheetA, csvFile("student,grade\n")).status(422)
	})
}
