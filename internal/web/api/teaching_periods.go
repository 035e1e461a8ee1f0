package api

import (
	"context"

	"lectern/internal/ground/clock"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

func (s *Server) teachingPeriodRoutes() {
	endpoint.Route(s.Server, "GET /api/teaching_periods", 200, policy.Anybody, "List the teaching periods",
		s.listPeriods)
	endpoint.Route(s.Server, "GET /api/teaching_periods/{id}", 200, policy.Anybody,
		"Get a teaching period with its breaks and units", s.getPeriod)
	endpoint.Route(s.Server, "POST /api/teaching_periods", 201, policy.EditCalendar, "Create a teaching period",
		s.addPeriod,
		endpoint.Audited(audit.Setting),
		endpoint.Location("/api/teaching_periods/{.id}"), endpoint.Also(409, "the year has a period of that name"))
	endpoint.Route(s.Server, "PUT /api/teaching_periods/{id}", 200, policy.EditCalendar,
		"Change a teaching period; units with exactly its dates move along with their tasks", s.changePeriod,
		endpoint.Audited(audit.Setting),
		endpoint.Also(409, "the year has a period of that name, a break or a unit would lie outside, or a value is "+
			"no longer what was seen"))
	endpoint.Route(s.Server, "POST /api/teaching_periods/{id}/plan", 200, policy.EditCalendar,
		"Tell what a change of a teaching period would make of it and its units, and change nothing", s.planPeriod,
		endpoint.Unaudited("a plan changes nothing"),
		endpoint.Also(409, "the year has a period of that name, or a break or a unit would lie outside"))
	endpoint.Route(s.Server, "GET /api/admin/teaching_periods", 200, policy.SeeSetup,
		"List the teaching periods, the newest first, with how much lies in each", s.listPeriodSummaries)
	endpoint.Route(s.Server, "DELETE /api/teaching_periods/{id}", 204, policy.EditCalendar,
		"Delete a teaching period without units", s.deletePeriod,
		endpoint.Audited(audit.Setting), endpoint.Also(409, "it has units"))

	endpoint.Route(s.Server, "GET /api/teaching_periods/{teaching_period_id}/breaks", 200, policy.SignedIn,
		"List the breaks of a teaching period", s.listBreaks)
	endpoint.Route(s.Server, "POST /api/teaching_periods/{teaching_period_id}/breaks", 200, policy.EditCalendar,
		"Add a break to a teaching period", s.addBreak,
		endpoint.Audited(audit.Setting),
		endpoint.Location("/api/teaching_periods/{teaching_period_id}/breaks/{.id}"))
	endpoint.Route(s.Server, "GET /api/teaching_periods/{teaching_period_id}/breaks/{id}", 200, policy.SignedIn,
		"Get a break of a teaching period", s.getBreak)
	endpoint.Route(s.Server, "PUT /api/teaching_periods/{teaching_period_id}/breaks/{id}", 200, policy.EditCalendar,
		"Change a break", s.changeBreak,
		endpoint.Audited(audit.Setting), endpoint.Also(409, "a value is no longer what was seen"))
	endpoint.Route(s.Server, "DELETE /api/teaching_periods/{teaching_period_id}/breaks/{id}", 204, policy.EditCalendar,
		"Delete a break", s.deleteBreak,
		endpoint.Audited(audit.Setting))
}

func (s *Server) listPeriods(ctx context.Context, _ *access.Caller,
	in paging) (endpoint.List[course.TeachingPeriod], error) {
	list, err := course.TeachingPeriods(ctx, s.db.Pool())
	return short(in, list, err)
}

func (s *Server) listPeriodSummaries(ctx context.Context, _ *access.Caller,
	in paging) (endpoint.List[course.PeriodSummary], error) {
	list, err := course.PeriodSummaries(ctx, s.db.Pool())
	return short(in, list, err)
}

// periodDetail is a teaching period with what lies in it.
type periodDetail struct {
	course.TeachingPeriod
	Breaks []course.Break       `json:"breaks"`
	Units  []course.UnitSummary `json:"units"`
}

func (s *Server) getPeriod(ctx context.Context, who *access.Caller, in byID) (*periodDetail, error) {
	return view(ctx, s.db, func(q db.Q) (*periodDetail, error) {
		p, err := course.PeriodByID(ctx, q, in.ID)
		if err != nil {
			return nil, err
		}
		breaks, err := course.Breaks(ctx, q, in.ID)
		if err != nil {
			return nil, err
		}
		units, err := course.UnitsOfPeriod(ctx, q, in.ID, who.ID, who.Role)
		return &periodDetail{*p, breaks, units}, err
	})
}

type addPeriodIn struct {
	Period struct {
		Period      string     `param:"period,required" doc:"its name, such as T1; unique in the year"`
		Year        int64      `param:"year,required"`
		StartDate   clock.Time `param:"start_date,required"`
		EndDate     clock.Time `param:"end_date,required"`
		ActiveUntil clock.Time `param:"active_until,required"`
	} `param:"teaching_period,required"`
}

func (s *Server) addPeriod(ctx context.Context, _ *access.Caller, in addPeriodIn) (*course.TeachingPeriod, error) {
	p := in.Period
	return s.usecases.AddPeriod(ctx, course.TeachingPeriod{Period: p.Period, Year: p.Year,
		StartDate: p.StartDate, EndDate: p.EndDate, ActiveUntil: p.ActiveUntil})
}

// periodValues are what changing a teaching period takes.
type periodValues struct {
	Period      params.Opt[string]     `param:"period"`
	Year        params.Opt[int64]      `param:"year"`
	StartDate   params.Opt[clock.Time] `param:"start_date"`
	EndDate     params.Opt[clock.Time] `param:"end_date"`
	ActiveUntil params.Opt[clock.Time] `param:"active_until"`
}

func (p periodValues) change() course.PeriodChange {
	return course.PeriodChange{Period: p.Period.Ptr(), Year: p.Year.Ptr(), StartDate: p.StartDate.Ptr(),
		EndDate: p.EndDate.Ptr(), ActiveUntil: p.ActiveUntil.Ptr()}
}

type changePeriodIn struct {
	ID     int64        `path:"id"`
	Period periodValues `param:"teaching_period"`
	Seen   periodValues `param:"seen" faults:"none" doc:"the period as you saw it; what somebody else changed meanwhile is refused"`
}

func (in changePeriodIn) change() course.PeriodChange {
	c, seen := in.Period.change(), in.Seen.change()
	c.Seen = &seen
	return c
}

func (s *Server) changePeriod(ctx context.Context, _ *access.Caller, in changePeriodIn) (*course.TeachingPeriod,
	error) {
	return s.usecases.ChangePeriod(ctx, in.ID, in.change())
}

func (s *Server) planPeriod(ctx context.Context, _ *access.Caller, in changePeriodIn) (*usecase.PeriodPlan, error) {
	return s.usecases.PlanPeriod(ctx, in.ID, in.change())
}

func (s *Server) deletePeriod(ctx context.Context, _ *access.Caller, in byID) (endpoint.NoContent, error) {
	return endpoint.NoContent{}, s.usecases.DeletePeriod(ctx, in.ID)
}

type ofPeriod struct {
	PeriodID int64 `path:"teaching_period_id"`
}

type listBreaksIn struct {
	ofPeriod
	paging
}

func (s *Server) listBreaks(ctx context.Context, _ *access.Caller, in listBreaksIn) (endpoint.List[course.Break],
	error) {
	list, err := view(ctx, s.db, func(q db.Q) ([]course.Break, error) {
		if _, err := course.PeriodByID(ctx, q, in.PeriodID); err != nil {
			return nil, err
		}
		return course.Breaks(ctx, q, in.PeriodID)
	})
	return short(in.paging, list, err)
}

type addBreakIn struct {
	PeriodID      int64      `path:"teaching_period_id"`
	StartDate     clock.Date `param:"start_date,required"`
	NumberOfWeeks int64      `param:"number_of_weeks,required"`
}

func (s *Server) addBreak(ctx context.Context, _ *access.Caller, in addBreakIn) (*course.Break, error) {
	return s.usecases.AddBreak(ctx, in.PeriodID, course.Break{StartDate: in.StartDate,
		NumberOfWeeks: in.NumberOfWeeks})
}

// breakValues are what changing a break takes.
type breakValues struct {
	StartDate     params.Opt[clock.Date] `param:"start_date"`
	NumberOfWeeks params.Opt[int64]      `param:"number_of_weeks"`
}

func (v breakValues) change() course.BreakChange {
	return course.BreakChange{StartDate: v.StartDate.Ptr(), NumberOfWeeks: v.NumberOfWeeks.Ptr()}
}

type changeBreakIn struct {
	PeriodID int64 `path:"teaching_period_id"`
	ID       int64 `path:"id"`
	breakValues
	Seen breakValues `param:"seen" faults:"none" doc:"the break as you saw it; what somebody else changed meanwhile is refused"`
}

func (s *Server) changeBreak(ctx context.Context, _ *access.Caller, in changeBreakIn) (*course.Break, error) {
	c, seen := in.change(), in.Seen.change()
	c.Seen = &seen
	return s.usecases.ChangeBreak(ctx, in.PeriodID, in.ID, c)
}

type breakIn struct {
	PeriodID int64 `path:"teaching_period_id"`
	ID       int64 `path:"id"`
}

func (s *Server) getBreak(ctx context.Context, _ *access.Caller, in breakIn) (*course.Break, error) {
	return course.BreakByID(ctx, s.db.Pool(), in.PeriodID, in.ID)
}

func (s *Server) deleteBreak(ctx context.Context, _ *access.Caller, in breakIn) (endpoint.NoContent, error) {
	return endpoint.NoContent{}, s.usecases.DeleteBreak(ctx, in.PeriodID, in.ID)
}
