package api

import (
	"context"

	"lectern/internal/ground/grade"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/enrol"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

func (s *Server) studentSearchRoutes() {
	endpoint.Route(s.Server, "GET /api/units/{id}/students", 200, policy.ListStudents,
		"Search and sort the students of a unit, with their progress and last activity", s.searchStudents)
}

type searchStudentsIn struct {
	UnitID     int64                          `path:"id" scope:"unit"`
	Text       string                         `param:"text"`
	TutorialID params.Opt[int64]              `param:"tutorial_id" doc:"of one tutorial; 0: without any"`
	CampusID   params.Opt[int64]              `param:"campus_id" doc:"of one campus; 0: without any"`
	Target     params.Opt[grade.Grade]        `param:"target_grade" doc:"who aim for it, 0 to 3; all when absent"`
	Show       params.Opt[showStudents]       `param:"show" enum:"" doc:"the enrolled when absent; or those with a sign"`
	Sort       params.Opt[enrol.StudentOrder] `param:"sort" enum:"" doc:"by name when absent; a minus turns it round"`
	paging
}

// showStudents says which students are listed.
type showStudents string

// Enum gives all values, for the documentation of the API.
func (showStudents) Enum() []string {
	return []string{"enrolled", "withdrawn", string(enrol.SecondLook), string(enrol.Overdue), string(enrol.BehindPlan),
		string(enrol.NeedHelp), "all"}
}

// enrolled gives the value the students have; nil: either.
func (v showStudents) enrolled() *bool {
	switch v {
	case "all", showStudents(enrol.SecondLook):
		return nil
	case "withdrawn":
		return new(false)
	}
	return new(true)
}

// sign is the one that the students have; "": any or none.
func (v showStudents) sign() enrol.Sign {
	switch s := enrol.Sign(v); s {
	case enrol.SecondLook, enrol.Overdue, enrol.BehindPlan, enrol.NeedHelp:
		return s
	}
	return ""
}

func (s *Server) searchStudents(ctx context.Context, who *access.Caller,
	in searchStudentsIn) (endpoint.List[enrol.FoundStudent], error) {
	return listed(ctx, s.db, in.paging, func(q db.Q, p db.Page) ([]enrol.FoundStudent, int64, error) {
		return enrol.StudentSearch{UnitID: in.UnitID, CallerID: who.ID, Text: in.Text, TutorialID: in.TutorialID.Ptr(),
			CampusID: in.CampusID.Ptr(), Target: in.Target.Ptr(), Enrolled: in.Show.V.enrolled(), Sign: in.Show.V.sign(),
			Order: in.Sort.V, Page: p}.Students(ctx, q)
	})
}
