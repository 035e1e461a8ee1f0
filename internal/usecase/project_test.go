package usecase

import (
	"testing"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/grade"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/platform/db/dbtest"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/enrol"
)

// as gives somebody's standing on a record.
func (w *teaching) as(user int64, role policy.Role, s access.Scope) *access.Caller {
	w.Helper()
	who, err := access.Resolve(w.Context(), w.q, access.Caller{ID: user, Role: role}, s)
	if err != nil {
		w.Fatal(err)
	}
	return who
}

// Whoever changes a target grade has the statistics follow, whichever face asks.
func TestStatisticsFollowTheTargetGrade(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		undone(t, d, func(q db.Q) {
			w := newTeaching(t, q)
			p := w.enrolled(w.id["units"])
			w.put("tasks", w.at.with(record{"project_id": p.id, "unit_id": w.id["units"], "status": "complete",
				"task_definition_id": w.id["task_definitions"]})) // for the target grade 2
			owner := w.as(p.user, policy.Student, access.Scope{Project: p.id})
			_, _, err := changeProject(t.Context(), q, owner, p.id, ProjectChange{TargetGrade: new(grade.Grade(2))})
			if err != nil {
				t.Fatal(err)
			}
			green, err := db.One[float64](t.Context(), q, `SELECT green_pct FROM projects WHERE id = $1`, p.id)
			if err != nil || *green != 1 {
				t.Errorf("green is %v: %v", *green, err)
			}
		})
	})
}

func TestEachFieldOfAProjectHasItsRight(t *testing.T) {
	d := dbtest.New(t, "sqlite", nil)
	undone(t, d, func(q db.Q) {
		w := newTeaching(t, q)
		p := w.enrolled(w.id["units"])
		owner := w.as(p.user, policy.Student, access.Scope{Project: p.id})
		no, word, n, elsewhere := false, WeekEnd, int64(1), int64(99)
		for name, c := range map[string]ProjectChange{"trigger": {Trigger: &word}, "campus": {CampusID: &elsewhere},
			"enrolled": {Enrolled: &no}, "grade": {Grade: &n}, "rationale": {GradeRationale: course.Setting[string]{Set: true, To: &word}}} {
			if _, _, err := changeProject(t.Context(), q, owner, p.id, c); !fault.Is(err, fault.Denied) {
				t.Errorf("%s by the student: %v", name, err)
			}
		}
		admin := w.as(99, policy.Admin, access.Scope{Project: p.id})
		over := int64(101)
		if _, _, err := changeProject(t.Context(), q, admin, p.id, ProjectChange{Grade: &over}); !fault.Is(err,
			fault.Invalid) {
			t.Errorf("a grade that is none: %v", err)
		}
	})
}

func TestAStudentJoinsTheGroupTheyCreate(t *testing.T) {
	d := dbtest.New(t, "sqlite", nil)
	undone(t, d, func(q db.Q) {
		w := newTeaching(t, q)
		p := w.enrolled(w.id["units"])
		set := w.put("group_sets", record{"unit_id": w.id["units"], "name": "Open"})
		who := w.as(p.user, policy.Student, access.Scope{Unit: w.id["units"], GroupSet: set})
		larger := enrol.NewGroup{TutorialID: p.tutorial, CapacityAdjustment: 1}
		if _, err := createGroup(t.Context(), q, who, set, larger); !fault.Is(err, fault.Denied) {
			t.Errorf("a larger group by a student: %v", err)
		}
		g, err := createGroup(t.Context(), q, who, set, enrol.NewGroup{TutorialID: p.tutorial})
		if err != nil {
			t.Fatal(err)
		}
		w.only("group_memberships", `unit_group_id = $1 AND project_id = $2`, g.ID, p.id)
		admin := w.as(99, policy.Admin, access.Scope{Unit: w.id["units"], GroupSet: set})
		if g, err = createGroup(t.Context(), q, admin, set, larger); err != nil || g.StudentCount != 0 {
			t.Errorf("a larger group by staff: %+v %v", g, err)
		}
	})
}
