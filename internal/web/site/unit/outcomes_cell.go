package unit

import (
	"context"
	"slices"
	"strconv"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/editing"
	"lectern/internal/web/site/page"
)

// aCell is where a task and an outcome meet.
const aCell = links.OutcomeEditor + "/tasks/{task_definition_id}"

func (s *room) cellRoutes() {
	page.Show(s.Site, aCell, policy.ExportOutcomes, "How strongly a task serves an outcome", s.editCell)
	page.Form(s.Site, aCell, policy.EditAlignments, "Say how strongly a task serves an outcome, and why", s.changeCell,
		endpoint.Audited(audit.Outcome))
}

// mostRating is how strongly a task can serve an outcome.
const mostRating = 5

// cellForm is what the fields of a cell hold.
type cellForm struct {
	Rating      string `param:"rating"`
	Description string `param:"description" text:"lines"`
}

// read gives the values of f in which it differs from other.
func (f *cellForm) read(other *cellForm) (c taskdef.Cell, err error) {
	r := &editing.Difference{}
	r.Whole("rating", &c.Rating, f.Rating, other.Rating)
	r.Text(&c.Description, f.Description, other.Description)
	if c.Rating != nil && (*c.Rating < 0 || *c.Rating > mostRating) {
		r.Wrong.Add("rating", "must be from 0 to 5")
	}
	return c, r.Wrong.Err(fault.Refused)
}

// cellEditor is the fields of a cell.
type cellEditor struct {
	editing.Record[cellForm]
	OutcomeID, TaskID int64
	Outcome           *course.Outcome
	Task              *taskdef.Definition
	Before, After     string // the cells beside it in its row
	path              string
	is                taskdef.Alignment
}

func (e *cellEditor) open(v *outcomesPage) (err error) {
	e.Words = v.words
	if e.Outcome, err = v.outcome(e.OutcomeID); err != nil {
		return err
	}
	i := slices.IndexFunc(v.Tasks, func(d taskdef.Definition) bool { return d.ID == e.TaskID })
	if i < 0 {
		return fault.New(fault.Missing, "This unit has no such task.")
	}
	e.Task = &v.Tasks[i]
	at := func(outcome int64) string {
		return v.Path() + "/" + strconv.FormatInt(outcome, 10) + "/tasks/" + strconv.FormatInt(e.TaskID, 10)
	}
	e.path = at(e.OutcomeID)
	for j, o := range v.Outcomes {
		if o.ID == e.OutcomeID && j > 0 {
			e.Before = at(v.Outcomes[j-1].ID)
		}
		if o.ID == e.OutcomeID && j+1 < len(v.Outcomes) {
			e.After = at(v.Outcomes[j+1].ID)
		}
	}
	e.is = v.cells[cellKey{e.OutcomeID, e.TaskID}]
	e.Now = func(name string) string {
		if name == "rating" {
			return e.Words.Word("outcome-setup.rating-" + strconv.FormatInt(e.is.Rating, 10))
		}
		return e.is.Description
	}
	e.Hold(e.form())
	return nil
}

// form fills the fields with what the cell has.
func (e *cellEditor) form() cellForm {
	return cellForm{strconv.FormatInt(e.is.Rating, 10), e.is.Description}
}

// Path is where the form is sent to.
func (e *cellEditor) Path() string { return e.path }

// Title is that of the fields.
func (e *cellEditor) Title() string {
	return e.Words.Word("outcome-setup.cell", e.Task.Abbreviation, e.Outcome.Number)
}

// strength is one of how strongly a task can serve an outcome.
type strength struct {
	Value, Text string
	Rating      int64
	On          bool
}

// Strengths are those to choose from.
func (e *cellEditor) Strengths() (list []strength) {
	for n := range int64(mostRating + 1) {
		value := strconv.FormatInt(n, 10)
		list = append(list, strength{value, e.Words.Word("outcome-setup.rating-" + value), n, e.Typed.Rating == value})
	}
	return list
}

// outcomeKeys are those of words that are put together.
func outcomeKeys() (list []string) {
	for n := range mostRating + 1 {
		list = append(list, "outcome-setup.rating-"+strconv.Itoa(n))
	}
	return list
}

// oneCell names a cell.
type oneCell struct {
	oneOutcome
	TaskID int64 `path:"task_definition_id" scope:"definition"`
}

func (s *room) editCell(ctx context.Context, who *access.Caller, in oneCell) (*page.Page, error) {
	return s.showOutcomes(ctx, who, in.UnitID, &outcomesPage{OfCell: &cellEditor{OutcomeID: in.OutcomeID,
		TaskID: in.TaskID, Record: editing.Record[cellForm]{ID: in.TaskID, Fill: true}}})
}

func (s *room) changeCell(ctx context.Context, who *access.Caller, in struct {
	oneCell
	Cell cellForm `param:"alignment"`
	Seen string   `param:"seen"`
}) (endpoint.Drawing, error) {
	seen, err := editing.Parse[cellForm](in.Seen)
	if err != nil {
		return nil, err
	}
	c, err := in.Cell.read(seen)
	if err == nil {
		// The fields were read on our own pages, so what is no value in them is no mistake of the reader.
		was, _ := seen.read(&in.Cell)
		c.OutcomeID, c.DefinitionID, c.Seen = in.OutcomeID, in.TaskID, &was
		if err = s.Usecases.SetAlignment(ctx, in.UnitID, c); err == nil {
			return page.Onward{To: in.list() + "?saved=1#cell-" + strconv.FormatInt(in.OutcomeID, 10) + "-" +
				strconv.FormatInt(in.TaskID, 10)}, nil
		}
	}
	e := &cellEditor{OutcomeID: in.OutcomeID, TaskID: in.TaskID,
		Record: editing.Record[cellForm]{ID: in.TaskID, Typed: in.Cell, Before: seen}}
	v := &outcomesPage{OfCell: e}
	if err := s.readOutcomes(ctx, in.UnitID, v); err != nil {
		return nil, err
	}
	return editing.Again(s.Site, s.Refusal(who, "outcome-setup", e.Title(), v), &e.Record, err, e.form())
}
