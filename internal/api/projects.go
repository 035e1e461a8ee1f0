package api

import (
	"context"
	"maps"
	"slices"

	"lectern/internal/access"
	"lectern/internal/api/endpoint"
	"lectern/internal/api/params"
	"lectern/internal/db"
	"lectern/internal/enrol"
	"lectern/internal/fault"
	"lectern/internal/ident"
	"lectern/internal/policy"
	"lectern/internal/portfolio"
	"lectern/internal/stats"
	"lectern/internal/taskdef"
	"lectern/internal/work"
)

// weekEnd is the one trigger of a project.
const weekEnd = "trigger_week_end"

func (s *Server) projectRoutes() {
	endpoint.Route(s.Server, "GET /api/projects", 200, policy.SignedIn, "List the caller's projects", s.listProjects)
	endpoint.Route(s.Server, "POST /api/projects", 201, policy.EnrolStudents, "Enrol a student in a unit", s.addProject,
		endpoint.Location("/api/projects/{.id}"))
	endpoint.Route(s.Server, "GET /api/projects/{id}", 200, policy.ReadProject, "Get a project", s.getProject)
	endpoint.Route(s.Server, "PUT /api/projects/{id}", 200, policy.ChangeProject, "Change a project", s.changeProject,
		endpoint.Also(409, "the grade was changed meanwhile, the portfolio is there already, or a tutorial is for "+
			"another campus"))
}

type listProjectsIn struct {
	IncludeInactive bool `param:"include_inactive" doc:"those in units that are over, too"`
}

func (s *Server) listProjects(ctx context.Context, who *access.Caller, in listProjectsIn) ([]enrol.Project, error) {
	return enrol.ProjectsOf(ctx, s.db.Pool(), who.ID, in.IncludeInactive)
}

type addProjectIn struct {
	UnitID     int64  `param:"unit_id,required" scope:"unit"`
	StudentNum string `param:"student_num,required" doc:"a user name, a student number or an address"`
	CampusID   int64  `param:"campus_id,required" doc:"-1: none"`
}

func (s *Server) addProject(ctx context.Context, who *access.Caller, in addProjectIn) (*enrol.StudentEntry, error) {
	return change(ctx, s.db, func(q db.Q) (*enrol.StudentEntry, error) {
		user, err := ident.Find(ctx, q, in.StudentNum)
		if err != nil {
			return nil, err
		}
		id, err := enrol.AddProject(ctx, q, who.ID, in.UnitID, user, in.CampusID)
		if err != nil {
			return nil, err
		}
		return enrol.StudentByProject(ctx, q, in.UnitID, id)
	})
}

// projectAnswer is a project with all that hangs on it.
type projectAnswer struct {
	enrol.ProjectDetail
	UnitID             int64               `json:"unit_id"`
	PortfolioFiles     []portfolio.File    `json:"portfolio_files"`
	Tasks              []work.ProjectTask  `json:"tasks"`
	TutorialEnrolments []enrol.Enrolment   `json:"tutorial_enrolments"`
	Groups             []enrol.Group       `json:"groups"`
	Alignments         []taskdef.Alignment `json:"task_outcome_alignments"`
}

type projectIn struct {
	ID int64 `path:"id" scope:"project"`
}

func (s *Server) getProject(ctx context.Context, who *access.Caller, in projectIn) (*projectAnswer, error) {
	return view(ctx, s.db, func(q db.Q) (*projectAnswer, error) {
		p, err := enrol.ProjectByID(ctx, q, in.ID, who.MyRole(), who.May(policy.GradeProject))
		if err != nil {
			return nil, err
		}
		a := &projectAnswer{ProjectDetail: *p, UnitID: p.UnitID}
		if a.PortfolioFiles, err = portfolio.FilesOf(ctx, q, in.ID); err != nil {
			return nil, err
		}
		if a.TutorialEnrolments, err = enrol.EnrolmentsOf(ctx, q, in.ID); err != nil {
			return nil, err
		}
		if a.Groups, err = enrol.GroupsOfProject(ctx, q, in.ID); err != nil {
			return nil, err
		}
		if a.Tasks, err = work.TasksOf(ctx, q, in.ID, who.ID); err != nil {
			return nil, err
		}
		a.Alignments, err = taskdef.ProjectAlignments(ctx, q, in.ID)
		return a, err
	})
}

type changeProjectIn struct {
	ID               int64              `path:"id" scope:"project"`
	Trigger          params.Opt[string] `param:"trigger" doc:"trigger_week_end: what is discussed or demonstrated is complete"`
	CampusID         params.Opt[int64]  `param:"campus_id" doc:"-1 or null: none"`
	Enrolled         params.Opt[bool]   `param:"enrolled"`
	TargetGrade      params.Opt[int64]  `param:"target_grade" doc:"0 to 3"`
	SubmittedGrade   params.Opt[int64]  `param:"submitted_grade" doc:"0 to 3; null: none"`
	CompilePortfolio params.Opt[bool]   `param:"compile_portfolio"`
	Grade            params.Opt[int64]  `param:"grade" doc:"0 to 100; needs grade_rationale and old_grade"`
	OldGrade         params.Opt[int64]  `param:"old_grade" doc:"the grade the caller knows; 409 when it is another by now"`
	GradeRationale   params.Opt[string] `param:"grade_rationale"`
}

// updatedProject is what a change of a project shows of it.
type updatedProject struct {
	ID                       int64  `json:"id"`
	CampusID                 *int64 `json:"campus_id"`
	Enrolled                 bool   `json:"enrolled"`
	TargetGrade              int64  `json:"target_grade"`
	SubmittedGrade           *int64 `json:"submitted_grade"`
	CompilePortfolio         bool   `json:"compile_portfolio"`
	PortfolioAvailable       bool   `json:"portfolio_available"`
	UsesDraftLearningSummary bool   `json:"uses_draft_learning_summary"`
	*enrol.ForStaff
}

func (s *Server) changeProject(ctx context.Context, who *access.Caller, in changeProjectIn) (*updatedProject, error) {
	if err := in.permit(who); err != nil {
		return nil, err
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	return change(ctx, s.db, func(q db.Q) (*updatedProject, error) {
		if err := enrol.ChangeProject(ctx, q, who.ID, in.ID, in.change()); err != nil {
			return nil, err
		}
		if err := in.follow(ctx, q, who); err != nil {
			return nil, err
		}
		p, err := enrol.ProjectByID(ctx, q, in.ID, who.MyRole(), who.May(policy.GradeProject))
		if err != nil {
			return nil, err
		}
		return &updatedProject{p.ID, p.CampusID, p.Enrolled, p.TargetGrade, p.SubmittedGrade, p.CompilePortfolio,
			p.PortfolioAvailable, p.UsesDraftLearningSummary, p.ForStaff}, nil
	})
}

// follow lets the tasks of a project follow its change: the statistics its
// target grade, what was to be discussed in class is complete, and the
// portfolio is made of it all.
func (in changeProjectIn) follow(ctx context.Context, q db.Q, who *access.Caller) error {
	if in.TargetGrade.Has() {
		if err := stats.Recompute(ctx, q, who.UnitID, in.ID); err != nil {
			return err
		}
	}
	if in.Trigger.Has() {
		if err := work.EndWeek(ctx, q, mover(who), in.ID); err != nil {
			return err
		}
	}
	return in.compile(ctx, q)
}

// compile has the portfolio made, and made over when what it claims changes
// while it is on its way.
func (in changeProjectIn) compile(ctx context.Context, q db.Q) error {
	if in.CompilePortfolio.Has() && in.CompilePortfolio.V {
		return portfolio.Ask(ctx, q, in.ID)
	}
	if in.SubmittedGrade.Set || in.TargetGrade.Has() {
		return portfolio.AskAgain(ctx, q, in.ID)
	}
	return nil
}

// permit asks for the right of each parameter that came.
func (in changeProjectIn) permit(who *access.Caller) error {
	for _, p := range []struct {
		came  bool
		right *policy.Right
	}{
		{in.Trigger.Has(), policy.EndWeek},
		{in.CampusID.Set, policy.ChangeCampus},
		{in.Enrolled.Has(), policy.ChangeEnrolments},
		{in.Grade.Has() || in.OldGrade.Has() || in.GradeRationale.Has(), policy.GradeProject},
	} {
		if p.came {
			if err := who.Must(p.right); err != nil {
				return err
			}
		}
	}
	return nil
}

// check finds all that is wrong with the values.
func (in changeProjectIn) check() error {
	wrong := map[string]string{}
	within := func(name string, o params.Opt[int64], top int64, what string) {
		if o.Has() && (o.V < 0 || o.V > top) {
			wrong[name] = what
		}
	}
	within("target_grade", in.TargetGrade, 3, "must be 0, 1, 2 or 3")
	within("submitted_grade", in.SubmittedGrade, 3, "must be 0, 1, 2 or 3")
	within("grade", in.Grade, 100, "must be from 0 to 100")
	if in.Trigger.Has() && in.Trigger.V != weekEnd {
		wrong["trigger"] = "is not known"
	}
	if in.Grade.Has() || in.OldGrade.Has() || in.GradeRationale.Has() {
		for name, came := range map[string]bool{"grade": in.Grade.Has(), "old_grade": in.OldGrade.Has(),
			"grade_rationale": in.GradeRationale.Has()} {
			if !came {
				wrong[name] = "is required when a grade is given"
			}
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	text := ""
	for _, name := range slices.Sorted(maps.Keys(wrong)) {
		text += name + " " + wrong[name] + ". "
	}
	return &fault.Error{Kind: fault.Invalid, Text: text[:len(text)-1], Fields: wrong}
}

func (in changeProjectIn) change() enrol.ProjectChange {
	c := enrol.ProjectChange{CampusID: orNone(in.CampusID, -1), Enrolled: in.Enrolled.Ptr(),
		TargetGrade:    in.TargetGrade.Ptr(),
		SubmittedGrade: orNone(in.SubmittedGrade, -1), CompilePortfolio: in.CompilePortfolio.Ptr()}
	if in.Grade.Has() {
		c.Grade = &enrol.FinalGrade{Grade: in.Grade.V, Old: in.OldGrade.V, Rationale: in.GradeRationale.V}
	}
	return c
}
