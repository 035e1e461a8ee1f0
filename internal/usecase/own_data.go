package usecase

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/usecase/privacy"
)

// AskArchive asks for an archive of the caller's own data, as privacy.AskArchive does.
func (s *Service) AskArchive(ctx context.Context, who *access.Caller) (*privacy.Archive, error) {
	return change(ctx, s.DB, func(q db.Q) (*privacy.Archive, error) { return privacy.AskArchive(ctx, q, who) })
}

// LinkToArchive gives a link to the caller's own archive, as privacy.LinkToArchive does.
func (s *Service) LinkToArchive(ctx context.Context, who *access.Caller) (*privacy.ArchiveLink, error) {
	return change(ctx, s.DB, func(q db.Q) (*privacy.ArchiveLink, error) { return privacy.LinkToArchive(ctx, q, who) })
}

// SeeArchiveLink gives the file that a link of the caller leads to, as privacy.SeeArchiveLink does.
func (s *Service) SeeArchiveLink(ctx context.Context, who *access.Caller, token string) (hash files.Hash, err error) {
	err = s.DB.View(ctx, func(q db.Q) error {
		hash, err = privacy.SeeArchiveLink(ctx, q, who, token)
		return err
	})
	return hash, err
}

// UseArchiveLink gives the file that a link of the caller leads to, once, as
// privacy.UseArchiveLink does.
func (s *Service) UseArchiveLink(ctx context.Context, who *access.Caller, token string) (files.Hash, error) {
	return change(ctx, s.DB, func(q db.Q) (files.Hash, error) { return privacy.UseArchiveLink(ctx, q, who, token) })
}
