package usecase

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/note"
)

// AddNote adds a note that the staff alone see, on a student or on one of their tasks, for
// whoever holds policy.TakeNotes on the project; its author is the caller. It refuses an empty
// text, one too long, and one more than note.Most; the same again within a minute is the first.
func (s *Service) AddNote(ctx context.Context, who *access.Caller, n note.New) (*note.Note, error) {
	n.UserID = who.ID
	return change(ctx, s.DB, func(q db.Q) (*note.Note, error) { return note.Add(ctx, q, n) })
}

// ChangeNote changes a note of the staff, for who wrote it and convenors of the unit. It
// refuses an empty text and one too long.
func (s *Service) ChangeNote(ctx context.Context, who *access.Caller, id int64, c note.Change) (*note.Note, error) {
	return change(ctx, s.DB, func(q db.Q) (*note.Note, error) {
		n, err := editableNote(ctx, q, who, id)
		if err != nil {
			return nil, err
		}
		return c.Apply(ctx, q, n)
	})
}

// DeleteNote deletes a note of the staff, for who wrote it and convenors of the unit.
func (s *Service) DeleteNote(ctx context.Context, who *access.Caller, id int64) error {
	return s.DB.Brief(ctx, func(q db.Q) error {
		n, err := editableNote(ctx, q, who, id)
		if err != nil {
			return err
		}
		return note.Delete(ctx, q, n)
	})
}

// MayEditNote tells whether the caller, whose standing is that on the note's project,
// may change it.
func MayEditNote(who *access.Caller, n *note.Note) bool {
	return n.UserID == who.ID || who.May(policy.EditNotes)
}

func editableNote(ctx context.Context, q db.Q, who *access.Caller, id int64) (*note.Note, error) {
	if err := db.Lock(ctx, q, "staff_notes", id); err != nil {
		return nil, err
	}
	n, err := note.ByID(ctx, q, id)
	if err != nil || MayEditNote(who, n) {
		return n, err
	}
	return nil, who.Must(policy.EditNotes)
}
