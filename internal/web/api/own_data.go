package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/usecase/privacy"
	"lectern/internal/web/endpoint"
)

// ownData is where people ask for what the service knows about them.
const ownData = "/api/data_export"

func (s *Server) ownDataRoutes() {
	endpoint.Route(s.Server, "GET "+ownData, 200, policy.SignedIn, "See how far the archive of your own data is",
		s.archive)
	endpoint.Route(s.Server, "POST "+ownData, 200, policy.SignedIn,
		"Ask for an archive of your own data, as lectern user export makes it; one that is being made or ready is it",
		s.askArchive, endpoint.Audited(audit.Export), endpoint.Also(409, "the last was downloaded within the hour"))
	endpoint.Route(s.Server, "POST "+ownData+"/link", 200, policy.SignedIn,
		"Get a link to the archive of your own data, good once and for ten minutes", s.archiveLink,
		endpoint.Unaudited("that it is used is told"),
		endpoint.Also(403, "the sign-in is older than ten minutes"), endpoint.Also(409, "no archive is ready"))
	endpoint.Route(s.Server, "GET "+ownData+"/{token}", 200, policy.SignedIn,
		"Download the archive of your own data, which uses the link up", s.archiveFile, sendsStoredArchive,
		endpoint.Also(404, "the link was used, has expired or is somebody else's"))
}

func (s *Server) archive(ctx context.Context, who *access.Caller, _ struct{}) (*privacy.Archive, error) {
	return view(ctx, s.db, func(q db.Q) (*privacy.Archive, error) { return privacy.ArchiveOf(ctx, q, who) })
}

func (s *Server) askArchive(ctx context.Context, who *access.Caller, _ struct{}) (*privacy.Archive, error) {
	return s.usecases.AskArchive(ctx, who)
}

func (s *Server) archiveLink(ctx context.Context, who *access.Caller, _ struct{}) (*privacy.ArchiveLink, error) {
	return s.usecases.LinkToArchive(ctx, who)
}

func (s *Server) archiveFile(ctx context.Context, who *access.Caller, in struct {
	Token string `path:"token"`
}) (*endpoint.File, error) {
	follow := s.usecases.UseArchiveLink
	if endpoint.LooksOnly(ctx) {
		follow = s.usecases.SeeArchiveLink
	}
	hash, err := follow(ctx, who, in.Token)
	if err != nil {
		return nil, err
	}
	return endpoint.FromStore(ctx, s.usecases.Files, hash, endpoint.File{Name: "my-data.zip", Type: "application/zip",
		Attachment: true})
}
