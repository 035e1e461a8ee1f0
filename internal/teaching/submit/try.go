package submit

import (
	"context"
	"fmt"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
)

// NewestFiles gives the newest submission that has files, with their hashes, to try the
// making of documents on; 0 when there is none.
func NewestFiles(ctx context.Context, q db.Q) (id int64, hashes []files.Hash, err error) {
	newest, err := db.One[int64](ctx, q, `SELECT s.id FROM submissions s WHERE EXISTS (SELECT 1 FROM submission_files f
			WHERE f.submission_id = s.id)
		ORDER BY s.id DESC LIMIT 1`)
	if fault.Is(err, fault.Missing) {
		return 0, nil, nil
	}
	if err != nil {
		return 0, nil, err
	}
	hashes, err = db.All[files.Hash](ctx, q, `SELECT hash FROM submission_files WHERE submission_id = $1`, *newest)
	return *newest, hashes, err
}

// Try makes the document of a submission and tells how many pages it has. The records stay as they
// are.
func (d *Documents) Try(ctx context.Context, id int64) (pages int, err error) {
	s, err := readSheet(ctx, d.DB.Pool(), id)
	if err != nil {
		return 0, err
	}
	_, res, err := d.render(ctx, s)
	if err != nil {
		return 0, fmt.Errorf("make the document of submission %d: %w", id, err)
	}
	return res.Pages, nil
}
