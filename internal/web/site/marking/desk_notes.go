package marking

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/teaching/note"
	"lectern/internal/web/endpoint"
)

type deskNoteIn struct {
	deskTaskIn
	Text    string `param:"text" text:"lines"`
	Flagged bool   `param:"flagged"`
	Student bool   `param:"student"` // it is about the student at large, not about this task
}

func (s *room) deskNote(ctx context.Context, who *access.Caller, in deskNoteIn) (endpoint.Drawing, error) {
	at, err := in.ref(ctx, s.DB)
	if err != nil {
		return nil, err
	}
	n := note.New{ProjectID: at.ProjectID, Text: in.Text, Flagged: in.Flagged}
	if !in.Student {
		n.DefinitionID = &at.DefinitionID
	}
	if _, err := s.Usecases.AddNote(ctx, who, n); err != nil {
		return s.deskAgain(ctx, who, in.deskTaskIn, typed{Form: "note", Note: in.Text,
			Ticked: ticked(map[string]bool{"flagged": in.Flagged, "student": in.Student})}, err)
	}
	return in.stay(), nil
}
