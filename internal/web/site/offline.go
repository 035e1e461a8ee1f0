package site

import (
	"context"
	"fmt"
	"io"
	"strings"

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
)

// unitOffline is where the page stands.
const unitOffline = "/units/{id}/offline"

func (s *Server) offlineRoutes() {
	page(s, unitOffline, policy.GiveFeedback, "Mark without a connection", s.offline)
	endpoint.Route(s.Server, "GET "+unitOffline+"/batch", 200, policy.GiveFeedback, "The work that waits, in an archive",
		s.offlineBatch, endpoint.Audited(audit.Export), endpoint.Costs(endpoint.Exports))
	form(s, unitOffline+"/plan", policy.GiveFeedback, "What would come of a batch", s.planBatch,
		endpoint.Unaudited("tells what would happen and changes nothing"), endpoint.Uploads(1, marking.MaxUpload),
		endpoint.Costs(endpoint.Imports))
	form(s, unitOffline, policy.GiveFeedback, "Carry out a batch", s.takeBatch,
		endpoint.Audited(audit.Status, audit.Grade), endpoint.Uploads(1, marking.MaxUpload),
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
}

// batchRow is a row of the sheet or a document, and what becomes of it.
type batchRow struct {
	Outcome string // success, errors or ignored
	Line    int    // of the sheet; 0: a document
	What    string
	Message string
}

// Path is where the page stands.
func (v *offlinePage) Path() string { return links.To(unitOffline, v.Unit.ID) }

func (s *Server) offline(ctx context.Context, who *access.Caller, in offlineIn) (*Page, error) {
	u, err := usecase.UnitChoicesOf(ctx, s.DB.Pool(), in.ID)
	if err != nil {
		return nil, err
	}
	return s.titled(who, "offline", s.word("offline.title", u.Code), &offlinePage{Unit: u, Most: marking.MaxUpload}), nil
}

type offlineBatchIn struct {
	offlineIn
	Who  string `param:"who"`
	Task string `param:"task"`
}

func (s *Server) offlineBatch(ctx context.Context, who *access.Caller, in offlineBatchIn) (*endpoint.File, error) {
	var b *marking.Batch
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		b, err = marking.Collect(ctx, q, marking.Wanted{UnitID: in.ID, MarkerID: who.ID, CallerID: who.ID,
			All: in.Who == "all", DefinitionID: choice(in.Task)})
		return err
	})
	if err != nil {
		return nil, err
	}
	return endpoint.Zip(b.FileName(), func(w io.Writer) error { return b.WriteZip(ctx, s.usecases.Files, w) }),
		s.usecases.Exported(ctx, "marking")
}

type batchIn struct {
	offlineIn
	File *params.Upload `param:"file"`
	Plan string         `param:"plan"`
}

func (s *Server) planBatch(ctx context.Context, who *access.Caller, in batchIn) (endpoint.Drawing, error) {
	return s.withBatch(ctx, who, in, false, (*marking.Importer).Plan)
}

func (s *Server) takeBatch(ctx context.Context, who *access.Caller, in batchIn) (endpoint.Drawing, error) {
	return s.withBatch(ctx, who, in, true, func(d *marking.Importer, ctx context.Context,
		u marking.Upload) (*marking.Result, error) {
		if in.Plan == "" { // nobody carries out what they have not seen
			return nil, fault.New(fault.Refused, "%s", s.word("offline.look-first"))
		}
		return d.Take(ctx, u, in.Plan)
	})
}

// withBatch has an upload planned or carried out, and shows what comes of it row by
// row, or what is wrong with it as a whole.
func (s *Server) withBatch(ctx context.Context, who *access.Caller, in batchIn, done bool,
	use func(*marking.Importer, context.Context, marking.Upload) (*marking.Result, error)) (endpoint.Drawing, error) {
	p, err := s.offline(ctx, who, in.offlineIn)
	if err != nil {
		return nil, err
	}
	v, ok := p.Data.(*offlinePage)
	if !ok {
		return nil, fmt.Errorf("the page of offline marking shows a %T", p.Data)
	}
	if err := s.chosen(in.File); err != nil {
		return s.again(p, err)
	}
	f, err := in.File.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	desk := &marking.Importer{DB: s.DB, Files: s.usecases.Files, Spool: s.Spool, Tell: s.doors.FeedbackReady}
	out, err := use(desk, ctx, marking.Upload{UnitID: in.ID, CallerID: who.ID, File: f, Size: in.File.Size})
	if err != nil {
		return s.again(p, err)
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
		out[i] = batchRow{Outcome: outcome, Line: l.Line, What: rowName(l.Row), Message: l.Message}
	}
	return out
}

// rowName is what a row is about: the student and the task, or the name of a document.
func rowName(row any) string {
	pairs, ok := row.([][2]string)
	if !ok {
		return fmt.Sprint(row)
	}
	cells := map[string]string{}
	for _, p := range pairs {
		cells[strings.ToLower(p[0])] = p[1]
	}
	return strings.TrimSpace(cells["username"] + " " + cells["task"])
}
