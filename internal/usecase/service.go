package usecase

import (
	"context"
	"io"
	"os"

	"lectern/internal/connect/turnitin"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/teaching/submit"
)

// Service holds what those use cases stand on that reach beyond one transaction:
// a file is in the store before a row refers to it. The others are functions
// that run in the caller's transaction.
type Service struct {
	DB    *db.DB
	Files files.Store
	Keys  *submit.Keys // sign receipts
	Name  string       // of the service, on receipts
	// Assess tells whether submissions are assessed in containers.
	Assess bool
	// Outside sends documents to the outside similarity service; nil: there is none.
	Outside *outside.Service
	// MostUploads is how often a person may hand in within an hour; 0: no bound.
	MostUploads int64

	texts texts // of documents that were read last
}

// Upload is a file that somebody sent and that is on disk as long as the use
// case runs.
type Upload struct {
	Name string // as the sender calls it; never a path
	Size int64
	Open func() (*os.File, error)
}

// store puts an upload into the store, by its own way, once its content is found
// right. Its row is written by the transaction that refers to it.
func (s *Service) store(ctx context.Context, u Upload, check func(io.ReaderAt, int64) error,
	put func(context.Context, files.Store, io.Reader) (files.Info, error)) (files.Info, error) {
	f, err := u.Open()
	if err != nil {
		return files.Info{}, err
	}
	defer f.Close()
	if err := check(f, u.Size); err != nil {
		return files.Info{}, err
	}
	return put(ctx, s.Files, f)
}

// put stores a file as it is: nobody is shown it before a document is made of it.
func put(ctx context.Context, store files.Store, r io.Reader) (files.Info, error) {
	return store.Put(ctx, r)
}

// change runs f, which must be brief, in a write transaction and gives what it made.
func change[T any](ctx context.Context, d *db.DB, f func(db.Q) (T, error)) (out T, err error) {
	err = d.Brief(ctx, func(q db.Q) error {
		out, err = f(q)
		return err
	})
	return out, err
}

// view runs f on one snapshot and gives what it read.
func view[T any](ctx context.Context, d *db.DB, f func(db.Q) (T, error)) (out T, err error) {
	err = d.View(ctx, func(q db.Q) error {
		out, err = f(q)
		return err
	})
	return out, err
}
