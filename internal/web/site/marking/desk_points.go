package marking

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

// pointedIn is a comment that points at the work, as the desk sends several at once.
type pointedIn struct {
	Comment string  `param:"comment" text:"lines"`
	Place   placeIn `param:"place"`
}

// placeIn is where in the work a comment points.
type placeIn struct {
	Submission string              `param:"submission_timestamp"`
	File       params.Opt[int]     `param:"file"`
	Line       params.Opt[int]     `param:"line"`
	EndLine    params.Opt[int]     `param:"end_line"`
	Page       params.Opt[int]     `param:"page"`
	Quote      string              `param:"quote" text:"lines"`
	X          params.Opt[float64] `param:"x"`
	Y          params.Opt[float64] `param:"y"`
}

func (in placeIn) place() usecase.PlaceOn {
	return usecase.PlaceOn{Timestamp: in.Submission, File: in.File.Ptr(), Line: in.Line.Ptr(), EndLine: in.EndLine.Ptr(),
		Page: in.Page.Ptr(), Quote: in.Quote, X: in.X.Ptr(), Y: in.Y.Ptr()}
}

// points are comments that point at the work.
type points struct {
	Points params.JSON[[]pointedIn] `param:"points"`
}

func (in points) pointed() (out []usecase.PointedOn) {
	for _, c := range in.Points.V {
		out = append(out, usecase.PointedOn{Text: c.Comment, Place: c.Place.place()})
	}
	return out
}

// deskTick ticks a comment that points at the work, or opens it again.
func (s *room) deskTick(ctx context.Context, who *access.Caller, in struct {
	deskTaskIn
	ID   int64 `param:"comment_id"`
	Done bool  `param:"done"`
}) (endpoint.Drawing, error) {
	at, err := in.ref(ctx, s.DB)
	if err != nil {
		return nil, err
	}
	_, err = s.Usecases.TickComment(ctx, who, at, in.ID, in.Done)
	return in.stay(), err
}
