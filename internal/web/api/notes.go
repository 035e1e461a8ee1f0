package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/teaching/note"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

const (
	notesPath     = "/api/projects/{id}/notes"
	staffNotePath = "/api/notes/{id}"
)

func (s *Server) noteRoutes() {
	asks := endpoint.Asks(policy.EditNotes)
	endpoint.Route(s.Server, "GET "+notesPath, 200, policy.TakeNotes, "List the staff's notes on a student, newest "+
		"first; the student does not see them", s.listNotes)
	endpoint.Route(s.Server, "POST "+notesPath, 201, policy.TakeNotes, "Add a note on a student, for the staff only; "+
		"the same again within a minute is the first", s.addNote, endpoint.Audited(audit.Note),
		endpoint.Location("/api/notes/{.id}"))
	endpoint.Route(s.Server, "GET "+staffNotePath, 200, policy.TakeNotes, "Get a note on a student", s.getNote)
	endpoint.Route(s.Server, "PUT "+staffNotePath, 200, policy.TakeNotes, "Change a note: your own, or as a convenor "+
		"any of the unit", s.changeNote, endpoint.Audited(audit.Note), asks)
	endpoint.Route(s.Server, "DELETE "+staffNotePath, 204, policy.TakeNotes, "Delete a note: your own, or as a "+
		"convenor any of the unit", s.deleteNote, endpoint.Audited(audit.Note), asks)
}

type listNotesIn struct {
	ProjectID    int64 `path:"id" scope:"project"`
	DefinitionID int64 `param:"task_definition_id" scope:"definition,optional" doc:"on this task or at large"`
	paging
}

func (s *Server) listNotes(ctx context.Context, _ *access.Caller, in listNotesIn) (endpoint.List[note.Note], error) {
	list, err := note.Of(ctx, s.db.Pool(), in.ProjectID, in.DefinitionID)
	return short(in.paging, list, err)
}

type addNoteIn struct {
	ProjectID    int64  `path:"id" scope:"project"`
	DefinitionID int64  `param:"task_definition_id" scope:"definition,optional" doc:"on this task"`
	Text         string `param:"text,required" text:"lines" doc:"at most 4095 characters"`
	Flagged      bool   `param:"flagged" doc:"somebody should have a second look"`
}

func (s *Server) addNote(ctx context.Context, who *access.Caller, in addNoteIn) (*note.Note, error) {
	n := note.New{ProjectID: in.ProjectID, Text: in.Text, Flagged: in.Flagged}
	if in.DefinitionID != 0 {
		n.DefinitionID = &in.DefinitionID
	}
	return s.usecases.AddNote(ctx, who, n)
}

type noteIn struct {
	ID int64 `path:"id" scope:"note"`
}

func (s *Server) getNote(ctx context.Context, _ *access.Caller, in noteIn) (*note.Note, error) {
	return note.ByID(ctx, s.db.Pool(), in.ID)
}

type changeNoteIn struct {
	noteIn
	Text    params.Opt[string] `param:"text" text:"lines" doc:"at most 4095 characters"`
	Flagged params.Opt[bool]   `param:"flagged" doc:"somebody should have a second look"`
}

func (s *Server) changeNote(ctx context.Context, who *access.Caller, in changeNoteIn) (*note.Note, error) {
	return s.usecases.ChangeNote(ctx, who, in.ID, note.Change{Text: in.Text.Ptr(), Flagged: in.Flagged.Ptr()})
}

func (s *Server) deleteNote(ctx context.Context, who *access.Caller, in noteIn) (endpoint.NoContent, error) {
	return endpoint.NoContent{}, s.usecases.DeleteNote(ctx, who, in.ID)
}
