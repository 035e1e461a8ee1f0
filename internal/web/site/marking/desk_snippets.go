package marking

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/teaching/snippet"
	"lectern/internal/web/endpoint"
)

type keepIn struct {
	deskTaskIn
	Text    string `param:"text" text:"lines"`
	Shared  bool   `param:"shared"`
	ForTask bool   `param:"for_task"`
}

// keepSnippet keeps a comment to be used again.
func (s *room) keepSnippet(ctx context.Context, who *access.Caller, in keepIn) (endpoint.Drawing, error) {
	at, err := in.ref(ctx, s.DB)
	if err != nil {
		return nil, err
	}
	n := snippet.New{Text: in.Text}
	if in.Shared {
		n.UnitID = &in.UnitID
	}
	if in.ForTask {
		n.DefinitionID = &at.DefinitionID
	}
	if _, err := s.Usecases.AddSnippet(ctx, who, n); err != nil {
		return s.deskAgain(ctx, who, in.deskTaskIn, typed{Form: "snippets", Snippet: in.Text,
			Ticked: ticked(map[string]bool{"shared": in.Shared, "for_task": in.ForTask})}, err)
	}
	return in.stay(), nil
}
