package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/teaching/submit"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
)

// noWords is what a document answers that is only a picture of text.
var noWords = endpoint.Also(422, "no text can be taken out of the document")

func (s *Server) submissionText(ctx context.Context, _ *access.Caller, in taskPath) (*usecase.Text, error) {
	v, err := submit.Readable(ctx, s.db.Pool(), in.ProjectID, in.DefinitionID)
	if err != nil {
		return nil, err
	}
	return s.text(ctx, v)
}

func (s *Server) textAt(ctx context.Context, _ *access.Caller, in filesAtIn) (*usecase.Text, error) {
	v, err := submit.VersionAt(ctx, s.db.Pool(), in.ProjectID, in.DefinitionID, in.Timestamp)
	if err != nil {
		return nil, err
	}
	return s.text(ctx, v)
}

// text answers with the words of the document of a version.
func (s *Server) text(ctx context.Context, v *submit.Version) (*usecase.Text, error) {
	hash, err := v.PDF()
	if err != nil {
		return nil, err
	}
	return s.usecases.DocumentText(ctx, hash)
}
