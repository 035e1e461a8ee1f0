package submit

import (
	"cmp"
	"context"
	"time"

	"lectern/internal/ground/clock"
	"lectern/internal/platform/db"
	"lectern/internal/platform/pdf"
)

// Frame is what stands around the pages that are made beside the document of a submission.
type Frame struct {
	Document pdf.Document   // its properties, header and footer, without sections
	Files    int            // how many files there are in the document
	Zone     *time.Location // of the unit
}

// FrameOf gives the frame of a submission.
func FrameOf(ctx context.Context, q db.Q, id int64, institution string) (*Frame, error) {
	s, err := readSheet(ctx, q, id)
	if err != nil {
		return nil, err
	}
	doc := s.document(institution)
	doc.Sections = nil
	return &Frame{Document: doc, Files: len(s.Files), Zone: cmp.Or(clock.Zone(s.TimeZone), time.UTC)}, nil
}
