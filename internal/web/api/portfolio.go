package api

import (
	"context"
	"io"

	"lectern/internal/ground/fault"
	"lectern/internal/people/access"
	"lectern/internal/people/policy"
	"lectern/internal/platform/audit"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/teaching/course"
	"lectern/internal/teaching/portfolio"
	"lectern/internal/teaching/taskdef"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

func (s *Server) portfolioRoutes() {
	const own = "/api/submission/project/{id}/portfolio"
	const unit = "/api/submission/unit/{id}"
	endpoint.Route(s.Server, "GET "+own, 200, policy.ReadSubmission, "Get the compiled portfolio, a PDF",
		s.getPortfolio, sendsPDF)
	endpoint.Route(s.Server, "POST "+own, 201, policy.EditPortfolio, "Add a file to a portfolio", s.addPortfolioFile,
		endpoint.Audited(audit.Portfolio), endpoint.Location("/api/projects/{id}"),
		endpoint.Uploads(1, portfolio.MaxFile),
		endpoint.Also(409, "the portfolio has too many files"), endpoint.Also(413, "the file is too large"),
		endpoint.Also(415, "the file is not of its kind"))
	endpoint.Route(s.Server, "DELETE "+own, 204, policy.EditPortfolio, "Remove a file of a portfolio, or the "+
		"compiled portfolio", s.removePortfolio,
		endpoint.Audited(audit.Portfolio))
	endpoint.Route(s.Server, "GET "+unit+"/portfolio", 200, policy.GiveFeedback, "Get all portfolios of a unit in a "+
		"zip archive", exported(s, "portfolios", s.unitPortfolios),
		endpoint.Audited(audit.Export), endpoint.Costs(endpoint.Exports), sendsArchive)
	endpoint.Route(s.Server, "GET "+unit+"/task_definitions/{task_def_id}/download_submissions", 200,
		policy.GiveFeedback,
		"Get what all students handed in for a task in a zip archive",
		exported(s, "submissions", s.unitZip("-submissions.zip", portfolio.Submissions)),
		endpoint.Audited(audit.Export), endpoint.Costs(endpoint.Exports), sendsArchive)
	endpoint.Route(s.Server, "GET "+unit+"/task_definitions/{task_def_id}/student_pdfs", 200, policy.GiveFeedback,
		"Get the PDFs of all students for a task in a zip archive",
		exported(s, "documents", s.unitZip("-pdfs.zip", portfolio.Documents)),
		endpoint.Audited(audit.Export), endpoint.Costs(endpoint.Exports), sendsArchive)
}

type portfolioIn struct {
	ID           int64 `path:"id" scope:"project"`
	AsAttachment bool  `param:"as_attachment" doc:"to be saved rather than shown"`
}

func (s *Server) getPortfolio(ctx context.Context, _ *access.Caller, in portfolioIn) (*endpoint.File, error) {
	c, err := portfolio.CompiledOf(ctx, s.db.Pool(), in.ID)
	if err != nil {
		return nil, err
	}
	return endpoint.FromStore(ctx, s.files, files.Hash(c.Hash), endpoint.File{Name: c.FileName(), Type: "application/pdf",
		Modified: c.At.Time, Attachment: in.AsAttachment})
}

type addPortfolioFileIn struct {
	ID   int64              `path:"id" scope:"project"`
	Name string             `param:"name,required" text:"any" doc:"LearningSummaryReport, or Other to keep its name"`
	Kind taskdef.UploadKind `param:"kind,required" enum:""`
	File *params.Upload     `param:"file0,required"`
}

// portfolioFileAnswer is a file of a portfolio under both sets of names that
// clients know.
type portfolioFileAnswer struct {
	FileName string             `json:"file_name"`
	FileKind taskdef.UploadKind `json:"file_kind"`
	FilePath string             `json:"file_path" doc:"inside the portfolio"`
	portfolio.File
}

func (s *Server) addPortfolioFile(ctx context.Context, _ *access.Caller, in addPortfolioFileIn) (*portfolioFileAnswer,
	error) {
	f, err := s.usecases.AddPortfolioFile(ctx, in.ID, in.Name, in.Kind, uploaded(in.File))
	if err != nil {
		return nil, err
	}
	return &portfolioFileAnswer{f.Name, f.Kind, f.Path(), *f}, nil
}

type removePortfolioIn struct {
	ID   int64                          `path:"id" scope:"project"`
	Idx  params.Opt[int64]              `param:"idx" doc:"with kind and name: the file to remove; else the portfolio"`
	Kind params.Opt[taskdef.UploadKind] `param:"kind" enum:""`
	Name params.Opt[string]             `param:"name" text:"any"`
}

func (s *Server) removePortfolio(ctx context.Context, who *access.Caller, in removePortfolioIn) (endpoint.NoContent,
	error) {
	given := []bool{in.Idx.Has(), in.Kind.Has(), in.Name.Has()}
	if given[0] != given[1] || given[1] != given[2] {
		return endpoint.NoContent{}, fault.New(fault.Invalid, "Send idx, kind and name together to remove a file, or "+
			"none of them to remove the compiled portfolio.")
	}
	if !given[0] {
		return endpoint.NoContent{}, s.usecases.DropPortfolio(ctx, who, in.ID)
	}
	return endpoint.NoContent{}, s.usecases.RemovePortfolioFile(ctx, in.ID,
		portfolio.File{Idx: in.Idx.V, Kind: in.Kind.V, Name: in.Name.V})
}

func (s *Server) unitPortfolios(ctx context.Context, _ *access.Caller, in unitIn) (*endpoint.File, error) {
	return view(ctx, s.db, func(q db.Q) (*endpoint.File, error) {
		unit, err := course.UnitByID(ctx, q, in.ID)
		if err != nil {
			return nil, err
		}
		list, err := portfolio.Portfolios(ctx, q, in.ID)
		return s.zipFile(ctx, unit.Code+"-portfolios.zip", list), err
	})
}

type unitZipIn struct {
	ID        int64 `path:"id" scope:"unit"`
	TaskDefID int64 `path:"task_def_id" scope:"definition"`
}

// unitZip answers with an archive of what list finds for a definition.
func (s *Server) unitZip(suffix string, list func(context.Context, db.Q, int64, string) ([]portfolio.Entry,
	error)) func(context.Context, *access.Caller, unitZipIn) (*endpoint.File, error) {
	return func(ctx context.Context, _ *access.Caller, in unitZipIn) (*endpoint.File, error) {
		return view(ctx, s.db, func(q db.Q) (*endpoint.File, error) {
			d, err := taskdef.DefinitionByID(ctx, q, in.TaskDefID)
			if err != nil {
				return nil, err
			}
			entries, err := list(ctx, q, d.ID, d.Abbreviation)
			return s.zipFile(ctx, d.UnitCode+"-"+d.Abbreviation+suffix, entries), err
		})
	}
}

// zipFile is a download that is packed while it is sent.
func (s *Server) zipFile(ctx context.Context, name string, list []portfolio.Entry) *endpoint.File {
	return endpoint.Zip(ctx, s.files, portfolio.Hashes(list), name,
		func(w io.Writer) error { return portfolio.WriteZip(ctx, s.files, list, w) })
}
