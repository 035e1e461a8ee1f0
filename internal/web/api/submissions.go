package api

import (
	"context"
	"fmt"
	"io"

	"lectern/internal/ground/clock"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/teaching/marking"
	"lectern/internal/teaching/status"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/teaching/work"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

// mostFiles is how many files a task can ask for.
const mostFiles = 20

func (s *Server) submissionRoutes() {
	const one = "/api/projects/{id}/task_def_id/{task_definition_id}"
	endpoint.Route(s.Server, "POST "+one+"/submission", 201, policy.Submit, "Hand in work for a task", s.handIn,
		endpoint.Audited(audit.Submission, audit.Status, audit.Grade, audit.Agreement),
		endpoint.Uploads(mostFiles, s.usecases.MostFile), endpoint.Accepts(s.filesAskedFor),
		endpoint.Location(one+"/submission_details"),
		endpoint.Also(409, "the Idempotency-Key was used for another upload"),
		endpoint.Also(429, "too many submissions by this person within an hour; Retry-After says how long to wait"),
		endpoint.Also(422, "the contributions or alignments do not fit the group or unit"),
		endpoint.Asks(policy.GradeTask))
	endpoint.Route(s.Server, "GET "+one+"/submission", 200, policy.ReadSubmission, "Get the document made of the "+
		"latest submission, a PDF, with the annotations of the staff once they gave any", s.submissionPDF, sendsPDF)
	endpoint.Route(s.Server, "GET "+one+"/submission/text", 200, policy.ReadSubmission,
		"Get the words of the document made of the latest submission", s.submissionText, endpoint.Costs(endpoint.Readings),
		noWords)
	endpoint.Route(s.Server, "PUT "+one+"/submission", 200, policy.Submit, "Ask for the document of the latest "+
		"submission to be made anew", s.rebuild,
		endpoint.Audited(audit.Submission))
	endpoint.Route(s.Server, "GET "+one+"/submission_details", 200, policy.ReadSubmission,
		"Tell how far the latest submission is", s.submissionDetails)
	endpoint.Route(s.Server, "GET "+one+"/submission_files", 200, policy.ReadSubmission,
		"Get the files of the latest submission, a zip archive", s.latestFiles, sendsArchive)
	endpoint.Route(s.Server, "GET "+one+"/submissions/latest", 200, policy.ReadSubmission,
		"Get the files of the latest submission, a zip archive", s.latestFiles, sendsArchive)
	endpoint.Route(s.Server, "GET "+one+"/submissions/timestamps", 200, policy.ReadSubmission,
		"List when the last ten submissions were made", s.timestamps)
	endpoint.Route(s.Server, "GET "+one+"/submissions/timestamps/{timestamp}", 200, policy.ReadSubmission,
		"Get the files of one submission, a zip archive", s.filesAt, sendsArchive)
}

// taskPath names a task by its project and its definition.
type taskPath struct {
	ProjectID    int64 `path:"id" scope:"project"`
	DefinitionID int64 `path:"task_definition_id" scope:"definition"`
}

type contributionIn struct {
	ProjectID int64             `param:"project_id,required"`
	Pct       float64           `param:"pct,required" doc:"percent of the whole, cut to a whole number; 0 leaves the member out"`
	Pts       params.Opt[int64] `param:"pts" doc:"0 to 5; 3 when absent"`
}

type handedAlignment struct {
	OutcomeID int64  `param:"ilo_id,required"`
	Rating    int64  `param:"rating,required" doc:"1 to 5"`
	Rationale string `param:"rationale" text:"lines"`
}

type handInIn struct {
	taskPath
	Files         map[string]*params.Upload      `param:"*files" doc:"a file for each upload requirement of the task, or where that says zip a zip of up to 200 text files, under its key (file0, file1, …)"`
	Contributions params.JSON[[]contributionIn]  `param:"contributions" doc:"in a group: the part of every enrolled member; equal parts when absent"`
	Alignments    params.JSON[[]handedAlignment] `param:"alignment_data" doc:"outcomes the work serves, in place of those given before"`
	Trigger       status.UploadTrigger           `param:"trigger" doc:"need_help when the work is not ready for marking"`
	AcceptedEULA  params.Opt[bool]               `param:"accepted_tii_eula" doc:"for the similarity service; false: no"`
	Key           string                         `header:"Idempotency-Key" doc:"makes a repeated upload the same submission, for a day"`
}

// filesAskedFor refuses what the task has no use for, and who has handed in too often
// within an hour, before it takes room.
func (s *Server) filesAskedFor(ctx context.Context, who *access.Caller, in handInIn) (func(string) error, error) {
	return s.usecases.FilesAskedFor(ctx, who, in.DefinitionID)
}

func (s *Server) handIn(ctx context.Context, who *access.Caller, in handInIn) (*submit.Result, error) {
	sent := map[string]usecase.Upload{}
	for key, u := range in.Files {
		sent[key] = uploaded(u)
	}
	return s.usecases.HandIn(ctx, who, submit.Request{ProjectID: in.ProjectID, DefinitionID: in.DefinitionID,
		Key: in.Key, Trigger: string(in.Trigger), Contributions: in.shares(), Alignments: in.alignments(),
		Accepts: in.AcceptedEULA.Ptr()}, sent)
}

// uploaded is a file of the request as use cases take it.
func uploaded(u *params.Upload) usecase.Upload {
	return usecase.Upload{Name: u.Name, Size: u.Size, Open: u.Open}
}

func (in *handInIn) shares() []work.Contribution {
	if !in.Contributions.Has() {
		return nil
	}
	out := []work.Contribution{}
	for _, c := range in.Contributions.V {
		out = append(out, work.Contribution{ProjectID: c.ProjectID, Pct: int(min(max(c.Pct, -1), 1000)),
			Pts: int(min(max(c.Pts.Or(3), 0), 5))})
	}
	return out
}

func (in *handInIn) alignments() *[]taskdef.TaskAlignment {
	if !in.Alignments.Has() {
		return nil
	}
	out := []taskdef.TaskAlignment{}
	for _, a := range in.Alignments.V {
		out = append(out, taskdef.TaskAlignment{OutcomeID: a.OutcomeID, Rating: a.Rating, Rationale: a.Rationale})
	}
	return &out
}

type submissionPDFIn struct {
	taskPath
	AsAttachment bool `param:"as_attachment" doc:"to be saved rather than shown"`
}

func (s *Server) submissionPDF(ctx context.Context, _ *access.Caller, in submissionPDFIn) (*endpoint.File, error) {
	v, err := submit.Readable(ctx, s.db.Pool(), in.ProjectID, in.DefinitionID)
	if err != nil {
		return nil, err
	}
	copied, err := marking.CopyOfVersion(ctx, s.db.Pool(), v.ID)
	if err != nil {
		return nil, err
	}
	if copied != nil {
		return endpoint.FromStore(ctx, s.files, files.Hash(copied.Hash), endpoint.File{Name: v.Name() + ".pdf",
			Type: "application/pdf", Modified: copied.At.Time, Attachment: in.AsAttachment})
	}
	f, err := s.document(ctx, v)
	if err == nil {
		f.Attachment = in.AsAttachment
	}
	return f, err
}

type rebuildOut struct {
	Result string `json:"result"` // done, or false when nothing was handed in
}

func (s *Server) rebuild(ctx context.Context, _ *access.Caller, in taskPath) (*rebuildOut, error) {
	found, err := s.usecases.RebuildDocument(ctx, work.TaskRef{ProjectID: in.ProjectID, DefinitionID: in.DefinitionID})
	if !found {
		return &rebuildOut{"false"}, err
	}
	return &rebuildOut{"done"}, err
}

func (s *Server) submissionDetails(ctx context.Context, _ *access.Caller, in taskPath) (*submit.Details, error) {
	return view(ctx, s.db, func(q db.Q) (*submit.Details, error) {
		return submit.DetailsOf(ctx, q, in.ProjectID,
			in.DefinitionID)
	})
}

func (s *Server) latestFiles(ctx context.Context, _ *access.Caller, in taskPath) (*endpoint.File, error) {
	return s.packed(ctx, func(q db.Q) (*submit.Version, error) {
		return submit.Latest(ctx, q, in.ProjectID,
			in.DefinitionID)
	})
}

type filesAtIn struct {
	taskPath
	Timestamp string `path:"timestamp"`
}

func (s *Server) filesAt(ctx context.Context, _ *access.Caller, in filesAtIn) (*endpoint.File, error) {
	return s.packed(ctx, func(q db.Q) (*submit.Version, error) {
		return submit.VersionAt(ctx, q, in.ProjectID, in.DefinitionID, in.Timestamp)
	})
}

// packed answers with the files of a version in an archive that is made while it
// is sent.
func (s *Server) packed(ctx context.Context, find func(db.Q) (*submit.Version, error)) (*endpoint.File, error) {
	var v *submit.Version
	list, err := view(ctx, s.db, func(q db.Q) (list []submit.File, err error) {
		if v, err = find(q); err != nil {
			return nil, err
		}
		return submit.FilesOf(ctx, q, v.ID)
	})
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("%s-%s.zip", v.Name(), v.At.UTC().Format("20060102-150405"))
	return endpoint.Zip(ctx, s.files, submit.Hashes(list), name,
		func(w io.Writer) error { return v.WriteZip(ctx, s.files, list, w) }), nil
}

type timestampsIn struct {
	taskPath
	paging
}

func (s *Server) timestamps(ctx context.Context, _ *access.Caller, in timestampsIn) (endpoint.List[clock.Time],
	error) {
	list, err := submit.Timestamps(ctx, s.db.Pool(), in.ProjectID, in.DefinitionID)
	return short(in.paging, list, err)
}
