package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/snippet"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
)

const (
	snippetsPath = "/api/units/{id}/snippets"
	snippetPath  = "/api/snippets/{id}"
)

func (s *Server) snippetRoutes() {
	kept := endpoint.Unaudited("a text to write faster; what is said with it is kept with the task")
	asks := endpoint.Asks(policy.UseSnippets, policy.EditSnippets)
	refused := endpoint.Also(403, "it is a unit's, and the caller neither wrote it nor convenes the unit")
	endpoint.Route(s.Server, "GET "+snippetsPath, 200, policy.UseSnippets, "List the reusable comments you are offered "+
		"in a unit: your own first, then those of the unit, each by how often they were used", s.listSnippets)
	endpoint.Route(s.Server, "POST "+snippetsPath, 201, policy.UseSnippets, "Add a reusable comment: your own, for all "+
		"units, or one of the unit", s.addSnippet, kept, endpoint.Location("/api/snippets/{.id}"))
	endpoint.Route(s.Server, "GET "+snippetPath, 200, policy.SignedIn, "Get a reusable comment", s.getSnippet,
		endpoint.Asks(policy.UseSnippets), endpoint.Also(403, "it is of a unit that the caller does not teach"))
	endpoint.Route(s.Server, "PUT "+snippetPath, 200, policy.SignedIn, "Change a reusable comment: your own, one of a "+
		"unit that you wrote, or as a convenor any of the unit", s.changeSnippet, kept, asks, refused)
	endpoint.Route(s.Server, "DELETE "+snippetPath, 204, policy.SignedIn, "Remove a reusable comment: your own, one of "+
		"a unit that you wrote, or as a convenor any of the unit", s.removeSnippet, kept, asks, refused)
}

type listSnippetsIn struct {
	UnitID       int64  `path:"id" scope:"unit"`
	DefinitionID int64  `param:"task_definition_id" scope:"definition,optional" doc:"for this task or for every"`
	Prefix       string `param:"prefix" doc:"those that begin with it, in small letters or capitals"`
	paging
}

func (s *Server) listSnippets(ctx context.Context, who *access.Caller,
	in listSnippetsIn) (endpoint.List[snippet.Snippet], error) {
	o := snippet.Offer{UserID: who.ID, UnitID: in.UnitID, DefinitionID: in.DefinitionID, Prefix: in.Prefix}
	list, err := o.List(ctx, s.db.Pool())
	return short(in.paging, list, err)
}

type addSnippetIn struct {
	UnitID       int64  `path:"id" scope:"unit"`
	DefinitionID int64  `param:"task_definition_id" scope:"definition,optional" doc:"for this task only"`
	Text         string `param:"text,required" text:"lines" doc:"at most 4095 characters"`
	Shared       bool   `param:"shared" doc:"it is the unit's; your own without it"`
}

func (s *Server) addSnippet(ctx context.Context, who *access.Caller, in addSnippetIn) (*snippet.Snippet, error) {
	n := snippet.New{Text: in.Text}
	if in.Shared {
		n.UnitID = &in.UnitID
	}
	if in.DefinitionID != 0 {
		n.DefinitionID = &in.DefinitionID
	}
	return s.usecases.AddSnippet(ctx, who, n)
}

func (s *Server) getSnippet(ctx context.Context, who *access.Caller, in byID) (*snippet.Snippet, error) {
	return view(ctx, s.db, func(q db.Q) (*snippet.Snippet, error) { return usecase.SnippetByID(ctx, q, who, in.ID) })
}

type changeSnippetIn struct {
	ID   int64  `path:"id"`
	Text string `param:"text,required" text:"lines" doc:"at most 4095 characters"`
}

func (s *Server) changeSnippet(ctx context.Context, who *access.Caller, in changeSnippetIn) (*snippet.Snippet, error) {
	return s.usecases.ChangeSnippet(ctx, who, in.ID, in.Text)
}

func (s *Server) removeSnippet(ctx context.Context, who *access.Caller, in byID) (endpoint.NoContent, error) {
	return endpoint.NoContent{}, s.usecases.RemoveSnippet(ctx, who, in.ID)
}
