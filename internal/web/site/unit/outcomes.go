package unit

import (
	"context"
	"slices"
	"strconv"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/grade"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/web/site/page"
)

func (s *room) outcomeRoutes() {
	page.Show(s.Site, links.OutcomeSetup, policy.ExportOutcomes, "The outcomes of a unit and the tasks that serve them",
		s.outcomes)
	s.outcomeEditorRoutes()
	s.cellRoutes()
	s.outcomeSheetRoutes()
}

// outcomesPage is the outcomes of a unit, the grid of tasks and outcomes, and perhaps what is edited.
type outcomesPage struct {
	Unit      *course.Unit
	Outcomes  []course.Outcome
	Tasks     []taskdef.Definition
	Saved     bool
	OfOutcome *outcomeEditor // nil: no outcome is edited
	OfCell    *cellEditor    // nil: no cell is edited
	cells     map[cellKey]taskdef.Alignment
	words     *page.Language
}

// cellKey is where a task and an outcome meet.
type cellKey struct{ outcome, task int64 }

type unitOutcomes struct {
	ID int64 `path:"id" scope:"unit"`
}

func (s *room) outcomes(ctx context.Context, who *access.Caller, in struct {
	unitOutcomes
	Saved bool `param:"saved"`
}) (*page.Page, error) {
	return s.showOutcomes(ctx, who, in.ID, &outcomesPage{Saved: in.Saved})
}

func (s *room) showOutcomes(ctx context.Context, who *access.Caller, unitID int64, v *outcomesPage) (*page.Page, error) {
	if err := s.readOutcomes(ctx, unitID, v); err != nil {
		return nil, err
	}
	return s.Titled(who, "outcome-setup", v.Title(), v), nil
}

// readOutcomes reads what the page shows in four statements, however much there is.
func (s *room) readOutcomes(ctx context.Context, unitID int64, v *outcomesPage) error {
	v.words, v.cells = s.Words, map[cellKey]taskdef.Alignment{}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Unit, err = course.UnitByID(ctx, q, unitID); err != nil {
			return err
		}
		if v.Outcomes, err = course.OutcomesOf(ctx, q, unitID); err != nil {
			return err
		}
		if v.Tasks, err = taskdef.DefinitionsOf(ctx, q, unitID); err != nil {
			return err
		}
		list, err := taskdef.AlignmentsOf(ctx, q, unitID)
		for _, a := range list {
			v.cells[cellKey{a.OutcomeID, a.DefinitionID}] = a
		}
		return err
	})
	if err != nil {
		return err
	}
	if v.OfOutcome != nil {
		return v.OfOutcome.open(v)
	}
	if v.OfCell != nil {
		return v.OfCell.open(v)
	}
	return nil
}

// Title is that of what is edited, or of all.
func (v *outcomesPage) Title() string {
	switch {
	case v.OfOutcome != nil:
		return v.OfOutcome.Title()
	case v.OfCell != nil:
		return v.OfCell.Title()
	}
	return v.words.Word("outcome-setup.title")
}

// Path is where the outcomes stand.
func (v *outcomesPage) Path() string { return links.To(links.OutcomeSetup, v.Unit.ID) }

// outcomeRow is a row of the grid.
type outcomeRow struct {
	Task  *taskdef.Definition
	Cells []outcomeCell
}

// outcomeCell is how strongly a task serves an outcome.
type outcomeCell struct {
	Outcome, Rating int64
	Here            bool // it is edited
}

// Rows are the tasks with how they serve each outcome.
func (v *outcomesPage) Rows() []outcomeRow {
	rows := make([]outcomeRow, len(v.Tasks))
	for i := range v.Tasks {
		rows[i].Task = &v.Tasks[i]
		for _, o := range v.Outcomes {
			rows[i].Cells = append(rows[i].Cells, outcomeCell{Outcome: o.ID,
				Rating: v.cells[cellKey{o.ID, v.Tasks[i].ID}].Rating,
				Here:   v.OfCell != nil && v.OfCell.OutcomeID == o.ID && v.OfCell.TaskID == v.Tasks[i].ID})
		}
	}
	return rows
}

// Covered counts the tasks that serve an outcome.
func (v *outcomesPage) Covered(o course.Outcome) (n int) {
	for _, d := range v.Tasks {
		if v.cells[cellKey{o.ID, d.ID}].Rating > 0 {
			n++
		}
	}
	return n
}

// Missed are the numbers of the outcomes that no task for a Pass serves: who aims for no more may never
// reach them.
func (v *outcomesPage) Missed() (list []int64) {
	for _, o := range v.Outcomes {
		if !slices.ContainsFunc(v.Tasks, func(d taskdef.Definition) bool {
			return d.TargetGrade == grade.Pass && v.cells[cellKey{o.ID, d.ID}].Rating > 0
		}) {
			list = append(list, o.Number)
		}
	}
	if len(v.Tasks) == 0 {
		return nil
	}
	return list
}

// MissedWords says which outcomes no task for a Pass serves.
func (v *outcomesPage) MissedWords() string {
	text := ""
	for _, n := range v.Missed() {
		if text != "" {
			text += ", "
		}
		text += strconv.FormatInt(n, 10)
	}
	return v.words.Word("outcome-setup.missed", text)
}

// Beside is the number that an outcome has once it moved by a step.
func (v *outcomesPage) Beside(o course.Outcome, step int64) int64 { return o.Number + step }

// Last tells whether an outcome is the last of the unit.
func (v *outcomesPage) Last(o course.Outcome) bool { return o.Number == int64(len(v.Outcomes)) }

// outcome finds one of the unit's outcomes.
func (v *outcomesPage) outcome(id int64) (*course.Outcome, error) {
	i := slices.IndexFunc(v.Outcomes, func(o course.Outcome) bool { return o.ID == id })
	if i < 0 {
		return nil, fault.New(fault.Missing, "This unit has no such learning outcome.")
	}
	return &v.Outcomes[i], nil
}
