package admin

import (
	"context"
	"net/url"

	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/usecase"
	"lectern/internal/usecase/privacy"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

func (s *room) personDataRoutes() {
	page.Show(s.Site, links.Person+"/export", policy.SeeAccounts, "What an export of a person's data holds", s.planExport)
	page.Form(s.Site, links.Person+"/export", policy.ExportData, "Export the data of a person", s.askExport,
		endpoint.Audited(audit.Export), endpoint.Costs(endpoint.Exports))
	page.Show(s.Site, links.PersonExport, policy.SeeAccounts, "The archive of a person's data that was asked for",
		s.showExport)
	page.Show(s.Site, links.Person+"/erase", policy.SeeAccounts, "What an erasure of a person does", s.planErasure)
	page.Form(s.Site, links.Person+"/erase", policy.EraseData, "Erase a person after a day", s.askErasure,
		endpoint.Audited(audit.Account))
	page.Form(s.Site, links.Person+"/erase/cancel", policy.EraseData, "Cancel the erasure of a person", s.cancelErasure,
		endpoint.Audited(audit.Account))
	endpoint.Route(s.Server, "POST "+links.PersonExport, 200, policy.ExportData, "Take the archive of a person's data",
		s.takeExport, endpoint.Audited(audit.Export), endpoint.Stored("application/zip"))
}

// dataPage is what becomes of a person's data, before it is asked for.
type dataPage struct {
	*usecase.DataPlan
	Name    string
	Files   bool   // what the person uploaded goes, too
	Sign    string // where the reader signs in anew, and comes back from
	Refused string // why it cannot be done; empty: it can be
}

// Path is where the person stands.
func (v *dataPage) Path() string { return links.To(links.Person, v.UserID) }

func (s *room) dataPage(ctx context.Context, who *access.Caller, id int64, part string) (*dataPage, error) {
	p, err := s.Usecases.Person(ctx, id)
	if err != nil {
		return nil, err
	}
	plan, err := s.Usecases.PlanData(ctx, who, id)
	if err != nil {
		return nil, err
	}
	v := &dataPage{DataPlan: plan, Name: p.FirstName + " " + p.LastName}
	v.Sign = "/sign-in?" + url.Values{"next": {v.Path() + part}}.Encode()
	return v, nil
}

func (s *room) planExport(ctx context.Context, who *access.Caller, in aPerson) (*page.Page, error) {
	v, err := s.dataPage(ctx, who, in.ID, "/export")
	if err != nil {
		return nil, err
	}
	return s.withinPeople(s.Titled(who, "person-export", s.Word("person.export"), v)), nil
}

// codeForm is the code of a second factor.
type codeForm struct {
	Code string `param:"otp" text:"any"`
}

func (s *room) askExport(ctx context.Context, who *access.Caller, in struct {
	aPerson
	codeForm
}) (endpoint.Drawing, error) {
	l, err := s.Usecases.AskExport(ctx, who, in.ID, in.Code)
	if err == nil {
		return endpoint.Redirect{To: links.With(links.PersonExport, l.Token)}, nil
	}
	p, drawn := s.planExport(ctx, who, in.aPerson)
	if drawn != nil {
		return nil, drawn
	}
	return s.Again(p, err)
}

// exportPage is the archive that a link leads to.
type exportPage struct {
	*privacy.PersonExport
	Token string
}

// Path is where the person stands.
func (v *exportPage) Path() string { return links.To(links.Person, v.UserID) }

// Here is where the link leads.
func (v *exportPage) Here() string { return links.With(links.PersonExport, v.Token) }

type exportIn struct {
	Token string `param:"token" text:"any"`
}

func (s *room) showExport(ctx context.Context, who *access.Caller, in exportIn) (*page.Page, error) {
	if in.Token == "" {
		return s.withinPeople(s.Titled(who, "person-archive", s.Word("person.archive"), &exportPage{})), nil
	}
	x, err := s.Usecases.SeeExport(ctx, who, in.Token)
	if err != nil {
		return nil, err
	}
	return s.withinPeople(s.Titled(who, "person-archive", s.Word("person.archive"), &exportPage{x, in.Token})), nil
}

func (s *room) takeExport(ctx context.Context, who *access.Caller, in exportIn) (*endpoint.File, error) {
	x, err := s.Usecases.TakeExport(ctx, who, in.Token)
	if err != nil {
		return nil, err
	}
	return endpoint.FromStore(ctx, s.Usecases.Files, x.File(), endpoint.File{Name: x.Username + "-data.zip",
		Type: "application/zip", Attachment: true})
}

func (s *room) planErasure(ctx context.Context, who *access.Caller, in aPerson) (*page.Page, error) {
	v, err := s.dataPage(ctx, who, in.ID, "/erase")
	if err != nil {
		return nil, err
	}
	if v.DataPlan.Refused != nil {
		v.Refused = *v.DataPlan.Refused
	}
	return s.withinPeople(s.Titled(who, "person-erase", s.Word("person.erase"), v)), nil
}

func (s *room) askErasure(ctx context.Context, who *access.Caller, in struct {
	aPerson
	codeForm
	Files bool `param:"files"`
}) (endpoint.Drawing, error) {
	_, err := s.Usecases.AskErasure(ctx, who, in.ID, in.Files, in.Code)
	if err == nil {
		return personLed(in.ID, "erasure"), nil
	}
	p, drawn := s.planErasure(ctx, who, in.aPerson)
	if drawn != nil {
		return nil, drawn
	}
	p.Data.(*dataPage).Files = in.Files
	return s.Again(p, err)
}

func (s *room) cancelErasure(ctx context.Context, who *access.Caller, in aPerson) (endpoint.Drawing, error) {
	return s.personDid(ctx, who, in.ID, "kept", s.Usecases.CancelErasure(ctx, in.ID))
}
