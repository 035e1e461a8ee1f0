package marking

import (
	"context"
	"net/http"

	"lectern/internal/people/access"
	"lectern/internal/teaching/verdict"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

type deskUndoIn struct {
	deskTaskIn
	Verdict int64 `param:"verdict,required"`
}

// undone is a verdict that was taken back, for a script of ours.
type undone struct {
	deskDone
	*verdict.Undone
}

// Draw implements endpoint.Drawing.
func (v undone) Draw(w http.ResponseWriter, r *http.Request, status int) {
	page.AnswerForm(w, r, status, v.To, v)
}

// deskUndo takes a verdict back and lays its task on the desk again, with the words and
// the levels that came with it in the form.
func (s *room) deskUndo(ctx context.Context, who *access.Caller, in deskUndoIn) (endpoint.Drawing, error) {
	err := verdict.On(ctx, s.DB.Pool(), in.TaskID, in.Verdict)
	if err != nil {
		return nil, err
	}
	got, err := s.Usecases.UndoVerdict(ctx, who, in.Verdict)
	if err != nil {
		return s.deskAgain(ctx, who, in.deskTaskIn, typed{Form: "undo"}, err)
	}
	if got.Comment == "" && got.Rubric == nil || !endpoint.FromForm(ctx) {
		return undone{in.stay(), got}, nil
	}
	p, err := s.desk(ctx, who, in.desk())
	if err != nil {
		return nil, err
	}
	p.Data.(*deskPage).Typed = typed{Comment: got.Comment, picks: got.Rubric}
	return p, nil
}
