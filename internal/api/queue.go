package api

import (
	"context"

	"lectern/internal/access"
	"lectern/internal/api/endpoint"
	"lectern/internal/db"
	"lectern/internal/fault"
	"lectern/internal/policy"
	"lectern/internal/status"
	"lectern/internal/usecase"
	"lectern/internal/work"
)

func (s *Server) queueRoutes() {
	endpoint.Route(s.Server, "GET /api/units/{id}/queue", 200, policy.GiveFeedback,
		"List what waits for the caller with the names of students and tasks, filtered and in order", s.queue)
	endpoint.Route(s.Server, "GET /api/units/{id}/queue/counts", 200, policy.GiveFeedback,
		"Count what waits for the caller by task", s.queueCounts)
}

// queueFilter is what the queue is narrowed to.
type queueFilter struct {
	UnitID     int64         `path:"id" scope:"unit"`
	Mine       bool          `param:"mine" doc:"only the students of the caller's own tutorials"`
	TutorialID int64         `param:"tutorial_id" doc:"only the students of this tutorial"`
	Status     status.Status `param:"status" doc:"only tasks at this status"`
	Text       string        `param:"text" doc:"words that are all in the student's names, or all in the task's"`
}

func (in queueFilter) queue(who *access.Caller) (work.Queue, error) {
	w := work.Queue{UnitID: in.UnitID, CallerID: who.ID, Mine: in.Mine, TutorialID: in.TutorialID,
		Text: in.Text}
	if in.Status == "" {
		return w, nil
	}
	known := false
	if w.Status, known = status.Parse(string(in.Status)); !known {
		return w, fault.Field(fault.Invalid, "status", "is none that tasks have")
	}
	return w, nil
}

type queueIn struct {
	queueFilter
	DefinitionID int64  `param:"task_definition_id" doc:"only this task"`
	Sort         string `param:"sort" enum:"waiting,task,student" doc:"the longest wait first without it"`
	paging
}

func (s *Server) queue(ctx context.Context, who *access.Caller, in queueIn) (endpoint.List[usecase.QueueRow], error) {
	w, err := in.queue(who)
	if err != nil {
		return endpoint.List[usecase.QueueRow]{}, err
	}
	return listed(ctx, s.db, in.paging, func(q db.Q, p db.Page) ([]usecase.QueueRow, int64, error) {
		w.DefinitionID, w.Sort, w.Page = in.DefinitionID, work.Sort(in.Sort), p
		return usecase.QueueOf(ctx, q, w)
	})
}

type queueCountsIn struct {
	queueFilter
	paging
}

func (s *Server) queueCounts(ctx context.Context, who *access.Caller, in queueCountsIn) (
	endpoint.List[work.TaskCount], error) {
	w, err := in.queue(who)
	if err != nil {
		return endpoint.List[work.TaskCount]{}, err
	}
	list, err := view(ctx, s.db, func(q db.Q) ([]work.TaskCount, error) { return w.Counts(ctx, q) })
	return short(in.paging, list, err)
}
