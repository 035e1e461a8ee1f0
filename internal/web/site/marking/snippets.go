package marking

import (
	"context"
	"fmt"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/snippet"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

func (s *room) snippetRoutes() {
	const all, one = "/units/{id}/snippets", "/units/{id}/snippets/{snippet_id}"
	kept := endpoint.Unaudited("a text to write faster; what is said with it is kept with the task")
	asks := endpoint.Asks(policy.EditSnippets)
	page.Show(s.Site, all, policy.UseSnippets, "Reusable comments", s.snippets, asks)
	page.Form(s.Site, all, policy.UseSnippets, "Add a reusable comment", s.addSnippet, asks, kept)
	page.Form(s.Site, one+"/change", policy.UseSnippets, "Change a reusable comment", s.changeSnippet, asks, kept)
	page.Form(s.Site, one+"/remove", policy.UseSnippets, "Remove a reusable comment", s.removeSnippet, asks, kept)
}

// snippetsPage is where the staff look after reusable comments.
type snippetsPage struct {
	Unit        *course.Unit
	Path        string
	Own, Shared []snippetRow
	Definitions []taskdef.Definition
	Typed       snippetIn // what was written into a form that was refused
}

// snippetRow is a reusable comment as the page shows it.
type snippetRow struct {
	snippet.Snippet
	Path    string // of its forms
	Task    string // the abbreviation of the task it is for; empty: every task
	MayEdit bool
	Typed   string // the text in its form
}

// snippetIn is a form about a reusable comment.
type snippetIn struct {
	UnitID       int64  `path:"id" scope:"unit"`
	DefinitionID int64  `param:"task_definition_id" scope:"definition,optional"`
	Text         string `param:"text" text:"lines"`
	Shared       bool   `param:"shared"`
	id           int64  // the one that is changed; 0: one is added
}

func (s *room) snippets(ctx context.Context, who *access.Caller, in struct {
	UnitID int64 `path:"id" scope:"unit"`
}) (*page.Page, error) {
	return s.snippetsWith(ctx, who, snippetIn{UnitID: in.UnitID})
}

// snippetsWith draws the page with what was written into one of its forms.
func (s *room) snippetsWith(ctx context.Context, who *access.Caller, in snippetIn) (*page.Page, error) {
	v := &snippetsPage{Path: fmt.Sprintf("/units/%d/snippets", in.UnitID), Typed: in}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Unit, err = course.UnitByID(ctx, q, in.UnitID); err != nil {
			return err
		}
		if v.Definitions, err = taskdef.DefinitionsOf(ctx, q, in.UnitID); err != nil {
			return err
		}
		list, err := snippet.Offer{UserID: who.ID, UnitID: in.UnitID}.List(ctx, q)
		for i := range list {
			v.add(who, &list[i])
		}
		return err
	})
	return s.Page(who, "snippets", v), err
}

// add puts a reusable comment where it belongs.
func (v *snippetsPage) add(who *access.Caller, one *snippet.Snippet) {
	r := snippetRow{Snippet: *one, Path: fmt.Sprintf("%s/%d", v.Path, one.ID), MayEdit: usecase.MayEditSnippet(who, one),
		Typed: one.Text}
	if v.Typed.id == one.ID {
		r.Typed = v.Typed.Text
	}
	for i := range v.Definitions {
		if one.DefinitionID != nil && v.Definitions[i].ID == *one.DefinitionID {
			r.Task = v.Definitions[i].Abbreviation
		}
	}
	if one.Own() {
		v.Own = append(v.Own, r)
		return
	}
	v.Shared = append(v.Shared, r)
}

// Changed tells whether the form of one was refused, so that it stays open.
func (v *snippetsPage) Changed(id int64) bool { return v.Typed.id == id }

// Adding is what was written into the form to add one.
func (v *snippetsPage) Adding() snippetIn {
	if v.Typed.id != 0 {
		return snippetIn{}
	}
	return v.Typed
}

// snippetsDone leads back to the page, or draws it with what was wrong.
func (s *room) snippetsDone(ctx context.Context, who *access.Caller, in snippetIn, err error) (endpoint.Drawing,
	error) {
	if err == nil {
		return endpoint.Redirect{To: fmt.Sprintf("/units/%d/snippets", in.UnitID)}, nil
	}
	p, drawn := s.snippetsWith(ctx, who, in)
	if drawn != nil {
		return nil, drawn
	}
	return s.Again(p, err)
}

func (s *room) addSnippet(ctx context.Context, who *access.Caller, in snippetIn) (endpoint.Drawing, error) {
	n := snippet.New{Text: in.Text}
	if in.Shared {
		n.UnitID = &in.UnitID
	}
	if in.DefinitionID != 0 {
		n.DefinitionID = &in.DefinitionID
	}
	_, err := s.Usecases.AddSnippet(ctx, who, n)
	return s.snippetsDone(ctx, who, in, err)
}

func (s *room) changeSnippet(ctx context.Context, who *access.Caller, in struct {
	UnitID int64  `path:"id" scope:"unit"`
	ID     int64  `path:"snippet_id"`
	Text   string `param:"text" text:"lines"`
}) (endpoint.Drawing, error) {
	typed := snippetIn{UnitID: in.UnitID, Text: in.Text, id: in.ID}
	_, err := s.Usecases.ChangeSnippet(ctx, who, in.ID, in.Text)
	return s.snippetsDone(ctx, who, typed, err)
}

func (s *room) removeSnippet(ctx context.Context, who *access.Caller, in struct {
	UnitID int64 `path:"id" scope:"unit"`
	ID     int64 `path:"snippet_id"`
}) (endpoint.Drawing, error) {
	return s.snippetsDone(ctx, who, snippetIn{UnitID: in.UnitID}, s.Usecases.RemoveSnippet(ctx, who, in.ID))
}
