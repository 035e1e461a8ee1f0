package enrol

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"lectern/internal/ground/grade"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/status"
)

// Begun is how a student has begun a task.
type Begun struct {
	DefinitionID int64         `db:"task_definition_id"`
	Status       status.Status `db:"status"`
	Extensions   int64         `db:"extensions"`
	HandedIn     bool          `db:"handed_in"`
}

// fewProjects is up to how many projects are looked up one by one; of more the whole unit is read.
const fewProjects = 100

// few tells whether projects are looked up one by one. No list at all means everybody.
func few(projects []int64) bool { return projects != nil && len(projects) <= fewProjects }

// TasksAmong is a condition on a task t of units that holds for all tasks of some projects, and maybe for those of
// others too. Its values come after args.
func TasksAmong(args []any, units, projects []int64) (string, []any) {
	if few(projects) {
		in, args := db.In(args, projects)
		return `t.project_id IN ` + in, args
	}
	in, args := db.In(args, units)
	return `t.task_definition_id IN (SELECT d.id FROM task_definitions d WHERE d.unit_id IN ` + in + `)`, args
}

// Alike is what some students have begun of one task, all at the same status.
type Alike struct {
	DefinitionID int64
	Status       status.Status
	Extensions   int64
	HandedIn     bool
	Projects     []int64
}

// each is the task as each of the students has begun it.
func (a *Alike) each() Begun { return Begun{a.DefinitionID, a.Status, a.Extensions, a.HandedIn} }

// BegunBy reads what was begun of the tasks of units, by some projects and maybe others; nil: by all. It refuses
// nobody: its caller asks who may.
func BegunBy(ctx context.Context, q db.Q, units, projects []int64) (out []Alike, err error) {
	if !few(projects) {
		return AllBegun(ctx, q, units)
	}
	which, args := TasksAmong(nil, units, projects)
	for r, err := range db.Each[struct {
		ProjectID int64 `db:"project_id"`
		Begun
	}](ctx, q, `SELECT t.project_id, t.task_definition_id, t.status, t.extensions,
			t.submission_date IS NOT NULL AS handed_in FROM tasks t WHERE `+which, args...) {
		if err != nil {
			return nil, err
		}
		out = append(out, Alike{r.DefinitionID, r.Status, r.Extensions, r.HandedIn, []int64{r.ProjectID}})
	}
	return out, nil
}

// AllBegun reads what was begun of all tasks of units. Most of it was handed in and has no extension: a row for each
// task and status with those projects as one text costs a fraction of what a row for each student does, and comes in
// the order of an index. The others stand in that text with what they have. It refuses nobody: its caller asks who may.
func AllBegun(ctx context.Context, q db.Q, units []int64) (out []Alike, err error) {
	which, args := TasksAmong(nil, units, nil)
	for r, err := range db.Each[struct {
		DefinitionID int64         `db:"task_definition_id"`
		Status       status.Status `db:"status"`
		Projects     string        `db:"projects"`
	}](ctx, q, `SELECT t.task_definition_id, t.status, string_agg(
			CASE WHEN t.extensions = 0 AND t.submission_date IS NOT NULL THEN CAST(t.project_id AS TEXT)
				WHEN t.submission_date IS NOT NULL THEN CAST(t.project_id AS TEXT) || '`+inText+`' || t.extensions
				ELSE CAST(t.project_id AS TEXT) || '`+outText+`' || t.extensions END, ',') AS projects
		FROM tasks t WHERE `+which+` GROUP BY t.task_definition_id, t.status`, args...) {
		if err != nil {
			return nil, err
		}
		usual := Alike{DefinitionID: r.DefinitionID, Status: r.Status, HandedIn: true,
			Projects: make([]int64, 0, strings.Count(r.Projects, ",")+1)}
		for text := range strings.SplitSeq(r.Projects, ",") {
			a := Alike{DefinitionID: r.DefinitionID, Status: r.Status, HandedIn: true}
			id, err := a.read(text)
			switch {
			case err != nil:
				return nil, err
			case a.HandedIn && a.Extensions == 0:
				usual.Projects = append(usual.Projects, id)
			default:
				a.Projects = []int64{id}
				out = append(out, a)
			}
		}
		out = append(out, usual)
	}
	return out, nil
}

// What stands between a project and its extensions, where it was handed in and where not.
const (
	inText  = "+"
	outText = "-"
)

// read reads a project of AllBegun with what is unusual of it.
func (a *Alike) read(text string) (project int64, err error) {
	at := strings.IndexAny(text, inText+outText)
	if at < 0 {
		return strconv.ParseInt(text, 10, 64)
	}
	a.HandedIn = text[at:at+1] == inText
	if a.Extensions, err = strconv.ParseInt(text[at+1:], 10, 64); err != nil {
		return 0, err
	}
	return strconv.ParseInt(text[:at], 10, 64)
}

// Planned is a student of a unit with the grade they aim for, which is their plan.
type Planned struct {
	ProjectID int64
	UnitID    int64
	Target    grade.Grade
}

// Standing is how a student stands against the plan of their unit, as against has it.
type Standing struct {
	Asked    int64 // tasks their target grade asks for
	HandedIn int64 // of them
	Overdue  int64 // of them
	Lag      int64 // how much less was handed in than was due: by weight, or by number where nothing weighs anything
	Whole    int64 // of how much
	fewer    int64 // Lag by number
	target   grade.Grade
}

// add counts a task that nobody has begun.
func (s *Standing) add(t planned) {
	s.Asked, s.Whole = s.Asked+1, s.Whole+t.Weight
	if t.late > 0 {
		s.Overdue, s.Lag, s.fewer = s.Overdue+1, s.Lag+t.Weight, s.fewer+1
	}
}

// begin counts what was begun of a task that add has counted.
func (s *Standing) begin(t planned, b Begun) {
	if status.ReadyOrComplete.Has(b.Status) {
		s.HandedIn, s.Lag, s.fewer = s.HandedIn+1, s.Lag-t.Weight, s.fewer-1
	}
	if t.late == 0 {
		return
	}
	owed := status.Again.Has(b.Status) || !b.HandedIn && status.ToDo.Has(b.Status)
	isDue := int64(t.late) > b.Extensions
	if !isDue {
		s.Lag, s.fewer = s.Lag-t.Weight, s.fewer-1
	}
	if !isDue || !owed {
		s.Overdue--
	}
}

// Standings tells how students stand, by project, from what they and maybe others have begun; nil: it is read. It
// refuses nobody: its caller asks who may.
func Standings(ctx context.Context, q db.Q, students []Planned, begun []Alike) (map[int64]*Standing, error) {
	units, projects := []int64{}, make([]int64, len(students))
	for i, a := range students {
		if projects[i] = a.ProjectID; !slices.Contains(units, a.UnitID) {
			units = append(units, a.UnitID)
		}
	}
	plan, err := plannedTasks(ctx, q, units)
	if err != nil {
		return nil, err
	}
	fresh, out := map[Planned]Standing{}, make(map[int64]*Standing, len(students))
	for _, a := range students {
		k := Planned{UnitID: a.UnitID, Target: a.Target}
		one, seen := fresh[k]
		if !seen {
			one = unbegun(plan, k)
			fresh[k] = one
		}
		out[a.ProjectID] = &one
	}
	if begun == nil {
		if begun, err = BegunBy(ctx, q, units, projects); err != nil {
			return nil, err
		}
	}
	for i := range begun {
		t, b := plan[begun[i].DefinitionID], begun[i].each()
		for _, id := range begun[i].Projects {
			if s := out[id]; s != nil && t.Grade <= s.target {
				s.begin(t, b)
			}
		}
	}
	for _, s := range out {
		if s.Whole == 0 {
			s.Lag, s.Whole = s.fewer, s.Asked
		}
	}
	return out, nil
}

// unbegun is how somebody stands who aims for a grade and has begun nothing.
func unbegun(plan map[int64]planned, a Planned) Standing {
	s := Standing{target: a.Target}
	for _, t := range plan {
		if t.UnitID == a.UnitID && t.Grade <= a.Target {
			s.add(t)
		}
	}
	return s
}
