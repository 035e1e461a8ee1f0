package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/work"
	"lectern/internal/web/endpoint"
)

func (s *Server) historyRoutes() {
	const one = "/api/projects/{id}/task_def_id/{task_definition_id}"
	endpoint.Route(s.Server, "GET /api/projects/{project_id}/task_def_id/{task_definition_id}/history", 200,
		policy.ReadTask, "List what happened to a task, newest first", s.taskHistory)
	endpoint.Route(s.Server, "GET "+one+"/submissions", 200, policy.ReadSubmission,
		"List all submissions of a task, newest first", s.listVersions)
	endpoint.Route(s.Server, "GET "+one+"/submissions/timestamps/{timestamp}/document", 200, policy.ReadSubmission,
		"Get the document made of one submission, a PDF", s.documentAt, sendsPDF)
	endpoint.Route(s.Server, "GET "+one+"/submissions/timestamps/{timestamp}/text", 200, policy.ReadSubmission,
		"Get the words of the document made of one submission", s.textAt, endpoint.Costs(endpoint.Readings), noWords)
	endpoint.Route(s.Server, "GET "+one+"/submissions/timestamps/{timestamp}/receipt", 200, policy.ReadSubmission,
		"Get the receipt of one submission", s.receiptAt)
	endpoint.Route(s.Server, "GET /api/projects/{id}/receipts", 200, policy.ReadSubmission,
		"List the receipts of all that was handed in for a project, newest first", s.listReceipts)
}

type taskHistoryIn struct {
	ProjectID    int64 `path:"project_id" scope:"project"`
	DefinitionID int64 `path:"task_definition_id" scope:"definition"`
	paging
}

func (s *Server) taskHistory(ctx context.Context, _ *access.Caller,
	in taskHistoryIn) (endpoint.List[work.HistoryEntry], error) {
	at := work.TaskRef{ProjectID: in.ProjectID, DefinitionID: in.DefinitionID}
	return listed(ctx, s.db, in.paging, func(q db.Q, p db.Page) ([]work.HistoryEntry, int64, error) {
		return work.History(ctx, q, at, p)
	})
}

func (s *Server) listVersions(ctx context.Context, _ *access.Caller,
	in timestampsIn) (endpoint.List[submit.ListedVersion], error) {
	list, err := submit.Versions(ctx, s.db.Pool(), in.ProjectID, in.DefinitionID)
	return short(in.paging, list, err)
}

func (s *Server) documentAt(ctx context.Context, _ *access.Caller, in filesAtIn) (*endpoint.File, error) {
	v, err := submit.VersionAt(ctx, s.db.Pool(), in.ProjectID, in.DefinitionID, in.Timestamp)
	if err != nil {
		return nil, err
	}
	return s.document(ctx, v)
}

// document answers with the document of a version.
func (s *Server) document(ctx context.Context, v *submit.Version) (*endpoint.File, error) {
	hash, err := v.PDF()
	if err != nil {
		return nil, err
	}
	return endpoint.FromStore(ctx, s.files, hash, endpoint.File{Name: v.Name() + ".pdf", Type: "application/pdf",
		Modified: v.At.Time})
}

func (s *Server) receiptAt(ctx context.Context, _ *access.Caller, in filesAtIn) (*submit.Receipt, error) {
	return view(ctx, s.db, func(q db.Q) (*submit.Receipt, error) {
		v, err := submit.VersionAt(ctx, q, in.ProjectID, in.DefinitionID, in.Timestamp)
		if err != nil {
			return nil, err
		}
		return submit.ReceiptOf(ctx, q, v.ID)
	})
}

type receiptsIn struct {
	ID int64 `path:"id" scope:"project"`
	paging
}

func (s *Server) listReceipts(ctx context.Context, _ *access.Caller,
	in receiptsIn) (endpoint.List[submit.ListedReceipt], error) {
	list, err := submit.Receipts(ctx, s.db.Pool(), in.ID)
	return short(in.paging, list, err)
}
