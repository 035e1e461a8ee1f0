package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/queue"
	"lectern/internal/teaching/work"
	"lectern/internal/web/endpoint"
)

func (s *Server) inboxRoutes() {
	endpoint.Route(s.Server, "GET /api/units/{id}/tasks/inbox", 200, policy.GiveFeedback,
		"List what waits for the caller: work to mark, pinned tasks, new comments", s.inbox, endpoint.Polled())
	endpoint.Route(s.Server, "GET /api/units/{id}/feedback", 200, policy.GiveFeedback,
		"List the tasks that await feedback", s.awaitFeedback)
	endpoint.Route(s.Server, "POST /api/tasks/{id}/pin", 201, policy.PinTask, "Pin a task to the top of the caller's "+
		"inbox", s.pinTask,
		endpoint.Unaudited("a mark for oneself"))
	endpoint.Route(s.Server, "DELETE /api/tasks/{id}/pin", 204, policy.PinTask, "Take the caller's pin off a task",
		s.unpinTask,
		endpoint.Unaudited("a mark for oneself"))
}

type inboxIn struct {
	UnitID int64 `path:"id" scope:"unit"`
	Mine   bool  `param:"mine" doc:"only the students of the caller's tutorials, their own or handed to them"`
	paging
}

func (s *Server) inbox(ctx context.Context, who *access.Caller, in inboxIn) (endpoint.List[queue.InboxTask], error) {
	return s.waiting(ctx, in, queue.Inbox{UnitID: in.UnitID, CallerID: who.ID, Mine: in.Mine, Inbox: true})
}

func (s *Server) awaitFeedback(ctx context.Context, who *access.Caller, in inboxIn) (endpoint.List[queue.InboxTask],
	error) {
	return s.waiting(ctx, in, queue.Inbox{UnitID: in.UnitID, CallerID: who.ID, Mine: in.Mine})
}

func (s *Server) waiting(ctx context.Context, in inboxIn, w queue.Inbox) (endpoint.List[queue.InboxTask], error) {
	return listed(ctx, s.db, in.paging, func(q db.Q, p db.Page) ([]queue.InboxTask, int64, error) {
		w.Page = p
		return w.Tasks(ctx, q)
	})
}

type pinIn struct {
	TaskID int64 `path:"id" scope:"task"`
}

// pinned is a pin with a sentence about it.
type pinned struct {
	Message string `json:"message"`
	work.Pin
}

func (s *Server) pinTask(ctx context.Context, who *access.Caller, in pinIn) (*pinned, error) {
	p, err := s.usecases.PinTask(ctx, who, in.TaskID)
	return &pinned{"The task is pinned.", p}, err
}

func (s *Server) unpinTask(ctx context.Context, who *access.Caller, in pinIn) (endpoint.NoContent, error) {
	return endpoint.NoContent{}, s.usecases.UnpinTask(ctx, who, in.TaskID)
}
