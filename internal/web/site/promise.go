package site

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
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
)

// unitPromise is where the board stands.
const unitPromise = "/units/{id}/promise"

func (s *Server) promiseRoutes() {
	page(s, unitPromise, policy.ReadStatistics, "How soon a unit's students hear about their work", s.promise,
		endpoint.Asks(policy.SeeTutorPace, policy.EditUnit))
	endpoint.Route(s.Server, "GET "+unitPromise+".svg", 200, policy.ReadStatistics,
		"How long work has been waiting, as a picture", s.promisePicture)
	form(s, unitPromise, policy.EditUnit, "Promise feedback within some days", s.makePromise,
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
	words      *Language
}

// Path is where the page stands.
func (v *promisePage) Path() string { return links.To(unitPromise, v.Unit.ID) }

// Number is a number that is there, for words around it.
func (v *promisePage) Number(n *int) int { return *n }

// Span writes a time: hours up to two days, then days.
func (v *promisePage) Span(hours *float64) string {
	switch {
	case hours == nil:
		return v.words.word("promise.nothing")
	case *hours < 48:
		return v.words.word("promise.hours", *hours)
	}
	return v.words.word("promise.days", *hours/24)
}

// age tells how long work has waited.
func (l *Language) age(a insight.WaitingAge) string {
	switch {
	case a.ToDays == nil:
		return l.word("promise.age-last", a.FromDays-1)
	case a.FromDays == 0:
		return l.word("promise.age-first")
	}
	return l.word("promise.age", a.FromDays, *a.ToDays)
}

func (s *Server) promise(ctx context.Context, who *access.Caller, in promiseIn) (*Page, error) {
	v := &promisePage{words: s.words, MayPromise: who.May(policy.EditUnit), ByTutor: who.May(policy.SeeTutorPace)}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Unit, err = course.UnitByID(ctx, q, in.ID); err == nil {
			v.Turnaround, err = insight.TurnaroundOf(ctx, q, in.ID, v.ByTutor)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if v.FeedbackDays != nil {
		v.Typed = strconv.Itoa(*v.FeedbackDays)
	}
	return s.titled(who, "promise", s.word("promise.title", v.Unit.Code), v), nil
}

// waiting is the picture of what waits in a unit of a name.
func (l *Language) waiting(t *insight.Turnaround, unit string) chart.WaitingAges {
	say := chart.AgesWords{Title: l.word("promise.drawn"), Axis: l.word("promise.drawn-axis"), None: l.word("burndown.none"),
		About: l.word("promise.drawn-about"), Late: l.word("promise.drawn-late")}
	return t.Picture(say, unit, func(days int) string { return l.word("promise.drawn-within", days) }, l.age)
}

func (s *Server) promisePicture(ctx context.Context, _ *access.Caller, in promiseIn) (out endpoint.Picture, err error) {
	err = s.DB.View(ctx, func(q db.Q) error {
		u, err := course.UnitByID(ctx, q, in.ID)
		if err != nil {
			return err
		}
		t, err := insight.TurnaroundOf(ctx, q, in.ID, false)
		if err == nil {
			out = s.words.waiting(t, u.Code+" "+u.Name).SVG()
		}
		return err
	})
	return out, err
}

type makePromiseIn struct {
	promiseIn
	Days string `param:"days"`
}

// days reads what was typed; nothing is no promise.
func (in makePromiseIn) days(l *Language) (*int64, error) {
	text := strings.TrimSpace(in.Days)
	if text == "" {
		return nil, nil //nolint:nilnil // no promise is no failure
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil, fault.New(fault.Refused, "%s", l.word("promise.number"))
	}
	return &n, nil
}

func (s *Server) makePromise(ctx context.Context, who *access.Caller, in makePromiseIn) (endpoint.Drawing, error) {
	days, err := in.days(s.words)
	if err == nil {
		err = s.DB.Tx(ctx, func(q db.Q) error {
			_, err := usecase.ChangeUnit(ctx, q, who, in.ID, usecase.UnitChange{UnitChange: course.UnitChange{
				FeedbackDays: course.Setting[int64]{Set: true, To: days}}})
			return err
		})
	}
	if err == nil {
		return endpoint.Redirect{To: links.To(unitPromise, in.ID)}, nil
	}
	p, drawn := s.promise(ctx, who, in.promiseIn)
	if drawn != nil {
		return nil, drawn
	}
	if v, ok := p.Data.(*promisePage); ok {
		v.Typed = in.Days
	}
	return s.again(p, err)
}
