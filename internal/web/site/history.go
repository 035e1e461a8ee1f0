package site

import (
	"context"
	"fmt"
	"strings"

	"lectern/internal/ground/opt"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/enrol"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
)

func (s *Server) historyRoutes() {
	page(s, "/projects/{project_id}/tasks/{task_definition_id}/history", policy.ReadTask,
		"What happened to a task, and all that was handed in", s.history,
		endpoint.Asks(policy.ReadSubmission))
	page(s, "/projects/{id}/receipts", policy.ReadSubmission, "The receipts of a project", s.receipts,
		endpoint.Asks(policy.ListStudents))
}

// latestEntries is how much of a history stands on the page of its task, and
// pageOfEntries on one page of its own.
const (
	latestEntries = 5
	pageOfEntries = 50
)

// historyPage is what the page of a task's history shows.
type historyPage struct {
	Path         string
	Definition   *taskdef.Definition
	ProjectID    int64
	Entries      []work.HistoryEntry
	Versions     []submit.ListedVersion
	Newer, Older string // addresses of the pages beside this one; "" where there is none
}

func (s *Server) history(ctx context.Context, who *access.Caller, in struct {
	taskIn
	Page int64 `param:"page"`
}) (*Page, error) {
	v := &historyPage{Path: in.path(), ProjectID: in.ProjectID}
	number, total := min(max(in.Page, 1), 1e6), int64(0)
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Definition, err = taskdef.DefinitionByID(ctx, q, in.DefinitionID); err != nil {
			return err
		}
		at := db.Part(pageOfEntries, (number-1)*pageOfEntries)
		if v.Entries, total, err = work.History(ctx, q, in.ref(), at); err != nil || !who.May(policy.ReadSubmission) {
			return err
		}
		v.Versions, err = submit.Versions(ctx, q, in.ProjectID, in.DefinitionID)
		return err
	})
	if err != nil {
		return nil, err
	}
	if number > 1 {
		v.Newer = fmt.Sprintf("?page=%d", number-1)
	}
	if number*pageOfEntries < total {
		v.Older = fmt.Sprintf("?page=%d", number+1)
	}
	return s.titled(who, "history", s.word("history.title", v.Definition.Abbreviation), v), nil
}

// receiptsPage lists what proves that work was handed in.
type receiptsPage struct {
	Project  *enrol.ProjectDetail
	Receipts []submit.ListedReceipt
}

func (s *Server) receipts(ctx context.Context, who *access.Caller, in struct {
	ID int64 `path:"id" scope:"project"`
}) (*Page, error) {
	v := &receiptsPage{}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Project, err = usecase.ProjectRecord(ctx, q, who, in.ID); err == nil {
			v.Receipts, err = submit.Receipts(ctx, q, in.ID)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.titled(who, "receipts", s.word("receipts.title", v.Project.Code), v), nil
}

// happened tells in words what an entry of a history says beside a move.
func (l *Language) happened(e work.HistoryEntry) string {
	var out []string
	switch {
	case e.Undo:
		out = append(out, l.word("history.undo"))
	case e.Kind == work.HistorySubmission:
		out = append(out, l.word("history.submission"))
	case e.Kind == work.HistoryExtensionAsked:
		out = append(out, l.word("history.asked", opt.Or(e.Weeks, 0)))
	case e.Kind == work.HistoryExtensionDecided && opt.Or(e.Granted, false):
		out = append(out, l.word("history.granted"))
	case e.Kind == work.HistoryExtensionDecided:
		out = append(out, l.word("history.rejected"))
	case !leads(e):
		out = append(out, l.word("history.marked"))
	}
	if e.Grade != nil {
		out = append(out, l.word("history.grade", l.grade(*e.Grade)))
	}
	if e.Quality != nil {
		out = append(out, l.word("history.quality", *e.Quality))
	}
	return strings.Join(out, " ")
}

// leads tells whether an entry leads from one state to another.
func leads(e work.HistoryEntry) bool { return e.From != nil && e.To != nil && *e.From != *e.To }
