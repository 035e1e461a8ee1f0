package taskdef

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/gabriel-vasile/mimetype"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/fault"
	"lectern/internal/platform/files"
	"lectern/internal/platform/zipfile"
)

// MostZipped is how many files the zips of one submission hold together.
const MostZipped = 200

// zipTimes is how many times as large as one file all of a zip may be.
const zipTimes = 5

// anyZip bounds what is read of a zip's directory. What is left out counts for no other bound: nothing of it is
// unpacked.
var anyZip = zipfile.Limits{Entries: 20_000, Entry: 1 << 40, Total: 1 << 50}

// zips are the types of files that are taken apart where a zip is taken. Others, such as those of office programs, are
// zips inside, and mean something else.
var zips = []string{"application/zip", "application/java-archive", "application/jar"}

// TakesApart tells whether a file is a zip that is taken as the files in it.
func (r *Requirement) TakesApart(f io.ReaderAt, size int64) (bool, error) {
	if !r.Zip || r.Type != Code || size == 0 {
		return false, nil
	}
	found, err := mimetype.DetectReader(io.NewSectionReader(f, 0, size))
	if err != nil {
		return false, fmt.Errorf("look at the file: %w", err)
	}
	for _, one := range zips {
		if found.Is(one) {
			return true, nil
		}
	}
	return false, nil
}

// OpenZip gives the files of a zip of code, where there are at most so many and none is larger than most.
// fault.Unsupported and fault.TooLarge say which file is wrong, and what to do.
func OpenZip(f io.ReaderAt, size int64, room int, most int64) ([]zipfile.Entry, error) {
	z, err := zipfile.Open(f, size, anyZip)
	if err != nil {
		return nil, err
	}
	list, err := zipfile.Tree(z)
	if err != nil {
		return nil, err
	}
	if len(list) > room {
		return nil, fault.New(fault.TooLarge, "The zip holds %d files; at most %d are accepted%s. Leave out what was not "+
			"written by hand, such as libraries and built files, and make the zip again.", len(list), room, besides(room))
	}
	var total, bytes uint64
	for _, e := range list {
		n := e.File.UncompressedSize64
		if n > uint64(most) {
			return nil, fault.New(fault.TooLarge, "%.100q in the zip is larger than %s. Leave it out and make the zip again.",
				e.Name, bounds.SizeText(most))
		}
		total, bytes = total+n, bytes|n
	}
	switch {
	case total > zipTimes*uint64(most):
		return nil, fault.New(fault.TooLarge, "The files in the zip have more than %s together. Leave out data and built "+
			"files, and make the zip again.", bounds.SizeText(zipTimes*most))
	case bytes == 0:
		return nil, fault.New(fault.Unsupported, "The zip holds no files with anything in them. Make it again.")
	}
	return list, nil
}

// besides says why there is room for fewer files than one zip may hold.
func besides(room int) string {
	if room < MostZipped {
		return " beside those of the other zip"
	}
	return ""
}

// StoreZipped unpacks a file of a zip into the directory spool, looks at it as at code that is sent by itself, but
// takes an empty one, and stores it. fault.Unsupported says which file is wrong, and what to do.
func StoreZipped(ctx context.Context, store files.Store, e zipfile.Entry, most int64, spool string) (files.Info, error) {
	info, err := storeUnpacked(ctx, e.File, most, spool, func(tmp *os.File, size int64) (files.Info, error) {
		if size > 0 {
			if err := Code.Check(tmp, size); err != nil {
				return files.Info{}, err
			}
		}
		return store.Put(ctx, io.NewSectionReader(tmp, 0, size))
	})
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Kind != fault.Internal {
		return files.Info{}, &fault.Error{Kind: f.Kind, Text: fmt.Sprintf("%.100q in the zip: %s Leave it out, or put the "+
			"right file there, and make the zip again.", e.Name, f.Text), Err: err}
	}
	return info, err
}
