package params

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"mime/multipart"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"lectern/internal/ground/fault"
)

// Upload is one file of a multipart body. It lives until its Set is closed.
// Name and Type are only what the sender claims.
type Upload struct {
	Field string // the name of the part
	Name  string // base name, fit for display and for a header; never a path
	Type  string // media type the part declares, empty when it declares none
	Size  int64

	path string
}

// Open opens the file for reading. It fails after Close of the Set.
func (u *Upload) Open() (*os.File, error) { return os.Open(u.path) }

func (u *Upload) remove() error {
	if err := os.Remove(u.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove upload: %w", err)
	}
	return nil
}

// filePart takes one file of a multipart body into the tree and the spool.
func (rd *reader) filePart(part *multipart.Part, field, name string) error {
	if rd.lim.File <= 0 {
		return fault.Field(fault.Invalid, printable(field), "must not be a file")
	}
	if len(rd.set.uploads) >= rd.lim.Files {
		return fault.New(fault.TooLarge, "the request holds more than %d files, which is the limit", rd.lim.Files)
	}
	if err := rd.askBeforeFiles(); err != nil {
		return err
	}
	if rd.lim.Accept != nil {
		if err := rd.lim.Accept(field); err != nil {
			return err
		}
	}
	kind, _, _ := mime.ParseMediaType(part.Header.Get("Content-Type"))
	u := &Upload{Field: field, Name: cleanName(name), Type: kind}
	if err := rd.store(u, part); err != nil {
		return err
	}
	if name == "" && u.Size == 0 {
		// A browser's file input in which nothing was chosen.
		rd.set.uploads = rd.set.uploads[:len(rd.set.uploads)-1]
		if err := u.remove(); err != nil {
			return unstored(err)
		}
		return rd.tally.add(&rd.set.body, field, node{kind: isText})
	}
	return rd.tally.add(&rd.set.body, field, node{kind: isFile, file: u})
}

// askBeforeFiles calls beforeFiles ahead of the first file, and of each further one until
// what decides the right has come.
func (rd *reader) askBeforeFiles() error {
	ask, bound := rd.beforeFiles, rd.set.bound
	if ask == nil {
		return nil
	}
	rd.set.bound = nil
	rd.set.root, rd.set.partial = merge(rd.set.query, rd.set.body), true
	defer func() { rd.set.partial = false }()
	err := ask(rd.set)
	switch {
	case rd.set.bound == nil:
		rd.beforeFiles = nil
	case bound != nil:
		rd.set.bound = bound // what is kept already counts
	}
	return err
}

// store writes the part to a file of its own, which only this process's user
// can read and whose name owes nothing to the sender.
func (rd *reader) store(u *Upload, part io.Reader) error {
	if err := os.MkdirAll(rd.spool, 0o700); err != nil {
		return unstored(err)
	}
	f, err := os.CreateTemp(rd.spool, "upload-*")
	if err != nil {
		return unstored(err)
	}
	u.path = f.Name()
	rd.set.uploads = append(rd.set.uploads, u)
	sink := &diskWriter{f: f, set: rd.set}
	u.Size, err = io.Copy(sink, io.LimitReader(part, rd.lim.File+1))
	closeErr := f.Close()
	switch {
	case sink.full != nil:
		return sink.full
	case sink.err != nil:
		return unstored(sink.err)
	case err != nil:
		return broken(err, "the body ends in the middle of a file")
	case closeErr != nil:
		return unstored(closeErr)
	case u.Size > rd.lim.File:
		return tooLarge(printable(u.Field), rd.lim.File)
	}
	return nil
}

// diskWriter remembers its own error, so that a full disk is not blamed on
// the sender, asks for room before it writes, and drops what is not to be kept.
type diskWriter struct {
	f         *os.File
	set       *Set
	err, full error
}

func (d *diskWriter) Write(p []byte) (int, error) {
	if d.set.drops(len(p)) {
		return len(p), nil
	}
	if d.full = d.set.room.take(int64(len(p))); d.full != nil {
		return 0, d.full
	}
	n, err := d.f.Write(p)
	if err != nil {
		d.err = err
	}
	return n, err
}

// drops tells whether the next n bytes of files are not kept: no more are, once some were not.
func (s *Set) drops(n int) bool {
	if s.bound == nil {
		return s.dropped
	}
	*s.bound -= int64(n)
	s.dropped = s.dropped || *s.bound < 0
	return s.dropped
}

func unstored(err error) error {
	return &fault.Error{Kind: fault.Internal, Text: "the upload could not be stored", Err: err}
}

// cleanName makes a base name out of what the sender calls the file: no path,
// no characters that steer a terminal, a header or the direction of text.
func cleanName(name string) string {
	name = strings.ToValidUTF8(name, "_")
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(`<>:"|?*`, r):
			return '_'
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == '\u2028', r == '\u2029':
			return -1
		}
		return r
	}, name)
	name = shorten(strings.Trim(name, " "))
	if strings.Trim(name, ". ") == "" {
		return "file"
	}
	return name
}

// shorten cuts a name to what file systems hold, keeping its extension.
func shorten(name string) string {
	const most = 200
	if len(name) <= most {
		return name
	}
	ext := filepath.Ext(name)
	if len(ext) > 20 {
		ext = ""
	}
	cut := most - len(ext)
	for cut > 0 && !utf8.RuneStart(name[cut]) {
		cut--
	}
	return name[:cut] + ext
}
