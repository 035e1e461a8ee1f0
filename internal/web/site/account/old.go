package account

import (
	"context"

	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
)

// oldRoutes are where the script goes that reads old addresses, for what an address of
// today says otherwise.
func (s *room) oldRoutes() {
	endpoint.Route(s.Server, "GET "+profile+"/letters", 303, policy.SignedIn, "The choice of emails",
		func(context.Context, *access.Caller, struct{}) (endpoint.Redirect, error) {
			return endpoint.Redirect{To: emailTab.path + "#letters"}, nil
		})
	endpoint.Route(s.Server, "GET "+links.Project+"/task", 303, policy.ReadProject, "Find a task by its abbreviation",
		s.findTask)
}

// findTask leads to the task of an abbreviation, and to the project where it has none.
func (s *room) findTask(ctx context.Context, _ *access.Caller, in struct {
	ID           int64  `path:"id" scope:"project"`
	Abbreviation string `param:"abbreviation" text:"any"`
}) (endpoint.Redirect, error) {
	var id int64
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		id, err = usecase.TaskByAbbreviation(ctx, q, in.ID, in.Abbreviation)
		return err
	})
	if id == 0 {
		return endpoint.Redirect{To: links.To(links.Project, in.ID)}, err
	}
	return endpoint.Redirect{To: links.To(links.Task, in.ID, id)}, err
}
