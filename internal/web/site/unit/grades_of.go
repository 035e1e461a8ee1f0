package unit

import (
	"context"
	"net/url"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/ground/opt"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/enrol"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

func (s *room) gradeOfRoutes() {
	page.Show(s.Site, links.GradeOf, policy.ListStudents, "The portfolio of a student beside the final grade", s.gradeOf,
		endpoint.Asks(policy.GradeProject, policy.ReadSubmission))
	page.Form(s.Site, links.GradeOf, policy.GradeProject, "Give a student the final grade", s.giveGrade,
		endpoint.Audited(audit.Grade), endpoint.Asks(policy.GradeProject, policy.ReadSubmission))
}

// gradeOfPage is a student with what the final grade rests on: the portfolio, read in place.
type gradeOfPage struct {
	oneGrade
	Unit          *course.Unit
	Row           *enrol.FinalGradeRow
	Before, After int64 // the students beside, in the order of the grid; 0: none
	MayGrade      bool
	MayRead       bool
	Published     bool
	Typed         typedGrade
}

// oneGrade names a student of the grid, and the part of it that was looked at.
type oneGrade struct {
	UnitID    int64  `path:"unit_id" scope:"unit"`
	ProjectID int64  `path:"project_id" scope:"project"`
	Text      string `param:"text"`
	Show      string `param:"show"`
	Saved     bool   `param:"saved"`
}

// List leads to the grid.
func (in oneGrade) List() string { return in.address(links.To(links.Grades, in.UnitID), "") }

// At leads to another student of the same part.
func (in oneGrade) At(project int64) string {
	return in.address(links.To(links.GradeOf, in.UnitID, project), "")
}

func (in oneGrade) address(path, saved string) string {
	return taskAddress(path, url.Values{"text": {in.Text}, "show": {in.Show}, "saved": {saved}})
}

// Name is that of the student.
func (v *gradeOfPage) Name() string { return v.Row.FirstName + " " + v.Row.LastName }

// Document is where the portfolio is read.
func (v *gradeOfPage) Document() string { return links.To(links.Portfolio, v.ProjectID) + "/document" }

func (s *room) readGradeOf(ctx context.Context, who *access.Caller, in oneGrade) (*gradeOfPage, error) {
	if !enrol.GradeShow(in.Show).Known() {
		in.Show = ""
	}
	v := &gradeOfPage{oneGrade: in, MayGrade: who.May(policy.GradeProject),
		MayRead: who.May(policy.ReadSubmission)}
	ask := enrol.GradeQuery{UnitID: in.UnitID, CallerID: who.ID, Text: in.Text, Show: enrol.GradeShow(in.Show)}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Unit, err = course.UnitByID(ctx, q, in.UnitID); err != nil {
			return err
		}
		at, err := enrol.GradesPublished(ctx, q, in.UnitID)
		if err != nil {
			return err
		}
		v.Published = at != nil
		if v.Row, err = ask.One(ctx, q, in.ProjectID); err != nil {
			return err
		}
		v.Before, v.After, err = ask.Neighbours(ctx, q, in.ProjectID)
		return err
	})
	if err != nil {
		return nil, err
	}
	is, why := gradeText(v.Row.Grade), opt.Or(v.Row.GradeRationale, "")
	v.Typed = typedGrade{ID: in.ProjectID, Grade: is, Was: is, Why: why, Before: why}
	return v, nil
}

func (s *room) gradeOf(ctx context.Context, who *access.Caller, in oneGrade) (*page.Page, error) {
	v, err := s.readGradeOf(ctx, who, in)
	if err != nil {
		return nil, err
	}
	return s.Titled(who, "grade-of", v.Name(), v), nil
}

// giveGrade saves what was typed beside a portfolio, and goes on to the next student where that is asked for.
func (s *room) giveGrade(ctx context.Context, who *access.Caller, in struct {
	oneGrade
	Typed typedGrade `param:"row"`
	Do    string     `param:"do"` // next: go on
}) (endpoint.Drawing, error) {
	v, err := s.readGradeOf(ctx, who, in.oneGrade)
	if err != nil {
		return nil, err
	}
	in.Typed.ID = in.ProjectID
	v.Typed = in.Typed
	if h := in.Typed.held(s.Words); h != nil {
		out, err := s.Usecases.GiveGrades(ctx, who, in.UnitID, given([]heldGrade{*h}), "")
		if err == nil && out.Refused > 0 {
			err = fault.New(fault.Conflict, "%s", out.Rows[0].Message)
			// What there is now is what the next try is held against.
			v.Typed.Was, v.Typed.Before = gradeText(v.Row.Grade), opt.Or(v.Row.GradeRationale, "")
		}
		if err != nil {
			return s.Again(s.Refusal(who, "grade-of", v.Name(), v), err)
		}
	}
	if in.Do == "next" && v.After != 0 {
		return page.Onward{To: v.At(v.After)}, nil
	}
	return page.Onward{To: v.address(links.To(links.GradeOf, in.UnitID, in.ProjectID), "true")}, nil
}
