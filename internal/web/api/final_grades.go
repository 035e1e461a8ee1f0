package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/sheet"
	"lectern/internal/teaching/enrol"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

func (s *Server) finalGradeRoutes() {
	endpoint.Route(s.Server, "GET /api/units/{id}/final_grades", 200, policy.ListStudents,
		"List the students of a unit with their final grades and what these rest on", s.listFinalGrades)
	endpoint.Route(s.Server, "POST /api/units/{id}/final_grades", 200, policy.GradeUnit,
		"Give final grades to students of a unit, or plan it", s.giveGrades, endpoint.Audited(audit.Grade),
		endpoint.Shaped[[]enrol.GivenGrade]("grades"),
		endpoint.Also(404, "a project is not of this unit"),
		endpoint.Also(409, "something else would come of it than was planned"),
		endpoint.Also(422, "no grade, or too many"))
	endpoint.Route(s.Server, "POST /api/csv/units/{id}/final_grades", 200, policy.GradeUnit,
		"Give final grades to students of a unit by a sheet, or plan it", s.importGrades, endpoint.Audited(audit.Grade),
		endpoint.Uploads(1, sheet.DefaultMaxBytes), endpoint.Costs(endpoint.Imports),
		endpoint.Also(413, "the file is too large"), endpoint.Also(415, "neither CSV nor Excel"),
		endpoint.Also(409, "something else would come of it than was planned"), endpoint.Also(422, "no row"))
	endpoint.Route(s.Server, "GET /api/units/{id}/final_grades/publication", 200, policy.ListStudents,
		"Tell whether students see their final grades, and what publishing them comes to", s.getPublication)
	endpoint.Route(s.Server, "PUT /api/units/{id}/final_grades/publication", 200, policy.PublishGrades,
		"Publish the final grades of a unit", s.publishGrades, endpoint.Audited(audit.Grade),
		endpoint.Also(409, "they are published already, or a grade changed since the plan"),
		endpoint.Also(422, "no student has a final grade"))
	endpoint.Route(s.Server, "DELETE /api/units/{id}/final_grades/publication", 200, policy.PublishGrades,
		"Take the published final grades of a unit back", s.takeGradesBack, endpoint.Audited(audit.Grade),
		endpoint.Also(409, "they are not published"))
}

type listFinalGradesIn struct {
	unitIn
	Text string                      `param:"text" doc:"words of the name, the user name, the address or the student number"`
	Show params.Opt[enrol.GradeShow] `param:"show" enum:"" doc:"only those without a final grade, those who see one for the first time, those who saw another last, or those who have a portfolio"`
	paging
}

func (s *Server) listFinalGrades(ctx context.Context, who *access.Caller,
	in listFinalGradesIn) (endpoint.List[enrol.FinalGradeRow], error) {
	return listed(ctx, s.db, in.paging, func(q db.Q, p db.Page) ([]enrol.FinalGradeRow, int64, error) {
		return enrol.GradeQuery{UnitID: in.ID, CallerID: who.ID, Text: in.Text, Show: in.Show.V, Page: p}.List(ctx, q)
	})
}

// givenGrade is one row of the grades that are given.
type givenGrade struct {
	ProjectID params.Opt[int64]  `param:"project_id" doc:"of the student; or student is given"`
	Student   string             `param:"student" doc:"a student number, a user name or an address; or project_id is given"`
	Grade     params.Opt[int64]  `param:"grade" doc:"the final grade, 0 to 100; 0: none; it stays where it is absent"`
	Old       params.Opt[int64]  `param:"old_grade" doc:"the grade you know: the row is refused if it is another by now"`
	Rationale params.Opt[string] `param:"grade_rationale" text:"lines" doc:"empty: none; it stays where it is absent"`
	OldWords  params.Opt[string] `param:"old_grade_rationale" text:"lines" doc:"the rationale you know: the row is refused if it is another by now"`
}

func (g givenGrade) given() enrol.GivenGrade {
	return enrol.GivenGrade{ProjectID: g.ProjectID.V, Name: g.Student, Grade: g.Grade.Ptr(), Old: g.Old.Ptr(),
		Rationale: g.Rationale.Ptr(), OldWords: g.OldWords.Ptr()}
}

type giveGradesIn struct {
	unitIn
	Grades params.JSON[[]givenGrade] `param:"grades,required" doc:"the grades, one a student, at most 5000"`
	DryRun bool                      `param:"dry_run" doc:"report the same and change nothing"`
	Plan   string                    `param:"plan" doc:"the sign of a dry run; if something else would come of it now, nothing changes"`
}

func (s *Server) giveGrades(ctx context.Context, who *access.Caller, in giveGradesIn) (*enrol.GradesGiven, error) {
	list := make([]enrol.GivenGrade, len(in.Grades.V))
	for i, one := range in.Grades.V {
		list[i] = one.given()
	}
	return s.gradesGiven(ctx, who, in.ID, list, in.Plan, in.DryRun)
}

func (s *Server) gradesGiven(ctx context.Context, who *access.Caller, unitID int64, list []enrol.GivenGrade,
	plan string, dry bool) (*enrol.GradesGiven, error) {
	if dry {
		return s.usecases.PlanGrades(ctx, who, unitID, list)
	}
	return s.usecases.GiveGrades(ctx, who, unitID, list, plan)
}

type importGradesIn struct {
	unitIn
	importIn
	Plan string `param:"plan" doc:"the sign of a dry run; if something else would come of it now, nothing changes"`
}

func (s *Server) importGrades(ctx context.Context, who *access.Caller, in importGradesIn) (*enrol.GradesGiven, error) {
	list, err := s.usecases.SheetGrades(ctx, in.ID, uploaded(in.File))
	if err != nil {
		return nil, err
	}
	return s.gradesGiven(ctx, who, in.ID, list, in.Plan, in.DryRun)
}

func (s *Server) getPublication(ctx context.Context, _ *access.Caller, in unitIn) (*enrol.Publication, error) {
	return view(ctx, s.db, func(q db.Q) (*enrol.Publication, error) { return enrol.PublicationOf(ctx, q, in.ID) })
}

type publishGradesIn struct {
	unitIn
	Plan string `param:"plan" doc:"the plan that was looked at; if a grade changed since, nothing is published"`
}

func (s *Server) publishGrades(ctx context.Context, who *access.Caller, in publishGradesIn) (*enrol.Publication,
	error) {
	return s.usecases.PublishGrades(ctx, who, in.ID, in.Plan)
}

func (s *Server) takeGradesBack(ctx context.Context, who *access.Caller, in unitIn) (*enrol.Publication, error) {
	return s.usecases.TakeGradesBack(ctx, who, in.ID)
}
