package api

import (
	"context"

	"lectern/internal/ground/grade"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/enrol"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

func (s *Server) projectRoutes() {
	endpoint.Route(s.Server, "GET /api/projects", 200, policy.SignedIn, "List the caller's projects", s.listProjects)
	endpoint.Route(s.Server, "POST /api/projects", 201, policy.EnrolStudents, "Enrol a student in a unit", s.addProject,
		endpoint.Audited(audit.Enrolment, audit.Tutorial),
		endpoint.Also(409, "they cannot be in one of tutorial_ids"), endpoint.Asks(policy.ExceedCapacity),
		endpoint.Location("/api/projects/{.id}"))
	endpoint.Route(s.Server, "GET /api/projects/{id}", 200, policy.ReadProject, "Get a project", s.getProject,
		endpoint.Polled(), endpoint.Asks(policy.ListStudents, policy.ListGroups, policy.ReadTask,
			policy.ReadSubmission))
	endpoint.Route(s.Server, "PUT /api/projects/{id}", 200, policy.ChangeProject, "Change a project", s.changeProject,
		endpoint.Audited(audit.Enrolment, audit.Grade, audit.Status),
		endpoint.Also(409, "the grade was changed meanwhile, the portfolio is there already, or a tutorial is for "+
			"another campus"), endpoint.Asks(policy.ListStudents, policy.GradeProject, policy.ChangeCampus,
			policy.ChangeEnrolments, policy.EndWeek, policy.GradeTask))
}

type listProjectsIn struct {
	IncludeInactive bool `param:"include_inactive" doc:"those in units that are over, too"`
	paging
}

func (s *Server) listProjects(ctx context.Context, who *access.Caller, in listProjectsIn) (endpoint.List[enrol.Project],
	error) {
	list, err := enrol.ProjectsOf(ctx, s.db.Pool(), who.ID, in.IncludeInactive)
	return short(in.paging, list, err)
}

type addProjectIn struct {
	UnitID     int64  `param:"unit_id,required" scope:"unit"`
	StudentNum string `param:"student_num,required" doc:"a user name, a student number or an address"`
	CampusID   int64  `param:"campus_id,required" doc:"-1: none"`

	Tutorials []int64 `param:"tutorial_ids" doc:"tutorials that they are in at once, one of a stream"`
}

func (s *Server) addProject(ctx context.Context, who *access.Caller, in addProjectIn) (*enrol.StudentEntry, error) {
	return s.usecases.EnrolStudent(ctx, who, in.UnitID, usecase.NewStudent{Name: in.StudentNum, CampusID: in.CampusID,
		Tutorials: in.Tutorials})
}

type projectIn struct {
	ID int64 `path:"id" scope:"project"`
}

func (s *Server) getProject(ctx context.Context, who *access.Caller, in projectIn) (*usecase.ProjectDetail, error) {
	return view(ctx, s.db, func(q db.Q) (*usecase.ProjectDetail, error) {
		return usecase.ProjectByID(ctx, q, who, in.ID)
	})
}

// projectTrigger is what a project can be told to do.
type projectTrigger string

// Enum gives the one there is, for the documentation.
func (projectTrigger) Enum() []string { return []string{usecase.WeekEnd} }

// plainText takes a word of a closed set as text, for those who read it more
// generously than the document says.
func plainText[S ~string](o params.Opt[S]) *string {
	if !o.Has() {
		return nil
	}
	return new(string(o.V))
}

type changeProjectIn struct {
	ID               int64                      `path:"id" scope:"project"`
	Trigger          params.Opt[projectTrigger] `param:"trigger" doc:"trigger_week_end completes what is to be discussed"`
	CampusID         params.Opt[int64]          `param:"campus_id" null:"clears" doc:"-1 or null: none"`
	Enrolled         params.Opt[bool]           `param:"enrolled"`
	TargetGrade      params.Opt[grade.Grade]    `param:"target_grade" doc:"0 to 3"`
	SubmittedGrade   params.Opt[grade.Grade]    `param:"submitted_grade" null:"clears" doc:"0 to 3; null: none"`
	CompilePortfolio params.Opt[bool]           `param:"compile_portfolio"`
	Grade            params.Opt[int64]          `param:"grade" doc:"the final grade, 0 to 100"`
	OldGrade         params.Opt[int64]          `param:"old_grade" doc:"the grade the caller knows: 409 if it is another by now; no check when absent"`
	GradeRationale   params.Opt[string]         `param:"grade_rationale" text:"lines" null:"clears"`
}

// updatedProject is what a change of a project shows of it.
type updatedProject struct {
	ID                       int64        `json:"id"`
	CampusID                 *int64       `json:"campus_id"`
	Enrolled                 bool         `json:"enrolled"`
	TargetGrade              grade.Grade  `json:"target_grade"`
	SubmittedGrade           *grade.Grade `json:"submitted_grade"`
	CompilePortfolio         bool         `json:"compile_portfolio"`
	PortfolioAvailable       bool         `json:"portfolio_available"`
	UsesDraftLearningSummary bool         `json:"uses_draft_learning_summary"`
	*enrol.ForStaff
}

func (s *Server) changeProject(ctx context.Context, who *access.Caller, in changeProjectIn) (*updatedProject, error) {
	p, err := s.usecases.ChangeProject(ctx, who, in.ID, in.change())
	if err != nil {
		return nil, err
	}
	return &updatedProject{p.ID, p.CampusID, p.Enrolled, p.TargetGrade, p.SubmittedGrade, p.CompilePortfolio,
		p.PortfolioAvailable, p.UsesDraftLearningSummary, p.ForStaff}, nil
}

func (in changeProjectIn) change() usecase.ProjectChange {
	return usecase.ProjectChange{Trigger: plainText(in.Trigger), CampusID: orNone(in.CampusID, -1),
		Enrolled: in.Enrolled.Ptr(), TargetGrade: in.TargetGrade.Ptr(), SubmittedGrade: setting(in.SubmittedGrade),
		CompilePortfolio: in.CompilePortfolio.Ptr(), Grade: in.Grade.Ptr(), OldGrade: in.OldGrade.Ptr(),
		GradeRationale: setting(in.GradeRationale)}
}
