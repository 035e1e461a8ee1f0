package student

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/httpserver"
	"lectern/internal/web/site/page"
)

// filesRefused tells a script which files are refused, and why, by the keys of their rows.
type filesRefused struct {
	httpserver.Problem
	Files map[string]string `json:"files"`
}

// Draw implements endpoint.Drawing.
func (f *filesRefused) Draw(w http.ResponseWriter, _ *http.Request, _ int) {
	httpserver.JSON(w, f.Status, f)
}

// retryFiles answers work that was refused: what is about a file stands at its row, in the
// words of the page. The keys of rows are for programs.
func (s *room) retryFiles(ctx context.Context, who *access.Caller, in taskIn, wrong error) (endpoint.Drawing, error) {
	e, ok := errors.AsType[*fault.Error](wrong)
	if !ok || e.Kind == fault.Internal {
		return nil, wrong
	}
	d, err := taskdef.DefinitionByID(ctx, s.DB.Pool(), in.DefinitionID)
	if err != nil {
		return nil, err
	}
	flaws := s.flaws(d.Requirements, e)
	if len(flaws) == 0 {
		return s.retry(ctx, who, in, refused{}, wrong)
	}
	said := &fault.Error{Kind: e.Kind, Text: s.Word("hand-in.refused")}
	if !endpoint.FromForm(ctx) {
		return &filesRefused{httpserver.ProblemOf(said), flaws}, nil
	}
	out, err := s.retry(ctx, who, in, refused{}, said)
	if err != nil {
		return nil, err
	}
	if v := out.(*page.Page).Data.(*taskPage); v.Form != nil {
		v.Form.Flaws = flaws
	}
	return out, nil
}

// flaws says in the words of the page what is wrong with which file, by the key of its row;
// nil where the refusal is about something else.
func (s *room) flaws(asked taskdef.Requirements, e *fault.Error) map[string]string {
	if f, ok := errors.AsType[*usecase.RefusedFile](e); ok {
		return map[string]string{f.Asked.Key: s.flaw(f)}
	}
	out := map[string]string{}
	for _, r := range asked {
		switch _, missing := e.Fields[r.Key]; {
		case missing:
			out[r.Key] = s.Word("hand-in.js.missing")
		case e.Kind == fault.TooLarge && strings.Contains(e.Text, r.Key+" "):
			out[r.Key] = s.Word("hand-in.too-large", s.Usecases.MostFile>>20)
		}
	}
	return out
}

// flaw says what is wrong with the content of a file, as the script does that looks at it first.
func (s *room) flaw(f *usecase.RefusedFile) string {
	switch {
	case f.Apart:
		return f.Why
	case f.Size == 0:
		return s.Word("hand-in.js.empty", f.Name)
	case f.Asked.Zip:
		return s.Word("hand-in.js.text-or-zip", f.Name)
	case f.Asked.Type == taskdef.Code:
		return s.Word("hand-in.js.text", f.Name)
	case f.Asked.Type == taskdef.Image:
		return s.Word("hand-in.js.image", f.Name)
	case f.Asked.Type == taskdef.Document && strings.Contains(f.Why, "incomplete"):
		return s.Word("hand-in.js.cut", f.Name)
	case f.Asked.Type == taskdef.Document:
		return s.Word("hand-in.js.pdf", f.Name)
	}
	return f.Name + ": " + f.Why
}
