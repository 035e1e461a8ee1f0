package usecase

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"lectern/internal/connect/notify"
	"lectern/internal/connect/turnitin"
	"lectern/internal/connect/webhook"
	"lectern/internal/people/access"
	"lectern/internal/people/ident"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/platform/health"
	"lectern/internal/teaching/similarity"
	"lectern/internal/teaching/submit"
	"lectern/internal/teaching/work"
)

// Config is what use cases stand on, and what the settings say of them.
type Config struct {
	DB         *db.DB
	Files      files.Store
	Keys       *submit.Keys        // sign receipts; nil: a key that the database keeps
	Passwords  *ident.Passwords    // proves and changes them; nil: without limits of its own
	Mailer     *notify.Mailer      // nil: one that drops all emails
	Similarity *similarity.Service // compares work with other work here
	Outside    *turnitin.Service   // works at the outside similarity service; nil: there is none
	Hooks      webhook.Guard       // tells where webhooks may go
	Keeper     SettingKeeper       // of the settings of the process; nil: they cannot be read
	// Report gives the address of a report of the outside similarity service; nil: Outside is asked.
	Report      func(ctx context.Context, who *access.Caller, outsideID string) (string, error)
	Name        string               // of the service, as people see it; Lectern when empty
	PublicURL   string               // where people reach the service, for links
	Privacy     string               // how work handed in is used
	Declaration string               // what whoever hands work in states by doing so
	Statements  map[Matter]Statement // what the institution says of its own
	Fonts       []string             // for letters that the fonts of documents lack
	Assess      bool                 // submissions are assessed in containers
	MostFile    int64                // bytes of a file of a submission; submit.MostFile when 0
	MostMedia   int64                // bytes of an attachment of a comment; work.MaxMedia when 0
	MostUploads int64                // how often a person may hand in within an hour; 0: no bound
	Program     Program              // which one runs
	Checks      *health.Monitor      // look whether the service is well; nil: none does
}

// Service is the use cases of the process. There is one, made by New, which every face is
// given: what the one does the other does too, and tells the same people. Use cases that
// stay within a transaction of the caller's are functions.
type Service struct {
	Config
	texts texts // of documents that were read last
}

// New makes the use cases complete: what the settings leave open gets its default.
func New(c Config) *Service {
	if c.Keys == nil {
		c.Keys = submit.NewKeys(c.DB, nil)
	}
	if c.Passwords == nil {
		c.Passwords = ident.NewPasswords(c.DB, ident.Limits{})
	}
	if c.Mailer == nil {
		c.Mailer = notify.Disabled()
	}
	c.Name, c.PublicURL = cmp.Or(c.Name, "Lectern"), strings.TrimSuffix(c.PublicURL, "/")
	c.Privacy, c.Declaration = cmp.Or(c.Privacy, defaultPrivacy), cmp.Or(c.Declaration, defaultDeclaration)
	c.MostFile, c.MostMedia = cmp.Or(c.MostFile, submit.MostFile), cmp.Or(c.MostMedia, work.MaxMedia)
	if c.Checks == nil {
		c.Checks = health.New(time.Now)
	}
	return &Service{Config: c}
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

// change runs f, which must be brief, in a write transaction and gives what it made. Many
// who do so at once may share a commit.
func change[T any](ctx context.Context, d *db.DB, f func(db.Q) (T, error)) (out T, err error) {
	err = d.Brief(ctx, func(q db.Q) error {
		out, err = f(q)
		return err
	})
	return out, err
}

// changeAlone is change for what may take longer: it shares its commit with nobody.
func changeAlone[T any](ctx context.Context, d *db.DB, f func(db.Q) (T, error)) (out T, err error) {
	err = d.Tx(ctx, func(q db.Q) error {
		out, err = f(q)
		return err
	})
	return out, err
}

// errPlanned ends the transaction of a plan, so that nothing of it is kept.
var errPlanned = errors.New("this was a plan")

// planned runs f as changeAlone does, keeps nothing of it, and gives what it gave.
func planned[T any](ctx context.Context, d *db.DB, f func(db.Q) (T, error)) (out T, err error) {
	err = d.Tx(ctx, func(q db.Q) error {
		if out, err = f(q); err != nil {
			return err
		}
		return errPlanned
	})
	if errors.Is(err, errPlanned) {
		err = nil
	}
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
