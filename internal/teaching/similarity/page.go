package similarity

import (
	"bytes"
	"context"
	"errors"
	"io/fs"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/similarity/engine"
	"lectern/internal/teaching/submit"
)

// Page shows a record of ours as one HTML page: both works beside each other, what
// they share marked and numbered. Of a work whose students the caller may not know
// only the shared passages are shown. It needs the files, which may be gone with a
// person's data: then it is fault.Missing.
func (s *Service) Page(ctx context.Context, q db.Q, r *Record) ([]byte, error) {
	c, err := s.comparison(ctx, q, r)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := engine.Page(&b, *c); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Beside gives both works of a record of ours as HTML, as Page shows them, for a page with a frame
// of its own.
func (s *Service) Beside(ctx context.Context, q db.Q, r *Record) (own, other string, err error) {
	c, err := s.comparison(ctx, q, r)
	if err != nil {
		return "", "", err
	}
	own, other = engine.Files(*c)
	return own, other, nil
}

// comparison reads both works of a record of ours, and what they share.
func (s *Service) comparison(ctx context.Context, q db.Q, r *Record) (*engine.Comparison, error) {
	left, err := s.side(ctx, q, r.row.SubmissionID, r.row.Part)
	if err != nil {
		return nil, err
	}
	right, err := s.side(ctx, q, *r.row.OtherID, r.row.Part)
	if err != nil {
		return nil, err
	}
	c := &engine.Comparison{Score: float64(*r.Score), Words: r.Explanation, PassagesOnly: len(r.Other.Students) == 0,
		Left:  engine.Side{Title: r.OwnTitle(), Note: handedIn(r.SubmittedAt), Files: left},
		Right: engine.Side{Title: r.OtherTitle(), Note: handedIn(r.Other.SubmittedAt), Files: right}}
	found := r.row
	found.named = true // to find the files by their names; what is shown of them the page decides
	list, err := found.passages()
	if err != nil {
		return nil, err
	}
	c.Match.Pct = r.Pct
	for _, p := range list {
		p.Own.File, p.Other.File = indexOf(left, p.Own.Name), indexOf(right, p.Other.Name)
		c.Match.Passages = append(c.Match.Passages, engine.Passage{Left: p.Own, Right: p.Other, Tokens: p.Tokens})
	}
	return c, nil
}

// handedIn tells when a work came in: a time, and no more than that.
func handedIn(at clock.Time) string {
	return "submitted on " + at.UTC().Format("2 January 2006 at 15:04 UTC")
}

func indexOf(list []engine.Source, name string) int {
	for i, f := range list {
		if f.Name == name {
			return i
		}
	}
	return -1
}

// side reads a part of a submission to be shown.
func (s *Service) side(ctx context.Context, q db.Q, submissionID int64, part string) ([]engine.Source, error) {
	all, err := submit.FilesOf(ctx, q, submissionID)
	if err != nil {
		return nil, err
	}
	list := filesIn(all, part)
	found, err := s.sources(ctx, list, "")
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(list) == 0 {
		return nil, fault.New(fault.Missing, "The files of one of the two submissions were deleted.")
	}
	if err != nil {
		return nil, err
	}
	return engine.Sources(found), nil
}

// filesIn gives the files that belong to a part.
func filesIn(all []submit.File, part string) (out []submit.File) {
	for _, f := range all {
		if partOf(f) == part {
			out = append(out, f)
		}
	}
	return out
}
