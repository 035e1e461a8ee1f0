package usecase

import (
	"context"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/opt"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/snippet"
)

// SnippetByID gives a reusable comment that the caller may use: their own, or one of
// a unit they teach. Somebody else's own is as if it were not there.
func SnippetByID(ctx context.Context, q db.Q, who *access.Caller, id int64) (*snippet.Snippet, error) {
	s, _, err := usableSnippet(ctx, q, who, id)
	return s, err
}

// AddSnippet adds a reusable comment, for whoever holds policy.UseSnippets on the unit; its
// author is the caller. It refuses an empty text, one too long, a level that the task's rubric
// does not have, and one more than snippet.Most; the same again for the same is the one there is.
func (s *Service) AddSnippet(ctx context.Context, who *access.Caller, n snippet.New) (*snippet.Snippet, error) {
	n.UserID = who.ID
	return change(ctx, s.DB, func(q db.Q) (*snippet.Snippet, error) { return snippet.Add(ctx, q, n) })
}

// SnippetChange is what becomes of a reusable comment.
type SnippetChange struct {
	Text         string
	DefinitionID *int64 // the task it is for; 0: every task; nil: it stays
	LevelID      *int64 // the level it is for; 0: none; nil: it stays while the task does
}

// ChangeSnippet gives a reusable comment another text, and another task or level to be for, for
// its author, and for convenors of the unit where it is the unit's. Somebody else's own is
// fault.Missing, and so is a task of another unit. It refuses an empty text, one too long, and a
// level that the task's rubric does not have.
func (s *Service) ChangeSnippet(ctx context.Context, who *access.Caller, id int64, c SnippetChange) (*snippet.Snippet,
	error) {
	return change(ctx, s.DB, func(q db.Q) (*snippet.Snippet, error) {
		was, err := editableSnippet(ctx, q, who, id)
		if err != nil {
			return nil, err
		}
		if err := c.mayBeFor(ctx, q, who, was); err != nil {
			return nil, err
		}
		return snippet.Change(ctx, q, id, snippet.Becoming{Text: c.Text, For: c.of(was)})
	})
}

// mayBeFor refuses a task for which the comment could not be used: of another unit than its own, or of one that the
// caller does not teach.
func (c SnippetChange) mayBeFor(ctx context.Context, q db.Q, who *access.Caller, was *snippet.Snippet) error {
	if c.DefinitionID == nil || *c.DefinitionID == 0 {
		return nil
	}
	at := access.Scope{Definition: *c.DefinitionID}
	if !was.Own() {
		at.Unit = *was.UnitID
	}
	_, err := access.Permit(ctx, q, *who, at, policy.UseSnippets)
	return err
}

// of is what the comment is to be for; nil: that stays.
func (c SnippetChange) of(was *snippet.Snippet) *snippet.For {
	if c.DefinitionID == nil && c.LevelID == nil {
		return nil
	}
	f := &snippet.For{DefinitionID: was.DefinitionID}
	if c.DefinitionID != nil {
		f.DefinitionID = opt.NonZero(*c.DefinitionID)
	}
	switch {
	case c.LevelID != nil:
		f.LevelID = opt.NonZero(*c.LevelID)
	case opt.Same(f.DefinitionID, was.DefinitionID):
		f.LevelID = was.LevelID
	}
	return f
}

// RemoveSnippet removes a reusable comment that the caller may change. What was said with it
// stays said.
func (s *Service) RemoveSnippet(ctx context.Context, who *access.Caller, id int64) error {
	return s.DB.Brief(ctx, func(q db.Q) error {
		if _, err := editableSnippet(ctx, q, who, id); err != nil {
			return err
		}
		return snippet.Remove(ctx, q, id)
	})
}

// MayEditSnippet tells whether the caller, whose standing is that on the unit, may
// change a reusable comment offered to them there.
func MayEditSnippet(who *access.Caller, s *snippet.Snippet) bool {
	return s.UserID == who.ID || who.May(policy.EditSnippets)
}

// editableSnippet gives a reusable comment that the caller may change.
func editableSnippet(ctx context.Context, q db.Q, who *access.Caller, id int64) (*snippet.Snippet, error) {
	s, there, err := usableSnippet(ctx, q, who, id)
	if err != nil || MayEditSnippet(there, s) {
		return s, err
	}
	return nil, there.Must(policy.EditSnippets)
}

// usableSnippet gives a reusable comment with the caller as they stand on its unit.
func usableSnippet(ctx context.Context, q db.Q, who *access.Caller, id int64) (*snippet.Snippet, *access.Caller,
	error) {
	s, err := snippet.ByID(ctx, q, id)
	if err != nil {
		return nil, nil, err
	}
	if s.Own() {
		if s.UserID != who.ID {
			return nil, nil, fault.New(fault.Missing, "There is no such saved comment.")
		}
		return s, who, nil
	}
	there, err := access.Permit(ctx, q, *who, access.Scope{Unit: *s.UnitID}, policy.UseSnippets)
	return s, there, err
}
