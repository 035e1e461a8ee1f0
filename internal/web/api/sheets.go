package api

import (
	"io"

	"lectern/internal/people/ident"
	"lectern/internal/usecase"
	"lectern/internal/web/endpoint"
	"lectern/internal/web/params"
)

// sheetFile is the download of a sheet that write writes while it is sent.
func sheetFile(name string, write func(io.Writer) error) *endpoint.File {
	return &endpoint.File{Name: name, Type: "text/csv; charset=utf-8", Attachment: true, Write: write}
}

// importIn is what every import of a sheet takes.
type importIn struct {
	File   *params.Upload `param:"file,required" doc:"CSV, or an Excel workbook whose first sheet is read"`
	DryRun bool           `param:"dry_run" doc:"report the same and change nothing"`
}

func (in importIn) sheet() usecase.Sheet {
	return usecase.Sheet{Upload: uploaded(in.File), DryRun: in.DryRun}
}

// withLinks turns the tokens of new accounts into the links to show.
func (s *Server) withLinks(r *ident.Imported, err error) (*ident.Imported, error) {
	if err != nil {
		return nil, err
	}
	for i := range r.Success {
		if token := r.Success[i].Token; token != "" {
			r.Success[i].Link = s.passwordLink(token)
		}
	}
	return r, nil
}
