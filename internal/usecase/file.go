package usecase

import (
	"context"

	"lectern/internal/db"
	"lectern/internal/portfolio"
	"lectern/internal/sheet"
	"lectern/internal/taskdef"
)

// AttachToDefinition stores an upload as one of a definition's files. It refuses
// one that is not of the kind.
func (s *Service) AttachToDefinition(ctx context.Context, definitionID int64, k taskdef.FileKind, u Upload) error {
	info, err := s.store(ctx, u, k.Check, k.Put)
	if err != nil {
		return err
	}
	return s.DB.Tx(ctx, func(q db.Q) error {
		return taskdef.Attach(ctx, q, s.Files, taskdef.Attachment{DefinitionID: definitionID, Kind: k, File: info})
	})
}

// UnpackDefinitionFiles stores the sheets and resources in an archive as files of
// the definitions of a unit whose abbreviations they are named by, and reports
// what became of each. It unpacks in the directory spool.
func (s *Service) UnpackDefinitionFiles(ctx context.Context, unitID int64, u Upload, spool string) (*sheet.Report,
	error) {
	f, err := u.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := taskdef.DefinitionsOf(ctx, s.DB.Pool(), unitID)
	if err != nil {
		return nil, err
	}
	found, report, err := taskdef.Unpack(ctx, s.Files, list, f, u.Size, spool)
	if err != nil {
		return nil, err
	}
	return &report, s.DB.Tx(ctx, func(q db.Q) error { return taskdef.Attach(ctx, q, s.Files, found...) })
}

// AddPortfolioFile adds an upload to a portfolio under a name, as a file of a
// kind. It refuses one that is not of the kind.
func (s *Service) AddPortfolioFile(ctx context.Context, projectID int64, name string, kind taskdef.UploadKind,
	u Upload) (*portfolio.File, error) {
	info, err := s.store(ctx, u, portfolio.Check(kind), put)
	if err != nil {
		return nil, err
	}
	return change(ctx, s.DB, func(q db.Q) (*portfolio.File, error) {
		return portfolio.AddFile(ctx, q, s.Files, projectID, portfolio.NewFile{Name: name, Original: u.Name,
			Kind: kind, Stored: info})
	})
}
