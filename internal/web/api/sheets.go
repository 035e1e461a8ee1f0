package api

import (
	"context"
	"errors"
	"fmt"
	"io"

	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
	"lectern/internal/platform/sheet"
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

// errUndo ends the transaction of a dry run.
var errUndo = errors.New("dry run")

// readSheet opens an uploaded sheet for use.
func readSheet(in importIn, opts sheet.Options, use func(*sheet.Reader) error) error {
	f, err := in.File.Open()
	if err != nil {
		return fmt.Errorf("open the uploaded sheet: %w", err)
	}
	defer f.Close()
	rows, err := sheet.Read(f, in.File.Size, opts)
	if err != nil {
		return err
	}
	return use(rows)
}

// importSheet reads an uploaded sheet and has apply carry it out in one
// transaction, which a dry run undoes.
func (s *Server) importSheet(ctx context.Context, in importIn, opts sheet.Options,
	apply func(db.Q, *sheet.Reader) (*sheet.Report, error)) (report *sheet.Report, err error) {
	err = readSheet(in, opts, func(rows *sheet.Reader) error {
		return s.db.Tx(ctx, func(q db.Q) error {
			report, err = apply(q, rows)
			if err == nil && in.DryRun {
				return errUndo
			}
			return err
		})
	})
	if errors.Is(err, errUndo) {
		err = nil
	}
	return report, err
}

// withLinks turns the tokens of new accounts into the links to show.
func (s *Server) withLinks(r *ident.Imported) *ident.Imported {
	for i := range r.Success {
		if token := r.Success[i].Token; token != "" {
			r.Success[i].Link = s.passwordLink(token)
		}
	}
	return r
}
