package marking

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/enrol"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

// giveExtension is where the staff give extensions without a request.
const giveExtension = unitExtensions + "/give"

func (s *room) giveRoutes() {
	page.Show(s.Site, giveExtension, policy.GrantExtensions, "Choose students to give an extension to", s.give,
		endpoint.Asks(policy.ListStudents))
	page.Form(s.Site, giveExtension+"/plan", policy.GrantExtensions, "What would become of an extension that is given",
		s.planGiving, endpoint.Unaudited("tells what would happen and changes nothing"))
	page.Form(s.Site, giveExtension, policy.GrantExtensions, "Give chosen students an extension", s.giveNow,
		endpoint.Audited(audit.Extension, audit.Status, audit.Grade))
}

type giveIn struct {
	ID       int64   `path:"id" scope:"unit"`
	Chosen   []int64 `param:"chosen"` // projects
	Text     string  `param:"text"`
	Tutorial string  `param:"tutorial"`
	Page     int64   `param:"page"`
	All      bool    `param:"all"`  // choose all that are found
	Step     string  `param:"step"` // details: the students are chosen
}

// givePage is what the steps of giving an extension show.
type givePage struct {
	giveIn
	Unit     *usecase.UnitChoices
	Selected []work.ChosenStudent
	Found    []enrol.FoundStudent // that are not selected
	Total    int64                // that are found
	Given    giving
	Plan     []work.GivenExtension
}

// Path is where the page stands.
func (v *givePage) Path() string { return links.To(giveExtension, v.ID) }

// List is where the requests stand.
func (v *givePage) List() string { return links.To(unitExtensions, v.ID) }

// Again is the address of the first step with the same students.
func (v *givePage) Again() string {
	q := url.Values{}
	for _, c := range v.Selected {
		q.Add("chosen", strconv.FormatInt(c.ProjectID, 10))
	}
	return v.Path() + "?" + q.Encode()
}

// Before is the number of the page before this one; 0: there is none.
func (v *givePage) Before() int64 { return v.Page - 1 }

// After is the number of the next page; 0: there is none.
func (v *givePage) After() int64 {
	if v.Page*rowsOnPage < v.Total {
		return v.Page + 1
	}
	return 0
}

// Changes counts the students of a plan who would be given an extension.
func (v *givePage) Changes() (n int) {
	for _, o := range v.Plan {
		if o.Outcome == work.ExtensionGranted {
			n++
		}
	}
	return n
}

func (s *room) give(ctx context.Context, who *access.Caller, in giveIn) (*page.Page, error) {
	in.Page = min(max(in.Page, 1), 1e6)
	v := &givePage{giveIn: in, Given: giving{Weeks: "1"}}
	if len(v.Chosen) > work.MostDecisions {
		v.Chosen = v.Chosen[:work.MostDecisions]
	}
	if err := s.DB.View(ctx, func(q db.Q) error { return v.read(ctx, q, who) }); err != nil {
		return nil, err
	}
	if in.Step == "details" && len(v.Selected) > 0 {
		return s.Titled(who, "give-details", s.Word("give.title"), v), nil
	}
	p := s.Titled(who, "give", s.Word("give.title"), v)
	if in.Step == "details" {
		return s.Again(p, fault.New(fault.Refused, "No student is selected. Select at least one, then try again."))
	}
	return p, nil
}

// read reads who is selected and, where some are still to be, who is found.
func (v *givePage) read(ctx context.Context, q db.Q, who *access.Caller) (err error) {
	if v.Unit, err = usecase.UnitChoicesOf(ctx, q, v.ID); err != nil {
		return err
	}
	if v.Step != "details" || len(v.Chosen) == 0 {
		if err := v.find(ctx, q, who); err != nil {
			return err
		}
	}
	v.Selected, err = work.ChosenStudents(ctx, q, v.ID, v.Chosen)
	return err
}

func (v *givePage) find(ctx context.Context, q db.Q, who *access.Caller) (err error) {
	if !who.May(policy.ListStudents) {
		return nil
	}
	search := enrol.StudentSearch{UnitID: v.ID, CallerID: who.ID, Text: v.Text, TutorialID: maybe(v.Tutorial),
		Enrolled: new(true), Order: "name", Page: pageOf(v.Page)}
	if v.All {
		search.Page = db.Part(work.MostDecisions, 0)
	}
	if v.Found, v.Total, err = search.Students(ctx, q); err != nil {
		return err
	}
	if v.All {
		for _, f := range v.Found {
			if len(v.Chosen) < work.MostDecisions && !slices.Contains(v.Chosen, f.ID) {
				v.Chosen = append(v.Chosen, f.ID)
			}
		}
	}
	v.Found = slices.DeleteFunc(v.Found, func(f enrol.FoundStudent) bool { return slices.Contains(v.Chosen, f.ID) })
	return nil
}

// giving is what somebody typed of the extension they give.
type giving struct {
	Task   string `param:"task"`
	Weeks  string `param:"weeks"`
	Reason string `param:"reason" text:"lines"`
}

type givingIn struct {
	ID     int64   `path:"id" scope:"unit"`
	Chosen []int64 `param:"chosen"`
	Change bool    `param:"change"` // what was typed is to be changed
	giving
}

// grant is the extension that was typed; what is no number of weeks is refused as none.
func (in givingIn) grant() work.ExtensionGrant {
	return work.ExtensionGrant{UnitID: in.ID, DefinitionID: choice(in.Task), Projects: in.Chosen,
		Weeks: int(min(choice(in.Weeks), 1000)), Reason: in.Reason, Once: true}
}

func (s *room) planGiving(ctx context.Context, who *access.Caller, in givingIn) (endpoint.Drawing, error) {
	if in.Change {
		return s.details(ctx, who, in)
	}
	var plan []work.GivenExtension
	g := in.grant()
	g.Once = false
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		plan, err = work.PlanGrant(ctx, q, who.ID, g)
		return err
	})
	if err != nil {
		return s.giveAgain(ctx, who, in, err)
	}
	v := &givePage{giveIn: giveIn{ID: in.ID, Chosen: in.Chosen}, Given: in.giving, Plan: plan}
	return s.Titled(who, "give-plan", s.Word("give.plan-title"), v), nil
}

func (s *room) giveNow(ctx context.Context, who *access.Caller, in givingIn) (endpoint.Drawing, error) {
	done, err := s.Usecases.GrantExtensions(ctx, who, in.grant())
	if err != nil {
		return s.giveAgain(ctx, who, in, err)
	}
	given := (&givePage{Plan: done}).Changes()
	return endpoint.Redirect{To: fmt.Sprintf("%s?tab=decided&given=%d", links.To(unitExtensions, in.ID), given)}, nil
}

// details draws the second step with what was typed.
func (s *room) details(ctx context.Context, who *access.Caller, in givingIn) (*page.Page, error) {
	p, err := s.give(ctx, who, giveIn{ID: in.ID, Chosen: in.Chosen, Step: "details"})
	if err != nil {
		return nil, err
	}
	p.Data.(*givePage).Given = in.giving //nolint:errcheck // it is the page of this step
	return p, nil
}

// giveAgain draws it with what was wrong.
func (s *room) giveAgain(ctx context.Context, who *access.Caller, in givingIn, wrong error) (endpoint.Drawing, error) {
	p, err := s.details(ctx, who, in)
	if err != nil {
		return nil, err
	}
	return s.Again(p, wrong)
}
