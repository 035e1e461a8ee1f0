package admin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"lectern/internal/connect/notify"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/sheet"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
	"lectern/internal/web/site/page"
)

func (s *room) peopleSheetRoutes() {
	at := links.People + "/import"
	endpoint.Route(s.Server, "GET "+links.People+"/people.csv", 200, policy.ExportUsers, "All people as a sheet",
		s.peopleSheet, endpoint.Audited(audit.Export), endpoint.Costs(endpoint.Exports), endpoint.Made("text/csv"))
	page.Show(s.Site, at, policy.SeeAccounts, "Import people from a sheet", s.peopleImport)
	page.Form(s.Site, at+"/plan", policy.ManageAccounts, "What would come of a sheet of people", s.planPeople,
		endpoint.Unaudited("tells what would happen and changes nothing"), endpoint.Uploads(1, page.MostSheet),
		endpoint.Asks(policy.ImportUsers), endpoint.Costs(endpoint.Imports))
	page.Form(s.Site, at, policy.ManageAccounts, "Import a sheet of people whose plan was shown", s.takePeople,
		endpoint.Audited(audit.Account, audit.Role), endpoint.Asks(policy.ImportUsers), endpoint.Costs(endpoint.Imports))
	page.Show(s.Site, links.People+"/invitations", policy.SeeAccounts, "How far the invitations of people are",
		s.invitations)
}

func (s *room) peopleSheet(ctx context.Context, _ *access.Caller, _ struct{}) (*endpoint.File, error) {
	if err := s.Usecases.Exported(ctx, "users"); err != nil {
		return nil, err
	}
	return &endpoint.File{Name: "users.csv", Type: "text/csv; charset=utf-8", Attachment: true,
		Write: func(w io.Writer) error { return ident.Export(ctx, s.DB.Pool(), w) }}, nil
}

// shownRows is how many rows of a plan are shown, those with mistakes first.
const shownRows = 200

// sheetRow is a row of the sheet with what becomes of it.
type sheetRow struct {
	Outcome       string // errors, new or ignored
	Line          int
	What, Message string
}

// peopleImportPage is where a sheet of people is looked at row by row, and imported.
type peopleImportPage struct {
	Mails, Mail        bool
	Rows               []sheetRow
	New, Left, Refused int
	Hidden             int // rows that are not shown
	Planned            bool
	Done               bool
	Again              bool   // the people changed since the plan was shown
	Sheet, Plan        string // the sheet itself and what was shown, for the form that imports it
	Links              string // by which those who are new set a password, one a line
}

func (s *room) peopleImport(_ context.Context, who *access.Caller, _ struct{}) (*page.Page, error) {
	return s.importTitled(who, &peopleImportPage{Mails: s.Usecases.Mailer.Sends(), Mail: true}), nil
}

func (s *room) importTitled(who *access.Caller, v *peopleImportPage) *page.Page {
	return s.withinPeople(s.Titled(who, "people-import", s.Word("people.import-title"), v))
}

// show puts the rows into their order, and makes the sign by which the plan is known again.
func (v *peopleImportPage) show(r *ident.Imported) {
	v.Rows, v.New, v.Left, v.Refused, v.Planned = nil, len(r.Success), len(r.Ignored), len(r.Errors), true
	sum := sha256.New()
	add := func(outcome string, l sheet.Line) {
		row := sheetRow{outcome, l.Line, l.Names("username"), l.Message}
		fmt.Fprintln(sum, row)
		if len(v.Rows) < shownRows {
			v.Rows = append(v.Rows, row)
		} else {
			v.Hidden++
		}
	}
	for _, l := range r.Errors {
		add("errors", l)
	}
	for _, n := range r.Success {
		add("new", n.Line)
	}
	for _, l := range r.Ignored {
		add("ignored", l)
	}
	v.Plan = hex.EncodeToString(sum.Sum(nil))
}

// runSheet takes a sheet in, or plans it.
func (s *room) runSheet(ctx context.Context, who *access.Caller, f usecase.Upload, dry, mail bool) (*ident.Imported, error) {
	return s.Usecases.ImportUsers(ctx, who, usecase.Sheet{Upload: f, DryRun: dry}, mail && s.Usecases.Mailer.Sends())
}

func (s *room) planPeople(ctx context.Context, who *access.Caller, in struct {
	File *params.Upload `param:"file"`
	Mail bool           `param:"mail"`
}) (endpoint.Drawing, error) {
	v := &peopleImportPage{Mails: s.Usecases.Mailer.Sends(), Mail: in.Mail}
	p := s.importTitled(who, v)
	if err := s.Chosen(in.File); err != nil {
		return s.Again(p, err)
	}
	f := page.Uploaded(in.File)
	r, err := s.runSheet(ctx, who, f, true, in.Mail)
	if err != nil {
		return s.Again(p, err)
	}
	if v.Sheet, err = page.PackSheet(f); err != nil {
		return nil, err
	}
	v.show(r)
	return p, nil
}

// takePeople imports a sheet. Where something else would come of it than was shown, that is shown first.
func (s *room) takePeople(ctx context.Context, who *access.Caller, in struct {
	Sheet string `param:"sheet"`
	Plan  string `param:"plan"`
	Mail  bool   `param:"mail"`
}) (endpoint.Drawing, error) {
	v := &peopleImportPage{Mails: s.Usecases.Mailer.Sends(), Mail: in.Mail, Sheet: in.Sheet}
	p := s.importTitled(who, v)
	f, done, err := s.UnpackSheet(in.Sheet)
	if err != nil {
		return s.Again(p, err)
	}
	defer done()
	r, err := s.runSheet(ctx, who, f, true, in.Mail)
	if err != nil {
		return s.Again(p, err)
	}
	if v.show(r); v.Plan != in.Plan {
		v.Again = true
		return p, nil
	}
	if r, err = s.runSheet(ctx, who, f, false, in.Mail); err != nil {
		return s.Again(p, err)
	}
	v.Done, v.Sheet, v.Hidden = true, "", 0
	v.show(r)
	if !in.Mail || !v.Mails {
		v.Links = s.passwordLinks(r)
	}
	return p, nil
}

// passwordLinks are the links by which those who are new set a password, one a line.
func (s *room) passwordLinks(r *ident.Imported) string {
	var b strings.Builder
	for _, n := range r.Success {
		fmt.Fprintf(&b, "%s %s%s\n", n.Names("username"), s.Usecases.PublicURL, links.With(links.Password, n.Token))
	}
	return b.String()
}

// invitationsPage is how far the invitations are.
type invitationsPage struct{ *notify.Invitations }

// All is how many there are.
func (v *invitationsPage) All() int64 {
	return v.Waiting + v.Sending + v.Sent + v.Unsure + v.Failed + v.Needless
}

// Ended is how many of them are neither waiting nor under way.
func (v *invitationsPage) Ended() int64 { return v.All() - v.Waiting - v.Sending }

// At is where a person stands.
func (v *invitationsPage) At(id int64) string { return links.To(links.Person, id) }

func (s *room) invitations(ctx context.Context, who *access.Caller, _ struct{}) (*page.Page, error) {
	v := &invitationsPage{}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		v.Invitations, err = notify.InvitationsSoFar(ctx, q)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.withinPeople(s.Titled(who, "people-invitations", s.Word("people.invitations"), v)), nil
}
