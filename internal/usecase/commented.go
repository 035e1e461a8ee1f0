package usecase

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/platform/pdf"
	"lectern/internal/teaching/rubric"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/work"
)

// OfCommented are the rights that CommentedCopy asks for beside policy.ReadSubmission.
var OfCommented = append([]*policy.Right{policy.ReadTask}, AsReader...)

// Commented is the commented copy of a version: its document with a number at each place that
// comments point at, and pages of these comments behind it.
type Commented struct {
	Name string
	At   clock.Time // of the version
	file *os.File   // has no name any more, and is gone when it is closed
}

// Send writes the copy, once.
func (c *Commented) Send(w io.Writer) error {
	_, err := io.Copy(w, c.file)
	return errors.Join(err, c.file.Close())
}

// CommentedCopy makes the commented copy of a version. It is for whoever holds
// policy.ReadSubmission on the project, who has to hold policy.ReadTask, too. It is made anew each
// time and kept nowhere, so what it says is never older than what is asked, and names nobody who
// was erased; few are made at the same time. The document itself stays as it is. It is
// fault.Missing where there is no such version, or no document of it.
func (s *Service) CommentedCopy(ctx context.Context, who *access.Caller, at work.TaskRef,
	timestamp string) (*Commented, error) {
	if !who.May(policy.ReadTask) {
		return nil, fault.New(fault.Denied, "You may not read what was said of this work.")
	}
	var v *submit.Version
	var hash files.Hash
	var frame *submit.Frame
	var now clock.Time
	var by *rubric.OnTask
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v, err = submit.VersionAt(ctx, q, at.ProjectID, at.DefinitionID, timestamp); err != nil {
			return err
		}
		if hash, err = v.PDF(); err != nil {
			return err
		}
		now = clock.At(q.Now().Time)
		if by, err = rubric.Show(ctx, q, at.ProjectID, at.DefinitionID); err != nil {
			return err
		}
		frame, err = submit.FrameOf(ctx, q, v.ID, s.Name)
		return err
	})
	if err != nil {
		return nil, err
	}
	list, err := s.StandingComments(ctx, who, at, timestamp)
	if err != nil {
		return nil, err
	}
	c := &pdf.Remarked{Document: frame.Document, Files: frame.Files, Title: "Comments", Noun: "Comment",
		Of: pdf.File{Name: v.Name() + ".pdf", Kind: pdf.PDF,
			Open: func() (io.ReadCloser, error) { return s.Files.Open(ctx, hash) }}}
	c.Fonts = s.Fonts
	c.Meta.Title += ", with comments"
	c.Intro = append(by.Blocks(), pdf.Para(introOf(list, now.In(frame.Zone))))
	for _, one := range list {
		c.Remarks = append(c.Remarks, one.remark(v.ID, frame.Zone))
	}
	return s.writeCopy(ctx, c, &Commented{Name: v.Name() + "-comments.pdf", At: v.At})
}

// writeCopy writes a copy into a file of its own that has no name any more.
func (s *Service) writeCopy(ctx context.Context, c *pdf.Remarked, to *Commented) (_ *Commented, err error) {
	if err := s.texts.turn(ctx); err != nil {
		return nil, err
	}
	defer s.texts.done()
	f, err := os.CreateTemp("", "lectern-copy-")
	if err != nil {
		return nil, fmt.Errorf("a file for a commented copy: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	if err := os.Remove(f.Name()); err != nil {
		return nil, err
	}
	if _, err := c.Write(ctx, f, pdf.Limits{}); err != nil {
		return nil, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	to.file = f
	return to, nil
}

// whenRead is how moments stand in commented copies, as on covers.
const whenRead = "2 January 2006, 15:04 MST"

func introOf(list []*StandingComment, now time.Time) string {
	if len(list) == 0 {
		return "No comments point at this submission, as of " + now.Format(whenRead) + "."
	}
	open := 0
	for _, c := range list {
		if c.Place.DoneAt == nil {
			open++
		}
	}
	return fmt.Sprintf("Comments that point at this submission or at one before it, as of %s: %d, of which %d are open. "+
		"Their numbers stand in the PDF before this page.", now.Format(whenRead), len(list), open)
}

// remark is the comment as it stands in the commented copy of a version.
func (c *StandingComment) remark(version int64, zone *time.Location) pdf.Remark {
	quiet := func(text string) pdf.Block {
		return pdf.Block{Spans: []pdf.Span{{Text: text, Color: 0x4b5563}}}
	}
	about := []string{nameOf(c.Author), c.CreatedAt.In(zone).Format(whenRead)}
	if c.Place.SubmissionID != version {
		about = append(about, fmt.Sprintf("written on version %d", c.Place.Version))
	}
	if c.Place.DoneAt != nil {
		about = append(about, "done on "+c.Place.DoneAt.In(zone).Format(whenRead))
	} else {
		about = append(about, "open")
	}
	r := pdf.Remark{Where: c.Where, Spot: c.spot(version),
		Body: []pdf.Block{quiet(strings.Join(about, " · ")), pdf.Prose(c.Place.Words)}}
	for _, a := range c.Replies {
		by := "Reply by " + nameOf(a.Author) + " · " + a.CreatedAt.In(zone).Format(whenRead)
		if a.HasAttachment {
			by += " · with an attachment"
		}
		r.Body = append(r.Body, quiet(by), pdf.Prose(a.Text))
	}
	return r
}

func nameOf(p work.Person) string { return strings.TrimSpace(p.FirstName + " " + p.LastName) }

// spot is where it stands in the document of a version.
func (c *StandingComment) spot(version int64) (s pdf.Spot) {
	here := c.Stands
	if here == nil {
		return s
	}
	if here.File != nil {
		return pdf.Spot{File: *here.File + 1, Line: *here.Line, EndLine: *here.EndLine}
	}
	s.Page = *here.Page
	if p := c.Place; p.SubmissionID == version {
		if p.Quote != nil {
			s.Quote = *p.Quote
		}
		if s.Point = p.X != nil; s.Point {
			s.X, s.Y = *p.X, *p.Y
		}
	}
	return s
}
