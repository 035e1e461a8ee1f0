package marking

import (
	"context"
	"strconv"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/chart"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/insight"
	"lectern/internal/teaching/queue"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

// unitPromise is where the board stands.
const unitPromise = "/units/{id}/promise"

func (s *room) promiseRoutes() {
	page.Show(s.Site, unitPromise, policy.ReadStatistics, "How soon a unit's students hear about their work", s.promise,
		endpoint.Asks(policy.SeeTutorPace, policy.EditUnit))
	page.Form(s.Site, unitPromise, policy.EditUnit, "Promise feedback within some days", s.makePromise,
		endpoint.Audited(audit.Unit, audit.Role), endpoint.Asks(policy.ReadUnit, policy.ListStudents, policy.ListGroups,
			policy.ReadStatistics, policy.SeeTutorPace, policy.EditUnit))
}

type promiseIn struct {
	ID int64 `path:"id" scope:"unit"`
}

// promisePage is what the board shows.
type promisePage struct {
	Unit *course.Unit
	*insight.Turnaround
	MayPromise bool
	ByTutor    bool
	Typed      string // into the form
	Refused    bool   // what was typed
	words      language
}

// Path is where the page stands.
func (v *promisePage) Path() string { return links.To(unitPromise, v.Unit.ID) }

// Rows is the address of the rows of the inbox that a number counts: of the task or the tutor that is
// given, or all; and over the target only.
func (v *promisePage) Rows(of any, over bool) string {
	in := inboxIn{UnitID: v.Unit.ID, Over: over}
	if !over {
		in.Kind = string(queue.ToMark)
	}
	switch of := of.(type) {
	case insight.TaskPace:
		in.Task = of.DefinitionID
	case insight.TutorPace:
		in.Tutor = of.UserID
	}
	return in.address()
}

// ToAnswerRows is the address of those to answer.
func (v *promisePage) ToAnswerRows() string {
	return inboxIn{UnitID: v.Unit.ID, queueIn: queueIn{Kind: string(queue.ToAnswer)}}.address()
}

// LateWith says whose tutorials the work is in that is over the target.
func (v *promisePage) LateWith() string {
	var parts []string
	for _, t := range v.Tutors {
		if t.Overdue > 0 {
			parts = append(parts, v.words.Word("promise.with", t.Overdue, t.FirstName+" "+t.LastName))
		}
	}
	return strings.Join(parts, ", ")
}

// Number is a number that is there, for words around it.
func (v *promisePage) Number(n *int) int { return *n }

// Span writes a time: hours up to two days, then days.
func (v *promisePage) Span(hours *float64) string {
	switch {
	case hours == nil:
		return v.words.Word("promise.nothing")
	case *hours < 48:
		return v.words.Word("promise.hours", *hours)
	}
	return v.words.Word("promise.days", *hours/24)
}

// age tells how long work has waited.
func (l language) age(a insight.WaitingAge) string {
	switch {
	case a.ToDays == nil:
		return l.Word("promise.age-last", a.FromDays-1)
	case a.FromDays == 0:
		return l.Word("promise.age-first")
	}
	return l.Word("promise.age", a.FromDays, *a.ToDays)
}

func (s *room) promise(ctx context.Context, who *access.Caller, in promiseIn) (*page.Page, error) {
	v := &promisePage{words: s.words, MayPromise: who.May(policy.EditUnit), ByTutor: who.May(policy.SeeTutorPace)}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Unit, err = course.UnitByID(ctx, q, in.ID); err == nil {
			v.Turnaround, err = insight.TurnaroundOf(ctx, q, in.ID, who.ID, v.ByTutor)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if v.FeedbackDays != nil {
		v.Typed = strconv.Itoa(*v.FeedbackDays)
	}
	return s.Titled(who, "promise", s.Word("promise.title"), v), nil
}

// waiting is the picture of what waits.
func (l language) waiting(t *insight.Turnaround) chart.Figure {
	say := chart.AgesWords{Title: l.Word("promise.drawn"), Axis: l.Word("promise.drawn-axis"),
		None: l.Word("burndown.none"), About: l.Word("promise.drawn-about"), Late: l.Word("promise.drawn-late"),
		Age: l.Word("promise.waited"), Tasks: l.Word("promise.tasks")}
	return t.Picture(say, func(days int) string { return l.Word("promise.drawn-within", days) }, l.age).Figure()
}

type makePromiseIn struct {
	promiseIn
	Days string `param:"days"`
}

// days reads what was typed; nothing is no promise.
func (in makePromiseIn) days(l language) (*int64, error) {
	text := strings.TrimSpace(in.Days)
	if text == "" {
		return nil, nil //nolint:nilnil // no promise is no failure
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil, fault.New(fault.Refused, "%s", l.Word("promise.number"))
	}
	return &n, nil
}

func (s *room) makePromise(ctx context.Context, who *access.Caller, in makePromiseIn) (endpoint.Drawing, error) {
	days, err := in.days(s.words)
	if err == nil {
		_, err = s.Usecases.ChangeUnit(ctx, who, in.ID, usecase.UnitChange{UnitChange: course.UnitChange{
			FeedbackDays: course.Setting[int64]{Set: true, To: days}}})
	}
	if err == nil {
		return endpoint.Redirect{To: links.To(unitPromise, in.ID)}, nil
	}
	p, drawn := s.promise(ctx, who, in.promiseIn)
	if drawn != nil {
		return nil, drawn
	}
	if v, ok := p.Data.(*promisePage); ok {
		v.Typed, v.Refused = in.Days, true
	}
	return s.Again(p, err)
}
