package site

import (
	"context"
	"net/http"

	"lectern/internal/people/access"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/note"
	"lectern/internal/teaching/presence"
	"lectern/internal/teaching/work"
	"lectern/internal/web/endpoint"
)

type deskNoteIn struct {
	deskTaskIn
	Text    string `param:"text" text:"lines"`
	Flagged bool   `param:"flagged"`
	Student bool   `param:"student"` // it is about the student at large, not about this task
}

func (s *Server) deskNote(ctx context.Context, who *access.Caller, in deskNoteIn) (endpoint.Drawing, error) {
	err := s.DB.Brief(ctx, func(q db.Q) error {
		t, err := work.TaskForMarker(ctx, q, in.TaskID, who.ID)
		if err != nil {
			return err
		}
		n := note.New{ProjectID: t.ProjectID, UserID: who.ID, Text: in.Text, Flagged: in.Flagged}
		if !in.Student {
			n.DefinitionID = &t.DefinitionID
		}
		_, err = note.Add(ctx, q, n)
		return err
	})
	if err != nil {
		return s.deskAgain(ctx, who, in.deskTaskIn, typed{Form: "note", Note: in.Text,
			Ticked: ticked(map[string]bool{"flagged": in.Flagged, "student": in.Student})}, err)
	}
	return in.stay(), nil
}

// lookers is who else looks at a task, for the script that asks again and again.
type lookers struct {
	Others []presence.Looker `json:"others"`
	to     string
}

// Draw implements endpoint.Drawing.
func (v lookers) Draw(w http.ResponseWriter, r *http.Request, status int) {
	answerForm(w, r, status, v.to, v)
}

type deskPresenceIn struct {
	deskTaskIn
	Left bool `param:"left"`
}

// deskPresence notes that the caller looks at a task, or no longer does, and tells who
// else does.
func (s *Server) deskPresence(ctx context.Context, who *access.Caller, in deskPresenceIn) (endpoint.Drawing, error) {
	out := lookers{Others: []presence.Looker{}, to: in.stay().To}
	err := s.DB.Brief(ctx, func(q db.Q) error {
		t, err := work.TaskForMarker(ctx, q, in.TaskID, who.ID)
		if err != nil {
			return err
		}
		at := presence.Task{ProjectID: t.ProjectID, DefinitionID: t.DefinitionID}
		if in.Left {
			return presence.Leave(ctx, q, who.ID, at)
		}
		if err := presence.Look(ctx, q, who.ID, at); err != nil {
			return err
		}
		out.Others, err = presence.Others(ctx, q, who.ID, at)
		return err
	})
	return out, err
}
