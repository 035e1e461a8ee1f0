package site

import (
	"context"
	"strings"

	"lectern/internal/people/access"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/snippet"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
)

type keepIn struct {
	deskTaskIn
	Text    string `param:"text" text:"lines"`
	Shared  bool   `param:"shared"`
	ForTask bool   `param:"for_task"`
}

// keepSnippet keeps a comment to be used again.
func (s *Server) keepSnippet(ctx context.Context, who *access.Caller, in keepIn) (endpoint.Drawing, error) {
	err := s.DB.Brief(ctx, func(q db.Q) error {
		t, err := work.TaskForMarker(ctx, q, in.TaskID, who.ID)
		if err != nil {
			return err
		}
		n := snippet.New{UserID: who.ID, Text: in.Text}
		if in.Shared {
			n.UnitID = &in.UnitID
		}
		if in.ForTask {
			n.DefinitionID = &t.DefinitionID
		}
		_, err = snippet.Add(ctx, q, n)
		return err
	})
	if err != nil {
		return s.deskAgain(ctx, who, in.deskTaskIn, typed{Form: "snippets", Snippet: in.Text,
			Ticked: ticked(map[string]bool{"shared": in.Shared, "for_task": in.ForTask})}, err)
	}
	return in.stay(), nil
}

// withSnippet is a comment with the reusable one that was chosen behind it, as a browser
// without script sends them; 0 is none.
func withSnippet(ctx context.Context, q db.Q, who *access.Caller, comment string, id int64) (string, error) {
	if id == 0 {
		return comment, nil
	}
	one, err := usecase.SnippetByID(ctx, q, who, id)
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(comment + "\n" + one.Text), nil
}

// countSnippets notes which reusable comments stand in what was said on a task, so that
// they are offered first. What is said stays said where this fails.
func (s *Server) countSnippets(ctx context.Context, who *access.Caller, t *work.MarkedTask, unitID int64, said string) {
	if said == "" {
		return
	}
	err := s.DB.Brief(ctx, func(q db.Q) error {
		list, err := snippet.Offer{UserID: who.ID, UnitID: unitID, DefinitionID: t.DefinitionID,
			Limit: mostSnippets}.List(ctx, q)
		if err != nil {
			return err
		}
		var used []int64
		for i := range list {
			if strings.Contains(said, list[i].Text) {
				used = append(used, list[i].ID)
			}
		}
		return snippet.Used(ctx, q, who.ID, unitID, t.DefinitionID, used)
	})
	if err != nil {
		s.HTTP.Log.ErrorContext(ctx, "the use of reusable comments is not counted", "err", err)
	}
}
