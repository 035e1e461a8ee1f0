package marking

import (
	"context"
	"fmt"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/enrol"
	"lectern/internal/teaching/note"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/signin"
	"lectern/internal/web/site/page"
)

func (s *room) noteRoutes() {
	const all, one = "/units/{id}/students/{project_id}/notes", "/units/{id}/notes/{note_id}"
	asks := endpoint.Asks(policy.EditNotes, policy.ListStudents)
	audited := endpoint.Audited(audit.Note)
	page.Show(s.Site, all, policy.TakeNotes, "Notes of the staff on a student", s.notes, asks)
	page.Form(s.Site, all, policy.TakeNotes, "Add a note on a student", s.addNote, asks, audited)
	page.Form(s.Site, one+"/change", policy.TakeNotes, "Change a note on a student", s.changeNote, asks, audited)
	page.Form(s.Site, one+"/delete", policy.TakeNotes, "Delete a note on a student", s.deleteNote, asks, audited)
}

// noteList is what the part "notes" shows: the notes on a student and the forms to
// write them. A page that includes it reads it with notesOn.
type noteList struct {
	Path        string // of the form to add one
	Back        string // where all its forms lead
	Notes       []noteRow
	Definitions []taskdef.Definition // what a new one may be about; none: it is about About
	About       int64                // the definition of the task that is shown; 0: there is none
	Typed       noteIn               // what was written into a form that was refused
}

// noteRow is a note as the part shows it.
type noteRow struct {
	note.Note
	Path    string // of its forms
	Task    string // the abbreviation of the task it is about; empty: the student at large
	MayEdit bool
	Written string // the text in its form
	Open    bool   // its form was refused
}

// noteIn is a form about a note.
type noteIn struct {
	DefinitionID int64  `param:"task_definition_id" scope:"definition,optional"`
	Text         string `param:"text" text:"lines"`
	Flagged      bool   `param:"flagged"`
	Back         string `param:"back"`
	id           int64  // the one that is changed; 0: one is added
}

// notesOn reads the notes on a student: with a definition those on that task and at
// large. Who must be resolved on the project and hold the right to take notes.
func notesOn(ctx context.Context, q db.Q, who *access.Caller, definitionID int64, back string) (*noteList, error) {
	path := fmt.Sprintf("/units/%d/students/%d/notes", who.UnitID, who.ProjectID)
	v := &noteList{Path: path, Back: back, About: definitionID}
	definitions, err := taskdef.DefinitionsOf(ctx, q, who.UnitID)
	if err != nil {
		return nil, err
	}
	if definitionID == 0 {
		v.Definitions = definitions
	}
	list, err := note.Of(ctx, q, who.ProjectID, definitionID)
	for _, n := range list {
		r := noteRow{Note: n, Path: fmt.Sprintf("/units/%d/notes/%d", who.UnitID, n.ID), Written: n.Text,
			MayEdit: usecase.MayEditNote(who, &n)}
		for i := range definitions {
			if n.DefinitionID != nil && definitions[i].ID == *n.DefinitionID {
				r.Task = definitions[i].Abbreviation
			}
		}
		v.Notes = append(v.Notes, r)
	}
	return v, err
}

// refused puts what somebody wrote back into the form.
func (v *noteList) refused(in noteIn) {
	v.Typed, v.Back = in, in.Back
	for i := range v.Notes {
		if v.Notes[i].ID == in.id {
			v.Notes[i].Open, v.Notes[i].Written, v.Typed = true, in.Text, noteIn{}
		}
	}
}

// notesPage is the page of the notes alone.
type notesPage struct {
	Project *enrol.ProjectDetail
	List    *noteList
}

// notesIn names the student.
type notesIn struct {
	UnitID    int64 `path:"id" scope:"unit"`
	ProjectID int64 `path:"project_id" scope:"project"`
}

func (s *room) notes(ctx context.Context, who *access.Caller, _ notesIn) (*page.Page, error) {
	v := &notesPage{}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Project, err = usecase.ProjectRecord(ctx, q, who, who.ProjectID); err == nil {
			v.List, err = notesOn(ctx, q, who, 0, "")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	v.List.Back = v.List.Path
	title := s.Word("notes.title")
	if p := v.Project.ForStaff; p != nil {
		title = s.Word("notes.on", p.FirstName+" "+p.LastName)
	}
	return s.Titled(who, "notes", title, v), nil
}

// notesDone leads back to where the form stood, or draws the page of the notes with
// what was wrong.
func (s *room) notesDone(ctx context.Context, who *access.Caller, in noteIn, err error) (endpoint.Drawing, error) {
	if err == nil {
		return page.Onward{To: signin.Inside(in.Back)}, nil
	}
	p, drawn := s.notes(ctx, who, notesIn{})
	if drawn != nil {
		return nil, drawn
	}
	p.Data.(*notesPage).List.refused(in)
	return s.Again(p, err)
}

func (s *room) addNote(ctx context.Context, who *access.Caller, in struct {
	notesIn
	noteIn
}) (endpoint.Drawing, error) {
	n := note.New{ProjectID: in.ProjectID, Text: in.Text, Flagged: in.Flagged}
	if in.DefinitionID != 0 {
		n.DefinitionID = &in.DefinitionID
	}
	_, err := s.Usecases.AddNote(ctx, who, n)
	return s.notesDone(ctx, who, in.noteIn, err)
}

// oneNoteIn names a note.
type oneNoteIn struct {
	UnitID  int64  `path:"id" scope:"unit"`
	ID      int64  `path:"note_id" scope:"note"`
	Text    string `param:"text" text:"lines"`
	Flagged bool   `param:"flagged"`
	Back    string `param:"back"`
}

func (in oneNoteIn) typed() noteIn {
	return noteIn{Text: in.Text, Flagged: in.Flagged, Back: in.Back, id: in.ID}
}

func (s *room) changeNote(ctx context.Context, who *access.Caller, in oneNoteIn) (endpoint.Drawing, error) {
	_, err := s.Usecases.ChangeNote(ctx, who, in.ID, note.Change{Text: &in.Text, Flagged: &in.Flagged})
	return s.notesDone(ctx, who, in.typed(), err)
}

func (s *room) deleteNote(ctx context.Context, who *access.Caller, in oneNoteIn) (endpoint.Drawing, error) {
	return s.notesDone(ctx, who, noteIn{Back: in.Back}, s.Usecases.DeleteNote(ctx, who, in.ID))
}
