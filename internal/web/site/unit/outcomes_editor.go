package unit

import (
	"context"
	"strconv"
	"strings"

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

func (s *room) outcomeEditorRoutes() {
	audited := endpoint.Audited(audit.Outcome)
	page.Show(s.Site, links.OutcomeSetup+"/new", policy.ExportOutcomes, "A new learning outcome", s.newOutcome)
	page.Form(s.Site, links.OutcomeSetup+"/new", policy.EditOutcomes, "Add a learning outcome", s.addOutcome, audited)
	page.Show(s.Site, links.OutcomeEditor, policy.ExportOutcomes, "A learning outcome, to be changed", s.editOutcome)
	page.Form(s.Site, links.OutcomeEditor, policy.EditOutcomes, "Change a learning outcome", s.changeOutcome, audited)
	page.Form(s.Site, links.OutcomeEditor+"/move", policy.EditOutcomes, "Move a learning outcome among the others",
		s.moveOutcome, audited)
	page.Show(s.Site, links.OutcomeEditor+"/delete", policy.ExportOutcomes, "Ask before a learning outcome is deleted",
		s.askDeleteOutcome)
	page.Form(s.Site, links.OutcomeEditor+"/delete", policy.EditOutcomes, "Delete a learning outcome",
		s.deleteOutcome, audited)
}

// outcomeForm is what the fields of an outcome hold, as it is typed.
type outcomeForm struct {
	Abbreviation string `param:"abbreviation"`
	Name         string `param:"name"`
	Description  string `param:"description" text:"lines"`
}

func formOfOutcome(o *course.Outcome) outcomeForm {
	return outcomeForm{o.Abbreviation, o.Name, o.Description}
}

// read gives the values of f in which it differs from other.
func (f *outcomeForm) read(other *outcomeForm) (c course.OutcomeChange) {
	r := &editing.Difference{}
	r.Text(&c.Abbreviation, f.Abbreviation, other.Abbreviation)
	r.Text(&c.Name, f.Name, other.Name)
	r.Text(&c.Description, f.Description, other.Description)
	return c
}

// outcomeEditor is the fields of an outcome.
type outcomeEditor struct {
	editing.Record[outcomeForm]
	Delete  string // asks before it is deleted
	path    string
	outcome *course.Outcome // nil: it is new
}

func (e *outcomeEditor) open(v *outcomesPage) (err error) {
	e.Words = v.words
	if e.ID == 0 {
		e.path = v.Path() + "/new"
		return nil
	}
	if e.outcome, err = v.outcome(e.ID); err != nil {
		return err
	}
	e.path = v.Path() + "/" + strconv.FormatInt(e.ID, 10)
	e.Delete = e.path + "/delete"
	e.Now = func(name string) string {
		return map[string]string{"abbreviation": e.outcome.Abbreviation, "name": e.outcome.Name,
			"description": e.outcome.Description}[name]
	}
	e.Hold(formOfOutcome(e.outcome))
	return nil
}

// Path is where the form is sent to.
func (e *outcomeEditor) Path() string { return e.path }

// Title is that of the fields.
func (e *outcomeEditor) Title() string {
	if e.outcome == nil {
		return e.Words.Word("outcome-setup.new")
	}
	return e.outcome.Abbreviation + " " + e.outcome.Name
}

// oneOutcome names an outcome of a unit.
type oneOutcome struct {
	UnitID    int64 `path:"unit_id" scope:"unit"`
	OutcomeID int64 `path:"outcome_id"`
}

func (in oneOutcome) list() string { return links.To(links.OutcomeSetup, in.UnitID) }

func (in oneOutcome) path() string { return links.To(links.OutcomeEditor, in.UnitID, in.OutcomeID) }

func (s *room) newOutcome(ctx context.Context, who *access.Caller, in unitOutcomes) (*page.Page, error) {
	return s.showOutcomes(ctx, who, in.ID, &outcomesPage{OfOutcome: &outcomeEditor{}})
}

func (s *room) editOutcome(ctx context.Context, who *access.Caller, in oneOutcome) (*page.Page, error) {
	return s.showOutcomes(ctx, who, in.UnitID, &outcomesPage{
		OfOutcome: &outcomeEditor{Record: editing.Record[outcomeForm]{ID: in.OutcomeID, Fill: true}}})
}

func (s *room) addOutcome(ctx context.Context, who *access.Caller, in struct {
	unitOutcomes
	Outcome outcomeForm `param:"outcome"`
}) (endpoint.Drawing, error) {
	_, err := s.Usecases.AddOutcome(ctx, in.ID, course.Outcome{Abbreviation: in.Outcome.Abbreviation,
		Name: in.Outcome.Name, Description: strings.ReplaceAll(in.Outcome.Description, "\r\n", "\n")})
	if err == nil {
		return endpoint.Redirect{To: links.To(links.OutcomeSetup, in.ID) + "?saved=1"}, nil
	}
	return s.outcomeAgain(ctx, who, in.ID, &outcomeEditor{Record: editing.Record[outcomeForm]{Typed: in.Outcome}}, err)
}

func (s *room) changeOutcome(ctx context.Context, who *access.Caller, in struct {
	oneOutcome
	Outcome outcomeForm `param:"outcome"`
	Seen    string      `param:"seen"`
}) (endpoint.Drawing, error) {
	seen, err := editing.Parse[outcomeForm](in.Seen)
	if err != nil {
		return nil, err
	}
	c, was := in.Outcome.read(seen), seen.read(&in.Outcome)
	c.Seen = &was
	if _, err = s.Usecases.ChangeOutcome(ctx, in.UnitID, in.OutcomeID, c); err == nil {
		return endpoint.Redirect{To: in.list() + "?saved=1"}, nil
	}
	return s.outcomeAgain(ctx, who, in.UnitID, &outcomeEditor{Record: editing.Record[outcomeForm]{ID: in.OutcomeID,
		Typed: in.Outcome, Before: seen}}, err)
}

func (s *room) outcomeAgain(ctx context.Context, who *access.Caller, unitID int64, e *outcomeEditor,
	why error) (endpoint.Drawing, error) {
	v := &outcomesPage{OfOutcome: e}
	if err := s.readOutcomes(ctx, unitID, v); err != nil {
		return nil, err
	}
	var now outcomeForm
	if e.outcome != nil {
		now = formOfOutcome(e.outcome)
	}
	return editing.Again(s.Site, s.Refusal(who, "outcome-setup", e.Title(), v), &e.Record, why, now)
}

// moveOutcome gives an outcome another place. What was seen of its place must still be so.
func (s *room) moveOutcome(ctx context.Context, who *access.Caller, in struct {
	oneOutcome
	To   int64 `param:"to"`
	Seen int64 `param:"seen"`
}) (endpoint.Drawing, error) {
	_, err := s.Usecases.ChangeOutcome(ctx, in.UnitID, in.OutcomeID, course.OutcomeChange{Number: &in.To,
		Seen: &course.OutcomeChange{Number: &in.Seen}})
	if err == nil {
		return endpoint.Redirect{To: in.list() + "#outcome-" + strconv.FormatInt(in.OutcomeID, 10)}, nil
	}
	if fault.Is(err, fault.Conflict) {
		err = fault.New(fault.Conflict, "%s", s.Word("outcome-setup.moved-meanwhile"))
	}
	v := &outcomesPage{}
	if err := s.readOutcomes(ctx, in.UnitID, v); err != nil {
		return nil, err
	}
	return s.Again(s.Refusal(who, "outcome-setup", v.Title(), v), err)
}

// askDeleteOutcome says what goes with an outcome.
func (s *room) askDeleteOutcome(ctx context.Context, who *access.Caller, in oneOutcome) (*page.Page, error) {
	v := &outcomesPage{}
	if err := s.readOutcomes(ctx, in.UnitID, v); err != nil {
		return nil, err
	}
	o, err := v.outcome(in.OutcomeID)
	if err != nil {
		return nil, err
	}
	students, err := taskdef.AlignedStudents(ctx, s.DB.Pool(), o.ID)
	if err != nil {
		return nil, err
	}
	text := s.Word("outcome-setup.delete-ask", v.cover(*o).Tasks)
	if students > 0 {
		text += " " + s.Word("outcome-setup.delete-students", students)
	}
	return s.Ask(who, s.Word("outcome-setup.delete"), page.Question{About: o.Abbreviation + " " + o.Name,
		Text: text + " " + s.Word("outcome-setup.delete-final"), Action: in.path() + "/delete",
		Do: s.Word("outcome-setup.delete"), Back: in.list()}), nil
}

func (s *room) deleteOutcome(ctx context.Context, _ *access.Caller, in oneOutcome) (endpoint.Drawing, error) {
	if err := s.Usecases.DeleteOutcome(ctx, in.UnitID, in.OutcomeID); err != nil {
		return nil, err
	}
	return endpoint.Redirect{To: in.list() + "?deleted=1"}, nil
}
