package usecase

import (
	"context"
	"strings"
	"unicode/utf8"

	"lectern/internal/ground/fault"
	"lectern/internal/ground/linediff"
	"lectern/internal/people/access"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/teaching/source"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/work"
)

// PlaceOn is where somebody points at in the work for a task: at lines of a file, or at a page of
// the document with a stretch of its text or a point.
type PlaceOn struct {
	Timestamp string   `json:"submission_timestamp" doc:"the version, as timestamps list it"`
	File      *int     `json:"file,omitempty" doc:"the number of a text file of that version, from 0; or page is given"`
	Line      *int     `json:"line,omitempty" doc:"of the file, from 1"`
	EndLine   *int     `json:"end_line,omitempty" doc:"the last of at most 1000 lines; only the one when absent"`
	Page      *int     `json:"page,omitempty" doc:"of the document, from 1; or file is given"`
	Quote     string   `json:"quote,omitempty" doc:"a stretch of the page's text, at most 500 characters"`
	X         *float64 `json:"x,omitempty" doc:"a point of the page: the share of its width from the left, 0 to 1"`
	Y         *float64 `json:"y,omitempty" doc:"the share of its height from the top, 0 to 1"`
}

// namedPlace is a place with what it is called where it was sent.
type namedPlace struct {
	PlaceOn
	name string
}

func (p *namedPlace) field(part string) string { return p.name + "[" + part + "]" }

// flaws finds what is wrong with a place that needs no work to be wrong.
func (p *namedPlace) flaws() error {
	var wrong fault.Fields
	field := p.field
	if p.EndLine == nil {
		p.EndLine = p.Line
	}
	outside := func(share *float64) bool { return share != nil && !(*share >= 0 && *share <= 1) }
	p.Quote = strings.TrimSpace(p.Quote)
	switch {
	case p.File == nil && p.Page == nil:
		wrong.Add(field("file"), "is required, with a line, unless there is a page")
	case p.File != nil:
		wrong.When(p.Page != nil || p.Quote != "" || p.X != nil || p.Y != nil, field("file"), "goes without page, quote, "+
			"x and y: point at lines of a file, or at a page of the document")
		switch {
		case p.Line == nil || *p.Line < 1 || *p.Line > work.MaxLine:
			wrong.Add(field("line"), "must be a line, from 1 to %d", work.MaxLine)
		case *p.EndLine < *p.Line || *p.EndLine-*p.Line >= work.MaxRange:
			wrong.Add(field("end_line"), "must be line %d or at most %d lines after it", *p.Line, work.MaxRange-1)
		}
	default:
		wrong.When(p.Line != nil || p.EndLine != nil, field("line"), "goes with a file: a page has none")
		wrong.When(utf8.RuneCountInString(p.Quote) > work.MaxQuote, field("quote"), "must be at most %d characters",
			work.MaxQuote)
		wrong.When(outside(p.X), field("x"), "must be from 0 to 1")
		wrong.When(outside(p.Y), field("y"), "must be from 0 to 1")
		wrong.When((p.X == nil) != (p.Y == nil), field("x"), "and y go together")
	}
	return wrong.Err(fault.Invalid)
}

// theWork is what of the work for a task can be pointed at.
type theWork struct {
	versions []submit.ListedVersion
	files    map[int64][]source.File
	lines    map[files.Hash]int
	pointed  map[files.Hash]*source.File
}

// pointAt looks that places are there: each version is one of the task, each file a text with so
// many lines, each page one of the document. It reads every file once, and asks the database twice,
// however many there are.
func (s *Service) pointAt(ctx context.Context, at work.TaskRef, list []*namedPlace) ([]*work.Place, error) {
	for _, p := range list {
		if err := p.flaws(); err != nil {
			return nil, err
		}
	}
	w := &theWork{lines: map[files.Hash]int{}, pointed: map[files.Hash]*source.File{}}
	out := make([]*work.Place, len(list))
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if w.versions, err = submit.Versions(ctx, q, at.ProjectID, at.DefinitionID); err != nil {
			return err
		}
		var ids []int64
		for i, p := range list {
			v, number, err := submit.FindVersion(w.versions, p.Timestamp)
			if err != nil {
				return err
			}
			out[i] = &work.Place{SubmissionID: v.ID, SubmittedAt: v.At, Version: number}
			ids = append(ids, v.ID)
		}
		w.files, err = source.FilesOfAll(ctx, q, ids)
		return err
	})
	if err != nil {
		return nil, err
	}
	for i, p := range list {
		if err := w.fill(out[i], p); err != nil {
			return nil, err
		}
	}
	if err := w.count(ctx, s.Files); err != nil {
		return nil, err
	}
	for i, p := range list {
		if err := w.within(out[i], p); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// fill completes a place by what is pointed at.
func (w *theWork) fill(to *work.Place, p *namedPlace) error {
	if p.File == nil {
		v := w.version(to.SubmissionID)
		if v.Pages == nil {
			return fault.Field(fault.Refused, p.field("page"), "cannot be pointed at: the document of this version is not made")
		}
		if *p.Page < 1 || *p.Page > *v.Pages {
			return fault.Field(fault.Refused, p.field("page"), "must be one of the %d pages of the document", *v.Pages)
		}
		to.Page = p.Page
		if p.Quote != "" {
			to.Quote = &p.Quote
		}
		to.X, to.Y = p.X, p.Y
		return nil
	}
	f := w.file(to.SubmissionID, *p.File)
	switch {
	case f == nil:
		return fault.Field(fault.Refused, p.field("file"), "must be one of the %d files of this version, from 0",
			len(w.files[to.SubmissionID]))
	case !f.IsText:
		return fault.Field(fault.Refused, p.field("file"), "has no lines: point at a page of the document")
	}
	to.Position, to.Name, to.Line, to.EndLine = p.File, &f.Name, p.Line, p.EndLine
	w.pointed[f.Hash] = f
	return nil
}

func (w *theWork) version(id int64) *submit.ListedVersion {
	for i := range w.versions {
		if w.versions[i].ID == id {
			return &w.versions[i]
		}
	}
	return nil
}

func (w *theWork) file(submission int64, number int) *source.File {
	f, err := source.Find(w.files[submission], int64(number))
	if err != nil {
		return nil
	}
	return f
}

// count counts the lines of the files that are pointed at, as they are shown.
func (w *theWork) count(ctx context.Context, store files.Store) error {
	for hash, f := range w.pointed {
		text, err := source.Read(ctx, store, f)
		if err != nil {
			return err
		}
		w.lines[hash] = len(linediff.Lines([]byte(text.Text)))
	}
	return nil
}

// within tells whether a file has the lines that are pointed at.
func (w *theWork) within(to *work.Place, p *namedPlace) error {
	if p.File == nil {
		return nil
	}
	f := w.file(to.SubmissionID, *p.File)
	if n := w.lines[f.Hash]; *p.EndLine > n {
		return fault.Field(fault.Refused, p.field("line"), "must be one of the %d lines of %s", n, f.Name)
	}
	return nil
}

// TickComment says of a comment that points at the work that it is done, or opens it again, for
// whoever holds policy.Comment on the task: its student, in a group any of its members, and the
// staff. It makes nothing new to anybody. What is no comment there is fault.Missing, one without
// a place fault.Conflict.
func (s *Service) TickComment(ctx context.Context, who *access.Caller, at work.TaskRef, id int64,
	done bool) (*work.Comment, error) {
	return change(ctx, s.DB, func(q db.Q) (*work.Comment, error) {
		return work.Tick(ctx, q, Reader(who), at, who.UnitID, id, done)
	})
}
