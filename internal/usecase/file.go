package usecase

import (
	"context"
	"strings"

	"lectern/internal/platform/db"
	"lectern/internal/platform/sheet"
	"lectern/internal/teaching/portfolio"
	"lectern/internal/teaching/similarity"
	"lectern/internal/teaching/taskdef"
)

// AttachToDefinition stores an upload as one of a definition's files. It refuses
// one that is not of the kind.
func (s *Service) AttachToDefinition(ctx context.Context, definitionID int64, k taskdef.FileKind, u Upload) error {
	info, err := s.store(ctx, u, k.Check, k.Put)
	if err != nil {
		return err
	}
	return s.DB.Tx(ctx, func(q db.Q) error {
		return s.attach(ctx, q, taskdef.Attachment{DefinitionID: definitionID, Kind: k, File: info})
	})
}

// attach makes stored files those of definitions. What was handed out with a task is
// not taken for similar, so its work is compared anew.
func (s *Service) attach(ctx context.Context, q db.Q, list ...taskdef.Attachment) error {
	if err := taskdef.Attach(ctx, q, s.Files, list...); err != nil {
		return err
	}
	var ids []int64
	for _, a := range list {
		if a.Kind.HandedOut() {
			ids = append(ids, a.DefinitionID)
		}
	}
	if err := similarity.Changed(ctx, q, ids...); err != nil {
		return err
	}
	return s.Outside.Look(ctx, q)
}

// DetachFromDefinition takes a file from a definition, for whoever holds
// policy.EditDefinitions; that there was none is no error. What was handed out with a task
// is not taken for similar, so its work is compared anew.
func (s *Service) DetachFromDefinition(ctx context.Context, definitionID int64, k taskdef.FileKind) error {
	return s.DB.Tx(ctx, func(q db.Q) error {
		if err := taskdef.Detach(ctx, q, definitionID, k); err != nil {
			return err
		}
		if k.HandedOut() {
			if err := similarity.Changed(ctx, q, definitionID); err != nil {
				return err
			}
		}
		return s.Outside.Look(ctx, q)
	})
}

// AddDefinition makes a task definition in a unit, for whoever holds policy.EditDefinitions.
// It refuses dates out of order, values out of range and no stream in a unit with streams,
// and with fault.Conflict a name or an abbreviation that is taken.
func (s *Service) AddDefinition(ctx context.Context, unitID int64, c taskdef.DefinitionChange) (*taskdef.Definition,
	error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*taskdef.Definition, error) {
		return taskdef.AddDefinition(ctx, q, unitID, c)
	})
}

// ChangeDefinition changes a task definition, for whoever holds policy.EditDefinitions. It
// refuses what AddDefinition refuses, another group set while the one it has is in use, and with
// fault.Conflict a value that is no longer what the change says was seen.
// Where it now says otherwise what is compared, or from where work is to be looked at, its
// work is compared anew.
func (s *Service) ChangeDefinition(ctx context.Context, id int64, c taskdef.DefinitionChange) (*taskdef.Definition,
	error) {
	return changeAlone(ctx, s.DB, func(q db.Q) (*taskdef.Definition, error) { return changeDefinition(ctx, q, id, c) })
}

// changeDefinition is ChangeDefinition in a transaction.
func changeDefinition(ctx context.Context, q db.Q, id int64, c taskdef.DefinitionChange) (*taskdef.Definition, error) {
	d, err := taskdef.ChangeDefinition(ctx, q, id, c)
	if err != nil || c.Requirements == nil && c.WarnPct == nil && c.MossLanguage == nil {
		return d, err
	}
	return d, similarity.Changed(ctx, q, id)
}

// importDefinitions is ImportDefinitions in a transaction.
func importDefinitions(ctx context.Context, q db.Q, unitID int64, rows *sheet.Reader) (*sheet.Report, error) {
	report, err := taskdef.ImportDefinitions(ctx, q, unitID, rows)
	if err != nil || len(report.Success) == 0 {
		return report, err
	}
	list, err := taskdef.DefinitionsOf(ctx, q, unitID)
	if err != nil {
		return nil, err
	}
	ids := make([]int64, len(list))
	for i, d := range list {
		ids[i] = d.ID
	}
	return report, similarity.Changed(ctx, q, ids...)
}

// UnpackDefinitionFiles stores the sheets and resources in an archive as files of
// the definitions of a unit whose abbreviations they are named by, and reports
// what became of each. It unpacks in the directory spool. For a plan it reports what would
// become of each, and attaches nothing.
func (s *Service) UnpackDefinitionFiles(ctx context.Context, unitID int64, u Upload, spool string,
	plan bool) (*sheet.Report, error) {
	f, err := u.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := taskdef.DefinitionsOf(ctx, s.DB.Pool(), unitID)
	if err != nil {
		return nil, err
	}
	found, report, err := taskdef.Unpack(ctx, s.Files, list, f, u.Size, spool, plan)
	if err != nil || plan {
		return &report, err
	}
	return &report, s.DB.Tx(ctx, func(q db.Q) error { return s.attach(ctx, q, found...) })
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

// WriteSummary makes a text the learning summary of a portfolio, in the place of the
// one before. It refuses one that says nothing or too much.
func (s *Service) WriteSummary(ctx context.Context, projectID int64, text string) (*portfolio.File, error) {
	if err := portfolio.CheckSummary(text); err != nil {
		return nil, err
	}
	info, err := s.Files.Put(ctx, strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	return change(ctx, s.DB, func(q db.Q) (*portfolio.File, error) {
		return portfolio.AddFile(ctx, q, s.Files, projectID, portfolio.NewFile{Name: portfolio.SummaryName,
			Kind: taskdef.Code, Stored: info, Typed: true})
	})
}
