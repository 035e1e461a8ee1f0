package api

import (
	"context"
	"fmt"

	"lectern/internal/ground/clock"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/search"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

// unitParts are the rights that decide what a whole unit shows.
var unitParts = []*policy.Right{policy.ReadUnit, policy.ListStudents, policy.ListGroups}

func (s *Server) unitRoutes() {
	endpoint.Route(s.Server, "GET /api/units", 200, policy.SignedIn, "List the units you teach or study; all of them "+
		"as Admin", s.listUnits)
	endpoint.Route(s.Server, "GET /api/units/{id}", 200, policy.ReadUnit, "Get a unit with everything taught in it",
		s.getUnit, endpoint.PolledBy(s.unitShown), endpoint.Asks(unitParts...))
	endpoint.Route(s.Server, "POST /api/units", 201, policy.CreateUnits, "Create a unit", s.addUnit,
		endpoint.Audited(audit.Unit, audit.Role),
		endpoint.Location("/api/units/{.id}"), endpoint.Also(404, "no such teaching period or user"),
		endpoint.Also(409, "the period has a unit of that code"), endpoint.Also(422, "dates outside the period, or "+
			"the convenor cannot convene"), endpoint.Asks(unitParts...))
	endpoint.Route(s.Server, "PUT /api/units/{id}", 200, policy.EditUnit, "Change a unit; moving its start moves its "+
		"tasks", s.changeUnit,
		endpoint.Audited(audit.Unit, audit.Role),
		endpoint.Also(409, "the period has a unit of that code, or a value is no longer what was seen"),
		endpoint.Also(422, "dates out of order or outside "+
			"the period, or another rule"), endpoint.Asks(unitParts...))

	endpoint.Route(s.Server, "GET /api/admin/units", 200, policy.SeeAllUnits,
		"List all units, those of the newest teaching period first", s.listAllUnits)
}

type listAllUnitsIn struct {
	paging
	PeriodID params.Opt[int64] `param:"teaching_period_id" doc:"only those of this teaching period; 0: of none"`
	Active   params.Opt[bool]  `param:"active" doc:"only open units, or only closed ones"`
	Text     string            `param:"text" doc:"each word begins a word of the code or the name"`
}

// listAllUnits gives 100 rows where the caller names no limit.
func (s *Server) listAllUnits(ctx context.Context, _ *access.Caller, in listAllUnitsIn) (
	endpoint.List[search.ListedUnit], error) {
	part, err := in.bounded(100)
	if err != nil {
		return endpoint.List[search.ListedUnit]{}, err
	}
	return view(ctx, s.db, func(q db.Q) (endpoint.List[search.ListedUnit], error) {
		rows, total, err := search.Units{PeriodID: in.PeriodID.Ptr(), Active: in.Active.Ptr(), Text: in.Text,
			Page: part}.Rows(ctx, q)
		return endpoint.Listed(rows, total), err
	})
}

type listUnitsIn struct {
	paging
	IncludeInactive bool `param:"include_in_active" doc:"inactive units, too"`
}

func (s *Server) listUnits(ctx context.Context, who *access.Caller, in listUnitsIn) (endpoint.List[course.UnitSummary],
	error) {
	list, err := course.UnitsFor(ctx, s.db.Pool(), who.ID, who.Role, in.IncludeInactive)
	if err != nil {
		return endpoint.List[course.UnitSummary]{}, err
	}
	return windowed(list, in.paging)
}

func (s *Server) getUnit(ctx context.Context, who *access.Caller, in unitIn) (*usecase.FullUnit, error) {
	return view(ctx, s.db, func(q db.Q) (*usecase.FullUnit, error) { return usecase.UnitByID(ctx, q, who, in.ID) })
}

// unitShown tells what getUnit would give a caller.
func (s *Server) unitShown(ctx context.Context, who *access.Caller, in unitIn) (endpoint.Shown, error) {
	version, err := course.UnitVersion(ctx, s.db.Pool(), in.ID)
	return endpoint.Shown{Key: fmt.Sprint("unit ", in.ID, " ", usecase.UnitView(who)), Version: version}, err
}

// unitIn is the input of an endpoint about one unit.
type unitIn struct {
	ID int64 `path:"id" scope:"unit"`
}

// unitValues are what creating and changing a unit both take.
type unitValues struct {
	Description          params.Opt[string]     `param:"description" text:"lines" doc:"of a new unit the name when absent; never empty"`
	StartDate            params.Opt[clock.Date] `param:"start_date" doc:"inside the teaching period; its first day when absent"`
	EndDate              params.Opt[clock.Date] `param:"end_date" doc:"inside the teaching period; its last day when absent"`
	PortfolioDate        params.Opt[clock.Date] `param:"portfolio_auto_generation_date" null:"clears" doc:"after the start and not after the end of the unit"`
	OverseerImageID      params.Opt[int64]      `param:"overseer_image_id" null:"clears"`
	AssessmentEnabled    params.Opt[bool]       `param:"assessment_enabled"`
	AutoApplyExtension   params.Opt[bool]       `param:"auto_apply_extension_before_deadline"`
	SendNotifications    params.Opt[bool]       `param:"send_notifications"`
	EnableSyncTimetable  params.Opt[bool]       `param:"enable_sync_timetable" doc:"kept; nothing syncs timetables yet"`
	EnableSyncEnrolments params.Opt[bool]       `param:"enable_sync_enrolments" doc:"kept; nothing syncs enrolments yet"`
	ExtensionRequests    params.Opt[bool]       `param:"allow_student_extension_requests"`
	ExtensionWeeks       params.Opt[int64]      `param:"extension_weeks_on_resubmit_request" doc:"from 0 to 52"`
	FeedbackDays         params.Opt[int64]      `param:"feedback_days" null:"clears" doc:"within how many days feedback is promised, from 1 to 60; null: no promise"`
	RiskOverdue          params.Opt[int64]      `param:"risk_overdue_tasks" null:"clears" doc:"from how many overdue tasks on a student is at risk, from 1 to 100; null: that is no reason"`
	RiskBehind           params.Opt[int64]      `param:"risk_behind_percent" null:"clears" doc:"from how much of all work behind plan on a student is at risk, from 1 to 100 percent; null: that is no reason"`
	RiskInactive         params.Opt[int64]      `param:"risk_away_days" null:"clears" doc:"from how many days without activity on a student is at risk, from 1 to 365; null: that is no reason"`
	RiskTries            params.Opt[int64]      `param:"risk_failed_tries" null:"clears" doc:"from how many submissions of one task that were not good enough on a student is at risk, from 1 to 100; null: that is no reason"`
	ChangeTutorial       params.Opt[bool]       `param:"allow_student_change_tutorial"`
	ReviewRequests       params.Opt[bool]       `param:"allow_review_requests" doc:"whether students may ask for a review of a mark; true for a new unit"`
	TimeZone             params.Opt[string]     `param:"time_zone" null:"clears" doc:"where the unit's days begin and end, such as Australia/Melbourne"`
}

func (v *unitValues) change() course.UnitChange {
	zone := setting(v.TimeZone)
	if zone.To != nil && *zone.To == "" {
		zone.To = nil
	}
	return course.UnitChange{
		Description: v.Description.Ptr(), StartDate: v.StartDate.Ptr(), EndDate: v.EndDate.Ptr(),
		PortfolioDate: setting(v.PortfolioDate), OverseerImageID: setting(v.OverseerImageID), TimeZone: zone,
		AssessmentEnabled: v.AssessmentEnabled.Ptr(), AllowStudentExtensionRequests: v.ExtensionRequests.Ptr(),
		AllowStudentChangeTutorial: v.ChangeTutorial.Ptr(),
		AllowReviewRequests:        v.ReviewRequests.Ptr(),
		AutoExtend:                 v.AutoApplyExtension.Ptr(),
		SendNotifications:          v.SendNotifications.Ptr(), EnableSyncEnrolments: v.EnableSyncEnrolments.Ptr(),
		EnableSyncTimetable: v.EnableSyncTimetable.Ptr(), ResubmitWeeks: v.ExtensionWeeks.Ptr(),
		FeedbackDays: setting(v.FeedbackDays),
		Risk: course.RiskChange{Overdue: setting(v.RiskOverdue), Behind: setting(v.RiskBehind), Inactive: setting(v.RiskInactive),
			Tries: setting(v.RiskTries)},
	}
}

// setting tells a value that is cleared from one that is left alone.
func setting[T any](o params.Opt[T]) course.Setting[T] {
	return course.Setting[T]{Set: o.Set, To: o.Ptr()}
}

type addUnitIn struct {
	Unit struct {
		Name               string `param:"name,required"`
		Code               string `param:"code,required" doc:"unique in the teaching period"`
		Active             bool   `param:"active,required"`
		TeachingPeriodID   int64  `param:"teaching_period_id,required"`
		MainConvenorUserID int64  `param:"main_convenor_user_id,required" doc:"a Convenor or Admin, who becomes convenor of the unit"`
		unitValues
	} `param:"unit,required"`
}

func (s *Server) addUnit(ctx context.Context, who *access.Caller, in addUnitIn) (*usecase.FullUnit, error) {
	u := &in.Unit
	c := u.change()
	c.Name, c.Code, c.Active = &u.Name, &u.Code, &u.Active
	c.TeachingPeriodID = course.Setting[int64]{Set: true, To: &u.TeachingPeriodID}
	return s.usecases.CreateUnit(ctx, who, c, u.MainConvenorUserID)
}

// unitChanges are what changing a unit takes.
type unitChanges struct {
	Name                  params.Opt[string] `param:"name"`
	Code                  params.Opt[string] `param:"code" doc:"unique in the teaching period"`
	Active                params.Opt[bool]   `param:"active"`
	TeachingPeriodID      params.Opt[int64]  `param:"teaching_period_id" null:"clears" doc:"-1 or null: in no period"`
	MainConvenorID        params.Opt[int64]  `param:"main_convenor_id" doc:"a unit role: a convenor of this unit"`
	DraftTaskDefinitionID params.Opt[int64]  `param:"draft_task_definition_id" null:"clears" doc:"a task of this unit that asks for one document; null: none"`
	unitValues
}

func (u *unitChanges) all() usecase.UnitChange {
	c := usecase.UnitChange{UnitChange: u.change(), MainConvenorID: u.MainConvenorID.Ptr(),
		DraftDefinitionID: setting(u.DraftTaskDefinitionID)}
	c.Name, c.Code, c.Active = u.Name.Ptr(), u.Code.Ptr(), u.Active.Ptr()
	c.TeachingPeriodID = setting(u.TeachingPeriodID)
	if u.TeachingPeriodID.Or(0) == -1 {
		c.TeachingPeriodID.To = nil
	}
	return c
}

type changeUnitIn struct {
	unitIn
	Unit   unitChanges `param:"unit"`
	Seen   unitChanges `param:"seen" faults:"none" doc:"the unit as you saw it; what somebody else changed meanwhile is refused"`
	DryRun bool        `param:"dry_run" doc:"tell what would become of the unit and its tasks, and change nothing"`
}

func (s *Server) changeUnit(ctx context.Context, who *access.Caller, in changeUnitIn) (*usecase.FullUnit, error) {
	c, seen := in.Unit.all(), in.Seen.all()
	c.Seen = &seen
	if in.DryRun {
		return s.usecases.PlanUnit(ctx, who, in.ID, c)
	}
	return s.usecases.ChangeUnit(ctx, who, in.ID, c)
}
