// Package zipfile opens zip archives that strangers made: it bounds what they
// hold before anything is unpacked, and refuses names that would lead out of a
// directory.
package zipfile

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"

	"lectern/internal/ground/bounds"
	"lectern/internal/ground/fault"
)

// Limits bound an archive by what its directory claims.
type Limits struct {
	Entries int
	Entry   uint64 // bytes of one file, unpacked
	Total   uint64 // bytes of all files, unpacked
}

// maxDirectory is how much of a file is read to find out what is in it. The
// directory is held in memory, several times its size.
const maxDirectory = 4 << 20

var errDirectory = errors.New("the directory of the archive is too long")

// meter lets the directory be read, but no more than that of a file.
type meter struct {
	r    io.ReaderAt
	left int64 // -1: no limit
}

func (m *meter) ReadAt(p []byte, off int64) (int, error) {
	if m.left >= 0 {
		if m.left -= int64(len(p)); m.left < 0 {
			return 0, errDirectory
		}
	}
	return m.r.ReadAt(p, off)
}

// Open reads the directory of an archive: fault.Unsupported when it is none or
// holds a name that leads elsewhere, fault.TooLarge beyond the limits. What it
// claims may be a lie: unpack with Copy or Reader.
func Open(r io.ReaderAt, length int64, l Limits) (*zip.Reader, error) {
	m := &meter{r, maxDirectory}
	z, err := zip.NewReader(m, length)
	if errors.Is(err, errDirectory) {
		return nil, fault.New(fault.TooLarge, "The archive holds more files than are accepted (%d).", l.Entries)
	}
	if err != nil {
		return nil, &fault.Error{Kind: fault.Unsupported, Text: "The file is not a zip archive, or it is damaged.",
			Err: err}
	}
	m.left = -1
	if len(z.File) > l.Entries {
		return nil, fault.New(fault.TooLarge, "The archive holds %d files; at most %d are accepted.", len(z.File),
			l.Entries)
	}
	var total uint64
	for _, f := range z.File {
		if !local(f.Name) {
			return nil, fault.New(fault.Unsupported, "The archive holds the name %.100q, which leads out of it. "+
				"Create the archive again.", f.Name)
		}
		if f.UncompressedSize64 > l.Entry {
			return nil, fault.New(fault.TooLarge, "%.100q in the archive unpacks to more than %s.", f.Name,
				bounds.SizeText(int64(l.Entry)))
		}
		total += f.UncompressedSize64
	}
	if total > l.Total {
		return nil, fault.New(fault.TooLarge, "The archive unpacks to more than %s.", bounds.SizeText(int64(l.Total)))
	}
	return z, nil
}

var drive = regexp.MustCompile(`^[A-Za-z]:`)

// local tells whether a name stays inside the directory it is unpacked in,
// whatever the system that unpacks it.
func local(name string) bool {
	slashed := strings.ReplaceAll(name, `\`, "/")
	return filepath.IsLocal(slashed) && !drive.MatchString(name) && !strings.ContainsRune(name, 0)
}

// Reader unpacks one entry while it is read, until ctx ends: the entries of one archive
// may take longer together than anybody waits. It gives no more than the directory
// claims, so the limits of Open hold for what is unpacked, too. fault.Unsupported when
// the entry is damaged or longer than that.
func Reader(ctx context.Context, f *zip.File) (io.ReadCloser, error) {
	r, err := f.Open()
	if err != nil {
		return nil, &fault.Error{Kind: fault.Unsupported, Text: "It cannot be unpacked.", Err: err}
	}
	return &unpacking{ReadCloser: r, ctx: ctx}, nil
}

// unpacking is an entry that is being read.
type unpacking struct {
	io.ReadCloser
	ctx context.Context
	err error // what went wrong, to be told from trouble of the writer
}

func (u *unpacking) Read(p []byte) (int, error) {
	if u.err = u.ctx.Err(); u.err != nil {
		return 0, u.err
	}
	n, err := u.ReadCloser.Read(p)
	if err != nil && err != io.EOF { //nolint:errorlint // as io.Reader gives it
		u.err = &fault.Error{Kind: fault.Unsupported, Text: "It is damaged.", Err: err}
		return n, u.err
	}
	return n, err
}

// Copy unpacks one entry to w, until ctx ends. It fails with fault.TooLarge when that
// has more than most bytes; fault.Unsupported when it is damaged, or has more than the
// directory claims.
func Copy(ctx context.Context, w io.Writer, f *zip.File, most int64) (int64, error) {
	if f.UncompressedSize64 > uint64(most) {
		return 0, fault.New(fault.TooLarge, "It is larger than %s.", bounds.SizeText(most))
	}
	r, err := Reader(ctx, f)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	n, err := io.Copy(w, r)
	if u := r.(*unpacking); u.err != nil {
		return n, u.err
	}
	if err != nil {
		return n, fmt.Errorf("unpack: %w", err)
	}
	return n, nil
}
