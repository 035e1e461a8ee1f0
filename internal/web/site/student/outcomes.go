package student

import (
	"context"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

// ratings are what a student can say of how a task serves an outcome: how strongly,
// and 0 for not at all.
var ratings = []int64{5, 4, 3, 2, 1, 0}

func (s *room) outcomeRoutes() {
	asks := endpoint.Asks(policy.ReadTask, policy.ReadUnit, policy.ListStudents, policy.AlignProject,
		policy.EditPortfolio)
	page.Show(s.Site, links.Outcomes, policy.ReadProject, "Learning outcomes", s.outcomes, asks)
	page.Form(s.Site, links.Outcomes, policy.AlignProject, "Say how a task serves an outcome", s.align, asks,
		endpoint.Audited(audit.Outcome))
}

type outcomesIn struct {
	ID int64 `path:"id" scope:"project"`
}

// outcomesAt asks for the page with the form for one task of one outcome. A form for
// each would be most of the page.
type outcomesAt struct {
	outcomesIn
	Outcome int64 `param:"outcome"`
	Task    int64 `param:"task"` // its definition
}

// outcomesPage shows the outcomes of a unit and how a student's tasks serve them.
type outcomesPage struct {
	*usecase.Term
	Path     string
	Outcomes []usecase.ProjectOutcome
	MayAlign bool
	Typed    taskdef.Alignment // what was refused
	at       outcomesAt        // whose form is shown
}

// rating gives what the student can say, with what an alignment says now chosen. There
// is a list for each outcome, so they are written once.
func (l language) rating() func(*taskdef.Alignment) template.HTML {
	lists := l.ratingOptions()
	return func(a *taskdef.Alignment) template.HTML { return lists[min(max(a.Rating, 0), int64(len(lists)-1))] }
}

func (l language) ratingOptions() (out []template.HTML) {
	for range ratings {
		var list strings.Builder
		for _, r := range ratings {
			text, chosen := l.Word("outcomes.not"), ""
			if r > 0 {
				text = l.Word("outcomes.of-five", r)
			}
			if int(r) == len(out) {
				chosen = " selected"
			}
			fmt.Fprintf(&list, `<option value="%d"%s>%s</option>`, r, chosen, template.HTMLEscapeString(text))
		}
		out = append(out, template.HTML(list.String())) //nolint:gosec // our own words, escaped
	}
	return out
}

// alignedTask is a task with what the unit and the student say of it.
type alignedTask struct {
	usecase.TermTask
	Unit, Own *taskdef.Alignment
	Now       *taskdef.Alignment // what its form shows; nil where there is a link to it
}

// Aligned are the tasks that the unit or the student aligns with an outcome.
func (v *outcomesPage) Aligned(o usecase.ProjectOutcome) (out []alignedTask) {
	for _, t := range v.Tasks {
		a := alignedTask{TermTask: t, Unit: aligned(o.Unit, t.Definition.ID), Own: aligned(o.Own, t.Definition.ID)}
		if a.Unit == nil && a.Own == nil {
			continue
		}
		switch {
		case !v.MayAlign:
		case v.Typed.OutcomeID == o.ID && v.Typed.DefinitionID == t.Definition.ID:
			a.Now = &v.Typed
		case v.at.Outcome != o.ID || v.at.Task != t.Definition.ID:
		case a.Own != nil:
			a.Now = a.Own
		default:
			a.Now = &taskdef.Alignment{Rating: a.Unit.Rating}
		}
		out = append(out, a)
	}
	return out
}

// usual is what a form says before anybody did.
var usual = taskdef.Alignment{Rating: 3}

// Fresh is what the form of an outcome shows for a task that nobody aligns with it.
func (v *outcomesPage) Fresh(o usecase.ProjectOutcome) *taskdef.Alignment {
	if v.Typed.OutcomeID == o.ID && aligned(o.Unit, v.Typed.DefinitionID) == nil &&
		aligned(o.Own, v.Typed.DefinitionID) == nil {
		return &v.Typed
	}
	return &usual
}

// Others are the tasks that nobody aligns with an outcome.
func (v *outcomesPage) Others(o usecase.ProjectOutcome) []usecase.TermTask {
	return slices.DeleteFunc(slices.Clone(v.Tasks), func(t usecase.TermTask) bool {
		return aligned(o.Unit, t.Definition.ID) != nil || aligned(o.Own, t.Definition.ID) != nil
	})
}

func aligned(list []taskdef.Alignment, definitionID int64) *taskdef.Alignment {
	at := slices.IndexFunc(list, func(a taskdef.Alignment) bool { return a.DefinitionID == definitionID })
	if at < 0 {
		return nil
	}
	return &list[at]
}

func (s *room) outcomes(ctx context.Context, who *access.Caller, in outcomesAt) (*page.Page, error) {
	v := &outcomesPage{Path: links.To(links.Outcomes, in.ID), MayAlign: who.May(policy.AlignProject), at: in}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Term, err = usecase.TermOf(ctx, q, who, in.ID); err == nil {
			v.Outcomes, err = usecase.OutcomesOf(ctx, q, who, in.ID)
		}
		return err
	})
	return s.Page(who, "outcomes", v), err
}

type alignIn struct {
	outcomesIn
	OutcomeID    int64  `param:"learning_outcome_id,required"`
	DefinitionID int64  `param:"task_definition_id,required"`
	Rating       int64  `param:"rating,required"`
	Description  string `param:"description" text:"lines"`
	From         string `param:"from"` // portfolio: the form stands in its wizard
}

func (s *room) align(ctx context.Context, who *access.Caller, in alignIn) (endpoint.Drawing, error) {
	a := taskdef.Alignment{OutcomeID: in.OutcomeID, DefinitionID: in.DefinitionID, Rating: in.Rating,
		Description: in.Description}
	err := s.Usecases.AlignTask(ctx, who.UnitID, in.ID, a)
	wizard := portfolioIn{ID: in.ID}
	switch {
	case err == nil && in.From == "portfolio":
		return wizard.to(stepOutcomes), nil
	case err == nil:
		return endpoint.Redirect{To: links.To(links.Outcomes, in.ID)}, nil
	case in.From == "portfolio":
		return s.stepAgain(ctx, who, wizard, stepOutcomes, err, func(v *portfolioPage) { v.Alignment = a })
	}
	p, drawn := s.outcomes(ctx, who, outcomesAt{outcomesIn: in.outcomesIn})
	if drawn != nil {
		return nil, drawn
	}
	p.Data.(*outcomesPage).Typed = a
	return s.Again(p, err)
}
