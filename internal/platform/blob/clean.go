package blob

import (
	"context"
	"io"

	"lectern/internal/platform/files"
	"lectern/internal/platform/pdf"
)

// PutPDF stores a PDF that is served as it is, cleaned of all that could act in a
// reader's hands. It refuses one that cannot be read within bounds with
// fault.Unsupported.
func PutPDF(ctx context.Context, store files.Store, r io.Reader) (info files.Info, err error) {
	err = pdf.Clean(ctx, r, pdf.Limits{}, func(clean io.Reader) error {
		info, err = store.Put(ctx, clean)
		return err
	})
	return info, err
}
