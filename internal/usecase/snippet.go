package usecase

import (
	"context"

	"lectern/internal/ground/fault"
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
// author is the caller. It refuses an empty text, one too long, and one more than snippet.Most;
// the same again for the same is the one there is.
func (s *Service) AddSnippet(ctx context.Context, who *access.Caller, n snippet.New) (*snippet.Snippet, error) {
	n.UserID = who.ID
	return change(ctx, s.DB, func(q db.Q) (*snippet.Snippet, error) { return snippet.Add(ctx, q, n) })
}

// ChangeSnippet gives a reusable comment another text, for its author, and for convenors of
// the unit where it is the unit's. Somebody else's own is fault.Missing. It refuses an empty
// text and one too long.
func (s *Service) ChangeSnippet(ctx context.Context, who *access.Caller, id int64, text string) (*snippet.Snippet,
	error) {
	return change(ctx, s.DB, func(q db.Q) (*snippet.Snippet, error) {
		if err := mayEditSnippet(ctx, q, who, id); err != nil {
			return nil, err
		}
		return snippet.Change(ctx, q, id, text)
	})
}

// RemoveSnippet removes a reusable comment that the caller may change. What was said with it
// stays said.
func (s *Service) RemoveSnippet(ctx context.Context, who *access.Caller, id int64) error {
	return s.DB.Brief(ctx, func(q db.Q) error {
		if err := mayEditSnippet(ctx, q, who, id); err != nil {
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

func mayEditSnippet(ctx context.Context, q db.Q, who *access.Caller, id int64) error {
	s, there, err := usableSnippet(ctx, q, who, id)
	if err != nil || MayEditSnippet(there, s) {
		return err
	}
	return there.Must(policy.EditSnippets)
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
