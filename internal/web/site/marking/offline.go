package marking

import (
	"context"
	"fmt"
	"io"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/sheet"
	"lectern/internal/teaching/marking"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
	"lectern/internal/web/site/page"
)

// unitOffline is where the page stands.
const unitOffline = "/units/{id}/offline"

func (s *room) offlineRoutes() {
	page.Show(s.Site, unitOffline, policy.GiveFeedback, "Mark without a connection", s.offline)
	endpoint.Route(s.Server, "GET "+unitOffline+"/batch", 200, policy.GiveFeedback, "The work that waits, in an archive",
		s.offlineBatch, endpoint.Audited(audit.Export), endpoint.Costs(endpoint.Exports))
	page.Form(s.Site, unitOffline+"/plan", policy.GiveFeedback, "What would come of a batch", s.planBatch,
		endpoint.Unaudited("tells what would happen and changes nothing"), endpoint.Uploads(1, marking.MaxUpload),
		endpoint.Costs(endpoint.Imports))
	page.Form(s.Site, unitOffline, policy.GiveFeedback, "Carry out a batch", s.takeBatch,
		endpoint.Audited(audit.Status, audit.Grade, audit.Review), endpoint.Uploads(1, marking.MaxUpload),
		endpoint.Costs(endpoint.Imports))
}

type offlineIn struct {
	ID int64 `path:"id" scope:"unit"`
}

// offlinePage is what the page of offline marking shows.
type offlinePage struct {
	Unit *usecase.UnitChoices
	Most int64           // bytes of an upload
	Plan *marking.Result // what would come of an upload, or came of it
	Rows []batchRow      // that ask for something
	Left []batchRow      // that stay as they are
	Done bool            // it was carried out

	words language
}

// batchRow is a row of the sheet or a document, and what becomes of it.
type batchRow struct {
	Outcome string // success, errors or ignored
	Line    int    // of the sheet; 0: a document
	What    string
	Message string
}

// Applies tells whether there is a plan to carry out.
func (v *offlinePage) Applies() bool { return v.Plan != nil && !v.Done && len(v.Plan.Success) > 0 }

// Applied says what becomes, or became, of the rows that are carried out.
func (v *offlinePage) Applied() string {
	if v.Done {
		return v.words.Word("offline.is-done")
	}
	return v.words.Word("offline.is-planned")
}

// Path is where the page stands.
func (v *offlinePage) Path() string { return links.To(unitOffline, v.Unit.ID) }

func (s *room) offline(ctx context.Context, who *access.Caller, in offlineIn) (*page.Page, error) {
	u, err := usecase.UnitChoicesOf(ctx, s.DB.Pool(), in.ID)
	if err != nil {
		return nil, err
	}
	return s.Titled(who, "offline", s.Word("offline.title"),
		&offlinePage{Unit: u, Most: marking.MaxUpload, words: s.words}), nil
}

type offlineBatchIn struct {
	offlineIn
	Who  string `param:"who"`
	Task string `param:"task"`
}

func (s *room) offlineBatch(ctx context.Context, who *access.Caller, in offlineBatchIn) (*endpoint.File, error) {
	var b *marking.Batch
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		b, err = marking.Collect(ctx, q, marking.Wanted{UnitID: in.ID, MarkerID: who.ID, CallerID: who.ID,
			All: in.Who == "all", DefinitionID: choice(in.Task)})
		return err
	})
	if err != nil {
		return nil, err
	}
	f := endpoint.Zip(ctx, s.Usecases.Files, b.Hashes(), b.FileName(),
		func(w io.Writer) error { return b.WriteZip(ctx, s.Usecases.Files, w) })
	if err := f.Confirm(); err != nil {
		return nil, err
	}
	return f, s.Usecases.Exported(ctx, "marking")
}

type batchIn struct {
	offlineIn
	File *params.Upload `param:"file"`
	Plan string         `param:"plan"`
}

func (s *room) planBatch(ctx context.Context, who *access.Caller, in batchIn) (endpoint.Drawing, error) {
	return s.withBatch(ctx, who, in, false, func(m usecase.Marks) (*marking.Result, error) {
		return s.Usecases.PlanMarks(ctx, who, m)
	})
}

func (s *room) takeBatch(ctx context.Context, who *access.Caller, in batchIn) (endpoint.Drawing, error) {
	return s.withBatch(ctx, who, in, true, func(m usecase.Marks) (*marking.Result, error) {
		if in.Plan == "" { // nobody carries out what they have not seen
			return nil, fault.New(fault.Refused, "%s", s.Word("offline.look-first"))
		}
		return s.Usecases.TakeMarks(ctx, who, m, in.Plan)
	})
}

// withBatch has an upload planned or carried out, and shows what comes of it row by
// row, or what is wrong with it as a whole.
func (s *room) withBatch(ctx context.Context, who *access.Caller, in batchIn, done bool,
	use func(usecase.Marks) (*marking.Result, error)) (endpoint.Drawing, error) {
	p, err := s.offline(ctx, who, in.offlineIn)
	if err != nil {
		return nil, err
	}
	v, ok := p.Data.(*offlinePage)
	if !ok {
		return nil, fmt.Errorf("the page of offline marking shows a %T", p.Data)
	}
	if err := s.Chosen(in.File); err != nil {
		return s.Again(p, err)
	}
	out, err := use(usecase.Marks{UnitID: in.ID, Upload: page.Uploaded(in.File), Spool: s.Spool})
	if err != nil {
		return s.Again(p, err)
	}
	v.Plan, v.Done = out, done
	v.Rows = append(batchRows("errors", out.Errors), batchRows("success", out.Success)...)
	v.Left = batchRows("ignored", out.Ignored)
	return p, nil
}

// batchRows shows rows and documents with one outcome.
func batchRows(outcome string, list []sheet.Line) []batchRow {
	out := make([]batchRow, len(list))
	for i, l := range list {
		out[i] = batchRow{Outcome: outcome, Line: l.Line, What: l.Names("username", "task"), Message: l.Message}
	}
	return out
}
