package unit

import (
	"context"
	"encoding/json"
	"html/template"
	"slices"
	"strconv"
	"strings"

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
	Deleted   bool
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
	Saved   bool `param:"saved"`
	Deleted bool `param:"deleted"`
}) (*page.Page, error) {
	return s.showOutcomes(ctx, who, in.ID, &outcomesPage{Saved: in.Saved, Deleted: in.Deleted})
}

func (s *room) showOutcomes(ctx context.Context, who *access.Caller, unitID int64, v *outcomesPage) (*page.Page,
	error) {
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
	Cells template.HTML // how strongly it serves each outcome; a template would take most of the page's time
}

// Rows are the tasks with how they serve each outcome.
func (v *outcomesPage) Rows() []outcomeRow {
	rows, scale, path := make([]outcomeRow, len(v.Tasks)), v.scale(), v.Path()
	for n := range scale {
		scale[n] = template.HTMLEscapeString(scale[n])
	}
	for i := range v.Tasks {
		var cells strings.Builder
		id := strconv.FormatInt(v.Tasks[i].ID, 10)
		for _, o := range v.Outcomes {
			outcome, r := strconv.FormatInt(o.ID, 10), v.cells[cellKey{o.ID, v.Tasks[i].ID}].Rating
			here := ""
			if v.OfCell != nil && v.OfCell.OutcomeID == o.ID && v.OfCell.TaskID == v.Tasks[i].ID {
				here = ` aria-current="true"`
			}
			cells.WriteString(`<td><a id="cell-` + outcome + `-` + id + `" href="` + path + `/` + outcome + `/tasks/` + id +
				`" data-r="` + strconv.FormatInt(r, 10) + `"` + here + `><span class="unseen">` + scale[r] + "</span></a></td>\n")
		}
		rows[i] = outcomeRow{&v.Tasks[i], template.HTML(cells.String())} //nolint:gosec // numbers, and our words escaped
	}
	return rows
}

// scale is how strongly a task can serve an outcome, in words.
func (v *outcomesPage) scale() (list [mostRating + 1]string) {
	for n := range list {
		list[n] = v.words.Word("outcome-setup.rating-" + strconv.Itoa(n))
	}
	return list
}

// Scale is scale for the script that sets a strength in place.
func (v *outcomesPage) Scale() (string, error) {
	text, err := json.Marshal(v.scale())
	return string(text), err
}

// outcomeCover is how many tasks of all serve an outcome.
type outcomeCover struct {
	Number    int64 // the outcome's
	Tasks, Of int
	Missed    bool // no task for a Pass serves it
}

// cover counts the tasks that serve an outcome.
func (v *outcomesPage) cover(o course.Outcome) outcomeCover {
	c := outcomeCover{Number: o.Number, Of: len(v.Tasks), Missed: true}
	for i := range v.Tasks {
		if v.cells[cellKey{o.ID, v.Tasks[i].ID}].Rating > 0 {
			c.Tasks++
			c.Missed = c.Missed && v.Tasks[i].TargetGrade != grade.Pass
		}
	}
	return c
}

// Coverage is how many tasks serve each outcome.
func (v *outcomesPage) Coverage() (list []outcomeCover) {
	for _, o := range v.Outcomes {
		list = append(list, v.cover(o))
	}
	return list
}

// Missed says which outcomes no task for a Pass serves: who aims for no more may never reach them. It
// is empty where every outcome has one, or there is no task yet.
func (v *outcomesPage) Missed() string {
	var numbers []string
	for _, c := range v.Coverage() {
		if c.Missed && c.Of > 0 {
			numbers = append(numbers, strconv.FormatInt(c.Number, 10))
		}
	}
	switch len(numbers) {
	case 0:
		return ""
	case 1:
		return v.words.Word("outcome-setup.missed-one", numbers[0])
	}
	return v.words.Word("outcome-setup.missed", strings.Join(numbers, ", "))
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
