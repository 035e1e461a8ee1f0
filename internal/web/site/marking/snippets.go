package marking

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"lectern/internal/ground/opt"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
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
	snippetsIn
	Unit        *course.Unit
	Path        string
	Rows        []snippetRow // that the filter lets through, the reader's own first
	Own, Shared int          // how many there are in all
	Definitions []taskdef.Definition
	For         *snippetFor // what the form that is open is for; nil: none is
	Typed       snippetIn   // what was written into a form that was refused
	words       language
}

// snippetsIn says which are shown, and which of them is being changed.
type snippetsIn struct {
	UnitID int64  `path:"id" scope:"unit"`
	Text   string `param:"text"`  // only those with these words
	Whose  string `param:"whose"` // own or shared: only these
	Edit   int64  `param:"edit"`  // the one that is being changed
	New    bool   `param:"new"`   // one is being written
}

// snippetRow is a reusable comment as the page shows it.
type snippetRow struct {
	snippet.Snippet
	Path    string // of its forms
	Task    string // the abbreviation of the task it is for; empty: every task
	MayEdit bool
	Editing bool   // its text stands in a form
	Typed   string // the text in its form
}

// snippetIn is a form about a reusable comment.
type snippetIn struct {
	UnitID       int64  `path:"id" scope:"unit"`
	DefinitionID int64  `param:"task_definition_id" scope:"definition,optional"`
	LevelID      int64  `param:"level_id"`
	LevelOf      int64  `param:"level_of"` // the task whose levels could be chosen
	Levels       bool   `param:"levels"`   // nothing is saved yet: those of the task are to be shown
	Text         string `param:"text" text:"lines"`
	Shared       bool   `param:"shared"`
	id           int64  // the one that is changed; 0: one is added
}

func (s *room) snippets(ctx context.Context, who *access.Caller, in snippetsIn) (*page.Page, error) {
	return s.snippetsWith(ctx, who, in, snippetIn{})
}

// snippetsWith draws the page with what was written into one of its forms.
func (s *room) snippetsWith(ctx context.Context, who *access.Caller, in snippetsIn, typed snippetIn) (
	*page.Page, error) {
	v := &snippetsPage{snippetsIn: in, Path: fmt.Sprintf("/units/%d/snippets", in.UnitID), Typed: typed, words: s.words}
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
		if err != nil {
			return err
		}
		return v.open(ctx, q)
	})
	return s.Page(who, "snippets", v), err
}

// add counts a reusable comment, and shows it where the filter lets it through.
func (v *snippetsPage) add(who *access.Caller, one *snippet.Snippet) {
	if one.Own() {
		v.Own++
	} else {
		v.Shared++
	}
	r := snippetRow{Snippet: *one, Path: fmt.Sprintf("%s/%d", v.Path, one.ID), MayEdit: usecase.MayEditSnippet(who, one),
		Typed: one.Text}
	if r.Editing = r.MayEdit && v.Edit == one.ID; v.Typed.id == one.ID {
		r.Typed = v.Typed.Text
	}
	for i := range v.Definitions {
		if one.DefinitionID != nil && v.Definitions[i].ID == *one.DefinitionID {
			r.Task = v.Definitions[i].Abbreviation
		}
	}
	if r.Editing || v.shows(&r) {
		v.Rows = append(v.Rows, r)
	}
}

// shows tells whether the filter lets a reusable comment through.
func (v *snippetsPage) shows(r *snippetRow) bool {
	if v.Whose == "own" && !r.Own() || v.Whose == "shared" && r.Own() {
		return false
	}
	text := ident.Plain(r.Text + " " + r.Task)
	if r.Level != nil {
		text += " " + ident.Plain(r.Level.Criterion+" "+r.Level.Name)
	}
	for _, word := range strings.Fields(ident.Plain(v.Text)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// Any tells whether there is one at all.
func (v *snippetsPage) Any() bool { return v.Own+v.Shared > 0 }

// Narrow tells whether the rows are a part of all.
func (v *snippetsPage) Narrow() bool { return v.Whose != "" || strings.TrimSpace(v.Text) != "" }

// Kept is what a search keeps of the filter.
func (v *snippetsPage) Kept() url.Values { return given(url.Values{"whose": {v.Whose}}) }

// filtered is the address of the page with some filter, and one that is being changed.
func (v *snippetsPage) filtered(whose string, edit int64) string {
	q := given(url.Values{"whose": {whose}, "text": {v.Text}})
	if edit != 0 {
		q.Set("edit", strconv.FormatInt(edit, 10))
	}
	return withQuery(v.Path, q)
}

// List is the address of the list as it is, without a form.
func (v *snippetsPage) List() string { return v.filtered(v.Whose, 0) }

// EditAt is the address of the same list with the form of one.
func (v *snippetsPage) EditAt(id int64) string {
	return fmt.Sprintf("%s#comment-%d", v.filtered(v.Whose, id), id)
}

// Chips narrow the list to whose they are, or lead from these to all.
func (v *snippetsPage) Chips() []map[string]any {
	chip := func(whose, words string, count int) map[string]any {
		on, to := v.Whose == whose, whose
		if on {
			to = ""
		}
		return map[string]any{"Text": words, "Href": v.filtered(to, 0), "Count": count, "On": on}
	}
	return []map[string]any{chip("own", v.words.Word("snippets.own"), v.Own),
		chip("shared", v.words.Word("snippets.shared"), v.Shared)}
}

// snippetsDone leads back to the page, or draws it with what was wrong.
func (s *room) snippetsDone(ctx context.Context, who *access.Caller, in snippetIn, err error) (endpoint.Drawing,
	error) {
	if err == nil {
		return endpoint.Redirect{To: fmt.Sprintf("/units/%d/snippets", in.UnitID)}, nil
	}
	p, drawn := s.snippetsWith(ctx, who, in.page(), in)
	if drawn != nil {
		return nil, drawn
	}
	return s.Again(p, err)
}

func (s *room) addSnippet(ctx context.Context, who *access.Caller, in snippetIn) (endpoint.Drawing, error) {
	if in.choosing() {
		return s.chooseLevel(ctx, who, in)
	}
	n := snippet.New{Text: in.Text, DefinitionID: opt.NonZero(in.DefinitionID), LevelID: opt.NonZero(in.LevelID)}
	if in.Shared {
		n.UnitID = &in.UnitID
	}
	_, err := s.Usecases.AddSnippet(ctx, who, n)
	return s.snippetsDone(ctx, who, in, err)
}

func (s *room) changeSnippet(ctx context.Context, who *access.Caller, in struct {
	ID int64 `path:"snippet_id"`
	snippetIn
}) (endpoint.Drawing, error) {
	typed := in.snippetIn
	typed.id = in.ID
	if typed.choosing() {
		return s.chooseLevel(ctx, who, typed)
	}
	_, err := s.Usecases.ChangeSnippet(ctx, who, in.ID, usecase.SnippetChange{Text: in.Text,
		DefinitionID: &in.DefinitionID, LevelID: &in.LevelID})
	return s.snippetsDone(ctx, who, typed, err)
}

func (s *room) removeSnippet(ctx context.Context, who *access.Caller, in struct {
	UnitID int64 `path:"id" scope:"unit"`
	ID     int64 `path:"snippet_id"`
}) (endpoint.Drawing, error) {
	return s.snippetsDone(ctx, who, snippetIn{UnitID: in.UnitID, id: in.ID}, s.Usecases.RemoveSnippet(ctx, who, in.ID))
}
