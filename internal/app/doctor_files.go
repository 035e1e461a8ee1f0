package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/blob"
	"lectern/internal/platform/db"
	"lectern/internal/platform/files"
	"lectern/internal/usecase"
)

// lookAtFiles opens the file store, if it answers. A directory that is not made yet is one
// without files.
func lookAtFiles(ctx context.Context, s *Settings) (files.Store, finding) {
	f := finding{What: "files", Saw: "a directory under " + filepath.Clean(s.Data)}
	if s.FilesURL != "" {
		f.Saw = "an S3 bucket"
	}
	store, err := files.Existing(ctx, s.Files())
	if errors.Is(err, fs.ErrNotExist) {
		f.Saw, f.Advice = "a directory, not made yet", "lectern serve will make it in "+s.Data+"."
		return noFiles{}, f
	}
	if err == nil {
		err = store.Try(ctx)
	}
	if err != nil {
		f.Saw, f.Bad = err.Error(), true
		f.Advice = "Check the address and the keys of the bucket, or who owns the directory."
		return nil, f
	}
	return store, f
}

// noFiles is the store of a directory that is not there.
type noFiles struct{ files.Store }

// Stat implements files.Store.
func (noFiles) Stat(context.Context, files.Hash) (files.Info, error) {
	return files.Info{}, fault.New(fault.Missing, "there is no file store")
}

// List implements files.Store.
func (noFiles) List(context.Context, func(files.Info) error) error { return nil }

// mostNamed bounds the list of what is lost: nobody reads more, and a store that is lost as a
// whole would not fit into memory.
const mostNamed = 10_000

// checkRecords looks for the files that are on record in the store, all of them or a sample.
func checkRecords(ctx context.Context, d *db.DB, store files.Store, schema db.Schema, every bool) finding {
	f := finding{What: "records"}
	if schema.Applied < schema.Newest {
		f.Saw = "not compared with the files: the schema is older than this program"
		f.Advice = "Run lectern doctor again when it is up to date."
		return f
	}
	var c comparison
	tell := func(lost []blob.Lost) error { return c.lost(ctx, d.Pool(), lost) }
	var err error
	if every {
		c.looked, err = blob.CompareAll(ctx, d, store, tell)
	} else {
		c.looked, err = blob.CompareSome(ctx, d, store, tell)
	}
	if err != nil {
		f.Saw, f.Bad, f.Advice = err.Error(), true, "Run lectern doctor again when the file store answers."
		return f
	}
	return c.finding(every)
}

// comparison gathers the files that are lost.
type comparison struct {
	looked int
	files  int      // that are lost
	works  int      // that they belong to
	names  []string // of the first of those
}

func (c *comparison) lost(ctx context.Context, q db.Q, list []blob.Lost) error {
	works, err := usecase.WorkOfFiles(ctx, q, list)
	if err != nil {
		return err
	}
	seen := map[files.Hash]bool{}
	for i := range works {
		if !seen[works[i].Hash] {
			seen[works[i].Hash] = true
			c.files++
		}
		if c.works++; len(c.names) < mostNamed {
			c.names = append(c.names, works[i].String())
		}
	}
	return nil
}

func (c *comparison) finding(every bool) finding {
	f := finding{What: "records", Names: c.names, Bad: c.files > 0,
		Saw: fmt.Sprintf("the store has all of the %d files on record that were looked for", c.looked)}
	if c.files == 0 {
		return f
	}
	f.Saw = fmt.Sprintf("%d of the %d files on record that were looked for are missing or damaged:", c.files, c.looked)
	if more := c.works - len(c.names); more > 0 {
		f.Names = append(f.Names, fmt.Sprintf("… and %d more", more))
	}
	f.Advice = "Restore the files from the backup that goes with the database, or see that --data and --files-url " +
		"name the right place."
	if !every {
		f.Advice += " This was a sample: lectern doctor --all looks for every file."
	}
	return f
}
