package usecase

import (
	"context"

	"lectern/internal/platform/db"
	"lectern/internal/teaching/source"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/work"
)

// SourceAt lists the files of a version, for whoever holds policy.ReadSubmission on the project. It is fault.Missing
// where there is no version of that moment.
func SourceAt(ctx context.Context, q db.Q, at work.TaskRef, timestamp string) (*submit.Version, []source.File, error) {
	v, err := submit.VersionAt(ctx, q, at.ProjectID, at.DefinitionID, timestamp)
	if err != nil {
		return nil, nil, err
	}
	list, err := source.Files(ctx, q, v.ID)
	return v, list, err
}

// SourceFile gives a file of a version, by its number, with its text. It is for whoever holds policy.ReadSubmission
// on the project, and refuses a file that is no text.
func (s *Service) SourceFile(ctx context.Context, at work.TaskRef, timestamp string, number int64) (*source.File,
	*source.Text, error) {
	var list []source.File
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		_, list, err = SourceAt(ctx, q, at, timestamp)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	f, err := source.Find(list, number)
	if err != nil {
		return nil, nil, err
	}
	t, err := source.Read(ctx, s.Files, f)
	return f, t, err
}

// Source gives a file of a version, by its number, as pages show it: highlighted where that is done, else plain. Then
// it is asked for, and the file says that it is to be drawn again. It is for whoever holds policy.ReadSubmission on the
// project, and refuses a file that is no text.
func (s *Service) Source(ctx context.Context, at work.TaskRef, timestamp string, number int64) (*source.View, error) {
	var v *submit.Version
	var f *source.File
	var h source.Highlights
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		var list []source.File
		if v, list, err = SourceAt(ctx, q, at, timestamp); err != nil {
			return err
		}
		if f, err = source.Find(list, number); err != nil {
			return err
		}
		h, err = source.HighlightsOf(ctx, q, []*source.File{f})
		return err
	})
	if err != nil {
		return nil, err
	}
	shown, err := source.Show(ctx, s.Files, h, f)
	if err != nil || !h.Missing(f) {
		return shown, err
	}
	return shown, s.askHighlights(ctx, v.ID)
}

// SourceRuns gives, of files of one version, what highlights their lines, nil of those that are plain, and whether one
// of them is going to be highlighted: it is asked for where nobody has. It is for whoever may read the version.
func (s *Service) SourceRuns(ctx context.Context, submissionID int64, list []*source.File) (runs []source.Runs,
	pending bool, err error) {
	h, err := source.HighlightsOf(ctx, s.DB.Pool(), list)
	if err != nil {
		return nil, false, err
	}
	runs, missing := make([]source.Runs, len(list)), false
	for i, f := range list {
		pending, missing = pending || h.Pending(f), missing || h.Missing(f)
		if runs[i], err = h.Load(ctx, s.Files, f); err != nil {
			return nil, false, err
		}
	}
	if missing {
		err = s.askHighlights(ctx, submissionID)
	}
	return runs, pending, err
}

func (s *Service) askHighlights(ctx context.Context, submissionID int64) error {
	return s.DB.Brief(ctx, func(q db.Q) error { return source.EnqueueHighlights(ctx, q, submissionID) })
}
