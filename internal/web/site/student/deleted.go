package student

import (
	"context"

	"lectern/internal/ground/links"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/enrol"
	"lectern/internal/teaching/trash"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/site/page"
)

func (s *room) deletedRoutes() {
	page.Show(s.Site, links.Deleted, policy.ReadSubmission, "Files of what was deleted", s.deleted,
		endpoint.Asks(policy.ListStudents))
	endpoint.Route(s.Server, "GET "+links.Deleted+"/{file_id}", 200, policy.ReadSubmission,
		"A file of what was deleted", s.deletedFile, endpoint.Stored("application/octet-stream"))
}

// deletedPage lists a student's own files of what was deleted.
type deletedPage struct {
	Project *enrol.ProjectDetail
	Path    string
	Files   []trash.File
}

func (s *room) deleted(ctx context.Context, who *access.Caller, in struct {
	ID int64 `path:"id" scope:"project"`
}) (*page.Page, error) {
	v := &deletedPage{Path: links.To(links.Deleted, in.ID)}
	err := s.DB.View(ctx, func(q db.Q) (err error) {
		if v.Project, err = usecase.ProjectRecord(ctx, q, who, in.ID); err == nil {
			v.Files, err = trash.FilesOf(ctx, q, in.ID)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.Titled(who, "deleted", s.Word("deleted.title"), v), nil
}

// deletedFile hands a file out to be saved: it is what somebody once sent.
func (s *room) deletedFile(ctx context.Context, _ *access.Caller, in struct {
	ID     int64 `path:"id" scope:"project"`
	FileID int64 `path:"file_id"`
}) (*endpoint.File, error) {
	f, err := trash.FileByID(ctx, s.DB.Pool(), in.ID, in.FileID)
	if err != nil {
		return nil, err
	}
	return endpoint.FromStore(ctx, s.Usecases.Files, f.Hash, endpoint.File{Name: f.Name, Type: "application/octet-stream",
		Modified: f.DeletedAt.Time, Attachment: true})
}
