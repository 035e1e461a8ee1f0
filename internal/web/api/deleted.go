package api

import (
	"context"

	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/teaching/trash"
	"lectern/internal/web/endpoint"
)

const (
	deletedPath     = "/api/units/{unit_id}/deleted"
	deletedFilePath = "/api/projects/{id}/deleted"
)

func (s *Server) deletedRoutes() {
	endpoint.Route(s.Server, "GET "+deletedPath, 200, policy.SeeDeleted,
		"List what was deleted with students' work and can be restored, for 30 days", s.listDeleted)
	endpoint.Route(s.Server, "GET "+deletedPath+"/{id}", 200, policy.SeeDeleted,
		"Get something that was deleted, with how much of students' work it holds", s.deletedContents,
		endpoint.Also(404, "nothing of that number is kept"))
	endpoint.Route(s.Server, "GET "+deletedPath+"/{id}/students", 200, policy.SeeDeleted,
		"List the students whose work went with something that was deleted", s.deletedStudents,
		endpoint.Also(404, "nothing of that number is kept"))
	endpoint.Route(s.Server, "POST "+deletedPath+"/{id}/restore", 200, policy.DeleteWork,
		"Restore what was deleted, as it was, with all work of students", s.restore,
		endpoint.Audited(audit.Definition, audit.Group, audit.Unit), endpoint.Also(404, "nothing of that number is kept"),
		endpoint.Also(409, "the name is taken, students began again or joined another group, or something that was "+
			"deleted after it must be restored first"))
	endpoint.Route(s.Server, "GET "+deletedFilePath, 200, policy.ReadSubmission,
		"List a student's own files of what was deleted, for 30 days", s.listDeletedFiles)
	endpoint.Route(s.Server, "GET "+deletedFilePath+"/{file_id}", 200, policy.ReadSubmission,
		"Get one of a student's own files of what was deleted", s.deletedFile, endpoint.Stored("application/octet-stream"),
		endpoint.Also(404, "no file of that number is kept"))
}

type listDeletedIn struct {
	underUnit
	paging
}

func (s *Server) listDeleted(ctx context.Context, _ *access.Caller, in listDeletedIn) (endpoint.List[trash.Deletion],
	error) {
	list, err := trash.Of(ctx, s.db.Pool(), in.UnitID)
	return short(in.paging, list, err)
}

type oneDeletedIn struct {
	underUnit
	ID int64 `path:"id"`
}

func (s *Server) deletedContents(ctx context.Context, _ *access.Caller, in oneDeletedIn) (*trash.Contents, error) {
	return view(ctx, s.db, func(q db.Q) (*trash.Contents, error) { return trash.ContentsOf(ctx, q, in.UnitID, in.ID) })
}

type deletedStudentsIn struct {
	oneDeletedIn
	paging
}

func (s *Server) deletedStudents(ctx context.Context, _ *access.Caller,
	in deletedStudentsIn) (endpoint.List[trash.HeldStudent], error) {
	return listed(ctx, s.db, in.paging, func(q db.Q, p db.Page) ([]trash.HeldStudent, int64, error) {
		return trash.StudentsOf(ctx, q, in.UnitID, in.ID, p)
	})
}

func (s *Server) restore(ctx context.Context, who *access.Caller, in oneDeletedIn) (*trash.Deletion, error) {
	return s.usecases.RestoreDeleted(ctx, who, in.UnitID, in.ID)
}

type deletedFilesIn struct {
	ID int64 `path:"id" scope:"project"`
	paging
}

func (s *Server) listDeletedFiles(ctx context.Context, _ *access.Caller,
	in deletedFilesIn) (endpoint.List[trash.File], error) {
	list, err := trash.FilesOf(ctx, s.db.Pool(), in.ID)
	return short(in.paging, list, err)
}

type deletedFileIn struct {
	ID     int64 `path:"id" scope:"project"`
	FileID int64 `path:"file_id"`
}

// deletedFile hands a file out to be saved, never to be shown: it is what somebody
// once sent.
func (s *Server) deletedFile(ctx context.Context, _ *access.Caller, in deletedFileIn) (*endpoint.File, error) {
	f, err := trash.FileByID(ctx, s.db.Pool(), in.ID, in.FileID)
	if err != nil {
		return nil, err
	}
	return endpoint.FromStore(ctx, s.files, f.Hash, endpoint.File{Name: f.Name, Type: "application/octet-stream",
		Modified: f.DeletedAt.Time, Attachment: true})
}

// force is the parameter by which what holds students' work is deleted.
type force struct {
	Force bool `param:"force" doc:"delete it with all work of students, to be restored within 30 days; for convenors"`
}
