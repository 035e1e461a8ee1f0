package marking

import (
	"context"
	"strconv"
	"strings"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/chart"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/handover"
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
		endpoint.Asks(policy.SeeTutorPace, policy.EditUnit, policy.GiveFeedback, policy.SeeHandovers))
	page.Form(s.Site, unitPromise, policy.EditUnit, "Promise feedback within some days", s.makePromise,
		endpoint.Audited(audit.Unit, audit.Role), endpoint.Asks(policy.ReadUnit, policy.ListStudents, policy.ListGroups,
			policy.ReadStatistics, policy.SeeTutorPace, policy.EditUnit, policy.GiveFeedback, policy.SeeHandovers))
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
	MayMark    bool
	SeeHanded  bool // whose queue is with colleagues
	Handed     []handover.Handover
	Typed      string // into the form
	Refused    bool   // what was typed
	words      language
	rows       func(tutorID int64, week int) string // where what somebody marked in a week is listed; nil: nowhere
}

// Path is where the page stands.
func (v *promisePage) Path() string { return links.To(unitPromise, v.Unit.ID) }

// Rows is the address of the rows of the inbox that a number counts: of the task or the tutor that is
// given, or all; and over the target only.
func (v *promisePage) Rows(of any, over bool) string {
	in := inboxIn{UnitID: v.Unit.ID, queueIn: queueIn{Over: over}}
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

// Span writes a time.
func (v *promisePage) Span(hours *float64) string { return v.words.Span(hours) }

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
	v := &promisePage{words: s.words, MayPromise: who.May(policy.EditUnit), ByTutor: who.May(policy.SeeTutorPace),
		MayMark: who.May(policy.GiveFeedback), SeeHanded: who.May(policy.SeeHandovers)}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Unit, err = course.UnitByID(ctx, q, in.ID); err == nil {
			v.Turnaround, err = insight.TurnaroundOf(ctx, q, in.ID, who.ID, v.ByTutor)
		}
		if err == nil && v.SeeHanded {
			v.Handed, err = handover.Of(ctx, q, in.ID)
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

// paces is the picture of how soon work was marked, week by week.
func (l language) paces(t *insight.Turnaround) chart.Figure {
	say := chart.PacesWords{Title: l.Word("promise.paces"), Axis: l.Word("promise.paces-axis"),
		None:  l.Word("burndown.none"),
		About: l.Word("promise.paces-about"), Median: l.Word("promise.median"), Most: l.Word("promise.most"),
		Point: l.Word("promise.paces-point"), First: l.Word("promise.week"), Nothing: l.Word("promise.nothing")}
	if t.FeedbackDays != nil {
		say.Target = l.Word("promise.drawn-within", *t.FeedbackDays)
	}
	return t.PacePicture(say, l.weekShort, l.weekLong).Figure()
}

// weekShort names a week by the day it began.
func (l language) weekShort(from clock.Time) string { return l.Date("short", from.Time) }

// weekLong names a week in full.
func (l language) weekLong(from clock.Time) string {
	return l.Word("promise.week-from", l.Date("long", from.Time))
}

// heat is what a heat table shows: of each tutor the median days of each week.
func (v *promisePage) heat() (rows []map[string]any) {
	for _, t := range v.Tutors {
		if t.Marked == 0 {
			continue
		}
		var cells []map[string]any
		for i, w := range t.Weeks {
			cell := map[string]any{"Text": v.days(w.Median), "Heat": v.warm(w)}
			if v.rows != nil && w.Marked > 0 {
				cell["Href"] = v.rows(t.UserID, i)
			}
			cells = append(cells, cell)
		}
		rows = append(rows, map[string]any{"Name": t.FirstName + " " + t.LastName, "Cells": cells})
	}
	return rows
}

// Heat is the heat table by tutor; nil: nobody has marked anything.
func (v *promisePage) Heat() map[string]any {
	rows := v.heat()
	if len(rows) == 0 {
		return nil
	}
	head := []string{v.words.Word("promise.tutor")}
	for _, w := range v.Weeks {
		head = append(head, v.words.Word("promise.week-from", v.words.weekShort(w.From)))
	}
	return map[string]any{"Label": v.words.Word("promise.heat"), "Head": head, "Rows": rows,
		"Over": v.words.Word("home.overdue")}
}

// days writes hours as days, to the tenth.
func (v *promisePage) days(hours *float64) string {
	if hours == nil {
		return v.words.Word("promise.nothing")
	}
	return v.words.Word("promise.tenth", *hours/24)
}

// The days at which cells of the heat table become warmer, where nothing is over a target.
const (
	lukewarm = 2
	warm     = 3
)

// warm is how warm the cell of a week is: 0 without anything marked, 4 over the target.
func (v *promisePage) warm(w insight.PaceWeek) int {
	switch {
	case w.Median == nil:
		return 0
	case w.OverTarget(v.FeedbackDays):
		return 4
	case *w.Median < lukewarm*24:
		return 1
	case *w.Median < warm*24:
		return 2
	}
	return 3
}

// Desk leads to marking: all that is to mark, or what is over the target.
func (v *promisePage) Desk(over bool) string {
	return deskIn{UnitID: v.Unit.ID, queueIn: queueIn{Kind: string(queue.ToMark), Over: over}}.address(0)
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
