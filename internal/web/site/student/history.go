package student

import (
	"context"
	"fmt"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/enrol"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

func (s *room) historyRoutes() {
	page.Show(s.Site, "/projects/{project_id}/tasks/{task_definition_id}/history", policy.ReadTask,
		"What happened to a task, and all that was handed in", s.history,
		endpoint.Asks(policy.ReadSubmission))
	page.Show(s.Site, "/projects/{id}/receipts", policy.ReadSubmission, "The receipts of a project", s.receipts,
		endpoint.Asks(policy.ListStudents))
}

// pageOfEntries is how much of a history stands on a page.
const pageOfEntries = 50

// historyPage is what the page of a task's history shows.
type historyPage struct {
	Path         string
	Definition   *taskdef.Definition
	ProjectID    int64
	Entries      []work.HistoryEntry
	Versions     []submit.ListedVersion
	Newer, Older string // addresses of the pages beside this one; "" where there is none
}

func (s *room) history(ctx context.Context, who *access.Caller, in struct {
	taskIn
	Page int64 `param:"page"`
}) (*page.Page, error) {
	v := &historyPage{Path: in.Path(), ProjectID: in.ProjectID}
	number, total := min(max(in.Page, 1), 1e6), int64(0)
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Definition, err = taskdef.DefinitionByID(ctx, q, in.DefinitionID); err != nil {
			return err
		}
		at := db.Part(pageOfEntries, (number-1)*pageOfEntries)
		if v.Entries, total, err = work.History(ctx, q, in.Ref(), at); err != nil || !who.May(policy.ReadSubmission) {
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
	return s.Titled(who, "history", s.Word("history.title", v.Definition.Abbreviation), v), nil
}

// receiptsPage lists what proves that work was handed in.
type receiptsPage struct {
	Project  *enrol.ProjectDetail
	Receipts []submit.ListedReceipt
}

func (s *room) receipts(ctx context.Context, who *access.Caller, in struct {
	ID int64 `path:"id" scope:"project"`
}) (*page.Page, error) {
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
	return s.Titled(who, "receipts", s.Word("receipts.title"), v), nil
}
