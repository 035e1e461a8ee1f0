package api

import (
	"context"

	"lectern/internal/access"
	"lectern/internal/api/endpoint"
	"lectern/internal/api/params"
	"lectern/internal/clock"
	"lectern/internal/course"
	"lectern/internal/db"
	"lectern/internal/enrol"
	"lectern/internal/policy"
	"lectern/internal/taskdef"
	"lectern/internal/usecase"
)

func (s *Server) unitRoutes() {
	endpoint.Route(s.Server, "GET /api/units", 200, policy.SignedIn, "List the units you teach or study; all of them "+
		"as Admin", s.listUnits)
	endpoint.Route(s.Server, "GET /api/units/{id}", 200, policy.ReadUnit, "Get a unit with everything taught in it",
		s.getUnit)
	endpoint.Route(s.Server, "POST /api/units", 201, policy.CreateUnits, "Create a unit", s.addUnit,
		endpoint.Location("/api/units/{.id}"), endpoint.Also(404, "no such teaching period or user"),
		endpoint.Also(409, "the period has a unit of that code"), endpoint.Also(422, "dates outside the period, or "+
			"the convenor cannot convene"))
	endpoint.Route(s.Server, "PUT /api/units/{id}", 200, policy.EditUnit, "Change a unit; moving its start moves its "+
		"tasks", s.changeUnit,
		endpoint.Also(409, "the period has a unit of that code"), endpoint.Also(422, "dates out of order or outside "+
			"the period, or another rule"))
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

// fullUnit is a unit with everything taught in it.
type fullUnit struct {
	course.Unit
	MyRole *string `json:"my_role"`

	// Null for those they do not concern: students, and for the image tutors too.
	OverseerImageID                  *int64 `json:"overseer_image_id"`
	AutoApplyExtensionBeforeDeadline *bool  `json:"auto_apply_extension_before_deadline"`
	SendNotifications                *bool  `json:"send_notifications"`
	EnableSyncEnrolments             *bool  `json:"enable_sync_enrolments"`
	EnableSyncTimetable              *bool  `json:"enable_sync_timetable"`
	DraftTaskDefinitionID            *int64 `json:"draft_task_definition_id"`
	ExtensionWeeksOnResubmitRequest  *int64 `json:"extension_weeks_on_resubmit_request"`
	*staffUnit

	ILOs            []course.Outcome           `json:"ilos"`
	TutorialStreams []enrol.Stream             `json:"tutorial_streams"`
	Staff           []course.StaffMember       `json:"staff"`
	Tutorials       []enrol.Tutorial           `json:"tutorials"`
	TaskDefinitions []taskdef.DefinitionRecord `json:"task_definitions"`
	Alignments      []taskdef.Alignment        `json:"task_outcome_alignments"`
	GroupSets       []enrol.GroupSet           `json:"group_sets"`
	Groups          []enrol.Group              `json:"groups"`
}

// staffUnit is what a unit's record has for staff only.
type staffUnit struct {
	PortfolioDate *clock.Date `json:"portfolio_auto_generation_date"`
}

func (s *Server) getUnit(ctx context.Context, who *access.Caller, in unitIn) (*fullUnit, error) {
	return view(ctx, s.db, func(q db.Q) (*fullUnit, error) { return s.fullUnit(ctx, q, who, in.ID) })
}

// unitIn is the input of an endpoint about one unit.
type unitIn struct {
	ID int64 `path:"id" scope:"unit"`
}

// fullUnit puts a unit together, by one statement a kind of record, as who sees
// it: their standing is looked up when it is not known, as in a new unit.
func (s *Server) fullUnit(ctx context.Context, q db.Q, who *access.Caller, id int64) (*fullUnit, error) {
	if who.UnitID != id {
		var err error
		if who, err = access.Resolve(ctx, q, *who, access.Scope{Unit: id}); err != nil {
			return nil, err
		}
	}
	u, err := course.UnitByID(ctx, q, id)
	if err != nil {
		return nil, err
	}
	full := &fullUnit{Unit: *u}
	full.reveal(who)
	return full, full.fill(ctx, q, who, id)
}

// reveal shows the settings that concern who.
func (f *fullUnit) reveal(who *access.Caller) {
	if role := who.MyRole(); role != "" {
		f.MyRole = &role
	}
	if who.May(policy.EditUnit) {
		f.OverseerImageID = f.UnitSettings.OverseerImageID
	}
	if !who.May(policy.ListStudents) {
		return
	}
	v := &f.UnitSettings
	f.AutoApplyExtensionBeforeDeadline = &v.AutoApplyExtensionBeforeDeadline
	f.SendNotifications = &v.SendNotifications
	f.EnableSyncEnrolments = &v.EnableSyncEnrolments
	f.EnableSyncTimetable = &v.EnableSyncTimetable
	f.DraftTaskDefinitionID = v.DraftTaskDefinitionID
	f.ExtensionWeeksOnResubmitRequest = &v.ExtensionWeeksOnResubmitRequest
	f.staffUnit = &staffUnit{v.PortfolioDate}
}

// fill reads what is taught in the unit.
func (f *fullUnit) fill(ctx context.Context, q db.Q, who *access.Caller, id int64) (err error) {
	if f.ILOs, err = course.OutcomesOf(ctx, q, id); err != nil {
		return err
	}
	if f.Staff, err = course.StaffOf(ctx, q, id); err != nil {
		return err
	}
	if f.TutorialStreams, err = enrol.StreamsOf(ctx, q, id); err != nil {
		return err
	}
	if f.Tutorials, err = enrol.TutorialsOf(ctx, q, id); err != nil {
		return err
	}
	definitions, err := taskdef.DefinitionsOf(ctx, q, id)
	if err != nil {
		return err
	}
	f.TaskDefinitions = taskdef.Records(definitions, who.May(policy.ListStudents))
	if f.Alignments, err = taskdef.AlignmentsOf(ctx, q, id); err != nil {
		return err
	}
	if f.GroupSets, err = enrol.GroupSetsOf(ctx, q, id); err != nil {
		return err
	}
	f.Groups, err = enrol.GroupsOfUnit(ctx, q, id)
	return err
}

// unitValues are what creating and changing a unit both take.
type unitValues struct {
	Description          params.Opt[string]     `param:"description" doc:"the name when absent"`
	StartDate            params.Opt[clock.Date] `param:"start_date" doc:"inside the teaching period; its first day when absent"`
	EndDate              params.Opt[clock.Date] `param:"end_date" doc:"inside the teaching period; its last day when absent"`
	PortfolioDate        params.Opt[clock.Date] `param:"portfolio_auto_generation_date" doc:"after the start and not after the end of the unit"`
	OverseerImageID      params.Opt[int64]      `param:"overseer_image_id"`
	AssessmentEnabled    params.Opt[bool]       `param:"assessment_enabled"`
	AutoApplyExtension   params.Opt[bool]       `param:"auto_apply_extension_before_deadline"`
	SendNotifications    params.Opt[bool]       `param:"send_notifications"`
	EnableSyncTimetable  params.Opt[bool]       `param:"enable_sync_timetable"`
	EnableSyncEnrolments params.Opt[bool]       `param:"enable_sync_enrolments"`
	ExtensionRequests    params.Opt[bool]       `param:"allow_student_extension_requests"`
	ExtensionWeeks       params.Opt[int64]      `param:"extension_weeks_on_resubmit_request" doc:"from 0 to 52"`
	ChangeTutorial       params.Opt[bool]       `param:"allow_student_change_tutorial"`
	TimeZone             params.Opt[string]     `param:"time_zone" doc:"where the unit's days begin and end, such as Australia/Melbourne"`
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
		AllowStudentChangeTutorial:       v.ChangeTutorial.Ptr(),
		AutoApplyExtensionBeforeDeadline: v.AutoApplyExtension.Ptr(),
		SendNotifications:                v.SendNotifications.Ptr(), EnableSyncEnrolments: v.EnableSyncEnrolments.Ptr(),
		EnableSyncTimetable: v.EnableSyncTimetable.Ptr(), ExtensionWeeksOnResubmitRequest: v.ExtensionWeeks.Ptr(),
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

func (s *Server) addUnit(ctx context.Context, who *access.Caller, in addUnitIn) (*fullUnit, error) {
	u := &in.Unit
	c := u.change()
	c.Name, c.Code, c.Active = &u.Name, &u.Code, &u.Active
	c.TeachingPeriodID = course.Setting[int64]{Set: true, To: &u.TeachingPeriodID}
	return change(ctx, s.db, func(q db.Q) (*fullUnit, error) {
		id, err := course.AddUnit(ctx, q, c, u.MainConvenorUserID)
		if err != nil {
			return nil, err
		}
		who, err := access.Resolve(ctx, q, *who, access.Scope{Unit: id})
		if err != nil {
			return nil, err
		}
		who.Who |= policy.UnitConvenor // whoever gave the values may see them, for this once
		return s.fullUnit(ctx, q, who, id)
	})
}

type changeUnitIn struct {
	unitIn
	Unit struct {
		Name                  params.Opt[string] `param:"name"`
		Code                  params.Opt[string] `param:"code" doc:"unique in the teaching period"`
		Active                params.Opt[bool]   `param:"active"`
		TeachingPeriodID      params.Opt[int64]  `param:"teaching_period_id" doc:"-1 or null: in no period"`
		MainConvenorID        params.Opt[int64]  `param:"main_convenor_id" doc:"a unit role: a convenor of this unit"`
		DraftTaskDefinitionID params.Opt[int64]  `param:"draft_task_definition_id" doc:"a task of this unit that asks for one document; null: none"`
		unitValues
	} `param:"unit"`
}

func (s *Server) changeUnit(ctx context.Context, who *access.Caller, in changeUnitIn) (*fullUnit, error) {
	u := &in.Unit
	c := usecase.UnitChange{UnitChange: u.change(), MainConvenorID: u.MainConvenorID.Ptr(),
		DraftDefinitionID: setting(u.DraftTaskDefinitionID)}
	c.Name, c.Code, c.Active = u.Name.Ptr(), u.Code.Ptr(), u.Active.Ptr()
	c.TeachingPeriodID = setting(u.TeachingPeriodID)
	if u.TeachingPeriodID.Or(0) == -1 {
		c.TeachingPeriodID.To = nil
	}
	return change(ctx, s.db, func(q db.Q) (*fullUnit, error) {
		if err := usecase.ChangeUnit(ctx, q, in.ID, c); err != nil {
			return nil, err
		}
		return s.fullUnit(ctx, q, who, in.ID)
	})
}
