package usecase

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/note"
)

// ChangeNote changes a note of the staff: who wrote it may, and convenors of the unit.
func ChangeNote(ctx context.Context, q db.Q, who *access.Caller, id int64, c note.Change) (*note.Note, error) {
	n, err := editableNote(ctx, q, who, id)
	if err != nil {
		return nil, err
	}
	return c.Apply(ctx, q, n)
}

// DeleteNote deletes a note of the staff that the caller may change.
func DeleteNote(ctx context.Context, q db.Q, who *access.Caller, id int64) error {
	n, err := editableNote(ctx, q, who, id)
	if err != nil {
		return err
	}
	return note.Delete(ctx, q, n)
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
