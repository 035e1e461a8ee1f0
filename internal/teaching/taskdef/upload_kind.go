package taskdef

import (
	"archive/zip"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"lectern/internal/ground/fault"
	"lectern/internal/platform/pdf"
)

// UploadKind is what a file that students hand in, or add to a portfolio, must
// be.
type UploadKind string

// The kinds. A new one gets a row in uploadKinds and, where portfolios take it,
// a migration of the CHECK on portfolio_files.kind.
const (
	Document UploadKind = "document" // a PDF
	Code     UploadKind = "code"     // text of any sort
	Image    UploadKind = "image"
)

// uploadKind holds everything that differs between the kinds.
type uploadKind struct {
	kind  UploadKind
	check func(found *mimetype.MIME, r io.ReaderAt, size int64) error // by content
	// ending is that of the file's name in archives, given the one it came with,
	// which is safe on every system, or none.
	ending func(given string) string
	zip    uint16   // the method archives pack it with: only text gains by Deflate
	shown  pdf.Kind // how documents show it
}

var uploadKinds = []uploadKind{
	{Document, checkDocument, func(string) string { return ".pdf" }, zip.Store, pdf.PDF},
	{Code, checkIsText, func(given string) string { return given }, zip.Deflate, pdf.ByName},
	{Image, checkImage, pictureEnding.FindString, zip.Store, pdf.Image},
}

// otherUploadKinds are words of other systems, with the kind they stand for.
var otherUploadKinds = map[string]UploadKind{"notebook": Code}

var (
	plainEnding   = regexp.MustCompile(`^\.[a-z0-9]{1,10}$`)
	pictureEnding = regexp.MustCompile(`^\.(png|gif|bmp|tiff?|jpe?g)$`)
)

// ParseUploadKind reads a kind, also by another system's word for it.
func ParseUploadKind(word string) (UploadKind, bool) {
	if k, ok := otherUploadKinds[word]; ok {
		return k, true
	}
	k := UploadKind(word)
	return k, k.row() != nil
}

func (k UploadKind) row() *uploadKind {
	for i := range uploadKinds {
		if uploadKinds[i].kind == k {
			return &uploadKinds[i]
		}
	}
	return nil
}

// Enum gives the texts of all kinds, for the parameters of the API.
func (UploadKind) Enum() []string {
	all := make([]string, len(uploadKinds))
	for i, row := range uploadKinds {
		all[i] = string(row.kind)
	}
	return all
}

// eitherUploadKind names all kinds in a sentence: document, code or image.
func eitherUploadKind() string {
	all := UploadKind("").Enum()
	last := len(all) - 1
	return strings.Join(all[:last], ", ") + " or " + all[last]
}

// Check tells by its content whether a file is of the kind: fault.Unsupported
// when not. It reads the file once, in pieces; a file that passes may still be
// damaged inside, which the document then says.
func (k UploadKind) Check(r io.ReaderAt, size int64) error {
	row := k.row()
	if row == nil {
		return fmt.Errorf("%q is no kind of upload", k)
	}
	if size == 0 {
		return fault.New(fault.Unsupported, "The file is empty.")
	}
	found, err := mimetype.DetectReader(io.NewSectionReader(r, 0, size))
	if err != nil {
		return fmt.Errorf("look at the file: %w", err)
	}
	return row.check(found, r, size)
}

// Ending is the ending of a file's name in archives, made of the one it has:
// safe on every system, or none.
func (k UploadKind) Ending(name string) string {
	end := strings.ToLower(filepath.Ext(name))
	if !plainEnding.MatchString(end) {
		end = ""
	}
	if row := k.row(); row != nil {
		return row.ending(end)
	}
	return ""
}

// ZipMethod is how archives pack files of the kind.
func (k UploadKind) ZipMethod() uint16 {
	if row := k.row(); row != nil {
		return row.zip
	}
	return zip.Store
}

// ShownAs is how documents show files of the kind; pdf.ByName where the name
// of the file tells.
func (k UploadKind) ShownAs() pdf.Kind {
	if row := k.row(); row != nil {
		return row.shown
	}
	return pdf.ByName
}
