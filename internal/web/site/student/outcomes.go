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
	"lectern/internal/teaching/chart"
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
	Chart    chart.Figure
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

// gridRow is a task with how strongly it supports each outcome.
type gridRow struct {
	usecase.TermTask
	Cells []gridCell
}

// gridCell is what the unit and the student say of a task and an outcome.
type gridCell struct{ Unit, Own *taskdef.Alignment }

// Grid are the tasks that the unit or the student links with an outcome.
func (v *outcomesPage) Grid() (out []gridRow) {
	for _, t := range v.Tasks {
		row, linked := gridRow{TermTask: t}, false
		for _, o := range v.Outcomes {
			c := gridCell{aligned(o.Unit, t.Definition.ID), aligned(o.Own, t.Definition.ID)}
			linked = linked || c.Unit != nil || c.Own != nil
			row.Cells = append(row.Cells, c)
		}
		if linked {
			out = append(out, row)
		}
	}
	return out
}

// Covers is how many tasks are linked with an outcome.
func (v *outcomesPage) Covers(o usecase.ProjectOutcome) (n int) {
	for _, t := range v.Tasks {
		if aligned(o.Unit, t.Definition.ID) != nil || aligned(o.Own, t.Definition.ID) != nil {
			n++
		}
	}
	return n
}

// reason is why a task supports an outcome, in the words of the unit or of the student.
type reason struct {
	Outcome usecase.ProjectOutcome
	Task    usecase.TermTask
	Own     bool
	Words   string
}

// Reasons are those that the student gave, or the unit.
func (v *outcomesPage) Reasons(own bool) (out []reason) {
	for _, o := range v.Outcomes {
		list := o.Unit
		if own {
			list = o.Own
		}
		for _, t := range v.Tasks {
			if a := aligned(list, t.Definition.ID); a != nil && (own || a.Description != "") {
				out = append(out, reason{o, t, own, a.Description})
			}
		}
	}
	return out
}

// Now is what the form shows: what was refused, what is said of the task that the address names, or
// what is usual.
func (v *outcomesPage) Now() *taskdef.Alignment {
	if v.Typed.OutcomeID != 0 {
		return &v.Typed
	}
	now := usual
	now.OutcomeID, now.DefinitionID = v.at.Outcome, v.at.Task
	for _, o := range v.Outcomes {
		if o.ID != v.at.Outcome {
			continue
		}
		if own := aligned(o.Own, v.at.Task); own != nil {
			return own
		}
		if unit := aligned(o.Unit, v.at.Task); unit != nil {
			now.Rating = unit.Rating
		}
	}
	return &now
}

// draw shows the points of each outcome: those earned, and those that are still possible.
func (v *outcomesPage) draw(l language) chart.Stacks {
	s := chart.Stacks{Words: chart.StackWords{Title: l.Word("outcomes.chart"), Axis: l.Word("outcomes.axis"),
		None: l.Word("outcomes.no-points"), About: l.Word("outcomes.chart-about"), Bar: l.Word("outcomes.bar"),
		First: l.Word("outcomes.outcome"), Sum: l.Word("outcomes.most")},
		Parts: []chart.Part{{Name: l.Word("outcomes.earned"), Family: "green"},
			{Name: l.Word("outcomes.open"), Family: "grey"}}}
	for _, o := range v.Outcomes {
		s.Bars = append(s.Bars, chart.Stack{Name: o.Abbreviation, Long: o.Abbreviation + " " + o.Name,
			Parts: []float64{o.Earned, max(o.Most-o.Earned, 0)}})
	}
	return s
}

// usual is what a form says before anybody did.
var usual = taskdef.Alignment{Rating: 3}

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
	v.Chart = v.draw(s.words).Figure()
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
