package api

import (
	"context"

	"lectern/internal/ground/opt"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/snippet"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

const (
	snippetsPath = "/api/units/{id}/snippets"
	snippetPath  = "/api/snippets/{id}"
)

func (s *Server) snippetRoutes() {
	kept := endpoint.Unaudited("a text to write faster; what is said with it is kept with the task")
	asks := endpoint.Asks(policy.UseSnippets, policy.EditSnippets)
	level := endpoint.Also(422, "the rubric that the task is marked by now does not have the level")
	refused := endpoint.Also(403, "it is a unit's, and the caller neither wrote it nor convenes the unit")
	endpoint.Route(s.Server, "GET "+snippetsPath, 200, policy.UseSnippets, "List the reusable comments you are offered "+
		"in a unit: your own first, then those of the unit, each by how often they were used", s.listSnippets)
	endpoint.Route(s.Server, "POST "+snippetsPath, 201, policy.UseSnippets, "Add a reusable comment: your own, for all "+
		"units, or one of the unit", s.addSnippet, kept, level, endpoint.Location("/api/snippets/{.id}"))
	endpoint.Route(s.Server, "GET "+snippetPath, 200, policy.SignedIn, "Get a reusable comment", s.getSnippet,
		endpoint.Asks(policy.UseSnippets), endpoint.Also(403, "it is of a unit that the caller does not teach"))
	endpoint.Route(s.Server, "PUT "+snippetPath, 200, policy.SignedIn, "Change a reusable comment: your own, one of a "+
		"unit that you wrote, or as a convenor any of the unit", s.changeSnippet, kept, asks, refused, level)
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
	LevelID      int64  `param:"level_id" doc:"for this level of the task's rubric, of those it is marked by now"`
	Text         string `param:"text,required" text:"lines" doc:"at most 4095 characters"`
	Shared       bool   `param:"shared" doc:"it is the unit's; your own without it"`
}

func (s *Server) addSnippet(ctx context.Context, who *access.Caller, in addSnippetIn) (*snippet.Snippet, error) {
	n := snippet.New{Text: in.Text, DefinitionID: opt.NonZero(in.DefinitionID), LevelID: opt.NonZero(in.LevelID)}
	if in.Shared {
		n.UnitID = &in.UnitID
	}
	return s.usecases.AddSnippet(ctx, who, n)
}

func (s *Server) getSnippet(ctx context.Context, who *access.Caller, in byID) (*snippet.Snippet, error) {
	return view(ctx, s.db, func(q db.Q) (*snippet.Snippet, error) { return usecase.SnippetByID(ctx, q, who, in.ID) })
}

type changeSnippetIn struct {
	ID           int64             `path:"id"`
	DefinitionID params.Opt[int64] `param:"task_definition_id" doc:"the task it is for, where you may use it; null: every task; absent: it stays"`
	LevelID      params.Opt[int64] `param:"level_id" doc:"the level of the task's rubric it is for; null: none; absent: it stays while the task does"`
	Text         string            `param:"text,required" text:"lines" doc:"at most 4095 characters"`
}

// change is what it asks for.
func (in changeSnippetIn) change() usecase.SnippetChange {
	c := usecase.SnippetChange{Text: in.Text}
	if in.DefinitionID.Set {
		c.DefinitionID = new(in.DefinitionID.Or(0))
	}
	if in.LevelID.Set {
		c.LevelID = new(in.LevelID.Or(0))
	}
	return c
}

func (s *Server) changeSnippet(ctx context.Context, who *access.Caller, in changeSnippetIn) (*snippet.Snippet, error) {
	return s.usecases.ChangeSnippet(ctx, who, in.ID, in.change())
}

func (s *Server) removeSnippet(ctx context.Context, who *access.Caller, in byID) (endpoint.NoContent, error) {
	return endpoint.NoContent{}, s.usecases.RemoveSnippet(ctx, who, in.ID)
}
