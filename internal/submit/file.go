// Package submit takes in work that students hand in: every submission is kept
// as a version with its files, is answered with a signed receipt, and becomes
// one PDF that can be read and marked.
package submit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"lectern/internal/fault"
	"lectern/internal/files"
	"lectern/internal/size"
	"lectern/internal/taskdef"
)

// MostFile is how large a file may be unless the settings say otherwise.
const MostFile = 10 * size.MB

// File is one of a submission: what was asked for, and what was sent.
type File struct {
	Position int        `db:"position"`
	Key      string     `db:"key"`
	Title    string     `db:"title"` // of the requirement
	Kind     string     `db:"kind"`  // document, code or image
	Name     string     `db:"name"`  // as the sender calls it
	Hash     files.Hash `db:"hash"`
	Size     int64      `db:"size"`
}

// images are the types taken as an image.
var images = []string{"image/png", "image/gif", "image/bmp", "image/tiff", "image/jpeg"}

// Check tells by its content whether a file may be handed in as a requirement of
// a kind asks: fault.Unsupported when not. It reads the file once, in pieces; a
// file that passes may still be damaged inside, which the document then says.
func Check(kind string, r io.ReaderAt, size int64) error {
	if size == 0 {
		return fault.New(fault.Unsupported, "The file is empty.")
	}
	found, err := mimetype.DetectReader(io.NewSectionReader(r, 0, size))
	if err != nil {
		return fmt.Errorf("look at the file: %w", err)
	}
	switch kind {
	case "document":
		return checkDocument(found, r, size)
	case "image":
		if !slices.ContainsFunc(images, found.Is) {
			return refuse("a PNG, JPEG, GIF, BMP or TIFF image", found)
		}
		return nil
	}
	return checkIsText(found, r, size)
}

func refuse(want string, found *mimetype.MIME) error {
	kind, _, _ := strings.Cut(found.String(), ";")
	if kind == "application/octet-stream" {
		kind = "of an unknown type"
	}
	return fault.New(fault.Unsupported, "The file must be %s, and its content is %s.", want, kind)
}

const tailOfPDF = 4096

// checkDocument asks for a PDF that has its end.
func checkDocument(found *mimetype.MIME, r io.ReaderAt, size int64) error {
	if !found.Is("application/pdf") {
		return refuse("a PDF", found)
	}
	tail := make([]byte, min(size, tailOfPDF))
	if _, err := r.ReadAt(tail, size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("look at the end of the file: %w", err)
	}
	if !bytes.Contains(tail, []byte("%%EOF")) {
		return fault.New(fault.Unsupported, "The file is a PDF whose end is missing. Export it again and send it "+
			"whole.")
	}
	return nil
}

// checkIsText asks for text: of any kind and encoding, but without what no text
// holds. Only UTF-16 that says so at its start may have zero bytes.
func checkIsText(found *mimetype.MIME, r io.ReaderAt, size int64) error {
	if !isText(found) {
		return refuse("text, such as program code", found)
	}
	in := io.NewSectionReader(r, 0, size)
	var mark [2]byte
	if _, err := in.ReadAt(mark[:], 0); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("look at the file: %w", err)
	}
	wide := mark == [2]byte{0xff, 0xfe} || mark == [2]byte{0xfe, 0xff}
	if wide && size%2 != 0 {
		return fault.New(fault.Unsupported, "The file begins as UTF-16 text but breaks off in the middle of a "+
			"character.")
	}
	buf, control := make([]byte, 64<<10), int64(0)
	for {
		n, err := io.ReadFull(in, buf)
		bad, zero := controls(buf[:n], wide, mark[0] == 0xfe)
		if control += bad; zero || control > 8 && control > size/50 {
			return fault.New(fault.Unsupported, "The file must be text, such as program code, and it holds binary "+
				"data.")
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("look at the file: %w", err)
		}
	}
}

// controls counts the control characters of a piece and tells whether there is
// a zero among its characters.
func controls(b []byte, wide, bigFirst bool) (n int64, zero bool) {
	step, low, high := 1, 0, 0
	if wide {
		step, low, high = 2, 0, 1
		if bigFirst {
			low, high = 1, 0
		}
	}
	for i := 0; i+step <= len(b); i += step {
		if wide && b[i+high] != 0 {
			continue
		}
		switch c := b[i+low]; {
		case c == 0:
			return n, true
		case c < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != '\v' && c != 0x1b:
			n++
		}
	}
	return n, false
}

// isText tells whether a type is text or derived from it.
func isText(m *mimetype.MIME) bool {
	for ; m != nil; m = m.Parent() {
		if m.Is("text/plain") {
			return true
		}
	}
	return false
}

var (
	plainEnding   = regexp.MustCompile(`^\.[a-z0-9]{1,10}$`)
	pictureEnding = regexp.MustCompile(`^\.(png|gif|bmp|tiff?|jpe?g)$`)
)

// StoredName is the name of the file in archives: its number, its kind and an
// ending that is safe on every system, as in 000-code.py.
func (f File) StoredName() string {
	end := strings.ToLower(filepath.Ext(f.Name))
	if !plainEnding.MatchString(end) {
		end = ""
	}
	switch {
	case f.Kind == "document":
		end = ".pdf"
	case f.Kind == "image" && !pictureEnding.MatchString(end):
		end = ""
	}
	return fmt.Sprintf("%03d-%s%s", f.Position, f.Kind, end)
}

// Match tells which of the sent files, known by their keys, meets which
// requirement; all that are missing or not asked for are named at once.
func Match(wanted taskdef.Requirements, sent []string) error {
	var wrong fault.Fields
	var words []string // in the order of the requirements
	flaw := func(key, reason string) {
		wrong.Add(key, "%s", reason)
		words = append(words, key+" "+reason)
	}
	left := map[string]bool{}
	for _, key := range sent {
		left[key] = true
	}
	for _, r := range wanted {
		if !left[r.Key] {
			flaw(r.Key, fmt.Sprintf("is required: %s (%s)", r.Name, r.Type))
		}
		delete(left, r.Key)
	}
	for _, key := range sent {
		if left[key] {
			flaw(key, "is not asked for by this task")
			delete(left, key)
		}
	}
	return wrong.ErrSaying(fault.Invalid, strings.Join(words, "; "))
}
